"""`--engine` of `preprocess run` and `resize`: the bytes of the plain command, after kills too, and errors."""

from __future__ import annotations

import hashlib
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pytest
from files.shard_files import write_tar
from PIL import Image
from pyarrow import parquet

from sizewise.preprocess import Exact, Preprocessor, Rescale, Resize, engines

ROOT = Path(__file__).parents[2]
FILES = 48
MAX_SECONDS = 100
RAY = """
import ray, sys
quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
ray.init("local", num_cpus=2, _node_ip_address="127.0.0.1", **quiet)
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
"""
DASK = """
import distributed, sys
if __name__ == "__main__":
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
    cluster.close()
"""


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    # A cluster of Ray has tokens by default; a client with an address takes its token only in this mode.
    ray = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    return {**os.environ, "PYTHONPATH": str(ROOT), **ray}


@pytest.fixture(scope="module")
def clusters(environment, tmp_path_factory):
    """Return the process and the address of a cluster of each engine."""
    folder, found = tmp_path_factory.mktemp("clusters"), {}
    for engine, code in (("ray", RAY), ("dask", DASK)):
        (folder / f"start_{engine}.py").write_text(code)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        found[engine] = subprocess.Popen([sys.executable, folder / f"start_{engine}.py"], env=environment, **pipes)
    yield {engine: (one, one.stdout.readline().strip()) for engine, one in found.items()}
    for one in found.values():
        one.communicate(timeout=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a recipe, and files and shards of photos that take a while."""
    path = tmp_path_factory.mktemp("photos")
    Preprocessor([Resize(Exact(64, 64), "bicubic", "pillow"), Rescale(1 / 255)]).save(path / "recipe.json")
    (path / "files").mkdir()
    coarse = np.random.default_rng(0).integers(0, 256, (90, 120, 3), np.uint8)
    for number in range(FILES):
        Image.fromarray(np.roll(coarse, number, 0)).resize((2400, 1800)).save(path / "files" / f"{number:03}.jpg")
    return path


def start(environment, *arguments):
    command = [sys.executable, "-m", "sizewise", *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(running) -> str:
    out, errors = running.communicate(timeout=MAX_SECONDS)
    assert running.returncode == 0, errors
    return out


def arguments_of(verb, folder):
    if verb == "resize":
        return ("resize", folder / "files", "--size", "64x64", "--dialect", "pillow")
    return ("preprocess", "run", folder / "recipe.json", folder / "files")


def checksums(out):
    """Return the SHA-256 of each file, without temporary files of killed processes."""
    files = (path for path in out.rglob("*") if path.is_file() and not path.name.startswith(".sizewise-"))
    return {str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def expected(environment, folder, tmp_path_factory):
    """Return the checksums of the files that each plain command writes."""
    found = {}
    for verb in ("resize", "preprocess"):
        out = tmp_path_factory.mktemp(verb)
        finish(start(environment, *arguments_of(verb, folder), "-o", out))
        found[verb] = checksums(out)
    assert len(found["resize"]) == len(found["preprocess"]) == FILES
    return found


def workers_of(cluster):
    """Return the worker processes of a cluster; those of Ray that run a task."""
    mark = ("ray::run_chunk", "multiprocessing.spawn")
    return [one for one in psutil.Process(cluster.pid).children(recursive=True) if any(m in _name(one) for m in mark)]


def _name(process):
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


@pytest.mark.parametrize("verb", ["resize", "preprocess"])
@pytest.mark.parametrize("engine", engines.TASK_ENGINES)
def test_a_killed_worker_loses_and_repeats_nothing(engine, verb, environment, clusters, folder, expected, tmp_path):
    cluster, address = clusters[engine]
    options = ("--engine", engine, "--address", address, "-o", tmp_path)
    running = start(environment, *arguments_of(verb, folder), *options)
    while not checksums(tmp_path):
        assert running.poll() is None
        time.sleep(0.01)
    workers_of(cluster)[0].kill()
    assert len(checksums(tmp_path)) < FILES  # it was in the middle
    names = [Path(line).name for line in finish(running).splitlines()]
    assert names == sorted(expected[verb])  # each once, in order
    assert checksums(tmp_path) == expected[verb]


@pytest.mark.parametrize("engine", engines.TASK_ENGINES)
def test_a_killed_command_continues(engine, environment, clusters, folder, expected, tmp_path):
    arguments = (*arguments_of("preprocess", folder), "--engine", engine, "--address", clusters[engine][1])
    running = start(environment, *arguments, "-o", tmp_path)
    running.stdout.readline()
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=MAX_SECONDS)
    before = checksums(tmp_path)
    assert len(before) < FILES
    assert before.items() <= expected["preprocess"].items()
    again = finish(start(environment, *arguments, "-o", tmp_path, "--skip-existing"))
    assert len(again.splitlines()) <= FILES - len(before)
    assert checksums(tmp_path) == expected["preprocess"]


def errors_of(command, folder, verb, *options):
    """Return the message of a command that must exit with 2 and write nothing."""
    out = folder / "never"
    code, _, err = command(*arguments_of(verb, folder), "-o", out, *options)
    assert code == 2 and not out.exists()
    return err


@pytest.fixture(scope="module")
def sharded(folder):
    """Return a folder of four tar and two Parquet shards of the files."""
    images = [(path.name, path.read_bytes()) for path in sorted((folder / "files").iterdir())]
    (folder / "shards").mkdir()
    for number in range(4):
        write_tar(folder / "shards" / f"s-{number}.tar", images[8 * number : 8 * number + 8])
    for number in range(2):
        rows = [{"bytes": data, "path": name} for name, data in images[32 + 8 * number : 40 + 8 * number]]
        parquet.write_table(pa.table({"image": rows}), folder / "shards" / f"t-{number}.parquet", row_group_size=4)
    return folder


@pytest.mark.parametrize("options", [(), ("--engine", "dask")], ids=["plain", "dask"])
def test_killed_shards_continue(options, environment, sharded, tmp_path):
    arguments = ("preprocess", "run", sharded / "recipe.json", sharded / "shards")
    finish(start(environment, *arguments, "-o", tmp_path / "whole"))
    whole = checksums(tmp_path / "whole")
    running = start(environment, *arguments, *options, "-o", tmp_path / "out")
    running.stdout.readline()
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=MAX_SECONDS)
    time.sleep(1)  # workers of Dask end by themselves after that of the command
    before = checksums(tmp_path / "out")
    assert 1 <= len(before) < 6 and before.items() <= whole.items()
    again = finish(start(environment, *arguments, *options, "-o", tmp_path / "out", "--skip-existing"))
    assert sorted(Path(line).name for line in again.splitlines()) == sorted(whole.keys() - before.keys())  # none twice
    assert checksums(tmp_path / "out") == whole


@pytest.mark.parametrize("verb", ["resize", "preprocess"])
def test_engines_that_cannot_be_used_are_errors(verb, command, folder, monkeypatch):
    for engine, address in (("ray", "127.0.0.1:9"), ("dask", "tcp://127.0.0.1:9")):
        err = errors_of(command, folder, verb, "--engine", engine, "--address", address)
        assert f"cannot connect to {engine} at '{address}': Connection refused" in " ".join(err.split())
    err = errors_of(command, folder, verb, "--engine", "dask", "--address", "nowhere")
    assert "cannot connect to dask at 'nowhere': missing port number" in " ".join(err.split())
    assert "unknown engine: 'rya'; did you mean 'ray'?" in errors_of(command, folder, verb, "--engine", "rya")
    assert "name its --engine, ray or dask" in " ".join(errors_of(command, folder, verb, "--address", "auto").split())
    for package, extra in (("ray", "ray"), ("distributed", "dask")):
        monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
        assert f'pip install "sizewise[{extra}]"' in errors_of(command, folder, verb, "--engine", extra)


def test_one_array_is_not_written_by_an_engine(command, folder, tmp_path):
    arguments = (*arguments_of("preprocess", folder), "-o", tmp_path / "all.npy", "--engine", "dask")
    code, _, err = command(*arguments)
    assert code == 2 and "is one array, which --engine does not write; give a folder" in " ".join(err.split())
