"""Cold start: new processes that import NumPy and a library and resize one image, for each installed library.

The parent should import no array library: its memory would count as the peak of the children.
"""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1] / "sizewise"
SOURCES = ("__pycache__", "*.h", "*.cpp")  # not installed
SIZEWISE = "Sizewise"
BASELINE = "import numpy"
# After these rounds, libraries that take several times as long as Sizewise are no longer measured.
EARLY_EXIT_ROUNDS = 5
EARLY_EXIT_RATIO = 4.0

_BYTES = "x.astype('uint8')"
# The module that must be installed, and code that imports it and resizes x to 224x224, antialiased if it can be.
_LIBRARIES = {
    SIZEWISE: ("sizewise", "import sizewise; sizewise.resize(x, (224, 224))"),
    "OpenCV": ("cv2", "import cv2; cv2.resize(x, (224, 224))"),
    "OpenCV area": ("cv2", "import cv2; cv2.resize(x, (224, 224), interpolation=cv2.INTER_AREA)"),
    "Pillow": ("PIL", f"from PIL import Image as I; I.fromarray({_BYTES}).resize((224, 224), I.Resampling.BILINEAR)"),
    "kornia-rs": ("kornia_rs", f"from kornia_rs import imgproc; imgproc.resize({_BYTES}, (224, 224), 'bilinear')"),
    "scikit-image": ("skimage", "from skimage import transform; transform.resize(x, (224, 224))"),
    "PyTorch": (
        "torch",
        "import torch; y = torch.from_numpy(x).permute(2, 0, 1)[None]; "
        "torch.nn.functional.interpolate(y, (224, 224), mode='bilinear', antialias=True)",
    ),
    "JAX": ("jax", "import jax; jax.image.resize(x, (224, 224, 3), 'linear').block_until_ready()"),
    "TensorFlow": ("tensorflow", "import tensorflow; tensorflow.image.resize(x, (224, 224), antialias=True)"),
}


class Run(NamedTuple):
    """Wall and CPU time of a new process in seconds, and its peak memory in megabytes."""

    wall: float
    cpu: float
    peak: float


def programs() -> dict[str, str]:
    """Return the code of each installed library, after that of the import of NumPy alone."""
    image = "import numpy; x = numpy.ones((480, 640, 3), numpy.float32); "
    found = {name: image + code for name, (module, code) in _LIBRARIES.items() if find_spec(module) is not None}
    return {BASELINE: "import numpy", **found}


@contextmanager
def installed_copy() -> Iterator[dict[str, str]]:
    """Yield the environment of processes that see a copy of the package with bytecode, as pip installs it.

    Their home folder is empty, and must be empty at the end of the block.
    """
    with tempfile.TemporaryDirectory() as folder:
        installed, home = Path(folder) / "installed", Path(folder) / "home"
        shutil.copytree(PACKAGE, installed / PACKAGE.name, ignore=shutil.ignore_patterns(*SOURCES))
        compileall.compile_dir(installed, quiet=1)
        home.mkdir()
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home), "PYTHONPATH": str(installed)}
        yield {**environment, "PYTHONDONTWRITEBYTECODE": "1"}
        written = [str(path) for path in home.rglob("*")]
    assert not written, f"files were written to the home folder: {written}"


def run(code: str, environment: Mapping[str, str]) -> tuple[str, Run]:
    """Run code in a new Python; return what it prints, and what it took."""
    command = [sys.executable, "-c", code]
    folder = environment["HOME"]  # not the current one, which Python would search first: it may hold the sources
    with tempfile.TemporaryFile("w+") as log:  # frameworks log when they are imported
        begin = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=folder
        ) as process:
            assert process.stdout is not None
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            log.seek(0)
            raise RuntimeError(f"exit code {process.returncode}: {code}\n{log.read()}")
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return output, Run(wall, usage.ru_utime + usage.ru_stime, kilobytes * 1024 / 1e6)


def measure(rounds: int, environment: Mapping[str, str]) -> dict[str, list[Run]]:
    """Run the program of each library once in each round, in turns; slow ones in the first rounds only."""
    codes = programs()
    runs: dict[str, list[Run]] = {name: [] for name in codes}
    with tempfile.TemporaryDirectory() as home:
        theirs = {**environment, "HOME": home}  # other libraries may write files
        for number in range(rounds):
            for name, code in codes.items():
                if number < EARLY_EXIT_ROUNDS or not _is_slow(runs[name], runs[SIZEWISE]):
                    runs[name].append(run(code, environment if name == SIZEWISE else theirs)[1])
    return dict(sorted(runs.items(), key=lambda item: min(item[1]).wall))


def _is_slow(runs: list[Run], ours: list[Run]) -> bool:
    return min(runs).wall > EARLY_EXIT_RATIO * min(ours).wall
