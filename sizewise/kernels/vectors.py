"""A small vector type for Numba: eight numbers, or four, one, or many, that are loaded, multiplied and stored at once.

Numba compiles loops well when they run along memory, and badly when they do not: it leaves out the compiler pass that
would join neighbouring scalars into vectors. So the kernels say themselves what goes into one vector. Everything here
becomes plain LLVM vector code, with no instruction of one processor named: the same source gives SSE, AVX or NEON.

A vector holds the numbers that sums are made of: float32, float64, or int32 and int16 for fixed point. Arrays may hold
others; `load` and `store` convert between the two, as said in `_numbers` and `_stored`. A single number is a vector of
one lane, so that the careful path and the fast one are made of the same words:

    zero(like), zero16, zero4, zero1 0 in each of eight (sixteen, four, one) lanes, of the type of the number `like`, or
                                     of an array of such
    zero_wide(like), lanes_of(v)     the same in as many lanes as fill a register, and how many a vector has
    load(array, i, like)             array[i], array[i + 1], ... for as many lanes as the vector `like`, of its type
    add_product(total, weight, v)    total + weight * v: rounded after the product and after the sum, never fused;
                                     of int16 it is the upper half of each product that is added
    add_pair(total, array, i, j, weights, w)         two vectors of uint8 more, times a pair of weights, int16
    add_eight(total, array, (i0 .. i7), weights, w)  two neighbours more in each lane, times a pair of weights each
    add_pixels3, add_pixels4(total, array, i, weights, w)    two neighbouring pixels more, of so many numbers
    add_four3, add_four4(total, array, i, weights, w)        four: two of them in lanes 0 .. 3, two in lanes 4 .. 7
    add_both3, add_both4(total, array, i, j, weights, w)     four from i in lanes 0 .. 3, four from j in lanes 4 .. 7
    add_named(total, array, i, table, t)     two bytes more in each of sixteen lanes, those of 64 that a table names
    folded(v, u)                     the halves of a vector of eight, added up, then those of another
    add_upper(total, weight, v, u)   total + the upper halves of weight * (v, u), twice four int32 that fit int16
    finish(total, add, shift)        (total + add) >> shift where these are integers; what is real stays as it is
    store(array, i, v)               array[i], array[i + 1], ... = v, converted to the array's type
    store_low, store_high, store_quarters    the same of the halves of a vector, or of two, each to its own place
    store_both(array, i, v, u)       two vectors, one after the other
    stream(array, i, v)              as store, but past the caches, to where a cache line begins or a vector after that
    to_next_line(array, i)           how many numbers it is from array[i] to where the next cache line begins, or 0
    settle_streams()                 all that was streamed is there for everyone to see
    prefetch(array, i)               asks for array[i] to be near when it is wanted; needs not lie in the array
    move1, move4, move8(array, i, out, o)    out[o], ... = array[i], ...: so many numbers of any one type, bit for bit
    move_line(array, i, out, o)      the same of as many numbers as fill a cache line
    stream_line(array, i, out, o)    and past the caches, to where one begins
    transpose_in(array, (i0 .. i7), like, out, o)    out[o + 8 k + r] = array[i_r + k]: lines become columns
    transpose_out(out, (o0 .. o7), k, (v0 .. v7))    out[o_r + k + c] = lane r of v_c: and back
    check_finite(check, (v0 .. v7))  check, and from then on NaN in every lane where one of the eight is not finite
    any_nan(v)                       an integer whose bit r says that lane r is NaN
    far_from_whole(v, limit)         the same of lanes farther than `limit` from a whole number

Nothing is checked: an index out of range is the caller's fault, and reads or writes what it should not. With
NUMBA_BOUNDSCHECK=1 in the environment everything is, here as in Numba's own indexing, and raises IndexError.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.registry import cpu_target
from numba.extending import intrinsic, register_model

from .packing import CACHE_LINE, HALF, LANES, SIXTEEN, WINDOW
from .spans import Span, bytes_of, check, seen

_I32 = ir.IntType(32)
_FLOAT = ir.FloatType()


class Vector(types.Type):
    """The Numba type of a vector of float32, float64, int32 or int16."""

    def __init__(self, element: types.Number, lanes: int = LANES) -> None:
        self.element = element
        self.lanes = lanes
        super().__init__(name=f"Vector({element}, {lanes})")


@register_model(Vector)
class VectorModel(PrimitiveModel):
    """How LLVM holds a Vector: as its own vector type."""

    def __init__(self, manager: Any, vector: Vector) -> None:
        super().__init__(manager, vector, _llvm(vector.element, vector.lanes))


def _llvm(element: types.Type, lanes: int = LANES) -> ir.VectorType:
    """The LLVM vector of an array's element as it lies in memory."""
    if isinstance(element, types.Float):
        return ir.VectorType(ir.DoubleType() if element == types.float64 else _FLOAT, lanes)
    return ir.VectorType(ir.IntType(8 * bytes_of(element)), lanes)


