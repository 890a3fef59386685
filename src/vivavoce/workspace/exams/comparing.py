"""Two intents exams compared: the verdict, the questions that changed, the numbers, and the edits between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import MeasureRow, Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.causes import Cause, EditKind, count_causes, refiled_by
from vivavoce.workspace.exams.matching import Question, Shared, read_sheet, same_examples, shared_questions
from vivavoce.workspace.exams.runs import get_run
from vivavoce.workspace.exams.verdicts import NO_RATE, QuestionVerdict, judge_by_later_topics, verdict_between
from vivavoce.workspace.topics.history import EditLine, edit_lines

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
    topic, `refiled_by` is the kind of edit that did so. `examples`: how many examples have this text.
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
        first, second = (_done(tx, project, number) for number in sorted((a, b)))
        key = (first.id, first.version, second.id, second.version)
        # Both are over, and so is the time between them: what is said of their questions never changes.
        questions = _KEPT.get(key, lambda: _questions(tx, first, second))
        verdict = verdict_between(tx, first, second)
        changes = tuple(_changes(tx.measures.of_run(first.id), tx.measures.of_run(second.id)))
        between = tx.edits.of_project(project.id, since=first.created, until=second.created, limit=SHOWN_EDITS)
        lines = edit_lines(tx, between)
        count = tx.edits.count(project.id, since=first.created, until=second.created)
    return RunComparison(first, second, tuple(_differing(first, second)), changes, verdict, questions, lines, count)


def _done(tx: Transaction, project: Project, number: int) -> Run:
    run = get_run(tx, project, number, KIND)
    if run.state is not RunState.DONE:
        raise UsageError(
            say("run {number} cannot be compared: it is {state}", number=number, state=run.state),
            remedy=say("wait until it is done, or choose another"),
        )
    return run


# --- questions ---------------------------------------------------------------------------------------------------


def _questions(tx: Transaction, a: Run, b: Run) -> ComparedQuestions:
    shared, before, after = shared_questions(tx, a, b), read_sheet(tx, a), read_sheet(tx, b)
    improved = _changed(shared, right_after=True)
    broken = _changed(shared, right_after=False)
    ids = {pair.example_id for one in (*improved, *broken) for pair in one.pairs if pair.example_id}
    refiled = refiled_by(tx, a, b, ids)
    better, worse = (tuple(_compared(one, refiled) for one in changed) for changed in (improved, broken))
    kinds = ([one.refiled_by for one in changed] for changed in (better, worse))
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


def _changed(shared: Shared, *, right_after: bool) -> list[Question]:
    return [one for one in shared.questions if one.right_after is right_after and one.right_before is not right_after]


def _compared(question: Question, refiled: dict[str, EditKind]) -> ComparedQuestion:
    """Return a changed question as its first example that changed with it shows it."""
    right = question.right_after
    pair = next(one for one in question.pairs if one.after.right is right and one.before.right is not right)
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
    )


# --- numbers -----------------------------------------------------------------------------------------------------


def _changes(before: Sequence[MeasureRow], after: Sequence[MeasureRow]) -> Iterator[RateChange]:
    old = {(row.scope, row.name): _rate(row) for row in before}
    new = {(row.scope, row.name): _rate(row) for row in after}
    scopes = list(dict.fromkeys(scope for scope, _ in (*new, *old)))
    for scope in scopes:
        for name in SHOWN:
            first, second = old.get((scope, name)), new.get((scope, name))
            if first is not None and second is not None:
                yield RateChange(scope, name, first, second, difference_of(first, second))


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


def _rate(row: MeasureRow) -> Rate:
    return Rate(row.value, row.low, row.high, row.n)


def _differing(a: Run, b: Run) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys([*a.options, *b.options]):
        old, new = a.options.get(name), b.options.get(name)
        if old != new:
            yield name, str(old), str(new)
