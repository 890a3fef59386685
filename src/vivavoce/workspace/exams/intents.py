"""The intents exam of a project: started, and its findings by topic, by confusion and by question."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from vivavoce.errors import UsageError, nearest
from vivavoce.jobs.exams.kinds import BORROW
from vivavoce.kept import Kept
from vivavoce.languages import Use, name_languages
from vivavoce.messages import join, join_and, say
from vivavoce.records import Rate
from vivavoce.settings import PAPER
from vivavoce.store.database import Store
from vivavoce.store.rows import OutcomeRow, Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.exams.open_problems import open_problems
from vivavoce.workspace.exams.project_exams import Problem, ProjectExam, start_exam
from vivavoce.workspace.exams.runs import document, result_of
from vivavoce.workspace.exams.verdicts import main_scope

if TYPE_CHECKING:
    from vivavoce.intents.findings import ConfusionCell, IntentFindings
    from vivavoce.intents.result import IntentsResult


KIND = "intents"


@dataclass(frozen=True, slots=True)
class Expected:
    """What an exam of the project takes: how large it is, and how long it will probably take.

    `measured`: the time comes from an exam of this project with the same classifier, not from a table.
    """

    examples: int
    topics: int
    last: Run | None
    seconds: float
    measured: bool


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """Some questions of a run; `counts` says how many came out how of all that fit the other choices."""

    rows: tuple[OutcomeRow, ...]
    total: int
    counts: Mapping[str, int]


_SORTS: Mapping[str, Callable[[IntentFindings], Any]] = {
    "name": lambda line: line.intent.casefold(),
    "examples": lambda line: line.examples,
    "found": lambda line: _or_least(line.recall.value),
    "right": lambda line: _or_least(line.precision.value),
    "deferred": lambda line: _or_least(line.deferred.value),
    "f1": lambda line: _or_least(line.f1),
    "attracted": lambda line: line.attracted,
}
SORTS = tuple(sign + name for name in _SORTS for sign in ("", "-"))


# Seconds for 1,000 examples and one round of one setting, on two slots of a common machine; measured once with the
# questions that ship. Of other classifiers nothing is known: they are taken for the slowest of these.
SECONDS_PER_THOUSAND: Mapping[str, float] = {"linear": 0.5, "vectors": 0.5, "sif": 0.5, "tfidf": 0.8}
# To start, to read the texts, and to conclude.
SECONDS_AROUND = 10.0
USUAL_ROUNDS = 10
LOOKED_AT = 10


def expect_exam(store: Store, project: Project) -> Expected:
    """Return what an exam of the project with the usual options would take."""
    units = USUAL_ROUNDS * len(PAPER)
    with store.reading() as tx:
        last = tx.runs.latest(project.id, KIND)
        examples, topics = tx.examples.count(project.id), tx.topics.count(project.id)
        done = tx.runs.page(project.id, KIND, states=(RunState.DONE,), limit=LOOKED_AT)
        past = next((run for run in done if run.options.get("classifier") == project.classifier), None)
        speed = None if past is None else _measure_speed(past, tx.outcomes.count(past.id))
    each = SECONDS_PER_THOUSAND.get(project.classifier, max(SECONDS_PER_THOUSAND.values())) / 1000
    seconds = SECONDS_AROUND + units * examples * (each if speed is None else speed)
    return Expected(examples, topics, last, seconds, speed is not None)


def _measure_speed(run: Run, examples: int) -> float | None:
    """Return how many seconds a run took for one example in one unit; None where that cannot be told."""
    if run.started is None or run.finished is None or not run.total or not examples:
        return None
    return max(0.0, (run.finished - run.started).total_seconds() - SECONDS_AROUND) / (run.total * examples)


def start_intents(
    store: Store, actor: Actor, project: Project, *, title: str = "", options: Mapping[str, Any] | None = None
) -> Run:
    """Examine the project as it is now; what `options` do not say is as the project has it, or as usual."""
    return start_exam(store, actor, project, KIND, options or {}, title)


class IntentsInProject(ProjectExam):
    """The intents exam of a project."""

    def name_run(self, project: Project, chosen: Mapping[str, Any]) -> str:
        """Return nothing: what changed before a run says more than that it is an exam."""
        return ""

    def problems(self, store: Store, project: Project, run: Run, most: int | None = None) -> list[Problem]:
        """Return the problems that an intents exam found, in its order, with the topics as they are now."""
        from vivavoce.reports.intents.problem_wording import cost_sentence, problem_advice, problem_sentence

        problems = open_problems(store, project, run)[:most]
        with store.reading() as tx:
            ids = {name: topic_id for topic_id, name in tx.topics.names(project.id).items()}
        return [
            Problem(
                KIND,
                str(problem.kind),
                join(" ", (problem_sentence(problem), cost_sentence(problem))),
                run.number,
                problem.topics,
                tuple(ids.get(name) for name in problem.topics),
                Rate(problem.cost, problem.low, problem.high, problem.evidence),
                tuple(map(str, problem.remedies)),
                remedy=problem_advice(problem),
                sentence=problem_sentence(problem),
            )
            for problem in problems
        ]

    def steps(self, tx: Transaction, project: Project, *, examined: bool) -> Iterator[str]:
        """Yield that topics are missing, or that they were never examined."""
        if not tx.examples.count(project.id):
            yield "topics"
        elif not examined:
            yield KIND

    def offers(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the classifiers, or the languages whose examples can be borrowed."""
        if name == BORROW.name:
            return list_borrowable(store, project)
        return super().offers(store, project, name, chosen)

    def scopes(self, run: Run, scopes: Sequence[str]) -> Sequence[str]:
        """Return the first setting."""
        return [main_scope(run)]


