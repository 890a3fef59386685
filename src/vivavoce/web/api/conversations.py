"""Scripted conversations: begin runs, look at what was said and found, compare two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request

from vivavoce.conversations.json_form import diff_to_json, literal_to_json, to_json
from vivavoce.conversations.result import ConversationsResult
from vivavoce.errors import Fault
from vivavoce.jobs.exams.kinds import CONVERSATIONS
from vivavoce.store.database import Store
from vivavoce.store.repositories.results import SORTS, TurnFilter
from vivavoce.store.rows import Project, Run, TurnRow
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.lists import Limit, Listed, Offset, listed
from vivavoce.web.api.option_bodies import StartBody, start_body
from vivavoce.web.api.places import Place
from vivavoce.web.api.runs import Name, RunNumber
from vivavoce.web.conversation_forms import rules_of
from vivavoce.web.listing import LARGEST
from vivavoce.workspace.conversations import conversations, transcripts
from vivavoce.workspace.conversations.changes import compare_conversations
from vivavoce.workspace.conversations.choices import Checked, Size, read_choice
from vivavoce.workspace.conversations.conversations import KIND, BotProgress, conversations_result
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/projects/{slug}/conversations", tags=["conversations"])

if TYPE_CHECKING:
    NewConversations = StartBody
else:
    about = "A run to be begun: what is held with whom. No domain and no level: all of them."
    NewConversations = start_body("NewConversations", about, CONVERSATIONS)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a look before the run has found."""

    message: str
    where: str


@dataclass(frozen=True, slots=True)
class Look:
    """How large a run would be; `errors` would make it wrong, `warnings` poorer."""

    size: Size
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation with every bot: the turns of each, in order. `repeat` counts from 0."""

    script: str
    scenario: str
    title: str
    domain: str
    level: str
    repeat: int
    repeats: int
    bots: tuple[str, ...]
    turns: dict[str, list[TurnRow]]
    previous: str
    next: str
    page: int
    pages: int


# --- beginning ---------------------------------------------------------------------------------------------------


@router.post("/check")
def check_conversations(
    request: Request, who: Reader, store: InStore, project: ProjectInPath, body: NewConversations
) -> Look:
    """Look at a run before it is begun: how large it is, and what is wrong with it. Nothing is sent to any bot."""
    return _look(conversations.look_ahead(store, project, read_choice(body.chosen(), body.title), rules_of(request)))


@router.post("", status_code=201)
def start_conversations(  # noqa: PLR0917
    request: Request, who: Editor, store: InStore, project: ProjectInPath, place: Place, body: NewConversations
) -> Run:
    """Begin a run; a worker holds its conversations."""
    run = conversations.start_conversations(
        store, who.actor, project, read_choice(body.chosen(), body.title), rules_of(request)
    )
    place("projects", project.slug, "runs", run.number)
    return run


def _look(found: Checked) -> Look:
    def told(faults: tuple[Fault, ...]) -> tuple[Problem, ...]:
        return tuple(Problem(one.message, one.where) for one in faults)

    return Look(found.size, told(found.errors), told(found.warnings))


# --- two runs ----------------------------------------------------------------------------------------------------


@router.get("/compare")
def compare_conversation_runs(
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    a: Annotated[int, Query(ge=1, le=LARGEST, description="The earlier run.")],
    b: Annotated[int, Query(ge=1, le=LARGEST, description="The later run.")],
) -> dict[str, Any]:
    """Return two runs side by side: turns that improved or regressed, new, gone and edited ones."""
    return diff_to_json(compare_conversations(store, project, a, b).diff)


# --- one run -----------------------------------------------------------------------------------------------------


@router.get("/{number}/bots")
def list_bot_progress(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> Listed[BotProgress]:
    """Return how far a run is with each bot."""
    return listed(conversations.bot_progress(store, runs.show_run(store, project, number, KIND).run))


@router.get("/{number}/cells")
def list_cells(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: RunNumber,
    bot: Name = None,
    domain: Name = None,
    level: Name = None,
    limit: Limit = 200,
    offset: Offset = 0,
) -> Listed[dict[str, Any]]:
    """Return the numbers of every bot, domain and level; domain or level null: all together, empty asks for these.

    Each number is {value, low, high, n}; value null: there was nothing to count. `echo_literal_...` follow the
    wording of the paper and are for comparison with it alone.
    """
    wanted = {"bot": bot, "domain": domain, "level": level}
    found = [
        cell
        for cell in _result(store, project, number).cells
        if all(value is None or (getattr(cell, name) or "") == value for name, value in wanted.items())
    ]
    return listed(({**literal_to_json(one), **to_json(one)} for one in found[offset : offset + limit]), len(found))


@router.get("/{number}/comparisons")
def list_bot_comparisons(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: RunNumber,
    limit: Limit = 200,
    offset: Offset = 0,
) -> Listed[dict[str, Any]]:
    """Return which bot is better than which, over everything and in each domain and level."""
    found = _result(store, project, number).comparisons
    return listed((to_json(one) for one in found[offset : offset + limit]), len(found))


@router.get("/{number}/problems")
def list_problems(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: RunNumber,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[dict[str, Any]]:
    """Return the problems of each bot, the most costly first, with turns that show them."""
    found = _result(store, project, number).problems
    return listed((to_json(one) for one in found[offset : offset + limit]), len(found))


def _result(store: Store, project: Project, number: int) -> ConversationsResult:
    return conversations_result(store, runs.show_run(store, project, number, KIND).run)


@router.get("/{number}/turns")
def list_turns(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: RunNumber,
    bot: Name = None,
    domain: Name = None,
    level: Name = None,
    outcome: Name = None,
    scenario: Name = None,
    kind: Name = None,
    search: Annotated[str | None, Query(max_length=200)] = None,
    sort: Annotated[str, Query(pattern=f"^(-?({'|'.join(SORTS)}))?$")] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[TurnRow]:
    """Return turns of a run with what was said and what became of them; while it goes on, those so far."""
    run = runs.show_run(store, project, number, KIND).run
    chosen = TurnFilter(bot, level, domain, outcome, scenario, kind, search)
    found = transcripts.list_turns(store, run, chosen, sort=sort, limit=limit, offset=offset)
    return listed(found.rows, found.total)


@router.get("/{number}/transcript")
def show_transcript(  # noqa: PLR0917
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: RunNumber,
    script: Annotated[str, Query(max_length=1000, description="The conversation, as turns name it.")],
    repeat: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    page: Annotated[int, Query(ge=1, le=LARGEST)] = 1,
) -> Transcript:
    """Return one conversation with every bot side by side."""
    run = runs.show_run(store, project, number, KIND).run
    talk = transcripts.find_talk(store, run, script, repeat=repeat, page=page)
    one = talk.script
    return Transcript(
        script=one.id,
        scenario=one.scenario,
        title=one.title,
        domain=one.domain,
        level=one.level,
        repeat=talk.repeat,
        repeats=talk.repeats,
        bots=talk.bots,
        turns={bot: [row for _, row in sorted(talk.rows.get(bot, {}).items())] for bot in talk.bots},
        previous=talk.previous,
        next=talk.next,
        page=talk.page,
        pages=talk.pages,
    )
