"""Check of everything that a release publishes: `make release-check`.

python tests/check_release.py            build twice, compare, install, test; print a line for each check
python tests/check_release.py --update   write tests/wheel_files.txt, the files that a wheel must have

The second build runs in another folder, from the sdist of the first one, without a repository or a cache.
"""

from __future__ import annotations

import argparse
import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WHEEL_FILES = ROOT / "tests" / "wheel_files.txt"
BIN = "Scripts" if os.name == "nt" else "bin"
VERSION = re.findall('__version__ = "(.+)"', (ROOT / "sizewise/version.py").read_text(encoding="utf-8"))[0]
# A subset of the tests that needs neither a framework nor a repository, and takes seconds.
TESTS = (
    *("tests/promises/test_adjoint.py", "tests/promises/test_index_map.py", "tests/promises/test_gather.py"),
    *("tests/files/test_fit.py", "tests/cli/test_version.py"),
)
FIRST_RESIZE = """
import numpy as np, sizewise as sw
assert sw.resize(np.ones((480, 640, 3), np.float32), (224, 224)).shape == (224, 224, 3)
assert sw.core_info().reason is None, sw.core_info()
"""
# Names of other people's work in a file that ships: each would need its license beside it.
FOREIGN = re.compile(
    r"(?i)copyright (?:\(c\)|©|\d{4}|(?:the|by) )|(?-i:\([cC]\) (?:\d{4}|[A-Z]))|© ?\d{4}|spdx-license-identifier"
    r"|all rights reserved|licen[sc]ed under|@license|(?:general public|apache|mozilla public|bsd) licen[sc]e"
)
SPEAKS_OF_LICENSES = {"tests/check_release.py", "tests/test_release.py"}
BINARY = re.compile(r"sizewise/_core/_native\..*|tests/.*\.npz|docs/images/.*\.(png|jpg)")  # all made by this project
# Sentences that hold until the release only.
BEFORE_RELEASE = re.compile(r"(?i)until (?:\d+\.\d+\.\d+|the project) is (?:on the package index|published)")
# Where else the version stands, and the pattern that finds it.
NAMES_VERSION = (
    ("benchmarks/pyproject.toml", r'^version = "([^"]+)"'),
    ("CITATION.cff", r"^version: (.+)$"),
    ("Dockerfile", r"^ARG VERSION=(.+)$"),
    ("docs/how-to/ci.md", r"(?:sizewise@|rev: )v(\S+)"),
)
RENDER = """
import sys
from readme_renderer import markdown
sys.stdout.write(markdown.render(sys.argv[1]) or "")
"""

PIP_INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


class CheckError(Exception):
    """Reason for which there can be no release."""


def require(condition: object, message: str) -> None:
    if not condition:
        raise CheckError(message)


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
    """Return the output of a command, which must succeed; variables of Sizewise and of Python are not passed on."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SIZEWISE_", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd or ROOT, env=environment | variables, capture_output=True, text=True
    )
    require(done.returncode == 0, f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


# --- versions --------------------------------------------------------------------------------------------------------


def check_versions(tag: str | None) -> str:
    """Compare the version of the package with every other place that names it, and with the tag that is released."""
    headings = re.findall(r"^## \[(.+)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    require(headings, "CHANGELOG.md has no heading like '## [1.2.3] - 2026-01-31'")
    version, date = headings[0]
    require(version == VERSION, f"the first heading of CHANGELOG.md is {version}, and the version is {VERSION}")
    require(re.fullmatch(r"unreleased|\d{4}-\d\d-\d\d", date), f"CHANGELOG.md has the date {date!r}")
    # Users copy the newest release: this version as soon as it has a date.
    released = headings[1][0] if date == "unreleased" and len(headings) > 1 else VERSION
    for name, pattern in NAMES_VERSION:
        wanted = VERSION if name == "benchmarks/pyproject.toml" else released
        found = sorted(set(re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)))
        require(found == [wanted], f"{name} has version {', '.join(found) or 'none'} instead of {wanted}")
    if tag is not None:
        require(tag == f"v{VERSION}", f"the tag is {tag}, and the version {VERSION}")
        require(date != "unreleased", f"CHANGELOG.md has no date for {VERSION}, which is being released")
    return f"version {VERSION} ({date}), in {len(NAMES_VERSION) + 2} places{f', and tag {tag}' if tag else ''}"


def check_measurements(folder: Path = ROOT / "docs/measurements") -> str:
    """Compare the version with those that the pages of measurements name."""
    for name, command in (("performance", "make bench"), ("reliability", "make reliability")):
        text = (folder / f"{name}.md").read_text(encoding="utf-8")
        require(f"Sizewise {VERSION}" in text, f"{name}.md is of another version than {VERSION}: run `{command}`")
    return f"measurements of version {VERSION}"


def check_sentences() -> str:
    """Find sentences that stop being true with the release."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        found = BEFORE_RELEASE.search(path.read_text(encoding="utf-8"))
        require(found is None, f"{path.relative_to(ROOT)} says {found and found[0]!r}: it is published now")
    return "no sentence about the time before the release"


