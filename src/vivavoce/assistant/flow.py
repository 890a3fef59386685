"""The job search as a state machine: what is known is kept in `Search`, what is missing is asked.

    PROFESSION -> PLACE -> SHOWN -> ADDRESS (a subscription)

Each function takes a search and returns what to say with the search that follows; None ends it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vivavoce.assistant.entities import find_place, place_named
from vivavoce.assistant.material import word
from vivavoce.assistant.openings import Matches, Opening, Openings, Query
from vivavoce.assistant.talk import Button, Entity, Link, Search, Step
from vivavoce.records import Action

ANYWHERE, ANY_WORK, MORE, CHANGE = "/anywhere", "/any_work", "/more", "/change"
SUBSCRIBE, STOP, JOB_SEARCH, NONE, HUMAN = "/subscribe", "/stop", "/job_search", "/none", "/contact_human"
ADDRESS = re.compile(r"[^\s@<>,;:\"()]{1,64}@[^\s@<>,;:\"()]{1,190}\.[^\W\d_]{2,}")
# What visitors say instead of a place or a profession.
_NO_MATTER = re.compile(
    r"\b(any\s?where|every\s?where|any place|wherever|anything|any job|whatever|all of them|no preference|remote"
    r"|egal|überall|ueberall|irgendwo|ganz gleich|alles|wo auch immer|home\s?office"
    r"|partout|n'importe|peu importe|tout|télétravail)\b|都可以|任何|随便|不限|哪里都|哪儿都|无所谓|远程",
    re.IGNORECASE,
)
LONGEST_ANSWER = 5
MAX_LETTERS = 60


@dataclass(frozen=True, slots=True)
class FlowReply:
    """What the flow says, and the search that follows. `search` None: it is over."""

    search: Search | None
    texts: tuple[str, ...]
    buttons: tuple[Button, ...] = ()
    links: tuple[Link, ...] = ()
    openings: tuple[Opening, ...] = ()
    total: int = 0
    actions: tuple[Action, ...] = ()


def fill(search: Search, entities: Sequence[Entity]) -> Search:
    """Put what a message names into the search; a new profession or place replaces the old one."""
    for entity in entities:
        if entity.kind == "place":
            # Of several places the first counts, which the visitor can change.
            if entity is next(each for each in entities if each.kind == "place"):
                search = replace(search, place=entity.key, place_name=entity.value, anywhere=False)
        elif entity is next(each for each in entities if each.kind == "profession"):
            search = replace(search, profession=entity.value, any_profession=False)
    return search


def fill_any(search: Search, text: str) -> Search | None:
    """Take "anywhere" and the like for an answer, None where it is none."""
    if len(text.split()) > LONGEST_ANSWER or len(text) > MAX_LETTERS or not _NO_MATTER.search(text):
        return None
    if search.step is Step.PROFESSION:
        return replace(search, profession="", any_profession=True)
    return replace(search, place="", place_name="", anywhere=True)


def fill_words(search: Search, text: str) -> Search | None:
    """Take a short answer as it is; None where it is none: a place that nobody knows, or a whole sentence."""
    plain = text.strip(" .!?,;:。！？，")
    if not plain or len(plain.split()) > LONGEST_ANSWER or len(plain) > MAX_LETTERS or "?" in text or "？" in text:
        return None
    if search.step is Step.PLACE:
        place = place_named(plain)
        return replace(search, place=place.key, place_name=plain) if place else None
    return replace(search, profession=plain)


def advance(search: Search, openings: Openings, language: str, limit: int) -> FlowReply:
    """Ask for what is missing; show openings when nothing is."""
    if not search.profession and not search.any_profession:
        button = Button(word("button_any_work", language), ANY_WORK)
        ask = word("ask_profession", language)
        return FlowReply(replace(search, step=Step.PROFESSION), (ask,), (button, _button("stop", STOP, language)))
    if not search.place and not search.anywhere:
        button = Button(word("button_anywhere", language), ANYWHERE)
        ask = word("ask_place", language)
        return FlowReply(replace(search, step=Step.PLACE), (ask,), (button, _button("stop", STOP, language)))
    return show(replace(search, step=Step.SHOWN, shown=0, left_out=""), openings, language, limit)


def show(search: Search, openings: Openings, language: str, limit: int) -> FlowReply:
    """Show the next openings; where there are none, those of the same work elsewhere, or other work there."""
    matches = openings.search(_query(search, language), limit=limit, start=search.shown)
    texts: tuple[str, ...] = (word("found_more", language),)
    if not search.shown:
        wish = describe(search, language)
        texts = (_counted("found", matches.total, language, wish=wish),)
        if not matches.total:
            texts = (word("none_here", language, wish=wish),)
            for part, name in (("place", "elsewhere"), ("profession", "others")):
                wider = replace(search, left_out=part)
                matches = openings.search(_query(wider, language), limit=limit)
                if matches.total and search.profession and search.place:
                    texts = (*texts, _counted(name, matches.total, language, place=search.place_name))
                    search = wider
                    break
            else:
                matches = Matches((), 0)
    search = replace(search, shown=search.shown + len(matches.openings))
    return FlowReply(search, texts, _buttons(search, matches.total, language), (), matches.openings, matches.total)


def _query(search: Search, language: str) -> Query:
    profession = "" if search.left_out == "profession" else search.profession
    return Query(profession, "" if search.left_out == "place" else search.place, "", language)


def _buttons(search: Search, total: int, language: str) -> tuple[Button, ...]:
    more = [_button("more", MORE, language)] if total > search.shown else []
    return (*more, _button("subscribe", SUBSCRIBE, language), _button("change", CHANGE, language))


def subscribe(search: Search, text: str, language: str) -> FlowReply:
    """Ask for a mail address until the message has one; subscribing itself is the caller's work."""
    match = ADDRESS.search(text)
    if match is None:
        is_asked = search.step is Step.ADDRESS
        wish = describe(search, language)
        ask = word("no_address", language) if is_asked else word("ask_address", language, wish=wish)
        return FlowReply(replace(search, step=Step.ADDRESS), (ask,), (_button("stop", STOP, language),))
    wanted = {"address": match[0], "profession": search.profession, "place": search.place, "language": language}
    done = replace(search, step=Step.SHOWN)
    return FlowReply(done, (word("subscribed", language, address=match[0]),), actions=(Action("subscribe", wanted),))


