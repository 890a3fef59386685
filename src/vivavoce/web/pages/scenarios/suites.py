"""The suites of a project: the list of them, and the ways to another one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce import demo
from vivavoce.errors import InputError
from vivavoce.files import formats
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader, Visitor
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.parts import Field, named_choices
from vivavoce.web.security import told_by_name, unpacked_archive
from vivavoce.workspace.scenarios import suites
from vivavoce.workspace.scenarios.suites import SuiteLine

router = APIRouter()


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
    said = words.gettext("It is there: %(what)s", what=words.said(edit.summary))
    return done(f"/p/{project.slug}/suites", said, project=project, edit=edit)


def _added(store: Store, who: Visitor, project: Project, form: Fields) -> Edit:
    ways = ("shipped", "upload", "create")
    way = form.choice("do", ways)
    replacing = form.flag("replacing")
    if way == "shipped":
        name = form.choice("shipped", demo.suites())
        form.check()
        read = suites.read_shipped(name)
        return suites.import_read_suite(store, who.actor, project, read, replacing=replacing)
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
        shipped=_shipped_fields(words),
        uploaded=_upload_fields(words),
        made=_made_fields(words, form, error),
        here=f"/p/{project.slug}/suites",
        error=error,
    )
    status = 400 if error else 200
    title = words.gettext("Scenarios")
    return page(
        request, "scenarios/suites.html", title, view=view, project=project, section="conversations", status=status
    )


def _shipped_fields(words: Words) -> tuple[Field, ...]:
    return (Field("shipped", words.gettext("Suite"), "select", choices=named_choices(demo.suites())),)


def _upload_fields(words: Words) -> tuple[Field, ...]:
    kinds = words.gettext("YAML, CSV or XLSX with one row for each turn; or a ZIP of such files.")
    renew = words.gettext("Take over what is new, changed or gone if a suite of this name is there")
    accepted = ",".join((*formats.list_extensions(formats.Kind.SCENARIOS), ".zip"))
    return (
        Field("file", words.gettext("File"), "file", help=kinds, accept=accepted, required=True),
        Field("called", words.gettext("Name here"), most=suites.MOST_NAME),
        Field("replacing", renew, "checkbox"),
    )


def _made_fields(words: Words, form: Fields | None, error: InputError | None) -> tuple[Field, ...]:
    typed = (form.text("name"), form.text("title")) if form else ("", "")
    return name_fields(words, *typed, error)


def name_fields(words: Words, name: str, title: str, error: InputError | None) -> tuple[Field, ...]:
    """Return the fields in which a suite gets its name and title."""
    wrong = fault_at(error, "name")
    return (
        Field("name", words.gettext("Name"), value=name, required=True, most=suites.MOST_NAME, error=wrong),
        Field("title", words.gettext("Title"), value=title, most=200),
    )
