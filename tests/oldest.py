"""Environments with the oldest versions that pyproject.toml allows, and the tests that run in each: `make test-oldest`.

python tests/oldest.py .venv/oldest             create them and run their tests
python tests/oldest.py .venv/oldest core jax    those only
python tests/oldest.py --list                   print the requirements of each

No single environment can have all: JAX 0.8 needs NumPy 2, and TensorFlow 2.16 needs NumPy 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BIN = "Scripts" if os.name == "nt" else "bin"
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "psutil")
REQUIRED_BY_TESTS = ("ml_dtypes", "array-api-strict")


class Environment(NamedTuple):
    """Extras whose oldest versions are installed, other requirements, tests, and what these versions cannot do."""

    extras: tuple[str, ...]
    tests: tuple[str, ...]
    deselected: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()


_COMPILERS = "tests/backends/test_torch_compilers.py"
ENVIRONMENTS = {
    "core": Environment(
        ("cli", "audit", "autograd", "dask", "array-api", "parquet"),
        (
            *("tests/promises", "tests/files", "tests/test_errors.py", "tests/cli/test_version.py"),
            *(f"tests/backends/test_{name}.py" for name in ("autograd", "array_api", "dask", "pillow")),
        ),
        (
            # Pillow reports broken EXIF since release 13.
            "tests/files/test_codecs.py::test_broken_exif_is_left_out_with_a_note",
            # The exp of NumPy 1 rounds differently, and with it the stored bits; for lanczos5 the cause was not traced.
            "tests/promises/test_determinism.py::test_the_stored_bits_on_any_number_of_threads",
        ),
        REQUIRED_BY_TESTS,
    ),
    "torch": Environment(
        ("torch",),
        ("tests/backends/test_torch.py", _COMPILERS),
        (  # torch.compile and torch.export of release 2.4 take fewer kinds of sizes.
            f"{_COMPILERS}::TestCompilers::test_sizes_of_every_kind",
            f"{_COMPILERS}::TestCompilers::test_transforms_inside_a_compiler",
            f"{_COMPILERS}::TestCompilers::test_export",
            f"{_COMPILERS}::TestCompilers::test_sizes_inside_a_compiler",
        ),
        ("pillow==11.1",),
    ),
    "tensorflow": Environment(
        ("tensorflow", "keras"),
        ("tests/backends/test_tensorflow.py", "tests/backends/test_tensorflow_errors.py"),
        # Its antialiased op raises another error.
        ("tests/backends/test_tensorflow.py::TestDerivatives::test_control_tensorflow_has_no_second_order",),
        ("pillow==11.1",),
    ),
    "jax": Environment(
        ("jax",),
        ("tests/backends/test_jax.py", "tests/backends/test_jax_processes.py"),
        ("tests/backends/test_jax_processes.py::test_pmap",),  # its types of sharded arrays are never equal
        ("numpy==2.0", "pillow==11.1", "flatbuffers"),
    ),
}


def oldest(requirement: str) -> str:
    """Return a requirement for the oldest version that another one allows.

    >>> oldest("dask[array]>=2024.8")
    'dask[array]==2024.8'
    """
    return requirement.replace(">=", "==")


def requirements(environment: Environment) -> list[str]:
    """Return the exact requirements of an environment; those it names itself replace the oldest ones."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"]]
    for extra in environment.extras:
        listed += project["optional-dependencies"][extra]
    # The same package without the parts for graphics cards.
    found = dict.fromkeys(oldest(one).replace("tensorflow==", "tensorflow-cpu==") for one in listed)
    own = {one.partition("==")[0] for one in environment.requirements}
    return [*(one for one in found if one.partition("==")[0] not in own), *environment.requirements, *TOOLS]


def run_tests(name: str, folder: Path) -> int:
    """Create the environment if its requirements changed, and run its tests; return the exit code."""
    environment, needed = ENVIRONMENTS[name], requirements(ENVIRONMENTS[name])
    home, record = folder / name, folder / name / "requirements.txt"
    python = home / BIN / "python"
    if not record.exists() or record.read_text(encoding="utf-8").split() != needed:
        print(f"Setting up {home}: {' '.join(needed)}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *needed], check=True)
        record.write_text("\n".join(needed), encoding="utf-8")
    deselected = [f"--deselect={test}" for test in environment.deselected]
    command = [python, "-m", "pytest", "-q", "--numprocesses", "auto", "--dist", "worksteal", *deselected]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([*command, *environment.tests], cwd=ROOT, env=variables).returncode


def main() -> int:
    """Run the tests of the environments that the arguments name; return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".venv/oldest")
    parser.add_argument("names", nargs="*", default=[*ENVIRONMENTS])
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(f"{name}: {' '.join(requirements(one))}" for name, one in ENVIRONMENTS.items()))
        return 0
    return sum(run_tests(name, arguments.folder) != 0 for name in arguments.names)


if __name__ == "__main__":
    sys.exit(main())
