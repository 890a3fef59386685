"""Results in the terminal: the sentence first, then few numbers, then what to do. No meaning rests on colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.check import CheckResult
from vivavoce.intents.check import Problem as Fault
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.problems import ENOUGH_TESTED, Problem, weakest_topics
from vivavoce.intents.quality import ProblemExample
from vivavoce.intents.result import IntentsResult
from vivavoce.records import Rate
from vivavoce.reports.intents import problem_wording, wording
from vivavoce.reports.intents.choices import short_notes, untold_topics
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.layout import block, bullets, heading, plain_table, rate_cell
from vivavoce.reports.shared.numbers import interval_text, share_text

INTERVAL = len("90 to 100 %")
# What stands between two columns of a plain table.
GAP = 3
NAMES_AT_LEAST, NAMES_AT_MOST = 22, 34
MOST_PROBLEMS = 3
EXAMPLES = 3
FEW_PROBLEMS = 10
SEVERITY_WORDS = {"error": "error", "warning": "warning", "info": "hint"}


# --- intents examine ---------------------------------------------------------------------------------------


def show_result(console: Console, result: IntentsResult, *, verbose: bool = False) -> None:
    """Show an exam: what it means, how good the bot is, what to fix next, what to know."""
    console.print()
    console.print(block(wording.headline(result), "bold"))
    if not result.settings:
        console.print(_notes(result, verbose))
        return
    console.print(block(Text(wording.strangers_sentence(result))))
    console.print(block(Text(wording.balance_sentence(result))))
    console.print(heading("How good is it?", _facts(result)))
    console.print()
    console.print(_settings(result, console.width))
    console.print(heading("What to fix next", problem_wording.verdict(result)))
    console.print(_problems(result, verbose))
    console.print(_weakest(result.settings[0], 15 if verbose else 5))
    if verbose:
        console.print(_all_numbers(result))
    console.print(heading("What to know"))
    console.print(_notes(result, verbose))
    if (timing := result.settings[0].timing) is not None:
        console.print()
        console.print(block(wording.timing_sentence(timing), "dim"))


def _facts(result: IntentsResult) -> str:
    parts = [
        plural(result.data.rows, "example"),
        plural(result.data.topics, "topic"),
        f"classifier {result.classifier}",
        plural(result.design.retries, "retry").replace("retrys", "retries"),
        f"threshold {result.threshold:g}",
    ]
    return ", ".join(parts) + ". Under each value: where it would lie with other data of this size."


def _settings(result: IntentsResult, width: int) -> RenderableType:
    """Return the main numbers; those for which the window is too narrow stand in a table below."""
    fitting = min(len(MAIN), max(1, (width - NAMES_AT_LEAST) // (INTERVAL + GAP)))
    parts: list[RenderableType] = []
    for start in range(0, len(MAIN), fitting):
        parts += [_settings_table(result, MAIN[start : start + fitting]), Text()]
    same = [block(Text(wording.setting_sentence(f))) for f in result.settings if f.same_as is not None]
    return Group(*parts, *same) if same else Group(*parts[:-1])


def _settings_table(result: IntentsResult, names: Sequence[str]) -> RenderableType:
    table = plain_table()
    table.add_column("What the bot has to face", min_width=NAMES_AT_LEAST, max_width=NAMES_AT_MOST)
    for name in names:
        table.add_column(MEASURES[name].title, justify="right", width=INTERVAL)
    shown = [findings for findings in result.settings if findings.same_as is None]
    for place, findings in enumerate(shown):
        table.add_row(*_setting_row(findings, names), end_section=place < len(shown) - 1)
    return table


def _setting_row(findings: SettingFindings, names: Sequence[str]) -> list[RenderableType]:
    tests = f"{findings.setting}, {plural(findings.counts.total, 'test')}"
    title = Text.assemble(wording.setting_title(findings), "\n", (tests, "dim"))
    return [title, *[rate_cell(findings.rates[name]) for name in names]]


def _problems(result: IntentsResult, verbose: bool) -> RenderableType:
    shown = result.problems if verbose else result.problems[:MOST_PROBLEMS]
    rest = len(result.problems) - len(shown)
    more = [Text(), block(f"... and {plural(rest, 'problem')} more; --verbose shows all.", "dim")] if rest else []
    return Group(*[_problem(place, problem) for place, problem in enumerate(shown, 1)], *more)


def _problem(place: int, problem: Problem) -> RenderableType:
    title = Text.assemble((f"{place}. ", "bold"), (problem_wording.problem_title(problem), "bold"))
    return Group(
        Text(),
        block(title),
        block(Text(problem_wording.problem_sentence(problem)), indent=3),
        block(problem_wording.cost_sentence(problem), "dim", indent=3),
        block(Text(problem_wording.problem_advice(problem)), indent=3),
        *[block(_example(example), indent=3) for example in problem.examples[:EXAMPLES]],
    )


def _example(example: ProblemExample) -> RenderableType:
    line = Table.grid(padding=(0, 1))
    line.add_column()
    line.add_column(overflow="fold")
    line.add_row("-", Text.assemble(f"“{example.text}” ", (f"({problem_wording.example_place(example)})", "dim")))
    return line


def _weakest(findings: SettingFindings, most: int) -> RenderableType:
    lines = weakest_topics(findings, most)
    left_out = untold_topics(findings)
    aside = f"{plural(left_out, 'topic')} with under {ENOUGH_TESTED} tested examples not ranked."
    if not lines:
        return heading("Weakest topics", aside)
    table = plain_table()
    table.add_column("Topic", overflow="fold")
    for name in ("recall", "deferred"):
        table.add_column(MEASURES[name].title, justify="right")
    table.add_column("Examples", justify="right")
    for line in lines:
        table.add_row(Text(line.intent), _inline(line.recall), share_text(line.deferred.value), f"{line.examples:,}")
    return Group(heading("Weakest topics", aside if left_out else ""), Text(), table)


def _inline(rate: Rate) -> Text:
    around = interval_text(rate)
    return Text.assemble(share_text(rate.value), (f" ({around})" if around else "", "dim"))


def _all_numbers(result: IntentsResult) -> RenderableType:
    table = plain_table()
    table.add_column("Number", overflow="fold")
    shown = [findings for findings in result.settings if findings.same_as is None]
    for findings in shown:
        table.add_column(str(findings.setting), justify="right")
    for name in shown[0].rates:
        measure = MEASURES[name]
        table.add_row(measure.title, *[rate_cell(findings.rates[name], measure.kind) for findings in shown])
    return Group(heading("All numbers"), Text(), table)


def _notes(result: IntentsResult, verbose: bool) -> RenderableType:
    lines = short_notes(result.warnings, len(result.warnings) if verbose else 3)
    lacking = any(note.kind == "no_vectors" for note in result.warnings)
    return bullets([*lines, *(["`viva models get` installs sentence vectors."] if lacking else [])])


# --- intents check -----------------------------------------------------------------------------------------


def show_check(console: Console, check: CheckResult, *, verbose: bool = False) -> None:
    """Show what is wrong with training data, worst first."""
    console.print()
    console.print(block(wording.check_sentence(check), "bold"))
    if check.problems:
        console.print()
        console.print(_kinds(check))
        console.print(heading("Worst first" if not verbose else "All of them"))
        most = len(check.problems) if verbose else FEW_PROBLEMS
        console.print(bullets(problem_line(problem) for problem in check.problems[:most]))
        if len(check.problems) > most:
            console.print(block(f"... and {len(check.problems) - most:,} more; --verbose shows all.", "dim"))
    if check.notes:
        console.print(heading("About the file"))
        console.print(bullets(check.notes))


def _kinds(check: CheckResult) -> RenderableType:
    table = plain_table()
    table.add_column("What")
    table.add_column("How grave")
    table.add_column("How often", justify="right")
    # A kind can occur in two degrees (the same text, nearly the same text): it stands at its gravest.
    grave = {problem.kind: problem.severity for problem in reversed(check.problems)}
    for kind in dict.fromkeys(problem.kind for problem in check.problems):
        title = wording.PROBLEM_TITLES.get(kind, kind)
        table.add_row(title, SEVERITY_WORDS[grave[kind]], f"{check.counts[kind]:,}")
    return table


def problem_line(problem: Fault, most: int = 6) -> str:
    """Return a problem with its degree and the rows in which it stands."""
    rows = ", ".join(str(row) for row in problem.rows[:most]) + (", ..." if len(problem.rows) > most else "")
    where = f" (row{'s' if len(problem.rows) > 1 else ''} {rows})" if rows else ""
    return f"{SEVERITY_WORDS[problem.severity]}: {problem.message}{where}"
