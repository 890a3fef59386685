"""How good the test itself is: turns that tell nothing, messages learned by heart, gaps, and levels out of order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.findings.cells import Exam
from vivavoce.conversations.findings.cluster_rates import rate_of
from vivavoce.conversations.findings.columns import Columns, gather, sum_by
from vivavoce.conversations.result import Health
from vivavoce.conversations.scenario import LEVELS, Kind, Plan
from vivavoce.messages import say
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
    return Health(
        too_easy=tuple(turns[index] for index in np.flatnonzero(easy).tolist()),
        never_passed=tuple(turns[index] for index in np.flatnonzero((n > 0) & (passed == 0)).tolist()),
        leaks=find_leaks(plan, bots),
        coverage=_coverage(columns),
        difficulty=_difficulty(exam),
    )


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
