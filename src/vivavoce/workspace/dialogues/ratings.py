"""What people think of dialogues: ratings from 1 to 5, verdicts on single answers, and whether the score agrees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from vivavoce.dialogues.passport import MIN_RATINGS, follows, what_helps
from vivavoce.dialogues.result import Agreement, Concord, Follows, Help
from vivavoce.errors import AbsentError, Fault, UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.rows import DialogueRow, Project, RatingRow, Role
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.dialogues.dialogues import TalkScore, get_talk, newest_score

Verdict = Literal["yes", "no", "unsure"]
Order = Literal["random", "worst"]
VERDICTS: tuple[Verdict, ...] = ("yes", "no", "unsure")
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


def rate_talk(store: Store, actor: Actor, project: Project, dialogue_id: str, opinion: Opinion) -> Opinion:
    """Keep what a person thinks of a talk; what they thought before and do not say again is forgotten."""
    actor.require(Role.REVIEWER)
    if not opinion.given:
        raise UsageError(
            say("no rating given"), where="quality", remedy=say("choose a rating, or rate at least one reply")
        )
    with store.writing() as tx:
        row = get_talk(tx, project, dialogue_id)
        faults = []
        if opinion.quality is not None and not LOWEST <= opinion.quality <= HIGHEST:
            message = say(
                "{quality} is not a rating from {lowest} to {highest}",
                quality=opinion.quality,
                lowest=LOWEST,
                highest=HIGHEST,
            )
            faults.append(Fault(message, "quality"))
        known = set(answers_of(row))
        faults += [
            Fault(say("message {number} is not a bot reply", number=number), f"answer-{number}")
            for number in sorted(opinion.answers)
            if number not in known
        ]
        if faults:
            raise UsageError(say("some ratings are invalid"), faults=faults, remedy=say("correct them and try again"))
        before = _own(tx.ratings.of_dialogue(row.id), actor)
        # The name under which a person rates: two people may be called the same, but sign in differently.
        user = tx.users.get(actor.user_id) if actor.user_id else None
        rater = before[0].rater if before else user.login if user else PRODUCT.name
        at = now()
        wanted = [
            RatingRow(new_id(), row.id, number, actor.user_id, rater, None, verdict, at)
            for number, verdict in opinion.answers.items()
        ]
        if opinion.quality is not None:
            whole = float(opinion.quality)
            wanted.insert(0, RatingRow(new_id(), row.id, 0, actor.user_id, rater, whole, None, at))
        for old in before:
            if old.turn not in {rating.turn for rating in wanted}:
                tx.ratings.delete(old.id)
        tx.ratings.put_many(wanted)
    return opinion


def take_back(store: Store, actor: Actor, project: Project, dialogue_id: str) -> Opinion:
    """Forget what a person thinks of a talk; returns what it was."""
    actor.require(Role.REVIEWER)
    with store.writing() as tx:
        row = get_talk(tx, project, dialogue_id)
        before = _own(tx.ratings.of_dialogue(row.id), actor)
        if not before:
            raise AbsentError(say("you have not rated this dialogue"), remedy=say("nothing to remove"))
        for old in before:
            tx.ratings.delete(old.id)
    return opinion_of(before, actor)


def opinion_of(ratings: Iterable[RatingRow], actor: Actor) -> Opinion:
    """Return what a person thinks, out of all that people think of a talk."""
    quality, answers = None, {}
    for rating in _own(ratings, actor):
        if rating.turn == 0 and rating.quality is not None:
            quality = round(rating.quality)
        elif (verdict := next((each for each in VERDICTS if each == rating.verdict), None)) is not None:
            answers[rating.turn] = verdict
    return Opinion(quality, answers)


def answers_of(row: DialogueRow) -> tuple[int, ...]:
    """Return the numbers of the messages that can be judged: those of the bot, or where nobody says, all."""
    known = [turn.get("is_bot") for turn in row.turns]
    return tuple(number for number, is_bot in enumerate(known, 1) if is_bot or (is_bot is None and True not in known))


def bot_spoke(turns: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a bot said anything; where nobody knows who is a bot, whether two sides did."""
    spoken = [turn for turn in turns if str(turn.get("text", "")).strip()]
    if any(turn.get("is_bot") is not None for turn in turns):
        return any(turn.get("is_bot") for turn in spoken)
    return len({turn.get("speaker") for turn in spoken}) > 1


def next_talk(
    store: Store, actor: Actor, project: Project, *, order: Order = "random", bot: str | None = None, skip: str = ""
) -> Asked:
    """Return the talk that a person should mark next; `skip`: one that they leave for later.

    `random`: in an order of chance that stays the same for a person. `worst`: the lowest scores first. Talks in
    which the bot never spoke are not asked for.
    """
    actor.require(Role.REVIEWER)
    with store.reading() as tx:
        # Talks do not change, so the silent ones are good until some come or go.
        silent = _SILENT.get(
            (project.id, *tx.dialogues.state(project.id)),
            lambda: frozenset(name for name, turns in tx.dialogues.turns(project.id) if not bot_spoke(turns)),
        )
        if order == "worst":
            every = [row.dialogue_id for row in tx.dialogues.page(project.id, DialogueFilter(bot=bot))]
        else:
            every = list(tx.dialogues.list_ids(project.id, DialogueFilter(bot=bot)))
            every.sort(key=lambda each: sha256(f"{actor.user_id}/{each}".encode()).digest())
        ids = [each for each in every if each not in silent]
        by_person = tx.ratings.by_person(project.id, actor.user_id, PRODUCT.name)
        rated = {rating.dialogue_id for rating in by_person}
        left = [each for each in ids if each not in rated]
        skipped = clean_text(skip)
        place = left.index(skipped) + 1 if skipped in left else 0
        row = tx.dialogues.get(left[place % len(left)]) if left else None
        opinion = opinion_of(tx.ratings.of_dialogue(row.id), actor) if row else NO_OPINION
        newest = next(iter(by_person), None)
        last_row = tx.dialogues.get(newest.dialogue_id) if newest else None
        last = None
        if newest and last_row:
            last = Rated(last_row, newest.quality or 0.0, newest_score(tx, last_row.id))
        return Asked(row, order, len(ids) - len(left), len(ids), last, opinion, len(every) - len(ids))


