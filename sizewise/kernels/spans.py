"""A span: where numbers lie in memory, and how many there are. It is what the loops of the kernels see of an array.

Numba counts who refers to an array: each function that is handed one, or takes it out of a tuple, counts up and down
again, by a call and with all other processors looking. Over the rows of small images that took longer than the rows. A
span counts nothing. So the array that it is of has to be there for as long as it is used: see `hold`.

    span(array)      the span of a contiguous array of one axis
    span[i]          a number, which can be set, too; i is never negative
    span.size, span.itemsize
    nought(span)     0, of the type of its numbers
    hold(arrays)     uses a tuple of arrays, and does nothing: until here Numba gives none of them back
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import cgutils, types
from numba.core.datamodel.models import StructModel
from numba.extending import (
    intrinsic,
    lower_builtin,
    make_attribute_wrapper,
    overload_attribute,
    register_model,
    type_callable,
)


class Span(types.Type):
    """The Numba type of a span of numbers."""

    def __init__(self, dtype: types.Type) -> None:
        self.dtype = dtype
        super().__init__(name=f"Span({dtype})")


@register_model(Span)
class SpanModel(StructModel):
    """How LLVM holds a span: as a pointer and a number."""

    def __init__(self, manager: Any, span: Span) -> None:
        super().__init__(manager, span, [("data", types.CPointer(span.dtype)), ("nitems", types.intp)])


make_attribute_wrapper(Span, "nitems", "size")


@overload_attribute(Span, "itemsize")
def _itemsize(span):  # Numba compares it with what it returns, word for word
    n_bytes = bytes_of(span.dtype)
    return lambda span: n_bytes


def bytes_of(element: types.Type) -> int:
    """The bytes of one element of an array."""
    size: int = element.size if isinstance(element, types.Record) else element.bitwidth // 8
    return size


def seen(context: Any, builder: Any, kind: types.Type, value: Any) -> Any:
    """What has the `data` and `nitems` of an array, or of a span."""
    if isinstance(kind, Span):
        return cgutils.create_struct_proxy(kind)(context, builder, value)
    return context.make_array(kind)(context, builder, value)


def check(context: Any, builder: Any, n_items: Any, index: Any, count: int) -> None:
    """Raises IndexError where so many numbers from an index on do not all lie in an array, if that is to be checked."""
    if not context.enable_boundscheck:
        return
    below = builder.icmp_signed("<", index, index.type(0))
    above = builder.icmp_signed(">", index, builder.sub(n_items, n_items.type(count)))
    with cgutils.if_unlikely(builder, builder.or_(below, above)):
        context.call_conv.return_user_exc(builder, IndexError, ("numbers outside their array",))


@intrinsic
def span(_: Any, array: Any) -> Any:
    """The span of an array."""
    kind = Span(array.dtype)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given, made = seen(context, builder, array, args[0]), cgutils.create_struct_proxy(kind)(context, builder)
        made.data, made.nitems = given.data, given.nitems
        return made._getvalue()

    return kind(array), code


@intrinsic
def nought(_: Any, span: Any) -> Any:
    """0, of the type of a span's numbers."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant_null(span.dtype)

    return span.dtype(span), code


@intrinsic
def hold(_: Any, arrays: Any) -> Any:
    """Nothing: but arrays that are used here have not been given back before."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_dummy_value()

    return types.none(arrays), code


@type_callable(operator.getitem)
def _type_getitem(_: Any) -> Any:
    def typer(span: Any, index: Any) -> Any:
        return span.dtype if isinstance(span, Span) and isinstance(index, types.Integer) else None

    return typer


@type_callable(operator.setitem)
def _type_setitem(_: Any) -> Any:
    def typer(span: Any, index: Any, value: Any) -> Any:
        return types.none if isinstance(span, Span) and isinstance(index, types.Integer) else None

    return typer


def _place(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """A pointer to args[0][args[1]]."""
    given = seen(context, builder, signature.args[0], args[0])
    index = context.cast(builder, args[1], signature.args[1], types.intp)
    check(context, builder, given.nitems, index, 1)
    return builder.gep(given.data, [index])


@lower_builtin(operator.getitem, Span, types.Integer)
def _getitem(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return context.unpack_value(builder, signature.return_type, _place(context, builder, signature, args))


@lower_builtin(operator.setitem, Span, types.Integer, types.Any)
def _setitem(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    element = signature.args[0].dtype
    value = context.cast(builder, args[2], signature.args[2], element)
    context.pack_value(builder, element, value, _place(context, builder, signature, args))
    return context.get_dummy_value()
