"""What the exam of dialogues found: scores with their intervals, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.records import Rate


@dataclass(frozen=True, slots=True)
class TurnEffect:
    """How far one message moved the score, in points of the 1-5 scale; `number` counts from 1."""

    number: int
    speaker: str
    effect: float


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that moved the score, in words; `effect` in points of the 1-5 scale."""

    name: str
    effect: float
    text: str


class Cause(StrEnum):
    """What a refusal is about, so that nobody has to read it out of the words.

    The dialogue; a script that the rater cannot read; a rater that failed, or that gave no reason; an answer of a
    judge that holds no rating; a judge that gave no answer, or was not asked, which another run may lift.
    """

    TALK = "talk"
    SCRIPT = "script"
    RATER = "rater"
    NO_REASON = "no_reason"
    ANSWER = "answer"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Score:
    """One dialogue's score, 1 to 5, or the reason why it gets none.

    `low`, `high`: where a person's rating falls in 8 of 10 cases. `refusal` is empty where there is a score.
    `learned`: the rater learnt from this very dialogue, so the score is no test of the rater. `cause`: what a refusal
    is about; None where nobody said.
    """

    id: str
    score: float | None
    low: float | None = None
    high: float | None = None
    turns: tuple[TurnEffect, ...] = ()
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[str, ...] = ()
    refusal: str = ""
    learned: bool = False
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Dialogues with like scores: the mean score, and the mean of people's ratings with its interval."""

    score: float
    mark: Rate


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well scores follow people's ratings. Intervals: bootstrap over dialogues, or over users where known.

    `slope`, `intercept`: the line from score to rating (1 and 0: the scores mean what they say). `bins`: the same as
    a picture. `n`: rated dialogues with a score; `refused`: rated dialogues without one. Fewer than 10 dialogues
    (or users) give values without intervals; what is undefined has no value, which is not 0.
    """

    n: int
    pearson: Rate
    spearman: Rate
    kendall: Rate
    mse: Rate
    slope: float | None = None
    intercept: float | None = None
    bins: tuple[CalibrationBin, ...] = ()
    refused: int = 0


class Follows(StrEnum):
    """How well a score follows people's ratings, by the interval of the correlation.

    Too few ratings to say; all scores or all ratings are the same; weakly at best; moderately; well.
    """

    TOO_FEW = "too_few"
    ALIKE = "alike"
    WEAK = "weak"
    MODERATE = "moderate"
    STRONG = "strong"


class Help(StrEnum):
    """What would help where a score does not follow people's ratings.

    More ratings; ratings of good and of poor dialogues; two people who rate the same dialogues; people who agree on
    what they rate; a model that learns from these ratings; another rater.
    """

    MARK_MORE = "mark_more"
    MARK_BOTH_ENDS = "mark_both_ends"
    MARK_TWICE = "mark_twice"
    AGREE_ON_CRITERIA = "agree_on_criteria"
    TRAIN_ON_MARKS = "train_on_marks"
    OTHER_RATER = "other_rater"


@dataclass(frozen=True, slots=True)
class Concord:
    """How far people agree who judged the same things.

    `items`: things with two judgements or more; `raters`: how many people gave these. `same`: the share of pairs that
    say the same; `near`: of pairs at most one point apart (ratings alone). `alpha`: Krippendorff's, 0 is luck, 1 is
    perfect. `missing`: how many more such things an interval needs.
    """

    items: int
    raters: int
    same: Rate
    near: Rate | None
    alpha: Rate
    missing: int


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the dialogues of a log lie from those that the rater learnt from.

    `distance`: between these dialogues and the most similar learned ones, in standard deviations; above `limit` the
    log is another kind of dialogue. `talks`: how many were looked at. `traits`: what differs most, the first most of
    all.
    """

    distance: float
    limit: float
    talks: int
    traits: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the log differs enough for a warning."""
        return self.distance > self.limit


@dataclass(frozen=True, slots=True)
class Origin:
    """What a rater learnt from, and how it did there; numbers made when it was trained, never on its own dialogues.

    `agreements`: from the name of a test (`overall`, `human-bot`, `unseen-bot`, `later`) to what was found.
    `language`: of what it learnt from. `lengths`: the messages that 9 of 10 of those dialogues have, from and to.
    """

    learnt_from: str
    licence: str = ""
    dialogues: int = 0
    method: str = ""
    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    language: str = "en"
    lengths: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Passport:
    """What must be known before a score is believed.

    `local`: agreement with the user's own ratings, overall and by kind. `may_compare`: whether bots may be compared
    with it; `verdict` says why or why not, and what to do next, in one or two sentences. `bots`: agreement on the
    dialogues of each bot that has ratings. `people`: how far people agree who rated the same dialogues; None: nobody
    did. `drift`: how far the log lies from what the rater learnt from; None: it cannot be said.
    """

    rater: str
    origin: Origin | None
    local: Mapping[str, Agreement]
    may_compare: bool
    verdict: str
    warnings: tuple[str, ...] = ()
    bots: Mapping[str, Agreement] = field(default_factory=dict)
    people: Concord | None = None
    drift: Drift | None = None


@dataclass(frozen=True, slots=True)
class Recalibration:
    """A straight line from score to local rating, learned from the user's own ratings.

    `gain`: the mean squared error saved on dialogues that the line had not seen (above 0: it helps), with interval.
    `adopted`: whether the gain is sure enough to use the line. `residuals`: rating minus moved score on such
    dialogues, where 8 of 10 fall. `rater`: whose scores it moves (empty: not said). `level`: what one and the same
    score for all of them would save; `level_only`: the line is not surely better than that, so it corrects the level
    only and the order of the dialogues says little.
    """

    slope: float
    intercept: float
    n: int
    gain: Rate
    adopted: bool
    reason: str
    residuals: tuple[float, float] | None = None
    rater: str = ""
    level: Rate | None = None
    level_only: bool = False


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A dialogue that a person should read: scripted checks, ratings and score do not tell the same story.

    `other`: what contradicts the score: a person's rating, or 1 for checks that passed and 0 for a failed one.
    """

    id: str
    kind: str
    score: float
    other: float
    text: str


