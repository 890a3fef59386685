"""From the record of a run to its findings, files and exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.conversations.options import DiffReports, Reports
from vivavoce.cli.shared.failures import explain, tell
from vivavoce.cli.shared.results import Screen, check_targets, write_content, write_page
from vivavoce.errors import DataError, Fault, GateError, UsageError, WorkError, nearest, plural

if TYPE_CHECKING:
    from vivavoce.bots import BotFacts
    from vivavoce.conversations import ConversationsResult, RunDiff, RunEnd, RunRecord, SuiteCheck
    from vivavoce.reports.conversations.gates import TurnGate

TABLES = (".csv", ".xlsx")


def check_reports(reports: Reports, inputs: Sequence[str] = ()) -> None:
    """Refuse paths that cannot be written before any bot is asked."""
    check_targets(reports.targets, inputs)
    if reports.turns and reports.turns.suffix.casefold() not in TABLES:
        raise UsageError(
            f"a table of turns is {' or '.join(TABLES)}",
            where=f"--turns {reports.turns}",
            remedy="give one of these endings",
        )


def turn_gates(texts: Sequence[str] | None) -> list[TurnGate]:
    """Read the gates before any work is done."""
    from vivavoce.reports.conversations.gates import parse_turn_gate

    return [parse_turn_gate(text) for text in texts or ()]


def require_names(gates: Sequence[TurnGate], bots: Sequence[BotFacts]) -> None:
    """Refuse gates for bots that are not part of the run, before any bot is asked."""
    names = [bot.name for bot in bots]
    strangers = [gate.bot for gate in gates if gate.bot is not None and gate.bot not in names]
    if strangers:
        raise UsageError(
            "gates can only ask for bots of the run",
            faults=[Fault(f"no bot of this run is called '{name}'.{nearest(name, names)}") for name in strangers],
            remedy=f"the bots are: {', '.join(names)}",
        )


def hand_over(
    record: RunRecord, end: RunEnd | None, reports: Reports, gates: Sequence[TurnGate], *, strict: bool
) -> None:
    """Count the findings, write and show what was asked for, and end as the result deserves."""
    from vivavoce.conversations import score_run

    result = score_run(record)
    # Files first: whoever reads the terminal may stop reading, as in `viva ... | head`.
    _write(result, record, reports)
    _show(result, record, reports)
    _tell_written(reports)
    if reports.speaks and end is not None:
        tell(f"The record of this run: {record.folder}")
    _conclude(result, record, end, gates, strict)


def _show(result: ConversationsResult, record: RunRecord, reports: Reports) -> None:
    from vivavoce.reports.conversations.tables import show_conversations

    if reports.speaks:
        show_conversations(Screen(), result, record, verbose=reports.verbose, literal=reports.literal)


def _write(result: ConversationsResult, record: RunRecord, reports: Reports) -> None:
    """Write each file that was asked for; the heavy parts are loaded for it alone."""
    if reports.html:
        from vivavoce.reports.conversations.html import render_conversations

        write_page(reports.html, render_conversations(result, record))
    if reports.junit:
        from vivavoce.reports.conversations.junit import render_junit

        write_page(reports.junit, render_junit(result, record))
    if reports.turns:
        from vivavoce.reports.conversations.turn_tables import write_turns

        write_turns(reports.turns, result, record)
    if reports.markdown:
        from vivavoce.reports.conversations.markdown import render_summary

        write_page(reports.markdown, render_summary(result))
    if reports.json_path:
        from vivavoce.conversations import result_to_json

        write_content(reports.json_path, result_to_json(result))


def _tell_written(reports: Reports | DiffReports) -> None:
    for path in reports.targets.values():
        if path and str(path) != "-" and reports.speaks:
            tell(f"Written: {path}")


def compared(before: Path, after: Path, reports: DiffReports) -> RunDiff:
    """Compare two runs; write and show what was asked for."""
    from vivavoce.conversations import RunRecord, diff_runs, diff_to_json, score_run
    from vivavoce.reports.conversations.tables import show_run_diff

    with RunRecord.open(before) as first, RunRecord.open(after) as second:
        diff = diff_runs(score_run(first), score_run(second))
        if reports.html:
            from vivavoce.reports.conversations.html import render_run_diff

            write_page(reports.html, render_run_diff(diff, first, second))
        if reports.markdown:
            from vivavoce.reports.conversations.markdown import render_diff_summary

            write_page(reports.markdown, render_diff_summary(diff, first, second))
        if reports.json_path:
            write_content(reports.json_path, diff_to_json(diff))
        if reports.speaks:
            show_run_diff(Screen(), diff, first, second, verbose=reports.verbose)
        _tell_written(reports)
    return diff


# --- the exit code -----------------------------------------------------------------------------------------------


def conclude_check(found: SuiteCheck, source: str, *, listed: bool, strict: bool) -> None:
    """End with the exit code that scenarios deserve; errors are told here only where they are `listed` nowhere."""
    if found.errors:
        raise DataError(
            f"{plural(len(found.errors), 'error')} in these scenarios",
            where=source,
            faults=() if listed else [Fault(problem.message, problem.where) for problem in found.errors],
            remedy="correct what is listed, then check again",
        )
    if strict and found.warnings:
        raise GateError(
            f"{plural(len(found.warnings), 'warning')} about these scenarios",
            where=source,
            faults=() if listed else [Fault(problem.message, problem.where) for problem in found.warnings],
            remedy="correct what is listed, or leave out --strict",
        )


def _conclude(
    result: ConversationsResult, record: RunRecord, end: RunEnd | None, gates: Sequence[TurnGate], strict: bool
) -> None:
    """End with the exit code that the result deserves: incomplete work outweighs a missed gate."""
    from vivavoce.reports.conversations.gates import require_turn_gates

    complete = end is None or end.complete
    try:
        require_turn_gates(result, gates, strict=strict)
    except GateError as error:
        if complete:
            raise
        explain(error)
    if end is not None and not end.complete:
        raise _incomplete(record, end)


def _incomplete(record: RunRecord, end: RunEnd) -> WorkError:
    parts = [plural(end.errored, "conversation") + " could not be held"] if end.errored else []
    parts += [f"{plural(end.left, 'conversation')} not begun"] if end.left else []
    again = f"viva conversations resume {record.folder}"
    return WorkError(
        f"{' and '.join(parts)}; not counted as wrong",
        where=str(record.folder),
        faults=[*_causes(record), *(Fault(reason) for reason in end.reasons)],
        remedy=f"put the cause right, then: {again}" if end.errored else f"to go on: {again}",
    )


def _causes(record: RunRecord) -> list[Fault]:
    """Return what ended conversations too early: each cause of each bot once, in its own words."""
    from vivavoce.conversations.transcript import State

    counts: Counter[tuple[str, str]] = Counter()
    words: dict[tuple[str, str], str] = {}
    for talk in record.transcripts():
        if talk.state is not State.ERRORED or not talk.exchanges:
            continue
        last = talk.exchanges[-1]
        cause = (talk.key.bot, last.status.value if last.status.error else talk.note)
        counts[cause] += 1
        words.setdefault(cause, last.error or last.status.meaning if last.status.error else talk.note)
    return [Fault(f"{words[cause]} ({plural(count, 'conversation')})", cause[0]) for cause, count in counts.items()]
