"""Two runs side by side: which turns improved or regressed, and whether the whole is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vivavoce.conversations.findings.columns import columns_of
from vivavoce.conversations.findings.comparison import Tested, compare_two, decide
from vivavoce.conversations.result import Change, ConversationsResult, Line, RunDiff
from vivavoce.conversations.transcript import RunHeader, TalkKey
from vivavoce.errors import UsageError
from vivavoce.messages import say, say_count
from vivavoce.outcomes import TurnOutcome

Place = tuple[str, int, int]
Turn = tuple[str, int]
_IDLE = (TurnOutcome.ERROR, TurnOutcome.NOT_REACHED)


@dataclass(frozen=True, eq=False)
class _Pair:
    """One bot in both runs: its lines by script, repeat and number, without the scripts that were edited."""

    before_name: str
    after_name: str
    before: dict[Place, Line]
    after: dict[Place, Line]

    def both(self) -> Iterator[tuple[Line, Line]]:
        """Yield the lines that are in both runs."""
        return ((self.before[place], line) for place, line in self.after.items() if place in self.before)


def diff_runs(before: ConversationsResult, after: ConversationsResult) -> RunDiff:
    """Compare two runs of the same bots, or of one bot each whatever their names.

    A script whose content changed is listed as edited; its turns are in no other list and in no difference.
    """
    edited = _edited(before.header, after.header)
    pairs = [_pair(before, after, names, set(edited)) for names in _matches(before, after)]
    turns = [lines for pair in pairs for lines in pair.both()]
    told = [(a, b) for a, b in turns if a.verdict.outcome.counted and b.verdict.outcome.counted]
    changed = [(a, b) for a, b in told if a.verdict.outcome.passed != b.verdict.outcome.passed]
    return RunDiff(
        before=before.header,
        after=after.header,
        improved=tuple(_change(a, b) for a, b in changed if b.verdict.outcome.passed),
        regressed=tuple(_change(a, b) for a, b in changed if a.verdict.outcome.passed),
        new=tuple(key for pair in pairs for key in _only(pair.after, pair.before)),
        gone=tuple(key for pair in pairs for key in _only(pair.before, pair.after)),
        edited=edited,
        unchanged=len(told) - len(changed),
        comparisons=tuple(decide([_compare(pair, after.header) for pair in pairs])),
        warnings=tuple(_warnings(before, after, turns)),
    )


def _matches(before: ConversationsResult, after: ConversationsResult) -> list[tuple[str, str]]:
    old, new = ([bot.name for bot in run.header.bots] for run in (before, after))
    shared = [(name, name) for name in new if name in old]
    if shared:
        return shared
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    raise UsageError(
        "the two runs have no bot in common",
        where=f"{before.header.run} ({', '.join(old)}) and {after.header.run} ({', '.join(new)})",
        remedy="compare runs of the same bot, or two runs of one bot each",
    )


def _edited(before: RunHeader, after: RunHeader) -> tuple[str, ...]:
    old = {script.id: script.version for script in before.plan.scripts}
    return tuple(s.id for s in after.plan.scripts if s.id in old and old[s.id] != s.version)


def _pair(before: ConversationsResult, after: ConversationsResult, names: tuple[str, str], edited: set[str]) -> _Pair:
    old, new = (
        {
            (line.key.script, line.key.repeat, line.number): line
            for line in run.lines
            if line.key.bot == name and line.key.script not in edited
        }
        for run, name in zip((before, after), names, strict=True)
    )
    return _Pair(*names, old, new)


def _change(before: Line, after: Line) -> Change:
    return Change(after.key, after.number, before.verdict.outcome, after.verdict.outcome)


def _only(own: dict[Place, Line], other: dict[Place, Line]) -> Iterator[tuple[TalkKey, int]]:
    """Yield the turns of scripts that the other run does not have at all; more repeats make no turn new."""
    known: set[Turn] = {(script, number) for script, _, number in other}
    seen: set[Turn] = set()
    for (script, _, number), line in own.items():
        if (script, number) not in known and (script, number) not in seen:
            seen.add((script, number))
            yield line.key, line.number


def _compare(pair: _Pair, header: RunHeader) -> Tested:
    """Compare the accuracy of the later run with that of the earlier one, on the turns counted in both."""
    same = pair.before_name == pair.after_name
    later = f"{pair.after_name} (after)" if same else pair.after_name
    earlier = f"{pair.before_name} (before)" if same else pair.before_name
    both = list(pair.both())
    lines = [*_renamed((after for _, after in both), later), *_renamed((before for before, _ in both), earlier)]
    return compare_two(columns_of(lines, (later, earlier), header.plan))


def _renamed(lines: Iterable[Line], bot: str) -> list[Line]:
    return [replace(line, key=replace(line.key, bot=bot)) for line in lines]


def _warnings(
    before: ConversationsResult,
    after: ConversationsResult,
    turns: Sequence[tuple[Line, Line]],
) -> Iterator[str]:
    lost = sum(a.verdict.outcome in _IDLE or b.verdict.outcome in _IDLE for a, b in turns)
    if lost:
        yield say(
            "{turns} could not be compared: failed to run or not reached in one of the runs",
            turns=say_count(lost, "{n} turn", "{n} turns"),
        )
    old, new = ({bot.name for bot in run.header.bots} for run in (before, after))
    if old & new and old != new:
        names = ", ".join(sorted(old ^ new))
        yield say("bots in one of the runs only are not compared: {names}", names=names)
    if before.header.repeats != after.header.repeats:
        yield say(
            "the runs have {repeats} and {header_repeats} repeats: only repeats that are in both are compared",
            repeats=before.header.repeats,
            header_repeats=after.header.repeats,
        )
