"""check_words: excluded words are found, and allowed ones are not."""

from __future__ import annotations

import check_words
import pytest


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("reads so many pixels", "so many"),
        ("the result As it is", "As it is"),
        ("rounded to whole numbers", "whole numbers"),
        ("the colours of neighbouring pixels", "colour"),
        ("half_pixel_centres", "centre"),
        ("normalised weights", "normalise"),
        ("MOST_PLANS = 128", "MOST_PLANS"),
        ("if n < _LEAST_ROWS:", "_LEAST_ROWS"),
        ('    """What a step returns."""', "What"),
        ("# Who calls it", "Who"),
    ],
)
def test_excluded_words_are_found(line: str, word: str) -> None:
    found = list(check_words.check_text("sizewise/plan.py", f"import numpy\n{line}\n"))
    assert (found[0].path, found[0].line, found[0].word) == ("sizewise/plan.py", 2, word)


@pytest.mark.parametrize(
    "line",
    [
        "MAX_PLANS = 128, the number of plans",
        "half_pixel_centers of gray neighbors, normalized",
        "almost and at least one; many small images",
        "its own axis, whole rows",
        "promised precisely; optimism",
    ],
)
def test_allowed_words_are_not(line: str) -> None:
    assert not list(check_words.check_text("sizewise/plan.py", line))


def test_constants_are_looked_for_in_code_only() -> None:
    assert not list(check_words.check_text("docs/page.md", "MOST_PLANS"))


def test_every_file_is_clean() -> None:
    assert check_words.check_files(check_words.tracked_files()) == []
