"""sizewise.compat.tfjs on its own: ops, adjoints, dtypes, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tfjs_cases import FLAGS, FORWARD, GRADIENT, OPS

from sizewise.compat import tfjs
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, SizewiseError, UnsupportedError

SEED = np.array([1, 2, 3, 4], np.float32).reshape(1, 2, 2, 1)
ONES = np.ones((1, 4, 4, 1), np.float32)


def test_the_seed_examples():
    assert tfjs.resize_bilinear_grad(ONES, SEED).ravel().tolist() == [2.25, 3.75, 3.75, 6.25]
    assert tfjs.resize_nearest_neighbor_grad(ONES, SEED).ravel().tolist() == [4, 4, 4, 4]


@pytest.mark.parametrize("method", OPS)
@pytest.mark.parametrize("flags", FLAGS)
def test_the_gradient_is_the_adjoint_for_every_flag_and_shape(method, flags):
    random = np.random.default_rng(5)
    for sizes in itertools.product((1, 2, 5), (1, 3, 4), (1, 4, 7), (1, 3, 6)):
        height, width, *size = sizes
        x = random.standard_normal((3, height, width, 2)).astype(np.float32)
        y = random.standard_normal((3, *size, 2)).astype(np.float32)
        forward, gradient = FORWARD[method](x, size, *flags), GRADIENT[method](y, x, *flags)
        left, right = np.vdot(forward.astype(float), y), np.vdot(x.astype(float), gradient)
        scale = np.abs(forward * y).sum() + np.abs(x * gradient).sum()
        assert abs(left - right) <= 1e-6 * scale, (sizes, left, right)


@pytest.mark.parametrize(
    "dtype", [bool, np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64, ">f4", ">i2"]
)
def test_dtypes_are_those_of_tfjs(dtype):
    x = (SEED > 2).astype(dtype)
    native = np.dtype(dtype).newbyteorder("=")
    assert tfjs.resize_bilinear(x, (3, 3)).dtype == np.float32
    assert tfjs.resize_bilinear_grad(ONES.astype(dtype), x).dtype == np.float32
    assert tfjs.resize_nearest_neighbor(x, (3, 3)).dtype == native
    assert tfjs.resize_nearest_neighbor_grad(ONES, x).dtype == native


def test_bilinear_reads_float64_as_float32():
    x = SEED.astype(np.float64) + 1e-12
    assert (tfjs.resize_bilinear(x, (5, 3)) == tfjs.resize_bilinear(SEED, (5, 3))).all()


def test_nested_lists_are_float32_and_lists_of_booleans_bool():
    images = SEED.astype(int).tolist()
    for method in OPS:
        result = FORWARD[method](images, (3, 5))
        assert result.dtype == np.float32 and (result == FORWARD[method](SEED, (3, 5))).all()
        slope = GRADIENT[method](ONES.tolist(), images)
        assert slope.dtype == np.float32 and (slope == GRADIENT[method](ONES, SEED)).all()
    assert tfjs.resize_nearest_neighbor([[[True]]], (1, 2)).dtype == bool


def test_an_integer_nearest_gradient_is_rounded_to_even_and_clipped():
    dy = np.array([0.5, 1.5, 2.5, -0.75, 300.0, -300.0], np.float32).reshape(1, 1, 6, 1)

    def slope(dtype: type, width: int = 6) -> list:
        return tfjs.resize_nearest_neighbor_grad(dy, np.zeros((1, 1, width, 1), dtype)).ravel().tolist()

    assert slope(np.int32) == [0, 2, 2, -1, 300, -300]
    assert slope(np.uint8) == [0, 2, 2, 0, 255, 0]
    assert slope(bool) == [False, True, True, False, True, False]
    assert slope(np.int32, 3) == [2, 2, 0]  # rounded once, after the sum
    assert slope(np.float64, 3) == [2.0, 1.75, 0.0]
    big = np.full((1, 1, 1, 1), 2.0**63)
    assert tfjs.resize_nearest_neighbor_grad(big, np.zeros((1, 1, 1, 1), np.int64)).item() == 2**63 - 1


def test_integer_sums_are_exact():
    dy = np.array([2**24, 1, 1, 1], np.int64).reshape(1, 1, 4, 1)
    gradient = tfjs.resize_nearest_neighbor_grad(dy, np.zeros((1, 1, 1, 1), np.int32))
    assert gradient.item() == 2**24 + 3  # float32 sums would give 2**24


def test_rank_3_gives_rank_3():
    for method in OPS:
        flat, batched = FORWARD[method](SEED[0], (3, 5)), FORWARD[method](SEED, (3, 5))
        assert flat.shape == (3, 5, 1) and (flat == batched[0]).all()


@pytest.mark.parametrize("shape", [(0, 2, 3, 4), (2, 2, 3, 0)])
def test_an_empty_batch_or_channel_axis_gives_an_empty_result(shape):
    x = np.zeros(shape, np.float32)
    dy = np.zeros((shape[0], 5, 4, shape[3]), np.float32)
    for method in OPS:
        assert FORWARD[method](x, (5, 4)).shape == dy.shape
        assert GRADIENT[method](dy, x).shape == shape


def test_inputs_stay_as_they_are_and_may_be_read_only_views():
    x = np.arange(2 * 6 * 8 * 3, dtype=np.float32).reshape(2, 6, 8, 3)
    view = x[::-1, ::2, ::-2]
    view.flags.writeable = False
    before = x.copy()
    for method in OPS:
        result = FORWARD[method](view, (3, 4))
        assert (result == view).all() and not np.shares_memory(result, x)
    assert (x == before).all()


BAD_SIZES = {
    "zero": (0, 4),
    "negative": (4, -1),
    "fraction": (4, 2.5),
    "float": (4.0, 4),
    "nan": (float("nan"), 4),
    "one number": 4,
    "nan alone": float("nan"),
    "string": "44",
    "string entry": ("4", 4),
    "bool entry": (True, 4),
    "none": None,
    "short": (4,),
    "long": (4, 4, 1),
    "empty": (),
    "beyond any axis": (2**40, 4),
    "beyond memory": (2**31 - 1, 2**31 - 1),
}


@pytest.mark.parametrize("method", OPS)
@pytest.mark.parametrize("name", BAD_SIZES)
def test_bad_sizes(method, name):
    with pytest.raises(ArgumentError, match=r"size|bytes"):
        FORWARD[method](SEED, BAD_SIZES[name])


def test_a_result_beyond_memory_says_how_many_bytes():
    with pytest.raises(ArgumentError, match=r"would take \d[\d,]+ bytes; this machine has"):
        tfjs.resize_bilinear(SEED, (2**20, 2**20))


@pytest.mark.parametrize("method", OPS)
@pytest.mark.parametrize("shape", [(), (4,), (2, 2), (1, 1, 2, 2, 1)])
def test_wrong_ranks(method, shape):
    wrong = np.zeros(shape, np.float32)
    with pytest.raises(ArgumentError, match=rf"images has rank {len(shape)} .*rank 3 or 4"):
        FORWARD[method](wrong, (4, 4))
    with pytest.raises(ArgumentError, match=rf"images has rank {len(shape)} .*rank 4"):
        GRADIENT[method](ONES, wrong)
    with pytest.raises(ArgumentError, match=rf"dy has rank {len(shape)}"):
        GRADIENT[method](wrong, SEED)


@pytest.mark.parametrize("method", OPS)
def test_gradients_take_rank_4_only(method):
    with pytest.raises(ArgumentError, match="images has rank 3"):
        GRADIENT[method](ONES, SEED[0])


@pytest.mark.parametrize("method", OPS)
def test_batch_and_channels_of_dy_must_be_those_of_images(method):
    with pytest.raises(ArgumentError, match=r"batch must be the same, not 2 and 1"):
        GRADIENT[method](np.ones((2, 4, 4, 1), np.float32), SEED)
    with pytest.raises(ArgumentError, match=r"channels must be the same, not 3 and 1"):
        GRADIENT[method](np.ones((1, 4, 4, 3), np.float32), SEED)


@pytest.mark.parametrize("method", OPS)
@pytest.mark.parametrize(
    "bad",
    [SEED.astype(complex), SEED.astype(str), SEED.astype(object), SEED.astype("m8[s]"), SEED.astype(np.longdouble)],
    ids=["complex", "str", "object", "timedelta", "longdouble"],
)
def test_wrong_dtypes(method, bad):
    for call in (
        lambda: FORWARD[method](bad, (4, 4)),
        lambda: GRADIENT[method](bad, SEED),
        lambda: GRADIENT[method](ONES, bad),
    ):
        with pytest.raises(DtypeError, match="dtype"):
            call()


@pytest.mark.parametrize("method", OPS)
@pytest.mark.parametrize("bad", [None, "image", {"a": 1}, [[["a"]]], [[[1j]]], [[[None]]], object()])
def test_what_is_not_an_array(method, bad):
    with pytest.raises(ArgumentTypeError):
        FORWARD[method](bad, (4, 4))


@pytest.mark.parametrize("method", OPS)
def test_ragged_lists(method):
    with pytest.raises(ArgumentError, match=r"nested lists must .* of equal lengths"):
        FORWARD[method]([[[1], [2]], [[3]]], (4, 4))


@pytest.mark.parametrize("method", OPS)
def test_both_flags(method):
    for call in (lambda: FORWARD[method](SEED, (4, 4), True, True), lambda: GRADIENT[method](ONES, SEED, True, True)):
        with pytest.raises(UnsupportedError, match="cannot both be True"):
            call()


@pytest.mark.parametrize("method", OPS)
@pytest.mark.parametrize("flag", [1, 0, "yes", None, 1.0])
def test_flags_that_are_not_bool(method, flag):
    for call in (
        lambda: FORWARD[method](SEED, (4, 4), flag),
        lambda: FORWARD[method](SEED, (4, 4), False, flag),
        lambda: GRADIENT[method](ONES, SEED, flag),
        lambda: GRADIENT[method](ONES, SEED, False, flag),
    ):
        with pytest.raises(ArgumentError, match="must be one of False, True"):
            call()


@pytest.mark.parametrize("method", OPS)
@pytest.mark.parametrize("shape", [(1, 0, 2, 1), (1, 2, 0, 1)])
def test_empty_heights_and_widths(method, shape):
    empty = np.zeros(shape, np.float32)
    for call in (
        lambda: FORWARD[method](empty, (4, 4)),
        lambda: GRADIENT[method](empty, SEED),
        lambda: GRADIENT[method](ONES, empty),
    ):
        with pytest.raises(SizewiseError):
            call()
