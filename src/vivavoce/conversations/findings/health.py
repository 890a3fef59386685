"""How good the test itself is: turns that tell nothing, messages learned by heart, gaps, and levels out of order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.findings.cells import Exam
from vivavoce.conversations.findings.cluster_rates import rate_of
from vivavoce.conversations.findings.columns import Columns, Floats, sum_by
from vivavoce.conversations.findings.draws import gather
from vivavoce.conversations.result import Health, Line
from vivavoce.conversations.scenario import LEVELS, Kind, Plan
from vivavoce.messages import say
from vivavoce.records import Rate

# A "yes" or a "good morning" stands in every training set; that is no leak.
LEAST_WORDS = 3
LEAST_TURNS = 10


def find_health(exam: Exam, plan: Plan, bots: Sequence[BotFacts]) -> Health:
    """Look at the test itself."""
    columns = exam.columns
    passed, n, asked = _tally(columns)
    turns = [(line.key.script, line.number) for line in _first_lines(columns)]
    easy = (asked == len(columns.bots)) & (passed == n) & (len(columns.bots) > 1)
    return Health(
        too_easy=tuple(turns[place] for place in np.flatnonzero(easy).tolist()),
        never_passed=tuple(turns[place] for place in np.flatnonzero((n > 0) & (passed == 0)).tolist()),
        leaks=find_leaks(plan, bots),
        coverage=_coverage(columns),
        difficulty=_difficulty(exam),
    )


def _first_lines(columns: Columns) -> list[Line]:
    """Return one line for each turn of a script, in the order of `turn`."""
    _, first = np.unique(columns.turn, return_index=True)
    return [columns.lines[place] for place in first.tolist()]


def _tally(columns: Columns) -> tuple[Floats, Floats, Floats]:
    """Return for each turn of a script: how often it passed, how often it was counted, and with how many bots."""
    _, place = np.unique(columns.turn, return_inverse=True)
    place = place.ravel()
    counted = columns.counted
    size = int(place.max(initial=-1)) + 1
    n, passed = sum_by(place, counted, size), sum_by(place, counted & columns.passed, size)
    met = np.unique(np.stack([place[counted], columns.bot[counted]], axis=1), axis=0)
    return passed, n, sum_by(met[:, 0], None, size)


def _coverage(columns: Columns) -> Mapping[tuple[str | None, str, str], int]:
    """Count the turns that are checked by topic, level and clean or typo, each once whatever the bots and repeats.

    A topic of None is out of scope; an empty one is a turn in scope that names no topic.
    """
    seen = {}
    for place in np.flatnonzero(columns.counted).tolist():
        line = columns.lines[place]
        topic = (line.expected[0] if line.expected else "") if line.verdict.in_scope else None
        kind = str(Kind.TYPO) if line.kind == Kind.TYPO else str(Kind.CLEAN)
        seen[line.key.script, line.number] = (topic, line.level, kind)
    counted = Counter(seen.values())
    return {
        name: counted[name] for name in sorted(counted, key=lambda name: (name[0] is None, str(name[0]), name[1:]))
    }


# --- messages that were learned by heart -------------------------------------------------------------------


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
        if turn.expect.counted and turn.kind is not Kind.TYPO and len(turn.text.split()) >= LEAST_WORDS
    ]
    if not phrases or not turns:
        return ()
    groups = duplicate_groups([*phrases, *(text for _, _, text in turns)]).tolist()
    phrase_of = dict(zip(reversed(groups[: len(phrases)]), reversed(phrases), strict=True))
    own = zip(turns, groups[len(phrases) :], strict=True)
    return tuple((script, number, phrase_of[group]) for (script, number, _), group in own if group in phrase_of)


# --- levels ------------------------------------------------------------------------------------------------


def _difficulty(exam: Exam) -> Mapping[str, Rate]:
    """Return for each level the share of turns that passed, over all bots."""
    columns = exam.columns
    hits, n = (_over_bots(columns, part) for part in exam.units.ratios["accuracy"])
    found = {}
    for level in columns.levels:
        places = np.flatnonzero(scripts := columns.scripts_in("", level))
        _, clusters = np.unique(columns.clusters(scripts)[places], return_inverse=True)
        table = gather(clusters, int(clusters.max()) + 1, np.stack([hits[places], n[places]], axis=1))
        found[level] = rate_of(table[:, 0], table[:, 1])
    return found


def _over_bots(columns: Columns, part: Floats) -> Floats:
    return np.asarray(part.reshape(len(columns.bots), len(columns.scripts)).sum(axis=0))


def warn_of_levels(difficulty: Mapping[str, Rate]) -> list[str]:
    """Say which levels are called harder than another and came out easier."""
    known = [(level, difficulty[level]) for level in LEVELS if level in difficulty]
    known = [(level, rate) for level, rate in known if rate.n >= LEAST_TURNS]
    return [
        say(
            "the level '{hard}' is meant to be harder than '{easy}' but came out easier: {above:.0f} % of its "
            "turns passed against {below:.0f} %{maybe}",
            hard=hard,
            easy=easy,
            above=100 * above,
            below=100 * below,
            maybe=_maybe(rates),
        )
        for place, (easy, low) in enumerate(known)
        for hard, high in known[place + 1 :]
        if (rates := (low, high)) and (above := high.value or 0.0) > (below := low.value or 0.0)
    ]


def _maybe(rates: tuple[Rate, Rate]) -> str:
    easy, hard = rates
    clear = hard.low is not None and easy.high is not None and hard.low > easy.high
    return "" if clear else " " + say("(which may be chance: the intervals overlap)")
