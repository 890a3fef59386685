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
from vivavoce.conversations.scenario import Expectation, Match, Pattern
from vivavoce.conversations.transcript import Exchange
from vivavoce.messages import say
from vivavoce.records import Reply

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

# What a bot's answer may carry beside its reply, and no connector hands on.
_UNSUPPORTED = ("cards", "media")
# How a reply was matched that a person called fine.
ACCEPTED = "accepted"


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
        values, names = self.exchange.values, list_known_names(self)
        return match_reply(pattern, texts, default=self.default, values=values, encoder=self.encoder, names=names)

    def same(self, expected: str, given: str) -> bool:
        """Tell whether a value is the expected one; placeholders in it are put in."""
        pattern = Pattern(expected, Match.EXACT)
        if not expected.strip():
            return not given.strip()
        return match_reply(pattern, (given,), default=Match.EXACT, values=self.exchange.values).passed


def list_known_names(scene: Scene) -> tuple[str, ...]:
    """Return the slot values, expected and reported, that a near match must not change."""
    expect = scene.expect
    expected = (*expect.slots.values(), *expect.slots_after.values(), *expect.slot_values)
    return tuple(value for value in (*expected, *scene.reply.slots.values()) if "{" not in value)


def is_accepted(scene: Scene) -> bool:
    """Tell whether a person called this reply fine: the whole of it, where a `*` stands for anything."""
    whole = (scene.reply.shown,)
    return any(scene.match(accepting_pattern(text), whole).passed for text in scene.expect.accepted)


def accepting_pattern(text: str) -> Pattern:
    """Return how an accepted text is held against a whole reply."""
    return Pattern(text, Match.WILDCARD if "*" in text else Match.EXACT)


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
    return tuple(result for check in checks for result in check(scene))


def list_unsupported(expect: Expectation) -> tuple[str, ...]:
    """Return the names of checks that cannot be made here: a turn that asks for them is not counted."""
    asked = [name for name in _UNSUPPORTED if getattr(expect, name)]
    return (*asked, *(name for name in expect.extras if name.startswith("x-")))


def _check(holds: bool, reason: str) -> Check:
    return Check(True) if holds else Check(False, reason)


def check_texts(scene: Scene) -> Iterator[Check]:
    """Check the texts of which one (`any`) and those which each (`all`) must be found."""
    if scene.expect.any:
        results = [scene.match(pattern, scene.reply.texts) for pattern in scene.expect.any]
        passed = next((result for result in results if result.passed), None)
        look = next((result for result in results if result.needs_look), None)
        if passed is not None:
            yield Check(True, matched=passed.kind)
        elif len(results) == 1 or look is not None:
            yield Check(False, (look or results[0]).why, needs_look=look is not None)
        else:
            yield Check(False, say("found none of the {count:,} expected texts", count=len(results)))
    for pattern in scene.expect.all:
        result = scene.match(pattern, scene.reply.texts)
        reason, kind = ("", result.kind) if result.passed else (result.why, "")
        yield Check(result.passed, reason, kind, result.needs_look)
    if len(scene.expect.all) > 1 and not scene.expect.order_any:
        yield from _check_order(scene)


def _check_order(scene: Scene) -> Iterator[Check]:
    """Check that the texts of `all` come in the order given, where each is found in a bubble of its own.

    Texts that only all bubbles together hold, or that share a bubble, have no order.
    """
    bubbles = list(enumerate(scene.reply.texts))
    places = [
        [place for place, text in bubbles if scene.match(pattern, (text,)).passed] for pattern in scene.expect.all
    ]
    last = 0
    for pattern, own in zip(scene.expect.all, places, strict=True) if all(places) else ():
        later = [place for place in own if place >= last]
        if not later:
            text = shorten(pattern.text)
            yield Check(False, say("{text} came too early: the texts were expected in a different order", text=text))
            return
        last = later[0]


