"""Whether the score follows the people who read the talks of a bot, and whether people agree with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from vivavoce.dialogues.result import Agreement
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.statistics.resampled_agreement import FEWEST_ITEMS as FEWEST
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.store.tables import dialogues, ratings
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.dialogues.dialogues import latest_runs

# So many marked talks are needed before bots may be compared by the score.
ENOUGH = 30


@dataclass(frozen=True, slots=True)
class Concord:
    """How far people agree who judged the same things.

    `items`: things with two judgements or more; `raters`: how many people gave these. `same`: the share of pairs that
    say the same; `near`: of pairs at most one point apart (marks alone). `alpha`: Krippendorff's, 0 is luck, 1 is
    perfect. `missing`: how many more such things an interval needs.
    """

    items: int
    raters: int
    same: Rate
    near: Rate | None
    alpha: Rate
    missing: int


@dataclass(frozen=True, slots=True)
class Accord:
    """All that people's judgements say about the score and about each other.

    `marked`: talks with a mark; `scored`: of these, the ones with a score too. `score`: how well the score follows
    the marks. `missing`: how many more talks with both are needed before bots may be compared. `answers`: the share
    of answers that people call good, among those judged with yes or no; `unsure`: how often nobody could tell.
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


@dataclass(frozen=True, slots=True)
class _Given:
    """What people said: marks and verdicts by thing and person, and the score of each talk."""

    marks: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[tuple[str, int], Mapping[str, str]]
    scores: Mapping[str, float]


_ACCORDS: Kept[Accord] = Kept(24)


def measure_accord(store: Store, project: Project, *, bot: str | None = None, seed: int = 0) -> Accord:
    """Return how the score and people agree, over all talks or those of one bot, as they are now."""
    with store.reading() as tx:
        given = _given(tx, project, bot)
    # Resampling takes its time, and the same judgements give the same numbers.
    key = (project.id, bot, seed, _mark_of(given))
    return _ACCORDS.get(key, lambda: _measured(given, bot, seed))


def concord_of(items: Sequence[Mapping[str, float]], *, ordered: bool) -> Concord:
    """Return how far people agree; `items`: values by person; `ordered`: values are points, not mere names."""
    from vivavoce.statistics import agreement_of_raters

    shared = [item for item in items if len(item) >= 2]
    found = agreement_of_raters([tuple(item.values()) for item in shared], ordered=ordered)
    return Concord(
        items=len(shared),
        raters=len({rater for item in shared for rater in item}),
        same=found.same,
        near=found.near if ordered else None,
        alpha=found.alpha,
        missing=max(0, FEWEST - len(shared)),
    )


# --- what people said --------------------------------------------------------------------------------------------


def _given(tx: Transaction, project: Project, bot: str | None) -> _Given:
    wanted = [dialogues.c.project_id == project.id]
    wanted += [dialogues.c.bot == clean_text(bot)] if bot is not None else []
    columns = (ratings.c.dialogue_id, ratings.c.turn, ratings.c.rater, ratings.c.quality, ratings.c.verdict)
    query = sa.select(*columns).join(dialogues, dialogues.c.id == ratings.c.dialogue_id).where(*wanted)
    marks: dict[str, dict[str, float]] = defaultdict(dict)
    verdicts: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for one in tx.connection.execute(query.order_by(ratings.c.dialogue_id, ratings.c.turn, ratings.c.rater)):
        if one.turn == 0 and one.quality is not None:
            marks[one.dialogue_id][one.rater] = one.quality
        elif one.verdict:
            verdicts[one.dialogue_id, one.turn][one.rater] = one.verdict
    return _Given(dict(marks), dict(verdicts), _scores(tx, project) if marks else {})


def _scores(tx: Transaction, project: Project) -> dict[str, float]:
    newest = latest_runs(tx, project)
    query = sa.select(newest.c.dialogue_id, newest.c.score).where(newest.c.score.is_not(None))
    return {row.dialogue_id: row.score for row in tx.connection.execute(query)}


def _mark_of(given: _Given) -> int:
    """Return what differs when anybody changed their mind or a talk was scored anew."""
    marks = tuple((talk, tuple(own.items()), given.scores.get(talk)) for talk, own in given.marks.items())
    return hash((marks, tuple((thing, tuple(own.items())) for thing, own in given.verdicts.items())))


# --- numbers -----------------------------------------------------------------------------------------------------


def _measured(given: _Given, bot: str | None, seed: int) -> Accord:
    from vivavoce.statistics import wilson

    both = [talk for talk in given.marks if talk in given.scores]
    said = Counter(verdict for own in given.verdicts.values() for verdict in own.values())
    return Accord(
        bot=bot,
        marked=len(given.marks),
        scored=len(both),
        missing=max(0, ENOUGH - len(both)),
        score=_followed(given, both, seed) if both else None,
        talks=concord_of(list(given.marks.values()), ordered=True),
        verdicts=concord_of(_coded(given.verdicts), ordered=False),
        answers=wilson(said["yes"], said["yes"] + said["no"]),
        unsure=said["unsure"],
    )


def _followed(given: _Given, talks: Sequence[str], seed: int) -> Agreement:
    from vivavoce.dialogues.agreement import measure_rows

    means = [sum(given.marks[talk].values()) / len(given.marks[talk]) for talk in talks]
    refused = len(given.marks) - len(talks)
    return measure_rows([given.scores[talk] for talk in talks], means, seed=seed, refused=refused)


def _coded(verdicts: Mapping[tuple[str, int], Mapping[str, str]]) -> list[dict[str, float]]:
    codes = {"no": 0.0, "yes": 1.0, "unsure": 2.0}
    return [{rater: codes.get(said, 2.0) for rater, said in own.items()} for own in verdicts.values()]
