"""Pages: self-contained HTML files, to mail, archive and open anywhere."""

from __future__ import annotations

from functools import cache

import jinja2

from ..version import __version__


def page(template: str, *, title: str, lead: str = "", command: str = "", **facts: object) -> str:
    """Render a template of `templates/` as a page; `command` is the line that writes it again.

    >>> "<title>4x4 &lt; 8x8</title>" in page("base.html", title="4x4 < 8x8")
    True
    """
    shared = {"title": title, "lead": lead, "command": command, "version": __version__}
    return _environment().get_template(template).render(**shared, **facts)


def fragment(template: str, **facts: object) -> str:
    """Render a template as a piece of another page.

    >>> fragment("notebook.html", shown=[])[:13]
    '<div class="s'
    """
    return _environment().get_template(template).render(**facts).strip()


@cache
def _environment() -> jinja2.Environment:
    # All values are escaped; a misspelled name in a template is an error.
    return jinja2.Environment(
        loader=jinja2.PackageLoader("sizewise.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
