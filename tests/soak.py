"""Mixed calls from eight threads for minutes: no error, the bits that are stored, and memory that does not grow.

    python tests/soak.py --minutes 30

Three of four calls are of the table in determinism.py, whose results are compared with the stored hashes. The others
are of sizes that nobody has asked for before, so that plans come and go, and are compared with the same on one thread.
Memory is sampled every second: it may not grow by 5 % between the end of the warm-up, a quarter of the time, and the
end, each taken as the middle of a tenth of the samples.
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

import numpy as np
import psutil
from determinism import cases, stored
from variants import SOME, noise

import sizewise as sw

THREADS = 8
MOST_GROWTH = 0.05
ONCE_IN = 4  # calls, one of a new size


class Soak:
    """What the threads share: when to stop, what was done, and what went wrong."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.counts: Counter[str] = Counter()
        self.errors: list[str] = []
        self.memory: list[int] = []
        self._busy = threading.Lock()

    def work(self, seed: int) -> None:
        """One thread's calls, until the time is over."""
        choose, done = random.Random(seed), Counter()
        while time.monotonic() < self.end and len(self.errors) < 10:
            try:
                (new_size if choose.randrange(ONCE_IN) == 0 else known_case)(choose, done)
            except BaseException as failure:
                self.errors.append(f"{type(failure).__name__}: {failure}")
        with self._busy:
            self.counts.update(done)

    def run(self) -> None:
        workers = [threading.Thread(target=self.work, args=(seed,)) for seed in range(THREADS)]
        for worker in workers:
            worker.start()
        process = psutil.Process()
        while any(worker.is_alive() for worker in workers):
            self.memory.append(process.memory_info().rss)
            time.sleep(1.0)
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
    """A resize between sizes that are probably new, now and then a large one, on several threads and on one."""
    variant, dtype = choose.choice(SOME), choose.choice(["float32", "float16", "float64", "uint8", "int16"])
    longest = 700 if choose.random() < 0.05 else 90
    lengths = [choose.randint(1, longest) for _ in range(4)]
    x = noise((lengths[0], lengths[1], choose.choice([1, 3, 4])), dtype, choose.getrandbits(20))
    several = variant.resize(x, tuple(lengths[2:]), threads=choose.choice([2, 3, 8]))
    alone = variant.resize(x, tuple(lengths[2:]), threads=1)
    done["calls"] += 2
    done["compared with one thread"] += 2
    assert several.tobytes() == alone.tobytes(), f"other bits: {variant} {dtype} {lengths}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.0)
    minutes = parser.parse_args().minutes
    faulthandler.enable()
    sw.resize(np.ones((4, 4), np.float32), (2, 2))
    soak = Soak(60 * minutes)
    soak.run()
    before, after = soak.settled
    growth = after / before - 1
    sys.stdout.write(
        f"{soak.counts['calls']} calls from {THREADS} threads in {minutes:g} minutes, {len(soak.errors)} errors; "
        f"{soak.counts['compared with stored hashes']} compared with stored hashes, "
        f"{soak.counts['compared with one thread']} with one thread; memory {before / 2**20:.0f} MB after the warm-up, "
        f"{after / 2**20:.0f} MB at the end ({growth:+.1%}), {max(soak.memory) / 2**20:.0f} MB at most\n"
    )
    for error in soak.errors:
        sys.stdout.write(f"  {error}\n")
    return int(bool(soak.errors) or growth >= MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
