"""Identity: what was found out about where a resized image comes from, as facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .pairs import Pair
from .scores import Score
from .ways import Way

_NEAR = 0.75 / 255  # residual, as a part of the range, up to which something else than a resize may have touched pixels
# Percent of identical pixels from which on the method is likely right. Measured by benchmarks/identify_unknown.py, of
# images made by libraries that no dialect is of: from 95 % on it was right for 36 of 36, below that for 55 of 136 that
# came near, and for none of 12 below 40 %. The library named is never the true one there.
_LIKELY = 95.0


@dataclass(frozen=True)
class Group:
    """Ways that give the same pixels at these sizes, the most usual first, and how near those are.

    `noise` is what the compression that was asked for changes in them, as a residual.
    """

    ways: tuple[Way, ...]
    score: Score
    noise: float | None = None

    @property
    def percent(self) -> float:
        """The share of pixels that are identical."""
        return 100 * self.score.identical / self.score.pixels


@dataclass(frozen=True, repr=False)
class Identity:
    """Which ways may have made a resized image, the nearest first, and what that means.

    `status` is "exact", "within 1" (of whole numbers), "near", "nothing fits" or "same size". `lines` are lines of
    code that give the nearest again, each with the name of the library that it is for.
    """

    input_size: tuple[int, int]
    output_size: tuple[int, int]
    channels: int
    dtype: str
    status: str
    verdict: str
    groups: tuple[Group, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    tried: int = 0
    jpeg: str = ""

    @property
    def fits(self) -> bool:
        """Whether a way was found."""
        return self.status in ("exact", "within 1", "near")

    @property
    def confidence(self) -> str:
        """How sure it is: "certain", "likely" (the method; the library need not be), "unsure" or "none"."""
        if not self.fits:
            return "none"
        return confidence(self.status, self.groups[0])

    @property
    def best(self) -> Way | None:
        """The most usual of the nearest ways; None where nothing fits."""
        return self.groups[0].ways[0] if self.fits else None

    def __repr__(self) -> str:
        lines = [self.verdict, *(f"  {name}: {code}" for name, code in self.lines if self.fits)]
        return "\n".join(lines)


def status(nearest: Group, two: Pair) -> str:
    """How well the nearest ways fit."""
    best = nearest.score
    if best.exact:
        return "exact"
    if nearest.noise is not None:
        return "near" if best.residual <= 0.5 + nearest.noise / 2 else "nothing fits"
    if two.theirs.dtype.kind != "f" and best.largest <= 1:
        return "within 1"
    return "near" if best.residual <= _NEAR * two.picture.range else "nothing fits"


def confidence(kind: str, nearest: Group) -> str:
    """How sure it is that the nearest ways are those that made the image, which is not left without a fit.

    >>> confidence("within 1", Group((), Score(99, 100, 1.0, 0.1)))
    'likely'
    """
    if kind == "exact":
        return "certain"
    return "likely" if nearest.percent >= _LIKELY else "unsure"


_UNKNOWN = "a library that Sizewise does not know may have made it"
_DOUBT = {
    "certain": "",
    "likely": f"; the method is likely, the library need not be: {_UNKNOWN}",
    "unsure": f"; unsure, since fewer than {_LIKELY:.0f} % are identical: {_UNKNOWN}, perhaps by another method",
}


def verdict(kind: str, groups: Sequence[Group], two: Pair, jpeg: str) -> str:
    """What was found, in one or two sentences."""
    if kind == "nothing fits":
        return _nothing(groups[0])
    first = groups[0]
    among = first.ways
    after = f" after JPEG compression ({jpeg})" if jpeg else ""
    pixels = f"{first.score.pixels:,}"
    if kind == "exact":
        close = "the same to rounding" if two.theirs.dtype.kind == "f" else "identical"
        fit = f"all {pixels} pixels are {close}{after}"
    else:
        fit = f"{first.percent:.4g} % of {pixels} pixels are identical{after}, none is off by more than "
        fit += f"{first.score.largest:.4g}"
    sure = confidence(kind, first)
    return f"{_opening(kind, sure, among)}: {fit}{_DOUBT[sure]}"


def _opening(kind: str, sure: str, among: Sequence[Way]) -> str:
    """Which ways it is about, as surely as that is known."""
    several = len(among) > 1
    listed = _listed(among) if several else among[0].label
    if sure == "certain":
        return f"undecidable at this size between {listed}" if several else f"{among[0].library}: {listed}"
    if sure == "likely":
        return f"{kind}: {'one of ' if several else ''}{listed}"
    return f"{kind}, not identified: nearest {'are' if several else 'is'} {listed}"


def _nothing(nearest: Group) -> str:
    return (
        f"nothing fits: not a plain resize of this original (cropped, edited, other colours, or another library). "
        f"Nearest is {nearest.ways[0].label}, off by up to {nearest.score.largest:.4g}, "
        f"with a residual of {nearest.score.residual:.3g}"
    )


def _listed(ways: Sequence[Way], most: int = 4) -> str:
    """Ways in a sentence: of many the first, and one of each dialect and method before others."""
    firsts: dict[tuple[str, str], Way] = {}
    for way in ways:
        firsts.setdefault((way.dialect, way.method), way)
    labels = [way.label for way in (list(firsts.values()) if len(ways) > most else ways)[:most]]
    if len(ways) > len(labels):
        return f"{'; '.join(labels)} and {len(ways) - len(labels)} more"
    return f"{'; '.join(labels[:-1])} and {labels[-1]}"
