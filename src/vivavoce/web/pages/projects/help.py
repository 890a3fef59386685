"""Help: the meaning of every number, from the one table that reports read too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.outcomes import Outcome, TurnOutcome
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, OUTCOME_NAMES
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.intents.wording import OUTCOME_TITLES
from vivavoce.reports.shared.measures import Measure
from vivavoce.web.access import Reader
from vivavoce.web.answers import page, words_of
from vivavoce.web.language import Words
from vivavoce.web.pages.access.people import list_roles
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View

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
            "Scripted conversations are held with each bot, and every reply is checked against the scenario."
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