def find_tag() -> str | None:
    """Return the version tag of this commit, or None; raise if the version was released from another commit."""
    if not (ROOT / ".git").exists():
        return None
    here = run("git", "tag", "--points-at", "HEAD", "--list", "v*").split()
    released = run("git", "tag", "--list", f"v{VERSION}").split()
    require(not released or released == here, f"v{VERSION} was released from another commit: raise the version")
    require(len(here) < 2, f"this commit has several version tags: {', '.join(here)}")
    return here[0] if here else None


# --- builds ----------------------------------------------------------------------------------------------------------


def build(root: Path, output: Path) -> list[Path]:
    """Build the sdist and the wheel of both packages."""
    for folder in (root, root / "benchmarks"):
        run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", output, cwd=folder)
    return sorted(output.iterdir())


def unpack(sdist: Path, folder: Path) -> Path:
    """Unpack an sdist; return its root."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # since 3.11.4
    return folder / sdist.name.removesuffix(".tar.gz")


def check_same(first: list[Path], second: list[Path]) -> str:
    """Compare two builds byte for byte."""
    require([a.name for a in first] == [b.name for b in second], "two builds have files of different names")
    for a, b in zip(first, second, strict=True):
        require(a.read_bytes() == b.read_bytes(), f"two builds of {a.name} differ")
    return f"{len(first)} files, byte for byte the same from the tree and from its sdist"


def names_in(path: Path) -> dict[str, bytes]:
    """Return the files of a wheel or an sdist, without the folder and the version in their names."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return {re.sub(r"-[\d.]+(?=\.dist-info/)", "", name): wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(path) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        return {file.name.partition("/")[2]: archive.extractfile(file).read() for file in files}  # type: ignore[union-attr]


def wheel_lines(built: list[Path]) -> Iterator[str]:
    """Yield the names of the files in all wheels; the module, whose name depends on the system, as `_native`."""
    for wheel in (path for path in built if path.suffix == ".whl"):
        yield from sorted(re.sub(r"/_native\..*", "/_native", name) for name in names_in(wheel))


def check_contents(built: list[Path]) -> str:
    """Compare the files of the wheels with the committed list."""
    found, listed = set(wheel_lines(built)), set(WHEEL_FILES.read_text(encoding="utf-8").split("\n")) - {""}
    more, fewer = sorted(found - listed), sorted(listed - found)
    changes = ", ".join([f"+{name}" for name in more] + [f"-{name}" for name in fewer])
    require(not changes, f"wheels differ from {WHEEL_FILES.name}: {changes}; python tests/check_release.py --update")
    return f"{len(found)} files in the wheels, as in {WHEEL_FILES.name}"


def check_sdist(sdist: Path) -> str:
    """Compare the files of the sdist with those that git knows, where there is a repository."""
    if not (ROOT / ".git").exists():
        return "no repository: the files of the sdist are not compared with it"
    tracked, found = set(run("git", "ls-files").splitlines()), set(names_in(sdist)) - {"PKG-INFO"}
    changes = ", ".join(
        [f"+{name}" for name in sorted(found - tracked)] + [f"-{name}" for name in sorted(tracked - found)]
    )
    require(not changes, f"the sdist differs from the repository: {changes}")
    return f"{len(found)} files in the sdist, those of the repository"


def check_licenses(built: list[Path]) -> str:
    """Check that all that ships is under the one license of the project, which ships with it."""
    license_text, count = (ROOT / "LICENSE").read_bytes(), 0
    for path in built:
        files = names_in(path)
        metadata = next(text for name, text in files.items() if name == "PKG-INFO" or name.endswith("/METADATA"))
        fields = email.message_from_bytes(metadata)
        require(fields["License-Expression"] == "MIT", f"{path.name} has the license {fields['License-Expression']}")
        copies = [text for name, text in files.items() if Path(name).name == "LICENSE"]
        require(copies and set(copies) == {license_text}, f"{path.name} lacks LICENSE, or has another one")
        count += len(files)
        for name, text in files.items():
            is_binary = b"\0" in text[:8192]
            require(not is_binary or BINARY.fullmatch(name), f"{name} in {path.name} is binary: whose work is it?")
            is_ours = is_binary or Path(name).name == "LICENSE" or name in SPEAKS_OF_LICENSES
            found = None if is_ours else FOREIGN.search(text.decode("utf-8", "replace"))
            require(found is None, f"{name} in {path.name} speaks of {found and found[0]!r}: whose work is it?")
    return f"{count} files, all under the MIT license of the project"


