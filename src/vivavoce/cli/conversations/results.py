"""From the record of a run to its findings, files and exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.conversations.options import DiffReports, Reports
from vivavoce.cli.shared.failures import explain, tell
from vivavoce.cli.shared.results import Screen, check_targets, tell_written, write_content, write_page
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
            "turns can only be written as CSV or XLSX",
            where=f"--turns {reports.turns}",
            remedy=f"use the extension {' or '.join(TABLES)}",
        )


def parse_turn_gates(texts: Sequence[str] | None) -> list[TurnGate]:
    """Read the gates before any work is done."""
    from vivavoce.reports.conversations.gates import parse_turn_gate

    return [parse_turn_gate(text) for text in texts or ()]


def require_names(gates: Sequence[TurnGate], bots: Sequence[BotFacts]) -> None:
    """Refuse gates for bots that are not part of the run, before any bot is asked."""
    names = [bot.name for bot in bots]
    unknown = [gate.bot for gate in gates if gate.bot is not None and gate.bot not in names]
    if unknown:
        raise UsageError(
            "gates can only refer to bots of the run",
            faults=[Fault(f"unknown bot '{name}' in this run.{nearest(name, names)}") for name in unknown],
            remedy=f"the bots are: {', '.join(names)}",
        )


def hand_over(
    record: RunRecord, end: RunEnd | None, reports: Reports, gates: Sequence[TurnGate], *, strict: bool
) -> None:
    """Compute the findings, write and show them, and end with the exit code that they deserve."""
    from vivavoce.conversations import score_run
    from vivavoce.reports.conversations.gates import require_turn_gates
    from vivavoce.reports.conversations.tables import show_conversations

    result = score_run(record)
    # Files first: the reader of the terminal may stop reading, as in `viva ... | head`.
    _write(result, record, reports)
    if reports.speaks:
        show_conversations(Screen(), result, record, verbose=reports.verbose, literal=reports.literal)
        tell_written(reports)
        if end is not None:
            tell(f"Run record: {record.folder}")
    complete = end is None or end.complete
    try:
        require_turn_gates(result, gates, strict=strict)
    except GateError as error:
        if complete:
            raise
        explain(error)
    if end is not None and not end.complete:
        raise _build_incomplete_error(record, end)


def _write(result: ConversationsResult, record: RunRecord, reports: Reports) -> None:
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


def publish_diff(before: Path, after: Path, reports: DiffReports) -> RunDiff:
    """Compare two runs; write and show the differences."""
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
    tell_written(reports)
    return diff


def conclude_check(result: SuiteCheck, source: str, *, listed: bool, strict: bool) -> None:
    """End with the exit code that scenarios deserve; name the problems here only if no list shows them."""
    if result.errors:
        raise DataError(
            f"{plural(len(result.errors), 'error')} in these scenarios",
            where=source,
            faults=() if listed else [Fault(problem.message, problem.where) for problem in result.errors],
            remedy="fix the errors listed, then check again",
        )
    if strict and result.warnings:
        raise GateError(
            f"{plural(len(result.warnings), 'warning')} about these scenarios",
            where=source,
            faults=() if listed else [Fault(problem.message, problem.where) for problem in result.warnings],
            remedy="fix the warnings listed, or remove --strict",
        )


def _build_incomplete_error(record: RunRecord, end: RunEnd) -> WorkError:
    """Name what ended conversations early: each cause of each bot once, in its own words."""
    from vivavoce.conversations.transcript import State

    counts: Counter[tuple[str, str]] = Counter()
    words: dict[tuple[str, str], str] = {}
    for transcript in record.transcripts():
        if transcript.state is not State.ERRORED or not transcript.exchanges:
            continue
        last, note = transcript.exchanges[-1], transcript.note
        cause = (transcript.key.bot, last.status.value if last.status.error else note)
        counts[cause] += 1
        words.setdefault(cause, last.error or last.status.meaning if last.status.error else note)
    causes = [Fault(f"{words[cause]} ({plural(n, 'conversation')})", cause[0]) for cause, n in counts.items()]
    parts = [plural(end.errored, "conversation") + " failed"] if end.errored else []
    parts += [f"{plural(end.left, 'conversation')} not started"] if end.left else []
    again = f"viva conversations resume {record.folder}"
    return WorkError(
        f"{' and '.join(parts)}; none counts as wrong",
        where=str(record.folder),
        faults=[*causes, *(Fault(reason) for reason in end.reasons)],
        remedy=f"fix the cause, then run: {again}" if end.errored else f"to resume, run: {again}",
    )
