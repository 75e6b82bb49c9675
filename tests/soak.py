"""Mixed calls from eight threads for minutes: no error, the bits that are stored, and memory that does not grow.

    python tests/soak.py --minutes 30

Three of four calls are of the table in determinism.py, whose results are compared with the stored hashes. The others
are of new sizes, so that plans are built and evicted, and are compared with the same on one thread.
Memory is sampled every second. A broad set of resizes runs before, and every thread begins
with the largest resizes: after that, and a quarter of the time, memory may not grow by 5 % until the end, each taken as
the middle of a tenth of the samples.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import threading
import time
from collections import Counter
from statistics import median

import psutil
from determinism import cases, stored
from random_resizes import run_random_resizes
from variants import SOME, Variant, noise

THREADS = 8
DTYPES = ("float32", "float16", "float64", "uint8", "int16")
MAX_GROWTH = 0.05
ONCE_IN = 4  # calls, one of a new size
MAX_LENGTH = 300


class Soak:
    """State that the threads share: when to stop, counts and errors."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.over = seconds, False
        self.counts: Counter[str] = Counter()
        self.errors: list[str] = []
        self.memory: list[int] = []
        self._busy = threading.Lock()

    def work(self, seed: int) -> None:
        """One thread's calls, until the time is over."""
        choose, done = random.Random(seed), Counter()
        call = largest
        while not self.over and len(self.errors) < 10:
            try:
                call(choose, done)
            except BaseException as failure:
                self.errors.append(f"{type(failure).__name__}: {failure}")
            call = new_size if choose.randrange(ONCE_IN) == 0 else known_case
        with self._busy:
            self.counts.update(done)

    def run(self) -> None:
        workers = [threading.Thread(target=self.work, args=(seed,)) for seed in range(THREADS)]
        for worker in workers:
            worker.start()
        process = psutil.Process()
        while len(self.memory) < self.seconds and any(worker.is_alive() for worker in workers):
            time.sleep(1.0)  # counted by samples: a process that is made to wait has not worked
            self.memory.append(process.memory_info().rss)
        self.over = True
        for worker in workers:
            worker.join()

    @property
    def settled(self) -> tuple[float, float]:
        """Bytes after the warm-up, and at the end."""
        later = self.memory[len(self.memory) // 4 :]
        tenth = max(1, len(later) // 10)
        return median(later[:tenth]), median(later[-tenth:])


def known_case(choose: random.Random, done: Counter[str]) -> None:
    """A result and a gradient of the table, on some threads, compared with their hashes."""
    case = choose.choice(cases())
    made, expected = case.hashes(choose.choice([None, 1, 2, 3])), stored().get(case.name)
    done["calls"] += 2
    if expected is not None:
        done["compared with stored hashes"] += 2
        assert made == expected, f"other bits: {case.name}"


def new_size(choose: random.Random, done: Counter[str]) -> None:
    """A resize between sizes that are probably new, now and then large ones."""
    longest = MAX_LENGTH if choose.random() < 0.05 else 90
    lengths = [choose.randint(1, longest) for _ in range(4)]
    compared(choose.choice(SOME), choose.choice(DTYPES), (*lengths[:2], choose.choice([1, 3, 4])), lengths[2:], choose)
    done["calls"] += 2
    done["compared with one thread"] += 2


def largest(choose: random.Random, done: Counter[str]) -> None:
    """The largest resizes that there may be: what a thread takes at most, it has then taken once."""
    for variant in SOME:
        for dtype in DTYPES:
            compared(variant, dtype, (MAX_LENGTH, MAX_LENGTH, 4), [MAX_LENGTH, MAX_LENGTH - 1], choose)
            done["calls"] += 2
            done["compared with one thread"] += 2


def compared(variant: Variant, dtype: str, shape: tuple[int, ...], size: list[int], choose: random.Random) -> None:
    """A resize on several threads and on one, whose bits must be the same."""
    x = noise(shape, dtype, choose.getrandbits(20))
    several = variant.resize(x, tuple(size), threads=choose.choice([2, 3, 8]))
    alone = variant.resize(x, tuple(size), threads=1)
    assert several.tobytes() == alone.tobytes(), f"other bits: {variant} {dtype} {shape} -> {size}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--record", action="store_true", help="keep the outcome in docs/measurements/runs.md")
    given = parser.parse_args()
    faulthandler.enable()
    run_random_resizes(DTYPES, rounds=1)
    soak = Soak(60 * given.minutes)
    soak.run()
    before, after = soak.settled
    growth = after / before - 1
    sys.stdout.write(
        f"{soak.counts['calls']} calls from {THREADS} threads in {given.minutes:g} minutes, {len(soak.errors)} errors; "
        f"{soak.counts['compared with stored hashes']} compared with stored hashes, "
        f"{soak.counts['compared with one thread']} with one thread; memory {before / 2**20:.0f} MB after the warm-up, "
        f"{after / 2**20:.0f} MB at the end ({growth:+.1%}), {max(soak.memory) / 2**20:.0f} MB at most\n"
    )
    for error in soak.errors:
        sys.stdout.write(f"  {error}\n")
    failed = bool(soak.errors) or growth >= MAX_GROWTH
    if given.record and not failed:
        import runs  # of docs, which pytest does not look into

        memory = f"{before / 2**20:.0f} MB after the warm-up, {after / 2**20:.0f} MB at the end ({growth:+.1%})"
        runs.record("soak", f"{soak.counts['calls']:,} calls, no error; memory {memory}", soak.seconds)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
