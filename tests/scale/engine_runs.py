"""Runs of one recipe in each data engine, as a process: `python engine_runs.py ENGINE FOLDER` prints a line of JSON.

FOLDER has the images of `photos.make`. A run prints the SHA-256 of all results in the order of the images, how many
were missing or there twice, its seconds, and the memory of its processes. `--kill-after N` kills a worker once, after N
of its images; `--leak` plants a memory leak.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import memory
from command_runs import COMMANDS, read_results, run_command
from photos import PRE, Keep
from results import Ordered, Results, digest

import sizewise as sw
from sizewise.files.jobs import find
from sizewise.preprocess import engines
from sizewise.preprocess.file_jobs import PreprocessFile

BATCH = 64
Watch = Callable[..., Any]


def n_rows(batch: Any) -> int:
    """Return the number of rows of a batch of columns."""
    return len(batch["image"])


def run_plain(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    paths = sorted((folder / "files").rglob("*.jpg"))
    function = watch(pre, len)
    for first in range(0, len(paths), BATCH):
        chunk = paths[first : first + BATCH]
        yield from zip((int(path.stem) for path in chunk), map(digest, function(chunk)), strict=True)


def start_ray() -> None:
    """Start Ray with two processors, reachable on this machine only."""
    import ray.data

    ray.init(
        include_dashboard=False,
        num_cpus=2,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=300_000_000,
        _node_ip_address="127.0.0.1",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False


def run_ray(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    import pyarrow.parquet as parquet
    import ray.data

    start_ray()
    try:
        function = watch(engines.make_function("ray", pre), n_rows)
        # ray.data.read_parquet needs aiohttp even for local files
        rows = ray.data.from_arrow([parquet.read_table(path) for path in sorted(folder.glob("parquet/*"))])
        for batch in rows.map_batches(function, batch_size=BATCH).iter_batches(batch_size=BATCH):
            yield from zip(map(int, batch["index"]), map(digest, batch["pixel_values"]), strict=True)
    finally:
        ray.shutdown()


def run_datasets(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    import datasets

    datasets.disable_progress_bars()
    files = [str(path) for path in sorted(folder.glob("parquet/*"))]
    function = watch(engines.make_function("datasets", pre), n_rows)
    with tempfile.TemporaryDirectory() as cache:
        rows = datasets.Dataset.from_parquet(files, cache_dir=cache)
        mapped = rows.map(function, batched=True, batch_size=BATCH, remove_columns=["image"], num_proc=2)
        for batch in mapped.with_format("numpy").iter(BATCH):
            yield from zip(map(int, batch["index"]), map(digest, batch["pixel_values"]), strict=True)


def run_webdataset(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    import webdataset

    urls = [str(path) for path in sorted(folder.glob("tar/*"))]
    samples = webdataset.WebDataset(urls, shardshuffle=False).map(watch(engines.make_function("webdataset", pre)))
    samples = samples.map(lambda one: (int(one["__key__"]), digest(one["pixel_values.npy"])))
    yield from webdataset.WebLoader(samples, batch_size=None, num_workers=2)


def run_dask(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    import dask.bag
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster),
    ):
        paths = [str(path) for path in sorted((folder / "files").rglob("*.jpg"))]
        function = watch(engines.make_function("dask", pre))
        bag = dask.bag.from_sequence(paths, partition_size=BATCH)
        yield from zip((int(Path(path).stem) for path in paths), bag.map(function).map(digest).compute(), strict=True)


def run_daft(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    import daft

    count = watch(lambda row: (row["index"], digest(row["pixel_values"])))  # Daft's threads are of this process
    frame = daft.read_parquet(f"{folder}/parquet/*.parquet")
    yield from map(count, frame.select("index", engines.make_function("daft", pre)).iter_rows())


def run_tasks(engine: str, folder: Path, watch: Watch) -> Results:
    """Yield what `engines.run_files` wrote; raise unless there is one outcome for each file, in order."""
    out = Path(tempfile.mkdtemp(prefix="out-", dir=folder))
    jobs = find([folder / "files"], out, "npy").jobs
    outcomes = list(engines.run_files(watch(PreprocessFile(PRE)), jobs, engine))
    assert [(outcome.job, outcome.status) for outcome in outcomes] == [(job, "written") for job in jobs]
    yield from read_results(out)


def run_files_ray(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    return run_tasks("ray", folder, watch)


def run_files_dask(folder: Path, pre: sw.Preprocessor, watch: Watch) -> Results:
    return run_tasks("dask", folder, watch)


def measure(engine: str, folder: Path, kill_after: int | None, leak: bool) -> dict[str, Any]:
    """Return what an engine, or a command, computed and took."""
    logs = Path(tempfile.mkdtemp(prefix="log-", dir=folder))
    pre = sw.Preprocessor([*PRE.steps[:-1], Keep(), PRE.steps[-1]]) if leak else PRE
    ordered = Ordered(len(list(folder.glob("files/*/*.jpg"))))
    start = time.perf_counter()
    if engine in COMMANDS:
        results, seconds = run_command(engine, folder, logs)
        ordered.add(results)
    else:
        run = globals()[f"run_{engine}"]
        ordered.add(
            run(folder, pre, lambda function, images=memory.one: memory.Watched(function, logs, kill_after, images))
        )
        seconds = time.perf_counter() - start
    killed = (logs / "killed").exists()
    found = {"engine": engine, "seconds": round(seconds, 1), "killed": killed, "package": sw.__file__}
    return {**found, **ordered.report(), **memory.report(logs)}


def main() -> None:
    """Run one engine, and print its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=["plain", *engines.names(), "files_ray", "files_dask", *COMMANDS])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kill-after", type=int)
    parser.add_argument("--leak", action="store_true")
    given = parser.parse_args()
    print(json.dumps(measure(given.engine, given.folder, given.kill_after, given.leak)), flush=True)  # noqa: T201
    if given.engine == "daft":  # its threads may abort an interpreter that ends
        os._exit(0)


if __name__ == "__main__":
    main()