def list_borrowable(store: Store, project: Project) -> Mapping[str, str]:
    """Return the languages of the examples beside that of the project: code and name."""
    names = name_languages(Use.PROJECTS)
    with store.reading() as tx:
        return {code: names.get(code, code) for code in tx.examples.languages(project.id) if code != project.language}


def intents_result(store: Store, run: Run) -> IntentsResult:
    """Return what an intents exam found."""
    if run.kind != KIND:
        raise UsageError(
            say("run {number} is not an intents exam", number=run.number), remedy=say("choose one from the list")
        )
    return cast("IntentsResult", result_of(store, run))


def topic_lines(result: IntentsResult, *, search: str = "", sort: str = "found") -> tuple[IntentFindings, ...]:
    """Return how each topic fared where all of them were tested; topics without a value come last."""
    from vivavoce.intents.problems import main_setting

    name = sort.removeprefix("-")
    if name not in _SORTS:
        raise UsageError(
            say("cannot sort topics by '{sort}'.{nearest}", sort=sort, nearest=nearest(sort, SORTS)),
            remedy=", ".join(SORTS),
        )
    words = search.casefold().split()
    setting = main_setting(result.settings)
    lines = setting.intents if setting else ()
    chosen = [line for line in lines if all(word in line.intent.casefold() for word in words)]
    ordered = sorted(chosen, key=lambda line: line.intent.casefold())
    ordered.sort(key=_SORTS[name], reverse=sort.startswith("-"))
    if name in ("name", "examples", "attracted"):
        return tuple(ordered)
    return tuple(sorted(ordered, key=lambda line: _SORTS[name](line) == _LEAST))


def confusion_lines(result: IntentsResult, *, search: str = "", intent: str = "") -> tuple[ConfusionCell, ...]:
    """Return which topic was taken for which, the most frequent first; `intent` is one of the two.

    Where no setting taught every topic, those that were not taught are among them: they were to be declined.
    """
    words = search.casefold().split()
    cells = [
        cell
        for cell in _mistaken_cells(result)
        if (not intent or intent in (cell.origin, cell.guess))
        and all(word in f"{cell.origin} {cell.guess}".casefold() for word in words)
    ]
    return tuple(sorted(cells, key=lambda cell: -(cell.answered + cell.deferred)))


