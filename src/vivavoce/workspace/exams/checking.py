"""What a change of examples would do to questions that work: asked before it is saved, wherever that is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vivavoce.errors import StaleError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.workspace.exams.questions import QuestionLine, follow_changeable
from vivavoce.workspace.exams.remedies import Draft, forecast_or_none
from vivavoce.workspace.topics.datasets import list_duplicates
from vivavoce.workspace.topics.topics import topic_names

if TYPE_CHECKING:
    from vivavoce.intents.whatif import ChangedQuestion, Effect, Forecast

# A change that breaks at least so many questions, and more than it mends, is saved when asked for twice.
MANY_BROKEN = 3
# Remedies after which other answers are right: a lower share of correct ones says nothing.
DECIDED = ("out_of_scope", "retire")
MAX_GROUPS = 10_000
BulkAction = Literal["move", "each", "out_of_scope", "delete"]


@dataclass(frozen=True, slots=True)
class Check:
    """What a change would do. `broken`: questions that work and would stop; `improved`: those that would be correct.

    None of them is a question that is itself changed: whoever does that decides what is right for it. `is_deletion`:
    questions go, so the share of correct decisions cannot be held against that of today.
    """

    draft: Draft
    forecast: Forecast
    is_deletion: bool
    broken: tuple[ChangedQuestion, ...]
    improved: tuple[ChangedQuestion, ...]

    @property
    def effect(self) -> Effect | None:
        """What it would do to the share of correct decisions; None where questions go."""
        return None if self.is_deletion else self.forecast.effects["accuracy"]

    @property
    def harms(self) -> bool:
        """Whether it surely harms, or breaks more of the other questions than it mends."""
        high = None if self.effect is None else self.effect.high
        surely = high is not None and high < 0 and self.draft.kind not in DECIDED
        return surely or (len(self.broken) >= MANY_BROKEN and len(self.broken) > len(self.improved))


def check_change(store: Store, project: Project, draft: Draft, *, is_deletion: bool = False) -> Check | None:
    """Return what a change would do, as far as that is known or a preview tells; None where nothing can be told.

    For the questions that stay, to delete examples is to train without them, as if they were out of scope. Before the
    first exam nobody knows what works.
    """
    with store.reading() as tx:
        is_examined = tx.runs.latest(project.id, "intents") is not None
    forecast = forecast_or_none(store, project, draft) if is_examined else None
    if forecast is None:
        return None
    changed = {row for edit in forecast.edits for row in getattr(edit, "rows", ())}
    broken, improved = (
        # A topic that is retired takes its questions along.
        tuple(each for each in some if each.row not in changed and (each.intent or not each.intent_before))
        for some in (forecast.broken, forecast.improved)
    )
    return Check(draft, forecast, is_deletion, broken, improved)


def draft_bulk(  # noqa: PLR0917 - what a form holds
    store: Store,
    project: Project,
    run: Run,
    places: Sequence[int],
    action: BulkAction,
    topic_id: str | None = None,
) -> Draft:
    """Return what a button does to ticked questions of an exam; refuse those that changed since.

    move: to the topic `topic_id`, None: out of scope. each: to the topic that each was taken for.
    """
    lines = follow_changeable(store, project, run, places)
    examples = [line.question.example_id or "" for line in lines]
    sources = [line.topic_id for line in lines]
    if action == "each":
        moves = _group_by_guess(lines, topic_names(store, project))
        return Draft("move", _name_sources(sources), moves=moves)
    return draft_move(examples, sources, topic_id if action == "move" else None)


def draft_move(examples: Sequence[str], sources: Iterable[str | None], topic_id: str | None) -> Draft:
    """Return that examples (ids) of some topics go to another one, None: out of scope."""
    if topic_id is None:
        return Draft("out_of_scope", examples=tuple(examples))
    return Draft("move", _name_sources(sources), moves=((topic_id, tuple(examples)),))


def draft_settlement(store: Store, project: Project, decisions: Mapping[str, str]) -> Draft:
    """Return that texts which stand in several topics go to one each; `decisions`: group to topic (both are ids).

    A group goes by the id of its first example.
    """
    groups = {group.id: group for group in list_duplicates(store, project, apart=True, limit=MAX_GROUPS).groups}
    if not decisions:
        raise UsageError(say("nothing decided"), remedy=say("choose a topic for at least one text"))
    coming: dict[str, list[str]] = {}
    sources: list[str | None] = []
    for group_id, topic_id in decisions.items():
        if group_id not in groups:
            raise StaleError(
                say("one of these texts is no longer in several topics"), remedy=say("open the list again")
            )
        moved = [each.row for each in groups[group_id].examples if each.row.topic_id != topic_id]
        coming.setdefault(topic_id, []).extend(row.id for row in moved)
        sources += [row.topic_id for row in moved]
    moves = tuple((topic_id, tuple(ids)) for topic_id, ids in coming.items())
    return Draft("move", _name_sources(sources), moves=moves)


def _name_sources(sources: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(own for own in sources if own is not None))


def _group_by_guess(
    lines: Sequence[QuestionLine], topics: Mapping[str, str]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return which examples go to which topic (id); `topics`: names by id."""
    ids = {name: own for own, name in topics.items()}
    coming: dict[str, list[str]] = {}
    for line in lines:
        target = ids.get(line.row.guess or "", "")
        if not target or target == line.topic_id:
            raise UsageError(
                say("'{question}' went to no other topic", question=line.row.text),
                remedy=say("untick it, or choose the topic that it belongs to"),
            )
        coming.setdefault(target, []).append(line.question.example_id or "")
    return tuple((target, tuple(examples)) for target, examples in coming.items())
