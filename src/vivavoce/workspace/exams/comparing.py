"""Two intents exams compared: the verdict, the questions that changed, the numbers, and the edits between them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.naming import EditKind, kind_of
from vivavoce.workspace.exams.runs import get_run
from vivavoce.workspace.exams.verdicts import (
    NO_RATE,
    Question,
    QuestionVerdict,
    Verdict,
    judge_by_later_topics,
    main_scope,
    read_sheet,
    same_examples,
    shared_questions,
    verdict_between,
)
from vivavoce.workspace.topics.history import EditLine, edit_lines

if TYPE_CHECKING:
    from vivavoce.reports.shared.measures import Measure


@dataclass(frozen=True, slots=True)
class Cause:
    """Edits of one kind between two runs, and the questions that they filed under another topic.

    `edits` leaves out what was undone before the later run.
    """

    kind: EditKind
    edits: int
    improved: int
    broken: int


def refiled_by(tx: Transaction, a: Run, b: Run, example_ids: Collection[str]) -> dict[str, EditKind]:
    """Return for each example that is filed under another topic since `a` the kind of edit that did it last."""
    places: dict[str, list[tuple[str | None, str | None, str]]] = {}
    # A move is kept as two changes: the example leaves one topic and comes to another.
    left: dict[tuple[str, str], str | None] = {}
    changes = tx.edits.changes_of(a.project_id, "examples", sorted(example_ids), a.created, b.created)
    for edit, example_id, before, after in changes:
        key = (edit.id, example_id)
        if before is not None:
            left[key] = before["topic_id"]
        if after is not None and key in left and left[key] != after["topic_id"]:
            places.setdefault(example_id, []).append((left[key], after["topic_id"], edit.action))
    return {
        example_id: kind_of(steps[-1][2])
        for example_id, steps in places.items()
        # What came back to its first topic, by an undo for instance, was not filed elsewhere.
        if steps[0][0] != steps[-1][1]
    }


def count_causes(
    tx: Transaction, a: Run, b: Run, improved: Sequence[EditKind | None], broken: Sequence[EditKind | None]
) -> tuple[Cause, ...]:
    """Return the edits between two runs that changed what became of questions, the most telling kind first."""
    better, worse = Counter(improved), Counter(broken)
    kinds = [kind for kind in dict.fromkeys((*improved, *broken)) if kind is not None]
    edits = tx.edits.of_project(a.project_id, since=a.created, until=b.created, limit=None) if kinds else ()
    ids = {edit.id for edit in edits}
    edited = Counter(kind_of(edit.action) for edit in edits if edit.undone_by not in ids)
    causes = (Cause(kind, edited[kind], better[kind], worse[kind]) for kind in kinds)
    return tuple(sorted(causes, key=lambda cause: -(cause.improved + cause.broken)))


KIND = "intents"
SHOWN = ("accuracy", "automation_rate", "precision_answered", "negative_rejection", "f1_macro", "f1_weighted")
SHOWN_EDITS = 50


@dataclass(frozen=True, slots=True)
class RateChange:
    """A number in both runs; `difference` is later minus earlier, with where it would lie with other data.

    `clear`: the interval does not hold 0.
    """

    scope: str
    name: str
    before: Rate
    after: Rate
    difference: Rate

    @property
    def clear(self) -> bool:
        """Whether the difference is more than chance would make."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and not low <= 0 <= high


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question that changed from one run to the other, and what each of them made of it.

    `intent` is its topic in the later run, `intent_before` in the earlier one; where it was filed under another
    topic, `refiled_by` is the kind of edit that did so. `examples`: how many examples have this text. `place`:
    where the later run lists the one that is shown.
    """

    text: str
    intent: str | None
    before: str
    after: str
    guess_before: str | None
    guess_after: str | None
    intent_before: str | None = None
    refiled_by: EditKind | None = None
    examples: int = 1
    place: int = -1


@dataclass(frozen=True, slots=True)
class ComparedQuestions:
    """The questions that changed, and how many examples could not be paired.

    `by_later_topics` judges both runs by the topics of the later one. `causes`: edits that filed questions elsewhere.
    `only_before`, `only_after`: examples that one run alone tested. `reworded`: examples with another text since.
    """

    improved: tuple[ComparedQuestion, ...]
    broken: tuple[ComparedQuestion, ...]
    by_later_topics: QuestionVerdict
    causes: tuple[Cause, ...]
    only_before: int
    only_after: int
    reworded: int
    same_data: bool


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs compared: `verdict` says whether the later one is better, `questions` which questions changed.

    `same_data`: both examined exactly the same examples. `differing`: options that are not the same.
    """

    a: Run
    b: Run
    differing: tuple[tuple[str, str, str], ...]
    changes: tuple[RateChange, ...]
    verdict: QuestionVerdict
    questions: ComparedQuestions
    edits: tuple[EditLine, ...]
    all_edits: int

    @property
    def same_data(self) -> bool:
        """Whether both examined exactly the same examples."""
        return self.questions.same_data


_KEPT: Kept[ComparedQuestions] = Kept(12)


