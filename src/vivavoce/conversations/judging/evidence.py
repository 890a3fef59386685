"""Evidence: each thing that a turn expects, held against what came back, one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.matching import Matched, match_reply
from vivavoce.conversations.judging.plain import plain, shorten
from vivavoce.conversations.result import Gap
from vivavoce.conversations.scenario import Expectation, ExpectedAction, Match, Pattern
from vivavoce.conversations.transcript import Exchange
from vivavoce.messages import say
from vivavoce.records import Reply

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

# What a bot's answer may carry beside its reply, and no connector hands on.
_UNSUPPORTED = ("cards", "media")


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one expected thing: it held, it failed, or it could not be checked (None)."""

    holds: bool | None
    reason: str = ""
    matched: str = ""
    needs_look: bool = False
    gap: Gap | None = None


@dataclass(frozen=True)
class Scene:
    """An expectation and all that it is held against."""

    expect: Expectation
    exchange: Exchange
    reply: Reply
    bot: BotFacts
    default: Match = Match.CONTAINS
    encoder: Encoder | None = None

    def match(self, pattern: Pattern, texts: Sequence[str]) -> Matched:
        """Hold a pattern against texts of the reply."""
        return match_reply(
            pattern,
            texts,
            default=self.default,
            values=self.exchange.values,
            encoder=self.encoder,
            names=known_names(self),
        )

    def same(self, expected: str, given: str) -> bool:
        """Tell whether a value is the expected one; placeholders in it are put in."""
        pattern = Pattern(expected, Match.EXACT)
        if not expected.strip():
            return not given.strip()
        return match_reply(pattern, (given,), default=Match.EXACT, values=self.exchange.values).passed


def known_names(scene: Scene) -> tuple[str, ...]:
    """Return the slot values, expected and reported, that a near match must not change."""
    expect = scene.expect
    expected = (*expect.slots.values(), *expect.slots_after.values(), *expect.slot_values)
    return tuple(value for value in (*expected, *scene.reply.slots.values()) if "{" not in value)


def check_all(scene: Scene) -> tuple[Check, ...]:
    """Return all checks that the expectation asks for, apart from topic and fallback."""
    checks = (
        check_texts,
        check_forbidden,
        check_slots,
        check_buttons,
        check_actions,
        check_time,
        check_confidence,
        check_margin,
    )
    return tuple(found for check in checks for found in check(scene))


def unsupported(expect: Expectation) -> tuple[str, ...]:
    """Return the names of checks that cannot be made here: a turn that asks for them is not counted."""
    asked = [name for name in _UNSUPPORTED if getattr(expect, name)]
    return (*asked, *(name for name in expect.extras if name.startswith("x-")))


# --- what was said -----------------------------------------------------------------------------------------------


def check_texts(scene: Scene) -> Iterator[Check]:
    """Check the texts of which one (`any`) and those which each (`all`) must be found."""
    if scene.expect.any:
        yield _check_any(scene)
    for pattern in scene.expect.all:
        found = scene.match(pattern, scene.reply.texts)
        reason = "" if found.passed else found.why
        yield Check(found.passed, reason, found.kind if found.passed else "", found.needs_look)
    if len(scene.expect.all) > 1 and not scene.expect.order_any:
        yield from _check_order(scene)


def _check_any(scene: Scene) -> Check:
    found = [scene.match(pattern, scene.reply.texts) for pattern in scene.expect.any]
    passed = next((each for each in found if each.passed), None)
    if passed is not None:
        return Check(True, matched=passed.kind)
    look = next((each for each in found if each.needs_look), None)
    if len(found) == 1 or look is not None:
        return Check(False, (look or found[0]).why, needs_look=look is not None)
    return Check(False, say("none of {count:,} expected texts was found", count=len(found)))


def _check_order(scene: Scene) -> Iterator[Check]:
    """Check that the texts of `all` come in the order given, where each is found in a bubble of its own.

    Texts that only all bubbles together hold, or that share a bubble, have no order.
    """
    last = 0
    places = [_bubbles(scene, pattern) for pattern in scene.expect.all]
    if not all(places):
        return
    for pattern, found in zip(scene.expect.all, places, strict=True):
        later = [place for place in found if place >= last]
        if not later:
            yield Check(
                False,
                say("{text} came too early: the texts were expected in another order", text=shorten(pattern.text)),
            )
            return
        last = later[0]


def _bubbles(scene: Scene, pattern: Pattern) -> list[int]:
    return [place for place, text in enumerate(scene.reply.texts) if scene.match(pattern, (text,)).passed]


def check_forbidden(scene: Scene) -> Iterator[Check]:
    """Check that nothing of `none` was said."""
    for pattern in scene.expect.none:
        if scene.match(pattern, scene.reply.texts).passed:
            yield Check(False, say("said what it must not: {text}", text=shorten(pattern.text)))
        else:
            yield Check(True)


def check_buttons(scene: Scene) -> Iterator[Check]:
    """Check that every expected button was offered."""
    for label in scene.expect.buttons:
        offered = any(scene.same(label, button) for button in scene.reply.buttons)
        yield Check(True) if offered else Check(False, say("did not offer the button {label}", label=shorten(label)))


# --- what was done -----------------------------------------------------------------------------------------------


