"""The layers of CONTRIBUTING.md, read from the imports: each layer imports only what stands below it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sizewise

ROOT = Path(sizewise.__file__).parent
PACKAGE = "sizewise"

# Layer -> the layers it may import, besides itself. A layer is a module or a folder of the package.
BELOW_API = {
    *("thread_count", "memory_limits", "errors", "validation", "filters", "taps", "sampling", "dialects", "engine"),
    *(
        "axes",
        "geometry",
        "label_arrays",
        "label_maps",
        "label_masks",
        "plan",
        "plan_text",
        "resolve",
        "backends",
        "call_cache",
        "api",
    ),
}
ARROWS: dict[str, set[str]] = {
    "version": set(),
    "cgroups": set(),
    "cpu_cache": set(),
    "autograph": set(),
    "fork_safety": set(),
    "deprecation": set(),
    "errors": set(),
    "memory_limits": {"cgroups", "errors"},
    "thread_count": {"cgroups", "errors"},
    "validation": {"errors", "memory_limits"},
    "filters": {"errors", "validation"},
    "taps": {"deprecation", "errors", "memory_limits", "fork_safety", "validation"},
    "sampling": {"errors", "memory_limits", "filters", "taps"},
    "dialects": {"deprecation", "errors", "fork_safety", "validation", "filters", "taps", "sampling"},
    "_core": {"errors", "fork_safety", "version"},
    "engine": {"cpu_cache", "thread_count", "memory_limits", "fork_safety", "errors", "validation", "_core"},
    "typing": set(),
    "axes": {"errors", "validation"},
    "geometry": {"errors", "taps", "dialects"},
    "label_arrays": {"errors"},
    "label_maps": {"errors", "autograph", "geometry", "label_arrays"},
    "plan_format": {"dialects"},
    "plan": {
        "geometry",
        "label_maps",
        "deprecation",
        "errors",
        "memory_limits",
        "autograph",
        "fork_safety",
        "validation",
        "axes",
        "taps",
        "dialects",
        "plan_format",
    },
    "plan_text": {"dialects", "plan"},
    "resolve": {"errors", "memory_limits", "validation", "axes", "dialects", "plan", "plan_text"},
    "backends": {
        "errors",
        "memory_limits",
        "thread_count",
        "fork_safety",
        "validation",
        "axes",
        "taps",
        "dialects",
        "engine",
        "_core",
        "plan",
        "plan_text",
        "resolve",
    },
    "label_masks": {
        *("errors", "validation", "axes", "dialects", "geometry", "label_arrays", "label_maps"),
        *("plan_format", "plan", "backends"),
    },
    "call_cache": {"plan"},
    "api": {"errors", "autograph", "axes", "backends", "call_cache", "plan", "resolve"},
    "testing": {"errors", "validation", "plan"},
    "cache_clearing": {"errors", "validation", "dialects", "engine", "plan", "call_cache", "_core"},
    "resize_spec": {"errors", "dialects", "plan", "api"},
    "compat": {*BELOW_API, "autograph"},
    "insight": {*BELOW_API, "deprecation", "resize_spec", "compat", "files", "labels", "preprocess", "version"},
    "labels": {*BELOW_API, "files", "preprocess"},
    "preprocess": {*BELOW_API, "autograph", "resize_spec", "files"},
    "files": {*BELOW_API, "compat"},
    "parity": {*BELOW_API, "version"},
    "report": {"errors", "version", "resize_spec", "insight", "files", "labels", "preprocess"},
    "cli": {
        *BELOW_API,
        *(
            "_core",
            "resize_spec",
            "version",
            "cache_clearing",
            "compat",
            "insight",
            "files",
            "labels",
            "parity",
            "preprocess",
            "report",
        ),
    },
    "__main__": {"cli"},
    "__init__": {*BELOW_API, "_core", "version", "testing", "cache_clearing", "compat", "insight", "preprocess"},
}
# The only imports of what is above, each inside a function that is called when all modules are loaded.
UPWARD = {
    *(("plan", "backends"), ("plan", "insight"), ("label_maps", "label_masks")),
    ("insight.notebook", "report"),
}
FRAMEWORKS = {"torch", "tensorflow", "jax", "autograd", "dask"}
LIBRARIES = {"cv2", "PIL", "skimage"}
RUNTIMES = {"onnx", "onnxruntime", "ai_edge_litert", "flatbuffers", "paddle"}
# Layer -> packages from outside; a backend has its own framework besides.
OUTSIDE: dict[str, set[str]] = {
    **{layer: {"numpy"} for layer in ARROWS},
    **{layer: set() for layer in ("cgroups", "cpu_cache", "thread_count", "memory_limits", "errors", "_core")},
    "backends": {"numpy", "ml_dtypes", "array_api_compat"},
    "label_arrays": {"numpy", "jax", "autograd", "dask"},
    "compat": {"numpy", "onnx", "PIL", "torchvision", "albumentations", "keras", *FRAMEWORKS},
    "parity": {"numpy", *FRAMEWORKS, *LIBRARIES, *RUNTIMES},
    "insight": {"numpy", "onnx", "torch", "tensorflow", "flatbuffers", "google"},
    "preprocess": {"numpy", "PIL", "cv2", "torch", "torchvision", "jax", "tensorflow", "ray", "distributed", "daft"},
    "files": {"numpy", "PIL", "pyarrow"},
    "report": {"numpy", "rich", "jinja2", "PIL"},
    "cli": {"numpy", "rich", "typer", "sizewise_bench"},
}
MAY_PRINT = {"cli", "report"}


def sources() -> dict[str, str]:
    """Dotted name below the package -> source, for every module; a folder's own file is `folder.__init__`."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(ROOT.rglob("*.py"))
    }


