"""How good the test itself is, and what it could not check or time properly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.findings.cells import Exam
from vivavoce.conversations.findings.columns import Columns, gather, rate_of, sum_by
from vivavoce.conversations.result import Delay, Gap, Health, Unchecked
from vivavoce.conversations.scenario import LEVELS, Kind, Plan
from vivavoce.messages import join, say, say_count
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate

# A "yes" or a "good morning" is in every training set; that is no leak.
MIN_WORDS = 3
MIN_TURNS = 10


def find_health(exam: Exam, plan: Plan, bots: Sequence[BotFacts]) -> Health:
    """Look at the test itself."""
    columns = exam.columns
    counted = columns.counted
    # For each turn of a script: how often it was counted, how often it passed, and with how many bots.
    _, first, place = np.unique(columns.turn, return_index=True, return_inverse=True)
    place = place.ravel()
    n, passed = sum_by(place, counted, len(first)), sum_by(place, counted & columns.passed, len(first))
    met = np.unique(np.stack([place[counted], columns.bot[counted]], axis=1), axis=0)
    easy = (sum_by(met[:, 0], None, len(first)) == len(columns.bots)) & (passed == n) & (len(columns.bots) > 1)
    lines = [columns.lines[index] for index in first.tolist()]
    turns = [(line.key.script, line.number) for line in lines]
    # A topic of None is out of scope; an empty one is a turn in scope that names no topic.
    kinds: dict[tuple[str, int], tuple[str | None, str, str]] = {}
    for index in np.flatnonzero(counted).tolist():
        line = columns.lines[index]
        topic = (line.expected[0] if line.expected else "") if line.verdict.in_scope else None
        kind = str(Kind.TYPO) if line.kind == Kind.TYPO else str(Kind.CLEAN)
        kinds[line.key.script, line.number] = (topic, line.level, kind)
    coverage = Counter(kinds.values())
    return Health(
        too_easy=tuple(turns[index] for index in np.flatnonzero(easy).tolist()),
        never_passed=tuple(turns[index] for index in np.flatnonzero((n > 0) & (passed == 0)).tolist()),
        leaks=find_leaks(plan, bots),
        coverage={
            name: coverage[name]
            for name in sorted(coverage, key=lambda name: (name[0] is None, str(name[0]), name[1:]))
        },
        difficulty=_difficulty(exam),
    )


def find_leaks(plan: Plan, bots: Sequence[BotFacts]) -> tuple[tuple[str, int, str], ...]:
    """Return the turns whose message equals a training phrase of a bot, but for case, order or a typing mistake.

    Turns are given with the phrase. Misspelt copies are not looked at: they follow from their originals.
    """
    from vivavoce.text.duplicates import duplicate_groups

    known = [phrase for bot in bots for phrases in (bot.phrases or {}).values() for phrase in phrases]
    phrases = list(dict.fromkeys(known))
    turns = [
        (script.id, turn.number, turn.text)
        for script in plan.scripts
        for turn in script.turns
        if turn.expect.counted and turn.kind is not Kind.TYPO and len(turn.text.split()) >= MIN_WORDS
    ]
    if not phrases or not turns:
        return ()
    groups = duplicate_groups([*phrases, *(text for _, _, text in turns)]).tolist()
    phrase_of = dict(zip(reversed(groups[: len(phrases)]), reversed(phrases), strict=True))
    own = zip(turns, groups[len(phrases) :], strict=True)
    return tuple((script, number, phrase_of[group]) for (script, number, _), group in own if group in phrase_of)


def _difficulty(exam: Exam) -> Mapping[str, Rate]:
    """Return for each level the share of turns that passed, over all bots."""
    columns = exam.columns
    size = (len(columns.bots), len(columns.scripts))
    table = np.stack([part.reshape(size).sum(axis=0) for part in exam.units.ratios["accuracy"]], axis=1)
    rates = {}
    for level in columns.levels:
        places = np.flatnonzero(scripts := columns.scripts_in("", level))
        _, clusters = np.unique(columns.clusters(scripts)[places], return_inverse=True)
        sums = gather(clusters, table[places])
        rates[level] = rate_of(sums[:, 0], sums[:, 1])
    return rates


def warn_of_levels(difficulty: Mapping[str, Rate]) -> Iterator[str]:
    """Say which levels are called harder than another and came out easier."""
    known = [level for level in LEVELS if level in difficulty and difficulty[level].n >= MIN_TURNS]
    for easy, hard in combinations(known, 2):
        low, high = difficulty[easy], difficulty[hard]
        above, below = high.value or 0.0, low.value or 0.0
        clear = high.low is not None and low.high is not None and high.low > low.high
        if above > below:
            yield say(
                "level '{hard}' should be harder than '{easy}' but was easier: {above:.0f} % of "
                "its turns passed, against {below:.0f} %{maybe}",
                hard=hard,
                easy=easy,
                above=100 * above,
                below=100 * below,
                maybe="" if clear else " " + say("(this may be chance: the intervals overlap)"),
            )


def find_unchecked(columns: Columns) -> tuple[Unchecked, ...]:
    """Return what could not be checked with each bot, what costs most turns first."""
    of = Counter(line.key.bot for line in columns.lines)
    turns: Counter[tuple[str, Gap]] = Counter()
    partly: Counter[tuple[str, Gap]] = Counter()
    for line in columns.lines:
        gap = line.verdict.gap
        if gap is not None and not gap.by_choice:
            counter = turns if line.verdict.outcome is TurnOutcome.UNCHECKED else partly
            counter[line.key.bot, gap] += 1
    rows = [Unchecked(bot, gap, turns[bot, gap], partly[bot, gap], of[bot]) for bot, gap in {**turns, **partly}]
    return tuple(sorted(rows, key=lambda row: (columns.bots.index(row.bot), -row.turns, -row.partly, row.gap)))


def warn_of_gap(row: Unchecked) -> str:
    """Say what could not be checked with a bot, and what to do about it."""
    bot, part, turns = row.bot, row.gap.part, say_count(row.of, "{n} turn", "{n} turns")
    rest = say("{turns} checked only in part", turns=say_count(row.partly, "{n} turn", "{n} turns"))
    if not row.turns:
        return say("{bot} reports no {part}: {rest}", bot=bot, part=part, rest=rest)
    left = say("{turns:,} of {turns2} could not be checked and are not counted", turns=row.turns, turns2=turns)
    unchecked = join("; ", (left, rest)) if row.partly else left
    return say(
        "{bot} reports no {part}: {unchecked}. Expect a reply in these turns too, or make the bot report {part}.",
        bot=bot,
        part=part,
        unchecked=unchecked,
    )


def warn_of_delays(delays: Iterable[Delay]) -> Iterator[str]:
    """Say whose response times are partly those of this machine."""
    for delay in delays:
        if delay.large:
            yield say(
                "{bot}: response times include delays on this machine, {share:.0f} % of the "
                "measured time (up to {p95:,.0f} ms for 95 % of replies, at most {most:,.0f} ms): "
                "run fewer conversations at once, or use a less busy machine",
                bot=delay.bot,
                share=100 * delay.share,
                p95=delay.p95_ms,
                most=delay.max_ms,
            )


def find_delays(columns: Columns) -> tuple[Delay, ...]:
    """Return how busy this machine was while it waited for each bot, where it was busy at all."""
    delays = []
    for bot in columns.bots:
        timed = [
            (line.lag_ms, line.first_ms)
            for line in columns.lines
            if line.key.bot == bot and line.first_ms is not None and line.verdict.replied
        ]
        lags, times = np.array(timed, dtype=np.float64).reshape(-1, 2).T
        if lags.any() and times.sum() > 0:
            share = float(np.minimum(lags, times).sum() / times.sum())
            delays.append(Delay(bot, float(np.percentile(lags, 95)), float(lags.max()), share))
    return tuple(delays)
