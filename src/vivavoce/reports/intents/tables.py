"""Results in the terminal: the sentence first, then few numbers, then what to do. No meaning rests on colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.cards import Card
from vivavoce.intents.check import CheckResult
from vivavoce.intents.check import Problem as Fault
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.problems import ENOUGH_TESTED, Problem, weakest_topics
from vivavoce.intents.result import IntentsResult
from vivavoce.reports.intents import problem_wording, wording
from vivavoce.reports.intents.cards import card_sentences
from vivavoce.reports.intents.choices import count_untested, short_notes
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, plain_table, rate_cell
from vivavoce.reports.shared.numbers import interval_text, share_text

INTERVAL = len("90 to 100 %")
# The space between two columns of a plain table.
GAP = 3
NAMES_AT_LEAST, NAMES_AT_MOST = 22, 34
MAX_PROBLEMS = 3
EXAMPLES = 3
FEW_PROBLEMS = 10
SEVERITY_WORDS = {"error": "error", "warning": "warning", "info": "hint"}


def show_result(console: Console, result: IntentsResult, *, verbose: bool = False) -> None:
    """Show an exam: what it means, how good the bot is, what to fix next, what to know."""
    console.print()
    console.print(block(wording.headline(result), "bold"))
    if not result.settings:
        console.print(_list_notes(result, verbose))
        return
    for sentence in wording.further_sentences(result):
        console.print(block(Text(sentence)))
    facts = (
        plural(result.data.rows, "example"),
        plural(result.data.topics, "topic"),
        f"classifier {result.classifier}",
        plural(result.design.retries, "round"),
        f"threshold {result.threshold:g}",
    )
    aside = f"{', '.join(facts)}. Under each value: where it would lie with other data of this size."
    console.print(heading("How good is it?", aside))
    console.print()
    console.print(_build_settings(result, console.width))
    console.print(heading("What to fix next", problem_wording.verdict(result)))
    for place, problem in enumerate(result.problems if verbose else result.problems[:MAX_PROBLEMS], 1):
        console.print(_build_problem(place, problem))
    rest = 0 if verbose else len(result.problems) - MAX_PROBLEMS
    if rest > 0:
        console.print()
        console.print(block(f"... and {plural(rest, 'more problem')}; --verbose shows all.", "dim"))
    console.print(_build_weakest(result.settings[0], 15 if verbose else 5))
    if verbose:
        console.print(_build_numbers(result))
    console.print(heading("Before you trust these results"))
    console.print(_list_notes(result, verbose))
    if (timing := result.settings[0].timing) is not None:
        console.print()
        console.print(block(wording.timing_sentence(timing), "dim"))


def show_problems(console: Console, result: IntentsResult, most: int, cards: Sequence[Card] = ()) -> None:
    """Show what to fix next, and nothing else; with cards, why."""
    console.print()
    console.print(block(problem_wording.verdict(result), "bold"))
    reasons = {id(card.problem): card for card in cards}
    for place, problem in enumerate(result.problems[:most], 1):
        console.print(_build_problem(place, problem))
        if id(problem) in reasons:
            console.print(Group(*(block(Text(line), indent=3) for line in card_sentences(reasons[id(problem)]))))
    if (rest := len(result.problems) - most) > 0:
        console.print()
        console.print(
            block(f"... and {plural(rest, 'more problem')}; --most {len(result.problems)} shows all.", "dim")
        )


def _build_settings(result: IntentsResult, width: int) -> RenderableType:
    """Return the main numbers; those for which the window is too narrow are in a table below."""
    fitting = min(len(MAIN), max(1, (width - NAMES_AT_LEAST) // (INTERVAL + GAP)))
    parts: list[RenderableType] = []
    distinct = [findings for findings in result.settings if findings.same_as is None]
    for start in range(0, len(MAIN), fitting):
        names = MAIN[start : start + fitting]
        table = plain_table()
        table.add_column("Test conditions", min_width=NAMES_AT_LEAST, max_width=NAMES_AT_MOST)
        for name in names:
            table.add_column(MEASURES[name].title, justify="right", width=INTERVAL)
        for findings in distinct:
            tests = f"{findings.setting}, {plural(findings.counts.total, 'test')}"
            title = Text.assemble(wording.setting_title(findings), "\n", (tests, "dim"))
            cells = [rate_cell(findings.rates[name]) for name in names]
            table.add_row(title, *cells, end_section=findings is not distinct[-1])
        parts += [table, Text()]
    same = [block(Text(wording.setting_sentence(f))) for f in result.settings if f.same_as is not None]
    return Group(*parts, *same) if same else Group(*parts[:-1])


def _build_problem(place: int, problem: Problem) -> RenderableType:
    parts: list[RenderableType] = [
        Text(),
        block(Text(f"{place}. {problem_wording.problem_title(problem)}", style="bold")),
        block(Text(problem_wording.problem_sentence(problem)), indent=3),
        block(problem_wording.cost_sentence(problem), "dim", indent=3),
        block(Text(problem_wording.problem_advice(problem)), indent=3),
        *(
            block(Text(problem_wording.attraction_sentence(attraction)), indent=3)
            for attraction in problem.attracted[:EXAMPLES]
            if attraction.origin is not None
        ),
    ]
    for example in problem.examples[:EXAMPLES]:
        line = Table.grid(padding=(0, 1))
        line.add_column()
        line.add_column(overflow="fold")
        line.add_row(
            "-",
            Text.assemble(f"“{example.text}” ", (f"({problem_wording.example_place(example, problem.kind)})", "dim")),
        )
        parts.append(block(line, indent=3))
    return Group(*parts)


def _build_weakest(findings: SettingFindings, most: int) -> RenderableType:
    lines = weakest_topics(findings, most)
    left_out = count_untested(findings)
    aside = f"Not ranked: {plural(left_out, 'topic')} with fewer than {ENOUGH_TESTED} tested examples."
    if not lines:
        return heading("Weakest topics", aside)
    rows = []
    for line in lines:
        interval = interval_text(line.recall)
        recall = Text.assemble(share_text(line.recall.value), (f" ({interval})" if interval else "", "dim"))
        rows.append((line.intent, recall, share_text(line.deferred.value), f"{line.examples:,}"))
    head = ("Topic", *[MEASURES[name].title for name in ("recall", "deferred")], "Examples")
    return Group(heading("Weakest topics", aside if left_out else ""), Text(), numbers_table(head, rows))


def _build_numbers(result: IntentsResult) -> RenderableType:
    distinct = [findings for findings in result.settings if findings.same_as is None]
    rows: list[tuple[str | Text, ...]] = [
        (MEASURES[name].title, *[rate_cell(findings.rates[name], MEASURES[name].kind) for findings in distinct])
        for name in distinct[0].rates
    ]
    head = ("Number", *[str(findings.setting) for findings in distinct])
    return Group(heading("All numbers"), Text(), numbers_table(head, rows))


def _list_notes(result: IntentsResult, verbose: bool) -> RenderableType:
    lines = short_notes(result.warnings, len(result.warnings) if verbose else 3)
    lacking = any(note.kind == "no_vectors" for note in result.warnings)
    return bullets([*lines, *(["`viva models get` installs sentence vectors."] if lacking else [])])


def show_check(console: Console, check: CheckResult, *, verbose: bool = False) -> None:
    """Show what is wrong with training data, worst first."""
    console.print()
    console.print(block(wording.check_sentence(check), "bold"))
    if check.problems:
        # A kind can occur in two degrees (the same text, nearly the same text): the worst counts.
        severities = {problem.kind: problem.severity for problem in reversed(check.problems)}
        rows = [
            (wording.PROBLEM_TITLES.get(kind, kind), SEVERITY_WORDS[severities[kind]], f"{check.counts[kind]:,}")
            for kind in dict.fromkeys(problem.kind for problem in check.problems)
        ]
        console.print()
        console.print(numbers_table(("What", "Severity", "Count"), rows, words=2))
        console.print(heading("Worst first" if not verbose else "All problems"))
        most = len(check.problems) if verbose else FEW_PROBLEMS
        console.print(bullets(problem_line(problem) for problem in check.problems[:most]))
        if len(check.problems) > most:
            console.print(block(f"... and {len(check.problems) - most:,} more; --verbose shows all.", "dim"))
    if check.notes:
        console.print(heading("About the file"))
        console.print(bullets(check.notes))


def problem_line(problem: Fault, most: int = 6) -> str:
    """Return a problem with its severity and its rows."""
    rows = ", ".join(str(row) for row in problem.rows[:most]) + (", ..." if len(problem.rows) > most else "")
    where = f" (row{'s' if len(problem.rows) > 1 else ''} {rows})" if rows else ""
    return f"{SEVERITY_WORDS[problem.severity]}: {problem.message}{where}"