def confused_names(result: IntentsResult) -> tuple[str, ...]:
    """Return every topic that was taken for another or drew a question of another, by name."""
    names = {name for cell in _mistaken_cells(result) for name in (cell.origin, cell.guess) if name}
    return tuple(sorted(names, key=str.casefold))


def _mistaken_cells(result: IntentsResult) -> tuple[ConfusionCell, ...]:
    from vivavoce.intents.problems import main_setting
    from vivavoce.reports.intents.choices import confused_cells

    setting = main_setting(result.settings)
    if setting is None:
        return ()
    untaught = (cell for cell in setting.confusion if cell.negative and cell.answered and cell.guess and cell.origin)
    return (*confused_cells(setting), *(untaught if setting.low_topics else ()))


def list_questions(
    store: Store,
    run: Run,
    *,
    outcome: str | None = None,
    intent: str | None = None,
    guess: str | None = None,
    search: str | None = None,
    limit: int = 50,
    offset: int = 0,
) -> QuestionPage:
    """Return some questions of a run and what came of them over all retries."""
    chosen = {"outcome": outcome, "intent": intent, "guess": guess, "search": search}
    with store.reading() as tx:
        rows = tx.outcomes.page(run.id, limit=limit, offset=offset, **chosen)
        counts = tx.outcomes.counts(run.id, intent=intent)
        if guess is not None or search:
            # Of those that fit the other choices.
            counts = {name: tx.outcomes.count(run.id, **(chosen | {"outcome": name})) for name in counts}
        return QuestionPage(rows, tx.outcomes.count(run.id, **chosen), counts)


def done_runs(store: Store, project: Project, *, limit: int = 200) -> Sequence[Run]:
    """Return the intents exams that can be looked at, the newest first."""
    with store.reading() as tx:
        return tx.runs.page(project.id, KIND, states=(RunState.DONE,), limit=limit)


_LEAST = -1.0


def _or_least(value: float | None) -> float:
    return _LEAST if value is None else value


ENGINES = "engines"


def start_engines(
    store: Store,
    actor: Actor,
    project: Project,
    classifiers: Sequence[str],
    *,
    title: str = "",
    options: Mapping[str, Any] | None = None,
) -> Run:
    """Examine several engines on the same splits; `options` as those of an intents exam."""
    return start_exam(store, actor, project, ENGINES, {**(options or {}), "classifiers": list(classifiers)}, title)


class EnginesInProject(ProjectExam):
    """The comparison of classifiers in a project."""

    def name_run(self, project: Project, chosen: Mapping[str, Any]) -> str:
        """Return the names of the classifiers."""
        return say("{names} compared", names=join_and(chosen["classifiers"]))

    def steps(self, tx: Transaction, project: Project, *, examined: bool) -> Iterator[str]:
        """Yield nothing: a project does well with one classifier."""
        yield from ()


@dataclass(frozen=True, slots=True)
class EngineTime:
    """Seconds that an engine took: to learn one split, for one message, and for all splits together."""

    name: str
    train: float
    message: float
    total: float


# The file holds the seconds of every single message.
_TIMES: Kept[tuple[EngineTime, ...]] = Kept(8)


def engine_times(store: Store, run: Run) -> tuple[EngineTime, ...]:
    """Return what the engines of a comparison took, in their order."""

    def read() -> tuple[EngineTime, ...]:
        units: dict[str, list[Mapping[str, Any]]] = {}
        for unit in json.loads(document(store, run, "timings.json"))["units"]:
            units.setdefault(unit["classifier"], []).append(unit)
        return tuple(_measure_time(name, own) for name, own in units.items())

    return _TIMES.get((run.id, run.version), read)


def _measure_time(name: str, units: Sequence[Mapping[str, Any]]) -> EngineTime:
    trained = [float(unit["train_seconds"]) for unit in units]
    messages = sorted(float(seconds) for unit in units for seconds in unit["classify_seconds"])
    middle = messages[len(messages) // 2] if messages else 0.0
    return EngineTime(name, sum(trained) / len(trained), middle, sum(trained) + sum(messages))
