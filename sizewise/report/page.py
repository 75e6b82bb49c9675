"""Pages: one HTML file that holds everything it shows, so that it can be mailed, archived and opened anywhere."""

from __future__ import annotations

from functools import cache

import jinja2

from ..version import __version__


def page(template: str, *, title: str, lead: str = "", command: str = "", **facts: object) -> str:
    """The page that a template of `templates/` makes of facts; `command` is the line that makes it again.

    >>> "<title>4x4 &lt; 8x8</title>" in page("base.html", title="4x4 < 8x8")
    True
    """
    words = {"title": title, "lead": lead, "command": command, "version": __version__}
    return _environment().get_template(template).render(**words, **facts)


def fragment(template: str, **facts: object) -> str:
    """A piece of a page, for those who have one of their own.

    >>> fragment("inline.html", shown=[])[:13]
    '<div class="s'
    """
    return _environment().get_template(template).render(**facts).strip()


@cache
def _environment() -> jinja2.Environment:
    # Everything is escaped but what the templates themselves contain; a name that a template misspells is an error.
    return jinja2.Environment(
        loader=jinja2.PackageLoader("sizewise.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
