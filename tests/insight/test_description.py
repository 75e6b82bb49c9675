"""Descriptions of dialects: complete, and derived from the dialect and its contract alone."""

from __future__ import annotations

import dataclasses
import runpy
from pathlib import Path

import numpy as np
import pytest

from sizewise import dialects
from sizewise.dialects import Request
from sizewise.insight.description import describe, everything
from sizewise.report.dialects.markdown import markdown

DOCS = Path(__file__).parents[2] / "docs"
FACTS = everything()


@pytest.fixture(params=FACTS, ids=lambda about: about.name)
def about(request):
    return request.param


def test_every_dialect_is_described():
    assert tuple(one.name for one in FACTS) == dialects.names()


def test_every_method_has_coordinates_a_filter_and_arithmetic(about):
    for rules in (about.places, about.filters, about.numbers):
        labels = " ; ".join(label for rule in rules for label in rule.labels).replace(",", " ").split()
        assert set(about.methods) <= set(labels)
    shown = {dtype for one in about.numbers for dtype in one.dtypes}
    assert shown == {"uint8", "int32", "float16", "float32", "float64"}


def test_contracts_equal_those_of_the_dialect(about):
    promised, contract = dialects.get(about.name).contract, about.contract
    if promised is None:
        assert contract is None
        return
    assert {**dict.fromkeys(contract.picks, 0), **contract.floats} == promised.ulp
    assert set(contract.whole) == set(promised.bit_exact) and contract.gradients == promised.gradient_ulp
    for method in contract.picks:
        options = dialects.get(about.name).fill_options({})
        taps = dialects.get(about.name).taps(Request(about.name, method, False, (9, 7), (4, 13), None, options))
        assert all(one.is_selection for one in taps)


def test_a_changed_contract_changes_the_description(monkeypatch):
    tfjs = dialects.get("tfjs")
    contract = tfjs.contract._replace(ulp={"nearest": 0, "bilinear": 77})
    monkeypatch.setattr(dialects, "get", lambda name: dataclasses.replace(tfjs, contract=contract))
    assert describe("tfjs").contract.floats == {"bilinear": 77}


def test_the_length_formula_equals_that_of_the_dialect(about):
    rule = {"floor": np.floor, "round": np.rint, "ceil": np.ceil}[about.length.partition("(")[0]]
    length = dialects.get(about.name).length
    for n_in in range(1, 100):
        for scale in (0.5, 0.33, 0.75, 1.5, 2.0, 2.5):
            assert length(n_in, scale) == rule(n_in * scale)


@pytest.mark.parametrize(
    ("name", "dtype", "label", "text"),
    [
        ("torch", "uint8", "bilinear, bicubic, lanczos", "integers, weights of up to 22 bits, below 2**15, "
         "the last axis first, uint8 between the passes"),
        ("pillow", "float32", "box", "sums in float64, the last axis first, float32 between the passes"),
        ("tensorflow", "uint8", "bilinear", "sums in float32, above 64 taps in float64, the result is float32"),
        ("onnx", "uint8", "linear with antialias, cubic with antialias",
         "integers, weights of up to 22 bits, the last axis first, uint8 between the passes"),
        ("opencv", "uint8", "linear", "integers, by tables of the dialect"),
        ("opencv", "uint8", "nearest", "copied"),
        ("standard", "float16", "box", "sums in float32, above 64 taps in float64"),
    ],
)  # fmt: skip
def test_arithmetic_texts(name, dtype, label, text):
    found = [
        one.how for one in describe(name).numbers if dtype in one.dtypes and any(label in each for each in one.labels)
    ]
    assert text in found


def test_known_formulas():
    """From the documentation of the frameworks: PyTorch's align_corners, ONNX's asymmetric, TF1's default."""
    places = {label: (one.x, one.step) for one in describe("torch").places for label in one.labels}
    corners = places["bilinear without antialias, bicubic without antialias, align_corners=True"]
    assert corners == ("o * step", "(n_in - 1) / (n_out - 1) if n_out > 1 else 0")
    assert places["nearest"] == ("floor(o * step)", "1 / scale")
    filters = {label: one.text for one in describe("torch").filters for label in one.labels}
    assert filters["bicubic without antialias"] == "cubic, a = -0.75"
    assert filters["bicubic with antialias"] == "cubic, a = -0.5"
    assert [(one.when, one.to) for one in describe("opencv").places if one.labels == ("area",)] == [
        ("shrinking", "(o + 1) * step"),
        ("growing", ""),
    ]


def test_notes_equal_the_docstring():
    assert describe("pillow@12").notes == describe("pillow").notes
    assert describe("onnx-reference").notes[0].startswith("ONNX's Resize as onnx's own ReferenceEvaluator")


def test_the_page_is_as_it_would_be_made_now():
    made = runpy.run_path(str(DOCS / "make_dialects.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run python docs/make_dialects.py"


def test_control_another_contract_changes_the_page(about):
    if about.contract is None:
        return
    other = dataclasses.replace(about, contract=dataclasses.replace(about.contract, floats={"none": 99.0}))
    assert markdown((about,)) != markdown((other,))
