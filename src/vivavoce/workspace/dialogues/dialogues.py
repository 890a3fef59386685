"""Logged talks of a project: one of them, the batches in which they came, and their exam."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import AbsentError, UsageError, nearest, plural
from vivavoce.jobs.exams.protocol import Options
from vivavoce.sentences import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import ALL_DIALOGUES, DialogueFilter, NewestScore
from vivavoce.store.repositories.repository import pieces
from vivavoce.store.rows import DialogueRow, Project, RatingRow, Role, Run, ScoreRow
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.exams.allowed import SHIPPED_RATER, check_rater
from vivavoce.workspace.exams.runs import begin_run

KIND = "dialogues"
MOST_BATCH = 200
MOST_SEED = 2**31 - 1
SHOWN = 140


@dataclass(frozen=True, slots=True)
class TalkScore:
    """What a talk scored in the newest run that looked at it, and the number of that run."""

    run: int
    row: ScoreRow


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk with its newest score, and what people think of it. `names`: of the people who rated, by their ids."""

    row: DialogueRow
    score: TalkScore | None
    ratings: tuple[RatingRow, ...]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TalkCounts:
    """How many talks there are, how many have a score, and how many a mark from 1 to 5."""

    talks: int
    scored: int
    marked: int


@dataclass(frozen=True, slots=True)
class TalkLine:
    """One talk in a list. `begins`: what the visitor said first. `mark`: the mean of `marks` marks."""

    id: str
    name: str
    batch: str
    bot: str | None
    messages: int
    begins: str
    passed: bool | None
    created: datetime
    run: int | None
    score: float | None
    low: float | None
    high: float | None
    refusal: str
    mark: float | None
    marks: int


@dataclass(frozen=True, slots=True)
class TalkPage:
    """Some talks, and how many there are in all."""

    lines: tuple[TalkLine, ...]
    total: int


# --- looking -----------------------------------------------------------------------------------------------------


def find_talk(store: Store, project: Project, dialogue_id: str) -> Talk:
    """Return a talk of the project."""
    with store.reading() as tx:
        row = get_talk(tx, project, dialogue_id)
        given = tx.ratings.of_dialogue(row.id)
        return Talk(row, newest_score(tx, row.id), given, _names(tx, given))


def get_talk(tx: Transaction, project: Project, dialogue_id: str) -> DialogueRow:
    """Return the row of a talk; AbsentError where the project has none of this id."""
    found = tx.dialogues.get(clean_text(dialogue_id))
    if found is None or found.project_id != project.id:
        raise AbsentError("there is no such talk", remedy="choose one from the list: it may have been deleted")
    return found


def newest_score(tx: Transaction, dialogue_id: str) -> TalkScore | None:
    """Return what a talk scored in the newest run that looked at it."""
    found = tx.scores.of_dialogue(dialogue_id)
    run = tx.runs.get(found[0].run_id) if found else None
    return TalkScore(run.number, found[0]) if run else None


def list_talks(
    store: Store,
    project: Project,
    chosen: DialogueFilter = ALL_DIALOGUES,
    *,
    sort: str = "score",
    limit: int = 50,
    offset: int = 0,
) -> TalkPage:
    """Return some talks with their newest scores; those without a score come last."""
    clean_text(chosen.search or "")
    with store.reading() as tx:
        scores = tx.dialogues.page(project.id, chosen, sort=sort, limit=limit, offset=offset)
        # In pieces: an export asks for all of them.
        lines = tuple(line for piece in pieces(scores) for line in _lines(tx, piece))
        return TalkPage(lines, tx.dialogues.count(project.id, chosen))


