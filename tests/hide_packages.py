"""Runs code as if only some packages were installed, to see whether those that a page names are enough for it.

`missing(requirements)` is what must not be seen then; run as a script, this takes those names as its arguments and the
code from its standard input.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
# The same package without the graphics-card parts is what tests have.
STANDS_FOR = {"tensorflow": "tensorflow-cpu"}
BUNDLED = "thirdparty_files"  # the folder in Ray with its copies of other packages


def canonical(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def declared(name: str, extras: set[str]) -> Iterator[str]:
    """The requirements of a distribution with these extras; Sizewise's own are those of the source tree."""
    from packaging.requirements import Requirement

    if name == "sizewise":
        project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
        yield from project["dependencies"]
        for extra in extras:
            yield from project["optional-dependencies"][extra]
        return
    for text in metadata.distribution(name).requires or ():
        marker = Requirement(text).marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield text


def closure(requirements: Iterable[str]) -> set[str]:
    """The names of all distributions that requirements bring, as far as they are installed."""
    from packaging.requirements import Requirement

    pending, seen = list(requirements), set()
    while pending:
        requirement = Requirement(pending.pop())
        name = canonical(requirement.name)
        name = STANDS_FOR.get(name, name)
        if (name, *sorted(requirement.extras)) in seen:
            continue
        seen.add((name, *sorted(requirement.extras)))
        try:
            pending += declared(name, requirement.extras)
        except metadata.PackageNotFoundError:  # of another platform, or one that this environment does without
            continue
    return {name for name, *_ in seen}


def missing(requirements: Iterable[str]) -> list[str]:
    """The names of all distributions that the requirements do not bring, as name==, and of their modules."""
    allowed = closure(requirements)
    owners = {module: set(map(canonical, names)) for module, names in metadata.packages_distributions().items()}
    others = set().union(*owners.values()) - allowed
    return sorted({f"{name}==" for name in others} | {module for module, names in owners.items() if names <= others})


class Without:
    """A finder of modules and distributions that does not see some of them, as if they were not installed."""

    def __init__(self, finder: Any, names: Iterable[str]) -> None:
        self.finder, self.names = finder, frozenset(names)

    def find_spec(self, fullname: str, *where: Any) -> ModuleSpec | None:
        spec: ModuleSpec | None = self.finder.find_spec(fullname, *where)
        is_bundled = spec is not None and BUNDLED in Path(spec.origin or "").parts
        return None if fullname.partition(".")[0] in self.names and not is_bundled else spec

    def find_distributions(self, context: metadata.DistributionFinder.Context) -> Iterable[metadata.Distribution]:
        if not hasattr(self.finder, "find_distributions") or f"{canonical(context.name or '')}==" in self.names:
            return ()
        found: Iterable[metadata.Distribution] = self.finder.find_distributions(context)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.finder, name)


if __name__ == "__main__":
    import torchvision_ops

    torchvision_ops.declare_at_import()
    sys.meta_path[1:] = [Without(finder, sys.argv[1:]) for finder in sys.meta_path[1:]]
    exec(compile(sys.stdin.read(), "page", "exec"), {"__name__": "__main__"})
