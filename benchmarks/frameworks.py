"""Timing of a training step with Sizewise and with each framework's own resize: `python -m benchmarks.frameworks`.

Each framework runs in a new process, without threads of the others. Calls are timed in turns; times are the minimum and
the median over all rounds. `--write FILE` writes a page with the table.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sizewise as sw
from sizewise_bench import machine, peers

FRAMEWORKS = {"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}
OVERHEAD_TARGETS = {"torch": 40, "jax": 60, "tensorflow": 150}  # microseconds more than a call with a NumPy array
STEP_TARGETS = {"torch": 4, "jax": 5, "tensorflow": 4}  # times as fast as the framework's own
OVERHEAD_SHAPE, ROUNDS = (32, 32, 3), 41
STEPS = {"bilinear, 8x224x224x3 to 512x512": (224, 512, False), "antialiased, 8x512x512x3 to 224x224": (512, 224, True)}
Call = Callable[[], Any]


def pytorch() -> Iterator[tuple[str, Call, Call]]:
    """Yield the calls in PyTorch: a name, ours and theirs. The first is a small call, compared with one on NumPy."""
    import torch
    from torch.nn.functional import interpolate

    small = torch.rand(*OVERHEAD_SHAPE)
    yield "small", lambda: sw.resize(small, (16, 16), axes=(0, 1)), _with_numpy()
    for name, (n_in, n_out, antialias) in STEPS.items():
        x = torch.rand(8, 3, n_in, n_in, requires_grad=True)
        dy = torch.rand(8, 3, n_out, n_out)

        def step(resize: Callable[[Any], Any], x: Any = x, dy: Any = dy) -> Any:
            return torch.autograd.grad(resize(x), x, dy)

        flags = {"antialias": antialias}
        yield (
            name,
            lambda step=step, size=(n_out, n_out), flags=flags: step(lambda x: sw.resize(x, size, **flags)),
            lambda step=step, n=n_out, flags=flags: step(lambda x: interpolate(x, (n, n), mode="bilinear", **flags)),
        )


def jax() -> Iterator[tuple[str, Call, Call]]:
    """Yield the calls in JAX, under jit."""
    import jax
    import jax.numpy as jnp

    small = jnp.array(np.random.default_rng(0).random(OVERHEAD_SHAPE, np.float32))
    jitted = jax.jit(lambda x: sw.resize(x, (16, 16)))
    yield "small", lambda: jitted(small).block_until_ready(), _with_numpy()
    for name, (n_in, n_out, antialias) in STEPS.items():
        x = jnp.array(np.random.default_rng(0).random((8, n_in, n_in, 3), np.float32))
        shape = (8, n_out, n_out, 3)
        dy = jnp.array(np.random.default_rng(1).random(shape, np.float32))

        def step(resize: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
            return jax.jit(lambda x, dy: (lambda y, pull: (y, pull(dy)[0]))(*jax.vjp(resize, x)))

        ours = step(lambda x, n=n_out, a=antialias: sw.resize(x, (n, n), antialias=a))
        theirs = step(lambda x, shape=shape, a=antialias: jax.image.resize(x, shape, "bilinear", antialias=a))
        yield (
            name,
            lambda f=ours, x=x, dy=dy: jax.block_until_ready(f(x, dy)),
            lambda f=theirs, x=x, dy=dy: jax.block_until_ready(f(x, dy)),
        )


def tensorflow() -> Iterator[tuple[str, Call, Call]]:
    """Yield the calls in TensorFlow, eager."""
    import tensorflow as tf

    small = tf.random.uniform(OVERHEAD_SHAPE)
    yield "small", lambda: sw.resize(small, (16, 16)), _with_numpy()
    for name, (n_in, n_out, antialias) in STEPS.items():
        x = tf.random.uniform((8, n_in, n_in, 3))
        dy = tf.random.uniform((8, n_out, n_out, 3))

        def step(resize: Callable[[Any], Any], x: Any = x, dy: Any = dy) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = resize(x)
            return tape.gradient(y, x, dy)

        flags = {"antialias": antialias}
        yield (
            name,
            lambda step=step, size=(n_out, n_out), flags=flags: step(lambda x: sw.resize(x, size, **flags)),
            lambda step=step, size=(n_out, n_out), flags=flags: step(lambda x: tf.image.resize(x, size, **flags)),
        )


def _with_numpy() -> Call:
    small = np.random.default_rng(0).random(OVERHEAD_SHAPE, np.float32)
    return lambda: sw.resize(small, (16, 16))


def rows(framework: str) -> list[dict[str, Any]]:
    """Return the measurements of one framework, in this process."""
    peers.quiet_frameworks()
    measured = []
    for name, ours, theirs in {"torch": pytorch, "jax": jax, "tensorflow": tensorflow}[framework]():
        repeats = 200 if name == "small" else 1
        times = _time_in_turns((ours, theirs), repeats)
        measured.append({"framework": framework, "name": name, "ours": times[0], "theirs": times[1]})
    return measured


def _time_in_turns(calls: tuple[Call, Call], repeats: int) -> list[tuple[float, float]]:
    """Return the (minimum, median) seconds of each call, in turns whose order alternates."""
    for call in calls * 3:
        call()
    times: list[list[float]] = [[], []]
    for number in range(ROUNDS):
        for which in (0, 1) if number % 2 else (1, 0):
            begin = time.perf_counter()
            for _ in range(repeats):
                calls[which]()
            times[which].append((time.perf_counter() - begin) / repeats)
    return [(min(one), statistics.median(one)) for one in times]


def table(measured: list[dict[str, Any]]) -> str:
    """Return the rows as a table in Markdown, with the targets and those that were missed."""
    lines = [
        "| framework | what | Sizewise | its own | ratio of medians | of minima | target | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in measured:
        own, (ours, theirs) = FRAMEWORKS[row["framework"]], (row["ours"], row["theirs"])
        if row["name"] == "small":
            above, target = (ours[1] - theirs[1]) * 1e6, OVERHEAD_TARGETS[row["framework"]]
            what, is_met = f"32x32x3 to 16x16, above NumPy ({theirs[1] * 1e6:.1f} us)", above <= target
            minimum = (ours[0] - theirs[0]) * 1e6
            figures = f"{ours[1] * 1e6:.1f} us | | +{above:.1f} us | +{minimum:.1f} us | {target} us"
        else:
            ratio, target = theirs[1] / ours[1], STEP_TARGETS[row["framework"]]
            what, is_met = f"forward and backward, {row['name']}", ratio >= target
            times = f"{ours[1] * 1e3:.2f} ms | {theirs[1] * 1e3:.2f} ms"
            figures = f"{times} | {ratio:.1f} | {theirs[0] / ours[0]:.1f} | {target}"
        lines.append(f"| {own} | {what} | {figures} | {'' if is_met else 'missed'} |")
    return "\n".join(lines)


TOP = """# A training step in every framework

