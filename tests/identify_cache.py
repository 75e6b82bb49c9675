"""Identifying many images of few originals: what ways make of an original is made once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import sizewise as sw
from sizewise.insight import glance, identify
from sizewise.insight.ways import Way, all_ways


@contextmanager
def shared_work() -> Iterator[None]:
    """Inside it, what does not depend on the image that is to be identified is kept: plans, and what they give."""
    results, plan = glance.results, Way.plan
    made, plans, ways = {}, {}, {}

    def kept_results(way, plan, image, windows=None):
        key = way, hash(image.x.tobytes()), image.wanted, plan.output_size, repr(windows)
        if key not in made:
            try:
                made[key] = list(results(way, plan, image, windows))
            except sw.errors.UnsupportedError as error:
                made[key] = error
        if isinstance(made[key], Exception):
            raise made[key]
        yield from made[key]

    def kept_plan(way, *sizes):
        if (way, sizes) not in plans:
            plans[way, sizes] = plan(way, *sizes)
        return plans[way, sizes]

    def kept_ways(*words):
        if words not in ways:
            ways[words] = list(all_ways(*words))
        return ways[words]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Way, "plan", kept_plan)
        patch.setattr(glance, "results", kept_results)
        patch.setattr(identify, "results", kept_results)
        patch.setattr(glance, "all_ways", kept_ways)
        yield
