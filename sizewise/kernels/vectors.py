"""A small vector type for Numba: eight numbers (or four) that are loaded, multiplied and stored at once.

Numba compiles loops well when they run along memory, and badly when they do not: it leaves out the compiler pass that
would join neighbouring scalars into vectors. So the kernels say themselves what goes into one vector. Everything here
becomes plain LLVM vector code, with no instruction of one processor named: the same source gives SSE, AVX or NEON.

The words:

    zero(like), zero4(like)          0 in each of eight (four) lanes, of the type of the scalar `like`
    load(array, i, like)             array[i], array[i + 1], ... for as many lanes as the vector `like`, of its type
    add_product(total, weight, v)    total + weight * v: rounded after the product and after the sum, never fused
    store(array, i, v)               array[i], array[i + 1], ... = v, converted to the array's type
    move4, move8(array, i, out, o)   out[o], ... = array[i], ...: four or eight numbers of any one type, bit for bit
    transpose_in(array, (i0 .. i7), like, out, o)    out[o + 8 k + r] = array[i_r + k]: lines become columns
    transpose_out(out, o, pitch, (v0 .. v7))         out[o + r * pitch + k] = lane r of v_k: and back
    check_finite(check, (v0 .. v7))  check, and from then on NaN in every lane where one of the eight is not finite
    any_nan(v)                       a byte whose bit r says that lane r is NaN

Nothing is checked: an index out of range is the caller's fault, and reads or writes what it should not.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, register_model

from .packing import LANES


class Vector(types.Type):
    """The Numba type of a vector of float32 or float64."""

    def __init__(self, element: types.Float, lanes: int = LANES) -> None:
        self.element = element
        self.lanes = lanes
        super().__init__(name=f"Vector({element}, {lanes})")


@register_model(Vector)
class VectorModel(PrimitiveModel):
    """How LLVM holds a Vector: as its own vector type."""

    def __init__(self, manager: Any, vector: Vector) -> None:
        super().__init__(manager, vector, _llvm(vector.element, vector.lanes))


def _llvm(element: types.Type, lanes: int = LANES) -> ir.VectorType:
    if isinstance(element, types.Integer):
        return ir.VectorType(ir.IntType(element.bitwidth), lanes)
    return ir.VectorType(ir.DoubleType() if element == types.float64 else ir.FloatType(), lanes)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, lanes: int) -> Any:
    """A pointer to array[index], as a pointer to a vector."""
    data = context.make_array(array_type)(context, builder, array).data
    pointer = builder.gep(data, [index])
    return builder.bitcast(pointer, _llvm(array_type.dtype, lanes).as_pointer())


def _load(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: ir.VectorType) -> Any:
    value = builder.load(_address(context, builder, array_type, array, index, vector.count))
    value.align = array_type.dtype.bitwidth // 8  # arrays are aligned to their elements, not to whole vectors
    return value if value.type == vector else builder.fpext(value, vector)


def _store(context: Any, builder: Any, array_type: Any, array: Any, index: Any, value: Any) -> None:
    wanted = _llvm(array_type.dtype, value.type.count)
    if value.type != wanted:
        value = builder.fptrunc(value, wanted)
    instruction = builder.store(value, _address(context, builder, array_type, array, index, wanted.count))
    instruction.align = array_type.dtype.bitwidth // 8


def _broadcast(builder: Any, scalar: Any, vector_type: ir.VectorType) -> Any:
    undefined = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), vector_type.count), [0] * vector_type.count)
    return builder.shuffle_vector(first, undefined, lanes)


def _transposed(builder: Any, lines: list[Any]) -> list[Any]:
    """Eight vectors transposed in three rounds: pairs of lanes, pairs of pairs, halves.

    The patterns are those one x86 instruction does (unpack, shuffle, permute halves); others have as cheap a form.
    """

    def mix(a: Any, b: Any, lanes: list[int]) -> Any:
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes))

    for low, high, reach in (
        ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15], 1),
        ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15], 2),
        ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15], 4),
    ):
        mixed = list(lines)
        for i in range(LANES):
            if not i & reach:
                mixed[i] = mix(lines[i], lines[i + reach], low)
                mixed[i + reach] = mix(lines[i], lines[i + reach], high)
        lines = mixed
    # Rounds 1 and 2 leave lines 1 and 2 (and 5 and 6) in each other's place.
    return [lines[i] for i in (0, 2, 1, 3, 4, 6, 5, 7)]


def _zero(like: Any, lanes: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_llvm(signature.args[0], lanes), [0.0] * lanes)

    return Vector(like, lanes)(like), code


@intrinsic
def zero(_: Any, like: Any) -> Any:
    """0 in each of eight lanes, of the type of the scalar `like`."""
    return _zero(like, LANES)


@intrinsic
def zero4(_: Any, like: Any) -> Any:
    """0 in each of four lanes, of the type of the scalar `like`."""
    return _zero(like, 4)


@intrinsic
def load(_: Any, array: Any, index: Any, like: Any) -> Any:
    """array[index], array[index + 1], ... for as many lanes as the vector `like`, converted to its type."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(context, builder, signature.args[0], args[0], args[1], args[2].type)

    return like(array, types.int64, like), code


