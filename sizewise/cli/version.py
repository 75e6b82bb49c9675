"""`sizewise --version`: the version, and with `--verbose` the facts that a bug report needs."""

from __future__ import annotations

import json
import platform
import sysconfig
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from typing import Any

from .._core import core_info
from ..thread_count import default_threads
from ..version import __version__

# Distributions that Sizewise works with; several may provide one package.
PACKAGES = (
    *("albumentations", "array-api-compat", "autograd", "cupy", "daft", "dask", "datasets", "distributed"),
    *("flatbuffers", "jax", "jaxlib", "keras", "ml_dtypes", "onnx", "onnxruntime", "open_clip_torch", "opencv-python"),
    *("opencv-python-headless", "opencv-contrib-python", "paddlepaddle", "pillow", "pillow-simd", "pyarrow", "ray"),
    *("scikit-image", "sizewise-bench", "tensorflow", "tensorflow-cpu", "timm", "torch", "torchvision", "transformers"),
    *("typer", "ultralytics", "webdataset"),
)


def version_text(*, verbose: bool = False, as_json: bool = False) -> str:
    """Return the version in one line, with all facts below it if `verbose`; or the same as JSON.

    >>> version_text().startswith("sizewise ")
    True
    """
    facts = version_facts() if verbose else {"sizewise": __version__}
    if as_json:
        return json.dumps(facts)
    width = max(map(len, facts))
    return "\n".join(f"{name:{width}} {_format_fact(value)}" for name, value in facts.items())


def version_facts() -> dict[str, Any]:
    """Return the versions, the kernels in use, the machine and the threads; no framework is imported.

    >>> version_facts()["threads"] >= 1
    True
    """
    core = core_info()
    facts: dict[str, Any] = {"sizewise": __version__, "core": core.version, "isa": core.isa}
    facts |= {"supported": list(core.supported)}
    facts |= {"reason": core.reason} if core.reason else {}
    free_threaded = " free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    facts["python"] = f"{platform.python_implementation()} {platform.python_version()}{free_threaded}"
    facts["platform"] = platform.platform()
    facts["machine"] = platform.machine()
    facts["numpy"] = installed_version("numpy")
    facts["threads"] = default_threads()
    facts["packages"] = dict(_installed_packages())
    return facts


def _installed_packages() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, installed_version(name)
        except PackageNotFoundError:
            continue


def _format_fact(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {version}" for name, version in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return "none" if value is None else str(value)
