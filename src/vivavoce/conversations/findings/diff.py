"""Two runs side by side: which turns improved or regressed, and whether the whole is better."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from vivavoce.conversations.findings.columns import columns_of
from vivavoce.conversations.findings.comparison import Tested, compare_two, decide
from vivavoce.conversations.result import Change, ConversationsResult, Line, RunDiff
from vivavoce.conversations.scenario import Plan
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import UsageError
from vivavoce.messages import say, say_count
from vivavoce.outcomes import TurnOutcome

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
    return compare_two(columns_of(lines, (new_name, old_name), plan))


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
