"""One suite: its scenarios by domain and level, its name, its file, its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.rows import ScenarioRow
from vivavoce.web.answers import MEDIA, download
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search
from vivavoce.web.pages.scenarios.suites import name_fields
from vivavoce.web.pages.scenarios.words import level_title
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.scenarios import suites
from vivavoce.workspace.scenarios.scenarios import list_scenarios
from vivavoce.workspace.scenarios.suites import paste_scenarios

router = APIRouter()
A_PAGE = 100


async def _asked_scenarios(
    q: Search = "",
    domain: Search = "",
    level: Search = "",
    number: PageNumber = 1,
    sort: Annotated[str, Query(pattern="^(-?(title|domain|level|version))?$")] = "",
) -> Listing:
    return Listing("", {"q": q, "domain": domain, "level": level}, sort, number, A_PAGE)


@router.get("/p/{slug}/suites/{suite_id}")
def show_suite(visit: ReaderVisit, suite_id: str, asked: Annotated[Listing, Depends(_asked_scenarios)]) -> Response:
    """Show a suite with its scenarios by domain and level."""
    return _suite_page(visit, suite_id, asked)


@router.post("/p/{slug}/suites/{suite_id}")
def change_suite(visit: EditorVisit, suite_id: str, form: Form) -> Response:
    """Call a suite otherwise, or add scenarios that were pasted from a sheet."""
    words = visit.words
    try:
        if form.choice("do", ("rename", "paste")) == "paste":
            text = form.text("sheet", most=2_000_000)
            form.check()
            edit = paste_scenarios(*visit.acting, suite_id, text)
        else:
            name, title = form.text("name"), form.text("title", most=200)
            form.check()
            edit = suites.rename_suite(*visit.acting, suite_id, name=name, title=title)
    except InputError as error:
        nothing = {"q": "", "domain": "", "level": ""}
        return _suite_page(visit, suite_id, Listing("", nothing, size=A_PAGE), form=form, error=error)
    return visit.done(f"{visit.base}/suites/{suite_id}", words.gettext("Saved."), edit)


@router.get("/p/{slug}/suites/{suite_id}/file")
def take_suite(
    visit: ReaderVisit, suite_id: str, form: Annotated[str, Query(pattern="^(yaml|csv|xlsx)$")] = "yaml"
) -> Response:
    """Give a suite as a file."""
    row, content = suites.export_suite(*visit.here, suite_id, form)
    return download(f"{row.name}.{form}", MEDIA[form], content)


@router.get("/p/{slug}/suites/{suite_id}/delete")
def ask_deletion(visit: EditorVisit, suite_id: str) -> Response:
    """Ask before a suite goes."""
    row = suites.find_suite(*visit.here, suite_id)
    title = visit.words.gettext("Delete %(name)s", name=row.name)
    return visit.page("scenarios/suite_delete.html", title, view=row)


@router.post("/p/{slug}/suites/{suite_id}/delete")
def end_suite(visit: EditorVisit, suite_id: str) -> Response:
    """Delete a suite with its scenarios."""
    edit = suites.delete_suite(*visit.acting, suite_id)
    return visit.done(f"{visit.base}/suites", visit.words.gettext("Suite deleted."), edit)


def _suite_page(
    visit: Visit, suite_id: str, asked: Listing, *, form: Fields | None = None, error: InputError | None = None
) -> Response:
    words, suite = visit.words, suites.find_suite(*visit.here, suite_id)
    every = list_scenarios(*visit.here, suite_id)
    levels = tuple(dict.fromkeys((*suites.read_head(suite.head).levels, *(row.level for row in every))))
    listing = asked.at(f"{visit.base}/suites/{suite_id}")
    fitting = _narrow(every, asked, levels)
    rows, counts = listing.cut(fitting), Counter((row.domain, row.level) for row in every)
    by_domain = {row.domain: [counts[row.domain, level] for level in levels] for row in every}
    titles = {level: level_title(words, level) for level in levels}
    columns = {
        "title": words.gettext("Scenario"),
        "domain": words.gettext("Domain"),
        "level": words.gettext("Level"),
        "version": words.gettext("Version"),
    }
    renamed = form is not None and form.text("do") == "rename"
    typed = (form.text("name"), form.text("title")) if form and renamed else (suite.name, suite.title)
    size = words.ngettext("%(num)s scenario", "%(num)s scenarios", len(every))
    view = View(
        lead=words.gettext("%(scenarios)s, %(shown)s shown.", scenarios=size, shown=len(rows)),
        suite=suite,
        here=listing.path,
        levels=levels,
        titles=titles,
        columns=[listing.column(title, name, number=name == "version") for name, title in columns.items()],
        counts=[(domain, numbers, sum(numbers)) for domain, numbers in by_domain.items()],
        rows=rows,
        filters=_filters(words, asked.chosen, sorted({row.domain for row in every if row.domain}), titles),
        pager=listing.pager(len(fitting)),
        downloads=[Link(kind.upper(), f"{listing.path}/file?form={kind}") for kind in suites.FORMS],
        fields=name_fields(words, *typed, error),
        pasted=_paste_fields(words, form),
        crumbs=(Link(words.gettext("Scenarios"), f"{visit.base}/suites"),),
        renaming=renamed,
        pasting=form is not None and not renamed,
        error=error,
    )
    title, status = suite.title or suite.name, 400 if error else 200
    return visit.page("scenarios/suite.html", title, view=view, status=status)


def _filters(
    words: Words, chosen: Mapping[str, str], domains: Sequence[str], levels: Mapping[str, str]
) -> tuple[Field, ...]:
    every = words.gettext("all")
    hard = (Choice("", every), *(Choice(level, title) for level, title in levels.items()))
    choices = named_choices(domains, every)
    return (
        Field("q", words.gettext("Search"), "search", chosen["q"], key="f"),
        Field("domain", words.gettext("Domain"), "select", chosen["domain"], choices=choices),
        Field("level", words.gettext("Level"), "select", chosen["level"], choices=hard),
    )


def _paste_fields(words: Words, form: Fields | None) -> tuple[Field, ...]:
    hint = words.gettext(
        "Select the cells in your spreadsheet, including the header row, and paste them here: "
        "scenario, level, user, expect_topic, good_replies and so on. One row is one turn."
    )
    value = form.text("sheet", most=2_000_000) if form else ""
    return (Field("sheet", words.gettext("Cells"), "textarea", value, help=hint, required=True, rows=6),)


def _narrow(rows: Sequence[ScenarioRow], asked: Listing, levels: Sequence[str]) -> Sequence[ScenarioRow]:
    """Return the scenarios that fit, by a column, levels from easy to hard; else in the order of the suite."""
    domain, level, search = asked.chosen["domain"], asked.chosen["level"], asked.chosen["q"].strip().casefold()
    fitting = [
        row
        for row in rows
        if domain in ("", row.domain) and level in ("", row.level) and search in row.text.casefold()
    ]
    keys: Mapping[str, Callable[[ScenarioRow], Any]] = {
        "title": lambda row: (row.title or row.name).casefold(),
        "domain": lambda row: row.domain.casefold(),
        "level": lambda row: levels.index(row.level),
        "version": lambda row: row.version,
    }
    name = asked.sort.removeprefix("-")
    return sorted(fitting, key=keys[name], reverse=asked.sort.startswith("-")) if name else fitting
