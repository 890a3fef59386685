"""What the readers of other tools' forms share: ids, levels, and several bubbles with alternatives each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from vivavoce.conversations.scenario import Match, Pattern, Scenario, Script

DOMAIN = "imported"
_PLACEHOLDER = re.compile(r"\\\{([^\W\d][\w-]*)\\\}")
_BLANKS = re.compile(r"(?:\\?\s)+")
_FINE_ID = re.compile(r"[^\W_][^\s!?#]*")

Choice = tuple[Pattern, ...]


def expect_bubbles(choices: Sequence[Choice]) -> tuple[Choice, Choice]:
    """Return the texts of which one, and those which each must be found, for bubbles with alternatives each.

    A turn has one choice; where several bubbles leave a choice, the others become one regular expression each.
    """
    if len(choices) == 1:
        return choices[0], ()
    free = next((place for place, choice in enumerate(choices) if len(choice) > 1), None)
    needed = tuple(
        choice[0] if len(choice) == 1 else one_of(choice) for place, choice in enumerate(choices) if place != free
    )
    return (choices[free] if free is not None else ()), needed


def one_of(choice: Choice) -> Pattern:
    """Return one expression that finds what any of the patterns finds."""
    return Pattern("|".join(f"(?:{expression_of(pattern)})" for pattern in choice), Match.REGEX)


def expression_of(pattern: Pattern) -> str:
    """Return a pattern as a regular expression; placeholders stay."""
    text = pattern.text
    if pattern.match is Match.REGEX:
        return text
    if pattern.match is Match.EXACT:
        return rf"\A{escaped(text)}\Z"
    if pattern.match is Match.WILDCARD or (pattern.match is None and "*" in text):
        return rf"\A{'.*'.join(escaped(part) for part in text.split('*'))}\Z"
    return escaped(text)


def escaped(text: str) -> str:
    """Return a text for use in a regular expression, as readable as it can be; placeholders stay."""
    spaced = _BLANKS.sub(lambda found: r"\s+" if "\n" in found[0] else " ", re.escape(text))
    return _PLACEHOLDER.sub(r"{\1}", spaced).replace(r"\-", "-")


def name_as_id(name: str, usual: str) -> str:
    """Return a name as an id: as it is where it has no blanks, else its words with hyphens."""
    if _FINE_ID.fullmatch(name):
        return name
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name).split()).lower() or usual


def story_name(script: Script) -> str:
    """Return the name of a conversation in another tool: its title where the id can be had from that, else the id."""
    fits = script.title == script.title.strip() and name_as_id(script.title, "") == script.id
    return script.title if fits else script.id


def level_of(turns: int) -> str:
    """Return the usual level of a conversation of so many turns."""
    return "basic" if turns <= 3 else "medium" if turns <= 6 else "complex"


def numbered(scenarios: Iterable[Scenario]) -> Iterator[Scenario]:
    """Yield the scenarios with ids that differ: other tools allow the same name twice."""
    seen: set[str] = set()
    for scenario in scenarios:
        name, n = scenario.id, 1
        while name in seen:
            n += 1
            name = f"{scenario.id}-{n}"
        seen.add(name)
        yield scenario if n == 1 else replace(scenario, id=name)
