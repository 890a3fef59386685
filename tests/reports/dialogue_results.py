"""Results of dialogues exams as they come in real life, and at the edges: nothing, one, many, hostile."""

from __future__ import annotations

import random
from collections.abc import Sequence

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.dialogues.result import (
    Agreement,
    CalibrationBin,
    DialoguesResult,
    Disagreement,
    Origin,
    Passport,
    Ranking,
    Reason,
    Recalibration,
    Score,
    SystemLine,
    SystemPair,
    TurnEffect,
)
from vivavoce.records import Rate

HOSTILE = "<script>alert('x')</script> [bold]&amp; \u202edne \x1b[31m \ud800"
RIGHT_TO_LEFT = "שלום, האם המשרה עדיין פנויה? مرحبا"
EMOJI = "👩‍💻🏳️‍🌈 \U0001f600"
ASKED = (
    "Hello, is the job in Berlin still open?",
    "What does it pay?",
    "I asked for the pay, not for the address.",
    "Can I work from home on Fridays?",
    "Fine. Whom do I call?",
)
ANSWERED = (
    "Hello! Yes, the position as a nurse in Berlin is still open.",
    "Our office is in Main Street 5.",
    "I am sorry. The pay is 3,400 a month before tax.",
    "I do not know that. Shall I ask a colleague to call you?",
    "Call Ms Weber at 555 0100, from 9 to 5. Good luck with your application!",
)
SHORT = "the person says less than two things"
NOTHING = Rate(None, None, None, 0)


def talk(number: int, bot: str | None = "alpha", *, mark: float | None = None, rng: random.Random) -> Dialogue:
    """Return a talk of a person with a bot about a job."""
    pairs = list(zip(ASKED, ANSWERED, strict=True))[: rng.randint(2, 5)]
    turns = [
        turn for ask, answer in pairs for turn in (Utterance("u", ask, False), Utterance("b", answer, is_bot=True))
    ]
    ratings = () if mark is None else (Rating("u", mark),)
    passed = rng.choice((None, True, False))
    return Dialogue(f"talk-{number:05}", tuple(turns), ratings, "log.jsonl", bot, passed=passed)


def score_of(dialogue: Dialogue, value: float, rng: random.Random) -> Score:
    """Return a score whose effects lead to its value."""
    turns = [TurnEffect(n, turn.speaker, rng.gauss(0, 0.15)) for n, turn in enumerate(dialogue.turns, 1)]
    reasons = (
        Reason("repeats", -0.31, "the bot repeats itself"),
        Reason("questions", 0.22, "the person asks much"),
        Reason("thanks", 0.05, "the person says thanks"),
    )
    low, high = max(1.0, value - 1.2), min(5.0, value + 1.3)
    return Score(dialogue.id, value, low, high, tuple(turns), reasons)


def refused(dialogue: Dialogue, why: str = SHORT) -> Score:
    return Score(dialogue.id, None, refusal=why)


