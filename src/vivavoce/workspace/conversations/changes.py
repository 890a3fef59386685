"""Two runs of conversations side by side: which turns got better or worse, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vivavoce.conversations.findings.comparison import diff_runs
from vivavoce.conversations.result import Change, ConversationsResult, Line, RunDiff, Verdict
from vivavoce.conversations.scenario import Script
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.conversations.transcripts import key_before
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState, TurnRow
from vivavoce.workspace.conversations.conversations import KIND, conversations_result, find_turns
from vivavoce.workspace.conversations.transcripts import material_of
from vivavoce.workspace.exams.runs import get_run, list_runs

# The numbers that stand side by side.
SHOWN = ("accuracy", "precision", "recall", "f1", "fallback_rate", "comprehension_rate", "wrong_answer_rate")

# Where nobody says which two, they are looked for among so many.
LOOKED_AT = 6

_DIFFS: Kept[RunDiff] = Kept(8)


Rates = Mapping[str, Mapping[str, Rate]]


@dataclass(frozen=True)
class RunChanges:
    """Two runs and what differs between them; `a` is the earlier one. `before`, `after`: the rates of each bot."""

    a: Run
    b: Run
    diff: RunDiff
    before: Rates
    after: Rates


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
        raise UsageError(say("a run cannot be compared with itself"), remedy=say("choose two different runs"))
    results = conversations_result(store, before), conversations_result(store, after)
    key = (before.id, before.version, after.id, after.version)

    def find_diff() -> RunDiff:
        # Repeats that only one of the runs has are never compared.
        repeats = min(result.header.repeats for result in results)
        return diff_runs(*(_add_lines(store, *pair, repeats) for pair in zip((before, after), results, strict=True)))

    rates = ({bot.name: result.cell(bot.name).rates for bot in result.header.bots} for result in results)
    return RunChanges(before, after, _DIFFS.get(key, find_diff), *rates)


def newest_pair(store: Store, project: Project) -> tuple[int, int]:
    """Return the numbers of the newest run that is done and of the newest before it with the same suite; 0: none."""
    done = [line.run for line in list_runs(store, project, kind=KIND, state=RunState.DONE, limit=LOOKED_AT).lines]
    for place, after in enumerate(done):
        suite = material_of(store, after).header.plan.suite
        before = (run for run in done[place + 1 :] if material_of(store, run).header.plan.suite == suite)
        if (run := next(before, None)) is not None:
            return run.number, after.number
    return 0, 0


def changed_turns(store: Store, changes: RunChanges, chosen: tuple[Change, ...]) -> tuple[ChangedTurn, ...]:
    """Return some changes with what was said in both runs."""
    later = [(change.key, change.number) for change in chosen]
    earlier = [(key_before(changes.diff, change), change.number) for change in chosen]
    before, after = find_turns(store, changes.a, earlier), find_turns(store, changes.b, later)
    return tuple(
        ChangedTurn(change, before.get(first), after.get(second))
        for change, first, second in zip(chosen, earlier, later, strict=True)
    )


def _add_lines(store: Store, run: Run, result: ConversationsResult, repeats: int) -> ConversationsResult:
    """Return a result with its scripts and the judged turns of its first repeats, kept apart from the numbers."""
    header = material_of(store, run).header
    scripts = {script.id: script for script in header.plan.scripts}
    with store.reading() as tx:
        rows = tx.turns.of_run(run.id, repeats=repeats)
    lines = tuple(_make_line(row, scripts[row.script]) for row in rows if row.outcome)
    return replace(result, header=header, lines=lines)


def _make_line(row: TurnRow, script: Script) -> Line:
    turn = script.turns[row.number - 1]
    detail = row.detail
    return Line(
        key=ConversationKey(row.bot, row.script, row.repeat),
        number=row.number,
        turn=turn.id,
        scenario=row.scenario,
        domain=row.domain,
        level=row.level,
        kind=row.kind,
        expected=tuple(detail.get("expected", ())),
        verdict=Verdict(
            TurnOutcome(row.outcome),
            in_scope=bool(detail.get("in_scope", True)),
            fallback=bool(detail.get("fallback", False)),
            intent=detail.get("intent"),
        ),
        status=row.status,
        first_ms=row.first_ms,
        last_ms=None,
        attempts=int(detail.get("attempts", 1)),
        cold=False,
        twin=turn.twin,
    )
