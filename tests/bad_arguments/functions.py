"""Function cases of the library itself."""

from __future__ import annotations

import json
import tempfile

import numpy as np
from bad_arguments.function_case import (
    ARRAYS,
    AT_LEAST_0,
    FINITE,
    FLAG,
    FLOAT32,
    NONE,
    NOTHING,
    NUMBERS,
    PAIR,
    POSITIVE_INTEGERS,
    SCALE,
    SIZE,
    THREADS,
    FunctionCase,
    Names,
    names,
)

import sizewise as sw
from sizewise.preprocess import Exact, Rescale, Resize

PLAN = sw.make_plan((4, 6), (2, 3))
LAYER = {"name": "up", "size": [2, 2], "interpolation": "bilinear", "batch_input_shape": [None, 8, 8, 3]}
LAYERS = {"name": "model", "layers": [{"class_name": "UpSampling2D", "config": LAYER}]}
MODEL = tempfile.NamedTemporaryFile("w", suffix=".json")  # noqa: SIM115  (as long as this module)
json.dump({"modelTopology": {"model_config": {"class_name": "Sequential", "config": LAYERS}}}, MODEL)
MODEL.flush()
TAPS = sw.Taps(6, [0, 2, 4], [[0.5, 0.5]] * 3)
BOX = sw.filters.get("box")
X = np.ones((4, 6), np.float32)
BYTES = np.arange(8 * 12 * 3, dtype=np.uint8).reshape(8, 12, 3)
DTYPE = names("class", "dtype")
STEPS = [Resize(Exact(2, 3)), Rescale(0.5)]
RUNS = names("[0, 0]", PAIR, "1-d floats")  # where two runs may begin
WORDS: dict[str, Names] = {
    "method": NOTHING,
    "dialect": NOTHING,
    "antialias": names(NONE, FLAG),
    "align_corners": NOTHING,
    "axes": NONE,
    "layout": NONE,
    "threads": THREADS,
    "engine": NONE,
}

