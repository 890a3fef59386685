"""The parts that pages are made of, each with sample content, so that they stay comparable. For admins."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import DataError, Fault
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.charts import RateRow, comparison_chart
from vivavoce.reports.shared.svg import to_svg
from vivavoce.web.access import Admin
from vivavoce.web.answers import page, words_of
from vivavoce.web.option_forms import BoxGroup
from vivavoce.web.parts import Choice, Column, Edit, Field, Pager, Progress, Row, Turn, hidden_field
from vivavoce.web.rendering import Link, View

router = APIRouter()
HERE = "/help/components"
RATE = Rate(0.72, 0.67, 0.77, 2209)


@router.get(HERE)
def show_components(request: Request, who: Admin) -> Response:
    """Show every shared part of pages."""
    title = words_of(request).gettext("Parts of the pages")
    return page(request, "projects/components.html", title, view=View(**_numbers(), **_lists(), **_forms()))


def _numbers() -> dict[str, Any]:
    """Return samples of what shows numbers."""
    rows = [
        RateRow(MEASURES[name].title, run, Rate(value, value - 0.05, value + 0.05, 400))
        for name in ("automation_rate", "precision_answered")
        for run, value in (("Monday", 0.62), ("Tuesday", 0.81))
    ]
    return {
        "rate": RATE,
        "few": Rate(1.0, 0.44, 1.0, 3),
        "measure": MEASURES["automation_rate"],
        "history": (0.4, 0.52, 0.5, 0.61, 0.72),
        "tiles": [
            View(value="72 %", name="Sample", around="67 to 77 %", meaning="", href="", unsure=False, history=())
        ],
        "svg": Markup(to_svg(comparison_chart(rows))),  # noqa: S704 (drawn here, from these numbers)
        "progress": Progress("Sample exam", 1200, 3000, failed=2, seconds_left=95),
    }


def _lists() -> dict[str, Any]:
    """Return samples of lists, tables and texts."""
    at = datetime.now(UTC)
    long_name = "Questions_about_working_hours_overtime_and_everything_that_belongs_to_it"
    facet = View(title="wrong topic", count=111, href=HERE, current=True, tone="bad", sign="cross")
    return {
        "links": (Link("First sample", HERE, True), Link("Second sample", HERE)),
        "columns": (Column("Sample topic", HERE, "ascending"), Column("Sample number", number=True)),
        "rows": (Row((long_name, 70), "a"), Row(("مرحبا", 7), "b")),
        "pager": Pager(2, 12, 290, HERE, HERE),
        "todo": [
            View(
                cost="24",
                around="18 to 34",
                share=0.7,
                tone="bad",
                title="Internships takes questions of Working student",
                text="12 wrong, 7 declined",
                facts=("5 minutes",),
                links=(Link("Compare the samples", HERE), Link("Another way", HERE)),
            )
        ],
        "facets": [View(title="Sample facet", choices=[facet])],
        "turns": [
            Turn("What do you pay?", visitor=True),
            Turn("It depends.", outcome="wrong sample", tone="bad"),
        ],
        "edits": [Edit("Renamed Pay to Wages", "Ada", at, "clearer sample"), Edit("Brought in 20 samples", "Bo", at)],
        "pairs": (("Sample name", "0.5"), ("Sample seed", "0")),
        "error": DataError(
            "the sample cannot be read",
            where="faq.csv",
            faults=[Fault("no sample text", "row 3")],
            remedy="mend the sample",
        ),
    }


def _forms() -> dict[str, Any]:
    """Return samples of fields and forms."""
    levels = (Choice("1", "sample one"), Choice("2", "sample two"))
    return {
        "fields": (
            Field("one", "Sample text", value="Wages", required=True, help="As visitors would call it."),
            Field("two", "Sample answer", "textarea", "It depends.", rows=2),
            Field("three", "Sample choice", "select", "2", choices=levels),
            Field("four", "Sample number", "number", "2", error="between 0 and 1", low="0", high="1", step="0.05"),
            Field("five", "Sample tick", "checkbox", "on", help="At once."),
        ),
        "search": Field("q", "Sample words", "search"),
        "boxes": (BoxGroup("six", "Sample boxes", (("a", "sample a", True), ("b", "sample b", False)), ""),),
        "back": (hidden_field("next", HERE),),
        "action": Link("One next step", HERE),
    }
