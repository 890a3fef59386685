"""The numbers of two intents exams: side by side in a table, their differences on one axis, and options in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.web.cells import difference_cell, rate_cell
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.dot_pictures import dot_pictures
from vivavoce.web.pages.exams.findings import scope_title
from vivavoce.web.pages.exams.verdict_words import write_gap
from vivavoce.web.parts import Column, Row, text_columns
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams.comparing import RateChange, RunComparison
from vivavoce.workspace.exams.verdicts import main_scope

if TYPE_CHECKING:
    from vivavoce.reports.shared.dots import Dot


def comparison_numbers(visit: Visit, compared: RunComparison) -> tuple[tuple[Column, ...], list[Row]]:
    """Return the table of numbers: first the line that the verdict is about, on the questions of both runs."""
    words, verdict, rows = visit.words, compared.verdict, []
    titles = (words.gettext("Earlier run"), words.gettext("Later run"))
    sides = (
        Column(title, run_path(visit.project, run), number=True)
        for title, run in zip(titles, (compared.a, compared.b), strict=True)
    )
    meaning = words.gettext(
        "Later minus earlier. Coloured where the change is clear: the first row compares the "
        "shared questions; every other metric is judged alone, which takes more data."
    )
    columns = (
        *text_columns(words.gettext("Metric"), words.gettext("What the bot has to face")),
        *sides,
        Column(words.gettext("Difference"), number=True, meaning=meaning),
    )
    if verdict.shared:
        rights = (verdict.right_before, verdict.right_after)
        shares = (Rate(right / verdict.shared, None, None, verdict.shared) for right in rights)
        clear, good = verdict.verdict in ("better", "worse"), verdict.verdict == "better"
        title, scope = words.gettext("Shared questions right"), scope_title(words, main_scope(compared.b))
        difference = difference_cell(words, verdict.difference, clear=clear, good=good)
        rows.append(Row((title, scope, *(rate_cell(words, share) for share in shares), difference)))
    for change in compared.changes:
        measure = MEASURES[change.name]
        cells = (rate_cell(words, rate, measure) for rate in (change.before, change.after))
        difference = difference_cell(
            words, change.difference, measure.kind, clear=change.clear, good=_is_gain(change)
        )
        rows.append(Row((words.said(measure.title), scope_title(words, change.scope), *cells, difference)))
    return columns, rows


def difference_figure(visit: Visit, compared: RunComparison) -> View | None:
    """Return the differences as dots with their ranges on one axis; None where there is nothing to draw."""
    from vivavoce.reports.shared.dots import Panel

    words, dots = visit.words, tuple(_dots(visit.words, compared))
    if not dots:
        return None
    label = "; ".join(f"{dot.label}: {dot.said}" for dot in dots)
    wide, narrow = dot_pictures([Panel("", dots, signed=True)], label)
    note = words.gettext(
        "Later minus earlier, in points. Bar: where the difference could lie with other examples; "
        "grey where it may be chance."
    )
    return View(title=words.gettext("What changed, on one axis"), note=note, wide=wide, narrow=narrow)


def _dots(words: Words, compared: RunComparison) -> Iterator[Dot]:
    from vivavoce.reports.shared.dots import Dot

    verdict, scope = compared.verdict, main_scope(compared.b)
    if verdict.shared:
        tone = {"better": "good", "worse": "bad"}.get(verdict.verdict, "muted")
        said = write_gap(words, verdict.difference, around=False)
        yield Dot(words.gettext("Shared questions right"), verdict.difference, said, tone)  # type: ignore[arg-type]
    for change in compared.changes:
        measure = MEASURES[change.name]
        if change.scope == scope and measure.kind == "share" and change.difference.value is not None:
            tone = ("good" if _is_gain(change) else "bad") if change.clear else "muted"
            said = write_gap(words, change.difference, around=False)
            yield Dot(words.said(measure.title), change.difference, said, tone)  # type: ignore[arg-type]


def _is_gain(change: RateChange) -> bool:
    return ((change.difference.value or 0.0) > 0) == (MEASURES[change.name].better != "lower")


# --- options in words ---------------------------------------------------------------------------------------------


def option_label(words: Words, name: str) -> str:
    """Return what an option of a run is called."""
    label = next((option.label for option in INTENTS.options if option.name == name), "")
    return words.said(label) if label else name.replace("_", " ").capitalize()


def write_option(words: Words, name: str, value: Any) -> str:
    """Write what an option of a run says; conditions of the exam by what the bot has to face in them."""
    if name == "settings" and isinstance(value, list):
        titles = (scope_title(words, ",".join(f"{part:g}" for part in pair)) for pair in value)
        return ", ".join(dict.fromkeys(titles))
    if value is None or value == "":
        return words.gettext("none")
    if isinstance(value, bool):
        return words.gettext("yes") if value else words.gettext("no")
    return Writer(words).number(value, 2) if isinstance(value, float) else str(value)
