"""Logged talks of a project: one of them, the batches in which they came, and their exam."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import AbsentError, Fault, UsageError, nearest
from vivavoce.jobs.exams.protocol import Options
from vivavoce.messages import say, say_count
from vivavoce.options import check_options
from vivavoce.records import Rate
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import ALL_DIALOGUES, DialogueFilter, NewestScore
from vivavoce.store.repositories.repository import pieces
from vivavoce.store.rows import DialogueRow, Project, RatingRow, Role, Run, ScoreRow
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.access.engine_rules import SHIPPED_RATER, check_rater
from vivavoce.workspace.exams.project_exams import Problem, ProjectExam
from vivavoce.workspace.exams.runs import begin_run

KIND = "dialogues"
MAX_BATCH = 200
SHOWN = 140
# A first message of no more words is a greeting, and tells dialogues badly apart.
GREETING = 2
# A dialogue that scores less is one that a person would call a bad one.
BAD_SCORE = 2.5


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


class TalkPage(NamedTuple):
    """Some dialogues, and how many there are in all."""

    lines: tuple[TalkLine, ...]
    total: int


def find_talk(store: Store, project: Project, dialogue_id: str) -> Talk:
    """Return a talk of the project."""
    with store.reading() as tx:
        row = get_talk(tx, project, dialogue_id)
        ratings = tx.ratings.of_dialogue(row.id)
        people = {rating.user_id: tx.users.get(rating.user_id) for rating in ratings if rating.user_id}
        names = {user_id: user.name or user.login for user_id, user in people.items() if user}
        return Talk(row, newest_score(tx, row.id), ratings, names)


def get_talk(tx: Transaction, project: Project, dialogue_id: str) -> DialogueRow:
    """Return the row of a talk; AbsentError where the project has none of this id."""
    row = tx.dialogues.get(clean_text(dialogue_id))
    if row is None or row.project_id != project.id:
        raise AbsentError(say("dialogue not found"), remedy=say("it may have been deleted: choose one from the list"))
    return row


def newest_score(tx: Transaction, dialogue_id: str) -> TalkScore | None:
    """Return what a talk scored in the newest run that looked at it."""
    scores = tx.scores.of_dialogue(dialogue_id)
    run = tx.runs.get(scores[0].run_id) if scores else None
    return TalkScore(run.number, scores[0]) if run else None


def list_talks(
    store: Store,
    project: Project,
    chosen: DialogueFilter = ALL_DIALOGUES,
    *,
    sort: str = "score",
    limit: int = 50,
    offset: int = 0,
) -> TalkPage:
    """Return some dialogues with their newest scores; those without a score come last."""
    clean_text(chosen.search or "")
    with store.reading() as tx:
        scores = tx.dialogues.page(project.id, chosen, sort=sort, limit=limit, offset=offset)
        # In pieces: an export asks for all of them.
        lines = tuple(line for piece in pieces(scores) for line in _make_lines(tx, piece))
        return TalkPage(lines, tx.dialogues.count(project.id, chosen))


def some_talks(store: Store, project: Project, ids: Sequence[str]) -> tuple[TalkLine, ...]:
    """Return the talks with these ids, in this order."""
    lines: dict[str, TalkLine] = {}
    with store.reading() as tx:
        for piece in pieces(ids):
            scores = tx.dialogues.page(project.id, DialogueFilter(ids=tuple(piece)))
            lines |= {line.id: line for line in _make_lines(tx, scores)}
    return tuple(lines[each] for each in ids if each in lines)


def first_words(turns: Sequence[Mapping[str, Any]]) -> str:
    """Return how a talk begins: the first words of the visitor, or of whoever spoke."""
    by_person = (turn for turn in turns if turn.get("is_bot") is not True and str(turn.get("text", "")).strip())
    first = next(by_person, turns[0] if turns else {})
    text = " ".join(str(first.get("text", "")).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def title_of(turns: Sequence[Mapping[str, Any]]) -> str:
    """Return what a dialogue is called: its first words, and the next ones too where these are a mere greeting."""
    plain = (" ".join(str(turn.get("text", "")).split()) for turn in turns if turn.get("is_bot") is not True)
    texts = [text for text in plain if text]
    if len(texts) < 2 or len(texts[0].split()) > GREETING:
        return first_words(turns)
    both = f"{texts[0]} … {texts[1]}"
    return both if len(both) <= SHOWN else f"{both[:SHOWN]}…"


def talk_ids(store: Store, project: Project, names: Sequence[str]) -> dict[str, str]:
    """Return the ids of the talks of these names; a talk that is gone is left out."""
    with store.reading() as tx:
        return {row.name: row.id for row in tx.dialogues.named(project.id, names)}


def list_batches(store: Store, project: Project) -> dict[str, int]:
    """Return how many talks came in each batch, the newest batch first."""
    with store.reading() as tx:
        return tx.dialogues.batches(project.id)


def list_bots(store: Store, project: Project) -> dict[str, int]:
    """Return how many talks each named bot had."""
    with store.reading() as tx:
        return tx.dialogues.bots(project.id)


def _make_lines(tx: Transaction, scores: Sequence[NewestScore]) -> Iterator[TalkLine]:
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


def delete_batch(store: Store, actor: Actor, project: Project, batch: str) -> int:
    """Forget all talks of a batch with their scores and marks, for good; returns how many there were."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        ids = [row.id for row in _of_batch(tx, project, batch)]
        gone = tx.dialogues.delete(project.id, ids)
        detail = say("{talks} in batch {batch}", talks=say_count(gone, "{n} dialogue", "{n} dialogues"), batch=batch)
        note(tx, actor, "delete", "dialogues", batch[:32], project_id=project.id, detail=detail)
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
    material = exam_material(store, project, batch)
    source = batch if batch is not None else project.name
    options: Options = {"rater": rater, "seed": seed, "source": source}
    about = say("all dialogues") if batch is None else say("dialogues from {source}", source=source)
    title = title or about
    return begin_run(store, actor, project, KIND, title, options, material)


