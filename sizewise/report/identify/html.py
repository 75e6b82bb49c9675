"""An identification as a page: the verdict, the code to use, the nearest candidates, and pictures."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from ...files import jpeg
from ...insight.candidates import Candidate
from ...insight.identification import Group, Identification
from ...insight.image_pair import ImagePair, image_pair
from ...insight.pixel_error import difference
from ...insight.pixels import finished, results
from ..page import arrows, page
from ..pictures import MAX_SIDE, difference_map, image_uri, to_uint8
from ..text import format_size, format_sizes
from .text import candidate_names, format_error

_SEVERITIES = {"exact": "", "within 1": "medium", "near": "medium", "nothing fits": "high", "same size": "medium"}


def identification_page(facts: Identification, original: Any, resized: Any, command: str = "") -> str:
    """Return the page of an identification of two images, arrays or file names.

    `command` is the line that writes the page again.
    """
    pair = image_pair(original, resized)
    best = facts.groups[0].specs[0] if facts.groups else None
    ours = None if best is None else _result(best, pair, facts.jpeg, resized)
    heat = None
    if ours is not None:
        apart = difference(ours, pair.theirs).max(axis=-1)
        heat = difference_map(apart, float(apart.max()), "where they differ") if apart.max() > pair.tolerance else None
    return page(
        "identify.html",
        title="Which resize made this image?",
        lead=f"{arrows(format_sizes(facts.input_size, facts.output_size))}, {facts.channels} "
        f"channel{'' if facts.channels == 1 else 's'} of {facts.dtype}",
        command=command,
        status=facts.status,
        severity=_SEVERITIES[facts.status],
        confidence=facts.confidence if facts.fits else "",
        verdict=facts.verdict.removeprefix(f"{facts.status}: "),
        notes=facts.notes,
        lines=facts.lines,
        columns=("rank", "candidate", "identical", "largest difference", "residual"),
        rows=[_row(rank, group) for rank, group in enumerate(facts.groups, 1)],
        tried=f"{facts.tried:,} candidates were tried; those in one row give the same pixels at this size.",
        cards=_cards(pair, best, ours),
        ratio=facts.output_size[1] / facts.output_size[0],
        map=heat,
        downscaled=max(*facts.input_size, *facts.output_size) > MAX_SIDE,
    )


def _result(best: Candidate, pair: ImagePair, settings_name: str, resized: Any) -> NDArray:
    """Return the pixels of a candidate, compressed as JPEG if the result was."""
    plan = best.make_plan(pair.input_size)
    values = next(values for one, values in results(replace(best, finish=""), plan, pair.source) if one == best)
    if not settings_name:
        return finished(best, values, pair.theirs.dtype, pair.theirs)
    settings = jpeg.settings_of(resized) if isinstance(resized, (str, os.PathLike)) else None
    settings = settings or next(one for one in jpeg.likely_settings(pair.theirs) if one.name == settings_name)
    return settings.recompress(finished(best, values, pair.theirs.dtype))


def _cards(pair: ImagePair, best: Candidate | None, ours: NDArray | None) -> list[dict[str, object]]:
    images = [("original", "Original", pair.source.x, ""), ("given", "Given result", pair.theirs, "")]
    if best is not None and ours is not None:
        images.append(("best", "Best candidate", ours, f", {best.label}"))
    low, value_range = min(0.0, float(pair.theirs.min())), pair.source.range
    return [
        {
            "id": name,
            "label": label,
            "about": f"{format_size(x.shape[:2])}{about}",
            "uri": image_uri(to_uint8(x, low, value_range)),
            "ratio": x.shape[1] / x.shape[0],
        }
        for name, label, x, about in images
    ]


def _row(rank: int, group: Group) -> list[object]:
    values = (group.percent, group.error.largest, group.error.residual)
    return [rank, candidate_names(group), *zip(format_error(group), values, strict=True)]
