"""grads(f) as in TF.js, and the ops on autograd boxes."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from sizewise.compat import tfjs
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, MissingExtraError

IMAGE = np.array([1, 2, 3, 4], np.float32).reshape(1, 2, 2, 1)


def test_the_extra_is_named_when_autograd_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "autograd", None)  # what Python itself does for a module that must not load
    with pytest.raises(MissingExtraError, match=r"grads\(\) needs .*sizewise\[autograd\]"):
        tfjs.grads(lambda x: x)


class TestWithAutograd:
    """With the extra `autograd`, which every test environment has."""

    def test_the_seed_examples(self):
        [dx] = tfjs.grads(lambda img: tfjs.resize_bilinear(img, (4, 4)).sum())([IMAGE])
        assert dx.dtype == np.float32 and dx.ravel().tolist() == [2.25, 3.75, 3.75, 6.25]
        [dx] = tfjs.grads(lambda img: tfjs.resize_nearest_neighbor(img, (4, 4)).sum())([IMAGE])
        assert dx.dtype == np.float32 and dx.ravel().tolist() == [4, 4, 4, 4]

    @pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True)])
    def test_the_tape_and_the_gradient_ops_agree(self, flags):
        random = np.random.default_rng(2)
        x = random.standard_normal((2, 3, 5, 2)).astype(np.float32)
        dy = random.standard_normal((2, 4, 3, 2)).astype(np.float32)
        for forward, gradient in (
            (tfjs.resize_bilinear, tfjs.resize_bilinear_grad),
            (tfjs.resize_nearest_neighbor, tfjs.resize_nearest_neighbor_grad),
        ):
            [dx] = tfjs.grads(lambda img, forward=forward: forward(img, (4, 3), *flags))([x], dy)
            assert (dx == gradient(dy, x, *flags)).all()

    def test_without_dy_the_output_is_summed(self):
        [dx] = tfjs.grads(lambda img: tfjs.resize_bilinear(img, (4, 4)))([IMAGE])
        assert dx.ravel().tolist() == [2.25, 3.75, 3.75, 6.25]

    def test_several_arguments_rank_3_and_nested_lists(self):
        image = IMAGE[0].astype(int).tolist()
        weights = np.arange(16.0).reshape(4, 4, 1)
        slopes = tfjs.grads(lambda img, w: (tfjs.resize_nearest_neighbor(img, (4, 4)) * w).sum())([image, weights])
        assert slopes[0].dtype == np.float32 and slopes[0].ravel().tolist() == [10, 18, 42, 50]
        assert slopes[1].dtype == np.float64 and (slopes[1] == tfjs.resize_nearest_neighbor(IMAGE[0], (4, 4))).all()

    @pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32, np.uint8])
    def test_other_dtypes(self, dtype):
        [dx] = tfjs.grads(lambda img: tfjs.resize_bilinear(img, (4, 4)).sum())([IMAGE.astype(dtype)])
        assert dx.dtype == (dtype if np.dtype(dtype).kind == "f" else np.float32)
        assert dx.ravel().tolist() == [2.25, 3.75, 3.75, 6.25]

    def test_second_order(self):
        import autograd

        def squares(img):
            return (tfjs.resize_bilinear(img, (4, 4)) ** 2).sum()

        slope = autograd.grad(squares)
        column = autograd.grad(lambda img: slope(img)[0, 0, 0, 0])(IMAGE)
        unit = np.zeros_like(IMAGE)
        unit[0, 0, 0, 0] = 1
        expected = 2 * tfjs.resize_bilinear_grad(tfjs.resize_bilinear(unit, (4, 4)), IMAGE)
        assert (column == expected).all()

    def test_an_argument_without_effect_has_gradient_zero(self):
        used, unused = tfjs.grads(lambda a, b: tfjs.resize_bilinear(a, (1, 1)))([IMAGE, IMAGE])
        assert used.ravel().tolist() == [1, 0, 0, 0] and unused.ravel().tolist() == [0, 0, 0, 0]

    @pytest.mark.filterwarnings("ignore:Output seems independent of input")  # autograd's own word on a tuple
    def test_bad_arguments(self):
        f = tfjs.grads(lambda img: tfjs.resize_bilinear(img, (4, 4)))
        for args in (IMAGE, [], None, "image"):
            with pytest.raises(ArgumentError, match="takes a list of arrays"):
                f(args)
        with pytest.raises(ArgumentError, match=r"dy has shape \(1, 4, 4\).*\(1, 4, 4, 1\)"):
            f([IMAGE], np.ones((1, 4, 4)))
        with pytest.raises(DtypeError, match="dtype complex128"):
            f([IMAGE.astype(complex)])
        with pytest.raises(ArgumentTypeError, match="must return one floating array, not tuple"):
            tfjs.grads(lambda img: (img, img))([IMAGE])
        with pytest.raises(ArgumentTypeError, match="takes a function"):
            tfjs.grads(IMAGE)
        with pytest.raises(ArgumentError, match="size"):
            tfjs.grads(lambda img: tfjs.resize_bilinear(img, (0, 4)))([IMAGE])