class DialoguesInProject(ProjectExam):
    """Scores for the logged dialogues of a project."""

    def start(
        self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any], *, title: str = ""
    ) -> Run:
        """Score a batch, or all dialogues."""
        return begin_scoring(store, actor, project, title=title, **check_options(KIND, chosen, self.kind.chosen))

    def daily_faults(self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any]) -> list[Fault]:
        """Return that there is no such batch."""
        known, batch = list(list_batches(store, project)), chosen.get("batch")
        if batch is None or batch in known:
            return super().daily_faults(store, actor, project, chosen)
        message = say("unknown batch '{batch}'.{nearest}", batch=batch, nearest=nearest(str(batch), known))
        return [Fault(message, "batch")]

    def offers(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the batches."""
        return {batch: batch for batch in list_batches(store, project)}

    def problems(self, store: Store, project: Project, run: Run, most: int | None = None) -> list[Problem]:
        """Return the dialogues with the worst scores, as far as a person would call them bad."""
        with store.reading() as tx:
            rows = tx.dialogues.worst(run.id, BAD_SCORE, most)
        return [
            Problem(
                KIND,
                "talk",
                say("Dialogue {name} scores {score:.1f} of 5.", name=row.name, score=row.score),
                run.number,
                size=Rate(row.score, row.low, row.high, 1),
                bot=row.bot or "",
                talk=row.dialogue_id,
            )
            for row in rows
        ]

    def steps(self, tx: Transaction, project: Project, *, examined: bool) -> Iterator[str]:
        """Yield that dialogues are missing, or that they were never scored."""
        if not tx.dialogues.count(project.id):
            yield "talks"
        elif not examined:
            yield KIND

    def scopes(self, run: Run, scopes: Sequence[str]) -> Sequence[str]:
        """Return that of all dialogues."""
        return [""]


def exam_material(store: Store, project: Project, batch: str | None = None) -> bytes:
    """Return the dialogues of a batch, or all of them, as a run keeps them; refuse to score none."""
    from vivavoce.jobs.exams.dialogues import dialogues_to_bytes

    with store.reading() as tx:
        rows = tx.dialogues.of_project(project.id) if batch is None else _of_batch(tx, project, batch)
        ratings: dict[str, list[RatingRow]] = defaultdict(list)
        for rating in tx.ratings.of_project(project.id):
            ratings[rating.dialogue_id].append(rating)
    if not rows:
        raise UsageError(say("no dialogues to score"), remedy=say("import some first"))
    return dialogues_to_bytes(to_dialogue(row, ratings.get(row.id, ())) for row in rows)


def to_dialogue(row: DialogueRow, ratings: Iterable[RatingRow] = ()) -> Dialogue:
    """Return a stored dialogue as the exam reads it, under the name that people know."""

    def read_flag(turn: Mapping[str, object], name: str) -> bool | None:
        value = turn.get(name)
        return value if isinstance(value, bool) else None

    return Dialogue(
        id=row.name,
        turns=tuple(
            Utterance(
                str(turn.get("speaker", "")),
                str(turn.get("text", "")),
                read_flag(turn, "is_bot"),
                read_flag(turn, "thumb"),
            )
            for turn in row.turns
        ),
        ratings=tuple(Rating(r.rater, r.quality) for r in ratings if r.turn == 0 and r.quality is not None),
        source=row.source,
        bot=row.bot,
        user=row.person,
        passed=row.passed,
        began=began_at(row.turns),
    )


def began_at(turns: Sequence[Mapping[str, Any]]) -> datetime | None:
    """Return when a stored dialogue was held, where its log said so."""
    time = turns[0].get("time") if turns else None
    return datetime.fromisoformat(time) if isinstance(time, str) else None


def _of_batch(tx: Transaction, project: Project, batch: str) -> tuple[DialogueRow, ...]:
    rows = tx.dialogues.of_project(project.id, DialogueFilter(batch=clean_text(batch)))
    if not rows:
        known = tuple(tx.dialogues.batches(project.id))
        raise AbsentError(
            say("unknown batch '{batch}'.{nearest}", batch=batch, nearest=nearest(batch, known)),
            remedy=say("choose one from the list"),
        )
    return rows
