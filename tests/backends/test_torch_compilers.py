"""PyTorch's compilers: torch.compile, torch.export, jit.trace, fake tensors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from samples import sample
from subprocesses import run_in_subprocess
from torch._subclasses.fake_tensor import FakeTensorMode
from torch_calls import CALLS, PLAN, noise

import sizewise as sw
from sizewise import plan_text
from sizewise.compat import torch as compat

SIX = np.int64(6)
SIZES = {
    "tuple": lambda x, b: sw.resize(x, (5, 6)),
    "torch.Size": lambda x, b: sw.resize(x, b.shape[-2:]),
    "computed": lambda x, b: sw.resize(x, (b.shape[-2] // 2, x.shape[-1] * 2), "bicubic"),
    "one": lambda x, b: sw.resize(x, b.shape[-1], axes=3),
    "other order": lambda x, b: sw.resize(x, (b.shape[-1], b.shape[-2]), axes=(3, 2), dialect="torch"),
    "numpy": lambda x, b: sw.resize(x, (np.int64(5), np.int32(6))),
    "numpy, of a global": lambda x, b: sw.resize(x, (SIX, 4)),
    "numpy array": lambda x, b: sw.resize(x, np.array([5, 6])),
    "item": lambda x, b: sw.resize(x, (int(b.abs().max().item()) + 3, 4)),
    "gradient": lambda x, b: sw.resize_grad(x, b.shape[-2:], "lanczos3"),
    "outside": lambda x, b: sw.resize(
        x, b.shape[-2:], "linear", dialect="onnx", coordinate_transformation_mode="tf_crop_and_resize",
        roi=(-0.3, 0.0, 1.2, 0.8), extrapolation_value=5.0,
    ),
    "channels_last": lambda x, b: sw.resize(x.to(memory_format=torch.channels_last), b.shape[-2:], threads=2),
    "compat": lambda x, b: compat.interpolate(x, b.shape[2:], mode="bilinear"),
    "vmap": lambda x, b: torch.func.vmap(lambda x: sw.resize(x, b.shape[-2:]))(x),
}  # fmt: skip
TRANSFORMS = {
    "grad": lambda x, b: torch.func.grad(lambda x: (sw.resize(x, b.shape[-2:]) ** 2).sum())(x),
    "jvp": lambda x, b: torch.func.jvp(lambda x: sw.resize(x, b.shape[-2:]), (x,), (x,))[1],
    "vmap of grad": lambda x, b: torch.func.vmap(torch.func.grad(lambda x: (PLAN(x[:, :5, :4]) ** 2).sum()))(x),
    "hessian": lambda x, b: torch.func.hessian(lambda x: (sw.resize(x, (2, 2)) ** 2).sum())(x[0, 0]),
}
SHAPES = [
    ((2, 3, 5, 4), (1, 1, 6, 8)), ((2, 3, 5, 6), (1, 1, 8, 10)), ((3, 3, 7, 9), (1, 1, 10, 12)),
    ((4, 3, 11, 8), (1, 1, 12, 9)), ((5, 3, 6, 12), (1, 1, 7, 14)),
]  # fmt: skip


def counted(call, dynamic: bool | None):
    """Return the call compiled, and a list of its graphs."""
    torch._dynamo.reset()
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> object:
        graphs.append(graph)
        return torch._dynamo.lookup_backend("aot_eager")(graph, inputs)

    return graphs, torch.compile(call, fullgraph=True, dynamic=dynamic, backend=backend)


class TestCompilers:
    """torch.compile, torch.export, operators."""

    @pytest.mark.parametrize("engine", [None, "framework"])
    @pytest.mark.parametrize("name", ["bilinear", "torch", "plan", "gradient", "outside"])
    def test_compile_equals_eager(self, name: str, engine: str | None) -> None:
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: CALLS[name](x * 2, engine=engine) + 1, fullgraph=True, backend="aot_eager")
        x, y = noise().requires_grad_(), noise().requires_grad_()
        ours, eager = compiled(x), CALLS[name](y * 2, engine=engine) + 1
        assert (ours == eager).all()
        (ours**2).sum().backward()
        (eager**2).sum().backward()
        assert torch.allclose(x.grad, y.grad, rtol=1e-13)

    def test_inductor(self) -> None:
        torch._dynamo.reset()
        x = noise(dtype=torch.float32)
        compiled = torch.compile(lambda x: torch.relu(sw.resize(x, (3, 7))), fullgraph=True)
        assert (compiled(x) == torch.relu(sw.resize(x, (3, 7)))).all()

    def test_one_graph_for_every_batch(self) -> None:
        torch._dynamo.reset()
        seen = []

        def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> object:
            seen.append(graph)
            return graph.forward

        compiled = torch.compile(lambda x: sw.resize(x, (3, 7)), fullgraph=True, backend=backend, dynamic=True)
        for batch in (2, 3, 5):
            x = noise((batch, 3, 5, 4))
            assert (compiled(x) == sw.resize(x, (3, 7))).all()
        assert len(seen) == 1

    @pytest.mark.parametrize(("name", "dynamic"), sample(itertools.product(SIZES, (None, True)), 3))
    def test_sizes_of_every_kind(self, name: str, dynamic: bool | None) -> None:
        """One graph serves all sizes once they are known to change, as with torch.nn.functional.interpolate."""
        graphs, compiled = counted(SIZES[name], dynamic=dynamic)
        for shape, other in SHAPES:
            x, y, b = noise(shape).requires_grad_(), noise(shape).requires_grad_(), noise(other)
            ours, eager = compiled(x, b), SIZES[name](y, b)
            assert ours.shape == eager.shape and (ours == eager).all()
            (ours**2).sum().backward()
            (eager**2).sum().backward()
            assert torch.allclose(x.grad, y.grad, rtol=1e-13)
        assert len(graphs) <= (3 if dynamic is None else 1)

    @pytest.mark.parametrize("name", TRANSFORMS)
    def test_transforms_inside_a_compiler(self, name: str) -> None:
        _, compiled = counted(TRANSFORMS[name], dynamic=None)
        for shape, other in SHAPES[:2]:
            x, b = noise(shape), noise(other)
            assert torch.allclose(compiled(x, b), TRANSFORMS[name](x, b), rtol=1e-13)

    def test_sizes_that_depend_on_others_are_compiled_anew(self) -> None:
        """A size that a dialect fits to the image is no integer that a graph could leave open."""
        call = lambda x, b: sw.resize(x, b.shape[2:], dialect="tensorflow", preserve_aspect_ratio=True)  # noqa: E731
        graphs, compiled = counted(call, dynamic=True)
        for shape, other in SHAPES:
            assert (compiled(noise(shape), noise(other)) == call(noise(shape), noise(other))).all()
        assert len(graphs) == len(SHAPES)

    @pytest.mark.parametrize("strict", [False, True])
    @pytest.mark.parametrize(
        "resize",
        [
            lambda x, b: sw.resize(x, (b.shape[2], b.shape[3] // 2), "bicubic"),
            lambda x, b: sw.resize(x, scale=(2, 0.5), dialect="torch") + b.mean(),
        ],
    )
    def test_export_with_lengths_that_stay_open(self, resize, strict: bool) -> None:
        class Model(torch.nn.Module):
            def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
                return resize(x, b) * 2

        shapes = {name: {axis: torch.export.Dim(f"{name}{axis}", min=4) for axis in (2, 3)} for name in "xb"}
        given = noise((2, 3, 5, 4)), noise((2, 1, 6, 8))
        program = torch.export.export(Model(), given, dynamic_shapes=shapes, strict=strict)
        for shape, other in SHAPES:
            x, b = noise((2, *shape[1:])), noise((2, *other[1:]))
            assert (program.module()(x, b) == Model()(x, b)).all()

    def test_dtypes_of_results_do_not_depend_on_sizes(self) -> None:
        """Fake tensors of the operator have the strides of its results."""
        for name in sw.dialects.names():
            for method, antialias, options in sw.dialects.get(name).variants():
                for sizes in (((5,), (3,)), ((8,), (8,)), ((9,), (2,))):
                    known = sw.make_plan(*sizes, method, antialias=antialias, dialect=name, **options)
                    for dtype in map(np.dtype, ("uint8", "int32", "float16", "float32", "float64")):
                        case = (name, method, options, sizes, dtype)
                        assert plan_text.result_dtype(known.to_text(), dtype) == known.arithmetic(dtype).result, case

    def test_first_of_all_inside_a_compiler(self) -> None:
        """Nothing has to run before: the compiler may be the first to see Sizewise."""
        run_in_subprocess(
            "import sizewise as sw, torch\n"
            "x = torch.ones(1, 3, 8, 8)\n"
            "f = torch.compile(lambda x: sw.resize(x, (4, 4)), fullgraph=True, backend='aot_eager')\n"
            "assert f(x).shape == (1, 3, 4, 4)"
        )

    def test_operator(self) -> None:
        for plan in (sw.make_plan((5, 4), (3, 7)), sw.make_plan((5, 4), (3, 7)).T):
            for x in (noise((2, 3, *plan.input_size)), noise((2, 3, *plan.input_size), torch.float32)):
                for one in (x, x.to(memory_format=torch.channels_last)):
                    arguments = (one.clone().requires_grad_(), list(plan.output_size), plan.to_text(), [2, 3], 0)
                    results = torch.library.opcheck(torch.ops.sizewise.apply.default, arguments)
                    assert set(results.values()) == {"SUCCESS"}

    def test_export(self) -> None:
        class Model(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return sw.resize(x, (3, 7), "bicubic") * 2

        x = noise(dtype=torch.float32)
        program = torch.export.export(Model(), (x,), dynamic_shapes={"x": {0: torch.export.Dim.DYNAMIC}})
        assert (program.module()(x) == Model()(x)).all()
        assert program.module()(noise((7, 3, 5, 4), torch.float32)).shape == (7, 3, 3, 7)

    def test_traces_hold_the_resize_itself(self) -> None:
        """torch.jit.trace keeps ops, not what they gave: the trace is right for other numbers."""
        traced = torch.jit.trace(lambda x: sw.resize(x, (3, 7)), noise(dtype=torch.float32))
        other = noise(dtype=torch.float32).flip(0) * 3
        assert torch.allclose(traced(other), sw.resize(other, (3, 7)), atol=1e-6)

    def test_fake_and_meta_tensors(self) -> None:
        meta = torch.empty(2, 3, 5, 4, device="meta")
        assert sw.resize(meta, (3, 7)).shape == (2, 3, 3, 7)
        with FakeTensorMode():
            fake = torch.empty(2, 3, 5, 4).to(memory_format=torch.channels_last)
            made = sw.resize(fake, (3, 7))
            assert made.shape == (2, 3, 3, 7) and made.is_contiguous(memory_format=torch.channels_last)

    @pytest.mark.parametrize("dynamic", [None, True])
    def test_sizes_inside_a_compiler(self, dynamic: bool | None) -> None:
        _, compiled = counted(lambda x, b: sw.resize(x, (b.shape[2] - 6, 3)), dynamic=dynamic)
        with pytest.raises(Exception, match="size: entry 0 is 0; every entry must be an integer of at least 1"):
            compiled(noise(), noise((1, 1, 6, 8)))
        _, compiled = counted(lambda x, b: sw.resize(x, (b.flatten()[0].long().item(), 3)), dynamic=dynamic)
        with pytest.raises(Exception, match=r"assertion failed for expression u\d+ >= 1"):
            compiled(noise(), torch.zeros(1, 1, 6, 8))

    def test_out_inside_a_compiler(self) -> None:
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: sw.resize(x, (3, 7), out=x), backend="eager", fullgraph=True)
        with pytest.raises(Exception, match="out cannot be used inside"):
            compiled(noise())