def check_forbidden(scene: Scene) -> Iterator[Check]:
    """Check that nothing of `none` was said."""
    for pattern in scene.expect.none:
        reason = say("said something it must not say: {text}", text=shorten(pattern.text))
        yield _check(not scene.match(pattern, scene.reply.texts).passed, reason)


def check_buttons(scene: Scene) -> Iterator[Check]:
    """Check that every expected button was offered."""
    for label in scene.expect.buttons:
        offered = any(scene.same(label, button) for button in scene.reply.buttons)
        yield _check(offered, say("did not offer the {label} button", label=shorten(label)))


def check_actions(scene: Scene) -> Iterator[Check]:
    """Check that every expected action was taken, with the expected arguments among its own."""
    expected = scene.expect.all_actions
    if expected and not scene.bot.reports_actions:
        yield Check(None, say("actions were not checked: the bot reports none"), gap=Gap.ACTIONS)
        return
    taken = shorten(", ".join(map(str, scene.reply.actions)))
    for action in expected:
        named = (other for other in scene.reply.actions if scene.same(action.name, other.name))
        reason = say("expected the action {wanted}, got none", wanted=action)
        if scene.reply.actions:
            reason = say("expected the action {wanted}, got {taken}", wanted=action, taken=taken)
        yield _check(any(_covers(scene, action.args, other.args) for other in named), reason)


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


def check_slots(scene: Scene) -> Iterator[Check]:
    """Check slots by name and value, by name alone and by value alone."""
    expect, slots = scene.expect, scene.reply.slots
    expected = {**expect.slots, **expect.slots_after}
    if not (expected or expect.slot_names or expect.slot_values):
        return
    if not slots and not scene.bot.reports_intent and scene.bot.slots is None:
        yield Check(None, say("slots were not checked: the bot reports none"), gap=Gap.SLOTS)
        return
    by_name = {plain(name): value for name, value in reversed([*slots.items()])}
    nothing = say("nothing")
    for name, value in expected.items():
        slot = by_name.get(plain(name))
        wanted, got = value or nothing, slot or nothing
        reason = say("slot {name}: expected {wanted}, got {got}", name=name, wanted=wanted, got=got)
        yield _check(slot is not None and scene.same(value, slot), reason)
    for name in expect.slot_names:
        yield _check(plain(name) in by_name, say("slot {name} was not filled", name=name))
    for value in expect.slot_values:
        held = any(scene.same(value, slot) for slot in slots.values())
        yield _check(held, say("no slot has the value {value}", value=shorten(value)))


def check_confidence(scene: Scene) -> Iterator[Check]:
    """Check that the bot was sure enough."""
    least, given = scene.expect.min_confidence, scene.reply.confidence
    if least is not None and given is None:
        yield Check(None, say("confidence was not checked: the bot reports none"), gap=Gap.CONFIDENCE)
    elif least is not None and given is not None:
        reason = say("confidence {given:.2f}, expected at least {least:.2f}", given=given, least=least)
        yield _check(given >= least, reason)


def check_margin(scene: Scene) -> Iterator[Check]:
    """Check that the second best topic was far enough behind, where the payload of the reply ranks topics."""
    least = scene.expect.margin_over
    if least is None:
        return
    scores = rank_confidences(scene.reply.raw)
    if len(scores) < 2:
        yield Check(None, say("the margin was not checked: the bot does not rank its topics"), gap=Gap.CONFIDENCE)
        return
    margin = scores[0] - scores[1]
    reason = say("only {margin:.2f} ahead of the next topic, expected {least:.2f}", margin=margin, least=least)
    yield _check(margin >= least, reason)


def rank_confidences(raw: object) -> list[float]:
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
        yield Check(None, say("the time was not checked: it is unknown"))
    elif given - scene.exchange.lag_ms <= most < given:
        yield Check(None, say("the time was not checked: this machine was busy while waiting for the bot"))
    else:
        reason = say("replied after {given:,.0f} ms, expected within {most:,.0f} ms", given=given, most=most)
        yield _check(given <= most, reason)
