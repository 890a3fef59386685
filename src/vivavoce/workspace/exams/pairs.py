"""One to three topics side by side: how an exam answered their questions, and where ticked ones would go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.errors import StaleError, UsageError
from vivavoce.messages import say
from vivavoce.outcomes import Outcome
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, Topic
from vivavoce.workspace.exams.questions import QuestionLine, follow_topic
from vivavoce.workspace.exams.remedies import Draft, RemedyKind
from vivavoce.workspace.topics.datasets import project_dataset

MAX_TOPICS = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One of the topics, by its name in the exam. `topic` is what it is now; None: it is gone.

    `taken`: questions that were answered from another of these topics (of a topic alone: from any other); `unsure`:
    declined, or answered from a topic that is not here.
    """

    name: str
    topic: Topic | None
    taken: tuple[QuestionLine, ...]
    unsure: tuple[QuestionLine, ...]
    right: tuple[QuestionLine, ...]

    @property
    def total(self) -> int:
        """How many questions it has."""
        return len(self.taken) + len(self.unsure) + len(self.right)

    @property
    def lines(self) -> tuple[QuestionLine, ...]:
        """All its questions."""
        return (*self.taken, *self.unsure, *self.right)


def open_sides(store: Store, project: Project, run: Run, names: Sequence[str]) -> tuple[Side, ...]:
    """Return topics with their questions of a finished exam, mistakes first."""
    with store.reading() as tx:
        now = {topic.id: topic for topic in tx.topics.of_project(project.id)}
        # A topic that was renamed since is the same topic.
        then = {name: own for own, name in tx.edits.topics_since(project.id, run.created).items() if name}
        ids = {topic.name: own for own, topic in now.items()} | then
        sides = []
        for name in names:
            lines = follow_topic(tx, project, run, name)
            taken = tuple(line for line in lines if _is_taken(line, names))
            right = tuple(line for line in lines if line.row.outcome == Outcome.RIGHT)
            unsure = tuple(line for line in lines if line not in taken and line not in right)
            sides.append(Side(name, now.get(ids.get(name, "")), taken, unsure, right))
    return tuple(sides)


def _is_taken(line: QuestionLine, names: Sequence[str]) -> bool:
    return line.row.outcome == Outcome.WRONG_INTENT and (len(names) == 1 or line.row.guess in names)


def by_size(sides: Sequence[Side]) -> tuple[Side, ...]:
    """Return the topics, the smallest first."""
    return tuple(sorted(sides, key=lambda side: side.total))


def draft_remedy(  # noqa: PLR0917 - what a form holds
    kind: RemedyKind,
    sides: Sequence[Side],
    ticked: Mapping[int, str],
    topics: Mapping[str, str],
    texts: Sequence[str] = (),
    name: str = "",
) -> Draft:
    """Return a remedy for these topics; refuse what has changed since the exam.

    `ticked`: places of questions, each with the topic (id) that it goes to, empty: the usual one. `topics`: the names
    of all topics by id.
    """
    own = tuple(side.topic.id for side in by_size(sides) if side.topic)
    if len(own) < len(sides):
        raise StaleError(
            say("one of the topics is gone"), remedy=say("open the list of topics to see what became of it")
        )
    match kind:
        case "merge":
            return Draft("merge", own)
        case "retire":
            return Draft("retire", own[:1])
        case "add_examples":
            return Draft("add_examples", (name or own[0],), texts=tuple(texts))
        case "move":
            return Draft("move", own, moves=_group_moves(sides, ticked, topics))
    examples = tuple(line.question.example_id or "" for _, line in _list_ticked(sides, ticked))
    if kind == "split" and not name:
        raise UsageError(say("the new topic has no name"), where="name", remedy=say("write a name for the new topic"))
    return Draft(kind, own, examples, name=name)


def _list_ticked(sides: Sequence[Side], ticked: Mapping[int, str]) -> Iterator[tuple[Side, QuestionLine]]:
    """Yield the ticked questions with their topics; refuse none, and those that changed since the exam."""
    chosen = [(side, line) for side in sides for line in side.lines if line.row.place in ticked]
    if not chosen:
        raise UsageError(say("no question selected"), remedy=say("tick at least one"))
    if not all(line.can_change for _, line in chosen):
        raise StaleError(
            say("the selected questions changed since this exam"),
            remedy=say("check the list again, then tick what is left"),
        )
    yield from chosen


def _group_moves(
    sides: Sequence[Side], ticked: Mapping[int, str], topics: Mapping[str, str]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return which examples go to which topic (id)."""
    ids = {name: own for own, name in topics.items()}
    coming: dict[str, list[str]] = {}
    for side, line in _list_ticked(sides, ticked):
        target = ticked[line.row.place] or _usual_target(sides, side, line, ids)
        if target not in topics or (side.topic and target == side.topic.id):
            raise UsageError(
                say("no topic is chosen for '{question}'", question=line.row.text),
                remedy=say("choose the topic that the ticked questions go to"),
            )
        coming.setdefault(target, []).append(line.question.example_id or "")
    return tuple((target, tuple(examples)) for target, examples in coming.items())


def _usual_target(sides: Sequence[Side], side: Side, line: QuestionLine, ids: Mapping[str, str]) -> str:
    """Return where a question goes that is ticked: of two topics to the other one, else to where the bot put it."""
    others = [other.topic.id for other in sides if other is not side and other.topic]
    if len(sides) == 2:
        return others[0]
    guess = ids.get(line.row.guess or "", "")
    return guess if len(sides) == 1 or guess in others else ""


def suggest_split(store: Store, project: Project, run: Run, name: str) -> tuple[int, ...]:
    """Return the questions of a topic that would best make a topic of their own, by their places in the exam."""
    from vivavoce.intents.whatif import propose_split

    with store.reading() as tx:
        data = project_dataset(tx, project)
    (side,) = open_sides(store, project, run, [name])
    if side.topic is None:
        return ()
    rows = set(propose_split(data, side.topic.name).rows)
    ids = {example.id for place, example in enumerate(data.examples) if data.number(place) in rows}
    return tuple(line.row.place for line in side.lines if line.can_change and line.question.example_id in ids)
