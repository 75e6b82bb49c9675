"""Reader and writer of torchvision: presets of weights, and Compose of v1 and v2 transforms.

Read are objects, and the dictionaries {"torchvision": {"preset": "ImageClassification", "crop_size": 224, ...}} with
the arguments of a preset, and {"torchvision": {"transforms": [{"transform": "v2.Resize", "size": 256}, ...]}} with
those of each transform; a name without "v2." is that of `torchvision.transforms`.

torchvision treats PIL images and tensors differently, so `backend` says what it gets: "pil" (the default) or "tensor".

- PIL images are resized by Pillow, always antialiased.
- Tensors of bytes are resized by PyTorch: in float32, rounded half to even, by v1 and by presets; as bytes by v2.
- ToTensor and v1 ConvertImageDtype divide by 255; v2 ConvertImageDtype and ToDtype multiply by 1 / 255 in float32.
- Tensors of floats are not scaled by these; they are resized in their own precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ... import validation
from ...errors import ArgumentError, UnsupportedError, short_repr, unknown_name
from ..margin_steps import PadBy
from ..pointwise_steps import Cast, Normalize, Rescale, ToUnitRange
from ..size_rules import Exact, LongestEdgeExact, ShortestEdge, SizeRule
from ..steps import CenterCrop, Decode, Layout, Resize, Step
from ._common import cannot_write, color, lengths, look_up, package_of, pair, require_keys, verified

if TYPE_CHECKING:
    from ..preprocessor import Preprocessor

NAME = "torchvision"
KEY = "torchvision"
BACKENDS = ("pil", "tensor")
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
PRESETS: dict[str, dict[str, Any]] = {
    "ImageClassification": {"crop_size": None, "resize_size": 256, "mean": _MEAN, "std": _STD},
    "SemanticSegmentation": {"resize_size": None, "mean": _MEAN, "std": _STD},
    "ObjectDetection": {},
}
_RESIZE: dict[str, Any] = {"interpolation": "bilinear", "antialias": True}
# Arguments of each transform, with their defaults; one without a default is None.
TRANSFORMS: dict[str, dict[str, Any]] = {
    "Resize": {"size": None, "max_size": None, **_RESIZE},
    "CenterCrop": {"size": None},
    "Pad": {"padding": None, "fill": 0, "padding_mode": "constant"},
    "Normalize": {"mean": None, "std": None, "inplace": False},
    "ToTensor": {},
    "PILToTensor": {},
    "ConvertImageDtype": {"dtype": "float32"},
    "Grayscale": {"num_output_channels": 1},
    "v2.ToImage": {},
    "v2.ToDtype": {"dtype": None, "scale": False},
    "v2.RGB": {},
    "v2.Identity": {},
    "v2.ToPureTensor": {},
}
_BOTH = [name for name in TRANSFORMS if not name.startswith("v2.")]
TRANSFORMS.update({f"v2.{name}": TRANSFORMS[name] for name in _BOTH})
REFUSED = {
    "VideoClassification": "it takes videos, and recipes take images",
    "OpticalFlow": "it takes two images",
    "Lambda": "it calls a function, which has no parameters to read",
    **dict.fromkeys(("FiveCrop", "TenCrop"), "it returns several images"),
    **dict.fromkeys(
        ("ColorJitter", "GaussianNoise", "AutoAugment", "AugMix", "JPEG", "ElasticTransform"), "it is random"
    ),
    **dict.fromkeys(("TrivialAugmentWide", "ScaleJitter", "MixUp", "CutMix"), "it is random"),
}
_PILLOW = {name: name for name in ("nearest", "bilinear", "bicubic", "box", "hamming", "lanczos")}
METHODS = {
    "pil": {**_PILLOW, "nearest-exact": "nearest"},
    "tensor": {name: name for name in ("nearest", "nearest-exact", "bilinear", "bicubic", "lanczos")},
}
_CODES = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"}  # Pillow's


def recognizes(config: Any) -> bool:
    """Return whether an object is of torchvision, or a dictionary has the key "torchvision"."""
    if isinstance(config, Mapping):
        return KEY in config
    children = (
        list(config.children()) if type(config).__name__ == "Sequential" and package_of(config) == "torch" else []
    )
    return package_of(config) == "torchvision" or bool(children and all(map(recognizes, children)))


def read(config: Any, backend: str | None = None) -> tuple[Step, ...]:
    """Return the steps of a preset or of transforms; `backend` is "pil" or "tensor", what the transforms are given.

    >>> [step.name for step in read({"torchvision": {"crop_size": 224}})]
    ['resize', 'center_crop', 'rescale', 'normalize', 'layout']
    """
    if not isinstance(config, Mapping):
        config = {KEY: describe(config)}
    require_keys("a torchvision configuration", config, (KEY,))
    if not isinstance(config[KEY], Mapping):
        raise ArgumentError(f"{KEY} is {short_repr(config[KEY])}; give the arguments of a preset, or transforms")
    given = dict(config[KEY])
    written = given.pop("backend", "pil")
    state = _State(look_up("backend", backend or written, {name: name for name in BACKENDS}))
    for name, arguments in _transforms(given):
        state.add(name, arguments)
    return state.steps


def _transforms(given: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and arguments of transforms, those of a preset too."""
    if "transforms" not in given:
        return _preset(given)
    require_keys("a torchvision configuration", given, ("transforms", "backend"))
    found = []
    if not isinstance(given["transforms"], (list, tuple)):
        raise ArgumentError(f"transforms are {short_repr(given['transforms'])}; give a list")
    for one in given["transforms"]:
        if not isinstance(one, Mapping) or not isinstance(one.get("transform"), str):
            raise ArgumentError(
                f'a transform is {short_repr(one)}; write it like {{"transform": "Resize", "size": 256}}'
            )
        name, arguments = one["transform"], {key: value for key, value in one.items() if key != "transform"}
        _require_known(name)
        require_keys(name, arguments, TRANSFORMS[name])
        found.append((name, {**TRANSFORMS[name], **arguments}))
    return found


