"""ONNX's Resize: the reference evaluator of the onnx package, and ONNX Runtime on a CPU."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from . import Fault, right

_MODEL = """
model = onnx.parser.parse_model('''
<ir_version: 9, opset_import: ["": 19]>
resize ({given}) => ({dtype}[m, n] y) {{
    y = Resize<{attributes}>(x, {names})
}}
''')
"""
_EVALUATOR = (
    "from onnx.reference import ReferenceEvaluator\n"
    + _MODEL
    + "given = {feed}\nReferenceEvaluator(model).run(None, given)[0]"
)
_RUNTIME = (
    f"import onnxruntime\n{_MODEL}session = onnxruntime.InferenceSession(model.SerializeToString())\n"
    "given = {feed}\nsession.run(None, given)[0]"
)
_SIZES = ", int64[2] sizes"
_SCALE = 1.6194642
_SIGNED = [100, -80, -62, -70, 20, 90]


def _code(template: str, given: str, attributes: str, names: str, feed: str) -> str:
    dtype = given.partition("[")[0]
    filled = template.format(given=given, dtype=dtype, attributes=attributes, names=names, feed=feed)
    return f"import numpy as np\nimport onnx\n{filled}"


def _symmetric() -> np.ndarray:
    """Return the row at (7 - 11 / scale) / 2 + (o + 0.5) / scale - 0.5, for 11 outputs; the middle one lies at 3."""
    step = 1 / Fraction(float(np.float32(_SCALE)))
    x = [(7 - 11 * step) / 2 + (o + right.HALF) * step - right.HALF for o in range(11)]
    return right.tent(range(7), x)


FAULTS = (
    Fault(
        framework="onnx",
        kind="forward",
        title="a coordinate one bit above an integer reads the previous pixel",
        why="The sixth output lies at 3, and one bit above it in float64. The window comes from the coordinate plus "
        "the padding, which loses that bit, and the weights from the coordinate itself.",
        call=_code(
            _EVALUATOR,
            "float[1, 7] x, float[2] scales",
            'mode = "linear", coordinate_transformation_mode = "half_pixel_symmetric"',
            ", scales",
            f'{{"x": np.arange(7, dtype=np.float32)[None], "scales": np.float32([1, {_SCALE}])}}',
        ),
        right=_symmetric,
        ours=f'sw.resize(np.arange(7.0), scale={_SCALE}, method="linear", dialect="onnx-reference",\n'
        '          coordinate_transformation_mode="half_pixel_symmetric")',
    ),
    Fault(
        framework="onnxruntime",
        kind="forward",
        title="antialiased int8 loses negative values",
        why="Sums are clipped to 0 .. 255, the range of uint8.",
        call=_code(
            _RUNTIME,
            "int8[1, 6] x" + _SIZES,
            'mode = "linear", antialias = 1',
            ", , sizes",
            f'{{"x": np.int8([{_SIGNED}]), "sizes": np.int64([1, 3])}}',
        ),
        right=lambda: right.rounded(right.tent(_SIGNED, right.centers(6, 3), stretch=2)),
        ours=f'sw.resize(np.int8({_SIGNED}), 3, "linear", antialias=True, dialect="onnx")',
    ),
    Fault(
        framework="onnxruntime",
        kind="forward",
        title="linear truncates integers",
        why="10.75 becomes 10. The reference evaluator rounds, and so does ONNX Runtime with antialiasing.",
        call=_code(
            _RUNTIME,
            "uint8[1, 2] x" + _SIZES,
            'mode = "linear"',
            ", , sizes",
            '{"x": np.uint8([[10, 13]]), "sizes": np.int64([1, 4])}',
        ),
        right=lambda: right.rounded(right.tent([10, 13], right.centers(2, 4))),
        ours='sw.resize(np.uint8([10, 13]), 4, "linear", dialect="onnx")',
    ),
    Fault(
        framework="onnxruntime",
        kind="forward",
        title="a crop to the size of the input is a copy",
        why="For any roi, an output of the input's shape is the input. The reference evaluator crops.",
        call=_code(
            _RUNTIME,
            "float[1, 5] x, float[4] roi" + _SIZES,
            'mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize"',
            "roi, , sizes",
            '{"x": np.float32([[0, 1, 2, 3, 4]]), "roi": np.float32([0, 0, 1, 0.5]), "sizes": np.int64([1, 5])}',
        ),
        right=lambda: right.tent(range(5), [o * right.HALF for o in range(5)]),
        ours='sw.resize(np.arange(5.0), 5, "linear", dialect="onnx",\n'
        '          coordinate_transformation_mode="tf_crop_and_resize", roi=(0, 0.5))',
    ),
)
