"""Translations: reading and writing of calls, when two calls are the same, and why they are not."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from call_sources import OWN, SOURCES
from samples import sample

import sizewise as sw
from sizewise import cli, dialects
from sizewise.errors import ArgumentError, SizewiseError
from sizewise.insight.translation import parse_call, read, syntax, targets, translate
from sizewise.insight.translation.differences import noise_error
from sizewise.insight.translation.equivalence import relation, try_plan
from sizewise.resize_spec import Factor

BICUBIC = "F.interpolate(x, scale_factor=2, mode='bicubic', align_corners=False)"


@pytest.mark.parametrize(
    ("call", "dialect", "method", "antialias", "size", "scale"),
    [
        (BICUBIC, "torch", "bicubic", False, None, (2.0, 2.0)),
        ("torch.nn.functional.interpolate(x, 64, mode='bilinear', antialias=True)",
         "torch", "bilinear", True, (64, 64), None),
        ("F.interpolate(x, (4, 5, 6), mode='trilinear')", "torch", "bilinear", False, (4, 5, 6), None),
        ("F.interpolate(x, size=7, mode='linear')", "torch", "bilinear", False, (7,), None),
        ("nn.Upsample(scale_factor=1/2, mode='nearest')(features[0])", "torch", "nearest", False, None, (0.5, 0.5)),
        ("nn.UpsamplingBilinear2d(scale_factor=2)(x)", "torch", "bilinear", False, None, (2.0, 2.0)),
        ("cv2.resize(x, (64, 32))", "opencv", "linear", False, (32, 64), None),
        ("cv2.resize(x, dsize=(64, 32), interpolation=cv2.INTER_AREA)", "opencv", "area", True, (32, 64), None),
        ("cv2.resize(x, None, fx=0.5, fy=0.25, interpolation=2)", "opencv", "cubic", False, None, (0.25, 0.5)),
        ("cv2.resize(x, (0, 0), fx=2, fy=2)", "opencv", "linear", False, None, (2.0, 2.0)),
        ("im.resize((64, 32))", "pillow", "bicubic", True, (32, 64), None),
        ("Image.open('a.png').resize((64, 32), Image.LANCZOS)", "pillow", "lanczos", True, (32, 64), None),
        ("im.resize((64, 32), resample=Image.Resampling.BOX)", "pillow", "box", True, (32, 64), None),
        ("im.resize((64, 32), 0)", "pillow", "nearest", False, (32, 64), None),
        ("tf.image.resize(x, [32, 64])", "tensorflow", "bilinear", False, (32, 64), None),
        ("tf.image.resize(x, [32, 64], tf.image.ResizeMethod.BICUBIC, antialias=True)",
         "tensorflow", "bicubic", True, (32, 64), None),
        ("tf.compat.v1.image.resize_bilinear(x, (32, 64), True)", "tensorflow1", "bilinear", False, (32, 64), None),
        ("tf.raw_ops.ResizeArea(images=x, size=(32, 64))", "tensorflow1", "area", False, (32, 64), None),
        ("jax.image.resize(x, (1, 32, 64, 3), 'linear')", "jax", "linear", True, (32, 64), None),
        ("jax.image.resize(x, shape=(32, 64), method='nearest', antialias=False)",
         "jax", "nearest", False, (32, 64), None),
        ("jax.image.resize(x, (32, 64, 3), jax.image.ResizeMethod.CUBIC_PYTORCH, False)",
         "jax", "cubic-pytorch", False, (32, 64), None),
        ("Resize(X, sizes=(1, 3, 32, 64), mode='linear', antialias=1)", "onnx", "linear", True, (32, 64), None),
        ("Resize(X, None, (2.0, 2.0), axes=(2, 3), mode='cubic')", "onnx", "cubic", False, None, (2.0, 2.0)),
        ("tf.image.resizeBilinear(x, [32, 64], true);", "tfjs", "bilinear", False, (32, 64), None),
        ("keras.layers.Resizing(32, 64, interpolation='lanczos3', antialias=True)(x)",
         "tensorflow", "lanczos3", True, (32, 64), None),
        ("keras.ops.image.resize(x, (32, 64))", "tensorflow", "bilinear", False, (32, 64), None),
        ("skimage.transform.resize(x, (32, 64), order=0, anti_aliasing=False)",
         "skimage", "nearest", False, (32, 64), None),
        ("paddle.nn.functional.interpolate(x, [32, 64], mode='bicubic')", "paddle", "bicubic", False, (32, 64), None),
        ("sw.resize(x, (32, 64))", "standard", "bilinear", True, (32, 64), None),
        ("sw.resize(x, scale=0.5, method='area', dialect='opencv', axes=(1, 2))",
         "opencv", "area", True, None, (0.5, 0.5)),
        ("tf.image.resize(x, (2 * x.shape[-3], int(0.5 * x.shape[-2])))",
         "tensorflow", "bilinear", False, (Factor(2), Factor(0.5)), None),
    ],
)  # fmt: skip
def test_calls_are_read(call, dialect, method, antialias, size, scale):
    spec = read(call)
    assert (spec.dialect, spec.method, spec.antialias, spec.size, spec.scale) == (
        dialect,
        method,
        antialias,
        size,
        scale,
    )


def image_of(call):
    return syntax.read(parse_call.parse(call))[1]


def test_options_are_read():
    assert read("F.interpolate(x, 4, mode='bicubic', align_corners=True)").unusual == {"align_corners": True}
    assert read("tf.image.resizeBilinear(x, [4, 4], false, true)").unusual == {"half_pixel_centers": True}
    assert read("nn.UpsamplingBilinear2d(4)").unusual == {"align_corners": True}
    assert read("im.resize((4, 4), Image.BOX, box=(0, 1, 8, 9))").unusual == {"box": (0.0, 1.0, 8.0, 9.0)}
    assert read("sw.resize(x, (4, 4), dialect='torch', align_corners=True)").unusual == {"align_corners": True}
    one = read("Resize(X, sizes=(8, 8), axes=(2, 3), mode='cubic', cubic_coeff_a=-0.5, exclude_outside=1)")
    assert one.unusual == {"cubic_coeff_a": -0.5, "exclude_outside": True}
    assert image_of("F.interpolate(features['a'].float(), 4)") == "features['a'].float()"
    assert image_of("pictures[3].resize((4, 4))") == "pictures[3]"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("", "cannot read the call"),
        ("F.interpolate(x, size=(", "cannot read the call"),
        ("F.interpolate(x, " + "-" * 900 + "1)", "cannot read the call"),
        ("F.interpolate(x, scale_factor=1e300)", "longer than"),
        ("x = F.interpolate(x, 2)", "cannot read the call"),
        ("F.interpolate", "is not a call"),
        ("x" * 3000, "at most 2,000"),
        ("(" * 500 + ")" * 500, "cannot read the call"),
        ("foo(x, 3)", "cannot tell whose call 'foo' is; known calls: F.interpolate"),
        ("np.resize(x, (4, 4))", "np.resize repeats values"),
        ("torchvision.transforms.functional.resize(x, 4)", "is torchvision's, which resizes tensors with"),
        ("T.Resize(224)", "T.Resize is torchvision's, which resizes tensors with F.interpolate(x, size=(h, w), "),
        ("foo.resize(x, (64, 64))", "foo.resize is read as Pillow's Image.resize: "),
        ("imutils.resize(x, width=64)", "imutils.resize is read as Pillow's Image.resize: unknown argument"),
        ("F.interpolate(x)", "give size or scale_factor; neither is given"),
        ("F.interpolate(x, size=4, scale_factor=2)", "both are given"),
        ("F.interpolate(x, size=(h, w))", "size is 'h', which is unknown without running the code"),
        ("F.interpolate(x, size=y.shape[2:])", "size is 'y.shape[2:]', which is unknown"),
        ("F.interpolate(x, size=0)", "every length must be an integer of at least 1"),
        ("F.interpolate(x, size=4.5)", "size has 4.5"),
        ("F.interpolate(x, scale_factor=-1)", "every scale must be a positive number"),
        ("F.interpolate(x, scale_factor='2')", "every scale must be a positive number"),
        ("F.interpolate(x, size=(4, 4), mode='trilinear')", "with 2 entries; give 3"),
        ("F.interpolate(x, 4, mode='bicubc')", "did you mean 'bicubic'"),
        ("F.interpolate(x, 4, mod='bicubic')", "did you mean 'mode'"),
        ("F.interpolate(x, 4, mode='nearest', align_corners=True)", "align_corners is not for mode 'nearest'"),
        ("F.interpolate(x, 4, None, 'nearest', None, None, False, 3)", "takes 7 arguments"),
        ("F.interpolate(x, 4, size=4)", "size is given twice"),
        ("F.interpolate(*args)", "write every argument out"),
        ("F.interpolate(x, **options)", "write every argument out"),
        ("F.interpolate(x, scale_factor=1/0)", "unknown without running the code"),
        ("nn.Upsample(4)(x, y)", "calls a layer with 2 arguments"),
        ("cv2.resize(x)", "give dsize, (width, height), or fx and fy"),
        ("cv2.resize(x, (4, 4), interpolation=cv2.INTER_CUBIK)", "did you mean 'INTER_CUBIC'"),
        ("cv2.resize(x, (4, 4), interpolation=9)", "interpolation is 9"),
        ("cv2.resize(x, (4, 4, 3))", "with 3 entries; give 2"),
        ("im.resize()", "needs size"),
        ("im.resize((4, 4), box=(5, 5, 1, 1))", "box must be None or"),
        ("tf.image.resize(x)", "needs size"),
        ("tf.raw_ops.ScaleAndTranslate(images=x, size=(4, 4))", "needs scale and translation"),
        ("tf.compat.v1.image.resize_area(x, (4, 4), half_pixel_centers=True)", "unknown argument"),
        ("jax.image.resize(x, (1, 2, 3, 4, 5), 'linear')", "write that of an HWC or NHWC image"),
        ("jax.image.resize(x, (4, 4))", "needs method"),
        ("Resize(X, mode='linear')", "needs sizes or scales"),
        ("Resize(X, sizes=(4, 4), mode='linear')", "has no entry for height and width"),
        ("tf.image.resizeBilinear(x)", "needs size"),
        ("keras.layers.Resizing(4)", "needs width"),
        ("keras.ops.image.resize(x, (4, 4), interpolation='area')", "interpolation is 'area'"),
        ("keras.ops.image.resize(x, (4, 4), crop_to_aspect_ratio=True)", "also crops or pads"),
        ("skimage.transform.resize(x, (4, 4), order=3)", "order is 3"),
        ("skimage.transform.resize(x, (4, 4), mode='edge')", "only mode='reflect'"),
        ("sw.resize(x)", "needs a size or a scale"),
        ("sw.resize(x, (4, 4), dialect='trch')", "did you mean 'torch'"),
        ("sw.resize(x, (4, 4), aling=3)", "unknown option of dialect 'standard'"),
        ("paddle.nn.functional.interpolate(x, [4, 4], data_format='NHWC')", "only channels first"),
        ("__import__('os').system('touch never')", "cannot tell whose call"),
    ],
)  # fmt: skip
def test_bad_calls_are_refused_in_one_line(call, message):
    with pytest.raises(ArgumentError) as caught:
        translate(call, "torch")
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_bad_targets_and_sizes():
    with pytest.raises(ArgumentError, match="did you mean 'torch'"):
        translate(BICUBIC, "trch")
    with pytest.raises(ArgumentError, match="has 3 lengths, and the call resizes 2 axes"):
        translate(BICUBIC, "cv2", (4, 4, 4))
    with pytest.raises(ArgumentError, match="compared up to 65,536"):
        translate(BICUBIC, "cv2", (40000, 4))
    with pytest.raises(ArgumentError, match="every entry must be an integer of at least 1"):
        translate(BICUBIC, "cv2", (4, 0))
    with pytest.raises(ArgumentError, match="depends on the size of the image; give it: --input"):
        translate("tf.image.resize(x, (4, 4), preserve_aspect_ratio=True)", "torch")
    with pytest.raises(ArgumentError, match="gives size"):
        translate("F.interpolate(x, scale_factor=0.0001)", "cv2")


def test_every_target_is_in_the_help():
    from sizewise.cli.translate import TARGETS

    assert tuple(TARGETS.split(", ")) == targets()
    assert cli is not None


def test_sizes_given_as_multiples():
    assert try_plan(read("tf.image.resize(x, (int(0.5 * x.shape[-3]), 2 * x.shape[-2]))"), (5, 4)).output_size == (2, 8)


# Common questions, whose answers are known from the frameworks' documentation and issues.
KNOWN = [
    (BICUBIC, "cv2", "cv2.resize(x, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)"),
    (BICUBIC, "pillow", None),  # a = -0.5
    (BICUBIC, "tf", None),
    (BICUBIC, "tfjs", None),
    ("F.interpolate(x, size=(64, 48), mode='bilinear', align_corners=True)", "tf1",
     "tf.compat.v1.image.resize_bilinear(x, (64, 48), align_corners=True)"),
    ("F.interpolate(x, size=(64, 48), mode='bilinear', align_corners=True)", "tf", None),
    ("F.interpolate(x, size=(64, 48), mode='bilinear', antialias=True)", "pillow",
     "x.resize((48, 64), Image.Resampling.BILINEAR)"),
    ("F.interpolate(x, size=(64, 48), mode='nearest')", "pillow", None),
    ("F.interpolate(x, size=(64, 48), mode='nearest-exact')", "tf", "tf.image.resize(x, (64, 48), method='nearest')"),
    ("F.interpolate(x, size=(64, 48), mode='nearest')", "cv2",
     "cv2.resize(x, (48, 64), interpolation=cv2.INTER_NEAREST)"),
    ("tf.compat.v1.image.resize_bilinear(x, (64, 48))", "torch", None),
    ("tf.compat.v1.image.resize_bilinear(x, (64, 48))", "onnx",
     "Resize(x, sizes=(64, 48), axes=(2, 3), mode='linear', coordinate_transformation_mode='asymmetric')"),
    ("im.resize((48, 64), Image.LANCZOS)", "tf", "tf.image.resize(im, (64, 48), method='lanczos3', antialias=True)"),
    ("im.resize((48, 64), Image.LANCZOS)", "torch",
     "F.interpolate(im, size=(64, 48), mode='lanczos', antialias=True)"),
    ("im.resize((48, 64), Image.LANCZOS)", "cv2", None),
    ("skimage.transform.resize(x, (64, 48))", "pillow", None),
]  # fmt: skip


@pytest.mark.parametrize(("call", "to", "expected"), KNOWN)
def test_known_answers(call, to, expected):
    facts = translate(call, to)
    assert facts.result == expected
    assert (facts.reason == "") == (expected is not None)
    if expected is None:
        assert facts.nearest.off > 0.01 and facts.nearest.differences


def test_reasons_name_the_differences():
    facts = translate(BICUBIC, "pillow")
    assert "cubic, a = -0.75" in facts.reason and "cubic, a = -0.5" in facts.reason
    assert {one.what for one in facts.nearest.differences} == {"filter", "beyond the edge"}
    facts = translate("tf.compat.v1.image.resize_bilinear(x, (64, 48))", "torch")
    places = [one for one in facts.nearest.differences if one.what == "output o reads"]
    assert [(one.here, "0.5" in one.there) for one in places] == [("o * step, step = n_in / n_out", True)]
    facts = translate("F.interpolate(x, size=(32, 32), mode='nearest')", "onnx", (14, 14))
    [one] = facts.nearest.differences
    taps = sw.make_plan((14,), (32,), "nearest", dialect="torch").taps[0]
    assert one.what == "14 -> 32, output 16, by rounding" and one.here == f"pixel {taps.start[16]}"


def test_the_error_equals_that_of_the_pixels():
    """The error on noise equals that of `resize` on other noise, within a tenth."""
    facts = translate(BICUBIC, "pillow", (40, 40))
    assert facts.nearest is not None
    x = np.random.default_rng(5).random((64, 40, 40, 1))
    pixels = [
        sw.resize(x, (80, 80), method, axes=(1, 2), dialect=dialect, antialias=flag)
        for dialect, method, flag in (("torch", "bicubic", False), ("pillow", "bicubic", None))
    ]
    measured = float(np.abs(pixels[0] - pixels[1]).max())
    assert facts.nearest.off <= measured * 1.1 and facts.nearest.off > measured / 2


def test_the_error_at_large_sizes_needs_little_memory():
    plans = [sw.make_plan((9000, 12000), (4000, 5000), dialect=name) for name in ("torch", "pillow")]
    assert 0.1 < noise_error(*plans) < 1


@pytest.mark.parametrize("call", [one.call for one in SOURCES[::2]])
def test_round_trips(call):
    """A translation translates back to a call with the same weights."""
    size = (29, 23)
    first = translate(call, "sizewise", size)
    for to in ("torch", "onnx", "tf", "cv2", "pillow", "tfjs", "jax"):
        there = translate(call, to, size)
        if there.result is None:
            continue
        own = OWN.get(first.spec.dialect, syntax.get("sizewise"))
        back = translate(there.result, own.name, size)
        assert back.result is not None, (call, there.result, back.reason)
        asked = try_plan(first.spec, size)
        assert relation(asked, try_plan(back.target, size)).off < 1e-4, (call, there.result, back.result)
        assert relation(asked, try_plan(read(back.result), size)).off < 1e-4


@pytest.mark.parametrize("name", targets())
def test_written_calls_are_read(name):
    """Every call that a syntax writes is read as the spec it was written from."""
    target = syntax.get(name)
    if target.any_dialect:
        return
    for variant in syntax.variants(target):
        for rest in ({"size": (12, 10)}, {"size": (Factor(2.0), Factor(0.5))}, {"scale": (2.0, 0.5)}):
            spec = replace(variant, **rest)
            try:
                text = target.write(spec, "x")
            except SizewiseError:
                continue
            again = read(text)
            assert again.size == spec.size and again.scale == spec.scale
            if name == "onnx-reference":  # whose calls are read as onnxruntime's
                assert replace(again, dialect=name).unusual == spec.unusual
            else:
                assert relation(try_plan(spec, (6, 20)), try_plan(again, (6, 20))).same, text


def test_one_and_three_axes():
    one = translate("F.interpolate(x, size=9, mode='linear')", "jax")
    assert one.result == "jax.image.resize(x, (*x.shape[:-2], 9, x.shape[-1]), method='linear', antialias=False)"
    three = translate("F.interpolate(x, size=(9, 8, 7), mode='trilinear')", "onnx")
    assert three.result is not None and "axes=(2, 3, 4)" in three.result
    two = translate("F.interpolate(x, size=(9, 8, 7), mode='trilinear')", "cv2")
    assert two.result is None and two.reason == "OpenCV resizes 2 axes at once, and this call 3."


def test_control_calls_that_differ_are_not_the_same():
    plans = [sw.make_plan((7, 7), (12, 12), dialect="torch", align_corners=flag) for flag in (False, True)]
    assert relation(*plans).off > 0.1 and not relation(*plans).same
    assert relation(plans[0], plans[0]).same
    assert not relation(plans[0], sw.make_plan((7, 7), (12, 11))).same


def test_nothing_is_imported_or_run():
    parsed = parse_call.parse("Image.open('nowhere.png').resize((4, 4))")
    assert syntax.of(parsed).name == "pillow"
    assert dialects.get(read("im.resize((4, 4))").dialect).name == "pillow"


@pytest.mark.parametrize(
    ("call", "to", "first"),
    [
        ("tf.image.resize(x, (41, 41), 'nearest')", "torch", "2 -> 41"),
        ("F.interpolate(x, size=(82, 82), mode='nearest')", "cv2", "2 -> 82"),
        ("tf.image.resize(x, (64, 41), 'nearest')", "torch", "2 -> 41"),
    ],
)
def test_sizes_that_differ_are_reported(call, to, first):
    facts = translate(call, to)
    assert facts.check.differing > 0
    assert str(facts.check.first) == first
    assert facts.rounding.what.startswith(f"{first}, output ")
    size = int(first.partition(" -> ")[2])
    [n_in] = facts.check.first.input_size
    assert translate(call, to, (n_in, n_in)).result != facts.result  # the call for all sizes differs there
    assert translate(call, to, (size, size)).result is not None


def test_options_of_all_axes_are_checked_for_all_axes_together():
    crop = "Resize(X, (0, 0, 1, 1), sizes=(4, 4), axes=(2, 3), coordinate_transformation_mode='tf_crop_and_resize')"
    facts = translate(crop, "cv2")
    assert (facts.check.differing, str(facts.check.first)) == (1, "3x3 -> 4x4")
    assert facts.rounding.what == "beyond the edge"


def test_a_rounding_is_not_described_as_equal_coordinates():
    facts = translate("cv2.resize(x, (10, 12), interpolation=cv2.INTER_NEAREST)", "tf1")
    assert facts.check.differing > 0 and facts.rounding.here != facts.rounding.there


NEAREST = [
    ("tf.image.resize(x, ({0}, {0}), 'nearest')", "tensorflow", {}),
    ("F.interpolate(x, size=({0}, {0}), mode='nearest')", "torch", {}),
    ("F.interpolate(x, size=({0}, {0}), mode='nearest-exact')", "torch", {"method": "nearest-exact"}),
    ("cv2.resize(x, ({0}, {0}), interpolation=cv2.INTER_NEAREST)", "opencv", {}),
    ("x.resize(({0}, {0}), Image.Resampling.NEAREST)", "pillow", {}),
    ("jax.image.resize(x, (1, {0}, {0}, 3), 'nearest')", "jax", {}),
]


@pytest.mark.parametrize(("size", "nearest"), sample(product([41, 82], NEAREST), 2))
def test_the_check_equals_index_maps_at_every_length(size, nearest):
    """Index maps are independent of the check."""
    call, dialect, options = nearest
    for to in targets():
        facts = translate(call.format(size), to)
        if facts.result is None or facts.check is None or facts.target.method not in ("nearest", "nearest-exact"):
            continue
        there = {**dict(facts.target.options), "dialect": facts.target.dialect, "method": facts.target.method}
        there.pop("recompute_scale_factor", None)
        lengths = range(1, facts.check.longest + 1)
        differing = [
            n
            for n in lengths
            if facts.condition == ""
            and (sw.index_map(n, size, **{"dialect": dialect, **options}) != sw.index_map(n, size, **there)).any()
        ]
        if facts.condition == "":
            assert len(differing) == facts.check.differing, (to, differing)
            assert facts.check.first is None or facts.check.first.input_size == (differing[0],)
