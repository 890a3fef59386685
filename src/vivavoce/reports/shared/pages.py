"""Reports as files that need nothing else: no network, no script; light and dark, phone, desk and paper.

A report is a template of `templates/reports`; the blocks that it is made of (`templates/blocks.html`) are those of
the pages.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.errors import plural
from vivavoce.reports.shared.numbers import ENGLISH
from vivavoce.reports.shared.svg import AnyChart, to_svg
from vivavoce.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parents[1] / "templates"
ICONS = TEMPLATES / "icons.svg"


def render_report(template: str, title: str, **view: object) -> str:
    """Return a report as one file."""
    return environment().get_template(f"reports/{template}").render(title=title, **view)


@cache
def shared_styles() -> str:
    """Return the stylesheet that pages and reports share: tokens, text, components, tables, charts."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted((TEMPLATES / "styles").glob("*.css")))


@cache
def environment() -> Environment:
    """Return the templates of reports; whoever writes none needs no Jinja."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The extension adds this method, which no type can know.
    templates.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    names = ("number", "percent", "share", "value", "interval")
    templates.filters.update({name: getattr(ENGLISH, name) for name in names}, said=str, prose=prose, svg=draw)
    templates.globals.update(plural=plural, version=__version__, help_page="", icons="", styles=shared_styles())
    return templates


def draw(chart: AnyChart) -> Markup:
    """Return a chart as a picture."""
    from markupsafe import Markup

    # Drawn by ourselves, with all texts in it escaped.
    return Markup(to_svg(chart))  # noqa: S704


def prose(text: str) -> Markup:
    """Return a sentence in which `commands` are set as such."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(part) if place % 2 else escape(part) for place, part in enumerate(parts))
