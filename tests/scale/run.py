"""Every data engine and the command line on many images: the same bits, all of them once, and memory that is flat.

    python tests/scale/run.py --images 20000

Each run is a process. Exit code 1 if a run has other bits, loses or repeats an image, or a process of it grows by more
than memory.MAX_GROWTH_BYTES per image; or if a planted leak, which keeps every result, is not found by that limit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import photos  # noqa: E402
from command_runs import COMMANDS  # noqa: E402
from memory import MAX_GROWTH_BYTES  # noqa: E402

from sizewise.preprocess import engines  # noqa: E402

MAX_SECONDS = 600
TOP = """# Data engines on many images

Made by `make scale IMAGES={count}`, which runs `python tests/scale/run.py`: do not edit. {count:,} JPEG photos of 48x64
pixels, resized, cropped and normalized to 3x32x32 float32, on {cores} cores of an {processor}; Python {python},
{versions}.
Ray, datasets, WebDataset and Dask have two worker processes, Daft threads. Seconds include the start of the engine.
Every run has the same SHA-256 over all results in order, `{sha}`,
with no image missing or twice. Where it says so, a worker was killed in the middle.

Memory is that of the largest process, without shared pages, at most in the first and in the last quarter of its images.
Growth is that of the process that grew most: from the median of its second quarter to that of its last, per image. More
than {limit:,.0f} bytes, an eighth of a result, is a failure. The last rows have a planted leak, which must be found:
each result, {result:,} bytes, is kept. Dask's log of the last 1,000 messages to each worker is limited to 10.
"""
HEADER = "| run | s | images/s | processes | first quarter, MB | last quarter, MB | growth, bytes per image |"


def environment() -> dict[str, str]:
    """Return the environment of the processes: this source tree, and no request over the network."""
    return {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{HERE}",
        "HF_HUB_OFFLINE": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),  # otherwise Ray writes one to the home folder
        # Dask logs the last 1,000 messages to each worker with their tasks: until then, 10 MB that look like a leak.
        "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "10",
    }


def run_engine(engine: str, folder: Path, *options: object) -> dict[str, Any]:
    """Return the report of a run; after MAX_SECONDS, it and its children are killed."""
    command = [sys.executable, HERE / "engine_runs.py", engine, folder, *options]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(list(map(str, command)), env=environment(), start_new_session=True, **pipes) as process:
        try:
            out, errors = process.communicate(timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        raise RuntimeError(f"{engine}: exit code {process.returncode}: {errors[-3000:]}")
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def runs(count: int) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the engine and the options of each run."""
    for name in (*COMMANDS, *engines.names()):
        yield name, ()
    for name in engines.TASK_ENGINES:
        yield name, ("--kill-after", count // 4)
        yield f"files_{name}", ("--kill-after", count // 4)
    for name in engines.names():
        yield name, ("--leak",)


def faults(found: dict[str, Any], options: tuple[object, ...], expected: str) -> list[str]:
    """Return what is wrong with a report."""
    checks = {
        f"other bits: {found['sha256']}": found["sha256"] != expected,
        f"{found['missing']} images missing": found["missing"],
        f"{found['repeated']} images repeated": found["repeated"],
        "no worker was killed": "--kill-after" in options and not found["killed"],
        "memory was not sampled": not found["processes"],
        f"grew by {found['growth_bytes']} bytes per image": (found["growth_bytes"] > MAX_GROWTH_BYTES)
        != ("--leak" in options),
    }
    return [text for text, is_wrong in checks.items() if is_wrong]


def row(found: dict[str, Any], options: tuple[object, ...]) -> str:
    """Return a row of the table."""
    what = "".join({"--leak": ", planted leak", "--kill-after": ", a worker killed"}.get(str(o), "") for o in options)
    name = found["engine"].replace("command-", "`preprocess run` of ").replace("files-", "files, `--engine` ")
    name = name.replace("files_", "`run_files` of ")
    first, last = (found[key] / 2**20 for key in ("first_bytes", "last_bytes"))
    rate = found["count"] / found["seconds"]
    return (
        f"| {name}{what} | {found['seconds']:.1f} | {rate:,.0f} | {found['processes']} | {first:.1f} | {last:.1f} "
        f"| {found['growth_bytes']:,.0f} |"
    )


def top(count: int, sha: str) -> str:
    """Return the beginning of the page."""
    from sizewise_bench import machine

    names = ("ray", "datasets", "webdataset", "dask", "daft", "numpy", "pillow")
    return TOP.format(
        count=count,
        cores=machine.cores(),
        processor=machine.processor(),
        python=platform.python_version(),
        versions=", ".join(f"{name} {version(name)}" for name in names),
        sha=sha,
        limit=MAX_GROWTH_BYTES,
        result=photos.RESULT_BYTES,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=20_000)
    parser.add_argument("--only", nargs="+", help="engines to run")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    given = parser.parse_args()
    lines, wrong, start = [HEADER, "|---|" + "---:|" * 6], 0, time.perf_counter()
    sys.stdout.write("\n".join(lines) + "\n")
    with tempfile.TemporaryDirectory() as name:
        photos.make(Path(name), given.images)
        expected = run_engine("plain", Path(name))["sha256"]
        for engine, options in runs(given.images):
            if given.only and engine not in given.only:
                continue
            found = run_engine(engine, Path(name), *options)
            lines.append(row(found, options))
            problems = faults(found, options, expected)
            wrong += bool(problems)
            sys.stdout.write("\n".join([lines[-1], *(f"  WRONG: {problem}" for problem in problems)]) + "\n")
            sys.stdout.flush()
    sys.stdout.write(f"SHA-256 {expected}; {wrong} wrong; {time.perf_counter() - start:.0f} s\n")
    if given.write and not wrong:
        given.write.write_text(f"{top(given.images, expected)}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
