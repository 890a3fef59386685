"""What a form of another tool cannot say: found by reading back what was written, told with counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from vivavoce.conversations.judging.matching import kind_of
from vivavoce.conversations.scenario import (
    Button,
    Expectation,
    Match,
    Pattern,
    Plan,
    Script,
    ScriptTurn,
    Turn,
)
from vivavoce.errors import plural

SHOWN = 3
TEXTS = ("any", "all", "none")
WHOLE_WORDS = "texts are found inside longer words too, where the suite asks for whole words"
OTHERWISE = "expected texts are written as another kind of match"


@dataclass
class Losses:
    """What got lost, and where."""

    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, where: str) -> None:
        """Remember one loss."""
        places = self.places.setdefault(what, [])
        if where not in places:
            places.append(where)

    def told(self) -> tuple[str, ...]:
        """Return one sentence for each kind of loss: what, how often, and the first places."""
        return tuple(_sentence(what, places) for what, places in self.places.items())


def place_of(script: Script, turn: ScriptTurn) -> str:
    """Return where a turn stands, as it is told elsewhere."""
    return f"{script.id}/{turn.id}"


def _sentence(what: str, places: list[str]) -> str:
    shown = ", ".join(places[:SHOWN])
    return f"{what}: {plural(len(places), 'place')} ({shown}{', ...' if len(places) > SHOWN else ''})"


def head_losses(plan: Plan, losses: Losses) -> None:
    """Remember what is said about whole conversations and has no place elsewhere."""
    for script in plan.scripts:
        for name in ("domain", "tags"):
            if getattr(script, name):
                losses.add(f"`{name}` is not kept", script.id)
        losses.add("`level` is not kept, it is set anew by length", script.id)
        if script.on_mismatch is not plan.defaults.on_mismatch:
            losses.add("`on_mismatch` is not kept", script.id)
    if plan.notice:
        losses.add("`notice` is not kept", plan.suite)


def find_losses(meant: ScriptTurn, read: Turn, default: Match, read_default: Match) -> Iterator[str]:
    """Yield what differs between a turn and what is read back from its written form."""
    said = read.user.label if isinstance(read.user, Button) else str(read.user)
    if said != meant.text or isinstance(read.user, Button) != meant.button:
        yield "the message itself is changed"
    if meant.kind != read.kind or meant.twin is not None:
        yield "`kind` and `twin_of` are not kept"
    for name in ("wait_s", "pause_ms", "save", "note"):
        if getattr(meant, name) != getattr(read, name):
            yield f"`{name}` is not kept"
    yield from _expected(meant.expect, read.expect, default, read_default)


def _expected(meant: Expectation, read: Expectation, default: Match, read_default: Match) -> Iterator[str]:
    for one in fields(Expectation):
        before, after = getattr(meant, one.name), getattr(read, one.name)
        if one.name in TEXTS:
            yield from _texts(one.name, before, after, default, read_default)
        elif one.name == "order_any":
            if before != after and len(meant.all) > 1 and len(read.all) == len(meant.all):
                yield "the order of `all` is not kept"
        elif one.name == "intents" and len(before) > 1 and after == before[:1]:
            yield "of several `intent` the first is kept"
        elif one.name == "slots" and after and after.items() <= before.items() and before != after:
            yield "some `slots` are not kept"
        elif before != after:
            yield f"`{', '.join(before) if one.name == 'extras' and before else one.name}` is not kept"


def _texts(
    name: str, before: tuple[Pattern, ...], after: tuple[Pattern, ...], default: Match, read_default: Match
) -> Iterator[str]:
    had, got = [_plainly(one, default) for one in before], [_plainly(one, read_default) for one in after]
    if any(kind_of(one, default) is Match.CONTAINS for one in before) and got:
        yield WHOLE_WORDS
    if name != "any":
        had, got = sorted(had), sorted(got)
    if had != got:
        yield OTHERWISE if len(had) == len(got) else f"`{name}` is not kept"


def _plainly(pattern: Pattern, default: Match) -> tuple[str, str]:
    """Return a text and how it is matched, so that two ways of writing the same are the same."""
    kind = kind_of(pattern, default)
    if kind is Match.REGEX:
        return pattern.text, kind.value
    kind = Match.SUBSTRING if kind is Match.CONTAINS else kind
    if kind is Match.WILDCARD and "*" not in pattern.text:
        kind = Match.EXACT
    return " ".join(pattern.text.split()), kind.value