def imports(module: str, source: str, known: set[str]) -> Iterator[str]:
    """Every module imported at run time, anywhere in the source: absolute names, ours beginning with the package."""
    for node in run_time(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = [PACKAGE, *module.split(".")][: -node.level]
                base = ".".join([*here, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}".removeprefix(f"{PACKAGE}.")
                yield f"{PACKAGE}.{inner}" if inner in known or f"{inner}.__init__" in known else base


def run_time(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes except those that only a type checker sees."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            continue
        yield child
        yield from run_time(child)


def layer_of(module: str) -> str:
    return module.split(".")[0]


def allowed(module: str, other: str) -> bool:
    layer = layer_of(module)
    return other == layer or other in ARROWS.get(layer, set()) or (module, other) in UPWARD


def faults(modules: dict[str, str]) -> list[str]:
    """Return every import that the arrows do not allow."""
    found = []
    for module, source in modules.items():
        layer = layer_of(module)
        own = {module.split(".")[1]} if layer == "backends" else set()
        for name in imports(module, source, set(modules)):
            root, _, inner = name.partition(".")
            if root == PACKAGE and not inner:
                found.append(f"{module} imports the package's own __init__")
            elif root == PACKAGE and not allowed(module, layer_of(inner)):
                found.append(f"{module} imports {inner}, which stands above it")
            elif root != PACKAGE and root not in {*sys.stdlib_module_names, *OUTSIDE.get(layer, set()), *own}:
                found.append(f"{module} imports {root}")
    return found


def cycles(modules: dict[str, str]) -> list[str]:
    """Modules that import themselves through others."""
    reached: dict[str, set[str]] = {}
    for module, source in modules.items():
        inner = {name.partition(".")[2] for name in imports(module, source, set(modules)) if name.startswith(PACKAGE)}
        inner = {name for name in inner if (module, layer_of(name)) not in UPWARD}
        reached[module] = {name if name in modules else f"{name}.__init__" for name in inner if name}
    for _ in modules:  # as long as the longest chain can be
        for module, others in reached.items():
            reached[module] = others.union(*(reached.get(other, set()) for other in others))
    return [module for module, others in reached.items() if module in others]


def printers(modules: dict[str, str]) -> list[str]:
    """Modules that write to the terminal though they may not."""
    writers = ("print", "sys.stdout.write", "sys.stderr.write", "rich.print")
    return [
        module
        for module, source in modules.items()
        if layer_of(module) not in MAY_PRINT
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in writers
    ]


def test_every_module_has_a_layer() -> None:
    assert {layer_of(module) for module in sources()} <= set(ARROWS)


def test_imports_follow_the_arrows() -> None:
    assert faults(sources()) == []


def test_no_cycles() -> None:
    assert cycles(sources()) == []


def test_only_the_command_line_and_reports_print() -> None:
    assert printers(sources()) == []


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("taps", "from .plan import Plan", "taps imports plan, which stands above it"),
        (
            "dialects.tfjs",
            "from ..engine import passes",
            "dialects.tfjs imports engine.passes, which stands above it",
        ),
        (
            "engine.kernel_call",
            "def f():\n    from .. import taps",
            "engine.kernel_call imports taps, which stands above it",
        ),
        ("plan", "import torch", "plan imports torch"),
        ("backends.numpy", "import torch.nn", "backends.numpy imports torch"),
        ("api", "from . import __version__", "api imports the package's own __init__"),
        ("errors", "import sizewise.filters", "errors imports filters, which stands above it"),
        ("insight.labels", "from .. import parity", "insight.labels imports parity, which stands above it"),
        (
            "report.parity.text",
            "from ...parity import Parity",
            "report.parity.text imports parity, which stands above it",
        ),
    ],
)
def test_control_a_made_up_violation_is_caught(module: str, source: str, fault: str) -> None:
    known = {**dict.fromkeys(sources(), ""), module: source}
    assert faults(known) == [fault]


def test_control_allowed_imports_pass() -> None:
    backend = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..plan import Plan\nimport torch"
    assert faults({**dict.fromkeys(sources(), ""), "backends.torch": backend}) == []


def test_control_a_cycle_and_a_print_are_caught() -> None:
    made_up = {"taps": "from . import filters", "filters": "from .taps import Taps", "api": "print('hello')"}
    assert cycles(made_up) == ["taps", "filters"]
    assert printers(made_up) == ["api"]


LATE = {
    *("numba", "torch", "tensorflow", "jax", "autograd", "dask"),
    *("typer", "rich", "jinja2", "matplotlib", "cv2", "PIL", "skimage", "pyarrow"),
}


def loaded_after(code: str) -> set[str]:
    """The packages that must come late and yet are loaded after the code ran in a fresh Python."""
    report = f"import sys; {code}; sys.stdout.write(' '.join({LATE!r} & set(sys.modules)))"
    return set(
        subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True).stdout.split()
    )


def test_import_loads_no_framework() -> None:
    assert loaded_after("import sizewise") == set()
    assert loaded_after("import sizewise as sw; sw.make_plan((4, 4), (2, 2)); sw.dialects.names()") == set()


def test_a_resize_loads_no_framework() -> None:
    assert loaded_after("import sizewise as sw; sw.resize([1.0, 2.0], 3)") == set()


def test_control_a_command_loads_typer() -> None:
    assert "typer" in loaded_after("import sizewise.cli.app")
