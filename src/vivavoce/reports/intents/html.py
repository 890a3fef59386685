"""Results as one file that needs nothing else: no network, no script; light and dark, phone, desk and paper."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from vivavoce.intents.check import SEVERITIES, CheckResult, Problem
from vivavoce.intents.result import IntentsResult
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.balance import balance_sentence
from vivavoce.reports.intents.problem_sections import about_problems
from vivavoce.reports.intents.sections import (
    about_confidence,
    about_data,
    about_numbers,
    about_questions,
    about_settings,
    about_topics,
    glossary,
    notes,
    provenance,
    tiles,
)
from vivavoce.reports.shared.figures import sizes_figure
from vivavoce.reports.shared.svg import DARK, PALETTE, css_variables
from vivavoce.reports.shared.tags import Html, Part, bullets, details, join, table, tag
from vivavoce.version import __version__

MOST_PROBLEMS = 200
MOST_SIZES = 200
SEVERITY_TITLES = {"error": "Errors", "warning": "Warnings", "info": "Hints"}


def page(title: str, body: Html, *, language: str = "en") -> str:
    """Return a whole page around a body."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"vivavoce {__version__}"),
        tag("title", title),
        tag("style", _style()),
    )
    return "<!doctype html>\n" + tag("html", head, tag("body", body), lang=language) + "\n"


@cache
def _style() -> Html:
    css = files("vivavoce.reports").joinpath("report.css").read_text(encoding="utf-8")
    dark = css_variables(DARK) + " --accent: #8cc4f2; --soft: #1f242a; --warn: #f0a05a;"
    return Html(
        f":root {{ {css_variables(PALETTE)} }}\n{css}"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


# --- an exam -----------------------------------------------------------------------------------------------


def render_result(result: IntentsResult) -> str:
    """Return the report of an exam: the sentence first, numbers second, details on demand."""
    title = f"Intents exam of {_file_name(result.data.source)}"
    lead = tag("p", wording.headline(result), class_="lead")
    if not result.settings:
        body = [tag("header", tag("h1", title), lead), tag("main", notes(result.warnings))]
        return page(title, join([*body, provenance(result)]))
    beside = [wording.strangers_sentence(result), balance_sentence(result)]
    top = tag("header", tag("h1", title), lead, *[tag("p", said, class_="second") for said in beside if said])
    main = tag(
        "main",
        tiles(result),
        about_problems(result),
        about_data(result),
        about_settings(result),
        about_confidence(result),
        about_topics(result),
        about_questions(result),
        about_numbers(result),
        glossary(),
    )
    return page(title, join([top, main, provenance(result)]))


def _file_name(source: str) -> str:
    return source.replace("\\", "/").rsplit("/", 1)[-1] or source


# --- a check -----------------------------------------------------------------------------------------------


def render_check(check: CheckResult, *, source: str = "training data") -> str:
    """Return the report of a check of training data."""
    title = f"Check of {_file_name(source)}"
    top = tag("header", tag("h1", title), tag("p", wording.check_sentence(check), class_="lead"))
    groups = [_problems(check, severity) for severity in SEVERITIES]
    main = tag("main", *groups, _file_notes(check), _sizes(check))
    footer = tag("footer", f"vivavoce {__version__}, data {check.data_hash}, {wording.plural(check.rows, 'row')}.")
    return page(title, join([top, main, footer]))


def _problems(check: CheckResult, severity: str) -> Html | None:
    found = [problem for problem in check.problems if problem.severity == severity]
    if not found:
        return None
    kinds = dict.fromkeys(problem.kind for problem in found)
    parts = [_kind(kind, [p for p in found if p.kind == kind], severity) for kind in kinds]
    heading = tag("h2", f"{SEVERITY_TITLES[severity]} ({len(found):,})")
    return tag("section", heading, *parts)


def _kind(kind: str, problems: Sequence[Problem], severity: str) -> Html:
    rest = len(problems) - MOST_PROBLEMS
    lines: list[Part] = [_problem(problem) for problem in problems[:MOST_PROBLEMS]]
    if rest > 0:
        lines.append(f"{rest:,} more in the JSON file.")
    title = f"{wording.PROBLEM_TITLES.get(kind, kind)} ({len(problems):,})"
    return details(title, bullets(lines), open_=severity != "info" and len(problems) <= 10)


def _problem(problem: Problem, most: int = 20) -> Html:
    rows = ", ".join(str(row) for row in problem.rows[:most]) + (", ..." if len(problem.rows) > most else "")
    where = f" {'Rows' if len(problem.rows) > 1 else 'Row'} {rows}." if rows else ""
    return join([problem.message, tag("span", where, class_="muted")])


def _file_notes(check: CheckResult) -> Html | None:
    if not check.notes:
        return None
    return tag("section", tag("h2", "About the file"), bullets(check.notes))


def _sizes(check: CheckResult) -> Html | None:
    if not check.sizes:
        return None
    rows = [(topic, f"{n:,}") for topic, n in list(check.sizes.items())[:MOST_SIZES]]
    numbers = table("Examples of each topic, largest first", ("Topic", "Examples"), rows, numbers=1)
    return tag("section", tag("h2", "Topics"), sizes_figure(check.sizes).part(numbers))