def _constant(vector: ir.VectorType, value: float) -> ir.Constant:
    return ir.Constant(vector, [value] * vector.count)


def _as(vector: Any, element: ir.Type) -> ir.VectorType:
    """The vector type of as many lanes, of another element."""
    return ir.VectorType(element, vector.type.count)


# Conversions ---------------------------------------------------------------------------------------------------------


def _converts_half(context: Any) -> bool:
    """Whether the processor that code is made for has instructions for float16; without, LLVM would call a library."""
    return "+f16c" in context.codegen().magic_tuple()[2]


def _numbers(context: Any, builder: Any, value: Any, element: types.Type, wanted: ir.VectorType) -> Any:
    """What an array holds, as the numbers of a sum: every conversion is exact, or rounded once, half to even."""
    if isinstance(element, types.Record):
        value = _from_half(context, builder, value) if HALF in element.fields else _from_bfloat(builder, value)
    elif isinstance(element, types.Integer):
        if isinstance(wanted.element, ir.IntType):
            if value.type == wanted:
                return value
            return builder.sext(value, wanted) if element.signed else builder.zext(value, wanted)
        return builder.sitofp(value, wanted) if element.signed else builder.uitofp(value, wanted)
    return value if value.type == wanted else builder.fpext(value, wanted)


def _stored(context: Any, builder: Any, value: Any, element: types.Type) -> Any:
    """The numbers of a sum as an array holds them: real ones rounded half to even, and clipped to what integers hold.

    Whole ones are clipped, too.
    """
    wanted = _llvm(element, value.type.count)
    if value.type == wanted:
        return value
    if isinstance(value.type.element, ir.IntType):
        return builder.sitofp(value, wanted) if isinstance(element, types.Float) else _narrow(builder, value, element)
    if isinstance(element, types.Record):
        return _to_half(context, builder, value) if HALF in element.fields else _to_bfloat(builder, value)
    if isinstance(element, types.Integer):
        return _rounded(builder, value, element, wanted)
    return builder.fptrunc(value, wanted)


def _narrow(builder: Any, value: Any, element: types.Integer) -> Any:
    """Integers clipped to those of fewer bits."""
    low, high = _constant(value.type, element.minval), _constant(value.type, element.maxval)
    value = builder.select(builder.icmp_signed("<", value, low), low, value)
    value = builder.select(builder.icmp_signed(">", value, high), high, value)
    return builder.trunc(value, _llvm(element, value.type.count))


def _magic(vector: ir.VectorType) -> ir.Constant:
    """1.5 * 2 ** 23 (or 52): adding it rounds half to even, in the addition itself; the integer is in the last bits."""
    return _constant(vector, 1.5 * 2.0 ** (52 if vector.element == ir.DoubleType() else 23))


def _rounded(builder: Any, value: Any, element: types.Integer, wanted: ir.VectorType) -> Any:
    """Integers of at most 16 bits from float32, of at most 32 from float64."""
    double = value.type.element == ir.DoubleType()
    low, high = _constant(value.type, float(element.minval)), _constant(value.type, float(element.maxval))
    value = builder.select(builder.fcmp_ordered("<", value, low), low, value)
    value = builder.select(builder.fcmp_ordered(">", value, high), high, value)
    value = builder.fadd(value, _magic(value.type))
    return builder.trunc(builder.bitcast(value, _as(value, ir.IntType(64 if double else 32))), wanted)


def _from_half(context: Any, builder: Any, value: Any) -> Any:
    """float16 bits as float32: moved into place, and multiplied by 2 ** 112, the difference of the exponents' zeros."""
    if _converts_half(context):
        return builder.fpext(builder.bitcast(value, _as(value, ir.HalfType())), _as(value, _FLOAT))
    whole = _as(value, _I32)
    value = builder.zext(value, whole)
    magnitude = builder.shl(builder.and_(value, _constant(whole, 0x7FFF)), _constant(whole, 13))
    scaled = builder.fmul(builder.bitcast(magnitude, _as(value, _FLOAT)), _constant(_as(value, _FLOAT), 2.0**112))
    special = builder.icmp_signed(">=", magnitude, _constant(whole, 0x7C00 << 13))  # infinite, or NaN
    endless = builder.or_(magnitude, _constant(whole, 0x7F800000))
    sign = builder.shl(builder.and_(value, _constant(whole, 0x8000)), _constant(whole, 16))
    bits = builder.or_(builder.select(special, endless, builder.bitcast(scaled, whole)), sign)
    return builder.bitcast(bits, _as(value, _FLOAT))


