"""What people think of talks: marks from 1 to 5, and yes, no or can't tell for single answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from vivavoce.errors import AbsentError, Fault, UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.rows import DialogueRow, Project, RatingRow, Role
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.dialogues.dialogues import TalkScore, get_talk, newest_score

Verdict = Literal["yes", "no", "unsure"]
Order = Literal["random", "worst"]
VERDICTS: tuple[Verdict, ...] = ("yes", "no", "unsure")
ORDERS: tuple[Order, ...] = ("random", "worst")
LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one person thinks of a talk: a mark (None: not given), and verdicts by the number of the message."""

    quality: int | None = None
    answers: Mapping[int, Verdict] = field(default_factory=dict)

    @property
    def given(self) -> bool:
        """Whether there is anything in it."""
        return self.quality is not None or bool(self.answers)


NO_OPINION = Opinion()
_SILENT: Kept[frozenset[str]] = Kept(24)


@dataclass(frozen=True, slots=True)
class Rated:
    """The talk that a person marked last, the mark, and what it scored."""

    row: DialogueRow
    quality: float
    score: TalkScore | None


@dataclass(frozen=True, slots=True)
class Asked:
    """The talk that a person is asked to mark next; None: all are marked. Its score is not told before.

    `opinion`: what the person said of its answers already. `silent`: talks that are left out, because there is no
    answer of a bot in them to judge.
    """

    row: DialogueRow | None
    order: Order
    done: int
    total: int
    last: Rated | None
    opinion: Opinion = NO_OPINION
    silent: int = 0


# --- rating ------------------------------------------------------------------------------------------------------


def rate_talk(store: Store, actor: Actor, project: Project, dialogue_id: str, opinion: Opinion) -> Opinion:
    """Keep what a person thinks of a talk; what they thought before and do not say again is forgotten."""
    actor.require(Role.REVIEWER)
    if not opinion.given:
        raise UsageError(
            say("no mark was given"), where="quality", remedy=say("choose a mark, or judge at least one answer")
        )
    with store.writing() as tx:
        row = get_talk(tx, project, dialogue_id)
        faults = []
        if opinion.quality is not None and not LOWEST <= opinion.quality <= HIGHEST:
            faults.append(
                Fault(
                    say(
                        "{quality} is not a mark from {lowest} to {highest}",
                        quality=opinion.quality,
                        lowest=LOWEST,
                        highest=HIGHEST,
                    ),
                    "quality",
                )
            )
        known = set(answers_of(row))
        faults += [
            Fault(say("message {number} is no answer of the bot", number=number), f"answer-{number}")
            for number in sorted(opinion.answers)
            if number not in known
        ]
        if faults:
            raise UsageError(
                say("some marks cannot be kept"), faults=faults, remedy=say("correct them and send again")
            )
        before = _own(tx.ratings.of_dialogue(row.id), actor)
        wanted = {one.turn: one for one in _rows(row, opinion, actor, _rater(tx, actor, before))}
        for old in before:
            if old.turn not in wanted:
                tx.ratings.delete(old.id)
        tx.ratings.put_many(wanted.values())
    return opinion


def take_back(store: Store, actor: Actor, project: Project, dialogue_id: str) -> Opinion:
    """Forget what a person thinks of a talk; returns what it was."""
    actor.require(Role.REVIEWER)
    with store.writing() as tx:
        row = get_talk(tx, project, dialogue_id)
        before = _own(tx.ratings.of_dialogue(row.id), actor)
        if not before:
            raise AbsentError(
                say("there is no mark of yours on this talk"), remedy=say("nothing is to be taken back")
            )
        for old in before:
            tx.ratings.delete(old.id)
    return _opinion(before)


def opinion_of(given: Iterable[RatingRow], actor: Actor) -> Opinion:
    """Return what a person thinks, out of all that people think of a talk."""
    return _opinion(_own(given, actor))


def answers_of(row: DialogueRow) -> tuple[int, ...]:
    """Return the numbers of the messages that can be judged: those of the bot, or where nobody says, all."""
    known = [turn.get("is_bot") for turn in row.turns]
    return tuple(number for number, is_bot in enumerate(known, 1) if is_bot or (is_bot is None and True not in known))


