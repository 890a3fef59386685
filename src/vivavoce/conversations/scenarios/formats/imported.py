"""What the forms of other tools share: ids, levels, bubbles with alternatives, and what got lost on the way out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

from vivavoce.conversations.judging.matching import kind_of
from vivavoce.conversations.scenario import (
    Button,
    Expectation,
    Match,
    Pattern,
    Plan,
    Scenario,
    Script,
    ScriptTurn,
    Turn,
)
from vivavoce.errors import plural

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
        return rf"\A{escape(text)}\Z"
    if pattern.match is Match.WILDCARD or (pattern.match is None and "*" in text):
        return rf"\A{'.*'.join(escape(part) for part in text.split('*'))}\Z"
    return escape(text)


def escape(text: str) -> str:
    """Return a text for use in a regular expression, as readable as it can be; placeholders stay."""
    spaced = _BLANKS.sub(lambda match: r"\s+" if "\n" in match[0] else " ", re.escape(text))
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
    """Return the usual level of a conversation by its number of turns."""
    return "basic" if turns <= 3 else "medium" if turns <= 6 else "complex"


def number_scenarios(scenarios: Iterable[Scenario]) -> Iterator[Scenario]:
    """Yield the scenarios with ids that differ: other tools allow the same name twice."""
    seen: set[str] = set()
    for scenario in scenarios:
        name, n = scenario.id, 1
        while name in seen:
            n += 1
            name = f"{scenario.id}-{n}"
        seen.add(name)
        yield scenario if n == 1 else replace(scenario, id=name)


SHOWN = 3
TEXTS = ("any", "all", "none")
WHOLE_WORDS = "expected texts also match inside longer words; the suite requires whole words"
OTHERWISE = "expected texts are matched in another way"


@dataclass
class Losses:
    """What got lost, and where."""

    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, where: str) -> None:
        """Remember one loss."""
        places = self.places.setdefault(what, [])
        if where not in places:
            places.append(where)

    def describe(self) -> tuple[str, ...]:
        """Return one sentence for each kind of loss: what, how often, and the first places."""
        return tuple(
            f"{what}: {plural(len(places), 'place')} "
            f"({', '.join(places[:SHOWN])}{', ...' if len(places) > SHOWN else ''})"
            for what, places in self.places.items()
        )


def head_losses(plan: Plan, losses: Losses) -> None:
    """Remember what is said about whole conversations and has no place elsewhere."""
    for script in plan.scripts:
        for name in ("domain", "tags"):
            if getattr(script, name):
                losses.add(f"`{name}` is not kept", script.id)
        losses.add("`level` is not kept; reading sets it by the number of turns", script.id)
        if script.on_mismatch is not plan.defaults.on_mismatch:
            losses.add("`on_mismatch` is not kept", script.id)
    if plan.notice:
        losses.add("`notice` is not kept", plan.suite)


def find_losses(meant: ScriptTurn, read: Turn, default: Match, read_default: Match) -> Iterator[str]:
    """Yield what differs between a turn and what is read back from its written form."""
    text = read.user.label if isinstance(read.user, Button) else str(read.user)
    if text != meant.text or isinstance(read.user, Button) != meant.button:
        yield "the message itself changes"
    if meant.kind != read.kind or meant.twin is not None:
        yield "`kind` and `twin_of` are not kept"
    for name in ("wait_s", "pause_ms", "save", "note"):
        if getattr(meant, name) != getattr(read, name):
            yield f"`{name}` is not kept"
    yield from _find_expect_losses(meant.expect, read.expect, default, read_default)


def _find_expect_losses(meant: Expectation, read: Expectation, default: Match, read_default: Match) -> Iterator[str]:
    for name in (each.name for each in fields(Expectation)):
        before, after = getattr(meant, name), getattr(read, name)
        if name in TEXTS:
            yield from _find_text_losses(name, before, after, default, read_default)
        elif name == "order_any":
            if before != after and len(meant.all) > 1 and len(read.all) == len(meant.all):
                yield "the order of `all` is not kept"
        elif name == "intents" and len(before) > 1 and after == before[:1]:
            yield "only the first of several intents is kept"
        elif name == "slots" and after and after.items() <= before.items() and before != after:
            yield "some `slots` are not kept"
        elif before != after:
            yield f"`{', '.join(before) if name == 'extras' and before else name}` is not kept"


def _find_text_losses(
    name: str, before: tuple[Pattern, ...], after: tuple[Pattern, ...], default: Match, read_default: Match
) -> Iterator[str]:
    had, got = [_normalise(each, default) for each in before], [_normalise(each, read_default) for each in after]
    if got and any(kind_of(pattern, default) is Match.CONTAINS for pattern in before):
        yield WHOLE_WORDS
    if name != "any":
        had, got = sorted(had), sorted(got)
    if had != got:
        yield OTHERWISE if len(had) == len(got) else f"`{name}` is not kept"


def _normalise(pattern: Pattern, default: Match) -> tuple[str, str]:
    """Return a text and how it is matched, so that two ways of writing the same are the same."""
    kind = kind_of(pattern, default)
    if kind is Match.REGEX:
        return pattern.text, kind.value
    kind = Match.SUBSTRING if kind is Match.CONTAINS else kind
    if kind is Match.WILDCARD and "*" not in pattern.text:
        kind = Match.EXACT
    return " ".join(pattern.text.split()), kind.value