Generated by `make bench` (`python -m benchmarks.frameworks --write docs/measurements/frameworks.md`): do not edit.
Sizewise inside each framework compared with that framework's own resize, on {cores} cores of an {processor}; medians of
{rounds} rounds, timed in turns, each framework in a new process, with OMP_WAIT_POLICY=PASSIVE: without it idle workers
of PyTorch slow down the next call. JAX under `jit`, PyTorch and TensorFlow eager. {versions}.

"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", choices=list(FRAMEWORKS), help="measure this one here, and print its rows as JSON")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(rows(arguments.one)))
        return 0
    measured = []
    for name in FRAMEWORKS:
        print(f"{FRAMEWORKS[name]} ...", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "benchmarks.frameworks", "--one", name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        measured += json.loads(done.stdout.splitlines()[-1])
    print(table(measured))
    if arguments.write:
        arguments.write.write_text(_top() + table(measured) + "\n", encoding="utf-8")
    return 0


def _top() -> str:
    from importlib.metadata import version

    versions = ", ".join(
        f"{name} {version(package)}"
        for name, package in (
            ("PyTorch", "torch"),
            ("JAX", "jax"),
            ("TensorFlow", "tensorflow-cpu"),
            ("NumPy", "numpy"),
        )
    )
    return TOP.format(cores=machine.cores(), processor=machine.processor(), rounds=ROUNDS, versions=versions)


if __name__ == "__main__":
    sys.exit(main())
