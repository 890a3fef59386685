"""Help: the meaning of every number, the operations of the API, and the parts that pages are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import AbsentError, DataError, Fault, nearest
from vivavoce.messages import say
from vivavoce.outcomes import Outcome, TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, OUTCOME_NAMES
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.intents.wording import OUTCOME_TITLES
from vivavoce.reports.shared.charts import RateRow, comparison_chart
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.svg import to_svg
from vivavoce.web.access import Admin, Reader
from vivavoce.web.answers import page, words_of
from vivavoce.web.api.description import read_operations
from vivavoce.web.language import Words
from vivavoce.web.option_forms import BoxGroup
from vivavoce.web.pages.access.people import list_roles
from vivavoce.web.parts import Choice, Column, Edit, Field, Pager, Progress, Row, Turn, hidden_field
from vivavoce.web.rendering import Link, View

router = APIRouter()


@router.get("/help")
def show_help(request: Request, who: Reader, q: str = "") -> Response:
    """Show the meaning of every number."""
    words, asked = words_of(request), q.strip()[:100]
    groups = []
    for number, (title, about, entries) in enumerate(_groups(words)):
        fitting = [
            entry
            for entry in entries
            if asked.casefold() in f"{entry.title} {entry.meaning} {entry.anchor}".casefold()
        ]
        if fitting:
            groups.append(View(title=title, about=about, entries=fitting, anchor=f"group-{number}"))
    view = View(
        groups=groups,
        field=Field("q", words.gettext("Search help"), "search", asked, key="f"),
        roles=list_roles(words),
    )
    return page(request, "projects/help.html", words.gettext("Help"), view=view)


def _groups(words: Words) -> Iterator[tuple[str, str, list[View]]]:
    """Yield the title, the text and the entries of each group."""
    yield (
        words.gettext("Intents"),
        words.gettext(
            "Can a classifier learn these topics from these examples? In each round it trains on "
            "some of the examples and is tested on the rest."
        ),
        _number_entries(words, MEASURES, ""),
    )
    yield (
        words.gettext("Outcomes of a question"),
        words.gettext("Every question in an intents exam has exactly one of these outcomes."),
        [_entry(f"o-{outcome}", *map(words.said, (OUTCOME_TITLES[outcome], outcome.meaning))) for outcome in Outcome],
    )
    yield (
        words.gettext("Conversations"),
        words.gettext(
            "Scripted conversations are run with each bot, and every reply is checked against the scenario."
        ),
        _number_entries(words, CONVERSATION_MEASURES, "conversations-"),
    )
    yield (
        words.gettext("Outcomes of a message"),
        words.gettext("Every message in a scripted conversation has exactly one of these outcomes."),
        [
            _entry(f"t-{outcome}", *map(words.said, (OUTCOME_NAMES[outcome], outcome.meaning)))
            for outcome in TurnOutcome
        ],
    )
    yield (
        words.gettext("Dialogues"),
        words.gettext("Logged dialogues get a score from 1 to 5: the rating a person would probably give them."),
        _number_entries(words, DIALOGUE_MEASURES, "dialogues-"),
    )


def _entry(anchor: str, title: str, meaning: str, absent: str = "", *, better: str = "", same: str = "") -> View:
    """Return a number or outcome; `anchor` is where links lead, `same` another number of the same name."""
    return View(anchor=anchor, title=title, meaning=meaning, absent=absent, better=better, same=same)


def _number_entries(words: Words, measures: Mapping[str, Measure], prefix: str) -> list[View]:
    """Return numbers; where an exam before has one of the same name, the anchor says which exam it is of."""
    better = {"higher": words.gettext("higher is better"), "lower": words.gettext("lower is better"), "neither": ""}
    entries = []
    for measure in measures.values():
        anchor = f"m-{prefix if prefix and measure.name in MEASURES else ''}{measure.name}"
        same = "" if prefix or measure.name not in CONVERSATION_MEASURES else f"m-conversations-{measure.name}"
        title, meaning, absent = map(words.said, (measure.title, measure.meaning, measure.absent))
        entries.append(_entry(anchor, title, meaning, absent, better=better[measure.better], same=same))
    return entries


@router.get("/api")
def show_api(request: Request, who: Reader, group: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show the operations of the API."""
    words = words_of(request)
    operations = read_operations(request.app.openapi())
    names = tuple(dict.fromkeys(operation.group for operation in operations))
    if group and group not in names:
        raise AbsentError(
            say("there is no group '{group}'.{nearest}", group=group, nearest=nearest(group, names)),
            remedy=say("choose one from the list"),
        )
    chosen = [operation for operation in operations if group in ("", operation.group)]
    view = View(
        groups=(
            Link(words.gettext("All operations"), "/api", not group),
            *(Link(name, f"/api?group={name}", name == group) for name in names),
        ),
        operations=chosen,
        group=group,
        lead=words.ngettext(
            "%(num)s operation. With a key, programs can do what people do on these pages.",
            "%(num)s operations. With a key, programs can do what people do on these pages.",
            len(chosen),
        ),
        description=request.app.openapi_url,
    )
    return page(request, "projects/api.html", words.gettext("API"), view=view)


HERE = "/help/components"
RATE = Rate(0.72, 0.67, 0.77, 2209)


@router.get(HERE)
def show_components(request: Request, who: Admin) -> Response:
    """Show every shared part of pages."""
    title = words_of(request).gettext("Page components")
    return page(request, "projects/components.html", title, view=View(**_numbers(), **_lists(), **_forms()))


def _numbers() -> dict[str, Any]:
    """Return samples of what shows numbers."""
    return {
        "rate": RATE,
        "few": Rate(1.0, 0.44, 1.0, 3),
        "measure": MEASURES["automation_rate"],
        "history": (0.4, 0.52, 0.5, 0.61, 0.72),
        "tiles": [
            View(value="72 %", name="Sample", around="67 to 77 %", meaning="", href="", unsure=False, history=())
        ],
        "svg": _draw_chart(),
        "progress": Progress("Sample exam", 1200, 3000, failed=2, seconds_left=95),
    }


@cache
def _draw_chart() -> Markup:
    rows = [
        RateRow(MEASURES[name].title, run, Rate(value, value - 0.05, value + 0.05, 400))
        for name in ("automation_rate", "precision_answered")
        for run, value in (("Monday", 0.62), ("Tuesday", 0.81))
    ]
    return Markup(to_svg(comparison_chart(rows)))  # noqa: S704 (drawn here, from these numbers)


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
