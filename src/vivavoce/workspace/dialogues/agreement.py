"""Whether the score follows the people who read the talks of a bot, and whether people agree with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.dialogues.following import LEAST_MARKS, follows, what_helps
from vivavoce.dialogues.result import Agreement, Concord, Follows, Help
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project

# So many marked talks are needed before bots may be compared by the score.
ENOUGH = LEAST_MARKS


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


@dataclass(frozen=True, slots=True)
class _Given:
    """What people said: marks and verdicts by thing and person, and the score and the bot of each talk."""

    marks: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[tuple[str, int], Mapping[str, str]]
    scores: Mapping[str, float]
    bots: Mapping[str, str]


_ACCORDS: Kept[Accord] = Kept(24)


def measure_accord(store: Store, project: Project, *, bot: str | None = None, seed: int = 0) -> Accord:
    """Return how the score and people agree, over all talks or those of one bot, as they are now."""
    with store.reading() as tx:
        marks: dict[str, dict[str, float]] = defaultdict(dict)
        verdicts: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
        bots: dict[str, str] = {}
        for rating, of_bot in tx.ratings.with_bots(project.id, bot):
            if rating.turn == 0 and rating.quality is not None:
                marks[rating.dialogue_id][rating.rater] = rating.quality
                bots |= {rating.dialogue_id: of_bot} if of_bot else {}
            elif rating.verdict:
                verdicts[rating.dialogue_id, rating.turn][rating.rater] = rating.verdict
        given = _Given(dict(marks), dict(verdicts), tx.dialogues.newest_scores(project.id) if marks else {}, bots)
    # Resampling takes its time, and the same judgements give the same numbers.
    key = (project.id, bot, seed, _mark_of(given))
    return _ACCORDS.get(key, lambda: _measured(given, bot, seed))


# --- what people said --------------------------------------------------------------------------------------------


def _mark_of(given: _Given) -> int:
    """Return what differs when anybody changed their mind or a talk was scored anew."""
    marks = tuple(
        (talk, tuple(own.items()), given.scores.get(talk), given.bots.get(talk)) for talk, own in given.marks.items()
    )
    return hash((marks, tuple((thing, tuple(own.items())) for thing, own in given.verdicts.items())))


# --- numbers -----------------------------------------------------------------------------------------------------


def _measured(given: _Given, bot: str | None, seed: int) -> Accord:
    from vivavoce.dialogues.agreement import concord_of
    from vivavoce.statistics import wilson

    both = [talk for talk in given.marks if talk in given.scores]
    said = Counter(verdict for own in given.verdicts.values() for verdict in own.values())
    score = _followed(given, both, seed) if both else None
    people = concord_of(list(given.marks.values()), ordered=True)
    return Accord(
        bot=bot,
        marked=len(given.marks),
        scored=len(both),
        missing=max(0, ENOUGH - len(both)),
        score=score,
        talks=people,
        verdicts=concord_of(_coded(given.verdicts), ordered=False),
        answers=wilson(said["yes"], said["yes"] + said["no"]),
        unsure=said["unsure"],
        follows=follows(score) if score else Follows.TOO_FEW,
        helps=what_helps(score, people) if score else (Help.MARK_MORE,),
        bots=_by_bot(given, both, seed) if bot is None else {},
    )


def _by_bot(given: _Given, talks: Sequence[str], seed: int) -> dict[str, Agreement]:
    from vivavoce.dialogues.agreement import agreements_by_bot

    named = [talk for talk in talks if talk in given.bots]
    bots, scores = [given.bots[talk] for talk in named], [given.scores[talk] for talk in named]
    return agreements_by_bot(bots, scores, [_mean_mark(given, talk) for talk in named], named, seed=seed)


def _followed(given: _Given, talks: Sequence[str], seed: int) -> Agreement:
    from vivavoce.dialogues.agreement import measure_rows

    means = [_mean_mark(given, talk) for talk in talks]
    refused = len(given.marks) - len(talks)
    return measure_rows([given.scores[talk] for talk in talks], means, seed=seed, refused=refused)


def _mean_mark(given: _Given, talk: str) -> float:
    return sum(given.marks[talk].values()) / len(given.marks[talk])


def _coded(verdicts: Mapping[tuple[str, int], Mapping[str, str]]) -> list[dict[str, float]]:
    codes = {"no": 0.0, "yes": 1.0, "unsure": 2.0}
    return [{rater: codes.get(said, 2.0) for rater, said in own.items()} for own in verdicts.values()]
