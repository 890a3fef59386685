"""Suites: the list of them, and one with its scenarios by domain and level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce import demo
from vivavoce.errors import InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, ScenarioRow, SuiteRow
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader, Visitor
from vivavoce.web.answers import CSV, XLSX, done, download, page, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Fields, Form
from vivavoce.web.parts import Choice, Field, Pager
from vivavoce.web.rendering import Link
from vivavoce.web.security import told_by_name, unpacked_archive
from vivavoce.workspace import suites
from vivavoce.workspace.pasting import paste_scenarios
from vivavoce.workspace.scenarios import list_scenarios
from vivavoce.workspace.suites import SuiteLine

router = APIRouter()
A_PAGE = 100
MEDIA = {"yaml": "application/yaml", "csv": CSV, "xlsx": XLSX}
Search = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True)
class SuitesView:
    """All suites of a project, and the forms for another one."""

    lead: str
    lines: tuple[SuiteLine, ...]
    shipped: tuple[Field, ...]
    uploaded: tuple[Field, ...]
    made: tuple[Field, ...]
    here: str
    error: InputError | None = None


@dataclass(frozen=True)
class SuiteView:
    """One suite. `levels` and `counts`: how many scenarios there are by domain and level."""

    lead: str
    suite: SuiteRow
    here: str
    levels: tuple[str, ...]
    counts: tuple[tuple[str, tuple[int, ...], int], ...]
    rows: tuple[ScenarioRow, ...]
    filters: tuple[Field, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    fields: tuple[Field, ...]
    pasted: tuple[Field, ...]
    error: InputError | None = None


# --- all suites --------------------------------------------------------------------------------------------------


@router.get("/p/{slug}/suites")
def show_suites(request: Request, who: Reader, store: InStore, project: ProjectInPath) -> Response:
    """Show the suites of a project."""
    return _suites_page(request, store, project)


@router.post("/p/{slug}/suites")
def add_suite(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Bring in a suite that ships or a file, or make an empty one."""
    words = words_of(request)
    try:
        edit = _added(store, who, project, form)
    except InputError as error:
        return _suites_page(request, store, project, form, error)
    said = words.gettext("It is there: %(what)s", what=edit.summary)
    return done(f"/p/{project.slug}/suites", said, project=project, edit=edit)


def _added(store: Store, who: Visitor, project: Project, form: Fields) -> Edit:
    ways = ("shipped", "upload", "create")
    way = form.choice("do", ways)
    replacing = form.flag("replacing")
    if way == "shipped":
        name = form.choice("shipped", demo.suites())
        form.check()
        return suites.import_suite(store, who.actor, project, name, replacing=replacing)
    if way == "create":
        title = form.text("title", most=200)
        return suites.create_suite(
            store, who.actor, project, form.text("name"), title=title, language=project.language
        )
    form.check()
    return _uploaded(store, who, project, form)


def _uploaded(store: Store, who: Visitor, project: Project, form: Fields) -> Edit:
    name, replacing = form.text("called", most=200), form.flag("replacing")
    with form.file("file") as path:
        try:
            source = _unpacked(path) if path.suffix.lower() == ".zip" else path
            return suites.import_suite(store, who.actor, project, source, name=name, replacing=replacing)
        except InputError as error:
            raise told_by_name(error, path) from error


def _unpacked(path: Path) -> Path:
    """Return the folder of an archive in which its files lie."""
    folder = path.parent / "unpacked"
    files = unpacked_archive(path, folder)
    parents = {file.parent for file in files}
    return parents.pop() if len(parents) == 1 else folder


def _suites_page(
    request: Request, store: Store, project: Project, form: Fields | None = None, error: InputError | None = None
) -> Response:
    words = words_of(request)
    lines = suites.list_suites(store, project)
    many = sum(line.scenarios for line in lines)
    lead = words.ngettext("%(num)s suite", "%(num)s suites", len(lines))
    scenarios = words.ngettext("%(num)s scenario", "%(num)s scenarios", many)
    view = SuitesView(
        lead=words.gettext("%(suites)s with %(scenarios)s.", suites=lead, scenarios=scenarios),
        lines=lines,
        shipped=_shipped_fields(request),
        uploaded=_upload_fields(request),
        made=_made_fields(request, form, error),
        here=f"/p/{project.slug}/suites",
        error=error,
    )
    status = 400 if error else 200
    title = words.gettext("Scenarios")
    return page(request, "suites.html", title, view=view, project=project, section="conversations", status=status)


def _shipped_fields(request: Request) -> tuple[Field, ...]:
    words = words_of(request)
    choices = tuple(Choice(name, name) for name in demo.suites())
    return (Field("shipped", words.gettext("Suite"), "select", choices=choices),)


def _upload_fields(request: Request) -> tuple[Field, ...]:
    words = words_of(request)
    kinds = words.gettext("YAML, CSV or XLSX with one row for each turn; or a ZIP of such files.")
    renew = words.gettext("Take over what is new, changed or gone if a suite of this name is there")
    return (
        Field("file", words.gettext("File"), "file", help=kinds, accept=".yaml,.yml,.csv,.xlsx,.zip", required=True),
        Field("called", words.gettext("Name here"), most=suites.MOST_NAME),
        Field("replacing", renew, "checkbox"),
    )


def _made_fields(request: Request, form: Fields | None, error: InputError | None) -> tuple[Field, ...]:
    words = words_of(request)
    name, title = (form.text("name"), form.text("title")) if form else ("", "")
    wrong = fault_at(error, "name")
    return (
        Field("name", words.gettext("Name"), value=name, required=True, most=suites.MOST_NAME, error=wrong),
        Field("title", words.gettext("Title"), value=title, most=200),
    )


