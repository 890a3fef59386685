"""The questions of an intents exam as people work on them: narrowed down, followed to their examples, corrected.

A question is an example as it was when the exam was held. What the exam found never changes; the example may have
been moved, edited or deleted since, and then it is no longer what the question was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vivavoce.errors import StaleError, UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say, say_count
from vivavoce.store.database import Store
from vivavoce.store.repositories.results import GOOD
from vivavoce.store.rows import Edit, ExampleRow, OutcomeRow, Project, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.exams.verdicts import read_sheet
from vivavoce.workspace.topics import examples

Status = Literal["same", "moved", "edited", "deleted", "unknown"]
# A mistake of the exam whose label somebody confirmed: it is no longer offered as one to fix.
CONFIRMED = "confirmed"
WRONG = ("wrong_intent", "overreach")
OUT_OF_SCOPE = ("overreach", "declined", "declined_no_guess")


@dataclass(frozen=True, slots=True)
class Question:
    """An example that an exam tested, and what came of it; `example_id` is None in runs that kept no ids."""

    row: OutcomeRow
    example_id: str | None

    @property
    def origin(self) -> str | None:
        """Return where it belonged in this exam: None where it was out of scope."""
        return None if self.row.outcome in OUT_OF_SCOPE else self.row.intent


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A question, and what has become of its example. `topic` is its topic now, None: out of scope."""

    question: Question
    status: Status
    topic: str | None
    topic_id: str | None
    confirmed: bool

    @property
    def row(self) -> OutcomeRow:
        """What came of it."""
        return self.question.row

    @property
    def can_change(self) -> bool:
        """Whether the example is still what the exam tested."""
        return self.status == "same"

    @property
    def is_done(self) -> bool:
        """Whether somebody dealt with the example since: its label was confirmed, or it is no longer what it was."""
        return self.confirmed or self.status in ("moved", "edited", "deleted")


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """Which questions are wanted; an empty text: all. `outcome` may be `confirmed`. `places`: only these."""

    outcome: str = ""
    intent: str = ""
    guess: str = ""
    search: str = ""
    places: Collection[int] | None = None


@dataclass(frozen=True, slots=True)
class QuestionList:
    """Some questions, mistakes first. The counts say how many fit all choices but the one they are about."""

    lines: tuple[QuestionLine, ...]
    total: int
    asked: int
    outcomes: Mapping[str, int]
    intents: Mapping[str, int]
    guesses: Mapping[str, int]


_QUESTIONS: Kept[tuple[Question, ...]] = Kept(6)
_CONFIRMED: Kept[dict[str, ExampleRow]] = Kept(16)
EVERY = QuestionFilter()


def read_questions(tx: Transaction, run: Run) -> tuple[Question, ...]:
    """Return every question of a finished run, in the order of the data."""

    def read() -> tuple[Question, ...]:
        pairs = zip(tx.outcomes.of_run(run.id), read_sheet(tx, run).asked, strict=True)
        return tuple(Question(row, asked.example_id) for row, asked in pairs)

    return _QUESTIONS.get((run.id, run.version), read)


def all_questions(store: Store, run: Run) -> tuple[Question, ...]:
    """Return every question of a finished run, in the order of the data."""
    with store.reading() as tx:
        return read_questions(tx, run)


def find_questions(
    store: Store, project: Project, run: Run, chosen: QuestionFilter = EVERY, *, limit: int = 50, offset: int = 0
) -> QuestionList:
    """Return some questions of a run with what their examples are now, mistakes first, and what can be chosen."""
    with store.reading() as tx:
        questions = read_questions(tx, run)
        confirmed = _get_confirmed(tx, project)
        kinds = {one.row.place: _kind_of(one, confirmed) for one in questions}
        fitting = {name: _fits(questions, kinds, chosen, name) for name in ("", "outcome", "intent", "guess")}
        ordered = sorted(fitting[""], key=lambda one: _rank(one.row, kinds[one.row.place]))
        lines = _follow(tx, project, run, ordered[offset : offset + limit], confirmed)
    outcomes = Counter(kinds[one.row.place] for one in fitting["outcome"])
    intents = Counter(one.row.intent for one in fitting["intent"] if one.row.intent)
    guesses = Counter(one.row.guess for one in fitting["guess"] if one.row.guess)
    return QuestionList(lines, len(ordered), len(questions), outcomes, intents, guesses)


def find_cell(store: Store, project: Project, run: Run, origin: str, guess: str) -> tuple[QuestionLine, ...]:
    """Return the questions of a topic (empty: out of scope) that were taken for another one, wrong answers first.

    Those that were declined with the same guess follow them. Of a topic and itself: the questions it got right.
    """
    with store.reading() as tx:
        confirmed = _get_confirmed(tx, project)
        own = [
            one
            for one in read_questions(tx, run)
            if (one.origin or "") == origin and one.row.guess == guess and (origin or one.row.outcome == "overreach")
        ]
        own.sort(key=lambda one: _rank(one.row, _kind_of(one, confirmed)))
        return _follow(tx, project, run, own, confirmed)


def follow_topic(tx: Transaction, project: Project, run: Run, topic: str) -> tuple[QuestionLine, ...]:
    """Return the questions of a topic with what their examples are now, mistakes first."""
    confirmed = _get_confirmed(tx, project)
    own = [question for question in read_questions(tx, run) if question.origin == topic]
    own.sort(key=lambda question: _rank(question.row, _kind_of(question, confirmed)))
    return _follow(tx, project, run, own, confirmed)


