"""Pages from templates: the frame that every page has, and how numbers, times and texts are written in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

from vivavoce.reports.shared.pages import ICONS, shared_styles
from vivavoce.reports.shared.pages import TEMPLATES as BLOCKS
from vivavoce.version import __version__
from vivavoce.web.language import DEFAULT, LANGUAGES, Words, catalogue

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"
CHART_SCRIPT = "vega.js"

Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")


@dataclass(frozen=True, slots=True)
class Link:
    """Somewhere to go: `current` marks where the reader is, `key` is a key that leads there."""

    title: str
    href: str
    current: bool = False
    key: str = ""
    icon: str = ""


@dataclass(frozen=True, slots=True)
class NavGroup:
    """One group of the navigation; on a phone it is a tab."""

    title: str
    icon: str
    links: tuple[Link, ...]

    @property
    def current(self) -> bool:
        """Whether the reader is on one of its pages."""
        return any(link.current for link in self.links)


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in."""

    name: str
    role: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Flash:
    """A message about what was just done; `undo` is the address that takes it back by a POST."""

    text: str
    alert: bool = False
    undo: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around every page. `path` is the page itself, to come back to after a change of look."""

    title: str
    user: Person | None = None
    groups: tuple[NavGroup, ...] = ()
    help: tuple[Link, ...] = ()
    jump: str = "/jump"
    project: Link | None = None
    projects: tuple[Link, ...] = ()
    flashes: tuple[Flash, ...] = ()
    language: str = DEFAULT
    theme: Theme = "auto"
    version: str = __version__
    path: str = "/"
    zone: str = "UTC"
    languages: Mapping[str, str] = field(default_factory=lambda: LANGUAGES)


def render(name: str, context: Mapping[str, Any], language: str = DEFAULT) -> str:
    """Return a template filled in; a name that the context lacks is an error, never an empty place."""
    return environment(language).get_template(name).render(context)


class View(SimpleNamespace):
    """What a page shows, by name; a template that asks for a name that is not there fails."""


def choose_theme(cookie: str | None) -> Theme:
    """Return the theme that a cookie names, else the one of the system."""
    return next((theme for theme in THEMES if theme == cookie), "auto")


def static_url(name: str) -> str:
    """Return the address of a static file; it changes with the file, so that a browser may keep it for ever."""
    return f"/static/{name}?v={_mark(name)}"


@cache
def app_styles() -> bytes:
    """Return the stylesheet of all pages: the parts shared with reports, the frame, then a file for each room."""
    own = sorted((STATIC / "styles").glob("*.css"))
    return (shared_styles() + "".join(path.read_text(encoding="utf-8") for path in own)).encode()


# What is put together rather than served from the folder of static files.
MADE: Mapping[str, Callable[[], bytes]] = {"app.css": app_styles, "icons.svg": ICONS.read_bytes}


@cache
def _mark(name: str) -> str:
    if name == CHART_SCRIPT:
        from vivavoce.web.charts import bundle_mark

        return bundle_mark()
    content = MADE[name]() if name in MADE else (STATIC / name).read_bytes()
    return sha256(content).hexdigest()[:12]


@cache
def environment(language: str = DEFAULT) -> Environment:
    """Return the templates of one language."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from vivavoce.web import formats

    templates = Environment(
        loader=FileSystemLoader([TEMPLATES, BLOCKS]),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The new style escapes what is filled in; the extension adds this method, which no type can know.
    templates.install_gettext_translations(catalogue(language), newstyle=True)  # type: ignore[attr-defined]
    templates.filters.update(formats.filters(Words(language)))
    templates.globals.update(static_url=static_url, themes=THEMES, help_page="/help", icons=static_url("icons.svg"))
    return templates
