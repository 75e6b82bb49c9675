"""PyTorch tensors: the kernels' own bits, every derivative, and every way in which PyTorch reads code."""

from __future__ import annotations

import itertools
import multiprocessing
import re
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.gradcheck import GradcheckError
from torch.utils.data import DataLoader, Dataset
from torch_calls import CALLS, noise

import sizewise as sw
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, UnknownNameError, UnsupportedError

DTYPES = {
    torch.float64: np.float64,
    torch.float32: np.float32,
    torch.float16: np.float16,
    torch.bfloat16: ml_dtypes.bfloat16,
    torch.uint8: np.uint8,
    torch.int16: np.int16,
    torch.uint32: np.uint32,
    torch.bool: np.bool_,
}


def as_numpy(x: torch.Tensor) -> np.ndarray:
    if x.dtype is torch.bfloat16:
        return x.detach().contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return x.detach().contiguous().numpy()


def by_numpy(name: str, x: torch.Tensor) -> np.ndarray:
    """Return the result for NumPy arrays with the same arguments, along the default axes of tensors."""
    first = {"one axis": {}, "three axes": {}}.get(name, {"axes": (2, 3)})
    return CALLS[name](as_numpy(x), **first)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_the_same_bits_as_numpy(name: str, dtype: torch.dtype) -> None:
    if name == "gradient" and not dtype.is_floating_point:
        return
    x = noise(dtype=dtype)
    ours, expected = CALLS[name](x), by_numpy(name, x)
    assert ours.dtype is dtype and isinstance(ours, torch.Tensor)
    assert as_numpy(ours).tobytes() == expected.tobytes()
    for engine in ("kernel", "framework"):
        other = as_numpy(CALLS[name](x, engine=engine))
        assert other.dtype == expected.dtype and other.shape == expected.shape
        allowed = 4 * np.spacing(np.abs(expected).max()) if dtype.is_floating_point else 0
        assert np.abs(other.astype(np.float64) - expected.astype(np.float64)).max() <= allowed