def follow_places(store: Store, project: Project, run: Run, places: Collection[int]) -> tuple[QuestionLine, ...]:
    """Return the questions at these places with what their examples are now."""
    with store.reading() as tx:
        chosen = [one for one in read_questions(tx, run) if one.row.place in places]
        return _follow(tx, project, run, chosen, _get_confirmed(tx, project))


def move_questions(
    store: Store, actor: Actor, project: Project, run: Run, places: Sequence[int], *, topic_id: str | None
) -> Edit:
    """Give the examples of questions to another topic (None: out of scope)."""
    ids, why = _changeable(store, project, run, places)
    return examples.move_examples(store, actor, project, ids, topic_id=topic_id, why=why)


def delete_questions(store: Store, actor: Actor, project: Project, run: Run, places: Sequence[int]) -> Edit:
    """Delete the examples of questions."""
    ids, why = _changeable(store, project, run, places)
    return examples.delete_examples(store, actor, project, ids, why=why)


def confirm_questions(store: Store, actor: Actor, project: Project, run: Run, places: Sequence[int]) -> Edit:
    """Say that the examples of questions are filed correctly, whatever the exam made of them."""
    ids, why = _changeable(store, project, run, places)
    return examples.confirm_labels(store, actor, project, ids, why=why)


def _changeable(store: Store, project: Project, run: Run, places: Sequence[int]) -> tuple[tuple[str, ...], str]:
    """Return the examples of questions, and why they change; refuse where one is no longer what the exam tested."""
    lines = follow_changeable(store, project, run, places)
    return tuple(line.question.example_id or "" for line in lines), seen_in(run)


def seen_in(run: Run) -> str:
    """Say why examples of a run's questions change."""
    return say("seen in run {number}", number=run.number)


def follow_changeable(store: Store, project: Project, run: Run, places: Sequence[int]) -> tuple[QuestionLine, ...]:
    """Return the questions at these places; refuse where one's example is no longer what the exam tested."""
    wanted = set(places)
    with store.reading() as tx:
        chosen = [one for one in read_questions(tx, run) if one.row.place in wanted]
        lines = _follow(tx, project, run, chosen, {})
    if not lines:
        raise UsageError(say("no question selected"), remedy=say("tick at least one"))
    if changed := sum(not line.can_change for line in lines):
        raise StaleError(
            say(
                "{questions} changed since this exam",
                questions=say_count(changed, "{n} selected question", "{n} selected questions"),
            ),
            remedy=say("check the list again, then tick what is left"),
        )
    return lines


def _get_confirmed(tx: Transaction, project: Project) -> dict[str, ExampleRow]:
    """Return the examples whose label was confirmed, as long as they are as they were then, by id."""
    return _CONFIRMED.get((project.id, tx.edits.state(project.id)), lambda: _find_confirmed(tx, project))


def _find_confirmed(tx: Transaction, project: Project) -> dict[str, ExampleRow]:
    seen = tx.edits.last_values(project.id, examples.CONFIRMING, "examples")
    return {
        row.id: row
        for row in tx.examples.some(list(seen))
        if (row.text, row.topic_id) == (seen[row.id]["text"], seen[row.id]["topic_id"])
    }


def _kind_of(question: Question, confirmed: Mapping[str, ExampleRow]) -> str:
    row, kept = question.row, confirmed.get(question.example_id or "")
    return CONFIRMED if kept and kept.text == row.text and row.outcome not in GOOD else row.outcome


def _rank(row: OutcomeRow, kind: str) -> tuple[int, float, int]:
    """Order wrong answers first, the surest of them on top; then what was declined; what needs no work comes last."""
    place = 0 if kind in WRONG else 2 if kind == CONFIRMED else 3 if kind in GOOD else 1
    return place, -row.confidence, row.place


def _fits(
    questions: Sequence[Question], kinds: Mapping[int, str], chosen: QuestionFilter, apart: str
) -> list[Question]:
    """Return the questions that fit all choices but one."""
    outcome, intent, guess = (
        "" if apart == name else getattr(chosen, name) for name in ("outcome", "intent", "guess")
    )
    words = chosen.search.casefold().split()
    return [
        one
        for one in questions
        if (chosen.places is None or one.row.place in chosen.places)
        and (not outcome or kinds[one.row.place] == outcome)
        and (not intent or one.row.intent == intent)
        and (not guess or one.row.guess == guess)
        and (not words or all(word in one.row.text.casefold() for word in words))
    ]


def _follow(
    tx: Transaction, project: Project, run: Run, questions: Sequence[Question], confirmed: Mapping[str, ExampleRow]
) -> tuple[QuestionLine, ...]:
    """Return questions with what their examples are now."""
    rows = {row.id: row for row in tx.examples.some([one.example_id for one in questions if one.example_id])}
    names = tx.topics.names(project.id)
    # A topic that was renamed since is the same topic: its examples did not move.
    before = {own: old or names.get(own) for own, old in tx.edits.topics_since(project.id, run.created).items()}
    lines = []
    for one in questions:
        row = rows.get(one.example_id or "")
        topic_id = row.topic_id if row else None
        then = before.get(topic_id, names.get(topic_id)) if topic_id else None
        status: Status = "same"
        if row is None:
            status = "deleted" if one.example_id else "unknown"
        elif then != one.row.intent:
            status = "moved"
        elif row.text != one.row.text:
            status = "edited"
        is_confirmed = _kind_of(one, confirmed) == CONFIRMED
        lines.append(QuestionLine(one, status, names.get(topic_id or ""), topic_id, is_confirmed))
    return tuple(lines)