def _to_half(context: Any, builder: Any, value: Any) -> Any:
    """float32 as float16 bits, rounded half to even."""
    if _converts_half(context):
        return builder.bitcast(builder.fptrunc(value, _as(value, ir.HalfType())), _as(value, ir.IntType(16)))
    whole = _as(value, _I32)
    bits = builder.bitcast(value, whole)
    sign = builder.and_(bits, _constant(whole, 0x80000000))
    magnitude = builder.xor(bits, sign)
    # Ordinary numbers: the exponent moved, the 13 bits that go rounded into those that stay.
    odd = builder.and_(builder.lshr(magnitude, _constant(whole, 13)), _constant(whole, 1))
    rounded = builder.add(builder.add(magnitude, odd), _constant(whole, ((15 - 127) << 23) + 0xFFF))
    ordinary = builder.lshr(rounded, _constant(whole, 13))
    # Below the smallest ordinary one, 2 ** -14: the addition of 0.5 rounds and leaves the bits in their place.
    half = _constant(_as(value, _FLOAT), 0.5)
    added = builder.fadd(builder.bitcast(magnitude, _as(value, _FLOAT)), half)
    small = builder.sub(builder.bitcast(added, whole), builder.bitcast(half, whole))
    nan = builder.icmp_signed(">", magnitude, _constant(whole, 0x7F800000))
    endless = builder.select(nan, _constant(whole, 0x7E00), _constant(whole, 0x7C00))
    is_small = builder.icmp_signed("<", magnitude, _constant(whole, 113 << 23))
    is_large = builder.icmp_signed(">=", magnitude, _constant(whole, 143 << 23))
    result = builder.select(is_large, endless, builder.select(is_small, small, ordinary))
    return builder.trunc(builder.or_(result, builder.lshr(sign, _constant(whole, 16))), _as(value, ir.IntType(16)))


def _from_bfloat(builder: Any, value: Any) -> Any:
    """bfloat16 bits as float32, whose upper half they are."""
    whole = _as(value, _I32)
    return builder.bitcast(builder.shl(builder.zext(value, whole), _constant(whole, 16)), _as(value, _FLOAT))


def _to_bfloat(builder: Any, value: Any) -> Any:
    """float32 as bfloat16 bits, rounded half to even."""
    whole = _as(value, _I32)
    bits = builder.bitcast(value, whole)
    odd = builder.and_(builder.lshr(bits, _constant(whole, 16)), _constant(whole, 1))
    rounded = builder.add(builder.add(bits, odd), _constant(whole, 0x7FFF))
    nan = builder.fcmp_unordered("uno", value, value)
    upper = builder.lshr(builder.select(nan, _constant(whole, 0x7FC00000), rounded), _constant(whole, 16))
    return builder.trunc(upper, _as(value, ir.IntType(16)))


# Memory --------------------------------------------------------------------------------------------------------------


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, lanes: int) -> Any:
    """A pointer to array[index], as a pointer to a vector."""
    made = seen(context, builder, array_type, array)
    check(context, builder, made.nitems, index, lanes)
    pointer = builder.gep(made.data, [index])
    return builder.bitcast(pointer, _llvm(array_type.dtype, lanes).as_pointer())


def _load(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: ir.VectorType) -> Any:
    value = builder.load(_address(context, builder, array_type, array, index, vector.count))
    value.align = bytes_of(array_type.dtype)  # arrays are aligned to their elements, not to whole vectors
    return _numbers(context, builder, value, array_type.dtype, vector)


def _store(context: Any, builder: Any, array_type: Any, array: Any, index: Any, value: Any) -> None:
    value = _stored(context, builder, value, array_type.dtype)
    instruction = builder.store(value, _address(context, builder, array_type, array, index, value.type.count))
    instruction.align = bytes_of(array_type.dtype)


def _broadcast(builder: Any, scalar: Any, vector: ir.VectorType) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(_I32, 0))
    lanes = ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, lanes)