@pytest.mark.parametrize("name", CALLS)
def test_every_derivative(name: str) -> None:
    x = noise().requires_grad_()
    call = CALLS[name]
    assert gradcheck(call, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(lambda x: call(x).sin() * call(x), x, check_fwd_over_rev=True)


def test_every_derivative_of_the_framework_engine() -> None:
    x = noise().requires_grad_()
    assert gradcheck(lambda x: sw.resize(x, (3, 7), engine="framework"), x, check_forward_ad=True)
    assert gradgradcheck(lambda x: sw.resize(x, (3, 7), engine="framework") ** 2, x)


def test_control_a_wrong_gradient_is_seen() -> None:
    x = noise().requires_grad_()
    wrong = lambda x: sw.resize(x, (3, 7)) + 0.01 * x.detach().sum()  # noqa: E731
    with pytest.raises(GradcheckError):
        gradcheck(wrong, x)


def test_the_gradient_is_resize_grad() -> None:
    x = noise(dtype=torch.float32).requires_grad_()
    dy = noise((2, 3, 3, 7), torch.float32)
    sw.resize(x, (3, 7)).backward(dy)
    assert (x.grad == sw.resize_grad(dy, (5, 4))).all()
    assert as_numpy(x.grad).tobytes() == sw.resize_grad(as_numpy(dy), (5, 4), axes=(2, 3)).tobytes()


def test_a_gradient_reaches_every_pixel() -> None:
    """tensorflow#12753, in PyTorch: interpolate without antialiasing reaches 64 of 256 pixels."""
    x = torch.ones(1, 1, 16, 16, requires_grad=True)
    sw.resize(x, (4, 4)).sum().backward()
    assert int((x.grad != 0).sum()) == 256
    y = torch.ones(1, 1, 16, 16, requires_grad=True)
    torch.nn.functional.interpolate(y, (4, 4), mode="bilinear").sum().backward()
    assert int((y.grad != 0).sum()) == 64


class TestFunc:
    """torch.func: derivatives as functions, and vmap."""

    def test_vmap_equals_stacking(self) -> None:
        x = noise((2, 3, 5, 4))
        for batch in range(3):
            expected = torch.stack([sw.resize(one, (3, 7)) for one in x.unbind(batch)])
            assert (torch.func.vmap(lambda one: sw.resize(one, (3, 7)), in_dims=batch)(x) == expected).all()
        nested = torch.func.vmap(torch.func.vmap(lambda one: sw.resize(one, (3, 7))))(x)
        assert (nested == sw.resize(x, (3, 7))).all()

    def test_grad_vjp_and_jvp(self) -> None:
        x, dy = noise(), noise((2, 3, 3, 7))
        call = lambda x: sw.resize(x, (3, 7))  # noqa: E731
        transposed = sw.resize_grad(dy, (5, 4))
        assert (torch.func.vjp(call, x)[1](dy)[0] == transposed).all()
        assert (torch.func.jvp(call, (x,), (x,))[1] == call(x)).all()
        assert torch.allclose(torch.func.grad(lambda x: (call(x) * dy).sum())(x), transposed)
        per_sample = torch.func.vmap(torch.func.grad(lambda x: (call(x) ** 2).sum()))(x)
        assert torch.allclose(per_sample, 2 * sw.resize_grad(call(x), (5, 4)))

    def test_hessian_and_jacobians(self) -> None:
        x = noise((3, 4))
        loss = lambda x: (sw.resize(x, (2, 2)) ** 2).sum()  # noqa: E731
        rows, columns = sw.make_plan((3, 4), (2, 2)).matrices()
        matrix = torch.from_numpy(np.kron(rows, columns))
        hessian = torch.func.hessian(loss)(x).reshape(12, 12)
        assert torch.allclose(hessian, 2 * matrix.T @ matrix)
        call = lambda x: sw.resize(x, (2, 2))  # noqa: E731
        for jacobian in (torch.func.jacrev(call)(x), torch.func.jacfwd(call)(x)):
            assert torch.allclose(jacobian.reshape(4, 12), matrix)


class TestDevices:
    """A tensor on another device, as far as that can be seen without one: its ops, and no kernel."""

    def test_other_devices_use_their_own_ops(self) -> None:
        with FakeTensorMode():
            x = torch.empty(2, 3, 5, 4, device="cuda", dtype=torch.float16)
            made = sw.resize(x, (3, 7))
            assert made.device.type == "cuda" and made.shape == (2, 3, 3, 7) and made.dtype is torch.float16

    def test_kernels_are_refused_there(self) -> None:
        with FakeTensorMode(), pytest.raises(UnsupportedError, match=r"this tensor is on cuda:0; leave engine out"):
            sw.resize(torch.empty(2, 3, 5, 4, device="cuda"), (3, 7), engine="kernel")


class TestMemory:
    """Nothing is copied, layouts stay, nothing is shared that must not be."""

    def test_channels_last_stays(self) -> None:
        for shape, kind in (((2, 3, 5, 4), torch.channels_last), ((2, 3, 6, 5, 4), torch.channels_last_3d)):
            x = noise(shape).to(memory_format=kind)
            x.requires_grad_()
            made = sw.resize(x, (3, 7))
            assert made.is_contiguous(memory_format=kind) and not made.is_contiguous()
            assert (made == sw.resize(x.detach().contiguous(), (3, 7))).all()
            made.sum().backward()
            assert x.grad is not None and x.grad.is_contiguous(memory_format=kind)

    @pytest.mark.parametrize(
        "view",
        [
            lambda x: x.transpose(2, 3), lambda x: x[:, :, ::2], lambda x: x[:, :1].expand(2, 3, 5, 4),
            lambda x: x.permute(3, 2, 1, 0), lambda x: x[:0], lambda x: torch._neg_view(x),
        ],
    )  # fmt: skip
    def test_any_strides(self, view) -> None:
        x = view(noise())
        assert (sw.resize(x, (3, 7)) == sw.resize(x.clone(memory_format=torch.contiguous_format), (3, 7))).all()

    @pytest.mark.parametrize("engine", ["kernel", "framework"])
    def test_a_result_of_the_same_size_is_another_tensor(self, engine: str) -> None:
        x = noise()
        same = sw.resize(x, (5, 4), engine=engine)
        assert (same == x).all() and same.data_ptr() != x.data_ptr()

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.uint8], ids=str)
    def test_out(self, dtype: torch.dtype) -> None:
        x = noise(dtype=dtype)
        layouts = {
            "contiguous": lambda x: x.clone(memory_format=torch.contiguous_format),
            "channels_last": lambda x: x.clone(memory_format=torch.channels_last),
            "transposed": lambda x: x.transpose(2, 3).contiguous().transpose(2, 3),
            "channels in front": lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
            "with gaps": lambda x: x.repeat_interleave(2, 2).repeat_interleave(2, 3)[:, :, ::2, ::2],
        }
        expected = sw.resize(x, (3, 7))
        for given, written in itertools.product(layouts.values(), layouts.values()):
            out = written(torch.zeros_like(expected))
            assert sw.resize(given(x), (3, 7), out=out) is out
            assert (out == expected).all()

    def test_out_that_a_backward_pass_needs(self) -> None:
        weight, out = torch.ones(3, 7, dtype=torch.float64, requires_grad=True), torch.zeros(3, 7, dtype=torch.float64)
        loss = (weight * out).sum()
        sw.resize(noise((5, 4)), (3, 7), out=out)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()

    def test_deterministic_algorithms(self) -> None:
        torch.use_deterministic_algorithms(True)
        try:
            x = noise().requires_grad_()
            sw.resize(x, (3, 7)).sum().backward()
            assert x.grad is not None
        finally:
            torch.use_deterministic_algorithms(False)


