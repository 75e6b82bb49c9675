"""Audits of models that torch.onnx.export writes, with both of its exporters, against torch and other real runtimes."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import onnxruntime
import pytest
import torch
from audit_measurements import mistakes

from sizewise.insight.audit import audit
from sizewise.insight.torch_watch import watch

TARGETS = ("torch", "onnx-reference", "tflite", "opencv")


class Resizers(torch.nn.Module):
    """Several resizes of the same image."""

    def __init__(self, *calls):
        super().__init__()
        self.calls = calls

    def forward(self, x):
        return [torch.nn.functional.interpolate(x, **arguments) for arguments in self.calls]


CASES = {
    "nearest": {"scale_factor": 2},
    "nearest-shrinks": {"size": (7, 9)},
    "bilinear": {"scale_factor": 1.5, "mode": "bilinear"},
    "bilinear-shrinks": {"size": (7, 9), "mode": "bilinear"},
    "bilinear-one": {"size": (1, 9), "mode": "bilinear"},
    "corners": {"size": (7, 20), "mode": "bilinear", "align_corners": True},
    "bicubic": {"scale_factor": 0.7, "mode": "bicubic"},
    "recomputed": {"scale_factor": 1.5, "mode": "bilinear", "recompute_scale_factor": True},
    "antialias": {"size": (5, 6), "mode": "bilinear", "antialias": True},
    "bicubic-antialias": {"size": (5, 6), "mode": "bicubic", "antialias": True},
}
SCRIPTED = [name for name in CASES if "antialias" not in name]  # which the older exporter refuses


@pytest.fixture(scope="module", params=[True, False], ids=["dynamo", "torchscript"])
def exported(request, tmp_path_factory):
    """Export a model of all cases; return the audit of each with onnxruntime's result of an image."""
    path, names = tmp_path_factory.mktemp("torch") / "m.onnx", list(CASES) if request.param else SCRIPTED
    model = Resizers(*(CASES[name] for name in names))
    quiet = {"verbose": False} if request.param else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (torch.rand(1, 1, 13, 14),), str(path), dynamo=request.param, **quiet)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    run = partial(_run, session, session.get_inputs()[0].name)
    return dict(zip(names, [(one, partial(run, i)) for i, one in enumerate(audit(path, TARGETS).nodes)], strict=True))


def _run(session, name, number, pixels):
    return session.run(None, {name: pixels[None, None]})[number][0, 0]


def test_exports_are_resolved_and_predicted(exported):
    for one, own in exported.values():
        assert one.node.input_size == (13, 14)
        assert one.node.output_size == own(np.zeros((13, 14), np.float32)).shape
        assert mistakes(one, own) == []
        assert one.predictions[0].noise.largest < 1e-5  # the export computes the pixels of torch


def test_control_the_cases_differ(exported):
    assert mistakes(exported["bilinear-shrinks"][0], exported["nearest-shrinks"][1]) != []


@pytest.mark.parametrize("name", CASES)
def test_watched_calls_are_predicted_for_their_export_targets(name):
    with watch(model := Resizers(CASES[name])) as seen:
        model(torch.rand(1, 1, 13, 14))
    [one] = seen.audit(["onnxruntime", "tflite", "opencv"]).nodes
    assert mistakes(one, lambda pixels: model(torch.from_numpy(pixels)[None, None])[0][0, 0].numpy()) == []
    assert one.predictions[0].noise.largest < 1e-5  # its export