def agreement(n: int, pearson: float = 0.41) -> Agreement:
    bins = tuple(
        CalibrationBin(s, Rate(2.6 + 0.5 * (s - 3), 2.1 + 0.5 * (s - 3), 3.1 + 0.5 * (s - 3), n // 4))
        for s in (2, 2.7, 3.4, 4.2)
    )
    rates = [Rate(value, value - 0.1, value + 0.1, n) for value in (pearson, pearson + 0.02, pearson - 0.09, 1.37)]
    return Agreement(n, *rates, slope=0.55, intercept=1.1, bins=bins, refused=3)


ORIGIN = Origin(
    "ConvAI 2017, July",
    "Apache-2.0",
    2_000,
    "grouped cross-validation, twice ten parts",
    {"overall": agreement(2_000, 0.58), "human-bot": agreement(1_500, 0.46), "unseen-bot": agreement(1_500, 0.4)},
)


def ranking(bots: Sequence[str], n: int, warning: str = "") -> Ranking:
    """Return bots each a little worse than the one before; the last two are too close to call."""
    lines = tuple(
        SystemLine(
            bot,
            n,
            Rate(3.9 - 0.2 * p, 3.7 - 0.2 * p, 4.1 - 0.2 * p, n),
            Rate(1 - p, 0.5 - p, 1.5 - p, n),
            p + 1,
            max(1, p),
            p + 1,
        )
        for p, bot in enumerate(bots)
    )
    pairs = [
        SystemPair(first, second, Rate(0.4, 0.1, 0.7, 2 * n), 0.01, "better")
        for place, first in enumerate(bots[:-1])
        for second in bots[place + 1 :]
    ]
    pairs[-1] = SystemPair(bots[-2], bots[-1], Rate(0.1, -0.2, 0.4, 2 * n), 0.4, "too close to call", 240)
    return Ranking(lines, tuple(pairs), warning)


def passport(n: int, *, may: bool = False) -> Passport:
    why = "Only 12 of 30 local marks are there. Mark 18 more talks with `viva dialogues mark`."
    good = "The scores follow 60 local marks well enough (Spearman 0.43)."
    local = {"overall": agreement(n), "human-bot": agreement(n)} if n else {}
    return Passport("learned model", ORIGIN, local, may, good if may else why, ("The talks are shorter than usual",))


def many(
    n: int, bots: Sequence[str | None] = ("alpha", "beta", "gamma"), *, marks: int = 60, seed: int = 7
) -> DialoguesResult:
    """Return a log of so many talks; every tenth is refused, the first ones are marked."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    talks = [
        talk(p, bots[p % len(bots)], mark=float(rng.randint(1, 5)) if p < marks else None, rng=rng) for p in range(n)
    ]
    values = [min(5.0, max(1.0, rng.gauss(3.3 - 0.15 * (p % len(bots)), 0.7))) for p in range(n)]
    scores = [
        refused(t) if p % 10 == 9 else score_of(t, v, rng) for p, (t, v) in enumerate(zip(talks, values, strict=True))
    ]
    named = [bot for bot in bots if bot]
    queue = tuple(
        Disagreement(s.id, "passed-low", s.score, 1.0, "every scripted check passed, yet the score is low")
        for s in scores[:30]
        if s.score is not None
    )
    return DialoguesResult(
        tuple(talks),
        tuple(scores),
        passport(marks, may=marks >= 30),
        Recalibration(0.8, 0.4, marks, Rate(0.21, 0.05, 0.38, marks), True, "the gain is sure") if marks else None,
        ranking(named, n // len(named)) if len(named) > 1 else None,
        queue if marks else (),
        "logs/autumn.jsonl",
        ("2 rows were empty and are left out",),
    )


def nothing() -> DialoguesResult:
    bare = Passport("length", None, {}, may_compare=False, verdict="nobody has measured this rater yet")
    return DialoguesResult((), (), bare)


def all_refused() -> DialoguesResult:
    rng = random.Random(1)  # noqa: S311 - no secret
    talks = tuple(talk(p, rng=rng) for p in range(3))
    return DialoguesResult(talks, tuple(refused(t) for t in talks), passport(0))


def one() -> DialoguesResult:
    rng = random.Random(3)  # noqa: S311 - no secret
    only = talk(0, None, rng=rng)
    return DialoguesResult((only,), (score_of(only, 2.34, rng),), passport(0))


def hostile() -> DialoguesResult:
    """Return a log in which every text tries to break the page."""
    rng = random.Random(5)  # noqa: S311 - no secret
    turns = tuple(
        Utterance(HOSTILE, text, is_bot=None) for text in (HOSTILE, RIGHT_TO_LEFT, EMOJI, "", "x" * 5_000, "a\nb")
    )
    bad = Dialogue(HOSTILE, turns, (Rating("u", 2.0),), HOSTILE, HOSTILE)
    long = Dialogue(
        "long",
        tuple(Utterance("ab"[p % 2], f"message {p}", is_bot=bool(p % 2)) for p in range(10_000)),
        bot="[red]b[/red]",
    )
    empty = Dialogue("empty", ())
    value = score_of(bad, 1.5, rng)
    odd = Score(HOSTILE, 1.5, 1.0, 2.0, value.turns, (Reason(HOSTILE, -0.5, HOSTILE),), (HOSTILE,))
    scores = (odd, score_of(long, 4.1, rng), refused(empty, HOSTILE))
    seen = Passport(HOSTILE, ORIGIN, {HOSTILE: agreement(3)}, may_compare=False, verdict=HOSTILE, warnings=(HOSTILE,))
    queue = (Disagreement(HOSTILE, HOSTILE, 1.5, 4.0, HOSTILE), Disagreement("gone", "marked-high", 2.0, 5.0, "text"))
    return DialoguesResult(
        (bad, long, empty),
        scores,
        seen,
        None,
        ranking((HOSTILE, "[red]b[/red]"), 1, HOSTILE),
        queue,
        HOSTILE,
        (HOSTILE,),
    )


CASES = {
    "three bots": lambda: many(90),
    "no bots": lambda: many(40, (None,)),
    "no marks": lambda: many(40, marks=0),
    "many bots": lambda: many(220, tuple(f"bot number {n}" for n in range(11))),
    "one": one,
    "all refused": all_refused,
    "nothing": nothing,
    "hostile": hostile,
}
