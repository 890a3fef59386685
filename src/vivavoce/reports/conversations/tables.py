"""Conversations in the terminal: who was right how often, which difference is real, what to fix first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from vivavoce.conversations.result import ALL, Cell, Change, ConversationsResult, Problem, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.conversations import verdicts, wording
from vivavoce.reports.conversations.meanings import MAIN, measure_of, narrow_text, number_of, outcome_name
from vivavoce.reports.conversations.transcripts import example_of, key_before
from vivavoce.reports.conversations.wording import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, plain_table, stack
from vivavoce.reports.shared.numbers import ENGLISH, milliseconds_text, share_text

if TYPE_CHECKING:
    from vivavoce.bots.contract import ContractReport
    from vivavoce.conversations.scenarios.check import SuiteCheck
    from vivavoce.conversations.scenarios.twins import TypoReport
    from vivavoce.plugins import Description

# The gap between columns and the width of names, widest first.
ROOMS = ((2, 24), (1, 24), (1, 18))
PROBLEMS = 3
MANY_BOTS = 3
MAX_LINES = 8
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
    for place, domain in enumerate(list_shown_domains(result)):
        console.print(heading(table_title(result, domain), "" if place else ASIDE))
        console.print(_fit_tables(console, result, domain, levels=verbose or domain == list_shown_domains(result)[0]))
    if lines := list(verdicts.verdicts(result)):
        console.print(heading("Which differences are real?"))
        _show_some(console, lines, verbose)
        if verbose and len(result.strengths) > 2:
            console.print()
            console.print(
                numbers_table(("Bot by bot", "Strength", "Range", "Conversations won"), strength_rows(result))
            )
    if result.problems:
        _show_problems(console, result, record, verbose)
    if verbose:
        console.print(_build_numbers(result))
        if result.topics:
            console.print(Group(heading("Topics"), Text(), numbers_table(TOPIC_HEAD, topic_cells(result), words=3)))
    if literal:
        names = [name.removeprefix("echo_literal_") for name in result.cells[0].literal]
        console.print(heading("As defined in the ECHO paper", wording.LITERAL))
        head = ("echo_literal_ ...", *names, "turns", "no class")
        console.print(numbers_table(head, literal_rows(result)))
    if remarks := wording.remarks(result):
        console.print(heading("Before you trust these results"))
        _show_some(console, remarks, verbose)


def list_shown_domains(result: ConversationsResult) -> list[str]:
    """Return the domains that get a table: all together if there are several, then each."""
    domains = list(dict.fromkeys(cell.domain for cell in result.cells if cell.domain != ALL))
    return domains if len(domains) == 1 else [ALL, *domains]


ASIDE = (
    "Below each value: its likely range for other conversations of this kind. Time: mean response time. Misspelt: "
    "share of misspelt messages answered correctly. Fallback: how often the bot said it does not know, which is "
    "neither good nor bad in itself."
)


def _fit_tables(console: Console, result: ConversationsResult, domain: str, *, levels: bool) -> RenderableType:
    """Return the table; columns for which the window is too narrow are in a table below."""
    wide = console.options.update(width=999)
    groups = [[MAIN[start : start + n] for start in range(0, len(MAIN), n)] for n in range(len(MAIN), 1, -1)]
    for names, room in product(groups, ROOMS):
        tables = [_build_table(result, domain, part, room, levels=levels) for part in names]
        if max(console.measure(table, options=wide).maximum for table in tables) <= console.width:
            break
    return Group(*[part for table in tables for part in (Text(), table)][1:])


def _build_table(
    result: ConversationsResult, domain: str, names: Sequence[str], room: tuple[int, int], *, levels: bool
) -> Table:
    table = plain_table()
    table.padding = (0, 0, 0, room[0])
    table.add_column("Bot and level" if levels else "Bot", max_width=room[1], overflow="fold")
    for name in names:
        table.add_column(measure_of(name).column, justify="right", no_wrap=True)
    for bot in result.header.bots:
        cells = cells_by_level(result, bot.name, domain)[: None if levels else 1]
        for cell in cells:
            mark = ", incomplete" if cell.incomplete else ""
            indent = "" if cell.level == ALL else "  "
            title = Text(f"{indent}{cell.level}") if indent else Text(cell.bot, style="bold")
            turns = f"{indent}{plural(cell.counts.counted, 'turn')}{mark}"
            rates = [rate_cell(name, number_of(cell, name)) for name in names]
            table.add_row(Text.assemble(title, "\n", (turns, "dim")), *rates, end_section=cell is cells[-1])
    return table


def cells_by_level(result: ConversationsResult, bot: str, domain: str) -> list[Cell]:
    """Return the cells of a bot: all levels together, then from the easiest level to the hardest."""
    order = [ALL, *wording.level_order(script.level for script in result.header.plan.scripts)]
    cells = {cell.level: cell for cell in result.cells if (cell.bot, cell.domain) == (bot, domain)}
    order += [level for level in cells if level not in order]
    known = [cells[level] for level in order if level in cells]
    # One level alone is the whole.
    return known if len(known) > 2 else known[:1]


def table_title(result: ConversationsResult, domain: str) -> str:
    """Return the domain of a table, and its level where there is but one."""
    levels = {cell.level for cell in result.cells if cell.domain == domain and cell.level != ALL}
    return wording.domain_name(domain) + (f", {levels.pop()}" if len(levels) == 1 else "")


def rate_cell(name: str, rate: Rate) -> Text:
    """Return a value over its interval; under ten turns without one, as it says little."""
    value = ENGLISH.parts(rate, measure_of(name)).value
    return stack(value, narrow_text(name, rate), "dim" if rate.value is None else "")


def strength_rows(result: ConversationsResult) -> list[tuple[str, str, str, str]]:
    """Return the bots in their order of strength."""
    rows = []
    for row in result.strengths:
        known = row.low is not None and row.high is not None
        interval = f"{row.low:+.2f} to {row.high:+.2f}" if known else "n/a"
        rows.append((row.bot, f"{row.strength:+.2f}", interval, f"{row.wins:g} of {row.contests}"))
    return rows


def _show_some(console: Console, lines: Sequence[str], verbose: bool, most: int = MAX_LINES) -> None:
    console.print(bullets(lines if verbose else lines[:most]))
    if not verbose and len(lines) > most:
        console.print(block(f"... and {len(lines) - most} more; --verbose shows all.", "dim", indent=2))


def _show_problems(console: Console, result: ConversationsResult, record: RunRecord, verbose: bool) -> None:
    # Three problems of each of many bots fill more than a screen: then one of each is enough.
    most = PROBLEMS if verbose or len(result.header.bots) < MANY_BOTS else 1
    console.print(heading("What to fix first"))
    left = 0
    for bot in result.header.bots:
        problems, rest = wording.first_problems(result, bot.name, most)
        left += rest
        if problems:
            console.print(Group(Text(), Text(bot.name, style="bold")))
        for place, problem in enumerate(problems, 1):
            _show_problem(console, place if most > 1 else 0, problem, record)
    if left and most < PROBLEMS:
        console.print()
        console.print(block(f"{left:,} more; --verbose shows up to three of each bot.", "dim"))


def _show_problem(console: Console, place: int, problem: Problem, record: RunRecord) -> None:
    number = f"{place}. " if place else ""
    indent = len(number)
    console.print(block(Text.assemble((number, "bold"), wording.sentence(problem.message))))
    for key, turn in problem.examples[:1]:
        sent, answer = example_of(record, key, turn, EXAMPLE)
        text = Text.assemble(f"“{sent}” → {quote(answer)} ", (f"({key.script}, turn {turn})", "dim"))
        console.print(block(text, indent=indent))
    if problem.remedy:
        console.print(block(wording.sentence(problem.remedy), "dim", indent=indent))


def quote(answer: str) -> str:
    """Return what a bot said in quotes; a note about it (in brackets) stays as it is."""
    return answer if answer.startswith("(") and answer.endswith(")") else f"“{answer}”"


def _build_numbers(result: ConversationsResult) -> RenderableType:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows: list[list[str | Text]] = [
        [measure_of(name).title, *[rate_cell(name, cell.rates[name]) for cell in cells]] for name in cells[0].rates
    ]
    rows += [[title, *map(write, cells)] for title, write in TIMES_AND_FAILURES]
    head = ("Metric", *[cell.bot for cell in cells])
    return Group(heading("All metrics"), Text(), numbers_table(head, rows))


TIMES_AND_FAILURES: tuple[tuple[str, Callable[[Cell], str]], ...] = (
    ("Timed replies", lambda cell: f"{cell.times.turns:,}"),
    ("Mean time per turn", lambda cell: milliseconds_text(cell.times.pooled)),
    ("Median time", lambda cell: milliseconds_text(cell.times.p50)),
    ("95 of 100 within", lambda cell: milliseconds_text(cell.times.p95)),
    ("99 of 100 within", lambda cell: milliseconds_text(cell.times.p99)),
    ("No reply in time", lambda cell: f"{cell.times.timeouts:,}"),
    ("Failed", lambda cell: f"{cell.counts.error:,}"),
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


TOPIC_HEAD = ("Bot", "Topic", "Mistaken for", "Asked", "Precision", "Recall")


def literal_rows(result: ConversationsResult) -> list[tuple[str, ...]]:
    """Return the values by the paper's wording, and how many turns it gives a class or none."""
    cells = [result.cell(bot.name) for bot in result.header.bots]
    return [
        (
            cell.bot,
            *[share_text(value) for value in cell.literal.values()],
            f"{cell.counts.counted - cell.counts.literal_unclassified:,}",
            f"{cell.counts.literal_unclassified:,}",
        )
        for cell in cells
    ]


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
        console.print(heading("Before you trust these results"))
        console.print(bullets(notes))