CALLS = {
    "resize": FunctionCase(
        sw.resize,
        lambda: {"x": X, "size": (3, 3)},
        {"x": names(ARRAYS, "nested"), "size": SIZE, "scale": NONE, "out": NONE, **WORDS},
    ),
    "resize by scale": FunctionCase(sw.resize, lambda: {"x": X, "scale": 0.5}, {"scale": SCALE, "size": NONE}),
    "resize_grad": FunctionCase(
        sw.resize_grad,
        lambda: {"dy": X, "input_size": (3, 3)},
        {"dy": ARRAYS, "input_size": SIZE, "scale": NONE, "out": NONE, **WORDS},
    ),
    "make_plan": FunctionCase(
        sw.make_plan,
        lambda: {"input_size": (4, 4), "output_size": (2, 2)},
        {
            "input_size": SIZE,
            "output_size": SIZE,
            "scale": NONE,
            "align_corners": NOTHING,
            "method": NOTHING,
            "dialect": NOTHING,
            "antialias": names(NONE, FLAG),
        },
    ),
    "Preprocessor": FunctionCase(sw.Preprocessor, lambda: {"steps": STEPS}, {"steps": names("[]")}),
    "Preprocessor.load": FunctionCase(
        sw.Preprocessor.load, lambda: {"config": sw.Preprocessor(STEPS).to_dict()}, {"config": NOTHING}
    ),
    "Preprocessor.grad": FunctionCase(
        sw.Preprocessor(STEPS).grad,
        lambda: {"dy": np.ones((2, 3, 3)), "input_size": (4, 6)},
        {"dy": NOTHING, "input_size": SIZE},
    ),
    "Preprocessor.output_size": FunctionCase(
        sw.Preprocessor(STEPS).output_size,
        lambda: {"input_size": (4, 6)},
        {"input_size": names(SIZE, "[2**31 - 1] * 2")},
    ),
    "Preprocessor of an image": FunctionCase(
        sw.Preprocessor(STEPS),
        lambda: {"images": BYTES},
        {
            "images": names(ARRAYS, "[]"),
            "layout": NONE,
            "library": NONE,
            "return_tensors": NONE,
            "on_error": NOTHING,
            "threads": THREADS,
        },
    ),
    "make_plan by scale": FunctionCase(
        sw.make_plan, lambda: {"input_size": (4, 4), "scale": 0.5}, {"scale": SCALE, "output_size": NONE}
    ),
    "index_map": FunctionCase(
        sw.index_map,
        lambda: {"n_in": 4, "n_out": 2},
        {
            "n_in": names(POSITIVE_INTEGERS, "2**31 - 1", "[1]"),
            "n_out": names(POSITIVE_INTEGERS, "[1]"),
            "method": NOTHING,
            "dialect": NOTHING,
            "align_corners": NOTHING,
        },
    ),
    "identify": FunctionCase(
        sw.identify,
        lambda: {"original": BYTES, "resized": BYTES[::2, ::2], "dialects": ["tfjs"]},
        {
            "original": names("3-d"),
            "resized": names("3-d"),
            "jpeg": FLAG,
            "dialects": NOTHING,
            "progress": NOTHING,
        },
        unasked={"dialects": NONE, "progress": names("class", "function")},  # all there are; takes what it is given
    ),
    "explain": FunctionCase(
        sw.explain,
        lambda: {"input_size": (4, 4), "output_size": (2, 2), "method": "bilinear"},
        {
            "input_size": SIZE,
            "output_size": SIZE,
            "method": names(NONE, "[]", "empty array"),
            "antialias": names(NONE, FLAG),
            "dialects": names("[]", "empty array"),
            "variants": names("[]", "empty array"),
            "options": NONE,
        },
    ),
    "compare": FunctionCase(
        sw.compare,
        lambda: {"image": BYTES, "size": (2, 3), "variants": ("tfjs", "torch"), "method": "nearest"},
        {
            "image": names("2-d", "3-d", "nested"),
            "size": SIZE,
            "variants": NOTHING,
            "method": NOTHING,
        },
    ),
    "audit": FunctionCase(
        sw.audit,
        lambda: {"path": MODEL.name, "targets": ("tflite",)},
        {
            "path": NOTHING,
            "targets": names("[]", "empty array"),
            "example": names(SIZE, "[2**31 - 1] * 2"),
            "image": names(NONE, "2-d", "3-d", "nested", "long doubles"),
            "image_name": names("4x", "empty text", "long text", "no text"),
            "preprocess": NONE,
            "input_name": NONE,
            "done": NONE,
        },
        unasked={"done": names("class", "function")},
    ),
    "translate": FunctionCase(
        sw.translate,
        lambda: {"call": "cv2.resize(x, (4, 2))", "to": "tfjs", "input_size": (8, 8)},
        {"call": NOTHING, "to": NOTHING, "input_size": names(NONE, SIZE)},
    ),
    "watch": FunctionCase(sw.watch, lambda: {"model": None}, {"model": NONE}),
    "clear_cache": FunctionCase(sw.clear_cache, dict, {}),
    "core_info": FunctionCase(sw.core_info, dict, {}),
    "dialects.names": FunctionCase(sw.dialects.names, dict, {}),
    "dialects.get": FunctionCase(sw.dialects.get, lambda: {"name": "standard"}, {"name": NOTHING}),
    "dialects.notes": FunctionCase(sw.dialects.notes, lambda: {"name": "standard"}, {"name": NOTHING}),
    "filters.names": FunctionCase(sw.filters.names, dict, {}),
    "filters.aliases": FunctionCase(sw.filters.aliases, dict, {}),
    "filters.get": FunctionCase(sw.filters.get, lambda: {"name": "box"}, {"name": NOTHING}),
    "filters.cubic": FunctionCase(sw.filters.cubic, lambda: {"b": 0.0, "c": 0.5}, {"b": FINITE, "c": FINITE}),
    "filters.lanczos": FunctionCase(
        sw.filters.lanczos, lambda: {"lobes": 3}, {"lobes": names(POSITIVE_INTEGERS, "2**31 - 1")}
    ),
    "filters.flat_top": FunctionCase(
        sw.filters.flat_top, lambda: {"kernel": BOX, "radius": 0.1}, {"kernel": NOTHING, "radius": FINITE}
    ),
    "Filter.__call__": FunctionCase(BOX.__call__, lambda: {"distance": np.ones(3)}, {"distance": NUMBERS}),
    "testing.dot_test": FunctionCase(
        sw.testing.dot_test,
        lambda: {"plan": PLAN},
        {"plan": NOTHING, "seed": names(POSITIVE_INTEGERS, "0", "2**31 - 1"), "tolerance": AT_LEAST_0},
        also=(AssertionError,),
    ),
    "testing.assert_same_pixels": FunctionCase(
        sw.testing.assert_same_pixels,
        lambda: {"actual": X, "expected": X},
        {"actual": NUMBERS, "expected": NUMBERS, "ulp": AT_LEAST_0},
        also=(AssertionError,),
    ),
    "Plan": FunctionCase(
        sw.Plan,
        lambda: {"request": PLAN.request, "taps": PLAN.taps},
        {"request": NOTHING, "taps": NOTHING, "fill": NONE, "transposed": names("True")},
    ),
    "Plan.apply": FunctionCase(
        PLAN.apply,
        lambda: {"x": X},
        {"x": NOTHING, "axes": NONE, "layout": NONE, "out": NONE, "threads": THREADS, "engine": NONE},
    ),
    "Plan.for_dtype": FunctionCase(PLAN.for_dtype, lambda: {"dtype": np.dtype("f4")}, {"dtype": DTYPE}),
    "Plan.arithmetic": FunctionCase(PLAN.arithmetic, lambda: {"dtype": np.dtype("f4")}, {"dtype": DTYPE}),
    "Plan.tile": FunctionCase(PLAN.tile, lambda: {"windows": (slice(0, 1), slice(0, 2))}, {"windows": NOTHING}),
    "Plan.to_text": FunctionCase(PLAN.to_text, dict, {}),
    "Plan.matrices": FunctionCase(PLAN.matrices, dict, {}),
    "Plan.coverage": FunctionCase(PLAN.coverage, dict, {}),
    "Plan.fraction_bits": FunctionCase(PLAN.fraction_bits, lambda: {"dtype": np.dtype("u1")}, {"dtype": DTYPE}),
    "Plan.explain": FunctionCase(PLAN.explain, dict, {}),
    "Taps": FunctionCase(
        sw.Taps,
        lambda: {"n_in": 6, "start": [0, 2], "weights": [[0.5, 0.5], [0.5, 0.5]]},
        {
            "n_in": names("2**31 - 1"),
            "start": RUNS,
            "weights": names("nested", "2-d", "long doubles"),
            "divisors": names(NONE, PAIR, "1-d floats", "[2**31 - 1] * 2", "[2**62] * 2"),
        },
    ),
    "Taps.from_entries": FunctionCase(
        sw.Taps.from_entries,
        lambda: {"n_in": 6, "n_out": 4, "rows": [0, 2], "columns": [0, 2], "weights": [0.5, 0.5]},
        {
            "n_in": names("2**31 - 1"),
            "n_out": NOTHING,
            "rows": RUNS,
            "columns": RUNS,
            "weights": names(RUNS, "[2**31 - 1] * 2", "[2**62] * 2"),
        },
    ),
    "Taps.tile": FunctionCase(
        TAPS.tile,
        lambda: {"first": 0, "last": 3},
        {"first": names(POSITIVE_INTEGERS, "0"), "last": names(POSITIVE_INTEGERS, "0")},
    ),
    "Taps.input_range": FunctionCase(
        TAPS.input_range,
        lambda: {"first": 0, "last": 3},
        {"first": names(POSITIVE_INTEGERS, "0"), "last": names(POSITIVE_INTEGERS, "0")},
    ),
    "Taps.dense": FunctionCase(TAPS.dense, dict, {}),
    "Taps.__matmul__": FunctionCase(TAPS.__matmul__, lambda: {"first": TAPS.T}, {"first": NOTHING}),
}