def compare_runs(store: Store, project: Project, a: int, b: int) -> RunComparison:
    """Compare two finished intents exams, the one with the lower number first."""
    if a == b:
        raise UsageError(say("a run cannot be compared with itself"), remedy=say("choose two different runs"))
    with store.reading() as tx:
        first, second = runs = [get_run(tx, project, number, KIND) for number in sorted((a, b))]
        if unfinished := [run for run in runs if run.state is not RunState.DONE]:
            number, state = unfinished[0].number, unfinished[0].state
            raise UsageError(
                say("run {number} cannot be compared: it is {state}", number=number, state=state),
                remedy=say("wait until it is done, or choose another"),
            )
        key = (first.id, first.version, second.id, second.version)
        # Both are over, and so is the time between them: what is said of their questions never changes.
        questions = _KEPT.get(key, lambda: _compare_questions(tx, first, second))
        verdict = verdict_between(tx, first, second)
        old, new = tx.measures.rates(first.id), tx.measures.rates(second.id)
        between = tx.edits.of_project(project.id, since=first.created, until=second.created, limit=SHOWN_EDITS)
        lines = edit_lines(tx, between)
        count = tx.edits.count(project.id, since=first.created, until=second.created)
    keys = [(scope, name) for scope in dict.fromkeys(scope for scope, _ in new) for name in SHOWN]
    changes = tuple(
        RateChange(*key, old[key], new[key], difference_of(old[key], new[key]))
        for key in keys
        if key in old and key in new
    )
    options = (
        (name, first.options.get(name), second.options.get(name)) for name in {**first.options, **second.options}
    )
    differing = tuple((name, str(old), str(new)) for name, old, new in options if old != new)
    return RunComparison(first, second, differing, changes, verdict, questions, lines, count)


def _compare_questions(tx: Transaction, a: Run, b: Run) -> ComparedQuestions:
    shared, before, after = shared_questions(tx, a, b), read_sheet(tx, a), read_sheet(tx, b)
    changed = [question for question in shared.questions if question.right_after is not question.right_before]
    ids = {pair.example_id for question in changed for pair in question.pairs if pair.example_id}
    refiled = refiled_by(tx, a, b, ids)
    better, worse = (
        tuple(_describe_change(question, refiled) for question in changed if question.right_after is right)
        for right in (True, False)
    )
    kinds = ([question.refiled_by for question in questions] for questions in (better, worse))
    return ComparedQuestions(
        better,
        worse,
        judge_by_later_topics(before, after, shared.questions),
        count_causes(tx, a, b, *kinds),
        shared.only_before,
        shared.only_after,
        shared.reworded,
        a.data_hash == b.data_hash or same_examples(before, after),
    )


def _describe_change(question: Question, refiled: dict[str, EditKind]) -> ComparedQuestion:
    """Return a changed question as its first example that changed with it shows it."""
    right = question.right_after
    pair = next(pair for pair in question.pairs if pair.after.right is right and pair.before.right is not right)
    return ComparedQuestion(
        question.text,
        pair.after.topic,
        pair.before.outcome,
        pair.after.outcome,
        pair.before.guess,
        pair.after.guess,
        pair.before.topic,
        refiled.get(pair.example_id or ""),
        len(question.pairs),
        pair.after.place,
    )


def difference_of(before: Rate, after: Rate) -> Rate:
    """Return the difference of two numbers that were measured apart; its interval follows from both of theirs."""
    if before.value is None or after.value is None:
        return NO_RATE
    gap, n = after.value - before.value, min(before.n, after.n)
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return Rate(gap, None, None, n)
    # Each end is as far from the value as both ends together are, taken as independent.
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return Rate(gap, gap - down, gap + up, n)


def judge_difference(measure: Measure, gap: Rate) -> Verdict:
    """Return the verdict on a number that was measured in each run by itself."""
    if gap.value is None or gap.low is None or gap.high is None:
        return "unknown"
    if gap.low <= 0 <= gap.high or measure.better == "neither":
        return "same"
    return "better" if (gap.value > 0) == (measure.better == "higher") else "worse"


# So many runs a small line can show.
SHOWN_RUNS = 12
# Runs under other conditions that may lie between two comparable ones.
LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class Earlier:
    """What changed since a run: by questions, and by number (setting and name)."""

    before: Run
    verdict: QuestionVerdict
    changes: Mapping[tuple[str, str], RateChange]


def changes_since(store: Store, project: Project, run: Run) -> Earlier | None:
    """Return what changed since the last comparable run; None for a first run."""
    with store.reading() as tx:
        before = find_comparable(tx, project, run)
        if before is None:
            return None
        verdict = verdict_between(tx, before, run)
        old, new = tx.measures.rates(before.id), tx.measures.rates(run.id)
    changes = {
        key: RateChange(*key, old[key], new[key], difference_of(old[key], new[key]))
        for key in old.keys() & new.keys()
    }
    main = (main_scope(run), "accuracy")
    if verdict.shared and main in changes:
        # Both runs answered these questions: their difference is known better than two intervals tell.
        changes[main] = RateChange(*main, changes[main].before, changes[main].after, verdict.difference)
    return Earlier(before, verdict, changes)


def find_comparable(tx: Transaction, project: Project, run: Run) -> Run | None:
    """Return the newest run before this one that asked its questions under the same conditions."""
    earlier = tx.runs.latest(project.id, KIND, before=run.number)
    for _ in range(LOOKED_AT):
        if earlier is None or main_scope(earlier) == main_scope(run):
            return earlier
        earlier = tx.runs.latest(project.id, KIND, before=earlier.number)
    return None


def values_over_time(
    store: Store, project: Project, run: Run, names: Sequence[str]
) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return some numbers of the last runs up to this one, the oldest first, by setting and name."""
    lines: dict[tuple[str, str], list[float]] = {}
    with store.reading() as tx:
        for point in (point for name in names for point in tx.measures.series(project.id, KIND, name=name)):
            if point.number <= run.number and point.value is not None:
                lines.setdefault((point.scope, point.name), []).append(point.value)
    return {key: tuple(values[-SHOWN_RUNS:]) for key, values in lines.items()}
