"""What can be done about topics: forecast first, then done, with the forecast kept beside the edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Literal

from vivavoce.errors import UsageError, VivaError, WorkError
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Dataset
from vivavoce.settings import Settings
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, ExampleRow, ForecastRow, Project, Role, Run
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.exams.intents import SECONDS_PER_THOUSAND
from vivavoce.workspace.topics.datasets import project_dataset
from vivavoce.workspace.topics.examples import (
    add_examples,
    describe_examples,
    get_examples,
    move_examples,
    moves,
)
from vivavoce.workspace.topics.names import find_topic
from vivavoce.workspace.topics.topics import AnswerChoice, merge_topics, retire_topic, split_topic

if TYPE_CHECKING:
    from vivavoce.intents.cards import Card
    from vivavoce.intents.problem_record import Problem
    from vivavoce.intents.whatif import Edit as DataEdit
    from vivavoce.intents.whatif import Forecast, Forecaster

RemedyKind = Literal["move", "merge", "out_of_scope", "split", "add_examples", "retire"]
# Whoever waits for a preview looks at the page; the full number follows.
PREVIEW_ROUNDS, PREVIEW_ROUNDS_OF_MANY, MANY = 3, 2, 4000
USUAL_CLASSIFIER = "linear"
LONGEST_WAIT = 60.0
_FORECASTERS: Kept[Forecaster] = Kept(3)
_FORECASTS: Kept[Forecast] = Kept(80)
_CARDS: Kept[Card] = Kept(60)
_TURN = Lock()


@dataclass(frozen=True, slots=True)
class Draft:
    """A remedy that nobody has applied yet; topics and examples are ids.

    move: `moves` says which examples go to which topic. merge: the last of `topics` stays. out_of_scope, split: these
    `examples`, the latter to a new topic called `name`. add_examples: `texts` to the topic. retire: the topic.
    """

    kind: RemedyKind
    topics: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    moves: tuple[tuple[str, tuple[str, ...]], ...] = ()
    texts: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Applied:
    """An edit that applied a remedy, and what it was forecast to bring (None: that could not be told)."""

    edit: Edit
    forecast: Forecast | None


def is_forecast_by_own(project: Project) -> bool:
    """Tell whether forecasts use the project's own classifier; one elsewhere is not trained for a look at a page."""
    return project.classifier in SECONDS_PER_THOUSAND


def forecast_draft(store: Store, project: Project, draft: Draft, *, full: bool = False) -> Forecast:
    """Return what a remedy would bring to the data as they are now; the same question is worked out once.

    `full`: with all rounds of an exam; else a preview.
    """
    question = _ask(store, project, draft, full=full)

    def make_forecaster() -> Forecaster:
        from vivavoce.intents.whatif import Forecaster

        classifier, rounds, threshold = question.classifier, question.rounds, project.threshold
        return Forecaster(question.data, classifier, retries=rounds, threshold=threshold)

    def work() -> Forecast:
        # One at a time: each of them takes every core.
        if not _TURN.acquire(timeout=LONGEST_WAIT):
            raise WorkError(say("too many forecasts are asked for"), remedy=say("try again in a minute"))
        try:
            return _FORECASTERS.get(question.key, make_forecaster).forecast(question.edits)
        finally:
            _TURN.release()

    return _FORECASTS.get((question.key, question.edits), work)


def explain(store: Store, project: Project, run: Run, problem: Problem) -> Card:
    """Return why a problem of an exam is one: what is typical of its topics, and which words pull."""

    def work() -> Card:
        from vivavoce.intents.cards import explain_problems

        with store.reading() as tx:
            data = dataset_from_bytes(tx.runs.material(run.id))
        classifier = project.classifier if is_forecast_by_own(project) else USUAL_CLASSIFIER
        with _TURN:
            return explain_problems(data, [problem], classifier)[0]

    return _CARDS.get((run.id, run.version, problem.kind, problem.topics, project.classifier), work)


def recall_forecast(store: Store, project: Project, draft: Draft) -> Forecast | None:
    """Return what was forecast of a remedy already, the full number before a preview; None where nothing was."""
    questions = (_ask(store, project, draft, full=full) for full in (True, False))
    return next(filter(None, (_FORECASTS.peek((each.key, each.edits)) for each in questions)), None)


@dataclass(frozen=True, eq=False)
class _Question:
    """What a forecast depends on."""

    key: tuple[object, ...]
    data: Dataset
    edits: tuple[DataEdit, ...]
    classifier: str
    rounds: int


def _ask(store: Store, project: Project, draft: Draft, *, full: bool) -> _Question:
    with store.reading() as tx:
        state, data = tx.edits.state(project.id), project_dataset(tx, project)
        names = tx.topics.names(project.id)
    classifier = project.classifier if is_forecast_by_own(project) else USUAL_CLASSIFIER
    preview = PREVIEW_ROUNDS if len(data) <= MANY else PREVIEW_ROUNDS_OF_MANY
    rounds = Settings.retries if full else preview
    key = (project.id, state, classifier, project.threshold, rounds)
    return _Question(key, data, _list_edits(draft, data, names), classifier, rounds)


