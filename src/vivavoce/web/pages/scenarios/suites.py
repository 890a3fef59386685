"""The suites of a project: the list of them, and the ways to another one."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce import demo
from vivavoce.errors import InputError
from vivavoce.files import formats
from vivavoce.store.rows import Edit
from vivavoce.web.forms import Fields, Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.parts import Field, named_choices
from vivavoce.web.rendering import View
from vivavoce.web.security.archives import unpacked_archive
from vivavoce.web.security.uploads import name_as_sent
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.scenarios import suites

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
    renew = words.gettext("If a suite with this name exists, apply what is new, changed or removed")
    accepted = ",".join((*formats.list_extensions(formats.Kind.SCENARIOS), ".zip"))
    view = View(
        lead=words.gettext("%(suites)s with %(scenarios)s.", suites=lead, scenarios=scenarios),
        lines=lines,
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
