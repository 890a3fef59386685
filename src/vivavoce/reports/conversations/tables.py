"""Conversations in the terminal: who was right how often, which difference is real, what to fix first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from vivavoce.conversations.result import ALL, Cell, Change, ConversationsResult, Problem, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.conversations import verdicts, wording
from vivavoce.reports.conversations.changes import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.conversations.exchanges import example_of, key_before
from vivavoce.reports.conversations.meanings import MAIN, measure_of, narrow_text, number_of, outcome_name
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, plain_table, stack
from vivavoce.reports.shared.numbers import ENGLISH, milliseconds_text, share_text

if TYPE_CHECKING:
    from vivavoce.bots.contract import ContractReport
    from vivavoce.conversations.scenarios.check import SuiteCheck
    from vivavoce.conversations.scenarios.twins import TypoReport
    from vivavoce.plugins import Description

# The gap between columns and the width of names, the most comfortable first.
ROOMS = ((2, 24), (1, 24), (1, 18))
PROBLEMS = 3
MANY_BOTS = 3
MOST_LINES = 8
FEW_CHANGES = 10
EXAMPLE = 110


def show_conversations(
    console: Console, result: ConversationsResult, record: RunRecord, *, verbose: bool = False, literal: bool = False
) -> None:
    """Show a run: the sentence, the table of the seven numbers, who is better, what to fix first."""
    console.print()
    console.print(block(wording.headline(result), "bold"))
    second = wording.second_sentence(result)
    if second:
        console.print(block(second))
    for place, domain in enumerate(shown_domains(result)):
        console.print(heading(table_title(result, domain), "" if place else ASIDE))
        console.print(_main(console, result, domain, levels=verbose or domain == shown_domains(result)[0]))
    _show_verdicts(console, result, verbose)
    _show_problems(console, result, record, verbose)
    if verbose:
        console.print(_all_numbers(result))
        if result.topics:
            console.print(Group(heading("Topics"), Text(), numbers_table(TOPIC_HEAD, topic_cells(result), words=3)))
    if literal:
        console.print(_literal(result))
    _show_notes(console, result, verbose)


def shown_domains(result: ConversationsResult) -> list[str]:
    """Return the domains that get a table: all together where there are several, then each."""
    found = list(dict.fromkeys(cell.domain for cell in result.cells if cell.domain != ALL))
    return found if len(found) == 1 else [ALL, *found]


ASIDE = (
    "Under each value: where it would lie with other conversations of this kind. Time: mean of a reply. "
    "Misspelt: misspelt messages understood. Fallback, said not to know, is neither good nor bad by itself."
)


def _main(console: Console, result: ConversationsResult, domain: str, *, levels: bool) -> RenderableType:
    """Return the table; columns for which the window is too narrow stand in a table below."""
    wide = console.options.update(width=999)
    for fitting in range(len(MAIN), 1, -1):
        groups = [MAIN[start : start + fitting] for start in range(0, len(MAIN), fitting)]
        for room in ROOMS:
            tables = [_main_table(result, domain, names, room, levels=levels) for names in groups]
            if max(console.measure(table, options=wide).maximum for table in tables) <= console.width:
                return _stacked(tables)
    return _stacked(tables)


def _stacked(tables: Sequence[Table]) -> RenderableType:
    return Group(*[part for table in tables for part in (Text(), table)][1:])


def _main_table(
    result: ConversationsResult, domain: str, names: Sequence[str], room: tuple[int, int], *, levels: bool
) -> Table:
    table = plain_table()
    table.padding = (0, 0, 0, room[0])
    table.add_column("Bot, and by level" if levels else "Bot", max_width=room[1], overflow="fold")
    for name in names:
        table.add_column(measure_of(name).column, justify="right", no_wrap=True)
    for bot in result.header.bots:
        cells = cells_by_level(result, bot.name, domain)
        shown = cells if levels else cells[:1]
        for cell in shown:
            table.add_row(*_main_row(cell, names), end_section=cell is shown[-1])
    return table


def cells_by_level(result: ConversationsResult, bot: str, domain: str) -> list[Cell]:
    """Return the cells of a bot: all levels together, then from the easiest level to the hardest."""
    order = [ALL, *wording.level_order(script.level for script in result.header.plan.scripts)]
    cells = {cell.level: cell for cell in result.cells if (cell.bot, cell.domain) == (bot, domain)}
    order += [level for level in cells if level not in order]
    found = [cells[level] for level in order if level in cells]
    # One level alone is the whole.
    return found if len(found) > 2 else found[:1]


def table_title(result: ConversationsResult, domain: str) -> str:
    """Return the domain of a table, and its level where there is but one."""
    levels = {cell.level for cell in result.cells if cell.domain == domain and cell.level != ALL}
    return wording.domain_name(domain) + (f", {levels.pop()}" if len(levels) == 1 else "")


def _main_row(cell: Cell, names: Sequence[str]) -> Iterator[RenderableType]:
    mark = ", incomplete" if cell.incomplete else ""
    title = Text(cell.bot, style="bold") if cell.level == ALL else Text(f"  {cell.level}")
    indent = "" if cell.level == ALL else "  "
    yield Text.assemble(title, "\n", (f"{indent}{plural(cell.counts.counted, 'turn')}{mark}", "dim"))
    for name in names:
        yield rate_cell(name, number_of(cell, name))


def rate_cell(name: str, rate: Rate) -> Text:
    """Return a value over its interval; under ten turns without one, for a number of so few says little."""
    value = ENGLISH.parts(rate, measure_of(name)).value
    return stack(value, narrow_text(name, rate), "dim" if rate.value is None else "")


# --- what follows from the numbers -------------------------------------------------------------------------------


def _show_verdicts(console: Console, result: ConversationsResult, verbose: bool) -> None:
    told = list(verdicts.verdicts(result))
    if not told:
        return
    console.print(heading("Which differences are real?"))
    _show_some(console, told, verbose)
    if verbose and len(result.strengths) > 2:
        head = ("Bot against bot", "Strength", "Range", "Talks won")
        console.print()
        console.print(numbers_table(head, strength_rows(result)))


def strength_rows(result: ConversationsResult) -> list[tuple[str, str, str, str]]:
    """Return the bots in their order of strength."""
    return [
        (one.bot, f"{one.strength:+.2f}", _span(one.low, one.high), f"{one.wins:g} of {one.contests}")
        for one in result.strengths
    ]


def _span(low: float | None, high: float | None) -> str:
    return "n/a" if low is None or high is None else f"{low:+.2f} to {high:+.2f}"


def _show_some(console: Console, lines: Sequence[str], verbose: bool, most: int = MOST_LINES) -> None:
    """Show a list, or its beginning and how many more there are."""
    console.print(bullets(lines if verbose else lines[:most]))
    if not verbose and len(lines) > most:
        console.print(block(f"... and {len(lines) - most} more; --verbose shows all.", "dim", indent=2))


def _show_problems(console: Console, result: ConversationsResult, record: RunRecord, verbose: bool) -> None:
    if not result.problems:
        return
    # Three problems of each of many bots fill more than a screen: then the first of each is enough.
    most = PROBLEMS if verbose or len(result.header.bots) < MANY_BOTS else 1
    console.print(heading("What to fix first"))
    left = 0
    for bot in result.header.bots:
        found, rest = wording.first_problems(result, bot.name, most)
        left += rest
        if found:
            console.print(Group(Text(), Text(bot.name, style="bold")))
        for place, problem in enumerate(found, 1):
            console.print(_problem(place if most > 1 else 0, problem, record))
    if left and most < PROBLEMS:
        console.print()
        console.print(block(f"{left:,} more; --verbose shows up to three of each bot.", "dim"))


def _problem(place: int, problem: Problem, record: RunRecord) -> RenderableType:
    message = wording.sentence(problem.message)
    number = f"{place}. " if place else ""
    parts: list[RenderableType] = [block(Text.assemble((number, "bold"), message))]
    indent = len(number)
    for key, number_ in problem.examples[:1]:
        sent, answer = example_of(record, key, number_, EXAMPLE)
        said = Text.assemble(f"“{sent}” → {quoted(answer)} ", (f"({key.script}, turn {number_})", "dim"))
        parts.append(block(said, indent=indent))
    if problem.remedy:
        parts.append(block(wording.sentence(problem.remedy), "dim", indent=indent))
    return Group(*parts)


def quoted(answer: str) -> str:
    """Return what a bot said in quotes, and what is said about it (in brackets) as it is."""
    return answer if answer.startswith("(") and answer.endswith(")") else f"“{answer}”"


def _all_numbers(result: ConversationsResult) -> RenderableType:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows: list[list[str | Text]] = [
        [measure_of(name).title, *[rate_cell(name, cell.rates[name]) for cell in cells]] for name in cells[0].rates
    ]
    rows += [[title, *[said(cell) for cell in cells]] for title, said in TIMES_AND_FAILURES]
    head = ("Number", *[cell.bot for cell in cells])
    return Group(heading("All numbers"), Text(), numbers_table(head, rows))


TIMES_AND_FAILURES: tuple[tuple[str, Callable[[Cell], str]], ...] = (
    ("Replies timed", lambda cell: f"{cell.times.turns:,}"),
    ("Mean time, by turns", lambda cell: milliseconds_text(cell.times.pooled)),
    ("Median time", lambda cell: milliseconds_text(cell.times.p50)),
    ("95 of 100 within", lambda cell: milliseconds_text(cell.times.p95)),
    ("99 of 100 within", lambda cell: milliseconds_text(cell.times.p99)),
    ("Without an answer in time", lambda cell: f"{cell.times.timeouts:,}"),
    ("Could not be run", lambda cell: f"{cell.counts.error:,}"),
    ("Not reached", lambda cell: f"{cell.counts.not_reached:,}"),
    ("Not checked", lambda cell: f"{cell.counts.unchecked:,}"),
)


def topic_cells(result: ConversationsResult) -> list[tuple[str, ...]]:
    """Return the topics of each bot: how often asked, and how often found."""
    return [
        (
            row.bot,
            "(out of scope)" if row.intent is None else row.intent,
            ", ".join(f"{name} {n}" for name, n in row.confused_with[:2]),
            f"{row.n:,}",
            share_text(row.precision),
            share_text(row.recall),
        )
        for row in result.topics
    ]


TOPIC_HEAD = ("Bot", "Topic", "Taken for", "Asked", "Precision", "Recall")


def literal_rows(result: ConversationsResult) -> list[tuple[str, ...]]:
    """Return the values by the paper's wording, and how many turns it gives a class or none."""
    cells = [result.cell(bot.name) for bot in result.header.bots]
    return [
        (
            cell.bot,
            *[share_text(value) for value in cell.literal.values()],
            f"{cell.counts.counted - cell.literal_unclassified:,}",
            f"{cell.literal_unclassified:,}",
        )
        for cell in cells
    ]


