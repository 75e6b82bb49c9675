"""Pages: self-contained HTML files, to mail, archive and open anywhere."""

from __future__ import annotations

from functools import cache

import jinja2
import numpy as np

from ..insight.pixel_error import format_value
from ..version import __version__
from .colormap import NOTHING, viridis
from .glossary import PageGlossary


def page(template: str, *, title: str, lead: str = "", command: str = "", **facts: object) -> str:
    """Render a template of `templates/` as a page; `command` is the line that writes it again."""
    shared = {"title": title, "lead": lead, "command": command, "version": __version__, "terms": PageGlossary()}
    return _environment().get_template(template).render(**shared, **facts)


def fragment(template: str, **facts: object) -> str:
    """Render a template as a piece of another page."""
    return _environment().get_template(template).render(**facts).strip()


def arrows(text: str) -> str:
    """Return text whose arrows are one character and do not break across lines."""
    return text.replace(" -> ", "\xa0→\xa0")


@cache
def _environment() -> jinja2.Environment:
    # All values are escaped; a misspelled name in a template is an error.
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sizewise.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    ramp = viridis(np.linspace(0.0, 1.0, 16)).tolist()
    environment.globals["format_value"] = format_value
    environment.globals |= {"ramp": ", ".join(map(_css_color, ramp)), "nothing": _css_color(NOTHING)}
    return environment


def _css_color(color: tuple[int, ...]) -> str:
    return f"rgb({' '.join(map(str, color))})"
