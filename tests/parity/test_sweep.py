"""A sweep finds what is equal, and what is not: with a made-up framework, whose pixels can be moved."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest

import sizewise as sw
from sizewise import parity
from sizewise.parity import reference


def ours(x, request):
    words = {"method": request.method, "antialias": request.antialias, **dict(request.options)}
    return sw.resize(x, request.output_size, dialect="tfjs", **words)


def gradient(x, dy, request):
    return sw.make_plan(request.input_size, request.output_size, request.method, dialect="tfjs",
                        **dict(request.options)).T(dy, (0, 1))  # fmt: skip


HONEST = parity.Reference(
    "tfjs", "numpy", "numpy", ours, {"bilinear": 4, "nearest": 0}, gradient, {"bilinear": 8, "nearest": 8}
)


@pytest.fixture
def framework(monkeypatch):
    """The framework behind the dialect "tfjs", until the test changes it."""

    def use(one):
        monkeypatch.setattr(reference, "_all", lambda: {"tfjs": one})

    use(HONEST)
    return use


def sweep_tfjs(**words):
    return parity.sweep(["tfjs"], images=9, lines=7, **words)


def test_everything_is_kept(framework):
    heard = []
    facts = sweep_tfjs(done=heard.append)
    assert facts.kept and tuple(heard) == facts.rows
    assert [row.name for row in facts.rows][:2] == ["tfjs bilinear", "tfjs bilinear align_corners"]
    assert facts.versions == (("numpy", np.__version__),)
    nearest = facts.rows[-1]
    assert (nearest.cases, nearest.indices.differing, nearest.bytes) == (16, 0, None)
    assert facts.rows[0].indices is None and facts.rows[0].gradient.largest == 0
    assert parity.count(["tfjs"]) == len(facts.rows)


@pytest.mark.parametrize(
    ("change", "measure"),
    [
        ({"resize": lambda x, request: ours(x, request) + np.float32(1e-3)}, "floats"),
        ({"resize": lambda x, request: ours(x, request)[:, ::-1]}, "indices"),
        ({"gradient": lambda x, dy, request: 1.01 * gradient(x, dy, request)}, "gradient"),
    ],
    ids=["pixels", "order", "gradient"],
)
def test_what_differs_is_found(framework, change, measure):
    framework(replace(HONEST, **change))
    facts = sweep_tfjs()
    assert not facts.kept
    found = getattr(facts.rows[-1], measure)
    assert not found.kept and found.differing > 0


def test_bytes_are_compared_where_they_are_promised(framework):
    def one_more(x, request):
        return (ours(x, request) + (x.dtype == np.uint8)).astype(x.dtype)

    framework(replace(HONEST, resize=one_more, whole=("nearest",)))
    row = sweep_tfjs().rows[-1]
    assert row.floats.kept and row.bytes.differing == row.bytes.compared


def test_what_raises_is_a_failure_that_is_told(framework):
    def broken(x, request):
        raise RuntimeError("no such kernel\nand more")

    framework(replace(HONEST, resize=broken))
    facts = sweep_tfjs()
    assert not facts.kept
    assert facts.rows[0].failures[0] == "48x64 -> 24x32: RuntimeError: no such kernel"


def test_a_dialect_without_a_framework_and_one_that_is_not_installed(framework):
    with pytest.raises(sw.errors.ArgumentError, match="has no framework"):
        parity.sweep(["standard"])
    framework(replace(HONEST, module="no_such_module", package="no-such-package"))
    with pytest.raises(sw.errors.ArgumentError, match="pip install no-such-package"):
        parity.sweep(["tfjs"])
    facts = parity.sweep()
    assert (facts.rows, facts.missing) == ((), ("tfjs",))


def test_sizes_and_lines_are_the_same_each_time():
    sweep = importlib.import_module("sizewise.parity.sweep")
    assert sweep._sizes(20) == sweep._sizes(20) and len(sweep._sizes(20)) == 20
    assert sweep._sizes(3) == list(sweep._TELLING[:3])
