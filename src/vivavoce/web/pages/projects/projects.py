"""The list of projects, where a person begins; and the settings of one project."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.languages import Use, list_codes, name_languages
from vivavoce.store.database import Store
from vivavoce.web.access import Editor, InStore, Reader
from vivavoce.web.answers import done, go, page, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.workspace.projects import projects
from vivavoce.workspace.projects.demo_runs import SLUG, create_demo_project
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
