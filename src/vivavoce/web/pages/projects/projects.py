"""The list of projects, the settings of one project, and those of the whole workspace."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.languages import Use, list_codes, name_languages
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.web.access import Admin, Editor, InStore, Reader, config_of
from vivavoce.web.answers import done, go, page, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import AdminVisit, EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.engine_rules import missing_part, ready_engines
from vivavoce.workspace.access.keys import MAX_CONTACT, Switches, change_switches, show_switches
from vivavoce.workspace.projects import projects
from vivavoce.workspace.projects.demo_assistant import create_assistant_demo
from vivavoce.workspace.projects.demo_runs import SLUG, create_demo_project
from vivavoce.workspace.projects.projects import workspace_facts
from vivavoce.workspace.projects.trends import ProjectCard, list_cards

router = APIRouter()
LANGUAGES = list_codes(Use.PROJECTS)


@router.get("/")
def begin(who: Reader, store: InStore) -> Response:
    """Lead to the only project, or to the list of them."""
    every = projects.list_projects(store)
    return go(f"/p/{every[0].slug}" if len(every) == 1 else "/projects")


@router.get("/projects")
def show_projects(request: Request, who: Reader, store: InStore) -> Response:
    """Show all projects."""
    return _projects_page(request, store)


@router.post("/projects")
def create_project(request: Request, who: Editor, store: InStore, form: Form) -> Response:
    """Make a project."""
    name, language = form.text("name"), form.choice("language", LANGUAGES, "en")
    try:
        form.check()
        project = projects.create_project(store, who.actor, name, language=language)
    except InputError as error:
        return _projects_page(request, store, name, language, error)
    text = words_of(request).gettext("Project created. Import its topics next.")
    return done(f"/p/{project.slug}/topics", text)


@router.post("/projects/demo")
def load_demo(request: Request, who: Editor, store: InStore) -> Response:
    """Make the demo project."""
    project = create_demo_project(store, who.actor)
    text = words_of(request).gettext("Demo project created, with three months of exams, changes and ratings.")
    return done(f"/p/{project.slug}", text)


@router.post("/projects/demo-assistant")
def load_assistant_demo(request: Request, who: Editor, store: InStore) -> Response:
    """Make the demo project of the assistant."""
    project = create_assistant_demo(store, who.actor)
    text = words_of(request).gettext("The demo of the assistant is ready.")
    return done(f"/p/{project.slug}/automation", text)


def _projects_page(
    request: Request, store: Store, name: str = "", language: str = "en", error: InputError | None = None
) -> Response:
    words = words_of(request)
    codes = tuple(Choice(code, words.said(name)) for code, name in name_languages(Use.PROJECTS).items())
    fields = (
        Field("name", words.gettext("Name"), value=name, required=True, most=projects.MAX_NAME),
        Field("language", words.gettext("Visitors' language"), "select", language, choices=codes),
    )
    every = projects.list_projects(store)
    cards = [_card_view(words, card) for card in list_cards(store, every)]
    view = View(cards=cards, fields=fields, error=error, demo=any(each.slug.startswith(SLUG) for each in every))
    return page(request, "projects/projects.html", words.gettext("Projects"), view=view, status=400 if error else 200)


def _card_view(words: Words, card: ProjectCard) -> View:
    """Return a project with its numbers and what waits in it."""
    write, waits = Writer(words), []
    if card.running:
        running = words.ngettext("%(num)s run in progress", "%(num)s runs in progress", card.running)
        waits.append(View(text=running, tone="info", sign="play"))
    if card.changes:
        changes = words.ngettext("%(num)s change to examine", "%(num)s changes to examine", card.changes)
        waits.append(View(text=changes, tone="hold", sign="clock"))
    if card.examined is None:
        what = words.gettext("not examined yet") if card.examples or card.dialogues else words.gettext("empty")
        waits.append(View(text=what, tone="neutral", sign="flat"))
    numbers = [
        (words.gettext("answered"), card.answered),
        (words.gettext("of answers correct"), card.correct),
    ]
    return View(
        name=card.project.name,
        href=f"/p/{card.project.slug}",
        holds=words.gettext(
            "%(topics)s topics, %(examples)s examples, %(dialogues)s dialogues",
            topics=write.number(card.topics),
            examples=write.number(card.examples),
            dialogues=write.number(card.dialogues),
        ),
        numbers=[
            View(name=name, value=write.value(rate.value, "share"), around=write.interval(rate, "share"))
            for name, rate in numbers
            if rate is not None and rate.value is not None
        ],
        headline="" if card.answered else words.said(card.headline),
        past=card.past,
        examined=card.examined,
        waits=waits,
    )


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
