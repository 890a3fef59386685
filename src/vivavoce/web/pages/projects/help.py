"""Help: the meaning of every number, from the one table that reports read too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
from vivavoce.web.parts import Field

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Entry:
    """One number or outcome; `anchor` is where links lead, `same` another number of the same name."""

    anchor: str
    title: str
    meaning: str
    absent: str = ""
    better: str = ""
    same: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Numbers that belong together."""

    title: str
    about: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class HelpView:
    """All that can be looked up, or what of it holds the words that were asked for."""

    groups: tuple[Group, ...]
    field: Field
    asked: str


@router.get("/help")
def show_help(request: Request, who: Reader, q: str = "") -> Response:
    """Show the meaning of every number."""
    words = words_of(request)
    asked = q.strip()[:100]
    found = tuple(_narrowed(group, asked) for group in _groups(words))
    field = Field("q", words.gettext("Look up"), "search", asked, key="/")
    view = HelpView(tuple(group for group in found if group.entries), field, asked)
    return page(request, "projects/help.html", words.gettext("Help"), view=view, section="help")


def _groups(words: Words) -> Iterator[Group]:
    better = {"higher": words.gettext("higher is better"), "lower": words.gettext("lower is better"), "neither": ""}
    yield Group(
        words.gettext("Intents"),
        words.gettext(
            "Can anyone learn these topics from these examples? Some examples are held back, the engine learns from "
            "the others, and is asked the ones held back, many times over."
        ),
        tuple(_entries(words, MEASURES, "", better)),
    )
    yield Group(
        words.gettext("What becomes of a question"),
        words.gettext("Every question of an intents exam ends in exactly one of these ways."),
        tuple(Entry(f"o-{one}", words.said(OUTCOME_TITLES[one]), words.said(one.meaning)) for one in Outcome),
    )
    yield Group(
        words.gettext("Conversations"),
        words.gettext("Scripted conversations are held with each bot; every reply is checked against the script."),
        tuple(_entries(words, CONVERSATION_MEASURES, "conversations-", better)),
    )
    yield Group(
        words.gettext("What becomes of a message"),
        words.gettext("Every message of a scripted conversation ends in exactly one of these ways."),
        tuple(Entry(f"t-{one}", words.said(OUTCOME_NAMES[one]), words.said(one.meaning)) for one in TurnOutcome),
    )
    yield Group(
        words.gettext("Dialogues"),
        words.gettext("Logged talks get the mark from 1 to 5 that a person would probably give them."),
        tuple(_entries(words, DIALOGUE_MEASURES, "dialogues-", better)),
    )


def _entries(
    words: Words, measures: Mapping[str, Measure], prefix: str, better: Mapping[str, str]
) -> Iterator[Entry]:
    """Yield numbers; where an exam before has one of the same name, the anchor says which exam it is of."""
    for measure in measures.values():
        taken = bool(prefix) and measure.name in MEASURES
        anchor = f"m-{prefix if taken else ''}{measure.name}"
        same = "" if prefix or measure.name not in CONVERSATION_MEASURES else f"m-conversations-{measure.name}"
        title, meaning, absent = map(words.said, (measure.title, measure.meaning, measure.absent))
        yield Entry(anchor, title, meaning, absent, better[measure.better], same)


def _narrowed(group: Group, asked: str) -> Group:
    wanted = asked.casefold()
    kept = tuple(e for e in group.entries if wanted in f"{e.title} {e.meaning} {e.anchor}".casefold())
    return Group(group.title, group.about, kept)