# Options by name: what is legal where a dialect has them. Those not named here are flags.
OPTIONS: dict[str, Names] = {
    **dict.fromkeys(("coordinate_transformation_mode", "nearest_mode", "keep_aspect_ratio_policy"), NOTHING),
    "cubic_coeff_a": FLOAT32,
    "extrapolation_value": FLOAT32,
    "exclude_outside": names("0", "1", FLAG),
    "roi": NONE,
    "box": NONE,
    "align_mode": names("0", "1"),
    "channels": names(NONE, "1", "2", "2**31 - 1", "0-d integer"),
    "reducing_gap": names(NONE, AT_LEAST_0 - {"0", "0.5", "1e-9", "1e-320"}),
    "translation": names(NONE, FINITE, SIZE, "[0, 0]", "1-d floats", "[2**31 - 1] * 2", "[2**62] * 2"),
}


def _option(dialect: str, option: str) -> FunctionCase:
    """Return the function case of one option of one dialect."""
    method = "cubic" if option == "exclude_outside" else "bilinear"  # which take all values of their options
    arguments = {"input_size": (4, 4), "output_size": (2, 2), "dialect": dialect, "method": method}
    if option == "recompute_scale_factor":
        arguments = {**arguments, "output_size": None, "scale": 0.5}
    return FunctionCase(sw.make_plan, lambda: arguments, {option: OPTIONS.get(option, FLAG)})


CASES = CALLS | {
    f"{option} of {dialect}": _option(dialect, option)
    for dialect in sw.dialects.names()
    for option in sw.dialects.get(dialect).options
}
PUBLIC = {
    "": sw,
    "dialects.": sw.dialects,
    "filters.": sw.filters,
    "testing.": sw.testing,
    "Plan.": sw.Plan,
    "Taps.": sw.Taps,
}