def bot_spoke(turns: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a bot said something; where nobody knows who is a bot, whether two sides did."""
    said = [turn for turn in turns if str(turn.get("text", "")).strip()]
    if any(turn.get("is_bot") is not None for turn in turns):
        return any(turn.get("is_bot") for turn in said)
    return len({turn.get("speaker") for turn in said}) > 1


# --- the queue ---------------------------------------------------------------------------------------------------


def next_talk(
    store: Store, actor: Actor, project: Project, *, order: Order = "random", bot: str | None = None, skip: str = ""
) -> Asked:
    """Return the talk that a person should mark next; `skip`: one that they leave for later.

    `random`: in an order of chance that stays the same for a person. `worst`: the lowest scores first. Talks in
    which the bot never spoke are not asked for.
    """
    actor.require(Role.REVIEWER)
    with store.reading() as tx:
        silent = _silent(tx, project)
        every = _ordered(tx, project, actor, order, bot)
        ids = [each for each in every if each not in silent]
        by_person = tx.ratings.by_person(project.id, actor.user_id, PRODUCT.name)
        marked = {rating.dialogue_id for rating in by_person}
        left = [each for each in ids if each not in marked]
        row = tx.dialogues.get(_after(left, clean_text(skip))) if left else None
        opinion = opinion_of(tx.ratings.of_dialogue(row.id), actor) if row else NO_OPINION
        last = _last(tx, next(iter(by_person), None))
        return Asked(row, order, len(ids) - len(left), len(ids), last, opinion, len(every) - len(ids))


def _silent(tx: Transaction, project: Project) -> frozenset[str]:
    """Return the talks in which the bot never spoke; talks do not change, so a list is good until some come or go."""

    def read() -> frozenset[str]:
        return frozenset(talk_id for talk_id, turns in tx.dialogues.turns(project.id) if not bot_spoke(turns))

    return _SILENT.get((project.id, *tx.dialogues.state(project.id)), read)


def _ordered(tx: Transaction, project: Project, actor: Actor, order: Order, bot: str | None) -> list[str]:
    if order == "worst":
        return [row.dialogue_id for row in tx.dialogues.page(project.id, DialogueFilter(bot=bot))]
    ids = tx.dialogues.list_ids(project.id, bot)
    return sorted(ids, key=lambda each: sha256(f"{actor.user_id}/{each}".encode()).digest())


def _after(left: Sequence[str], skip: str) -> str:
    return left[(left.index(skip) + 1) % len(left)] if skip in left else left[0]


def _last(tx: Transaction, newest: RatingRow | None) -> Rated | None:
    row = tx.dialogues.get(newest.dialogue_id) if newest else None
    return Rated(row, newest.quality or 0.0, newest_score(tx, row.id)) if row and newest else None


# --- the work ----------------------------------------------------------------------------------------------------


def _rows(row: DialogueRow, opinion: Opinion, actor: Actor, rater: str) -> Iterator[RatingRow]:
    at = now()
    if opinion.quality is not None:
        yield RatingRow(new_id(), row.id, 0, actor.user_id, rater, float(opinion.quality), None, at)
    for number, verdict in opinion.answers.items():
        yield RatingRow(new_id(), row.id, number, actor.user_id, rater, None, verdict, at)


def _rater(tx: Transaction, actor: Actor, before: Sequence[RatingRow]) -> str:
    """Return the name under which a person rates: two people may be called the same, but sign in differently."""
    if before:
        return before[0].rater
    user = tx.users.get(actor.user_id) if actor.user_id else None
    return user.login if user else PRODUCT.name


def _own(given: Iterable[RatingRow], actor: Actor) -> list[RatingRow]:
    if actor.user_id is None:
        return [one for one in given if one.user_id is None and one.rater == PRODUCT.name]
    return [one for one in given if one.user_id == actor.user_id]


def _opinion(own: Iterable[RatingRow]) -> Opinion:
    quality, answers = None, {}
    for one in own:
        if one.turn == 0 and one.quality is not None:
            quality = round(one.quality)
        elif (said := next((each for each in VERDICTS if each == one.verdict), None)) is not None:
            answers[one.turn] = said
    return Opinion(quality, answers)