@dataclass(frozen=True, slots=True)
class SystemLine:
    """One bot among others: its mean score (or rating) and its strength, each with an interval; rank 1 is best.

    `low_rank`, `high_rank`: the ranks that the verdicts on its pairs leave open: none better than 1 + the bots that
    are surely better, none worse than what the surely worse ones leave. All None: too few dialogues for a rank.
    """

    bot: str
    n: int
    mean: Rate
    strength: Rate
    rank: int | None
    low_rank: int | None
    high_rank: int | None


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two bots compared: `verdict` is "better", "worse" (of the first), "too close to call" or "too few talks".

    (Of preferences: "too few preferences".) `p`: after Holm's correction for all pairs that can be judged; None: too
    few to say. `dialogues_to_decide`: about how many
    more of both together would decide it, if the difference is as large as it looks; None where that is settled or
    cannot be said.
    """

    first: str
    second: str
    difference: Rate
    p: float | None
    verdict: str
    dialogues_to_decide: int | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """All bots, best first and those without a rank last, and every pair of them.

    `warning` is empty when the score may be used for this.
    """

    lines: tuple[SystemLine, ...]
    pairs: tuple[SystemPair, ...]
    warning: str = ""


@dataclass(frozen=True)
class DialoguesResult:
    """All that one exam of dialogues found; `scores` in the order of `dialogues`.

    `recalibration` None: too few local ratings. `ranking` None: the log names fewer than two bots.
    """

    dialogues: tuple[Dialogue, ...]
    scores: tuple[Score, ...]
    passport: Passport
    recalibration: Recalibration | None = None
    ranking: Ranking | None = None
    queue: tuple[Disagreement, ...] = ()
    source: str = "memory"
    notes: tuple[str, ...] = ()