def _transposed(builder: Any, lines: list[Any]) -> list[Any]:
    """Eight vectors transposed in three rounds: pairs of lanes, pairs of pairs, halves.

    The patterns are those one x86 instruction does (unpack, shuffle, permute halves); others have as cheap a form.
    """

    def mix(a: Any, b: Any, lanes: list[int]) -> Any:
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, LANES), lanes))

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


# The words -----------------------------------------------------------------------------------------------------------


def _element(like: Any) -> Any:
    """The type of a number, or of those of an array."""
    return like.dtype if isinstance(like, (types.Array, Span)) else like


def _zero(like: Any, lanes: int) -> Any:
    element = _element(like)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_llvm(element, lanes), None)

    return Vector(element, lanes)(like), code


@intrinsic
def zero(_: Any, like: Any) -> Any:
    """0 in each of eight lanes, of the type of the number `like`, or of those of the array."""
    return _zero(like, LANES)


@intrinsic
def zero16(_: Any, like: Any) -> Any:
    """The same in sixteen lanes."""
    return _zero(like, SIXTEEN)


@intrinsic
def zero4(_: Any, like: Any) -> Any:
    """The same in four lanes."""
    return _zero(like, 4)


@intrinsic
def zero1(_: Any, like: Any) -> Any:
    """The same in one lane."""
    return _zero(like, 1)


