"""Sweep: equal results pass, different ones fail; with a made-up framework whose pixels can be shifted."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest

import sizewise as sw
from sizewise import dialects, parity
from sizewise.dialects._contract import Contract
from sizewise.parity import reference
from sizewise.parity.sweep import count


def ours(x, request):
    arguments = {"method": request.method, "antialias": request.antialias, **dict(request.options)}
    return sw.resize(x, request.output_size, dialect="tfjs", **arguments)


def gradient(x, dy, request):
    return sw.make_plan(request.input_size, request.output_size, request.method, dialect="tfjs",
                        **dict(request.options)).T(dy, (0, 1))  # fmt: skip


class MadeUp(reference.Reference):
    """NumPy as the framework behind a dialect."""

    contract = Contract("numpy", {"bilinear": 4, "nearest": 0}, {"bilinear": 8, "nearest": 8})


class BitExact(MadeUp):
    contract = MadeUp.contract._replace(bit_exact=("nearest",))


class Missing(MadeUp):
    contract = MadeUp.contract._replace(package="no-such-package")


EQUAL = MadeUp("tfjs", "numpy", ours, gradient)


@pytest.fixture
def framework(monkeypatch):
    """Set the framework behind the dialect "tfjs"; an equal one by default."""

    def use(framework):
        monkeypatch.setattr(reference, "_all", lambda: {"tfjs": framework})

    use(EQUAL)
    return use


def sweep_tfjs(**arguments):
    return parity.sweep(["tfjs"], images=9, lines=7, **arguments)


@pytest.mark.parametrize("name", dialects.names())
def test_every_dialect_with_a_contract_is_compared(name):
    contract = dialects.get(name).contract
    assert (contract is not None) is (name in reference.known())
    if contract is not None:
        methods = set(dialects.get(name).methods)
        assert set(contract.ulp) == methods
        assert {*contract.gradient_ulp, *contract.bit_exact} <= methods
        assert bool(contract.gradient_ulp) is (reference.of(name).gradient is not None)


def test_equal_results_pass(framework):
    rows = []
    facts = sweep_tfjs(on_row=rows.append)
    assert facts.passed and tuple(rows) == facts.rows
    assert [row.name for row in facts.rows][:2] == ["tfjs bilinear", "tfjs bilinear align_corners"]
    assert facts.versions == (("numpy", np.__version__),)
    nearest = facts.rows[-1]
    assert (nearest.cases, nearest.indices.differing, nearest.bytes) == (16, 0, None)
    assert facts.rows[0].indices is None and facts.rows[0].gradient.largest == 0
    assert count(["tfjs"]) == len(facts.rows)


@pytest.mark.parametrize(
    ("change", "measure"),
    [
        ({"resize": lambda x, request: ours(x, request) + np.float32(1e-3)}, "floats"),
        ({"resize": lambda x, request: ours(x, request)[:, ::-1]}, "indices"),
        ({"gradient": lambda x, dy, request: 1.01 * gradient(x, dy, request)}, "gradient"),
    ],
    ids=["pixels", "order", "gradient"],
)
def test_differences_are_found(framework, change, measure):
    framework(replace(EQUAL, **change))
    facts = sweep_tfjs()
    assert not facts.passed
    found = getattr(facts.rows[-1], measure)
    assert not found.passed and found.differing > 0


def test_bytes_are_compared_where_they_are_promised(framework):
    def one_more(x, request):
        return (ours(x, request) + (x.dtype == np.uint8)).astype(x.dtype)

    framework(BitExact("tfjs", "numpy", one_more))
    row = sweep_tfjs().rows[-1]
    assert row.floats.passed and row.bytes.differing == row.bytes.compared


def test_errors_of_the_framework_are_failures(framework):
    def broken(x, request):
        raise RuntimeError("no such kernel\nand more")

    framework(replace(EQUAL, resize=broken))
    facts = sweep_tfjs()
    assert not facts.passed
    assert facts.rows[0].failures[0] == "48x64 -> 24x32: RuntimeError: no such kernel"


def test_a_dialect_without_a_framework_and_one_that_is_not_installed(framework, tmp_path):
    with pytest.raises(sw.errors.ArgumentError, match="has no framework"):
        parity.sweep(["standard"])
    framework(Missing("tfjs", "no_such_module", ours))
    with pytest.raises(sw.errors.ArgumentError, match="pip install no-such-package"):
        parity.sweep(["tfjs"])
    with pytest.raises(sw.errors.ArgumentError, match="pip install no-such-package"):
        parity.write(tmp_path, ["tfjs"], of_frameworks=True)
    facts = parity.sweep()
    assert (facts.rows, facts.missing) == ((), ("tfjs",))


def test_sizes_and_lines_are_the_same_each_time():
    sweep = importlib.import_module("sizewise.parity.sweep")
    assert sweep._sizes(20) == sweep._sizes(20) and len(sweep._sizes(20)) == 20
    assert sweep._sizes(3) == list(sweep._FIXED_SIZES[:3])
