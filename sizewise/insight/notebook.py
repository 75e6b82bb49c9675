"""HTML of facts for notebooks."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from ..errors import MissingExtraError
from ..files.writing import write_text

if TYPE_CHECKING:
    from .variant import Variant


def notebook_html(variants: Sequence[Variant]) -> str | None:
    """Return the facts of plans as HTML; None without the packages that draw, for text alone."""
    return _render("explain.notebook_html", "notebook_html", variants)


class HasPage:
    """Facts with a report page, which notebooks show in a frame and `save_html` writes."""

    page_function: ClassVar[tuple[str, str]]  # its module in `sizewise.report`, and its name

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write the facts as a self-contained page, like --html of the command (extra `cli`)."""
        page = _render(*self.page_function, self)
        if page is None:
            raise MissingExtraError("save_html()", "cli")
        write_text(path, page)

    def _repr_html_(self) -> str | None:
        page = _render(*self.page_function, self)
        return page and f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 40em; border: 0"></iframe>'


def _render(module: str, function: str, facts: object) -> str | None:
    try:  # reports are above insight, and imported only where one is shown
        rendered: str = getattr(import_module(f"sizewise.report.{module}"), function)(facts)
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("sizewise"):
            raise
        return None
    return rendered
