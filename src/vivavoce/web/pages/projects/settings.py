"""The settings: of the whole workspace for admins, of one project for those who edit it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.rows import Project
from vivavoce.web.access import Admin, Editor, InStore, ProjectInPath, Reader, Visitor, config_of
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.config import WebConfig
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.parts import Field, named_choices
from vivavoce.web.rendering import Link
from vivavoce.workspace.access.switches import MOST_CONTACT, Switches, change_switches, show_switches
from vivavoce.workspace.exams.engine_parts import missing_part, ready_engines
from vivavoce.workspace.projects import projects
from vivavoce.workspace.projects.facts import Facts, workspace_facts

router = APIRouter()


@dataclass(frozen=True, slots=True)
class WorkspaceView:
    """What holds for the workspace: facts of the machine, and what admins decide."""

    lead: str
    facts: Facts
    limits: tuple[tuple[str, str], ...]
    fields: tuple[Field, ...]
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class ProjectView:
    """What holds for a project; forms as they were filled in."""

    lead: str
    tabs: tuple[Link, ...]
    fields: tuple[Field, ...]
    deletion: tuple[Field, ...]
    error: InputError | None = None
    refusal: InputError | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """The form of a project as it was filled in."""

    name: str
    threshold: str
    classifier: str
    why: str = ""


@router.get("/settings")
def show_settings(request: Request, who: Admin, store: InStore) -> Response:
    """Show what holds for the workspace."""
    return _workspace_page(request, store, show_switches(store))


@router.post("/settings")
def change_settings(request: Request, who: Admin, store: InStore, form: Form) -> Response:
    """Decide anew for the workspace."""
    switches = Switches(form.text("contact"), form.flag("keys_allowed"))
    try:
        form.check()
        change_switches(store, who.actor, switches)
    except InputError as error:
        return _workspace_page(request, store, switches, error)
    return done("/settings", words_of(request).gettext("The settings are saved."))


@router.get("/p/{slug}/settings")
def show_project_settings(request: Request, who: Reader, project: ProjectInPath) -> Response:
    """Show what holds for a project."""
    return _project_page(request, who, project)


@router.post("/p/{slug}/settings")
def change_project_settings(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form
) -> Response:
    """Change what holds for a project; it can be undone."""
    said = Typed(form.text("name"), form.text("threshold"), form.text("classifier"), form.text("why", most=1000))
    threshold = form.number("threshold", project.threshold, low=0, high=1)
    try:
        form.check()
        edit = projects.change_project(
            store,
            who.actor,
            project,
            name=said.name,
            threshold=threshold,
            classifier=said.classifier or project.classifier,
            why=said.why,
        )
    except InputError as error:
        return _project_page(request, who, project, said, error=error)
    told = words_of(request).gettext("The settings of the project are saved.")
    return done(f"/p/{project.slug}/settings", told, project=project, edit=edit)


@router.post("/p/{slug}/settings/delete")
def delete_project(request: Request, who: Admin, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Delete a project for good."""
    try:
        projects.delete_project(store, who.actor, project, form.text("confirmed"))
    except InputError as error:
        return _project_page(request, who, project, refusal=error)
    return done("/projects", words_of(request).gettext("The project %(name)s is deleted.", name=project.name))


def _workspace_page(
    request: Request, store: InStore, switches: Switches, error: InputError | None = None
) -> Response:
    words, facts = words_of(request), workspace_facts(store)
    told = words.gettext("Shown where people sign in, for instance: Ask Anna in room 12.")
    fields = (
        Field(
            "contact",
            words.gettext("Whom to ask for access"),
            value=switches.contact,
            help=told,
            error=fault_at(error, "contact"),
            most=MOST_CONTACT,
        ),
        Field(
            "keys_allowed",
            words.gettext("People may make new API keys"),
            "checkbox",
            "on" if switches.keys_allowed else "",
        ),
    )
    view = WorkspaceView(_workspace_lead(words, facts), facts, _limits(words, config_of(request)), fields, error)
    title = words.gettext("Settings of the workspace")
    return page(request, "projects/settings.html", title, view=view, section="settings", status=400 if error else 200)


