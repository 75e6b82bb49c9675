"""The fields of SavedModel's protobuf that describe resizes and inputs; TensorFlow need not be installed."""

from __future__ import annotations

from functools import cache
from typing import Any

# Of DataType: names, and those of constants that are read.
DTYPE_NAMES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    9: "int64",
    10: "bool",
    14: "bfloat16",
    17: "uint16",
    19: "float16",
    22: "uint32",
    23: "uint64",
}
DTYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8"}  # of DataType: those that sizes and scales have

# Message -> its fields as name:number:type, with * where it is repeated. A map is a repeated pair of key and value.
_SCHEMA = {
    "SavedModel": "meta_graphs:2:MetaGraph*",
    "MetaGraph": "graph_def:2:Graph signature_def:5:SignaturePair*",
    "SignaturePair": "key:1:string value:2:SignatureDef",
    "SignatureDef": "inputs:1:TensorPair*",
    "TensorPair": "key:1:string value:2:TensorInfo",
    "TensorInfo": "name:1:string dtype:2:int32 tensor_shape:3:Shape",
    "Graph": "node:1:Node* library:2:Library",
    "Library": "function:1:Function*",
    "Function": "signature:1:Signature node_def:3:Node* arg_attr:7:ArgumentPair*",
    "Signature": "name:1:string input_arg:2:Argument*",
    "Argument": "name:1:string",
    "ArgumentPair": "key:1:uint32 value:2:ArgumentAttributes",
    "ArgumentAttributes": "attr:1:Pair*",
    "Node": "name:1:string op:2:string input:3:string* attr:5:Pair*",
    "Pair": "key:1:string value:2:Value",
    "Value": "list:1:List s:2:bytes b:5:bool shape:7:Shape tensor:8:Tensor func:10:Called",
    "List": "i:3:int64* shape:7:Shape* func:9:Called*",
    "Called": "name:1:string",
    "Shape": "dim:2:Dimension* unknown_rank:3:bool",
    "Dimension": "size:1:int64",
    "Tensor": (
        "dtype:1:int32 tensor_shape:2:Shape tensor_content:4:bytes "
        "float_val:5:float* double_val:6:double* int_val:7:int32* int64_val:10:int64*"
    ),
}
_ONE_OF = {"Value": "value"}


def message(name: str) -> Any:
    """Return an empty message of that name."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"sizewise.{name}"))()


@cache
def _pool() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool

    file = descriptor_pb2.FileDescriptorProto(name="sizewise/saved_model.proto", package="sizewise", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in _SCHEMA.items():
        described = file.message_type.add(name=name)
        if name in _ONE_OF:
            described.oneof_decl.add(name=_ONE_OF[name])
        for field in fields.split():
            label, number, kind = field.removesuffix("*").split(":")
            one = described.field.add(name=label, number=int(number))
            one.label = kinds.LABEL_REPEATED if field.endswith("*") else kinds.LABEL_OPTIONAL
            one.type = kinds.TYPE_MESSAGE if kind in _SCHEMA else getattr(kinds, f"TYPE_{kind.upper()}")
            if kind in _SCHEMA:
                one.type_name = f".sizewise.{kind}"
            if name in _ONE_OF:
                one.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