def show_one(search: Search, number: int, openings: Openings, language: str) -> FlowReply | None:
    """Show one of the openings by its number; None where there is no such one."""
    if not 0 < number <= search.shown:
        return None
    matches = openings.search(_query(search, language), limit=1, start=number - 1)
    opening = matches.openings[0]
    facts = ", ".join(filter(None, (opening.place, opening.contract)))
    texts = tuple(filter(None, (f"{opening.title} ({facts})" if facts else opening.title, opening.description)))
    links = (Link(word("button_apply", language), opening.url),) if opening.url else ()
    return FlowReply(search, texts, _buttons(search, matches.total, language), links, matches.openings, matches.total)


def describe(search: Search, language: str) -> str:
    """Return what is searched for in words."""
    if search.profession and search.place:
        return word("wish_both", language, profession=search.profession, place=search.place_name)
    if search.profession:
        return word("wish_profession", language, profession=search.profession)
    return word("wish_place", language, place=search.place_name) if search.place else word("wish_any", language)


def slots(search: Search | None) -> Mapping[str, str]:
    """Return profession and place as the slots of a reply."""
    if search is None:
        return {}
    place = find_place(search.place)
    named = {"profession": search.profession, "place": place.name if place else search.place_name}
    return {name: value for name, value in named.items() if value}


def _button(name: str, send: str, language: str) -> Button:
    return Button(word(f"button_{name}", language), send)


def _counted(name: str, n: int, language: str, **values: str) -> str:
    return word(f"{name}_{'one' if n == 1 else 'many'}", language, n=n, **values)
