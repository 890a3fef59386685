"""Which of two bots is better, and three or more on one scale: the same turns, compared by whole scenarios."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Floats, Ints, columns_of, sum_by
from vivavoce.conversations.result import ALL, Change, Comparison, ConversationsResult, Line, RunDiff, Strength
from vivavoce.conversations.scenario import Plan
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import UsageError
from vivavoce.messages import say, say_count
from vivavoce.outcomes import TurnOutcome
from vivavoce.statistics import PairedTest, bradley_terry, compare_groups, holm, items_to_decide, mcnemar_exact

ALPHA = 0.05
CLOSE = "too close to call"
NEVER_MET = "cannot be compared"
MEASURE = "accuracy"


@dataclass(frozen=True, slots=True)
class Tested:
    """A comparison before its verdict, the standard error of its difference, and the scenarios behind both."""

    comparison: Comparison
    error: float | None
    scenarios: int


def pair_lines(columns: Columns, a: int, b: int) -> tuple[Ints, Ints]:
    """Return the places of the lines of two bots, for the turns that were counted for both."""
    own, other = (np.flatnonzero(columns.counted & (columns.bot == bot)) for bot in (a, b))
    _, left, right = np.intersect1d(columns.key[own], columns.key[other], return_indices=True)
    return own[left], other[right]


def compare_bots(columns: Columns, sources: Mapping[str, str]) -> tuple[Comparison, ...]:
    """Compare every pair of bots: overall, then in each domain, then at each level.

    Each of the three is a family of its own, within which p values are adjusted (Holm).
    """
    pairs = list(combinations(range(len(columns.bots)), 2))
    lines = {pair: pair_lines(columns, *pair) for pair in pairs}
    families: list[list[tuple[str, str]]] = [
        [(ALL, ALL)],
        [(domain, ALL) for domain in columns.domains],
        [(ALL, level) for level in columns.levels],
    ]
    comparisons: list[Comparison] = []
    for family in families:
        comparisons += decide([_test(columns, pair, lines[pair], place) for place in family for pair in pairs])
    return tuple(replace(each, mixed_sources=sources.get(each.a) != sources.get(each.b)) for each in comparisons)


def _test(columns: Columns, bots: tuple[int, int], lines: tuple[Ints, Ints], place: tuple[str, str]) -> Tested:
    scripts = columns.scripts_in(*place)
    own, other = (each[scripts[columns.script[lines[0]]]] for each in lines)
    a, b = columns.passed[own], columns.passed[other]
    # For each scenario: how many more turns the first bot passed, and how many there are.
    _, groups = np.unique(columns.clusters(scripts)[columns.script[own]], return_inverse=True)
    sums = np.bincount(groups.ravel(), weights=a.astype(np.float64) - b.astype(np.float64)).astype(np.float64)
    sizes = np.bincount(groups.ravel()).astype(np.float64)
    if len(sums) < 2:
        test = PairedTest(float(sums.sum() / sizes.sum()) if len(sums) else None, None, None, None)
    else:
        test = compare_groups(sums, sizes, step=1.0)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    comparison = Comparison(
        a=columns.bots[bots[0]],
        b=columns.bots[bots[1]],
        domain=place[0],
        level=place[1],
        measure=MEASURE,
        difference=test.difference,
        # Two shares cannot lie further apart than this, whatever few scenarios suggest.
        low=None if test.low is None else max(-1.0, test.low),
        high=None if test.high is None else min(1.0, test.high),
        p=test.p,
        verdict=CLOSE if len(a) else NEVER_MET,
        more=None,
        conversations=len(np.unique(columns.script[own])),
        turns=len(a),
        only_a=only_a,
        only_b=only_b,
        mcnemar_p=mcnemar_exact(only_a, only_b) if len(a) else None,
        differing=int((sums != 0).sum()),
    )
    return Tested(comparison, test.standard_error, len(sums))


def decide(tests: Sequence[Tested]) -> list[Comparison]:
    """Adjust the p values of one family of comparisons and put the verdicts."""
    known = [test.comparison.p for test in tests if test.comparison.p is not None]
    family, adjusted = len(known), iter(holm(known))
    comparisons = []
    for test in tests:
        result = test.comparison
        if result.p is not None:
            result = replace(result, p=next(adjusted), family=family)
        if result.p is not None and result.difference and result.p < ALPHA:
            better = result.a if result.difference > 0 else result.b
            result = replace(result, verdict=f"{better} better", more=0)
        elif result.p is not None and result.difference:
            more = items_to_decide(
                result.difference,
                test.error or 0.0,
                result.conversations,
                freedom=max(1, test.scenarios - 1),
                confidence=1 - ALPHA / family,
            )
            # The least p of k scenarios that differ is 2 / 2^k, however clear the difference is.
            short = math.floor(math.log2(2 * family / ALPHA)) + 1 - result.differing
            result = replace(result, more=None if more is None else max(1, more, short))
        comparisons.append(result)
    return comparisons


DRAWS = 500
# Numbers held in memory at once: a million of 8 bytes.
BLOCK = 1_000_000
CONFIDENCE = 0.95
MIN_BOTS = 3


def rank_bots(columns: Columns, *, seed: int = 0, draws: int = DRAWS) -> tuple[Strength, ...]:
    """Return the strengths of three or more bots, strongest first; nothing for fewer."""
    if len(columns.bots) < MIN_BOTS:
        return ()
    wins = count_wins(columns)
    total = wins.sum(axis=0)
    strengths = bradley_terry(total)
    ends = _draw_intervals(wins, seed, draws)
    rows = [
        Strength(
            bot, float(strengths[i]), *ends[i], float(total[i].sum()), round(float((total[i] + total[:, i]).sum()))
        )
        for i, bot in enumerate(columns.bots)
    ]
    return tuple(sorted(rows, key=lambda row: -row.strength))


def count_wins(columns: Columns) -> Floats:
    """Return for each cluster how often bot i won a conversation against bot j, a draw half a win for both.

    The winner passed more of the turns counted for both; each repeat is a conversation.
    """
    clusters = columns.clusters(np.ones(len(columns.scripts), dtype=bool))
    size = len(columns.bots)
    wins = np.zeros((int(clusters.max(initial=-1)) + 1, size, size))
    for a, b in combinations(range(size), 2):
        own, other = pair_lines(columns, a, b)
        gap = columns.passed[own].astype(np.int64) - columns.passed[other]
        held, place = np.unique(columns.conversation[own], return_inverse=True)
        ahead = sum_by(place.ravel(), gap, len(held))
        script = held // columns.repeats % len(columns.scripts)
        won = (np.sign(ahead) + 1) / 2
        wins[:, a, b] = sum_by(clusters[script], won, len(wins))
        wins[:, b, a] = sum_by(clusters[script], 1 - won, len(wins))
    return wins


def _draw_intervals(wins: Floats, seed: int, draws: int) -> list[tuple[float | None, float | None]]:
    """Return the middle 95 % of each bot's strengths when clusters are drawn again; none where they do not vary."""
    size = wins.shape[-1]
    met = wins[wins.sum(axis=(1, 2)) > 0]
    clusters = len(met)
    if clusters < 2:
        return [(None, None)] * size
    generator = np.random.default_rng(seed)
    step = max(1, BLOCK // clusters)
    sums = []
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        drawn = generator.integers(clusters, size=(rows, clusters)) + np.arange(rows)[:, None] * clusters
        weights = np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters)
        sums.append(weights.astype(np.float64) @ met.reshape(clusters, size * size))
    strengths = bradley_terry(np.concatenate(sums).reshape(draws, size, size))
    ends: list[tuple[float | None, float | None]] = []
    for values in strengths.T:
        known = values[~np.isnan(values)]
        low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]) if known.size else (0.0, 0.0)
        ends.append((float(low), float(high)) if low < high else (None, None))
    return ends


