"""Scripted conversations: begin runs, look at what was said and found, compare two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from vivavoce.conversations.json_form import diff_to_json, literal_to_json, to_json
from vivavoce.conversations.result import ConversationsResult
from vivavoce.jobs.exams.kinds import CONVERSATIONS
from vivavoce.store.database import Store
from vivavoce.store.repositories.results import SORTS, TurnFilter
from vivavoce.store.rows import Project, Run, TurnRow
from vivavoce.web.api.bodies import Limit, Listed, Offset, Place, StartBody, build, make_list, start_body
from vivavoce.web.api.runs import Name, RunNumber
from vivavoce.web.listing import LARGEST
from vivavoce.web.option_forms import rules_of
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.conversations import conversations, transcripts
from vivavoce.workspace.conversations.changes import compare_conversations
from vivavoce.workspace.conversations.choices import Checked, read_choice
from vivavoce.workspace.conversations.conversations import KIND, BotProgress, conversations_result
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/projects/{slug}/conversations", tags=["conversations"])

if TYPE_CHECKING:
    NewConversations = StartBody
else:
    about = "A run to start: scenarios and bots. Without domains or levels, all are included."
    NewConversations = start_body("NewConversations", about, CONVERSATIONS)


class Transcript(BaseModel):
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


@router.post("/check")
def check_conversations(visit: ReaderVisit, body: NewConversations) -> Checked:
    """Check a run before you start it: its size and its faults. Nothing is sent to any bot."""
    return conversations.look_ahead(
        *visit.here, read_choice(body.read_options(), body.title), rules_of(visit.request)
    )


@router.post("", status_code=201)
def start_conversations(visit: EditorVisit, place: Place, body: NewConversations) -> Run:
    """Start a run; a worker holds its conversations."""
    choice = read_choice(body.read_options(), body.title)
    run = conversations.start_conversations(*visit.acting, choice, rules_of(visit.request))
    return place(run, "runs", run.number)


@router.get("/compare")
def compare_conversation_runs(
    visit: ReaderVisit,
    a: Annotated[int, Query(ge=1, le=LARGEST, description="The earlier run.")],
    b: Annotated[int, Query(ge=1, le=LARGEST, description="The later run.")],
) -> dict[str, Any]:
    """Compare two runs: turns that improved, regressed, were added, removed or edited."""
    return diff_to_json(compare_conversations(*visit.here, a, b).diff)


@router.get("/{number}/bots")
def list_bot_progress(visit: ReaderVisit, number: RunNumber) -> Listed[BotProgress]:
    """Get the progress of a run for each bot."""
    return make_list(conversations.bot_progress(visit.store, runs.show_run(*visit.here, number, KIND).run))


@router.get("/{number}/cells")
def list_cells(  # noqa: PLR0917
    visit: ReaderVisit,
    number: RunNumber,
    bot: Name = None,
    domain: Name = None,
    level: Name = None,
    limit: Limit = 200,
    offset: Offset = 0,
) -> Listed[dict[str, Any]]:
    """List the metrics of each bot, domain and level. Null: all together; filter by an empty value.

    Each metric is {value, low, high, n}; value null: nothing to count. `echo_literal_...` follow the
    wording of the ECHO paper; use them only to compare with it.
    """
    wanted = {"bot": bot, "domain": domain, "level": level}
    cells = [
        cell
        for cell in _result(*visit.here, number).cells
        if all(value is None or (getattr(cell, name) or "") == value for name, value in wanted.items())
    ]
    chosen = cells[offset : offset + limit]
    return make_list(({**literal_to_json(cell), **to_json(cell)} for cell in chosen), len(cells))


@router.get("/{number}/comparisons")
def list_bot_comparisons(
    visit: ReaderVisit, number: RunNumber, limit: Limit = 200, offset: Offset = 0
) -> Listed[dict[str, Any]]:
    """Compare the bots pairwise, in total and for each domain and level."""
    comparisons = _result(*visit.here, number).comparisons
    return make_list(to_json(comparisons[offset : offset + limit]), len(comparisons))


@router.get("/{number}/problems")
def list_problems(
    visit: ReaderVisit, number: RunNumber, limit: Limit = 50, offset: Offset = 0
) -> Listed[dict[str, Any]]:
    """List the problems of each bot, costliest first, with example turns."""
    problems = _result(*visit.here, number).problems
    return make_list(to_json(problems[offset : offset + limit]), len(problems))


def _result(store: Store, project: Project, number: int) -> ConversationsResult:
    return conversations_result(store, runs.show_run(store, project, number, KIND).run)


@router.get("/{number}/turns")
def list_turns(  # noqa: PLR0917
    visit: ReaderVisit,
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
    """List the turns of a run with their texts and outcomes; of a run in progress, the turns so far."""
    run = runs.show_run(*visit.here, number, KIND).run
    chosen = TurnFilter(bot, level, domain, outcome, scenario, kind, search)
    turns = transcripts.list_turns(visit.store, run, chosen, sort=sort, limit=limit, offset=offset)
    return make_list(turns.rows, turns.total)


@router.get("/{number}/transcript")
def show_transcript(
    visit: ReaderVisit,
    number: RunNumber,
    script: Annotated[str, Query(max_length=1000, description="The conversation, as named in turns.")],
    repeat: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    page: Annotated[int, Query(ge=1, le=LARGEST)] = 1,
) -> Transcript:
    """Get one conversation with all bots side by side."""
    run = runs.show_run(*visit.here, number, KIND).run
    talk = transcripts.find_talk(visit.store, run, script, repeat=repeat, page=page)
    turns = {bot: [row for _, row in sorted(talk.rows.get(bot, {}).items())] for bot in talk.bots}
    return build(Transcript, talk, talk.script, script=talk.script.id, turns=turns)
