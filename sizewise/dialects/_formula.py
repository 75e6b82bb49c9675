"""Formulas: which pixels an output reads, as readable expressions that Python can evaluate."""

from __future__ import annotations

from dataclasses import dataclass, replace

# Pixels outside the image.
REPEATED = "the edge pixel repeats"
LEFT_OUT = "pixels outside are left out, the others divided by their sum"
REPEATED_TWICE = "the edge pixel repeats twice, pixels beyond are left out"
MIRRORED = "mirrored, edge pixel read again"
MIRRORED_ON_EDGE = "mirrored, edge pixel read once"

# Input pixels per output pixel.
BY_SIZE = "n_in / n_out"
BY_SCALE = "1 / scale"
BY_CORNERS = "(n_in - 1) / (n_out - 1) if n_out > 1 else 0"

# Coordinate of output o, or its pixel.
HALF_PIXEL = "(o + 0.5) * step - 0.5"
ASYMMETRIC = "o * step"
UNDER_CENTER = "floor((o + 0.5) * step)"
UNDER_EDGE = "floor(o * step)"
WIDENED = "max(step, 1)"

NEAREST = "pick"
MEAN = "mean"


@dataclass(frozen=True)
class Formula:
    """The pixels that output `o` of one axis reads, apart from rounding.

    Expressions use o, n_in, n_out, `scale` (as given, or n_out / n_in), floor, ceil, min and max, `translation`, and
    the `start` and `end` of a box or roi along the axis. All but `step` itself use `step`, too.

    `x` is a coordinate among pixels with centers at 0, 1, 2, ... A `kernel`, widened by `stretch`, weights the pixels
    around it. Two kernels are no filters: "pick" is the pixel x itself, and "mean" the mean between the edges x and
    `to`, where pixel i covers i .. i + 1. `edges` describes pixels outside the image. With `copied`, an axis that
    keeps its length is copied, regardless of the filter.

    >>> Formula(BY_SIZE, HALF_PIXEL, "linear").x
    '(o + 0.5) * step - 0.5'
    """

    step: str
    x: str
    kernel: str = NEAREST
    stretch: str = "1"
    edges: str = REPEATED
    to: str = ""
    copied: bool = False

    @property
    def is_filter(self) -> bool:
        """Whether a filter weights the pixels.

        >>> area(BY_SIZE).is_filter
        False
        """
        return self.kernel not in (NEAREST, MEAN)


def area(step: str) -> Formula:
    """Return the formula of `area`: the mean over the extent of an output.

    >>> area(BY_SIZE).to
    '(o + 1) * step'
    """
    return Formula(step, "o * step", MEAN, edges=LEFT_OUT, to="(o + 1) * step")


def adaptive_mean(step: str = BY_SIZE) -> Formula:
    """Return the formula of adaptive average pooling: the mean of all pixels that an output overlaps.

    >>> adaptive_mean().x
    'floor(o * step)'
    """
    return Formula(step, "floor(o * step)", MEAN, to="ceil((o + 1) * step)")


def filter_inside(step: str, kernel: str, antialias: bool, x: str = HALF_PIXEL, copied: bool = False) -> Formula:
    """Return the formula of a filter cropped to the image, widened for downscaling with `antialias`.

    >>> filter_inside(BY_SIZE, "linear", antialias=True).stretch
    'max(step, 1)'
    """
    return Formula(step, x, _NAMES.get(kernel, kernel), WIDENED if antialias else "1", LEFT_OUT, copied=copied)


def translate(formula: Formula) -> Formula:
    """Return the formula with the image at scale * x + translation in the output, and 0 around it.

    >>> translate(area(BY_SIZE)).x
    '(o - translation) * step'
    """
    x, to = (each.replace("o + 0.5", "o + 0.5 - translation") for each in (formula.x, formula.to))
    x, to = (each.replace("(o + 1)", "(o + 1 - translation)") for each in (x, to))
    x = "(o - translation) * step" if x == ASYMMETRIC else x
    edges = f"{formula.edges}; outputs outside are 0" if formula.edges == LEFT_OUT else formula.edges
    return replace(formula, step=BY_SCALE, x=x, to=to, edges=edges, copied=False)


def cubic(a: float) -> str:
    """Return the name of cubic convolution with slope `a`.

    >>> cubic(-0.75)
    'cubic, a = -0.75'
    """
    return f"cubic, a = {a:g}"


_NAMES = {"bilinear": "linear", "bicubic": cubic(-0.5), "lanczos": "lanczos3"}