def check_actions(scene: Scene) -> Iterator[Check]:
    """Check that every expected action was taken, with the expected arguments among its own."""
    wanted = scene.expect.all_actions
    if wanted and not scene.bot.reports_actions:
        yield Check(None, say("actions were not checked: the bot reports none"), gap=Gap.ACTIONS)
        return
    for action in wanted:
        yield Check(True) if _is_taken(scene, action) else Check(False, _not_taken(scene, action))


def _is_taken(scene: Scene, wanted: ExpectedAction) -> bool:
    named = (action for action in scene.reply.actions if scene.same(wanted.name, action.name))
    return any(_covers(scene, wanted.args, action.args) for action in named)


def _covers(scene: Scene, wanted: object, given: object) -> bool:
    """Tell whether a value is as expected: of a mapping all that is expected, of a list each item."""
    if isinstance(wanted, Mapping):
        return isinstance(given, Mapping) and all(
            name in given and _covers(scene, value, given[name]) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(given, list)
            and len(wanted) == len(given)
            and all(_covers(scene, value, item) for value, item in zip(wanted, given, strict=True))
        )
    return scene.same(as_text(wanted), as_text(given))


def as_text(value: object) -> str:
    """Return a value as a suite writes it: 2 and not 2.0, true and not True."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _not_taken(scene: Scene, wanted: ExpectedAction) -> str:
    taken = ", ".join(map(str, scene.reply.actions))
    if not taken:
        return say("expected the action {wanted}, got none", wanted=wanted)
    return say("expected the action {wanted}, got {taken}", wanted=wanted, taken=shorten(taken))


# --- what was understood -----------------------------------------------------------------------------------------


def check_slots(scene: Scene) -> Iterator[Check]:
    """Check slots by name and value, by name alone and by value alone."""
    expect, slots = scene.expect, scene.reply.slots
    wanted = {**expect.slots, **expect.slots_after}
    if not (wanted or expect.slot_names or expect.slot_values):
        return
    if not slots and not scene.bot.reports_intent and scene.bot.slots is None:
        yield Check(None, say("slots were not checked: the bot reports none"), gap=Gap.SLOTS)
        return
    yield from (_check_slot(scene, name, value) for name, value in wanted.items())
    for name in expect.slot_names:
        found = _slot(slots, name) is not None
        yield Check(found, "" if found else say("slot {name} was not filled", name=name))
    for value in expect.slot_values:
        found = any(scene.same(value, given) for given in slots.values())
        yield Check(found, "" if found else say("no slot holds {value}", value=shorten(value)))


def _check_slot(scene: Scene, name: str, value: str) -> Check:
    given = _slot(scene.reply.slots, name)
    if given is not None and scene.same(value, given):
        return Check(True)
    nothing = say("nothing")
    wanted, got = value or nothing, given or nothing
    return Check(False, say("slot {name}: expected {wanted}, got {got}", name=name, wanted=wanted, got=got))


def _slot(slots: Mapping[str, str], name: str) -> str | None:
    return next((value for key, value in slots.items() if plain(key) == plain(name)), None)


def check_confidence(scene: Scene) -> Iterator[Check]:
    """Check that the bot was sure enough."""
    least, given = scene.expect.min_confidence, scene.reply.confidence
    if least is None:
        return
    if given is None:
        yield Check(None, say("confidence was not checked: the bot reports none"), gap=Gap.CONFIDENCE)
        return
    yield Check(
        given >= least,
        ""
        if given >= least
        else say("confidence {given:.2f}, expected at least {least:.2f}", given=given, least=least),
    )


def check_margin(scene: Scene) -> Iterator[Check]:
    """Check that the second best topic was far enough behind, where the payload of the reply ranks topics."""
    least = scene.expect.margin_over
    if least is None:
        return
    scores = ranking(scene.reply.raw)
    if len(scores) < 2:
        yield Check(None, say("the margin was not checked: the bot does not rank its topics"), gap=Gap.CONFIDENCE)
        return
    margin = scores[0] - scores[1]
    holds = margin >= least
    yield Check(
        holds,
        ""
        if holds
        else say("only {margin:.2f} ahead of the next topic, expected {least:.2f}", margin=margin, least=least),
    )


def ranking(raw: object) -> list[float]:
    """Return the confidences of all topics in a payload, highest first; empty where it has no such list."""
    if not isinstance(raw, Mapping):
        return []
    listed: list[object] = next(
        (raw[key] for key in ("intent_ranking", "intents", "ranking") if isinstance(raw.get(key), list)), []
    )
    scores = [each.get("confidence", each.get("score")) for each in listed if isinstance(each, Mapping)]
    return sorted((float(score) for score in scores if isinstance(score, int | float)), reverse=True)


def check_time(scene: Scene) -> Iterator[Check]:
    """Check that the first bubble came in time."""
    most, given = scene.expect.within_ms, scene.exchange.first_ms
    if most is None:
        return
    if given is None:
        yield Check(None, say("the time was not checked: it is not known"))
        return
    if given - scene.exchange.lag_ms <= most < given:
        yield Check(None, say("the time was not checked: this machine was busy while it waited for the bot"))
        return
    yield Check(
        given <= most,
        ""
        if given <= most
        else say("answered after {given:,.0f} ms, expected within {most:,.0f} ms", given=given, most=most),
    )
