"""Runner of the code blocks of a page, in order and in one folder, as a reader who pastes them would.

`run` starts it in a process that sees only the packages that the page installs. A `python` block must raise nothing;
each command of a `console` block must print what the page shows below it; the commands of an `sh` block must exit with
0, or with the code that a comment names ("# exit code 1"); a `text` block is what the block before it prints.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import hide_packages

ROOT = Path(__file__).resolve().parents[1]
RUN = ("python", "console", "sh", "text")
# Commands that a reader runs once, or on another machine; test_pages.py checks that their extras exist.
_NOT_RUN = re.compile(r"pip install|docker |sizewise --(install|show)-completion")
# Rates and versions of the machine are not those of the page; "[...]" stands for lines that the page leaves out.
_VARYING = (
    (re.compile(r"[0-9.,]+ (files|images)/s"), r"N \1/s"),
    (re.compile(r"PyTorch [\d.]+"), "PyTorch"),
)
_SHELL = 'set -o pipefail\nsizewise() { "$PYTHON" -m sizewise "$@"; }\n'


class Block(NamedTuple):
    """One block of a page: its language, its text, and its first line in the page."""

    language: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page, in order; those inside of lists, too."""
    found = re.finditer(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", page, flags=re.DOTALL | re.MULTILINE)
    return [
        Block(
            match[2], re.sub(rf"^{match[1]}", "", match[3], flags=re.MULTILINE), page.count("\n", 0, match.start(3)) + 1
        )
        for match in found
    ]


def installs(page: str) -> list[str]:
    """Return the packages of every `pip install` in a page; without one, Sizewise alone."""
    commands = re.findall(r"pip install\s((?:[\w.,\[\]-]+|\"[^\"]+\"|\s)+?)(?=`|\n|$|#)", page)
    found = [name.strip('"') for command in commands for name in command.split() if not name.startswith("-")]
    return ["sizewise", *(re.sub(r"^\.(?=\[|$)", "sizewise", name) for name in found)]


def run(page: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the blocks of a page in a folder, in a process that sees the packages of its `pip install` only."""
    (folder / ".page.md").write_text(page, encoding="utf-8")
    command = [sys.executable, hide_packages.__file__, *hide_packages.missing(installs(page))]
    environment = {**os.environ, "PYTHON": sys.executable, "HOME": str(folder), "COLUMNS": "80"}
    code = "import page_blocks; page_blocks.run_here(globals()); page_blocks.leave()"
    return subprocess.run(command, input=code, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def run_here(names: dict[str, object]) -> None:
    """Run the blocks of .page.md in this process and folder; raise at the first one that fails."""
    printed = ""
    for block in blocks(Path(".page.md").read_text(encoding="utf-8")):
        try:
            if block.language == "python":
                printed = _run_python(block, names)
            elif block.language == "console":
                _run_console(block.text)
            elif block.language == "sh":
                printed = "".join(_run_line(line) for line in block.text.splitlines())
            elif block.language == "text":
                _compare(printed, block.text)
        except Exception as error:
            raise AssertionError(f"the {block.language} block in line {block.line} of the page fails") from error


def leave() -> None:
    """End the process at once if Daft ran: its threads may abort an interpreter that ends."""
    if "daft" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _run_python(block: Block, names: dict[str, object]) -> str:
    is_session = block.text.startswith(">>>")
    printed = io.StringIO()
    if is_session:
        _run_session(block, names)
        return ""
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (block.line - 1) + block.text, ".page.md", "exec"), names)
    return printed.getvalue()


def _run_session(block: Block, names: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, "page", ".page.md", block.line)
    test.globs = names
    outcome = doctest.DocTestRunner(verbose=False).run(test, clear_globs=False)
    assert outcome.failed == 0 and outcome.attempted > 0


def _run_console(text: str) -> None:
    """Run all commands of a block in one shell, and compare what each prints with the page."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    commands = [part.partition("\n")[0] for part in parts]
    mark = "-- next --"
    # The last line keeps `$?` for a command that shows it.
    script = "\n".join(f"{command}\n_code=$?; echo; echo '{mark}'; (exit $_code)" for command in commands)
    outputs = _shell(script).stdout.split(f"\n{mark}\n")
    for part, output in zip(parts, outputs, strict=False):
        _compare(output, part.partition("\n")[2])


def _run_line(line: str) -> str:
    """Run one command of an sh block, and return what it prints."""
    command, _, comment = line.partition("  #")
    if not command.strip() or _NOT_RUN.search(command):
        return ""
    expected = re.search(r"exit code (\d+)", comment)
    done = _shell(command)
    assert done.returncode == int(expected[1] if expected else 0), f"{command}: {done.returncode}\n{done.stdout}"
    return done.stdout


def _shell(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", _SHELL + script],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip


def _compare(printed: str, shown: str) -> None:
    """Raise if the output is not that of the page."""
    for pattern, fixed in _VARYING:
        printed, shown = pattern.sub(fixed, printed), pattern.sub(fixed, shown)
    pattern = ".*".join(re.escape(part) for part in re.split(r"\[\.\.\.\]\n", shown))
    if not re.fullmatch(pattern, printed, flags=re.DOTALL):
        raise AssertionError("\n".join(_difference(printed, shown)))


def _difference(printed: str, shown: str) -> Iterator[str]:
    import difflib

    yield from difflib.unified_diff(shown.splitlines(), printed.splitlines(), "page", "printed", lineterm="", n=1)