Place = tuple[str, int, int]
_IDLE = (TurnOutcome.ERROR, TurnOutcome.NOT_REACHED)


def diff_runs(before: ConversationsResult, after: ConversationsResult) -> RunDiff:
    """Compare two runs of the same bots, or of one bot each whatever their names.

    A script whose content changed is listed as edited; its turns are in no other list and in no difference.
    """
    versions = {script.id: script.version for script in before.header.plan.scripts}
    scripts = after.header.plan.scripts
    edited = tuple(script.id for script in scripts if versions.get(script.id, script.version) != script.version)
    turns: list[tuple[Line, Line]] = []
    new: list[tuple[ConversationKey, int]] = []
    gone: list[tuple[ConversationKey, int]] = []
    tests = []
    for old_name, new_name in _match_bots(before, after):
        old, later = _index_lines(before, old_name, edited), _index_lines(after, new_name, edited)
        both = [(old[place], line) for place, line in later.items() if place in old]
        turns += both
        new += _find_missing(later, old)
        gone += _find_missing(old, later)
        tests.append(_compare(both, old_name, new_name, after.header.plan))
    counted = [(a, b) for a, b in turns if a.verdict.outcome.counted and b.verdict.outcome.counted]
    changed = [(a, b) for a, b in counted if a.verdict.outcome.passed != b.verdict.outcome.passed]
    changes = [Change(b.key, b.number, a.verdict.outcome, b.verdict.outcome) for a, b in changed]
    return RunDiff(
        before=before.header,
        after=after.header,
        improved=tuple(change for change in changes if change.after.passed),
        regressed=tuple(change for change in changes if change.before.passed),
        new=tuple(new),
        gone=tuple(gone),
        edited=edited,
        unchanged=len(counted) - len(changed),
        comparisons=tuple(decide(tests)),
        warnings=tuple(_warnings(before, after, turns)),
    )


