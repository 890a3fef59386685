"""Two runs of conversations side by side: which turns got better or worse, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vivavoce.conversations.findings.diff import diff_runs
from vivavoce.conversations.result import Change, ConversationsResult, Line, RunDiff, Verdict
from vivavoce.conversations.scenario import Script
from vivavoce.conversations.transcript import TalkKey
from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.conversations.exchanges import key_before
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState, TurnRow
from vivavoce.workspace.conversations.conversations import KIND, TurnPlace, conversations_result, said_at
from vivavoce.workspace.conversations.transcripts import material_of
from vivavoce.workspace.exams.runs import get_run, list_runs

# The numbers that stand side by side.
SHOWN = ("accuracy", "precision", "recall", "f1", "fallback_rate", "comprehension_rate", "wrong_answer_rate")

# Where nobody says which two, they are looked for among so many.
LOOKED_AT = 6

_DIFFS: Kept[RunDiff] = Kept(8)


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A number of a bot in both runs; None where a run does not have the bot."""

    bot: str
    name: str
    before: Rate | None
    after: Rate | None


@dataclass(frozen=True)
class RunChanges:
    """Two runs and what differs between them; `a` is the earlier one of the comparison."""

    a: Run
    b: Run
    diff: RunDiff
    numbers: tuple[NumberChange, ...]


@dataclass(frozen=True, slots=True)
class ChangedTurn:
    """A turn that came out otherwise, with what was said in both runs where that is known."""

    change: Change
    before: TurnRow | None
    after: TurnRow | None


def compare_conversations(store: Store, project: Project, a: int, b: int) -> RunChanges:
    """Compare two runs by their numbers; refused where they cannot be compared."""
    with store.reading() as tx:
        before, after = get_run(tx, project, a, KIND), get_run(tx, project, b, KIND)
    if before.id == after.id:
        raise UsageError(say("a run is not compared with itself"), remedy=say("choose two runs"))
    results = conversations_result(store, before), conversations_result(store, after)
    key = (before.id, before.version, after.id, after.version)
    diff = _DIFFS.get(key, lambda: _diff(store, (before, after), results))
    return RunChanges(before, after, diff, tuple(_numbers(*results)))


def newest_pair(store: Store, project: Project) -> tuple[int, int]:
    """Return the numbers of the newest run that is done and of the newest before it with the same suite; 0: none."""
    done = [line.run for line in list_runs(store, project, kind=KIND, state=RunState.DONE, limit=LOOKED_AT).lines]
    for place, after in enumerate(done):
        suite = material_of(store, after).header.plan.suite
        before = (run for run in done[place + 1 :] if material_of(store, run).header.plan.suite == suite)
        if (found := next(before, None)) is not None:
            return found.number, after.number
    return 0, 0


def changed_turns(store: Store, changes: RunChanges, chosen: tuple[Change, ...]) -> tuple[ChangedTurn, ...]:
    """Return some changes with what was said in both runs."""
    after = said_at(store, changes.b, [_place(one.key, one.number) for one in chosen])
    before = said_at(store, changes.a, [_place(key_before(changes.diff, one), one.number) for one in chosen])
    return tuple(
        ChangedTurn(
            one,
            before.get(_place(key_before(changes.diff, one), one.number)),
            after.get(_place(one.key, one.number)),
        )
        for one in chosen
    )


def _place(key: TalkKey, number: int) -> TurnPlace:
    return TurnPlace(key.bot, key.script, key.repeat, number)


def _diff(store: Store, runs: Sequence[Run], results: Sequence[ConversationsResult]) -> RunDiff:
    # Repeats that only one of the runs has are never compared.
    repeats = min(result.header.repeats for result in results)
    before, after = (_whole(store, run, result, repeats) for run, result in zip(runs, results, strict=True))
    return diff_runs(before, after)


def _whole(store: Store, run: Run, result: ConversationsResult, repeats: int) -> ConversationsResult:
    """Return a result with its scripts and the judged turns of its first repeats, kept apart from the numbers."""
    header = material_of(store, run).header
    scripts = {script.id: script for script in header.plan.scripts}
    with store.reading() as tx:
        rows = tx.turns.of_run(run.id, repeats=repeats)
    lines = tuple(_line(row, scripts[row.script]) for row in rows if row.outcome)
    return replace(result, header=header, lines=lines)


def _line(row: TurnRow, script: Script) -> Line:
    turn = script.turns[row.number - 1]
    told = row.detail
    return Line(
        key=TalkKey(row.bot, row.script, row.repeat),
        number=row.number,
        turn=turn.id,
        scenario=row.scenario,
        domain=row.domain,
        level=row.level,
        kind=row.kind,
        expected=tuple(told.get("expected", ())),
        verdict=Verdict(
            TurnOutcome(row.outcome),
            in_scope=bool(told.get("in_scope", True)),
            fallback=bool(told.get("fallback", False)),
            intent=told.get("intent"),
        ),
        status=row.status,
        first_ms=row.first_ms,
        last_ms=None,
        attempts=int(told.get("attempts", 1)),
        cold=False,
        twin=turn.twin,
    )


def _numbers(before: ConversationsResult, after: ConversationsResult) -> Iterator[NumberChange]:
    names = dict.fromkeys(bot.name for run in (after, before) for bot in run.header.bots)
    for bot in names:
        cells = [_cell_rates(run, bot) for run in (before, after)]
        for name in SHOWN:
            yield NumberChange(bot, name, cells[0].get(name), cells[1].get(name))


def _cell_rates(result: ConversationsResult, bot: str) -> dict[str, Rate]:
    known = {one.name for one in result.header.bots}
    return dict(result.cell(bot).rates) if bot in known else {}