def change_line(diff: RunDiff, change: Change, before: RunRecord, after: RunRecord) -> str:
    """Return one change: where, the message, and what the bot said then and now."""
    sent, now = example_of(after, change.key, change.number, 80)
    _, then = example_of(before, key_before(diff, change), change.number, 80)
    where = f"{change.key.bot}, {change.key.script}, turn {change.number}"
    return (
        f"{where}: “{sent}”\nwas {outcome_name(change.before)}: {quote(then)}\n"
        f"now {outcome_name(change.after)}: {quote(now)}"
    )


def show_suite_check(console: Console, check: SuiteCheck) -> None:
    """Show what is wrong with scenarios, worst first, and how large a run would be."""
    console.print()
    errors = sum(problem.severity == "error" for problem in check.problems)
    console.print(block(f"{plural(errors, 'error')}, {plural(len(check.problems) - errors, 'note')}.", "bold"))
    console.print(block(check.summary))
    if check.problems:
        lines = [
            f"{problem.severity}: {problem.message}" + (f" ({problem.where})" if problem.where else "")
            for problem in check.problems
        ]
        console.print(heading("Worst first"))
        console.print(bullets(lines))


def show_typos(console: Console, report: TypoReport) -> None:
    """Show what was misspelt."""
    console.print(block(report.summary, "bold"))
    console.print(bullets(f"“{before}” → “{after}”" for before, after in report.examples[:5]))


def show_bots(console: Console, bots: Iterable[Description]) -> None:
    """List bots."""
    rows = [(bot.name, bot.origin, bot.summary) for bot in bots]
    console.print(numbers_table(("Name", "From", "Description"), rows, words=3))


def show_contract(console: Console, report: ContractReport) -> None:
    """Show how a bot kept the contract, check by check."""
    console.print()
    word = "keeps" if report.passed else "does not keep"
    console.print(block(f"{report.bot} {word} the contract.", "bold"))
    rows = [("yes" if check.passed else "NO", check.name, check.note) for check in report.checks]
    console.print(numbers_table(("", "Check", "Note"), rows, words=3))
    if report.replies:
        reported = ", ".join(f"{what} in {n}" for what, n in report.tells.items())
        text = f"Reported in {report.replies:,} replies: {reported or 'nothing beyond text'}."
        console.print(Group(Text(), block(text)))
