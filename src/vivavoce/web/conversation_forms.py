"""The form with which conversations are begun: read from an address or from a form, and shown again as filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from fastapi import Request
from starlette.datastructures import FormData

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import CONVERSATIONS
from vivavoce.web.access import config_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words
from vivavoce.web.option_forms import ExamForm, option_form, read_values, typed_values
from vivavoce.web.talk_words import named
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice, Offer, usual_bots
from vivavoce.workspace.exams.runs import MOST_TITLE

# What is typed, beside what is ticked.
NUMBERS = tuple(option for option in CONVERSATIONS.chosen if option.name in ("repeats", "at_once", "per_second"))


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
    numbers = {name: value for name, value in read_values(form, NUMBERS).items() if value is not None}
    return Choice(
        suite=found.row.id,
        bots=form.all("bot") if form.flag("chosen") else usual_bots(found),
        domains=form.all("domain"),
        levels=form.all("level"),
        title=form.text("title", most=MOST_TITLE),
        **numbers,
    )


def choice_fields(words: Words, form: Fields) -> ExamForm:
    """Return numbers and title as they were typed, or as they usually are."""
    typed = {name: value for name, value in typed_values(form, NUMBERS).items() if value}
    called = words.gettext("What the run is called in lists. Empty: the suite and its bots.")
    return option_form(words, NUMBERS, typed, form.fault_of, called)


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