def _move(array: Any, out: Any, lanes: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _llvm(signature.args[0].dtype, lanes)
        value = _load(context, builder, signature.args[0], args[0], args[1], vector)
        _store(context, builder, signature.args[2], args[2], args[3], value)
        return context.get_dummy_value()

    return types.none(array, types.int64, out, types.int64), code


@intrinsic
def move4(_: Any, array: Any, index: Any, out: Any, where: Any) -> Any:
    """out[where] .. out[where + 3] = array[index] .. array[index + 3], both of one type."""
    return _move(array, out, 4)


@intrinsic
def move8(_: Any, array: Any, index: Any, out: Any, where: Any) -> Any:
    """out[where] .. out[where + 7] = array[index] .. array[index + 7], both of one type."""
    return _move(array, out, LANES)


@intrinsic
def store(_: Any, array: Any, index: Any, vector: Any) -> Any:
    """array[index], array[index + 1], ... = vector, converted to the array's type."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store(context, builder, signature.args[0], args[0], args[1], args[2])
        return context.get_dummy_value()

    return types.none(array, types.int64, vector), code


@intrinsic
def add_product(_: Any, total: Any, weight: Any, vector: Any) -> Any:
    """total + weight * vector: two roundings in every lane, on every processor."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = _broadcast(builder, args[1], args[2].type)
        return builder.fadd(args[0], builder.fmul(weights, args[2]))

    return total(total, total.element, vector), code


@intrinsic
def check_finite(_: Any, check: Any, vectors: Any) -> Any:
    """check + 0 * (the sum of eight vectors): from then on NaN in every lane where one of them is not finite."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [builder.extract_value(args[1], k) for k in range(LANES)]
        while len(values) > 1:
            values = [builder.fadd(a, b) for a, b in zip(values[::2], values[1::2], strict=True)]
        nothing = ir.Constant(args[0].type, [0.0] * LANES)
        return builder.fadd(args[0], builder.fmul(values[0], nothing))

    return check(check, vectors), code


@intrinsic
def any_nan(_: Any, vector: Any) -> Any:
    """A byte whose bit r says that lane r of the vector is NaN."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        mask = builder.fcmp_unordered("uno", args[0], args[0])
        return builder.zext(builder.bitcast(mask, ir.IntType(args[0].type.count)), ir.IntType(64))

    return types.int64(vector), code


@intrinsic
def transpose_in(_: Any, array: Any, lines: Any, like: Any, out: Any, where: Any) -> Any:
    """out[where + 8 k + r] = array[lines[r] + k] for eight k and r; `lines` is a tuple of eight indices."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array_type, _, element, out_type, _ = signature.args
        starts = [builder.extract_value(args[1], r) for r in range(LANES)]
        values = [_load(context, builder, array_type, args[0], start, _llvm(element)) for start in starts]
        for k, line in enumerate(_transposed(builder, values)):
            index = builder.add(args[4], ir.Constant(ir.IntType(64), LANES * k))
            _store(context, builder, out_type, args[3], index, line)
        return context.get_dummy_value()

    return types.none(array, types.UniTuple(types.int64, LANES), like, out, types.int64), code


@intrinsic
def transpose_out(_: Any, out: Any, where: Any, pitch: Any, vectors: Any) -> Any:
    """out[where + r * pitch + k] = lane r of vectors[k] for eight k and r."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [builder.extract_value(args[3], k) for k in range(LANES)]
        for r, line in enumerate(_transposed(builder, values)):
            index = builder.add(args[1], builder.mul(args[2], ir.Constant(ir.IntType(64), r)))
            _store(context, builder, signature.args[0], args[0], index, line)
        return context.get_dummy_value()

    return types.none(out, types.int64, types.int64, vectors), code
