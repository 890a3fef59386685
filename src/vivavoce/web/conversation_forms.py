"""The form with which conversations are begun: read from an address or from a form, and shown again as filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from fastapi import Request
from starlette.datastructures import FormData

from vivavoce.errors import InputError
from vivavoce.web.access import config_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words
from vivavoce.web.parts import Field
from vivavoce.web.talk_words import named
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import (
    MOST_AT_ONCE,
    MOST_PER_SECOND,
    MOST_REPEATS,
    Choice,
    Offer,
    usual_bots,
)
from vivavoce.workspace.exams.runs import MOST_TITLE

MOST_LETTERS = 400


@dataclass(frozen=True, slots=True)
class Pick:
    """One box that can be ticked."""

    value: str
    title: str
    aside: str = ""
    ticked: bool = False


@dataclass(frozen=True, slots=True)
class Picks:
    """Boxes of which several can be ticked."""

    name: str
    legend: str
    help: str
    picks: tuple[Pick, ...]
    error: str = ""


def rules_of(request: Request) -> BotRules:
    """Return what bots may do in this application."""
    config = config_of(request)
    return BotRules(config.private_bots, config.bot_programs, config.bot_variables)


def query_fields(request: Request) -> Fields:
    """Return what an address says, read as a form is."""
    return Fields(cast(FormData, request.query_params), 0)


def read_choice(form: Fields, found: Offer) -> Choice:
    """Return what was chosen; its faults are collected. Before anybody has chosen, what is usual."""
    asked = form.flag("chosen")
    at_once = form.whole("at_once", 0, low=1, high=MOST_AT_ONCE)
    per_second = form.number("per_second", 0, low=0.001, high=MOST_PER_SECOND)
    return Choice(
        suite=found.row.id,
        bots=form.all("bot") if asked else usual_bots(found),
        domains=form.all("domain"),
        levels=form.all("level"),
        repeats=form.whole("repeats", 1, low=1, high=MOST_REPEATS),
        at_once=at_once or None,
        per_second=per_second or None,
        title=form.text("title", most=MOST_TITLE),
    )


def typed_values(form: Fields) -> dict[str, str]:
    """Return the numbers and the title as they were typed."""
    return {name: form.text(name)[:MOST_LETTERS] for name in ("repeats", "at_once", "per_second", "title")}


def choice_picks(words: Words, found: Offer, choice: Choice, error: InputError | None) -> tuple[Picks, ...]:
    """Return the boxes of the form: bots, domains, levels; what has nothing to choose from is left out."""
    every = words.gettext("Nothing ticked means all of them.")
    picks = (
        Picks(
            "bot",
            words.gettext("Bots"),
            words.gettext(
                "Each conversation is held with every bot that is ticked. Built-in ones know what the suite is about."
            ),
            tuple(_bots(words, found, choice)),
            fault_at(error, "bots"),
        ),
        Picks("domain", words.gettext("Domains"), every, tuple(_counted(words, found.domains, choice.domains))),
        Picks("level", words.gettext("Levels"), every, tuple(_counted(words, found.levels, choice.levels))),
    )
    return tuple(one for one in picks if len(one.picks) > 1 or one.name == "bot")


def _bots(words: Words, found: Offer, choice: Choice) -> Iterator[Pick]:
    for bot in found.bots:
        aside = words.gettext("built in") if bot.built_in else bot.kind
        yield Pick(bot.name, bot.name, aside, bot.name in choice.bots)


def _counted(words: Words, names: Mapping[str, int], chosen: tuple[str, ...]) -> Iterator[Pick]:
    for name, count in names.items():
        aside = words.ngettext("%(num)s scenario", "%(num)s scenarios", count)
        yield Pick(name, named(words, name).replace("_", " "), aside, name in chosen)


@dataclass(frozen=True, slots=True)
class ChoiceFields:
    """The fields of the form: those for a first and those for a second look."""

    first: tuple[Field, ...]
    more: tuple[Field, ...]


def choice_fields(words: Words, typed: Mapping[str, str], form: Fields) -> ChoiceFields:
    """Return numbers and title as they were typed, or as they usually are."""

    def number(name: str, label: str, said: str, high: float, low: str = "1") -> Field:
        value = typed.get(name) or ("1" if name == "repeats" else "")
        wrong, step = form.fault_of(name), "1" if low == "1" else "any"
        need = name == "repeats"
        return Field(name, label, "number", value, said, wrong, low=low, high=f"{high:g}", step=step, required=need)

    often = words.gettext("How often each conversation is held. More show whether a bot answers the same every time.")
    at_once = words.gettext("At most, with each bot. Empty: as the bot allows; a lower limit of a bot always holds.")
    fast = words.gettext("At most, to each bot. Empty: as the bot allows.")
    called = words.gettext("What the run is called in lists. Empty: the suite and its bots.")
    return ChoiceFields(
        (number("repeats", words.gettext("Repeats"), often, MOST_REPEATS),),
        (
            number("at_once", words.gettext("Conversations at once"), at_once, MOST_AT_ONCE),
            number("per_second", words.gettext("Messages per second"), fast, MOST_PER_SECOND, "0.001"),
            Field(
                "title",
                words.gettext("Title"),
                value=typed.get("title", ""),
                help=called,
                error=form.fault_of("title"),
                most=MOST_TITLE,
            ),
        ),
    )