# --- one suite ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chosen:
    """What part of a suite is looked at."""

    domain: str = ""
    level: str = ""
    q: str = ""
    number: int = 1


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
    number: Annotated[int, Query(alias="page", ge=1, le=100_000)] = 1,
) -> Response:
    """Show a suite with its scenarios by domain and level."""
    return _suite_page(request, store, project, suite_id, chosen=Chosen(domain, level, q, number))


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
    with store.reading() as tx:
        row = suites.find_suite(tx, project, suite_id)
        content = suites.export_suite(tx, row.id, form)
    return download(f"{row.name}.{form}", MEDIA[form], content)


@router.get("/p/{slug}/suites/{suite_id}/delete")
def ask_deletion(request: Request, who: Editor, store: InStore, project: ProjectInPath, suite_id: str) -> Response:
    """Ask before a suite goes."""
    with store.reading() as tx:
        row = suites.find_suite(tx, project, suite_id)
    title = words_of(request).gettext("Delete %(name)s", name=row.name)
    return page(request, "suite_delete.html", title, view=row, project=project, section="conversations")


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
    with store.reading() as tx:
        suite = suites.find_suite(tx, project, suite_id)
    every = list_scenarios(store, project, suite_id)
    found = [row for row in every if _is_chosen(row, part)]
    here = f"/p/{project.slug}/suites/{suite_id}"
    start = (part.number - 1) * A_PAGE
    levels = tuple(dict.fromkeys((*suites.read_head(suite.head).levels, *(row.level for row in every))))
    view = SuiteView(
        lead=words.gettext(
            "%(scenarios)s, %(shown)s shown.",
            scenarios=words.ngettext("%(num)s scenario", "%(num)s scenarios", len(every)),
            shown=len(found[start : start + A_PAGE]),
        ),
        suite=suite,
        here=here,
        levels=levels,
        counts=_counts(every, levels),
        rows=tuple(found[start : start + A_PAGE]),
        filters=_filters(request, every, levels, part),
        pager=_pager(here, part, len(found)),
        downloads=tuple(Link(kind.upper(), f"{here}/file?form={kind}") for kind in suites.FORMS),
        fields=_rename_fields(request, suite, form, error),
        pasted=_paste_fields(request, form),
        error=error,
    )
    status = 400 if error else 200
    title = suite.title or suite.name
    return page(request, "suite.html", title, view=view, project=project, section="conversations", status=status)


def _is_chosen(row: ScenarioRow, chosen: Chosen) -> bool:
    fits = chosen.domain in ("", row.domain) and chosen.level in ("", row.level)
    return fits and chosen.q.strip().casefold() in row.text.casefold()


def _counts(rows: Sequence[ScenarioRow], levels: Sequence[str]) -> tuple[tuple[str, tuple[int, ...], int], ...]:
    counted = Counter((row.domain, row.level) for row in rows)
    domains = dict.fromkeys(row.domain for row in rows)
    lines = []
    for domain in domains:
        by_level = tuple(counted[domain, level] for level in levels)
        lines.append((domain, by_level, sum(by_level)))
    return tuple(lines)


def _filters(
    request: Request, rows: Sequence[ScenarioRow], levels: Sequence[str], chosen: Chosen
) -> tuple[Field, ...]:
    words = words_of(request)
    every = Choice("", words.gettext("all"))
    domains = sorted({row.domain for row in rows if row.domain})
    return (
        Field("q", words.gettext("Search"), "search", chosen.q, key="/"),
        Field(
            "domain",
            words.gettext("Domain"),
            "select",
            chosen.domain,
            choices=(every, *(Choice(one, one) for one in domains)),
        ),
        Field(
            "level",
            words.gettext("How hard"),
            "select",
            chosen.level,
            choices=(every, *(Choice(one, words.gettext(one)) for one in levels)),
        ),
    )


def _pager(here: str, chosen: Chosen, total: int) -> Pager:
    pages = max(1, -(-total // A_PAGE))

    def at(number: int) -> str:
        asked = {"q": chosen.q, "domain": chosen.domain, "level": chosen.level, "page": number}
        return f"{here}?{urlencode({key: value for key, value in asked.items() if value})}"

    return Pager(
        chosen.number,
        pages,
        total,
        at(chosen.number - 1) if chosen.number > 1 else "",
        at(chosen.number + 1) if chosen.number < pages else "",
    )


def _rename_fields(
    request: Request, suite: SuiteRow, form: Fields | None, error: InputError | None
) -> tuple[Field, ...]:
    words = words_of(request)
    renamed = form is not None and form.text("do") == "rename"
    name, title = (form.text("name"), form.text("title")) if form and renamed else (suite.name, suite.title)
    wrong = fault_at(error, "name")
    return (
        Field("name", words.gettext("Name"), value=name, required=True, most=suites.MOST_NAME, error=wrong),
        Field("title", words.gettext("Title"), value=title, most=200),
    )


def _paste_fields(request: Request, form: Fields | None) -> tuple[Field, ...]:
    words = words_of(request)
    hint = words.gettext(
        "Mark the cells in your spreadsheet, the line of titles included, and copy them here: "
        "scenario, level, user, expect_topic, good_replies and so on. One row is one turn."
    )
    value = form.text("sheet", most=2_000_000) if form else ""
    return (Field("sheet", words.gettext("Cells"), "textarea", value, help=hint, required=True, rows=6),)
