"""Check of words and names: reports private vocabulary, British spellings and MOST_-like constants, by file and line.

`python tests/check_words.py` checks every file that git knows; `make lint` and pre-commit run it. Docstrings and
comments must not begin with What, Who or Whose.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = {".py", ".md", ".txt", ".h", ".cpp", ".html", ".css", ".js", ".mjs", ".j2", ".toml", ".yaml", ""}
SKIPPED = ("tests/check_words.py", "tests/test_words.py", "tests/node/", "LICENSE", "constraints.txt")

PHRASES = {
    "so many": "give the number",
    "whoever": "name the reader or the caller",
    "nobody": "name the caller",
    "as it is": "unchanged",
    "of its own": "its own ..., separate",
    "of their own": "their own ..., separate",
    "made anew": "rebuilt",
    "goes past": "exceeds, bypasses",
    "there is to": "say what exists",
    "whole number": "integer",
    "whole numbers": "integers",
    "numbers of": "elements, pixels, bytes, counts",
}
SPELLINGS = {
    "behaviour": "behavior",
    "centre": "center",
    "colour": "color",
    "favour": "favor",
    "grey": "gray",
    "honour": "honor",
    "licence": "license",
    "neighbour": "neighbor",
}
STEMS = "general initial local maxim minim normal optim organ quant random recogn serial special synchron util vector"
BOUNDS = "MOST LEAST LONGEST SHORTEST LARGEST SMALLEST FEWEST GREATEST FEW MANY SMALL"
# Identifiers of other libraries with a British spelling.
IDENTIFIERS = re.compile(r"\b(?:lightgrey|darkgrey|slategrey)\b")

_RULES = (
    (re.compile(rf"\b(?:{'|'.join(PHRASES)})\b", re.IGNORECASE), PHRASES),
    (re.compile(rf"(?:{'|'.join(SPELLINGS)})", re.IGNORECASE), SPELLINGS),
)
_ISE = re.compile(rf"(?:{STEMS.replace(' ', '|')})is(?=e|ing|ation)", re.IGNORECASE)
_QUESTION = re.compile(r'^\s*(?:[rf]?"""|#|//) ?(What|Who|Whose)\b')
_BOUND = re.compile(rf"\b_?(?:{BOUNDS.replace(' ', '|')})(?:_[A-Z0-9_]+)?\b(?!\()")


class Finding(NamedTuple):
    """A word that the rules exclude, where it stands, and the advice."""

    path: str
    line: int
    word: str
    advice: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word!r}: {self.advice}"


def check_text(path: str, text: str) -> Iterator[Finding]:
    """Yield the findings of one file."""
    is_code = path.endswith((".py", ".h", ".cpp", "Makefile"))
    for number, line in enumerate(text.splitlines(), start=1):
        plain = IDENTIFIERS.sub("", line)
        for pattern, advice in _RULES:
            yield from (Finding(path, number, one, advice[one.lower()]) for one in pattern.findall(plain))
        yield from (Finding(path, number, f"{one}e", f"{one[:-2]}ize") for one in _ISE.findall(plain))
        if is_code:
            yield from (Finding(path, number, one, "begin with a verb or a noun") for one in _QUESTION.findall(plain))
            yield from (Finding(path, number, one, "MAX_ or MIN_, what, and the unit") for one in _BOUND.findall(plain))


def tracked_files() -> list[str]:
    """Return the paths of the text files that git tracks, without the skipped ones."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    present = (path for path in listed if path and (ROOT / path).is_file() and not path.startswith(SKIPPED))
    return [path for path in present if Path(path).suffix in SUFFIXES]


def check_files(paths: Iterable[str]) -> list[Finding]:
    """Return the findings of these files."""
    return [one for path in paths for one in check_text(path, (ROOT / path).read_text(encoding="utf-8"))]


if __name__ == "__main__":
    found = check_files(sys.argv[1:] or tracked_files())
    sys.stdout.write("".join(f"{line}\n" for line in found))
    sys.exit(bool(found))