def _match_bots(before: ConversationsResult, after: ConversationsResult) -> list[tuple[str, str]]:
    old, new = ([bot.name for bot in run.header.bots] for run in (before, after))
    shared = [(name, name) for name in new if name in old]
    if shared:
        return shared
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    raise UsageError(
        "the two runs have no bot in common",
        where=f"{before.header.run} ({', '.join(old)}) and {after.header.run} ({', '.join(new)})",
        remedy="compare runs of the same bot, or two runs with one bot each",
    )


def _index_lines(run: ConversationsResult, bot: str, edited: Collection[str]) -> dict[Place, Line]:
    """Return the lines of a bot by script, repeat and number, without the scripts that were edited."""
    return {
        (line.key.script, line.key.repeat, line.number): line
        for line in run.lines
        if line.key.bot == bot and line.key.script not in edited
    }


def _find_missing(own: dict[Place, Line], other: dict[Place, Line]) -> list[tuple[ConversationKey, int]]:
    """Return the turns of scripts that the other run does not have at all; more repeats make no turn new."""
    known = {(script, number) for script, _, number in other}
    missing: dict[tuple[str, int], ConversationKey] = {}
    for (script, _, number), line in own.items():
        if (script, number) not in known:
            missing.setdefault((script, number), line.key)
    return [(key, number) for (_, number), key in missing.items()]


def _compare(both: Sequence[tuple[Line, Line]], old_name: str, new_name: str, plan: Plan) -> Tested:
    """Compare the accuracy of the later run with that of the earlier one, on the turns counted in both."""
    if old_name == new_name:
        old_name, new_name = f"{old_name} (before)", f"{new_name} (after)"
    lines = [replace(line, key=replace(line.key, bot=new_name)) for _, line in both]
    lines += [replace(line, key=replace(line.key, bot=old_name)) for line, _ in both]
    columns = columns_of(lines, (new_name, old_name), plan)
    return _test(columns, (0, 1), pair_lines(columns, 0, 1), (ALL, ALL))


def _warnings(
    before: ConversationsResult, after: ConversationsResult, turns: Sequence[tuple[Line, Line]]
) -> Iterator[str]:
    lost = sum(a.verdict.outcome in _IDLE or b.verdict.outcome in _IDLE for a, b in turns)
    if lost:
        yield say(
            "{turns} could not be compared: failed or not reached in one of the runs",
            turns=say_count(lost, "{n} turn", "{n} turns"),
        )
    old, new = ({bot.name for bot in run.header.bots} for run in (before, after))
    if old & new and old != new:
        names = ", ".join(sorted(old ^ new))
        yield say("bots that appear in only one of the runs are not compared: {names}", names=names)
    if before.header.repeats != after.header.repeats:
        yield say(
            "the runs have {repeats} and {header_repeats} repeats: only the repeats in both are compared",
            repeats=before.header.repeats,
            header_repeats=after.header.repeats,
        )