def _own(ratings: Iterable[RatingRow], actor: Actor) -> list[RatingRow]:
    if actor.user_id is None:
        return [rating for rating in ratings if rating.user_id is None and rating.rater == PRODUCT.name]
    return [rating for rating in ratings if rating.user_id == actor.user_id]


# This many rated dialogues are needed before bots may be compared by the score.
ENOUGH = MIN_RATINGS


@dataclass(frozen=True, slots=True)
class Accord:
    """All that people's judgements say about the score and about each other.

    `marked`: talks with a mark; `scored`: of these, the ones with a score too. `score`: how well the score follows
    the marks. `missing`: how many more talks with both are needed before bots may be compared. `answers`: the share
    of answers that people call good, among those judged with yes or no; `unsure`: how often nobody could tell.
    `follows` says in one word how well the score follows people, `helps` what would help. `bots`: the same for each
    bot with marks, where all bots are asked for.
    """

    bot: str | None
    marked: int
    scored: int
    missing: int
    score: Agreement | None
    talks: Concord
    verdicts: Concord
    answers: Rate
    unsure: int
    follows: Follows
    helps: tuple[Help, ...]
    bots: Mapping[str, Agreement]


_ACCORDS: Kept[Accord] = Kept(24)


def measure_accord(store: Store, project: Project, *, bot: str | None = None, seed: int = 0) -> Accord:
    """Return how the score and people agree, over all talks or those of one bot, as they are now."""
    with store.reading() as tx:
        ratings: dict[str, dict[str, float]] = defaultdict(dict)
        verdicts: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
        bots: dict[str, str] = {}
        for rating, of_bot in tx.ratings.with_bots(project.id, bot):
            if rating.turn == 0 and rating.quality is not None:
                ratings[rating.dialogue_id][rating.rater] = rating.quality
                bots |= {rating.dialogue_id: of_bot} if of_bot else {}
            elif rating.verdict:
                verdicts[rating.dialogue_id, rating.turn][rating.rater] = rating.verdict
        scores = tx.dialogues.newest_scores(project.id) if ratings else {}
    # Resampling takes its time, and the same judgements give the same numbers: what differs when anybody changed
    # their mind or a dialogue was scored anew is part of the key.
    rated = tuple((name, tuple(own.items()), scores.get(name), bots.get(name)) for name, own in ratings.items())
    judged = tuple((place, tuple(own.items())) for place, own in verdicts.items())
    key = (project.id, bot, seed, hash((rated, judged)))
    return _ACCORDS.get(key, lambda: _measure(ratings, list(verdicts.values()), scores, bots, bot, seed))


def _measure(  # noqa: PLR0917 - what people said, and of which bot it is asked
    ratings: Mapping[str, Mapping[str, float]],
    verdicts: Sequence[Mapping[str, str]],
    scores: Mapping[str, float],
    bots: Mapping[str, str],
    bot: str | None,
    seed: int,
) -> Accord:
    from vivavoce.dialogues.agreement import agreements_by_bot, concord_of, measure_rows
    from vivavoce.statistics import wilson

    means = {name: sum(own.values()) / len(own) for name, own in ratings.items()}
    both = [name for name in ratings if name in scores]
    score = None
    if both:
        compared = [scores[name] for name in both], [means[name] for name in both]
        score = measure_rows(*compared, seed=seed, refused=len(ratings) - len(both))
    by_bot: dict[str, Agreement] = {}
    if bot is None:
        named = [name for name in both if name in bots]
        names, values = [bots[name] for name in named], [scores[name] for name in named]
        by_bot = agreements_by_bot(names, values, [means[name] for name in named], named, seed=seed)
    people = concord_of(list(ratings.values()), ordered=True)
    counts = Counter(verdict for own in verdicts for verdict in own.values())
    codes = {"no": 0.0, "yes": 1.0, "unsure": 2.0}
    coded = [{rater: codes.get(verdict, 2.0) for rater, verdict in own.items()} for own in verdicts]
    return Accord(
        bot=bot,
        marked=len(ratings),
        scored=len(both),
        missing=max(0, ENOUGH - len(both)),
        score=score,
        talks=people,
        verdicts=concord_of(coded, ordered=False),
        answers=wilson(counts["yes"], counts["yes"] + counts["no"]),
        unsure=counts["unsure"],
        follows=follows(score) if score else Follows.TOO_FEW,
        helps=what_helps(score, people) if score else (Help.MARK_MORE,),
        bots=by_bot,
    )