def _workspace_lead(words: Words, facts: Facts) -> str:
    if not facts.workers:
        return words.gettext("No worker is running: exams wait until one is started.")
    return words.ngettext("%(num)s worker is running.", "%(num)s workers are running.", len(facts.workers))


def _limits(words: Words, config: WebConfig) -> tuple[tuple[str, str], ...]:
    yes, no = words.gettext("yes"), words.gettext("no")
    return (
        (words.gettext("Largest file to upload"), f"{config.max_upload_mb} MB"),
        (words.gettext("Bots at private addresses"), yes if config.private_bots else no),
        (words.gettext("Bots that are programs on this machine"), yes if config.bot_programs else no),
        (words.gettext("Behind a proxy"), yes if config.behind_proxy else no),
        (words.gettext("Other names of this server"), ", ".join(config.hosts) or words.gettext("none")),
    )


def _project_page(
    request: Request,
    who: Visitor,
    project: Project,
    typed: Typed | None = None,
    *,
    error: InputError | None = None,
    refusal: InputError | None = None,
) -> Response:
    words = words_of(request)
    said = typed or Typed(project.name, f"{project.threshold:g}", project.classifier)
    lead = words.gettext(
        "%(name)s answers from a confidence of %(threshold)s on, tried with the engine %(engine)s.",
        name=project.name,
        threshold=f"{project.threshold:g}",
        engine=project.classifier,
    )
    view = ProjectView(
        lead, _tabs(words, who, project), _project_fields(words, project, said, error), _deletion(words, refusal),
        error, refusal,
    )  # fmt: skip
    return page(
        request,
        "projects/project_settings.html",
        words.gettext("Settings of the project"),
        view=view,
        project=project,
        section="settings",
        status=400 if error or refusal else 200,
    )


def _project_fields(words: Words, project: Project, said: Typed, error: InputError | None) -> tuple[Field, ...]:
    # The engine of now stays among the choices: a form must not change it unasked.
    choices = named_choices(dict.fromkeys((*ready_engines(project), project.classifier)))
    meaning = words.gettext("The least confidence with which the bot answers; below it, it asks back or hands over.")
    why = words.gettext("It is kept in the history, for those who come after you.")
    return (
        Field("name", words.gettext("Name"), value=said.name, required=True, most=projects.MOST_NAME),
        Field(
            "threshold",
            words.gettext("Threshold"),
            "number",
            said.threshold,
            meaning,
            fault_at(error, "threshold"),
            required=True,
            low="0",
            high="1",
            step="any",
        ),
        Field(
            "classifier",
            words.gettext("Engine"),
            "select",
            said.classifier,
            _engine_help(words, project),
            fault_at(error, "classifier"),
            choices,
        ),
        Field("why", words.gettext("Why"), value=said.why, help=why, most=1000),
    )


def _engine_help(words: Words, project: Project) -> str:
    told = words.gettext("Only engines that can run here are offered.")
    lack = missing_part(project.classifier)
    if not lack:
        return told
    now = words.gettext("%(engine)s cannot run: %(lack)s.", engine=project.classifier, lack=words.said(lack))
    return f"{told} {now}"


def _deletion(words: Words, refusal: InputError | None) -> tuple[Field, ...]:
    told = fault_at(refusal, "name")
    return (Field("confirmed", words.gettext("Type the name of the project"), error=told, required=True),)


def _tabs(words: Words, who: Visitor, project: Project) -> tuple[Link, ...]:
    if not who.may("admin"):
        return ()
    return (
        Link(words.gettext("This project"), f"/p/{project.slug}/settings", True),
        Link(words.gettext("The workspace"), "/settings"),
    )