@intrinsic
def zero_wide(_: Any, like: Any) -> Any:
    """The same in as many lanes as one of the widest registers holds, of the processor that code is made for."""
    features = cpu_target.target_context.codegen().magic_tuple()[2]
    return _zero(like, (CACHE_LINE if "+avx512f" in features else CACHE_LINE // 2) // bytes_of(_element(like)))


@intrinsic
def lanes_of(_: Any, vector: Any) -> Any:
    """How many lanes a vector has."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(64), vector.lanes)

    return types.int64(vector), code


@intrinsic
def load(_: Any, array: Any, index: Any, like: Any) -> Any:
    """array[index], array[index + 1], ... for as many lanes as the vector `like`, converted to its type."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(context, builder, signature.args[0], args[0], args[1], args[2].type)

    return like(array, types.int64, like), code


@intrinsic
def store(_: Any, array: Any, index: Any, vector: Any) -> Any:
    """array[index], array[index + 1], ... = vector, converted to the array's type."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store(context, builder, signature.args[0], args[0], args[1], args[2])
        return context.get_dummy_value()

    return types.none(array, types.int64, vector), code


def _pass_caches(builder: Any, instruction: Any, align: int) -> None:
    instruction.align = align
    instruction.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(_I32, 1)]))


@intrinsic
def stream(_: Any, array: Any, index: Any, vector: Any) -> Any:
    """As `store`, past the caches: for results that no cache would hold until they are read.

    The place must be a multiple of the bytes of a vector: see `to_next_line`.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = _stored(context, builder, args[2], array.dtype)
        instruction = builder.store(value, _address(context, builder, array, args[0], args[1], value.type.count))
        _pass_caches(builder, instruction, min(value.type.count * bytes_of(array.dtype), CACHE_LINE))
        return context.get_dummy_value()

    return types.none(array, types.int64, vector), code


@intrinsic
def to_next_line(_: Any, array: Any, index: Any) -> Any:
    """How many numbers it is from array[index] to the next place where a cache line begins; 0 where one does."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = seen(context, builder, array, args[0]).data
        place = builder.ptrtoint(builder.gep(data, [args[1]]), ir.IntType(64))
        n_bytes = builder.and_(builder.neg(place), place.type(CACHE_LINE - 1))
        return builder.udiv(n_bytes, place.type(bytes_of(array.dtype)))

    return types.int64(array, types.int64), code


@intrinsic
def settle_streams(_: Any) -> Any:
    """Waits until all that was streamed can be seen by every thread; other stores need no such thing."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.none(), code


@intrinsic
def prefetch(_: Any, array: Any, index: Any) -> Any:
    """Asks for array[index] to be brought near; touches nothing, wherever that may lie."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = seen(context, builder, array, args[0]).data
        pointer = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        wanted = ir.FunctionType(ir.VoidType(), [pointer.type, _I32, _I32, _I32])
        function = cgutils.get_or_insert_function(builder.module, wanted, "llvm.prefetch")
        builder.call(function, [pointer, *(ir.Constant(_I32, n) for n in (0, 2, 1))])  # to be read, near, as data
        return context.get_dummy_value()

    return types.none(array, types.int64), code


def _move(array: Any, out: Any, lanes: int, *, streams: bool = False) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_address(context, builder, array, args[0], args[1], lanes))
        value.align = bytes_of(array.dtype)
        instruction = builder.store(value, _address(context, builder, out, args[2], args[3], lanes))
        instruction.align = bytes_of(out.dtype)
        if streams:
            _pass_caches(builder, instruction, lanes * bytes_of(out.dtype))
        return context.get_dummy_value()

    return types.none(array, types.int64, out, types.int64), code


@intrinsic
def move1(_: Any, array: Any, index: Any, out: Any, where: Any) -> Any:
    """out[where] = array[index], both of one type, which may be one that Numba knows no numbers of."""
    return _move(array, out, 1)


@intrinsic
def move4(_: Any, array: Any, index: Any, out: Any, where: Any) -> Any:
    """out[where] .. out[where + 3] = array[index] .. array[index + 3], both of one type."""
    return _move(array, out, 4)


@intrinsic
def move8(_: Any, array: Any, index: Any, out: Any, where: Any) -> Any:
    """out[where] .. out[where + 7] = array[index] .. array[index + 7], both of one type."""
    return _move(array, out, LANES)


@intrinsic
def move_line(_: Any, array: Any, index: Any, out: Any, where: Any) -> Any:
    """out[where], ... = array[index], ..., both of one type: as many as fill a cache line."""
    return _move(array, out, CACHE_LINE // bytes_of(array.dtype))


@intrinsic
def stream_line(_: Any, array: Any, index: Any, out: Any, where: Any) -> Any:
    """As `move_line`, past the caches, to where a cache line begins."""
    return _move(array, out, CACHE_LINE // bytes_of(array.dtype), streams=True)


def _add_upper(builder: Any, total: Any, weights: Any, vector: Any) -> Any:
    """total + the upper halves of products of int16."""
    wide = _as(weights, _I32)
    product = builder.mul(builder.sext(weights, wide), builder.sext(vector, wide))
    return builder.add(total, builder.trunc(builder.ashr(product, _constant(wide, 16)), total.type))


@intrinsic
def add_product(_: Any, total: Any, weight: Any, vector: Any) -> Any:
    """total + weight * vector: two roundings in every lane, on every processor; of int16 products the upper half."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = _broadcast(builder, args[1], args[2].type)
        if total.element == types.int16:
            return _add_upper(builder, args[0], weights, args[2])
        if isinstance(total.element, types.Integer):
            return builder.add(args[0], builder.mul(weights, args[2]))
        return builder.fadd(args[0], builder.fmul(weights, args[2]))

    return total(total, total.element, vector), code


def _madd(builder: Any, total: Any, pairs: Any, weights: Any) -> Any:
    """total + the sums of neighbouring products: of uint8 or int16 (twice as many lanes as total) times int16.

    In this form LLVM knows the one instruction of x86 that does it.
    """
    lanes = total.type.count
    wide = ir.VectorType(_I32, 2 * lanes)
    extend = builder.zext if pairs.type.element == ir.IntType(8) else builder.sext
    products = builder.mul(extend(pairs, wide), builder.sext(weights, wide))

    def every_other(first: int) -> Any:
        return builder.shuffle_vector(
            products, products, ir.Constant(ir.VectorType(_I32, lanes), list(range(first, 2 * lanes, 2)))
        )

    return builder.add(total, builder.add(every_other(0), every_other(1)))


@intrinsic
def add_pair(_: Any, total: Any, array: Any, index: Any, other: Any, weights: Any, where: Any) -> Any:
    """total + weights[where] * (array[index], ...) + weights[where + 1] * (array[other], ...), of uint8 and int16."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = args[0].type.count
        a, b = (_bytes_at(context, builder, signature.args[1], args[1], i, lanes) for i in args[2:4])
        order = [lane // 2 + lanes * (lane % 2) for lane in range(2 * lanes)]
        pairs = builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, 2 * lanes), order))
        return _madd(builder, args[0], pairs, _pair(context, builder, signature, args, lanes))

    return total(total, array, types.int64, types.int64, weights, types.int64), code


def _pair(context: Any, builder: Any, signature: Any, args: Any, lanes: int = LANES) -> Any:
    """Two int16 of an array (its index is the last argument), again and again."""
    address = _address(context, builder, signature.args[-2], args[-2], args[-1], 2)
    both = builder.load(builder.bitcast(address, _I32.as_pointer()), align=2)
    spread = _broadcast(builder, both, ir.VectorType(_I32, lanes))
    return builder.bitcast(spread, ir.VectorType(ir.IntType(16), 2 * lanes))


def _bytes_at(context: Any, builder: Any, array_type: Any, array: Any, index: Any, count: int) -> Any:
    """So many uint8, as they are."""
    return builder.load(_address(context, builder, array_type, array, index, count), align=1)


def _pixel_pairs(builder: Any, numbers: Any, channels: int, *pixels: int) -> Any:
    """Of each pixel whose place is named, and of the one after it, the four channels by turns.

    Pixels of three have a fourth, unused. As int16, made by putting a zero behind each number: x86 does both with one
    shuffle.
    """
    nothing, most = ir.Constant(numbers.type, None), numbers.type.count - 1
    order = [
        place
        for pixel in pixels
        for channel in range(4)
        for tap in (0, 1)
        for place in (min(pixel + channels * tap + channel, most), most + 1)
    ]
    spread = builder.shuffle_vector(numbers, nothing, ir.Constant(ir.VectorType(_I32, len(order)), order))
    return builder.bitcast(spread, ir.VectorType(ir.IntType(16), len(order) // 2))


def _add_pixels(total: Any, array: Any, weights: Any, channels: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        eight = _bytes_at(context, builder, signature.args[1], args[1], args[2], LANES)
        pairs = _pixel_pairs(builder, eight, channels, 0)
        return _madd(builder, args[0], pairs, _pair(context, builder, signature, args, 4))

    return total(total, array, types.int64, weights, types.int64), code


@intrinsic
def add_pixels3(_: Any, total: Any, array: Any, index: Any, weights: Any, where: Any) -> Any:
    """total + weights[where] * the pixel at index + weights[where + 1] * the next one, both of three numbers.

    The fourth lane is of no use. Reads eight numbers.
    """
    return _add_pixels(total, array, weights, 3)


@intrinsic
def add_pixels4(_: Any, total: Any, array: Any, index: Any, weights: Any, where: Any) -> Any:
    """The same of pixels of four numbers."""
    return _add_pixels(total, array, weights, 4)


def _one_after_the_other(builder: Any, vector: Any, other: Any) -> Any:
    """All lanes of two vectors in one."""
    n_lanes = 2 * vector.type.count
    return builder.shuffle_vector(vector, other, ir.Constant(ir.VectorType(_I32, n_lanes), list(range(n_lanes))))


def _add_four(total: Any, array: Any, weights: Any, channels: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sixteen = _bytes_at(context, builder, signature.args[1], args[1], args[2], 2 * LANES)
        pairs = _pixel_pairs(builder, sixteen, channels, 0, 2 * channels)
        table = builder.load(_address(context, builder, signature.args[3], args[3], args[4], 2 * LANES), align=2)
        return _madd(builder, args[0], pairs, table)

    return total(total, array, types.int64, weights, types.int64), code


@intrinsic
def add_four3(_: Any, total: Any, array: Any, index: Any, weights: Any, where: Any) -> Any:
    """Four neighbouring pixels of three numbers more, the first at index: two in lanes 0 .. 3, two in lanes 4 .. 7.

    The weights are sixteen, as the lanes want them: four times those of the first two, four times those of the others.
    Lanes 3 and 7 are of no use. Reads sixteen numbers.
    """
    return _add_four(total, array, weights, 3)


@intrinsic
def add_four4(_: Any, total: Any, array: Any, index: Any, weights: Any, where: Any) -> Any:
    """The same of pixels of four numbers."""
    return _add_four(total, array, weights, 4)


def _add_both(total: Any, array: Any, weights: Any, channels: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums, x, i, j, table, w = args
        rows = [_bytes_at(context, builder, signature.args[1], x, place, 2 * LANES) for place in (i, j)]
        pixels = _one_after_the_other(builder, *rows)
        for two in (0, 2):  # the first of two neighbours
            pairs = _pixel_pairs(builder, pixels, channels, two * channels, 2 * LANES + two * channels)
            where = builder.add(w, w.type(4 * two))
            four = builder.load(_address(context, builder, signature.args[4], table, where, LANES), align=2)
            sums = _madd(builder, sums, pairs, _one_after_the_other(builder, four, four))
        return sums

    return total(total, array, types.int64, types.int64, weights, types.int64), code


@intrinsic
def add_both3(_: Any, total: Any, array: Any, index: Any, other: Any, weights: Any, where: Any) -> Any:
    """Four neighbouring pixels of three numbers more: the first at `index` in lanes 0 .. 3, at `other` in lanes 4 .. 7.

    The weights are those of `add_four3`, the same for both. Lanes 3 and 7 are of no use. Reads sixteen numbers at both
    places.
    """
    return _add_both(total, array, weights, 3)


@intrinsic
def add_both4(_: Any, total: Any, array: Any, index: Any, other: Any, weights: Any, where: Any) -> Any:
    """The same of pixels of four numbers."""
    return _add_both(total, array, weights, 4)


def permutes_bytes() -> bool:
    """Whether the processor that code is made for has an instruction for `add_named`; without, it would take long."""
    features = cpu_target.target_context.codegen().magic_tuple()[2]
    return "+avx512vbmi" in features.split(",")  # not +avx512vbmi2, which is another


def _picked(builder: Any, numbers: Any, names: Any) -> Any:
    """numbers[names[k]] for each lane k. Said lane by lane, where LLVM sees one instruction, if there is such."""
    picked = ir.Constant(names.type, ir.Undefined)
    for k in range(names.type.count):
        lane = ir.Constant(_I32, k)
        name = builder.zext(builder.extract_element(names, lane), ir.IntType(64))
        picked = builder.insert_element(picked, builder.extract_element(numbers, name), lane)
    return picked


@intrinsic
def add_named(_: Any, total: Any, array: Any, index: Any, table: Any, where: Any) -> Any:
    """total + two of the 64 uint8 that begin at array[index], each times its weight, in each of sixteen lanes.

    Which two says table[where], ...: sixteen times two names of a byte each, then sixteen times two weights.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        n_named = 2 * SIXTEEN
        numbers = _bytes_at(context, builder, array, args[1], args[2], WINDOW)
        address = _address(context, builder, table, args[3], args[4], SIXTEEN)
        as_bytes = ir.VectorType(ir.IntType(8), n_named).as_pointer()
        names = builder.load(builder.bitcast(address, as_bytes), align=2)
        behind = builder.add(args[4], args[4].type(SIXTEEN))
        weights = builder.load(_address(context, builder, table, args[3], behind, n_named), align=2)
        return _madd(builder, args[0], _picked(builder, numbers, names), weights)

    return total(total, array, types.int64, table, types.int64), code


def _halves(builder: Any, vector: Any, other: Any, first: int) -> Any:
    """Four lanes of each of two vectors, from `first` on, one after the other."""
    order = [first + lane + offset for offset in (0, vector.type.count) for lane in range(4)]
    return builder.shuffle_vector(vector, other, ir.Constant(ir.VectorType(_I32, LANES), order))


@intrinsic
def folded(_: Any, vector: Any, other: Any) -> Any:
    """Four lanes of each of two vectors of eight, one after the other: the sums of its lower and upper half."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector, other = args
        return builder.add(_halves(builder, vector, other, 0), _halves(builder, vector, other, 4))

    return vector(vector, other), code


@intrinsic
def add_upper(_: Any, total: Any, weight: Any, vector: Any, other: Any) -> Any:
    """total + the upper halves of weight * the lanes of `vector` and of `other`, which fit int16."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        both = _narrow(builder, _one_after_the_other(builder, args[2], args[3]), types.int16)
        return _add_upper(builder, args[0], _broadcast(builder, args[1], both.type), both)

    return total(total, types.int16, vector, other), code


@intrinsic
def add_eight(_: Any, total: Any, array: Any, starts: Any, weights: Any, where: Any) -> Any:
    """total + weights[where + 2 r] * array[starts[r]] + weights[where + 2 r + 1] * array[starts[r] + 1] in lane r."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        halves = ir.Constant(ir.VectorType(ir.IntType(16), LANES), ir.Undefined)
        for r in range(LANES):
            address = _address(context, builder, signature.args[1], args[1], builder.extract_value(args[2], r), 2)
            two = builder.load(builder.bitcast(address, ir.IntType(16).as_pointer()), align=1)
            halves = builder.insert_element(halves, two, ir.Constant(_I32, r))
        pairs = builder.bitcast(halves, ir.VectorType(ir.IntType(8), 2 * LANES))
        table = builder.load(_address(context, builder, signature.args[3], args[3], args[4], 2 * LANES), align=2)
        return _madd(builder, args[0], pairs, table)

    return total(total, array, types.UniTuple(types.int64, LANES), weights, types.int64), code


def _store_half(context: Any, builder: Any, signature: Any, args: Any, first: int) -> None:
    half = builder.shuffle_vector(args[2], args[2], ir.Constant(ir.VectorType(_I32, 4), [first + k for k in range(4)]))
    _store(context, builder, signature.args[0], args[0], args[1], half)


@intrinsic
def store_low(_: Any, array: Any, index: Any, vector: Any) -> Any:
    """array[index] .. array[index + 3] = lanes 0 .. 3 of eight."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store_half(context, builder, signature, args, 0)
        return context.get_dummy_value()

    return types.none(array, types.int64, vector), code


@intrinsic
def store_high(_: Any, array: Any, index: Any, vector: Any) -> Any:
    """array[index] .. array[index + 3] = lanes 4 .. 7 of eight."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store_half(context, builder, signature, args, 4)
        return context.get_dummy_value()

    return types.none(array, types.int64, vector), code


@intrinsic
def store_both(_: Any, array: Any, index: Any, vector: Any, other: Any) -> Any:
    """array[index], ... = one vector of eight, then another."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store(context, builder, array, args[0], args[1], _one_after_the_other(builder, args[2], args[3]))
        return context.get_dummy_value()

    return types.none(array, types.int64, vector, other), code


@intrinsic
def store_quarters(_: Any, array: Any, places: Any, vector: Any, other: Any) -> Any:
    """array[places[r]] .. array[places[r] + 3] = four lanes each: the halves of a vector of eight, then of another."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sixteen = _stored(context, builder, _one_after_the_other(builder, args[2], args[3]), array.dtype)
        quarter = ir.IntType(32 * bytes_of(array.dtype))
        quarters = builder.bitcast(sixteen, ir.VectorType(quarter, 4))
        for r in range(4):
            address = _address(context, builder, array, args[0], builder.extract_value(args[1], r), 4)
            address = builder.bitcast(address, quarter.as_pointer())
            builder.store(builder.extract_element(quarters, ir.Constant(_I32, r)), address, align=bytes_of(array.dtype))
        return context.get_dummy_value()

    return types.none(array, types.UniTuple(types.int64, 4), vector, other), code


@intrinsic
def finish(_: Any, total: Any, add: Any, shift: Any) -> Any:
    """(total + add) >> shift where these are integers; what is real stays as it is."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = args[0]
        if not isinstance(total.element, types.Integer):
            return value
        addend, places = (_broadcast(builder, builder.trunc(n, value.type.element), value.type) for n in args[1:])
        return builder.ashr(builder.add(value, addend), places)

    return total(total, types.int64, types.int64), code


@intrinsic
def check_finite(_: Any, check: Any, vectors: Any) -> Any:
    """check + 0 * (the sum of eight vectors): from then on NaN in every lane where one of them is not finite."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(check.element, types.Integer):
            return args[0]
        values = [builder.extract_value(args[1], k) for k in range(LANES)]
        while len(values) > 1:
            values = [builder.fadd(a, b) for a, b in zip(values[::2], values[1::2], strict=True)]
        return builder.fadd(args[0], builder.fmul(values[0], _constant(args[0].type, 0.0)))

    return check(check, vectors), code


@intrinsic
def any_nan(_: Any, vector: Any) -> Any:
    """An integer whose bit r says that lane r of the vector is NaN."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(vector.element, types.Integer):
            return ir.Constant(ir.IntType(64), 0)
        mask = builder.fcmp_unordered("uno", args[0], args[0])
        return builder.zext(builder.bitcast(mask, ir.IntType(args[0].type.count)), ir.IntType(64))

    return types.int64(vector), code


@intrinsic
def far_from_whole(_: Any, vector: Any, limit: Any) -> Any:
    """An integer whose bit r says that lane r is farther than `limit` from a whole number; for sums below 2 ** 22."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = args[0]
        whole = builder.fsub(builder.fadd(value, _magic(value.type)), _magic(value.type))
        off = builder.fsub(value, whole)
        most = _broadcast(builder, args[1], value.type)
        below = builder.fcmp_ordered("<", off, builder.fneg(most))
        mask = builder.or_(builder.fcmp_ordered(">", off, most), below)
        return builder.zext(builder.bitcast(mask, ir.IntType(value.type.count)), ir.IntType(64))

    return types.int64(vector, vector.element), code


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
def transpose_out(_: Any, out: Any, lines: Any, where: Any, vectors: Any) -> Any:
    """out[lines[r] + where + k] = lane r of vectors[k] for eight k and r; `lines` is a tuple of eight indices."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [builder.extract_value(args[3], k) for k in range(LANES)]
        for r, line in enumerate(_transposed(builder, values)):
            index = builder.add(builder.extract_value(args[1], r), args[2])
            _store(context, builder, signature.args[0], args[0], index, line)
        return context.get_dummy_value()

    return types.none(out, types.UniTuple(types.int64, LANES), types.int64, vectors), code
