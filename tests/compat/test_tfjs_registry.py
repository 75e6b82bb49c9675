"""The kernel registry in TF.js's own terms."""

from __future__ import annotations

import numpy as np
import pytest

from sizewise.compat import tfjs
from sizewise.errors import ArgumentError, ArgumentTypeError, SizewiseWarning, UnknownNameError

IMAGES = np.array([1, 2, 3, 4], np.float32).reshape(1, 2, 2, 1)
DY = np.ones((1, 3, 3, 1), np.float32)
FORWARD = {"ResizeBilinear": tfjs.resize_bilinear, "ResizeNearestNeighbor": tfjs.resize_nearest_neighbor}
GRADIENT = {
    "ResizeBilinearGrad": tfjs.resize_bilinear_grad,
    "ResizeNearestNeighborGrad": tfjs.resize_nearest_neighbor_grad,
}


@pytest.fixture
def mine():
    """A kernel of a separate backend, unregistered after the test."""
    config = tfjs.KernelConfig("Double", "mine", lambda inputs, attrs: 2 * inputs["x"])
    tfjs.register_kernel(config)
    yield config
    tfjs.unregister_kernel("Double", "mine")


def test_the_four_kernels_are_registered_for_cpu():
    kernels = tfjs.kernels_for_backend("cpu")
    assert {kernel.kernel_name for kernel in kernels} == {*FORWARD, *GRADIENT}
    assert all(tfjs.get_kernel(kernel.kernel_name, "cpu") is kernel for kernel in kernels)


@pytest.mark.parametrize("corners, half", [(False, False), (True, False), (False, True)])
def test_kernels_take_the_words_of_tfjs(corners, half):
    attrs = {"alignCorners": corners, "halfPixelCenters": half, "size": [3, 3]}
    for name, op in FORWARD.items():
        result = tfjs.get_kernel(name).kernel_func(inputs={"images": IMAGES}, attrs=attrs)
        assert (result == op(IMAGES, (3, 3), corners, half)).all()
    for name, op in GRADIENT.items():
        result = tfjs.get_kernel(name).kernel_func(inputs={"dy": DY, "images": IMAGES}, attrs=attrs)
        assert (result == op(DY, IMAGES, corners, half)).all()


def test_a_gradient_needs_no_size_but_refuses_another_one():
    for name, op in GRADIENT.items():
        kernel_func = tfjs.get_kernel(name).kernel_func
        inputs = {"dy": DY, "images": IMAGES}
        assert (kernel_func(inputs=inputs) == op(DY, IMAGES)).all()
        for size in ((3, 4), 3, "33", None, (3, 3, 1)):
            with pytest.raises(ArgumentError, match=r"size is .*\(3, 3\)"):
                kernel_func(inputs=inputs, attrs={"size": size})


@pytest.mark.parametrize("name", FORWARD)
def test_a_forward_kernel_needs_a_size(name):
    with pytest.raises(ArgumentError, match=f"kernel {name} needs the attribute size"):
        tfjs.get_kernel(name).kernel_func(inputs={"images": IMAGES}, attrs={})


@pytest.mark.parametrize("name", GRADIENT)
def test_a_gradient_kernel_needs_both_inputs(name):
    with pytest.raises(ArgumentError, match="missing: dy"):
        tfjs.get_kernel(name).kernel_func(inputs={"images": IMAGES})


def test_words_that_tfjs_does_not_know():
    kernel_func = tfjs.get_kernel("ResizeBilinear").kernel_func
    with pytest.raises(UnknownNameError, match="'image'; did you mean 'images'"):
        kernel_func(inputs={"image": IMAGES}, attrs={"size": (3, 3)})
    with pytest.raises(UnknownNameError, match="'align_corners'; did you mean 'alignCorners'"):
        kernel_func(inputs={"images": IMAGES}, attrs={"size": (3, 3), "align_corners": True})
    with pytest.raises(ArgumentTypeError, match="inputs as a dict, not ndarray"):
        kernel_func(inputs=IMAGES, attrs={"size": (3, 3)})


def test_unknown_kernels_and_backends_name_the_nearest():
    for call in (tfjs.get_kernel, tfjs.unregister_kernel):
        with pytest.raises(UnknownNameError, match="did you mean 'ResizeNearestNeighbor'"):
            call("ResizeNearestNeigbour")
        with pytest.raises(UnknownNameError, match="unknown backend: 'cpus'; did you mean 'cpu'"):
            call("ResizeBilinear", "cpus")
    with pytest.raises(UnknownNameError, match="unknown backend: 'webgl'"):
        tfjs.kernels_for_backend("webgl")


def test_a_kernel_of_ones_own(mine):
    assert tfjs.kernels_for_backend("mine") == [mine]
    assert tfjs.get_kernel("Double", "mine").kernel_func(inputs={"x": 21}, attrs={}) == 42
    assert mine not in tfjs.kernels_for_backend("cpu")


def test_registering_twice_warns_and_replaces(mine):
    other = tfjs.KernelConfig("Double", "mine", lambda inputs, attrs: 0)
    with pytest.warns(SizewiseWarning, match="'Double' for backend 'mine' is already registered"):
        tfjs.register_kernel(other)
    assert tfjs.get_kernel("Double", "mine") is other


def test_an_unregistered_kernel_is_gone():
    config = tfjs.get_kernel("ResizeBilinear")
    tfjs.unregister_kernel("ResizeBilinear")
    try:
        with pytest.raises(UnknownNameError):
            tfjs.get_kernel("ResizeBilinear")
    finally:
        tfjs.register_kernel(config)


@pytest.mark.parametrize("bad", ["ResizeBilinear", None])
def test_only_kernel_configs_are_registered(bad):
    with pytest.raises(ArgumentTypeError, match="KernelConfig"):
        tfjs.register_kernel(bad)


def test_a_config_has_a_function():
    with pytest.raises(ArgumentTypeError, match="callable kernel_func"):
        tfjs.KernelConfig("Nothing", "cpu", None)
