"""How an exam went over time: lines of numbers, and what changed between runs with what it brought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from vivavoce.errors import UsageError, nearest
from vivavoce.jobs.exams.registry import exam_kinds, find_kind
from vivavoce.kept import Kept
from vivavoce.messages import Message, join, say
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.repositories.edits import EditSize
from vivavoce.store.repositories.results import MeasurePoint
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.comparing import difference_of, judge_difference
from vivavoce.workspace.exams.naming import describe_edits, nouns_of
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.exams.verdicts import NO_RATE, QuestionVerdict, Verdict, main_scope, verdict_between

# The numbers that tell most, together on one chart.
OVERVIEW = "overview"
MEASURES: Mapping[str, tuple[str, ...]] = {
    "intents": (
        "accuracy",
        "precision_answered",
        "automation_rate",
        "negative_rejection",
        "f1_macro",
        "f1_weighted",
    ),
    "conversations": (
        "accuracy",
        "conversations_passed",
        "precision",
        "recall",
        "f1",
        "fallback_rate",
        "comprehension_rate",
        "wrong_answer_rate",
    ),
    "dialogues": ("score",),
}
TOGETHER: Mapping[str, tuple[str, ...]] = {"intents": ("accuracy", "precision_answered")}
_CHANGED_OPTIONS: Mapping[str, Message] = {
    "classifier": say("classifier {new} instead of {old}"),
    "threshold": say("threshold {new} instead of {old}"),
    "out_of_scope_share": say("out-of-scope share {new} instead of {old}"),
    "rater": say("rater {new} instead of {old}"),
}
MAX_RUNS = 2_000
# More lines or marks could not be told apart.
MAX_LINES = 6
MAX_STEPS = 9


@dataclass(frozen=True, slots=True)
class Line:
    """One number over time, oldest first: `name` in one setting, or of one bot (`scope`)."""

    scope: str
    name: str
    points: tuple[MeasurePoint, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change brought: later minus earlier, and whether that is more than chance would make.

    `questions`: where the verdict comes from the questions that both runs share. `scope`: whose number it is.
    """

    scope: str
    difference: Rate
    verdict: Verdict
    questions: QuestionVerdict | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What changed between two runs, and what that brought; `at`: the last change of it."""

    a: Run
    b: Run
    at: datetime
    text: Message
    edits: tuple[str, ...]
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """The runs of an exam in a stretch of time, oldest first, and what changed between them.

    `about`: which runs of the exam these are (a suite, a batch of dialogues; empty: all), of those in `choices`.
    `effects`: the last run against the first. `open`: what changed since the last run of all, not measured yet.
    """

    exam: str
    measure: str
    about: str
    choices: Mapping[str, str]
    lines: tuple[Line, ...]
    runs: tuple[Run, ...]
    steps: tuple[Step, ...]
    effects: tuple[Effect, ...]
    open: Message | None


def followed_exams(store: Store, project: Project) -> tuple[str, ...]:
    """Return the exams of which a project has results over time, in their order."""
    with store.reading() as tx:
        done = {kind for kind, state, _ in tx.runs.counts(project.id) if state is RunState.DONE}
    return tuple(kind.name for kind in exam_kinds() if kind.name in done and kind.watched)


def measures_of(exam: str) -> tuple[str, ...]:
    """Return the numbers of an exam that can be followed."""
    return MEASURES.get(exam) or find_kind(exam).watched


def show_course(
    store: Store,
    project: Project,
    exam: str,
    *,
    measure: str = "",
    about: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> Course:
    """Return how an exam went; no measure: those that tell most together."""
    known = (*([OVERVIEW] if exam in TOGETHER else []), *measures_of(exam))
    measure = measure or known[0]
    if measure not in known:
        raise UsageError(
            say("'{measure}' is not tracked over time.{nearest}", measure=measure, nearest=nearest(measure, known)),
            remedy=", ".join(known),
        )
    with store.reading() as tx:
        state = (*tx.runs.state(project.id, exam), *tx.edits.state(project.id))
        key = (project.id, exam, *state, measure, about, since, until)
        return _COURSES.get(key, lambda: _build(tx, project, exam, measure, about, since, until))


_COURSES: Kept[Course] = Kept(32)


def _build(  # noqa: PLR0917 - what was asked for, as it is kept
    tx: Transaction,
    project: Project,
    exam: str,
    measure: str,
    about: str,
    since: datetime | None,
    until: datetime | None,
) -> Course:
    done = tx.runs.page(project.id, exam, states=(RunState.DONE,), limit=MAX_RUNS)[::-1]
    # The runs that can be followed together, by what they are about; the group of the newest comes last.
    groups: dict[str, list[Run]] = {}
    for run in done:
        key = _group_key(exam, run)
        groups[key] = [*groups.pop(key, []), run]
    # Without a choice, those of the newest run.
    chosen = about if about in groups else next(reversed(groups), "")
    held = groups.get(chosen, [])
    runs = [run for run in held if is_within(run.created, since, until)]
    names = TOGETHER[exam] if measure == OVERVIEW else (measure,)
    lines = _draw_lines(tx, project, exam, names, runs) if runs else ()
    # The run before the stretch of time is only compared with.
    before = [run for run in held if since is not None and run.created < since][-1:]
    sizes = tx.edits.sizes(project.id, nouns_of(exam), held[0].created) if held and nouns_of(exam) else ()
    steps = merge_steps(list(_find_steps([*before, *runs], sizes)))
    later = [size for size in sizes if held and size.at > held[-1].created]
    return Course(
        exam=exam,
        measure=measure,
        about=chosen,
        choices={key: _name_group(tx, key, own[-1]) for key, own in groups.items()},
        lines=lines,
        runs=tuple(runs),
        steps=tuple(
            Step(a, b, at, text, edits, _effects(tx, exam, a, b, names[0], lines)) for a, b, at, text, edits in steps
        ),
        effects=_effects(tx, exam, runs[0], runs[-1], names[0], lines) if len(runs) > 1 else (),
        open=describe_edits(later) if later and (until is None or held[-1] in runs) else None,
    )


# --- which runs ---------------------------------------------------------------------------------------------------


def _group_key(exam: str, run: Run) -> str:
    kind = find_kind(exam)
    # The settings of an intents exam are lines of their own.
    if kind.questions:
        return ""
    parts = [run.suite_id, *(run.options.get(name) for name in kind.alike)]
    return "+".join("+".join(part) if isinstance(part, list | tuple) else str(part) for part in parts if part)


def _name_group(tx: Transaction, key: str, newest: Run) -> str:
    suites = [suite for part in key.split("+") if (suite := tx.suites.get(part)) is not None]
    return ", ".join(suite.title or suite.name for suite in suites) or str(newest.options.get("source") or key)


def _draw_lines(
    tx: Transaction, project: Project, exam: str, names: Sequence[str], runs: Sequence[Run]
) -> tuple[Line, ...]:
    ids = {run.id for run in runs}
    lines = []
    for name in names:
        points = [
            point
            for point in tx.measures.series(project.id, exam, name=name, since=runs[0].created)
            if point.run_id in ids and point.value is not None
        ]
        scopes = list(dict.fromkeys(point.scope for point in points if point.run_id == runs[-1].id))
        if len(names) > 1:
            scopes = [scope for scope in scopes if scope == main_scope(runs[-1])]
        lines += [Line(s, name, tuple(point for point in points if point.scope == s)) for s in scopes[:MAX_LINES]]
    return tuple(lines[:MAX_LINES])


# --- what changed -------------------------------------------------------------------------------------------------


# Runs before and after, when, what, and the ids of the edits.
Found = tuple[Run, Run, datetime, list[Message], list[EditSize]]


def _find_steps(runs: Sequence[Run], sizes: Sequence[EditSize]) -> Iterator[Found]:
    """Yield each pair of runs between which something changed."""
    for a, b in pairwise(runs):
        edits = [size for size in sizes if a.created < size.at <= b.created]
        options = list(changed_options(a, b))
        if options or describe_edits(edits):
            yield a, b, edits[-1].at if edits else b.created, options, edits


def merge_steps(
    found: Sequence[Found], most: int = MAX_STEPS
) -> Iterator[tuple[Run, Run, datetime, Message, tuple[str, ...]]]:
    """Yield what changed in words; where there are too many steps, those nearest in time become one."""
    groups = [[step] for step in found]
    while len(groups) > most:
        gaps = [later[-1][2] - earlier[-1][2] for earlier, later in pairwise(groups)]
        near = gaps.index(min(gaps))
        groups[near : near + 2] = [groups[near] + groups[near + 1]]
    for own in groups:
        edits = [edit for _, _, _, _, some in own for edit in some]
        options = [text for _, _, _, some, _ in own for text in some]
        texts = [*filter(None, [describe_edits(edits)]), *options]
        if texts:
            ids = tuple(dict.fromkeys(edit.edit_id for edit in edits))
            yield own[0][0], own[-1][1], own[-1][2], join(", ", texts), ids


def changed_options(before: Run, after: Run) -> Iterator[Message]:
    """Yield what a run used otherwise than another one."""
    for name, text in _CHANGED_OPTIONS.items():
        old, new = before.options.get(name), after.options.get(name)
        if old != new:
            yield Message(text.template, {"new": _write(new), "old": _write(old)})


def _write(value: Any) -> str:
    if value is None:
        return say("none")
    # As a message, a number is written with the signs of the reader's language.
    return Message("{value:g}", {"value": value}) if isinstance(value, float) else str(value)


def _effects(  # noqa: PLR0917
    tx: Transaction, exam: str, a: Run, b: Run, name: str, lines: Sequence[Line]
) -> tuple[Effect, ...]:
    """Return what became of the numbers from one run to another: of shared questions, else of each line."""
    if find_kind(exam).questions:
        verdict = verdict_between(tx, a, b)
        return (Effect("", verdict.difference, verdict.verdict, verdict),)
    measure, effects = project_exam(exam).measure(name), []
    old, new = tx.measures.rates(a.id), tx.measures.rates(b.id)
    for line in lines:
        key = (line.scope, name)
        if key in old and key in new:
            gap = difference_of(old[key], new[key])
            effects.append(Effect(line.scope, gap, judge_difference(measure, gap)))
    return tuple(effects) or (Effect("", NO_RATE, "unknown"),)


def is_within(moment: datetime, since: datetime | None, until: datetime | None) -> bool:
    """Tell whether a moment lies in a stretch of time."""
    return (since is None or moment >= since) and (until is None or moment <= until)