def _require_known(name: str) -> None:
    """Raise for a transform that cannot be read, with the reason where it is known."""
    short = name.rpartition(".")[2]
    if short in REFUSED or short.startswith("Random"):
        raise UnsupportedError(f"{name} of torchvision cannot be read: {REFUSED.get(short, 'it is random')}")
    if name not in TRANSFORMS:
        raise unknown_name("transform of torchvision", name, TRANSFORMS)


def _preset(given: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the transforms of a preset: those of v1, which all presets call."""
    kind = given.get("preset", "ImageClassification")
    if isinstance(kind, str) and kind in REFUSED:
        raise UnsupportedError(f"the preset {kind} cannot be read: {REFUSED[kind]}")
    defaults = look_up("preset", kind, PRESETS)
    known = {**defaults, **(_RESIZE if "resize_size" in defaults else {})}
    require_keys(f"the preset {kind}", given, ("preset", *known))
    values = {**known, **{key: value for key, value in given.items() if key != "preset"}}
    transforms = []
    if values.get("resize_size") is not None:
        resize = {"size": values["resize_size"], "max_size": None}
        transforms.append(("Resize", {**resize, **{key: values[key] for key in _RESIZE}}))
    if kind == "ImageClassification":
        transforms.append(("CenterCrop", {"size": values["crop_size"]}))
    transforms += [("v2.ToImage", {}), ("ConvertImageDtype", {"dtype": "float32"})]
    return transforms + ([("Normalize", {key: values[key] for key in ("mean", "std")})] if "mean" in values else [])


class _State:
    """The steps so far, and whether the image is a PIL image or a tensor at this point, and its dtype."""

    def __init__(self, backend: str) -> None:
        self.backend, self.is_tensor, self.dtype = backend, backend == "tensor", "uint8"
        self.found: list[Step] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, with the order of the axes that the last transform returns."""
        return (*self.found, *([Layout("CHW")] if self.is_tensor else []))

    def add(self, name: str, given: Mapping[str, Any]) -> None:
        """Add the steps of one transform."""
        short = name.removeprefix("v2.")
        if short == "Resize":
            self.found.append(self._resize(name, given))
        elif short == "CenterCrop":
            self.found.append(CenterCrop(*pair("size of CenterCrop", given["size"]), rounding="round"))
        elif short == "Pad":
            self.found.append(_pad(given))
        elif short == "Normalize":
            self._require_tensor(name, floats=True)
            mean, std = color(given["mean"], "mean"), color(given["std"], "std")
            self.found.append(Normalize(mean, std, compute="float64" if self.dtype == "float64" else "float32"))
        elif short in ("ToTensor", "PILToTensor"):
            self._to_tensor(name)
        elif short == "ToImage":
            self.is_tensor = True
        elif short in ("ConvertImageDtype", "ToDtype"):
            self._convert(name, given)
        elif short == "Grayscale":
            self._gray(given)
        elif short == "RGB" and self.found and isinstance(self.found[0], Decode):
            raise UnsupportedError("RGB after Grayscale cannot be read: leave out both, or convert the images before")

    def _to_tensor(self, name: str) -> None:
        if self.is_tensor and not name.startswith("v2."):  # v2 leaves tensors as they are
            raise ArgumentError(f"{name} takes PIL images, and gets a tensor; leave it out")
        if name in ("ToTensor", "v2.ToTensor") and not self.is_tensor:
            self._scale("float32", is_divided=True)
        self.is_tensor = True

    def _resize(self, name: str, given: Mapping[str, Any]) -> Resize:
        rule = _rule(given)
        methods = METHODS["tensor" if self.is_tensor else "pil"]
        method = look_up(f"interpolation of {'tensors' if self.is_tensor else 'PIL images'}", _method(given), methods)
        if not self.is_tensor:
            return Resize(rule, method, "pillow")
        if method == "lanczos" and (not name.startswith("v2.") or not given["antialias"]):
            raise UnsupportedError("torchvision resizes tensors with lanczos by v2.Resize(antialias=True) only")
        is_filtered = not method.startswith("nearest")
        is_cast = is_filtered and self.dtype == "uint8" and not name.startswith("v2.")
        antialias = bool(given["antialias"]) if is_filtered else None
        return Resize(rule, method, "torch", antialias, compute="float32" if is_cast else None)

    def _require_tensor(self, name: str, *, floats: bool) -> None:
        if not self.is_tensor:
            raise ArgumentError(f"{name} gets a PIL image; put ToTensor or v2.ToImage before it")
        if floats and self.dtype == "uint8" and self.backend == "pil":
            raise ArgumentError(f"{name} gets bytes; put ToTensor or v2.ToDtype(torch.float32, scale=True) before it")

    def _convert(self, name: str, given: Mapping[str, Any]) -> None:
        self._require_tensor(name, floats=False)
        dtype = _dtype(name, given["dtype"])
        if self.dtype != "uint8" or not given.get("scale", True):
            if dtype != self.dtype:
                self.found.append(Cast(dtype))
            self.dtype = dtype
        else:
            self._scale(dtype, is_divided=name == "ConvertImageDtype")

    def _scale(self, dtype: str, is_divided: bool) -> None:
        """Add the step from bytes to [0, 1]; tensors that a caller gives may be floats, which keep their scale."""
        self.dtype = dtype
        if self.backend == "tensor":
            self.found.append(ToUnitRange(None, reciprocal=not is_divided, dtype=dtype))
        else:
            scale = 255.0 if is_divided else 1 / 255
            self.found.append(Rescale(scale, divide=is_divided, compute=dtype, dtype=dtype))

    def _gray(self, given: Mapping[str, Any]) -> None:
        if self.is_tensor or self.found or given["num_output_channels"] != 1:
            raise UnsupportedError("Grayscale can be read as the first transform of PIL images, with 1 channel")
        self.found.append(Decode("L"))


def _rule(given: Mapping[str, Any]) -> SizeRule:
    size = given["size"]
    limit = None if given["max_size"] is None else validation.require_int(given["max_size"], "max_size", 1)
    if size is None:
        if limit is None:
            raise ArgumentError("Resize has no size; give one, or max_size for the longer edge")
        return LongestEdgeExact(limit)
    sizes = lengths("size of Resize", size)
    if len(sizes) == 2:
        if limit is not None:
            raise ArgumentError(f"Resize has size {sizes} and max_size {limit}; give max_size with one length only")
        return Exact(*sizes)
    if limit is not None and limit <= sizes[0]:
        raise ArgumentError(f"max_size {limit} of Resize must be greater than its size {sizes[0]}")
    return ShortestEdge(sizes[0], limit)


def _method(given: Mapping[str, Any]) -> Any:
    """Return the name of an interpolation: of an InterpolationMode, a name or a number of Pillow."""
    value = given["interpolation"]
    value = getattr(value, "value", value)
    return _CODES.get(value, value) if isinstance(value, int) else value


def _dtype(name: str, given: Any) -> str:
    dtype = str(given).removeprefix("torch.")
    if isinstance(given, Mapping) or dtype not in ("float32", "float64"):
        raise UnsupportedError(f"{name}: dtype {short_repr(given)} cannot be read; give float32 or float64")
    return dtype


def _pad(given: Mapping[str, Any]) -> PadBy:
    if given["padding_mode"] != "constant":
        raise UnsupportedError(f"Pad: padding_mode={given['padding_mode']!r} cannot be read; recipes pad with a color")
    if isinstance(given["fill"], Mapping):
        raise UnsupportedError("Pad: a fill for each type cannot be read; give one color")
    one = validation.as_int(given["padding"])
    values = list((one,) if one is not None else validation.as_sequence(given["padding"]) or ())
    if len(values) not in (1, 2, 4):
        raise ArgumentError(f"padding is {short_repr(given['padding'])}; give one, two or four integers")
    left, top, right, bottom = values * (4 // len(values))
    return PadBy(top, bottom, left, right, color(given["fill"] or 0, "fill"))


def describe(config: Any) -> dict[str, Any]:
    """Return the dictionary of a torchvision object: weights, a preset, a Compose or one transform."""
    if not _class_name(config) and callable(getattr(config, "transforms", None)):
        config = config.transforms()  # weights, whose presets are made when they are asked for
    kind = type(config).__name__
    if type(config).__module__ == "torchvision.transforms._presets":
        if kind in REFUSED:
            raise UnsupportedError(f"the preset {kind} cannot be read: {REFUSED[kind]}")
        known = {**PRESETS[kind], **(_RESIZE if "resize_size" in PRESETS[kind] else {})}
        return {"preset": kind, **{key: getattr(config, key) for key in known}}
    return {"transforms": [_describe(one) for one in _flatten(config)]}


def _flatten(config: Any) -> list[Any]:
    """Return the transforms of a Compose or Sequential, and of those inside it; or the one transform."""
    kind = type(config).__name__
    if kind not in ("Compose", "Sequential"):
        return [config]
    children = config.transforms if kind == "Compose" else config.children()
    return [one for child in children for one in _flatten(child)]


def _class_name(one: Any) -> str:
    """Return the name of a transform under torchvision.transforms, such as "v2.Resize"; "" for other objects."""
    module = type(one).__module__
    if not module.startswith("torchvision.transforms"):
        return ""
    return ("v2." if module.startswith("torchvision.transforms.v2") else "") + type(one).__name__


def _describe(one: Any) -> dict[str, Any]:
    name = _class_name(one)
    if not name:
        what = getattr(one, "__qualname__", type(one).__qualname__)
        raise unknown_name("transform of torchvision", f"{type(one).__module__}.{what}", TRANSFORMS)
    _require_known(name)
    return {"transform": name, **{key: getattr(one, key) for key in TRANSFORMS[name]}}


def write(preprocessor: Preprocessor) -> dict[str, Any]:
    """Return {"torchvision": {"transforms": [...]}} that says the same; raise UnsupportedError if none does.

    `build` makes a Compose of it.
    """
    steps = preprocessor.steps
    is_tensor = any(isinstance(step, ToUnitRange) for step in steps)
    backend, transforms = "tensor" if is_tensor else "pil", []
    for step in steps:
        if isinstance(step, Resize) and step.dialect == "torch" and not is_tensor:
            transforms.append({"transform": "v2.ToImage"})
            is_tensor = True
        if isinstance(step, (Rescale, Cast, Layout)) and not is_tensor:
            is_tensor = True
            transforms.append({"transform": "PILToTensor"})
        transforms += _write_step(step)
    given = {"transforms": transforms, **({} if backend == "pil" else {"backend": backend})}
    config: dict[str, Any] = verified(NAME, preprocessor, {KEY: given}, read)
    return config


def _write_step(step: Step) -> list[dict[str, Any]]:
    """Return the transforms of one step."""
    if isinstance(step, Resize):
        return [_write_resize(step)]
    if isinstance(step, CenterCrop):
        return [{"transform": "v2.CenterCrop", "size": [step.height, step.width]}]
    if isinstance(step, PadBy):
        padding = [step.left, step.top, step.right, step.bottom]
        fill = [int(one) if one.is_integer() else one for one in step.fill]
        return [{"transform": "v2.Pad", "padding": padding, "fill": fill[0] if len(fill) == 1 else fill}]
    if isinstance(step, Normalize):
        return [{"transform": "v2.Normalize", "mean": list(step.mean), "std": list(step.std)}]
    if isinstance(step, Cast):
        return [{"transform": "v2.ToDtype", "dtype": step.dtype}]
    if isinstance(step, (Rescale, ToUnitRange)):
        is_divided = step.divide if isinstance(step, Rescale) else not step.reciprocal
        if is_divided:
            return [{"transform": "ConvertImageDtype", "dtype": step.dtype}]
        return [{"transform": "v2.ToDtype", "dtype": step.dtype, "scale": True}]
    if isinstance(step, Decode) and step.decoder == "pillow" and step.orientation == "ignore":
        return [{"transform": "v2.Grayscale"}] if step.mode == "L" else []
    if isinstance(step, Layout):
        return []
    raise cannot_write(NAME, step)


def _write_resize(step: Resize) -> dict[str, Any]:
    rule = step.rule
    sizes: dict[str, Any] = {}
    if isinstance(rule, Exact):
        sizes = {"size": [rule.height, rule.width]}
    elif isinstance(rule, ShortestEdge):
        sizes = {"size": rule.edge, **({} if rule.max_edge is None else {"max_size": rule.max_edge})}
    elif isinstance(rule, LongestEdgeExact):
        sizes = {"size": None, "max_size": rule.edge}
    else:
        raise cannot_write(NAME, step)
    backends = {"pillow": "pil", "torch": "tensor"}
    if step.spec.method not in METHODS.get(backends.get(step.dialect, ""), ()):
        raise cannot_write(NAME, step)
    name = "Resize" if step.compute == "float32" else "v2.Resize"
    antialias = {"antialias": step.spec.antialias} if step.dialect == "torch" and step.spec.method in _FILTERED else {}
    return {"transform": name, **sizes, "interpolation": step.spec.method, **antialias}


_FILTERED = ("bilinear", "bicubic", "lanczos")


def build(config: Mapping[str, Any]) -> Any:
    """Return the `torchvision.transforms.v2.Compose` of a dictionary that `write` returned; this needs torchvision."""
    import torch
    from torchvision import transforms
    from torchvision.transforms import v2

    made = []
    for one in config[KEY]["transforms"]:
        name, arguments = one["transform"], {key: value for key, value in one.items() if key != "transform"}
        if "dtype" in arguments:
            arguments["dtype"] = getattr(torch, arguments["dtype"])
        if "interpolation" in arguments:
            arguments["interpolation"] = transforms.InterpolationMode(arguments["interpolation"])
        made.append(getattr(v2 if name.startswith("v2.") else transforms, name.removeprefix("v2."))(**arguments))
    return v2.Compose(made)
