"""The form with which conversations are begun: read from an address or from a form, and shown again as filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from fastapi import Request
from starlette.datastructures import FormData

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import CONVERSATIONS
from vivavoce.web.access import config_of
from vivavoce.web.forms import Fields, fault_at
from vivavoce.web.language import Words
from vivavoce.web.option_forms import ExamForm, option_form, read_values, typed_values
from vivavoce.web.rendering import View
from vivavoce.web.talk_words import named
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice, Offer, usual_bots
from vivavoce.workspace.exams.runs import MAX_TITLE
from vivavoce.workspace.scenarios.suites import SuiteLine

# What is typed, beside what is ticked.
NUMBERS = tuple(option for option in CONVERSATIONS.chosen if option.name in ("repeats", "at_once", "per_second"))


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
        suite=tuple(each.row.id for each in found.suites),
        bots=form.all("bot") if form.flag("chosen") else usual_bots(found),
        domains=form.all("domain"),
        levels=form.all("level"),
        title=form.text("title", most=MAX_TITLE),
        **numbers,
    )


def choice_fields(words: Words, form: Fields) -> ExamForm:
    """Return numbers and title as they were typed, or as they usually are."""
    typed = {name: value for name, value in typed_values(form, NUMBERS).items() if value}
    called = words.gettext("Shown in lists. Default: the suite and its bots.")
    return option_form(words, NUMBERS, typed, form.fault_of, called)


def choice_picks(
    words: Words, found: Offer, choice: Choice, suites: Sequence[SuiteLine], error: InputError | None
) -> tuple[View, ...]:
    """Return the boxes of the form: suites, bots, levels, domains; what has nothing to choose from is left out."""
    every = words.gettext("Tick none to include all.")
    hint = words.gettext("Each conversation is held with every bot you tick.")
    several = words.gettext("Tick several to compare the bots across domains in one result.")
    chosen_suites = {each.row.id for each in found.suites}
    subjects = tuple(
        View(
            value=line.suite.id,
            title=line.suite.title or line.suite.name,
            aside=words.ngettext("%(num)s scenario", "%(num)s scenarios", line.scenarios),
            ticked=line.suite.id in chosen_suites,
        )
        for line in suites
    )
    bots = tuple(
        View(
            value=bot.name,
            title=bot.name,
            aside=words.gettext("built-in") if bot.built_in else bot.kind,
            ticked=bot.name in choice.bots,
        )
        for bot in found.bots
    )

    def pick_counted(names: Mapping[str, int], chosen: tuple[str, ...]) -> tuple[View, ...]:
        return tuple(
            View(
                value=name,
                title=named(words, name).replace("_", " "),
                aside=words.ngettext("%(num)s scenario", "%(num)s scenarios", count),
                ticked=name in chosen,
            )
            for name, count in names.items()
        )

    domains, levels = pick_counted(found.domains, choice.domains), pick_counted(found.levels, choice.levels)
    groups = (
        View(name="suite", legend=words.gettext("Suites"), help=several, picks=subjects, error=""),
        View(name="bot", legend=words.gettext("Bots"), help=hint, picks=bots, error=fault_at(error, "bots")),
        View(name="level", legend=words.gettext("Levels"), help=every, picks=levels, error=""),
        View(name="domain", legend=words.gettext("Domains"), help=every, picks=domains, error=""),
    )
    # Where every suite is a domain of its own, there is nothing more to choose.
    least = {"suite": 1, "bot": 1, "domain": len(found.suites) + 1, "level": 2}
    return tuple(group for group in groups if len(group.picks) >= least[group.name])
