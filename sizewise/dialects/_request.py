"""Request: one resize with every argument resolved, the input of a dialect's functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from ..errors import UnsupportedError

Options = Mapping[str, object]
OptionItems = tuple[tuple[str, object], ...]  # hashable form of `Options`


@dataclass(frozen=True)
class Request:
    """One resize with every argument resolved.

    `scale` is the caller's own scale per axis, or None if the size was given instead. `options` has every option of
    the dialect, as pairs of name and value. `precision` is the dtype of coordinates, for dialects in which it depends
    on the dtype of the array.

    >>> import sizewise as sw
    >>> request = sw.make_plan((4, 6), (2, 9), "bilinear", dialect="torch").request
    >>> request.antialias, request.option("align_corners"), request.scales
    (False, False, (0.5, 1.5))
    """

    dialect: str
    method: str
    antialias: bool
    input_size: tuple[int, ...]
    output_size: tuple[int, ...]
    scale: tuple[float, ...] | None = None
    options: OptionItems = ()
    precision: str = "float64"

    def option(self, name: str) -> object:
        """Return the value of an option of the dialect."""
        return dict(self.options)[name]

    @property
    def axes(self) -> tuple[tuple[int, int, float | None], ...]:
        """Return (n_in, n_out, scale as given, or None) of each axis."""
        scales = self.scale or (None,) * len(self.input_size)
        return tuple(zip(self.input_size, self.output_size, scales, strict=True))

    @property
    def scales(self) -> tuple[float, ...]:
        """Return the scale of each axis: as given, or the ratio of the sizes."""
        return self.scale or tuple(n_out / n_in for n_in, n_out, _ in self.axes)


def request_to_text(kind: str, request: Request) -> str:
    """Return the text of a request's plan: "whole", its "linear" part or "T", the transpose."""
    return repr((kind, tuple(getattr(request, field.name) for field in fields(request))))


def scale_and_translation(request: Request) -> tuple[tuple[float, float], ...] | None:
    """Return (scale, translation) of each axis, for dialects with the option `translation`.

    None is a plain resize: no translation, and the scale is the ratio of the sizes.

    >>> scale_and_translation(Request("jax", "linear", True, (4, 4), (8, 2), options=(("translation", 1.0),)))
    ((2.0, 1.0), (0.5, 1.0))
    """
    given = request.option("translation")
    if given is not None:
        each = given if isinstance(given, tuple) else (given,) * len(request.scales)
        return tuple(zip(request.scales, each, strict=True))
    if any(scale and round(n * scale) != n_out for n, n_out, scale in request.axes):
        raise UnsupportedError(
            f"{request.dialect}: scale {request.scale} is not the ratio of the sizes {request.input_size} and "
            f"{request.output_size}; it needs translation as well (0 for none)"
        )
    return None
