"""The suites of a project, and one suite with its scenarios by domain and level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from vivavoce import demo
from vivavoce.errors import InputError
from vivavoce.files import formats
from vivavoce.languages import Use, name_languages
from vivavoce.store.rows import Edit, ScenarioRow
from vivavoce.web.answers import MEDIA, download
from vivavoce.web.forms import Fields, Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search
from vivavoce.web.pages.scenarios.words import level_title
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import Link, View
from vivavoce.web.security.archives import unpacked_archive
from vivavoce.web.security.uploads import name_as_sent
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.scenarios import suites
from vivavoce.workspace.scenarios.scenarios import list_scenarios
from vivavoce.workspace.scenarios.suites import paste_scenarios

router = APIRouter()


@router.get("/p/{slug}/suites")
def show_suites(visit: ReaderVisit) -> Response:
    """Show the suites of a project."""
    return _suites_page(visit)


@router.post("/p/{slug}/suites")
def add_suite(visit: EditorVisit, form: Form) -> Response:
    """Bring in a suite that ships or a file, or make an empty one."""
    words = visit.words
    try:
        edit = _add(visit, form)
    except InputError as error:
        return _suites_page(visit, form, error)
    text = words.gettext("Done: %(what)s", what=words.said(edit.summary))
    return visit.done(f"{visit.base}/suites", text, edit)


def _add(visit: Visit, form: Fields) -> Edit:
    project, replacing = visit.acting, form.flag("replacing")
    way = form.choice("do", ("shipped", "upload", "create"))
    if way == "shipped":
        name = form.choice("shipped", demo.suites())
        form.check()
        return suites.import_read_suite(*project, suites.read_shipped(name), replacing=replacing)
    if way == "create":
        name, title = form.text("name"), form.text("title", most=200)
        return suites.create_suite(*project, name, title=title, language=visit.project.language)
    form.check()
    with form.file("file") as path:
        try:
            source = path
            if path.suffix.lower() == ".zip":
                folder = path.parent / "unpacked"
                folders = {file.parent for file in unpacked_archive(path, folder)}
                source = folders.pop() if len(folders) == 1 else folder
            name = form.text("called", most=200)
            return suites.import_suite(*project, source, name=name, replacing=replacing)
        except InputError as error:
            raise name_as_sent(error, path) from error


def _suites_page(visit: Visit, form: Fields | None = None, error: InputError | None = None) -> Response:
    words = visit.words
    lines = suites.list_suites(*visit.here)
    many = sum(line.scenarios for line in lines)
    lead = words.ngettext("%(num)s suite", "%(num)s suites", len(lines))
    scenarios = words.ngettext("%(num)s scenario", "%(num)s scenarios", many)
    typed = (form.text("name"), form.text("title")) if form else ("", "")
    kinds = words.gettext("YAML, CSV or XLSX with one row per turn, or a ZIP of such files.")
    renew = words.gettext("If a suite of this name exists, update it")
    accepted = ",".join((*formats.list_extensions(formats.Kind.SCENARIOS), ".zip"))
    view = View(
        lead=words.gettext("%(suites)s with %(scenarios)s.", suites=lead, scenarios=scenarios),
        lines=lines,
        languages=name_languages(Use.PROJECTS),
        shipped=(Field("shipped", words.gettext("Suite"), "select", choices=named_choices(demo.suites())),),
        uploaded=(
            Field("file", words.gettext("File"), "file", help=kinds, accept=accepted, required=True),
            Field("called", words.gettext("Name in this project"), most=suites.MAX_NAME),
            Field("replacing", renew, "checkbox"),
        ),
        made=name_fields(words, *typed, error),
        here=f"{visit.base}/suites",
        error=error,
    )
    status = 400 if error else 200
    title = words.gettext("Scenarios")
    return visit.page("scenarios/suites.html", title, view=view, status=status)


def name_fields(words: Words, name: str, title: str, error: InputError | None) -> tuple[Field, ...]:
    """Return the fields in which a suite gets its name and title."""
    wrong = fault_at(error, "name")
    return (
        Field("name", words.gettext("Name"), value=name, required=True, most=suites.MAX_NAME, error=wrong),
        Field("title", words.gettext("Title"), value=title, most=200),
    )


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
    if len(fitting) < len(every):
        size = words.gettext(
            "%(shown)s of %(scenarios)s match", scenarios=size, shown=visit.write.number(len(fitting))
        )
    view = View(
        lead=f"{size}.",
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
