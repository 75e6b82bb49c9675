"""Identification: the candidates that may have produced a resized image, with a confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .candidates import Candidate
from .image_pair import ImagePair
from .pixel_error import PixelError, format_value

_NEAR = 0.75 / 255  # residual, relative to the range, up to which a later edit may explain the difference
# Percent of identical pixels from which on the method is likely right. Measured by benchmarks/identify_unknown.py on
# images made by libraries without a dialect: from 95 % on the method was right for 36 of 36, below that for 55 of 136
# that came near, and for none of 12 below 40 %. The library named is never the true one there.
_LIKELY = 95.0


@dataclass(frozen=True)
class Group:
    """Candidates that give the same pixels at these sizes, the most common first, and the error of those pixels.

    `noise` is the residual that the requested compression alone causes.
    """

    specs: tuple[Candidate, ...]
    error: PixelError
    noise: float | None = None

    @property
    def percent(self) -> float:
        """The percentage of identical pixels."""
        return 100 * self.error.identical / self.error.pixels


@dataclass(frozen=True, repr=False)
class Identification:
    """The candidates that may have produced a resized image, the nearest first, and a verdict.

    `status` is "exact", "within 1" (of integers), "near", "nothing fits" or "same size". `lines` are lines of code
    that reproduce the nearest candidate, each with the name of its library.
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
        """Whether a candidate fits."""
        return self.status in ("exact", "within 1", "near")

    @property
    def confidence(self) -> str:
        """How certain it is: "certain", "likely" (the method; the library may be another), "unsure" or "none"."""
        return confidence(self.status, self.groups[0]) if self.fits else "none"

    @property
    def best(self) -> Candidate | None:
        """The most common of the nearest candidates; None where nothing fits."""
        return self.groups[0].specs[0] if self.fits else None

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *(f"  {name}: {code}" for name, code in self.lines if self.fits)])


def status(nearest: Group, pair: ImagePair) -> str:
    """Return how well the nearest candidates fit."""
    error = nearest.error
    if error.exact:
        return "exact"
    if nearest.noise is not None:
        return "near" if error.residual <= 0.5 + nearest.noise / 2 else "nothing fits"
    if pair.theirs.dtype.kind != "f" and error.largest <= 1:
        return "within 1"
    return "near" if error.residual <= _NEAR * pair.source.range else "nothing fits"


def confidence(kind: str, nearest: Group) -> str:
    """Return the confidence that the nearest candidates produced the image, given that they fit."""
    if kind == "exact":
        return "certain"
    return "likely" if nearest.percent >= _LIKELY else "unsure"


_UNKNOWN = "a library that Sizewise does not know may have made it"
_DOUBT = {
    "certain": "",
    "likely": f"; the method is likely right, the library may be another: {_UNKNOWN}",
    "unsure": f"; unsure, since fewer than {_LIKELY:.0f} % are identical: {_UNKNOWN}, perhaps by another method",
}


def verdict(kind: str, groups: Sequence[Group], pair: ImagePair, jpeg: str) -> str:
    """Return the result in one or two sentences."""
    first = groups[0]
    if kind == "nothing fits":
        return (
            "nothing fits: not a plain resize of this original (cropped, edited, other colors, or another library). "
            f"Nearest is {first.specs[0].label}, off by up to {format_value(first.error.largest)}, "
            f"with a residual of {format_value(first.error.residual, 3)}"
        )
    after = f" after JPEG compression ({jpeg})" if jpeg else ""
    pixels, largest = f"{first.error.pixels:,} pixels are", format_value(first.error.largest)
    if kind == "exact":
        close = "the same to rounding" if pair.theirs.dtype.kind == "f" else "identical"
        fit = f"all {pixels} {close}{after}"
    else:
        fit = f"{first.percent:.4g} % of {pixels} identical{after}, none is off by more than {largest}"
    sure = confidence(kind, first)
    return f"{_opening(kind, sure, first.specs)}: {fit}{_DOUBT[sure]}"


def _opening(kind: str, sure: str, among: Sequence[Candidate]) -> str:
    """Return the names of the candidates, in a phrase that says how certain they are."""
    several = len(among) > 1
    listed = _listed(among) if several else among[0].label
    if sure == "certain":
        return f"undecidable at this size between {listed}" if several else f"{among[0].library}: {listed}"
    if sure == "likely":
        return f"{kind}: {'one of ' if several else ''}{listed}"
    return f"{kind}, not identified: nearest {'are' if several else 'is'} {listed}"


def _listed(candidates: Sequence[Candidate], limit: int = 4) -> str:
    """Join the labels of candidates; of more than `limit`, one of each dialect and method."""
    firsts: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        firsts.setdefault((candidate.dialect, candidate.method), candidate)
    chosen = (list(firsts.values()) if len(candidates) > limit else candidates)[:limit]
    labels = [candidate.label for candidate in chosen]
    if len(candidates) > len(labels):
        return f"{'; '.join(labels)} and {len(candidates) - len(labels)} more"
    return f"{'; '.join(labels[:-1])} and {labels[-1]}"
