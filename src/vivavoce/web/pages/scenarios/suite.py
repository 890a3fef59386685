"""One suite: its scenarios by domain and level, its name, its file, its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, ScenarioRow, SuiteRow
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.answers import MEDIA, done, download, page, words_of
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search
from vivavoce.web.pages.scenarios.suites import name_fields
from vivavoce.web.pages.scenarios.words import level_title
from vivavoce.web.parts import Choice, Column, Field, Pager, named_choices
from vivavoce.web.rendering import Link
from vivavoce.workspace.scenarios import suites
from vivavoce.workspace.scenarios.scenarios import list_scenarios
from vivavoce.workspace.scenarios.suites import paste_scenarios

router = APIRouter()
A_PAGE = 100


@dataclass(frozen=True)
class SuiteView:
    """One suite. `levels` and `counts`: how many scenarios there are by domain and level."""

    lead: str
    suite: SuiteRow
    here: str
    levels: tuple[str, ...]
    titles: Mapping[str, str]
    columns: tuple[Column, ...]
    counts: tuple[tuple[str, tuple[int, ...], int], ...]
    rows: tuple[ScenarioRow, ...]
    filters: tuple[Field, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    fields: tuple[Field, ...]
    pasted: tuple[Field, ...]
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """What part of a suite is looked at."""

    domain: str = ""
    level: str = ""
    q: str = ""
    number: int = 1
    sort: str = ""

    def listing(self, here: str) -> Listing:
        """Return the list that the page shows a part of."""
        chosen = {"q": self.q, "domain": self.domain, "level": self.level}
        return Listing(here, chosen, self.sort, self.number, A_PAGE)


@router.get("/p/{slug}/suites/{suite_id}")
def show_suite(
    request: Request,
    *,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    suite_id: str,
    domain: Search = "",
    level: Search = "",
    q: Search = "",
    number: PageNumber = 1,
    sort: Annotated[str, Query(pattern="^(-?(title|domain|level|version))?$")] = "",
) -> Response:
    """Show a suite with its scenarios by domain and level."""
    return _suite_page(request, store, project, suite_id, chosen=Chosen(domain, level, q, number, sort))


@router.post("/p/{slug}/suites/{suite_id}")
def change_suite(
    request: Request, *, who: Editor, store: InStore, project: ProjectInPath, suite_id: str, form: Form
) -> Response:
    """Call a suite otherwise, or add scenarios that were pasted from a sheet."""
    words = words_of(request)
    try:
        if form.choice("do", ("rename", "paste")) == "paste":
            text = form.text("sheet", most=2_000_000)
            form.check()
            edit = paste_scenarios(store, who.actor, project, suite_id, text)
        else:
            name, title = form.text("name"), form.text("title", most=200)
            form.check()
            edit = suites.rename_suite(store, who.actor, project, suite_id, name=name, title=title)
    except InputError as error:
        return _suite_page(request, store, project, suite_id, form=form, error=error)
    return done(f"/p/{project.slug}/suites/{suite_id}", words.gettext("Saved."), project=project, edit=edit)


@router.get("/p/{slug}/suites/{suite_id}/file")
def take_suite(
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    suite_id: str,
    form: Annotated[str, Query(pattern="^(yaml|csv|xlsx)$")] = "yaml",
) -> Response:
    """Give a suite as a file."""
    row, content = suites.export_suite(store, project, suite_id, form)
    return download(f"{row.name}.{form}", MEDIA[form], content)


@router.get("/p/{slug}/suites/{suite_id}/delete")
def ask_deletion(request: Request, who: Editor, store: InStore, project: ProjectInPath, suite_id: str) -> Response:
    """Ask before a suite goes."""
    row = suites.find_suite(store, project, suite_id)
    title = words_of(request).gettext("Delete %(name)s", name=row.name)
    return page(request, "scenarios/suite_delete.html", title, view=row, project=project, section="conversations")


@router.post("/p/{slug}/suites/{suite_id}/delete")
def end_suite(request: Request, who: Editor, store: InStore, project: ProjectInPath, suite_id: str) -> Response:
    """Delete a suite with its scenarios."""
    edit = suites.delete_suite(store, who.actor, project, suite_id)
    said = words_of(request).gettext("The suite is deleted.")
    return done(f"/p/{project.slug}/suites", said, project=project, edit=edit)


def _suite_page(
    request: Request,
    store: Store,
    project: Project,
    suite_id: str,
    *,
    chosen: Chosen | None = None,
    form: Fields | None = None,
    error: InputError | None = None,
) -> Response:
    words, part = words_of(request), chosen or Chosen()
    suite = suites.find_suite(store, project, suite_id)
    every = list_scenarios(store, project, suite_id)
    levels = tuple(dict.fromkeys((*suites.read_head(suite.head).levels, *(row.level for row in every))))
    found = _sorted([row for row in every if _is_chosen(row, part)], part.sort, levels)
    here = f"/p/{project.slug}/suites/{suite_id}"
    listing = part.listing(here)
    rows = listing.cut(found)
    view = SuiteView(
        lead=words.gettext(
            "%(scenarios)s, %(shown)s shown.",
            scenarios=words.ngettext("%(num)s scenario", "%(num)s scenarios", len(every)),
            shown=len(rows),
        ),
        suite=suite,
        here=here,
        levels=levels,
        titles={level: level_title(words, level) for level in levels},
        columns=_columns(words, listing),
        counts=_counts(every, levels),
        rows=rows,
        filters=_filters(words, every, levels, part),
        pager=listing.pager(len(found)),
        downloads=tuple(Link(kind.upper(), f"{here}/file?form={kind}") for kind in suites.FORMS),
        fields=_rename_fields(words, suite, form, error),
        pasted=_paste_fields(words, form),
        error=error,
    )
    status = 400 if error else 200
    title = suite.title or suite.name
    return page(
        request, "scenarios/suite.html", title, view=view, project=project, section="conversations", status=status
    )


def _is_chosen(row: ScenarioRow, chosen: Chosen) -> bool:
    fits = chosen.domain in ("", row.domain) and chosen.level in ("", row.level)
    return fits and chosen.q.strip().casefold() in row.text.casefold()


def _sorted(rows: list[ScenarioRow], sort: str, levels: Sequence[str]) -> list[ScenarioRow]:
    """Return scenarios by a column, levels from easy to hard; in the order of the suite where none is named."""
    keys: Mapping[str, Callable[[ScenarioRow], Any]] = {
        "title": lambda row: (row.title or row.name).casefold(),
        "domain": lambda row: row.domain.casefold(),
        "level": lambda row: levels.index(row.level),
        "version": lambda row: row.version,
    }
    name = sort.removeprefix("-")
    return sorted(rows, key=keys[name], reverse=sort.startswith("-")) if name else rows


def _columns(words: Words, listing: Listing) -> tuple[Column, ...]:
    titles = {
        "title": words.gettext("Scenario"),
        "domain": words.gettext("Domain"),
        "level": words.gettext("How hard"),
        "version": words.gettext("Version"),
    }
    return tuple(listing.column(title, name, number=name == "version") for name, title in titles.items())


def _counts(rows: Sequence[ScenarioRow], levels: Sequence[str]) -> tuple[tuple[str, tuple[int, ...], int], ...]:
    counted = Counter((row.domain, row.level) for row in rows)
    domains = dict.fromkeys(row.domain for row in rows)
    lines = []
    for domain in domains:
        by_level = tuple(counted[domain, level] for level in levels)
        lines.append((domain, by_level, sum(by_level)))
    return tuple(lines)


def _filters(words: Words, rows: Sequence[ScenarioRow], levels: Sequence[str], chosen: Chosen) -> tuple[Field, ...]:
    every = words.gettext("all")
    domains = named_choices(sorted({row.domain for row in rows if row.domain}), every)
    hard = (Choice("", every), *(Choice(one, level_title(words, one)) for one in levels))
    return (
        Field("q", words.gettext("Search"), "search", chosen.q, key="/"),
        Field("domain", words.gettext("Domain"), "select", chosen.domain, choices=domains),
        Field("level", words.gettext("How hard"), "select", chosen.level, choices=hard),
    )


def _rename_fields(words: Words, suite: SuiteRow, form: Fields | None, error: InputError | None) -> tuple[Field, ...]:
    renamed = form is not None and form.text("do") == "rename"
    typed = (form.text("name"), form.text("title")) if form and renamed else (suite.name, suite.title)
    return name_fields(words, *typed, error)


def _paste_fields(words: Words, form: Fields | None) -> tuple[Field, ...]:
    hint = words.gettext(
        "Mark the cells in your spreadsheet, the line of titles included, and copy them here: "
        "scenario, level, user, expect_topic, good_replies and so on. One row is one turn."
    )
    value = form.text("sheet", most=2_000_000) if form else ""
    return (Field("sheet", words.gettext("Cells"), "textarea", value, help=hint, required=True, rows=6),)
