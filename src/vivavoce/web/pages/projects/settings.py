"""The settings: of the whole workspace for admins, of one project for those who edit it."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.rows import Project
from vivavoce.web.access import Admin, InStore, config_of
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.parts import Field, named_choices
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import AdminVisit, EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.engine_rules import missing_part, ready_engines
from vivavoce.workspace.access.switches import MAX_CONTACT, Switches, change_switches, show_switches
from vivavoce.workspace.projects import projects
from vivavoce.workspace.projects.projects import workspace_facts

router = APIRouter()


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
    return done("/settings", words_of(request).gettext("Settings saved."))


@router.get("/p/{slug}/settings")
def show_project_settings(visit: ReaderVisit) -> Response:
    """Show what holds for a project."""
    return _project_page(visit)


@router.post("/p/{slug}/settings")
def change_project_settings(visit: EditorVisit, form: Form) -> Response:
    """Change what holds for a project; it can be undone."""
    typed = {name: form.text(name) for name in ("name", "threshold", "classifier")}
    typed["why"] = form.text("why", most=1000)
    threshold = form.number("threshold", visit.project.threshold, low=0, high=1)
    try:
        form.check()
        edit = projects.change_project(
            *visit.acting,
            name=typed["name"],
            threshold=threshold,
            classifier=typed["classifier"] or visit.project.classifier,
            why=typed["why"],
        )
    except InputError as error:
        return _project_page(visit, typed, error=error)
    text = visit.words.gettext("Project settings saved.")
    return visit.done(f"{visit.base}/settings", text, edit)


@router.post("/p/{slug}/settings/delete")
def delete_project(visit: AdminVisit, form: Form) -> Response:
    """Delete a project for good."""
    try:
        projects.delete_project(*visit.acting, form.text("confirmed"))
    except InputError as error:
        return _project_page(visit, refusal=error)
    return visit.done("/projects", visit.words.gettext("Project %(name)s deleted.", name=visit.project.name))


def _workspace_page(
    request: Request, store: InStore, switches: Switches, error: InputError | None = None
) -> Response:
    words, facts, config = words_of(request), workspace_facts(store), config_of(request)
    lead = words.gettext("No worker is running. Exams wait until one starts.")
    if facts.workers:
        lead = words.ngettext("%(num)s worker is running.", "%(num)s workers are running.", len(facts.workers))
    title, wrong = words.gettext("Contact for access"), fault_at(error, "contact")
    help_text = words.gettext("Shown on the sign-in page, for example: Ask Anna in room 12.")
    keys = words.gettext("People can create API keys")
    yes, no = words.gettext("yes"), words.gettext("no")
    view = View(
        lead=lead,
        facts=facts,
        limits=(
            (words.gettext("Maximum upload size"), f"{config.max_upload_mb} MB"),
            (words.gettext("Bots at private addresses"), yes if config.private_bots else no),
            (words.gettext("Bots that run as programs on this machine"), yes if config.bot_programs else no),
            (words.gettext("Behind a proxy"), yes if config.behind_proxy else no),
            (words.gettext("Other host names of this server"), ", ".join(config.hosts) or words.gettext("none")),
        ),
        fields=(
            Field("contact", title, value=switches.contact, help=help_text, error=wrong, most=MAX_CONTACT),
            Field("keys_allowed", keys, "checkbox", "on" if switches.keys_allowed else ""),
        ),
        error=error,
    )
    title = words.gettext("Workspace settings")
    return page(request, "projects/settings.html", title, view=view, status=400 if error else 200)


def _project_page(
    visit: Visit,
    typed: Mapping[str, str] | None = None,
    *,
    error: InputError | None = None,
    refusal: InputError | None = None,
) -> Response:
    words, project = visit.words, visit.project
    now = {"name": project.name, "threshold": f"{project.threshold:g}", "classifier": project.classifier, "why": ""}
    lead = words.gettext(
        "%(name)s answers at a confidence of %(threshold)s or more, examined with the classifier %(engine)s.",
        name=project.name,
        threshold=now["threshold"],
        engine=project.classifier,
    )
    wrong = fault_at(refusal, "name")
    tabs = (
        Link(words.gettext("This project"), f"{visit.base}/settings", True),
        Link(words.gettext("Workspace"), "/settings"),
    )
    view = View(
        lead=lead,
        tabs=tabs if visit.who.may("admin") else (),
        fields=_project_fields(words, project, typed or now, error),
        deletion=(Field("confirmed", words.gettext("Type the project name to confirm"), error=wrong, required=True),),
        error=error,
        refusal=refusal,
    )
    title, status = words.gettext("Project settings"), 400 if error or refusal else 200
    return visit.page("projects/project_settings.html", title, view=view, status=status)


def _project_fields(
    words: Words, project: Project, values: Mapping[str, str], error: InputError | None
) -> tuple[Field, ...]:
    # The engine of now stays among the choices: a form must not change it unasked.
    choices = named_choices(dict.fromkeys((*ready_engines(project), project.classifier)))
    meaning = words.gettext("Minimum confidence to answer. Below it, the bot asks back or hands over.")
    why = words.gettext("Shown in the history.")
    engines = words.gettext("Only classifiers that can run here are listed.")
    if lack := missing_part(project.classifier):
        engine = project.classifier
        engines += " " + words.gettext("%(engine)s cannot run: %(lack)s.", engine=engine, lack=words.said(lack))
    return (
        Field("name", words.gettext("Name"), value=values["name"], required=True, most=projects.MAX_NAME),
        Field(
            "threshold",
            words.gettext("Threshold"),
            "number",
            values["threshold"],
            meaning,
            fault_at(error, "threshold"),
            required=True,
            low="0",
            high="1",
            step="any",
        ),
        Field(
            "classifier",
            words.gettext("Classifier"),
            "select",
            values["classifier"],
            engines,
            fault_at(error, "classifier"),
            choices,
        ),
        Field("why", words.gettext("Reason"), value=values["why"], help=why, most=1000),
    )
