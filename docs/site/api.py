"""Pages of the Python API: one for each public module, which mkdocstrings fills, and an index of all names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import cast

import griffe

ROOT = Path(__file__).resolve().parents[2]
COMPAT = ROOT / "sizewise" / "compat"
MODULES = (
    "sizewise",
    *(f"sizewise.{name}" for name in ("preprocess", "preprocess.engines", "testing", "errors", "filters", "dialects")),
    *(f"sizewise.{name}" for name in ("parity", "files.shards")),
    *sorted(f"sizewise.compat.{path.stem}" for path in COMPAT.iterdir() if not path.name.startswith("_")),
    "sizewise.compat.torchvision.functional",
)


@cache
def package() -> griffe.Module:
    """Return the package, read from its source: no framework is imported."""
    return cast(griffe.Module, griffe.load("sizewise", search_paths=[ROOT]))


def module(name: str) -> griffe.Module:
    """Return a module by its dotted name."""
    return package() if name == "sizewise" else cast(griffe.Module, package()[name.removeprefix("sizewise.")])


def source(name: str) -> Path:
    """Return the file of a module."""
    return cast(Path, module(name).filepath)


def exports(name: str) -> list[str]:
    """Return the names in a module's `__all__`, functions first, or else those that it defines."""
    one = module(name)
    if one.exports is not None:
        names = sorted(map(str, one.exports))
        return sorted(names, key=lambda export: not is_function(name, export))
    return sorted(
        key for key, member in one.members.items() if key[0] != "_" and not member.is_alias and is_api(member)
    )


def is_api(member: griffe.Object | griffe.Alias) -> bool:
    """Return whether a member is a class or a function."""
    return member.is_class or member.is_function


def is_function(name: str, export: str) -> bool:
    """Return whether a public name is a function."""
    found = definition(name, export)
    return found is not None and found.is_function


def definition(name: str, export: str) -> griffe.Object | griffe.Alias | None:
    """Return the definition of a public name, or None if it is not in the source of Sizewise."""
    member = module(name).members.get(export)
    try:
        return member if member is None or member.docstring or member.path else None
    except griffe.AliasResolutionError:
        return None


def origin(name: str, export: str) -> str:
    """Return a sentence about a name that has no definition here."""
    member = module(name).members.get(export)
    if member is None:
        return "Defined when it is first used: see the top of this page."
    return f"The framework's own `{member.target_path}`." if isinstance(member, griffe.Alias) else "A value."


def summary(name: str, export: str) -> str:
    """Return the first line of a public name's docstring, for a table."""
    member = definition(name, export)
    if member is None:
        return origin(name, export)
    text = member.docstring.value if member.docstring else ""
    return text.partition("\n")[0].replace("|", "\\|").replace("<", "&lt;")


def section(name: str, export: str) -> str:
    """Return the section of a public name: a link to a module, a sentence, or what mkdocstrings fills."""
    if f"{name}.{export}" in MODULES:
        return f"## {export}\n\nA module: [{name}.{export}]({name}.{export}.md).\n"
    if definition(name, export) is None:
        return f"## {export} {{: #{name}.{export} }}\n\n{origin(name, export)}\n"
    return f"::: {name}.{export}\n"


def page(name: str) -> str:
    """Return the page of one module: its docstring, then each public name."""
    top = f"::: {name}\n    options:\n      members: []\n      show_root_heading: false\n"
    return "\n".join([f"# {name}\n", top, *(section(name, export) for export in exports(name))])


def index() -> Iterator[str]:
    """Yield the lines of tables of every public name."""
    for name in MODULES:
        yield f"\n## [{name}](api/{name}.md) {{: #{name.replace('.', '-')} }}\n\n| name | |\n|---|---|"
        for export in exports(name):
            is_module = f"{name}.{export}" in MODULES
            place = f"api/{name}.{export}.md" if is_module else f"api/{name}.md#{name}.{export}"
            yield f"| [`{export}`]({place}) | {summary(name, export)} |"


def pages() -> dict[str, str]:
    """Return every page of the API by its place on the site."""
    return {f"reference/api/{name}.md": page(name) for name in MODULES}