def _literal(result: ConversationsResult) -> RenderableType:
    names = [name.removeprefix("echo_literal_") for name in result.cells[0].literal]
    head = ("echo_literal_ ...", *names, "turns", "no class")
    title = heading("As defined in the ECHO paper", wording.LITERAL)
    return Group(title, numbers_table(head, literal_rows(result)))


def _show_notes(console: Console, result: ConversationsResult, verbose: bool) -> None:
    told = wording.remarks(result)
    if told:
        console.print(heading("What to know"))
        _show_some(console, told, verbose)


# --- two runs ----------------------------------------------------------------------------------------------------


def show_run_diff(
    console: Console, diff: RunDiff, before: RunRecord, after: RunRecord, *, verbose: bool = False
) -> None:
    """Show what changed between two runs, what got worse first."""
    console.print()
    console.print(block(diff_headline(diff), "bold"))
    console.print(bullets(course_sentence(comparison) for comparison in diff.comparisons))
    for title, changes in (("Got worse", diff.regressed), ("Improved", diff.improved)):
        if changes:
            console.print(heading(f"{title} ({len(changes)})"))
            lines = [change_line(diff, change, before, after) for change in changes]
            _show_some(console, lines, verbose, FEW_CHANGES)
    notes = diff_remarks(diff)
    if notes:
        console.print(heading("What to know"))
        console.print(bullets(notes))


def change_line(diff: RunDiff, change: Change, before: RunRecord, after: RunRecord) -> str:
    """Return one change: where, the message, and what the bot said then and now."""
    sent, now = example_of(after, change.key, change.number, 80)
    _, then = example_of(before, key_before(diff, change), change.number, 80)
    where = f"{change.key.bot}, {change.key.script}, turn {change.number}"
    return (
        f"{where}: “{sent}”\nwas {outcome_name(change.before)}: {quoted(then)}\n"
        f"now {outcome_name(change.after)}: {quoted(now)}"
    )


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
    console.print(block(f"{report.bot} {word} the contract.", "bold"))
    rows = [("yes" if check.passed else "NO", check.name, check.note) for check in report.checks]
    console.print(numbers_table(("", "Check", "Note"), rows, words=3))
    if report.replies:
        told = ", ".join(f"{what} in {n}" for what, n in report.tells.items())
        console.print(Group(Text(), block(f"Of {report.replies:,} replies it told {told or 'nothing of its own'}.")))
