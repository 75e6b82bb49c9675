"""The values of one configuration of transformers: defaults filled in, sizes as dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ArgumentError, UnsupportedError, short_repr, unknown_name
from ...validation import as_int, require_bool, require_float, require_int
from ._common import color
from ._huggingface_classes import EDGE_CLASSES, PARTS

_EDGES = ("height", "width", "shortest_edge", "longest_edge", "max_height", "max_width")
_FLAGS = ("keep_aspect_ratio", "rescale_offset", "include_top", "default_to_square", "pad_and_return_pixel_mask")
_INTEGERS = (
    *("max_size", "size_divisor", "ensure_multiple_of", "min_size", "resize_short", "image_size", "max_num_patches"),
    *("min_pixels", "max_pixels", "merge_size", "temporal_patch_size", "spatial_patch_size"),
)
_NUMBERS = ("rescale_factor", "crop_pct", "padding_value")
_AREA = {"min_pixels": "shortest_edge", "max_pixels": "longest_edge"}


def require_types(name: str, values: Mapping[str, Any]) -> None:
    """Raise ArgumentError for a value of a wrong type; None is the absence of a value."""
    for key, given in values.items():
        if given is None:
            continue
        kind = f"{key} of {name}ImageProcessor"
        if key.startswith("do_") or key in _FLAGS:
            require_bool(given, kind)
        elif key in _INTEGERS:
            require_int(given, kind, 0)
        elif key in _NUMBERS:
            require_float(given, kind)
        elif key in ("image_mean", "image_std"):
            color(given, kind)
        elif key == "resample" and as_int(given) is None:
            raise ArgumentError(f"{kind} must be a number of Pillow, such as 3 for bicubic, not {short_repr(given)}")


class Values:
    """The values of a configuration of the class `name`, of the pipeline `kind`, for a backend."""

    def __init__(
        self, name: str, kind: str, backend: str, values: Mapping[str, Any], defaults: Mapping[str, Any]
    ) -> None:
        self.name, self.kind, self.backend, self.values = name, kind, backend, values
        is_square = "shortest_edge" not in defaults.get("size", {}) and name not in EDGE_CLASSES
        self.is_square = bool(values.get("default_to_square", is_square))
        for key, reason in PARTS.items():
            if values.get(key):
                raise UnsupportedError(f"{name}ImageProcessor with {key} cannot be read: {reason}")

    def __getitem__(self, key: str) -> Any:
        return self.values.get(key)

    def size(self, key: str) -> dict[str, int]:
        """Return a size as a dictionary; an integer is a square or a shortest edge, by the class."""
        found = self._edges(key, self[key])
        for edge, n in found.items():
            if not isinstance(n, int) or isinstance(n, bool) or n < 1:
                raise ArgumentError(f"{edge} of {key} is {short_repr(n)}; it must be a positive integer")
        return found

    def _edges(self, key: str, value: Any) -> dict[str, Any]:
        if isinstance(value, Mapping):
            found = {edge: n for edge, n in value.items() if n is not None}
            if self.kind == "qwen2_vl":
                found = {_AREA.get(edge, edge): n for edge, n in found.items()}
            for edge in found:
                if edge not in _EDGES:
                    raise unknown_name(f"entry of {key}", edge, _EDGES)
            if key == "size" and self["max_size"] not in (None, found.get("longest_edge")):
                raise ArgumentError(f"max_size {short_repr(self['max_size'])} contradicts size {short_repr(found)}")
            return found
        if isinstance(value, int) and not isinstance(value, bool):
            if key != "size" or self.is_square:
                return {"height": value, "width": value}
            return {"shortest_edge": value, **self._longest_edge()}
        if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
            height, width = reversed(value) if self.kind == "donut" else value
            return {"height": height, "width": width}
        raise ArgumentError(f"{key} of {self.name}ImageProcessor is {short_repr(value)}; give height and width")

    def _longest_edge(self) -> dict[str, Any]:
        """Return the limit that goes with an integer, in the classes that have one."""
        if self.kind not in ("detr", "yolos", "rf_detr", "maskformer") or self.name == "RTDetr":
            return {}
        limit = self["max_size"] or (None if self.kind == "maskformer" else 1333)
        return {} if limit is None else {"longest_edge": limit}

    def fixed(self, key: str) -> tuple[int, int]:
        """Return the height and width of a size."""
        size = self.size(key)
        if set(size) != {"height", "width"}:
            raise ArgumentError(f"{key} of {self.name}ImageProcessor is {size}; give height and width")
        return size["height"], size["width"]

    def edge(self, key: str, name: str) -> int:
        """Return the only edge of a size."""
        size = self.size(key)
        if set(size) != {name}:
            raise self.unsupported(key)
        return size[name]

    def unsupported(self, key: str, remedy: str = "") -> ArgumentError:
        """Return the error of a size that the class does not take."""
        return ArgumentError(f"{self.name}ImageProcessor takes no {key} of {short_repr(self[key])}{remedy}")