def check_links(name: str, page: str, repository: str) -> int:
    """Return the number of links of a rendered readme; each is absolute, and one to the repository leads to a file."""
    raw = repository.replace("https://github.com/", "https://raw.githubusercontent.com/")
    ours = re.compile(rf"(?:{raw}|{repository}/blob)/v{re.escape(VERSION)}/([^#]+)")
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    for link in links:
        require(link.startswith(("https://", "#")), f"{name} has the relative link {link} in its description")
        if found := ours.match(link):
            require((ROOT / found[1]).exists(), f"{name} links {link}, and there is no {found[1]}")
    return len(links)


def check_descriptions(built: list[Path], tools: Path) -> str:
    """Check metadata and readme as the package index does, and that the links of the readme."""
    run(tools / "twine", "check", "--strict", *built)
    repository = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]
    count = 0
    for path in built:
        files = names_in(path)
        text = next(text for name, text in files.items() if name == "PKG-INFO" or name.endswith("/METADATA"))
        page = run(tools / "python", "-c", RENDER, text.decode().partition("\n\n")[2])
        require(page, f"the package index cannot render the description of {path.name}")
        count += check_links(path.name, page, repository)
    return f"twine check --strict; the readmes render; {count} links are absolute, ours lead to files"


# --- installation ----------------------------------------------------------------------------------------------------


def measure_install(built: list[Path], folder: Path) -> Iterator[str]:
    """Install the wheel as a stranger does, and resize; nothing else runs meanwhile."""
    wheel = next(path for path in built if path.suffix == ".whl")
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / BIN / "python"
    begin = time.perf_counter()
    run(python, *PIP_INSTALL, "--only-binary", ":all:", "--no-cache-dir", wheel)
    installed = time.perf_counter() - begin
    begin = time.perf_counter()
    run(python, "-c", FIRST_RESIZE, cwd=folder)
    first = time.perf_counter() - begin
    yield f"pip install, NumPy included, without a cache: {installed:.1f} s (wanted: 10)"
    yield f"python -c with the first resize after it: {first:.2f} s (wanted: 0.4)"


def check_installed(built: list[Path], source: Path, folder: Path) -> Iterator[str]:
    """Run both commands and tests of the unpacked sdist with the installed wheels."""
    wheel, bench = (path for path in built if path.suffix == ".whl")
    python = folder / "venv" / BIN / "python"
    run(
        python,
        *PIP_INSTALL,
        "--constraint",
        ROOT / "constraints.txt",
        f"{wheel}[cli]",
        bench,
        "pytest",
        "hypothesis",
        "ml_dtypes",
        "psutil",
    )
    command = folder / "venv" / BIN / "sizewise"
    expected = (ROOT / "tests/cli/explain_16x16_4x4.txt").read_text(encoding="utf-8")
    require(run(command, "explain", "16x16", "4x4", cwd=folder, PYTHONUTF8="1") == expected, "sizewise explain differs")
    run(command, "bench", "--only", "32x32", "--rounds", "1", cwd=folder)
    yield "sizewise explain and sizewise bench run from the wheels"
    shutil.rmtree(source / "sizewise")  # tests must import the wheel, in other processes too
    result = run(folder / "venv" / BIN / "pytest", "-q", "-p", "no:cacheprovider", *TESTS, cwd=source)
    yield f"tests of the sdist, without a repository: {result.strip().splitlines()[-1]}"


def check_all(tools: Path, *, update: bool) -> Iterator[str]:
    """Yield a line for each check that passed."""
    if not update:
        tag = os.environ.get("RELEASE_TAG") or find_tag()
        yield check_versions(tag)
        if tag:
            yield check_measurements()
            yield check_sentences()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = build(ROOT, folder / "first")
        if update:
            WHEEL_FILES.write_text("".join(f"{line}\n" for line in sorted(wheel_lines(built))), encoding="utf-8")
            yield f"wrote {WHEEL_FILES.relative_to(ROOT)}"
            return
        checks: tuple[Callable[[], str], ...] = (
            lambda: check_contents(built),
            lambda: check_licenses(built),
            lambda: check_descriptions(built, tools),
            lambda: check_sdist(sdist),
        )
        sdist = next(path for path in built if path.name == f"sizewise-{VERSION}.tar.gz")
        for check in checks:
            yield check()
        yield from measure_install(built, folder)
        with ThreadPoolExecutor(1) as pool:  # compiling again takes longest
            second = pool.submit(build, unpack(sdist, folder / "rebuilt"), folder / "second")
            yield from check_installed(built, unpack(sdist, folder / "tested"), folder)
            yield check_same(built, second.result())
    yield "not checked here: wheels for other systems and Pythons on their own, the upload, attestations (release.yml)"


def main() -> int:
    """Run the checks, and print a line for each; the exit code is 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the list of files in the wheels")
    parser.add_argument("--tools", type=Path, default=ROOT / ".venv/release" / BIN, help="folder that has twine")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    try:
        for line in check_all(arguments.tools, update=arguments.update):
            print(f"[{time.perf_counter() - begin:5.1f} s] {line}", flush=True)
    except CheckError as error:
        print(f"release-check: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
