"""Identifying many images of few originals: the results of candidates are computed once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import sizewise as sw
from sizewise.insight import identify, prefilter
from sizewise.insight.candidates import Candidate, all_candidates


@contextmanager
def shared_work() -> Iterator[None]:
    """Inside it, what does not depend on the image that is to be identified is kept: plans, and what they give."""
    results, plan = prefilter.results, Candidate.make_plan
    made, plans, candidates = {}, {}, {}

    def kept_results(candidate, plan, image, windows=None):
        key = candidate, hash(image.x.tobytes()), image.wanted, plan.output_size, repr(windows)
        if key not in made:
            try:
                made[key] = list(results(candidate, plan, image, windows))
            except sw.errors.UnsupportedError as error:
                made[key] = error
        if isinstance(made[key], Exception):
            raise made[key]
        yield from made[key]

    def kept_plan(candidate, input_size):
        if (candidate, input_size) not in plans:
            plans[candidate, input_size] = plan(candidate, input_size)
        return plans[candidate, input_size]

    def kept_candidates(*arguments):
        if arguments not in candidates:
            candidates[arguments] = list(all_candidates(*arguments))
        return candidates[arguments]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Candidate, "make_plan", kept_plan)
        patch.setattr(prefilter, "results", kept_results)
        patch.setattr(identify, "results", kept_results)
        patch.setattr(prefilter, "all_candidates", kept_candidates)
        yield
