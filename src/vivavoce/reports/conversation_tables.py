"""Conversations in the terminal: who was right how often, which difference is real, what to fix first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from vivavoce.conversations.record import RunRecord
from vivavoce.conversations.result import ALL, Cell, Change, ConversationsResult, Problem, RunDiff
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports import conversation_wording as wording
from vivavoce.reports.conversation_meanings import measure_of, milliseconds_interval, milliseconds_text
from vivavoce.reports.layout import block, bullets, heading, numbers_table, plain_table
from vivavoce.reports.meanings import value_text
from vivavoce.reports.talks import said_and_answered

if TYPE_CHECKING:
    from vivavoce.bots.contract import ContractReport
    from vivavoce.conversations.check import SuiteCheck
    from vivavoce.conversations.twins import TypoReport
    from vivavoce.plugins import Description

# The paper's seven, in its order.
SEVEN = ("time", "fallback_rate", "comprehension_rate", "accuracy", "precision", "recall", "f1")
# Short, so that all seven stand side by side in a window of a hundred columns.
TITLES = {"time": "Time", "fallback_rate": "Fallback", "comprehension_rate": "Misspelt", "accuracy": "Right"}
NAMES = 22
WIDTH = 9
GAP = 2
PROBLEMS = 3
FEW_CHANGES = 10
FEWEST = 10


def show_conversations(
    console: Console, result: ConversationsResult, record: RunRecord, *, verbose: bool = False, literal: bool = False
) -> None:
    """Show a run: the sentence, the table of the seven numbers, who is better, what to fix first."""
    console.print()
    console.print(block(wording.headline(result), "bold"))
    for domain in shown_domains(result):
        console.print(
            heading(wording.domain_name(domain), _aside(result) if domain == shown_domains(result)[0] else "")
        )
        console.print()
        console.print(_seven(result, domain, console.width))
    _show_verdicts(console, result)
    _show_problems(console, result, record)
    if verbose:
        console.print(_all_numbers(result))
        console.print(_topics(result))
    if literal:
        console.print(_literal(result))
    _show_notes(console, result, verbose)


def shown_domains(result: ConversationsResult) -> list[str]:
    """Return the domains that get a table: each, and all together where there are several."""
    found = list(dict.fromkeys(cell.domain for cell in result.cells if cell.domain != ALL))
    return found if len(found) == 1 else [*found, ALL]


def _aside(result: ConversationsResult) -> str:
    return (
        "Under each value: where it would lie with other conversations of this kind. "
        "Time: mean of a reply. Fallback is neither good nor bad by itself. Misspelt: misspelt messages understood."
    )


def _seven(result: ConversationsResult, domain: str, width: int) -> RenderableType:
    """Return the table; columns for which the window is too narrow stand in a table below."""
    fitting = max(2, (width - NAMES) // (WIDTH + GAP))
    parts: list[RenderableType] = []
    for start in range(0, len(SEVEN), fitting):
        parts += [_seven_table(result, domain, SEVEN[start : start + fitting]), Text()]
    return Group(*parts[:-1])


def _seven_table(result: ConversationsResult, domain: str, names: Sequence[str]) -> Table:
    table = plain_table()
    table.padding = (0, 0, 0, GAP)
    table.add_column("Bot and level", min_width=NAMES - GAP, overflow="fold")
    for name in names:
        table.add_column(TITLES.get(name) or measure_of(name).title, justify="right", min_width=WIDTH)
    for bot in result.header.bots:
        cells = cells_by_level(result, bot.name, domain)
        for cell in cells:
            table.add_row(*_seven_row(cell, names), end_section=cell is cells[-1])
    return table


def cells_by_level(result: ConversationsResult, bot: str, domain: str) -> list[Cell]:
    """Return the cells of a bot from the easiest level to all levels together."""
    order = [*dict.fromkeys(script.level for script in result.header.plan.scripts)]
    known = [level for level in ("basic", "medium", "complex") if level in order]
    order = [*known, *(level for level in order if level not in known), ALL]
    cells = {cell.level: cell for cell in result.cells if (cell.bot, cell.domain) == (bot, domain)}
    return [cells[level] for level in order if level in cells]


def _seven_row(cell: Cell, names: Sequence[str]) -> Iterator[RenderableType]:
    mark = " (incomplete)" if cell.incomplete else ""
    style = "bold" if cell.level == ALL else ""
    yield Text.assemble(
        (f"{cell.bot}, {wording.cell_name(cell)}{mark}", style), "\n", (plural(cell.counts.counted, "turn"), "dim")
    )
    for name in names:
        yield _time_cell(cell.times.mean) if name == "time" else rate_cell(cell.rates[name], measure_of(name).kind)


def _time_cell(mean: Rate) -> Text:
    around = milliseconds_interval(mean)
    value = Text(milliseconds_text(mean.value))
    return Text.assemble(value, "\n", (around, "dim")) if around else value


def rate_cell(rate: Rate, kind: str = "share") -> Text:
    """Return a value over its interval; under ten turns the count alone, for a share of so few says little."""
    if rate.value is None:
        return Text("n/a", style="dim")
    if rate.n < FEWEST and kind == "share":
        return Text.assemble(f"{round(rate.value * rate.n)} of {rate.n}", "\n", ("too few", "dim"))
    around = _around(rate, kind)
    value = value_text("share" if kind == "share" else "score", rate.value)
    return Text.assemble(value, "\n", (around, "dim")) if around else Text(value)


def _around(rate: Rate, kind: str) -> str:
    if rate.low is None or rate.high is None:
        return ""
    return f"{100 * rate.low:.0f}-{100 * rate.high:.0f}" if kind == "share" else f"{rate.low:.2f}-{rate.high:.2f}"


# --- what follows from the numbers -------------------------------------------------------------------------------


def _show_verdicts(console: Console, result: ConversationsResult) -> None:
    told = list(wording.verdicts(result))
    if not told:
        return
    console.print(heading("Which differences are real?"))
    console.print(bullets(told))
    if len(result.strengths) > 2:
        rows = [
            (one.bot, f"{one.strength:+.2f}", _span(one.low, one.high), f"{one.wins:g} of {one.contests}")
            for one in result.strengths
        ]
        console.print()
        console.print(numbers_table(("Bot against bot", "Strength", "Range", "Talks won"), rows))


def _span(low: float | None, high: float | None) -> str:
    return "n/a" if low is None or high is None else f"{low:+.2f} to {high:+.2f}"


def _show_problems(console: Console, result: ConversationsResult, record: RunRecord) -> None:
    if not result.problems:
        return
    console.print(heading("What to fix first"))
    for bot in result.header.bots:
        found = [problem for problem in result.problems if problem.bot == bot.name][:PROBLEMS]
        if found:
            console.print()
            console.print(Text(bot.name, style="bold"))
        for place, problem in enumerate(found, 1):
            console.print(_problem(place, problem, record))


def _problem(place: int, problem: Problem, record: RunRecord) -> RenderableType:
    parts: list[RenderableType] = [block(Text.assemble((f"{place}. ", "bold"), problem.message))]
    if problem.remedy:
        parts.append(block(problem.remedy, "dim", indent=3))
    for key, number in problem.examples[:1]:
        sent, answer = said_and_answered(record.transcript(key), number)
        parts.append(block(f"“{_short(sent)}” → “{_short(answer)}” ({key.script}, turn {number})", indent=3))
    return Group(*parts)


def _short(text: str, most: int = 140) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."


def _all_numbers(result: ConversationsResult) -> RenderableType:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows: list[list[str | Text]] = [
        [measure_of(name).title, *[rate_cell(cell.rates[name], measure_of(name).kind) for cell in cells]]
        for name in cells[0].rates
    ]
    for title, name in (("Median time", "p50"), ("95 of 100 within", "p95"), ("99 of 100 within", "p99")):
        rows.append([title, *[milliseconds_text(getattr(cell.times, name)) for cell in cells]])
    rows.append(["Without an answer in time", *[f"{cell.times.timeouts:,}" for cell in cells]])
    rows.append(["Could not be run", *[f"{cell.counts.error:,}" for cell in cells]])
    head = ("Number", *[cell.bot for cell in cells])
    return Group(heading("All numbers"), Text(), numbers_table(head, rows))


def _topics(result: ConversationsResult) -> RenderableType:
    rows = [
        (
            row.bot,
            row.intent or "(out of scope)",
            f"{row.n:,}",
            value_text("share", row.precision),
            value_text("share", row.recall),
            ", ".join(f"{name} {n}" for name, n in row.confused_with[:2]),
        )
        for row in result.topics
    ]
    head = ("Bot", "Topic", "Asked", "Precision", "Recall", "Taken for")
    return Group(heading("Topics"), Text(), numbers_table(head, rows, words=2))


def _literal(result: ConversationsResult) -> RenderableType:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows = [
        (cell.bot, *[value_text("share", value) for value in cell.literal.values()], f"{cell.literal_unclassified:,}")
        for cell in cells
    ]
    names = [name.removeprefix("echo_literal_") for name in cells[0].literal]
    note = (
        "By the wording of the paper this “accuracy” is the share of questions in scope: the same for every "
        "bot. Shown for comparison with the paper only; nothing is ranked by it."
    )
    head = ("As the ECHO paper words it", *[f"literal {name}" for name in names], "no class")
    return Group(heading("As the ECHO paper words it", note), Text(), numbers_table(head, rows))


def _show_notes(console: Console, result: ConversationsResult, verbose: bool) -> None:
    twins = [wording.twins_sentence(result.cell(bot.name)) for bot in result.header.bots]
    notes = [*result.failures, *result.warnings, wording.source_note(result), *twins]
    told = [note for note in notes if note]
    if not told:
        return
    console.print(heading("What to know"))
    console.print(bullets(told if verbose else told[:8]))
    if not verbose and len(told) > 8:
        console.print(block(f"... and {len(told) - 8} more; --verbose shows all.", "dim"))


# --- two runs ----------------------------------------------------------------------------------------------------


def show_run_diff(
    console: Console, diff: RunDiff, before: RunRecord, after: RunRecord, *, verbose: bool = False
) -> None:
    """Show what changed between two runs, what got worse first."""
    console.print()
    console.print(block(wording.diff_headline(diff), "bold"))
    console.print(bullets(wording.verdict_sentence(comparison) for comparison in diff.comparisons))
    most = len(diff.regressed) + len(diff.improved) if verbose else FEW_CHANGES
    for title, changes in (("Got worse", diff.regressed), ("Improved", diff.improved)):
        if changes:
            console.print(heading(f"{title} ({len(changes)})"))
            console.print(bullets(change_line(change, after) for change in changes[:most]))
            if len(changes) > most:
                console.print(block(f"... and {len(changes) - most} more; --verbose shows all.", "dim"))
    notes = list(_diff_notes(diff))
    if notes:
        console.print(heading("What to know"))
        console.print(bullets(notes))


def change_line(change: Change, after: RunRecord) -> str:
    """Return one change: where, from what to what, and the message."""
    sent, answer = said_and_answered(after.transcript(change.key), change.number)
    where = f"{change.key.bot}, {change.key.script}, turn {change.number}"
    return f"{where}: {change.before} → {change.after}. “{_short(sent, 80)}” → “{_short(answer, 80)}”"


def _diff_notes(diff: RunDiff) -> Iterator[str]:
    if diff.new:
        yield f"{plural(len(diff.new), 'turn')} only in the later run."
    if diff.gone:
        yield f"{plural(len(diff.gone), 'turn')} only in the earlier run."
    if diff.edited:
        yield f"Edited between the runs, and left out: {wording.enumerate_some(diff.edited)}."
    yield from diff.warnings


# --- checks, typos, bots -----------------------------------------------------------------------------------------


def show_suite_check(console: Console, check: SuiteCheck) -> None:
    """Show what is wrong with scenarios, worst first, and how large a run would be."""
    console.print()
    grave = [problem for problem in check.problems if problem.severity == "error"]
    rest = len(check.problems) - len(grave)
    console.print(block(f"{plural(len(grave), 'error')}, {plural(rest, 'note')}.", "bold"))
    console.print(block(check.summary))
    if check.problems:
        console.print(heading("Worst first"))
        console.print(
            bullets(_located(problem.severity, problem.message, problem.where) for problem in check.problems)
        )


def _located(severity: str, message: str, where: str) -> str:
    return f"{severity}: {message}" + (f" ({where})" if where else "")


def show_typos(console: Console, report: TypoReport) -> None:
    """Show what was misspelt."""
    console.print(block(report.summary, "bold"))
    console.print(bullets(f"“{before}” → “{after}”" for before, after in report.examples[:5]))


def show_bots(console: Console, bots: Iterable[Description]) -> None:
    """Show what can be talked to."""
    rows = [(one.name, one.origin, one.summary) for one in bots]
    console.print(numbers_table(("Name", "From", "What it is"), rows, words=3))


def show_contract(console: Console, report: ContractReport) -> None:
    """Show how a bot kept the contract, check by check."""
    console.print()
    word = "keeps" if report.passed else "does not keep"
    console.print(block(f"{report.name} {word} the contract.", "bold"))
    rows = [("yes" if check.passed else "NO", check.name, check.note) for check in report.checks]
    console.print(numbers_table(("", "Check", "Note"), rows, words=3))
