"""Two confused topics side by side: how an exam answered their questions, and what an edit would bring."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from vivavoce.errors import StaleError, UsageError, WorkError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.outcomes import Outcome
from vivavoce.records import Dataset
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, ExampleRow, Project, Role, Run, Topic
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.exams.intents import SECONDS_PER_THOUSAND
from vivavoce.workspace.exams.questions import QuestionLine, follow_topic
from vivavoce.workspace.topics.datasets import project_dataset
from vivavoce.workspace.topics.examples import describe_examples, get_examples, moves

if TYPE_CHECKING:
    from vivavoce.intents.whatif import Edit as DataEdit
    from vivavoce.intents.whatif import Forecast, Forecaster

# A forecast on a page is a preview: whoever waits for it looks at the page.
ROUNDS, ROUNDS_OF_MANY, MANY = 5, 2, 4000
USUAL_CLASSIFIER = "linear"
LONGEST_WAIT = 60.0
_FORECASTERS: Kept[Forecaster] = Kept(2)
_FORECASTS: Kept[Forecast] = Kept(40)
_TURN = Lock()


@dataclass(frozen=True, slots=True)
class Side:
    """One of two topics, by its name in the exam. `topic` is what it is now; None: it is gone.

    `taken`: questions that were answered from the other topic; `unsure`: declined, or answered from a third one.
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


def open_pair(store: Store, project: Project, run: Run, a: str, b: str) -> tuple[Side, Side]:
    """Return two topics with their questions of a finished exam, mistakes first."""
    with store.reading() as tx:
        now = {topic.id: topic for topic in tx.topics.of_project(project.id)}
        # A topic that was renamed since is the same topic.
        then = {name: own for own, name in tx.edits.topics_since(project.id, run.created).items() if name}
        ids = {topic.name: own for own, topic in now.items()} | then
        sides = []
        for name, other in ((a, b), (b, a)):
            lines = follow_topic(tx, project, run, name)
            taken = tuple(line for line in lines if _is_taken(line, other))
            right = tuple(line for line in lines if line.row.outcome == Outcome.RIGHT)
            unsure = tuple(line for line in lines if line not in taken and line not in right)
            sides.append(Side(name, now.get(ids.get(name, "")), taken, unsure, right))
    return sides[0], sides[1]


def _is_taken(line: QuestionLine, other: str) -> bool:
    return line.row.outcome == Outcome.WRONG_INTENT and line.row.guess == other


def exchange_examples(
    store: Store, actor: Actor, project: Project, run: Run, sides: Sequence[Side], *, places: Collection[int]
) -> Edit:
    """Give the examples of chosen questions to the other of two topics, in both directions at once."""
    actor.require(Role.EDITOR)
    coming = _list_moves(sides, places)
    with store.writing() as tx:
        rows: list[ExampleRow] = []
        changes: list[Change] = []
        for ids, target in coming:
            own = get_examples(tx, project, ids)
            rows += own
            changes += moves(tx, own, target.id)
        names = " / ".join(target.name for _, target in coming)
        summary = say("Moved {counted} to {name}", counted=describe_examples(rows), name=names)
        why = say("seen in run {number}", number=run.number)
        return tx.edits.apply(project.id, actor.user_id, "move examples", summary, changes, why=why)


def _list_moves(sides: Sequence[Side], places: Collection[int]) -> list[tuple[list[str], Topic]]:
    """Return which examples go to which topic; refuse what has changed since the exam."""
    coming = []
    for side, other in zip(sides, reversed(sides), strict=True):
        lines = [line for line in (*side.taken, *side.unsure, *side.right) if line.row.place in places]
        if not lines:
            continue
        if other.topic is None or not all(line.can_change for line in lines):
            raise StaleError(
                say("the selected questions changed since this exam"),
                remedy=say("check the list again, then tick what is left"),
            )
        coming.append(([line.question.example_id or "" for line in lines], other.topic))
    if not coming:
        raise UsageError(say("no question selected"), remedy=say("tick at least one"))
    return coming


def forecast_exchange(store: Store, project: Project, sides: Sequence[Side], places: Collection[int]) -> Forecast:
    """Return what moving the examples of chosen questions to the other topic would bring."""
    from vivavoce.intents.whatif import MoveExamples

    coming = _list_moves(sides, places)

    def build(data: Dataset) -> list[DataEdit]:
        rows = {example.id: data.number(place) for place, example in enumerate(data.examples)}
        return [MoveExamples(tuple(rows[own] for own in ids), target.name) for ids, target in coming]

    return _forecast(store, project, build)


def forecast_merge(store: Store, project: Project, source: Topic, into: Topic) -> Forecast:
    """Return what merging two topics would bring."""
    from vivavoce.intents.whatif import MergeTopics

    return _forecast(store, project, lambda _: [MergeTopics(source.name, into.name)])


def is_forecast_by_own(project: Project) -> bool:
    """Tell whether forecasts use the project's own classifier; one elsewhere is not trained for a look at a page."""
    return project.classifier in SECONDS_PER_THOUSAND


def _forecast(store: Store, project: Project, build: Callable[[Dataset], Sequence[DataEdit]]) -> Forecast:
    """Return what edits of the data as they are now would bring; the same question is worked out once."""
    with store.reading() as tx:
        state, data = tx.edits.state(project.id), project_dataset(tx, project)
    classifier = project.classifier if is_forecast_by_own(project) else USUAL_CLASSIFIER
    edits, key = tuple(build(data)), (project.id, state, classifier, project.threshold)

    def make_forecaster() -> Forecaster:
        from vivavoce.intents.whatif import Forecaster

        rounds = ROUNDS if len(data) <= MANY else ROUNDS_OF_MANY
        return Forecaster(data, classifier, retries=rounds, threshold=project.threshold)

    def work() -> Forecast:
        # One at a time: each of them takes every core.
        if not _TURN.acquire(timeout=LONGEST_WAIT):
            raise WorkError(say("too many forecasts are asked for"), remedy=say("try again in a minute"))
        try:
            return _FORECASTERS.get(key, make_forecaster).forecast(edits)
        finally:
            _TURN.release()

    return _FORECASTS.get((key, edits), work)
