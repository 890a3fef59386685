"""Forms of exams, made from the options that each exam defines, and the form that starts conversations."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from fastapi import Request
from starlette.datastructures import FormData

from vivavoce.errors import Fault, InputError
from vivavoce.jobs.exams.kinds import CONVERSATIONS
from vivavoce.messages import Message, say
from vivavoce.options import Option, UnfitError, check_value
from vivavoce.web.access import config_of
from vivavoce.web.forms import Fields, fault_at
from vivavoce.web.language import Words
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import View
from vivavoce.web.talk_words import kind_title
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice as ConversationChoice
from vivavoce.workspace.conversations.choices import Offer, usual_bots
from vivavoce.workspace.exams.runs import MAX_TITLE
from vivavoce.workspace.scenarios.suites import SuiteLine

MAX_LETTERS = 400
# The field that offers the values of an option by their names, and the name that means none of them.
PRESET, OTHERS = "preset", "own"
_PAIR = re.compile(r"(\d+)\s*,\s*(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class ExamForm:
    """The fields of a form: those everybody looks at, and those for a second look."""

    first: tuple[Field, ...]
    more: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class BoxGroup:
    """Boxes of one name, of which several can be ticked: value, title, and whether it is ticked."""

    name: str
    title: str
    boxes: tuple[tuple[str, str, bool], ...]
    error: str


def option_form(
    words: Words,
    options: Sequence[Option],
    values: Mapping[str, str],
    fault: Callable[[str], str],
    title: str = "",
    *,
    offers: Mapping[str, Mapping[str, str]] | None = None,
) -> ExamForm:
    """Return the fields as they were filled in, or as they usually are; boxes are left to `box_group`.

    `title`: what the help of the field of the title says. `offers`: what the project offers for an option.
    """
    first: list[Field] = []
    more = [
        Field(
            "title",
            words.gettext("Title"),
            value=values.get("title", ""),
            help=title or words.gettext("Shown in lists."),
            error=fault("title"),
            most=200,
        )
    ]
    for option in options:
        if option.presets:
            choices = [Choice(preset.name, words.gettext(preset.title)) for preset in option.presets]
            choices.append(Choice(OTHERS, words.gettext("custom, set under For experts")))
            about = words.gettext(
                "Visitors also ask questions that no topic covers. All three: every topic is "
                "known; the smallest topics are unknown; topics with fewer than 5 examples are "
                "unknown."
            )
            chosen = values.get(PRESET) or option.presets[0].name
            label = words.gettext(option.label)
            first.append(Field(PRESET, label, "select", chosen, about, choices=tuple(choices)))
            wrong, help = fault(option.name), words.gettext(option.help)
            label = words.gettext("Custom settings")
            more.append(Field(option.name, label, value=values.get(option.name, ""), help=help, error=wrong))
        elif not option.several or not option.offered:
            value = values.get(option.name, default_text(option))
            field = option_field(words, option, value, fault(option.name), (offers or {}).get(option.name))
            (more if option.more else first).append(field)
    return ExamForm(tuple(first), tuple(more))


def option_field(
    words: Words, option: Option, value: str, error: str, offers: Mapping[str, str] | None = None
) -> Field:
    """Return the field of one option; `offers`: what the project offers, by value with its title."""
    choices: tuple[Choice, ...] = named_choices(option.choices)
    if offers is not None:
        # What was chosen stays among the choices, also where it is gone: a form must not change it unasked.
        empty = (Choice("", words.gettext(option.empty)),) if option.empty else ()
        choices = (
            *empty,
            *(
                Choice(key, words.said(title) if isinstance(title, Message) else title)
                for key, title in {**({value: value} if value else {}), **offers}.items()
            ),
        )
    numeric = option.type in (int, float)
    return Field(
        option.name,
        words.gettext(option.label or option.name),
        "select" if choices else "checkbox" if option.type is bool else "number" if numeric else "text",
        value,
        "" if option.plugins and offers is not None else words.gettext(option.help),
        error,
        choices,
        required=numeric and option.default is not None,
        low=_bound(option.low),
        high=_bound(option.high),
        step="any" if option.type is float else "",
    )


def _bound(bound: float | None) -> str:
    return "" if bound is None else str(bound) if isinstance(bound, int) else f"{bound:g}"


def box_group(option: Option, title: str, offers: Mapping[str, str], ticked: Iterable[str], error: str) -> BoxGroup:
    """Return the boxes of an option; what was ticked once and is gone now stays visible, not to be dropped unseen."""
    chosen = tuple(ticked)
    boxes = {**offers, **{value: value for value in chosen if value not in offers}}
    return BoxGroup(option.name, title, tuple((value, name, value in chosen) for value, name in boxes.items()), error)


def default_text(option: Option) -> str:
    """Return the default of an option as a field shows it."""
    if isinstance(option.default, bool):
        return "on" if option.default else ""
    if isinstance(option.default, int | float):
        return f"{option.default:g}"
    return option.default if isinstance(option.default, str) else ""


def read_values(form: Fields, options: Sequence[Option]) -> dict[str, Any]:
    """Return what a form says; its faults are collected, each at the field of its option."""
    return {option.name: _read_value(form, option) for option in options}


def _read_value(form: Fields, option: Option) -> Any:
    if option.presets:
        presets = {preset.name: preset.value for preset in option.presets}
        chosen = form.choice(PRESET, (*presets, OTHERS), option.presets[0].name)
        return _read_pairs(form, option.name) if chosen == OTHERS else presets.get(chosen)
    if option.several:
        texts = form.all(option.name)
        # What cannot be ticked is typed, with commas between.
        names = texts if option.offered else [part.strip() for text in texts for part in text.split(",")]
        values = [name for name in names if name]
        return values[0] if option.or_one and len(values) == 1 else values or None
    if option.type is bool:
        return form.flag(option.name)
    text = form.text(option.name, most=MAX_LETTERS)
    if not text:
        return None
    try:
        # Names of plug-ins are checked where it is known who may choose which.
        return text if option.plugins else check_value(option, _parse(option, text))
    except UnfitError as error:
        form.faults.append(Fault(error.what, option.name))
        return None


def _parse(option: Option, text: str) -> object:
    if option.type not in (int, float):
        return text
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return text
    return int(value) if option.type is int and value.is_integer() else value


def _read_pairs(form: Fields, name: str) -> list[list[float]]:
    text = form.text(name, most=200)
    pairs = [[int(k), float(p)] for k, p in _PAIR.findall(text)]
    if not pairs or _PAIR.sub("", text).strip("; \t"):
        form.faults.append(Fault(say("enter pairs such as 0,0.15; 3,0"), name))
    return pairs


def typed_values(form: Fields, options: Sequence[Option]) -> dict[str, str]:
    """Return what was typed, to be shown again."""
    names = ["title", *([PRESET] if any(option.presets for option in options) else [])]
    names += [option.name for option in options if not option.several or option.presets or not option.offered]
    flags = {option.name: "on" if form.flag(option.name) else "" for option in options if option.type is bool}
    return {name: form.text(name)[:MAX_LETTERS] for name in names} | flags


# What is typed, beside what is ticked.
NUMBERS = tuple(option for option in CONVERSATIONS.chosen if option.name in ("repeats", "at_once", "per_second"))


def rules_of(request: Request) -> BotRules:
    """Return what bots may do in this application."""
    config = config_of(request)
    return BotRules(config.private_bots, config.bot_programs, config.bot_variables)


def query_fields(request: Request) -> Fields:
    """Return what an address says, read as a form is."""
    return Fields(cast(FormData, request.query_params), 0)


def read_choice(form: Fields, offer: Offer) -> ConversationChoice:
    """Return what was chosen; its faults are collected. Before anybody has chosen, what is usual."""
    numbers = {name: value for name, value in read_values(form, NUMBERS).items() if value is not None}
    return ConversationChoice(
        suite=tuple(each.row.id for each in offer.suites),
        bots=form.all("bot") if form.flag("chosen") else usual_bots(offer),
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
    words: Words, offer: Offer, choice: ConversationChoice, suites: Sequence[SuiteLine], error: InputError | None
) -> tuple[View, ...]:
    """Return the boxes of the form: suites, bots, levels, domains; what has nothing to choose from is left out."""
    every = words.gettext("Tick none to include all.")
    hint = words.gettext("Each conversation is run with every bot you tick.")
    several = words.gettext("Tick several to compare the bots across domains in one result.")
    here = {each.row.id for each in offer.suites}

    def pick(value: str, title: str, aside: str | int, chosen: Collection[str]) -> View:
        if isinstance(aside, int):
            aside = words.ngettext("%(num)s scenario", "%(num)s scenarios", aside)
        return View(value=value, title=title, aside=aside, ticked=value in chosen)

    def pick_names(names: Mapping[str, int], chosen: Collection[str]) -> tuple[View, ...]:
        rows = names.items()
        return tuple(pick(name, kind_title(words, name).replace("_", " "), n, chosen) for name, n in rows)

    own = words.gettext("built-in")
    lines = [(line.suite, line.scenarios) for line in suites]
    subjects = tuple(pick(suite.id, suite.title or suite.name, n, here) for suite, n in lines)
    bots = tuple(pick(bot.name, bot.name, own if bot.built_in else bot.kind, choice.bots) for bot in offer.bots)
    domains, levels = pick_names(offer.domains, choice.domains), pick_names(offer.levels, choice.levels)
    groups = (
        View(name="suite", legend=words.gettext("Suites"), help=several, picks=subjects, error=""),
        View(name="bot", legend=words.gettext("Bots"), help=hint, picks=bots, error=fault_at(error, "bots")),
        View(name="level", legend=words.gettext("Levels"), help=every, picks=levels, error=""),
        View(name="domain", legend=words.gettext("Domains"), help=every, picks=domains, error=""),
    )
    # Where every suite is a domain of its own, there is nothing more to choose.
    least = {"suite": 1, "bot": 1, "domain": len(offer.suites) + 1, "level": 2}
    return tuple(group for group in groups if len(group.picks) >= least[group.name])
