"""watch(): every resize of a real forward pass, by the path of its module; no hooks remain."""

from __future__ import annotations

import threading
import warnings

import pytest
import torch
from torch import nn
from torch.nn.functional import grid_sample, interpolate  # under another name: nothing is patched

from sizewise.errors import ArgumentTypeError
from sizewise.insight import watch
from sizewise.resize_spec import ResizeSpec


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)

    def forward(self, x):
        return interpolate(self.up(x), size=(5, 6), mode="bicubic", antialias=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 1, 3, padding=1)
        self.blocks = nn.ModuleList(
            [Block(), nn.UpsamplingBilinear2d(size=(8, 8)), nn.UpsamplingNearest2d(scale_factor=2)]
        )

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.blocks[2](x)


def hooks(model):
    return [len(one) for module in model.modules() for one in (module._forward_hooks, module._forward_pre_hooks)]


def test_every_call_with_its_path_sizes_and_spec():
    with watch(model := Net()) as seen:
        model(torch.rand(1, 1, 4, 4))
    corners = {"align_corners": True}
    assert [(one.name, one.input_size, one.output_size, one.scale, one.spec) for one in seen.nodes] == [
        ("blocks.0.up", (4, 4), (8, 8), (2.0, 2.0), ResizeSpec.of("torch", "bilinear", False, corners)),
        ("blocks.0", (8, 8), (5, 6), None, ResizeSpec.of("torch", "bicubic", True)),
        ("blocks.1", (5, 6), (8, 8), None, ResizeSpec.of("torch", "bilinear", False, corners)),
        ("blocks.2", (8, 8), (16, 16), (2.0, 2.0), ResizeSpec.of("torch", "nearest")),
        ("blocks.2 #2", (16, 16), (32, 32), (2.0, 2.0), ResizeSpec.of("torch", "nearest")),
    ]
    assert {one.layout for one in seen.nodes} == {"NCHW"}
    assert hooks(model) == [0] * len(hooks(model))


def test_results_are_unchanged():
    model, x = Net(), torch.rand(1, 1, 4, 4, requires_grad=True)
    with watch(model):
        y = model(x)
    torch.testing.assert_close(y, model(x), rtol=0, atol=0)
    y.sum().backward()
    assert x.grad is not None


def test_other_names_and_one_or_three_axes():
    with watch() as seen, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nn.functional.upsample(torch.rand(1, 1, 4), scale_factor=2, mode="linear")
        nn.functional.upsample_bilinear(torch.rand(1, 1, 4, 4), size=8)
        interpolate(torch.rand(1, 1, 4, 4, 4), size=(8, 8, 8), mode="trilinear")
        interpolate(torch.rand(1, 1, 4, 4), size=2, mode="area")
        grid_sample(torch.rand(1, 1, 4, 4), torch.rand(1, 3, 5, 2), align_corners=False)
    assert [(one.op, one.layout, one.input_size, one.output_size) for one in seen.nodes] == [
        ("interpolate", "NCW", (4,), (8,)),
        ("interpolate", "NCHW", (4, 4), (8, 8)),
        ("interpolate", "NCDHW", (4, 4, 4), (8, 8, 8)),
        ("interpolate", "NCHW", (4, 4), (2, 2)),
        ("grid_sample", "NCHW", (4, 4), (3, 5)),
    ]
    assert [one.spec and one.spec.method for one in seen.nodes] == ["bilinear"] * 3 + ["area", None]
    facts = seen.audit(["onnxruntime", "opencv"])
    assert facts.nodes[0].predictions[0].noise.largest < 1e-5
    assert facts.nodes[0].predictions[1].refusal == "opencv resizes two axes; this node resizes 1"
    assert "not a plain resize" in facts.nodes[-1].node.note


def test_a_failed_forward_pass_removes_all_hooks():
    class Failing(nn.Module):
        def forward(self, x):
            interpolate(x, scale_factor=2)
            raise RuntimeError("on purpose")

    model = nn.Sequential(Failing(), nn.Upsample(scale_factor=2))
    with pytest.raises(RuntimeError, match="on purpose"), watch(model) as seen:
        model(torch.rand(1, 1, 4, 4))
    assert [one.name for one in seen.nodes] == ["0"]
    assert hooks(model) == [0] * len(hooks(model))
    with watch(model) as again:
        model[1](torch.rand(1, 1, 4, 4))
    assert [one.name for one in again.nodes] == ["1"]
    assert len(seen.nodes) == 1


def test_module_paths_after_a_caught_exception():
    model = Net()
    with watch(model) as seen:
        with pytest.raises(RuntimeError):
            model(torch.rand(1, 7, 4, 4))
        model(torch.rand(1, 1, 4, 4))
    assert seen.nodes[0].name == "blocks.0.up"


def test_nested_watches():
    model = Net()
    with watch(model) as outer:
        model(torch.rand(1, 1, 4, 4))
        with watch(model) as inner, inner:
            model(torch.rand(1, 1, 4, 4))
    assert (len(outer.nodes), len(inner.nodes)) == (10, 10)  # the inner one was entered twice
    assert {one.name.partition(" ")[0] for one in inner.nodes} == {one.name.partition(" ")[0] for one in outer.nodes}
    assert hooks(model) == [0] * len(hooks(model))


def test_other_threads_are_not_watched_and_each_thread_may_watch():
    ready, names = threading.Barrier(2), {}

    def work(name):
        with watch(model := Net()) as seen:
            ready.wait(10)
            model(torch.rand(1, 1, 4, 4))
            ready.wait(10)
        names[name] = [one.name for one in seen.nodes]

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    with watch() as here:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert names["a"] == names["b"]
    assert len(names["a"]) == 5
    assert here.nodes == ()


def test_a_model_that_another_thread_runs_meanwhile():
    model, inside, go = Net(), threading.Event(), threading.Event()

    def pause(module, arguments):
        if threading.current_thread() is other:
            inside.set()
            go.wait(10)

    model.blocks[0].register_forward_pre_hook(pause)
    other = threading.Thread(target=lambda: model(torch.rand(1, 1, 4, 4)))
    with watch(model) as seen:
        other.start()
        inside.wait(10)
        interpolate(torch.rand(1, 1, 4, 4), scale_factor=2)  # outside of modules, while the other thread is inside one
        model(torch.rand(1, 1, 4, 4))
        go.set()
        other.join()
    assert [one.name for one in seen.nodes][:2] == ["interpolate", "blocks.0.up"]
    assert len(seen.nodes) == 6


def test_the_same_facts_as_from_a_file():
    with watch(model := Net()) as seen:
        model(torch.rand(1, 1, 4, 4))
    facts = seen.audit(["tflite"])
    assert facts.source == "Net"
    assert facts.kind.startswith("PyTorch 2.")
    assert facts.nodes[1].predictions[0].refusal == "tflite has no cubic resize"
    assert facts.worst == "high"


def test_only_modules_can_be_watched():
    with pytest.raises(ArgumentTypeError, match=r"watch\(\) takes a torch.nn.Module, not int"):
        watch(3)