def _list_edits(draft: Draft, data: Dataset, names: dict[str, str]) -> tuple[DataEdit, ...]:  # noqa: PLR0911 - one each
    """Return a draft as edits of the data; refuse topics and examples that are gone."""
    from vivavoce.intents.whatif import (
        AddExamples,
        MarkOutOfScope,
        MergeTopics,
        MoveExamples,
        RetireTopic,
        SplitTopic,
    )

    rows = {example.id: data.number(place) for place, example in enumerate(data.examples)}
    homes = {example.id: example.intent for example in data.examples}
    try:
        topics = [names[own] for own in draft.topics]
        chosen = tuple(rows[own] for own in draft.examples)
        match draft.kind:
            case "move":
                return tuple(MoveExamples(tuple(rows[own] for own in ids), names[to]) for to, ids in draft.moves)
            case "merge":
                return tuple(MergeTopics(topic, topics[-1]) for topic in topics[:-1])
            case "out_of_scope":
                return (MarkOutOfScope(chosen),)
            case "split":
                # Questions of several topics may become one new topic: that is a move to a topic nobody has yet.
                own = {homes[each] for each in draft.examples}
                if own == {topics[0]}:
                    return (SplitTopic(topics[0], chosen, draft.name),)
                return (MoveExamples(chosen, draft.name),)
            case "add_examples":
                return (AddExamples(topics[0], draft.texts),)
            case "retire":
                return tuple(RetireTopic(topic) for topic in topics)
    except (KeyError, IndexError) as error:
        raise UsageError(
            say("a topic or an example of this remedy is gone"), remedy=say("open the page again")
        ) from error


def apply_draft(
    store: Store,
    actor: Actor,
    project: Project,
    draft: Draft,
    *,
    why: str = "",
    answer: AnswerChoice | None = None,
    high_cost: float | None = None,
) -> Applied:
    """Apply a remedy; keep what it was forecast to bring, if somebody asked.

    `high_cost`: the most that the problem cost before.
    """
    actor.require(Role.EDITOR)
    forecast = recall_forecast(store, project, draft)
    edit = _apply(store, actor, project, draft, why, answer)
    if forecast is not None:
        with store.writing() as tx:
            tx.forecasts.add(_row_of(project, edit, draft, forecast, high_cost))
    return Applied(edit, forecast)


def _row_of(project: Project, edit: Edit, draft: Draft, forecast: Forecast, high_cost: float | None) -> ForecastRow:
    effect = forecast.effects["accuracy"]
    return ForecastRow(
        new_id(),
        project.id,
        edit.id,
        draft.kind,
        tuple(dict.fromkeys([*draft.topics, *(to for to, _ in draft.moves)])),
        high_cost,
        effect.difference,
        effect.low,
        effect.high,
        forecast.rounds,
        forecast.classifier,
        forecast.threshold,
        now(),
    )


def forecast_or_none(store: Store, project: Project, draft: Draft) -> Forecast | None:
    """Return what a remedy brings, as far as that is known or a preview tells; None where nothing can be told."""
    try:
        return recall_forecast(store, project, draft) or forecast_draft(store, project, draft)
    except VivaError:
        return None


def _apply(  # noqa: PLR0917
    store: Store, actor: Actor, project: Project, draft: Draft, why: str, answer: AnswerChoice | None
) -> Edit:
    acting = (store, actor, project)
    match draft.kind:
        case "move":
            return _move_all(store, actor, project, draft.moves, why)
        case "merge":
            return merge_topics(*acting, draft.topics[:-1], draft.topics[-1], answer=answer, why=why)
        case "out_of_scope":
            return move_examples(*acting, draft.examples, topic_id=None, why=why)
        case "split":
            return split_topic(*acting, draft.examples, draft.name, why=why).edit
        case "add_examples":
            return add_examples(*acting, draft.texts, topic_id=draft.topics[0], why=why).edit
        case "retire":
            return retire_topic(*acting, draft.topics[0], why=why)


def _move_all(
    store: Store, actor: Actor, project: Project, coming: Sequence[tuple[str, tuple[str, ...]]], why: str
) -> Edit:
    """Give examples to several topics at once, as one edit."""
    if not any(ids for _, ids in coming):
        raise UsageError(say("no question selected"), remedy=say("tick at least one"))
    with store.writing() as tx:
        rows: list[ExampleRow] = []
        changes: list[Change] = []
        names = []
        for topic_id, ids in coming:
            target = find_topic(tx, project, topic_id)
            own = [row for row in get_examples(tx, project, ids) if row.topic_id != target.id]
            rows += own
            changes += moves(tx, own, target.id)
            names.append(target.name)
        if not rows:
            raise UsageError(say("they already exist"), remedy=say("choose another topic"))
        summary = say("Moved {counted} to {name}", counted=describe_examples(rows), name=" / ".join(names))
        return tx.edits.apply(project.id, actor.user_id, "move examples", summary, changes, why=why)