class Images(Dataset):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, number: int) -> torch.Tensor:
        return sw.resize(noise((3, 40, 30 + number), torch.float32), (16, 16))


class TestWorkers:
    """Threads and processes at once."""

    def test_eight_threads(self) -> None:
        x = noise((4, 3, 200, 300), torch.float32).requires_grad_()

        def step(number: int) -> torch.Tensor:
            y = sw.resize(x, (100 + number % 3, 90))
            return torch.autograd.grad((y**2).sum(), x)[0]

        expected = [step(number) for number in range(3)]
        with ThreadPoolExecutor(8) as pool:
            for number, one in enumerate(pool.map(step, range(48))):
                assert (one == expected[number % 3]).all()

    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_data_loader(self, method: str) -> None:
        expected = torch.stack([Images()[number] for number in range(8)])  # the parent has used its threads
        context = multiprocessing.get_context(method)
        loader = DataLoader(
            Images(), batch_size=2, num_workers=4 if method == "fork" else 2, multiprocessing_context=context
        )
        assert (torch.cat(list(loader)) == expected).all()


OUT = torch.empty(2, 3, 3, 7)


class TestRefusals:
    """Calls that must raise, and their messages."""

    @pytest.mark.parametrize(
        ("call", "error", "message"),
        [
            (lambda x: sw.resize(x, (3, 7), engine="gpu"), UnknownNameError, "'gpu'.* known: framework, kernel"),
            (lambda x: sw.resize(x.to(torch.complex64), (3, 7)), DtypeError, "complex64; use bool, an integer type"),
            (lambda x: sw.resize(x.to_sparse(), (3, 7)), ArgumentTypeError, r"x.to_dense\(\)"),
            (lambda x: sw.resize(x, (3, 7), out=np.empty((2, 3, 3, 7))), ArgumentTypeError, "out must be a CPU tensor"),
            (lambda x: sw.resize(x, (3, 7), out=OUT), ArgumentError, "out has shape .* float32"),
            (
                lambda x: sw.resize(x.to(memory_format=torch.channels_last), (3, 7), out=OUT[0]),
                ArgumentError,
                re.escape("out has shape (3, 3, 7) and dtype float32; the result has shape (2, 3, 3, 7) and dtype flo"),
            ),
            (lambda x: sw.resize(x, (3, 7), out=torch._neg_view(OUT)), ArgumentError, "out is a negative view"),
            (lambda x: sw.resize(x, torch.tensor([3.0, 7.0])), ArgumentError, "every entry must be an integer"),
            (lambda x: sw.resize(x, torch.ones(2, device="meta")), ArgumentError, "every entry must be an integer"),
            (lambda x: sw.resize(x, (3, 7), out=OUT, engine="framework"), ArgumentError, "leave it out"),
            (lambda x: sw.resize(x.requires_grad_(), (3, 7), out=OUT), ArgumentError, "requires grad; leave it out"),
            (lambda x: sw.resize(x, (3, 7), out=x[:, :, :3].requires_grad_()), ArgumentError, "out requires grad"),
            (lambda x: sw.resize_grad(x.to(torch.uint8), (7, 2)), DtypeError, "for floating dtypes only"),
            (
                lambda x: sw.resize(torch.nested.nested_tensor([*x[0]], layout=torch.jagged), (3, 7)),
                ArgumentTypeError,
                "a nested tensor; resize each",
            ),
            (lambda x: sw.resize([x, x], (3, 7)), ArgumentTypeError, "as torch.stack does"),
            (lambda x: sw.resize(x, (0, 7)), ArgumentError, "size: entry 0 is 0"),
        ],
    )
    def test_messages(self, call, error, message) -> None:
        with pytest.raises(error, match=message):
            call(noise())
