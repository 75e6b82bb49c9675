"""Writer of docs/reference/README.md and docs/reference/api/*.md: every public name, from `__all__` and docstrings.

Run as `python docs/make_reference.py`. It parses the source and imports nothing, so it needs no framework.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
COMPAT = ROOT / "sizewise" / "compat"
MODULES = (
    "sizewise",
    *(f"sizewise.{name}" for name in ("preprocess", "testing", "errors", "filters", "dialects")),
    *sorted(f"sizewise.compat.{path.stem}" for path in COMPAT.iterdir() if not path.name.startswith("_")),
    "sizewise.compat.torchvision.functional",
)
MIXINS = ("LabelMaps", "LabelSteps")  # whose methods appear with the classes that inherit them
TOP = "<!-- Written by `python docs/make_reference.py` from the docstrings; change those, not this. -->\n"
INDEX = f"""# Python API

{TOP}
Every public name, by module. See also [dialects](dialects.md) for methods, options and formulas, [install and
runtime](runtime.md) for environment variables and threads, and [stability](../explanation/stability.md).
"""
Definition = ast.FunctionDef | ast.ClassDef


class Source(NamedTuple):
    """A module: its dotted name, whether it is a package, and its syntax tree."""

    name: str
    is_package: bool
    tree: ast.Module


def parse(name: str) -> Source | None:
    """Return a module of Sizewise by its dotted name, or None if there is no file of that name."""
    path = ROOT.joinpath(*name.split("."))
    for file, is_package in ((path.with_suffix(".py"), False), (path / "__init__.py", True)):
        if file.is_file():
            return Source(name, is_package, ast.parse(file.read_text(encoding="utf-8")))
    return None


def exports(module: Source) -> list[str]:
    """Return the names in `__all__`, or else the public classes and functions that the module defines."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value))
    return sorted(node.name for node in module.tree.body if isinstance(node, Definition) and node.name[0] != "_")


def find(module: Source, name: str) -> Definition | None:
    """Return the definition of a name, in the module or where it is imported from."""
    found = locate(module, name)
    return found and found[1]


def locate(module: Source, name: str) -> tuple[Source, Definition] | None:
    """Return the definition of a name, and the module that it is in."""
    for node in ast.walk(module.tree):
        if isinstance(node, Definition) and node.name == name and node in module.tree.body:
            return module, node
        if isinstance(node, ast.ImportFrom) and node.level and name in (alias.name for alias in node.names):
            above = module.name.split(".")[: len(module.name.split(".")) - node.level + module.is_package]
            origin = parse(".".join([*above, *filter(None, [node.module])]))
            found = origin and locate(origin, name)
            if found:
                return found
    return None


def signature(node: ast.FunctionDef) -> str:
    """Return a function's name and parameters, on one line if they fit, without `self`."""
    arguments = re.sub(r"^self(, )?", "", ast.unparse(node.args))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{node.name}({arguments}){returns}"
    return line if len(line) <= 100 else f"{node.name}(\n    {arguments},\n){returns}"


def prose(node: ast.AsyncFunctionDef | Definition | ast.Module) -> str:
    """Return a docstring as Markdown: examples fenced, sections bold, their entries a list."""
    lines, fenced = [], False
    for line in (ast.get_docstring(node) or "").splitlines():
        starts = line.startswith(">>> ")
        if starts and not fenced:
            lines.append("```pycon")
        if fenced and not line:
            lines.append("```")
        fenced = starts or (fenced and bool(line))
        lines.append(line if fenced else markdown(line))
    return "\n".join([*lines, "```"] if fenced else lines)


def markdown(line: str) -> str:
    """Return a line of a Google-style docstring as Markdown, without HTML tags."""
    if re.fullmatch(r"(Args|Returns|Raises|Yields|Attributes):", line):
        return f"**{line[:-1]}**\n"
    return re.sub(r"^    (\w+): ", r"- `\1`: ", re.sub(r"<(?=\w)", r"\<", line))


def methods(module: Source, node: ast.ClassDef) -> Iterator[str]:
    """Yield the sections of a class's public methods and properties that have a docstring, and of its mixins."""
    inherited = [found[1] for base in node.bases if (found := locate(module, ast.unparse(base)))]
    mixins = [base for base in inherited if base.name in MIXINS]
    own = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    others = [one for base in mixins for one in base.body if getattr(one, "name", "") not in own]  # type: ignore[attr-defined]
    for one in [*node.body, *others]:
        if isinstance(one, ast.FunctionDef) and one.name[0] != "_" and ast.get_docstring(one):
            is_property = {"property", "lazy"} & {ast.unparse(decorator) for decorator in one.decorator_list}
            heading = f"{node.name}.{one.name}"
            code = "" if is_property else f"\n```text\n{signature(one)}\n```\n"
            yield f"### {heading}\n{code}\n{prose(one)}\n"


def section(module: Source, name: str) -> str:
    """Return the section of one public name: a module, class, function or value."""
    if parse(f"{module.name}.{name}"):
        return f"## {name}\n\nA module: [{module.name}.{name}]({module.name}.{name}.md).\n"
    module, node = locate(module, name) or (module, None)
    if node is None:
        return f"## {name}\n\n{summary(module, name)}\n"
    if isinstance(node, ast.FunctionDef):
        return f"## {name}\n\n```text\n{signature(node)}\n```\n\n{prose(node)}\n"
    bases = ", ".join(map(ast.unparse, node.bases))
    own = f"## {name}\n\n```text\nclass {name}{f'({bases})' if bases else ''}\n```\n\n{prose(node)}\n"
    return "\n".join([own, *methods(module, node)])


def summary(module: Source, name: str) -> str:
    """Return the first line of a name's docstring, or its value."""
    inner = parse(f"{module.name}.{name}")
    if node := inner.tree if inner else find(module, name):
        return markdown((ast.get_docstring(node) or "").partition("\n")[0]).replace("|", "\\|")
    for one in module.tree.body:
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name:
            return f"`{ast.unparse(one.value)}`"
    return "A value."


def page(module: Source) -> str:
    """Return the page of one module."""
    parts = [f"# {module.name}\n", TOP, f"{prose(module.tree)}\n"]
    return "\n".join([*parts, *(section(module, name) for name in exports(module))])


def index(modules: list[Source]) -> str:
    """Return the page that lists every module with its names."""
    parts = [INDEX]
    for module in modules:
        file = f"api/{module.name}.md"
        rows = [f"| [{name}]({file}#{name.lower()}) | {summary(module, name)} |" for name in exports(module)]
        parts.append("\n".join([f"## [{module.name}]({file})", "", "| | |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """Return every page of the reference, by its path."""
    modules = [module for name in MODULES if (module := parse(name))]
    every = {FOLDER / "api" / f"{module.name}.md": page(module) for module in modules}
    return {FOLDER / "README.md": index(modules), **every}


if __name__ == "__main__":
    (FOLDER / "api").mkdir(exist_ok=True)
    for path in (FOLDER / "api").glob("*.md"):
        path.unlink()
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