def first_words(turns: Sequence[Mapping[str, Any]]) -> str:
    """Return how a talk begins: the first words of the visitor, or of whoever spoke."""
    by_person = (turn for turn in turns if turn.get("is_bot") is not True and str(turn.get("text", "")).strip())
    first = next(by_person, turns[0] if turns else {})
    text = " ".join(str(first.get("text", "")).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def talk_ids(store: Store, project: Project, names: Sequence[str]) -> dict[str, str]:
    """Return the ids of the talks of these names; a talk that is gone is left out."""
    with store.reading() as tx:
        return {row.name: row.id for row in tx.dialogues.named(project.id, names)}


def count_talks(store: Store, project: Project) -> TalkCounts:
    """Return how many talks there are, and what is known of them."""
    with store.reading() as tx:
        rated = tx.dialogues.count(project.id, DialogueFilter(rated=True))
        return TalkCounts(tx.dialogues.count(project.id), tx.dialogues.count_scored(project.id), rated)


def list_batches(store: Store, project: Project) -> dict[str, int]:
    """Return how many talks came in each batch, the newest batch first."""
    with store.reading() as tx:
        return tx.dialogues.batches(project.id)


def list_bots(store: Store, project: Project) -> dict[str, int]:
    """Return how many talks each named bot had."""
    with store.reading() as tx:
        return tx.dialogues.bots(project.id)


def _lines(tx: Transaction, scores: Sequence[NewestScore]) -> Iterator[TalkLine]:
    ids = [score.dialogue_id for score in scores]
    rows, means = tx.dialogues.some(ids), tx.ratings.means(ids)
    for score in scores:
        row, (mark, marks) = rows[score.dialogue_id], means.get(score.dialogue_id, (None, 0))
        yield TalkLine(
            id=row.id,
            name=row.name,
            batch=row.batch,
            bot=row.bot,
            messages=len(row.turns),
            begins=first_words(row.turns),
            passed=row.passed,
            created=row.created,
            run=score.run,
            score=score.score,
            low=score.low,
            high=score.high,
            refusal=score.refusal or "",
            mark=mark,
            marks=marks,
        )


def _names(tx: Transaction, given: Iterable[RatingRow]) -> dict[str, str]:
    people = {one.user_id: tx.users.get(one.user_id) for one in given if one.user_id}
    return {user_id: user.name or user.login for user_id, user in people.items() if user}


# --- doing -------------------------------------------------------------------------------------------------------


def delete_batch(store: Store, actor: Actor, project: Project, batch: str) -> int:
    """Forget all talks of a batch with their scores and marks, for good; returns how many there were."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        ids = [row.id for row in _of_batch(tx, project, batch)]
        gone = tx.dialogues.delete(project.id, ids)
        said = say(f"{plural(gone, 'talk')} of the batch {batch!s}")
        note(tx, actor, "delete", "dialogues", batch[:32], project_id=project.id, detail=said)
    return gone


def begin_scoring(
    store: Store,
    actor: Actor,
    project: Project,
    *,
    batch: str | None = None,
    rater: str = SHIPPED_RATER,
    title: str = "",
    seed: int = 0,
) -> Run:
    """Start the exam over a batch, or over all talks."""
    actor.require(Role.EDITOR)
    check_rater(actor, rater)
    with store.reading() as tx:
        rows = tx.dialogues.of_project(project.id) if batch is None else _of_batch(tx, project, batch)
        found: dict[str, list[RatingRow]] = defaultdict(list)
        for rating in tx.ratings.of_project(project.id):
            found[rating.dialogue_id].append(rating)
        marks = found
    if not rows:
        raise UsageError("there are no talks to score", remedy="bring some in first")
    from vivavoce.jobs.exams.dialogues import dialogues_to_bytes

    material = dialogues_to_bytes(to_dialogue(row, marks.get(row.id, ())) for row in rows)
    source = batch if batch is not None else project.name
    options: Options = {"rater": rater, "seed": seed, "source": source}
    said = title or say(f"Talks of {source!s}")[:200]
    return begin_run(store, actor, project, KIND, said, options, material)


def to_dialogue(row: DialogueRow, given: Iterable[RatingRow] = ()) -> Dialogue:
    """Return a stored talk as the exam reads it; it goes by its name, which people know."""
    return Dialogue(
        id=row.name,
        turns=tuple(to_utterance(turn) for turn in row.turns),
        ratings=tuple(Rating(one.rater, one.quality) for one in given if one.turn == 0 and one.quality is not None),
        source=row.source,
        bot=row.bot,
        user=row.person,
        passed=row.passed,
    )


def to_utterance(turn: Mapping[str, object]) -> Utterance:
    """Return one stored message."""
    is_bot, thumb = (turn.get(name) for name in ("is_bot", "thumb"))
    return Utterance(
        str(turn.get("speaker", "")),
        str(turn.get("text", "")),
        is_bot if isinstance(is_bot, bool) else None,
        thumb if isinstance(thumb, bool) else None,
    )


def _of_batch(tx: Transaction, project: Project, batch: str) -> tuple[DialogueRow, ...]:
    rows = tx.dialogues.of_project(project.id, DialogueFilter(batch=clean_text(batch)))
    if not rows:
        known = tuple(tx.dialogues.batches(project.id))
        raise AbsentError(f"there is no batch '{batch}'.{nearest(batch, known)}", remedy="choose one from the list")
    return rows
