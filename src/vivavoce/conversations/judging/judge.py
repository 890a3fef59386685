"""Judging: what one turn came to. Exactly one outcome for every turn, and the reasons in words.

A pure function of what was expected and what was recorded: judging the same record twice gives the same verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.evidence import (
    ACCEPTED,
    Check,
    Scene,
    check_all,
    check_texts,
    is_accepted,
    list_unsupported,
)
from vivavoce.conversations.judging.matching import match_reply
from vivavoce.conversations.judging.plain import shorten
from vivavoce.conversations.result import Gap, Verdict
from vivavoce.conversations.scenario import Expectation, Match, Pattern, Plan, ScriptTurn
from vivavoce.conversations.transcript import Exchange
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Guess, Reply, Status

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder


@dataclass(frozen=True, slots=True)
class Sign:
    """How a fallback was seen: the rule that fired, and a sentence for people."""

    rule: str
    reason: str


def see_fallback(reply: Reply, bot: BotFacts, plan: Plan) -> Sign | None:
    """Return the first sign of a fallback, or None where the bot answered: the first that speaks clearly decides.

    A connector that says "this was no fallback" is believed against all later signs: it knows the platform, the
    others are guesses. One that does not know leaves it open (None).
    """
    if reply.fallback is not None:
        return Sign("connector", say("the bot says it did not understand")) if reply.fallback else None
    if reply.intent and same_topic(reply.intent) in fallback_topics(bot, plan):
        return Sign("intent", say("topic {intent} means the bot did not understand", intent=reply.intent))
    if bot.reports_intent and not reply.intent:
        return Sign("no_intent", say("the bot named no topic"))
    for text in (*plan.fallback.replies, *bot.fallback.replies):
        if match_reply(Pattern(text), reply.texts, default=Match.CONTAINS, values={}).passed:
            return Sign("reply", say("the reply matches the fallback text {text}", text=shorten(text)))
    least, given = bot.fallback.threshold, reply.confidence
    if least is None or given is None or given >= least:
        return None
    reason = say("confidence {confidence:.2f} is below {threshold:.2f}", confidence=given, threshold=least)
    return Sign("confidence", reason)


def fallback_topics(bot: BotFacts, plan: Plan) -> frozenset[str]:
    """Return the declared fallback topics of suite and bot, as `same_topic` compares them."""
    return frozenset(same_topic(name) for name in (*plan.fallback.intents, *bot.fallback.intents))


def same_topic(name: str) -> str:
    """Return a topic's name as it is compared: case and blanks around it do not count."""
    return name.strip().casefold()


_INSTEAD = "and there is no expected reply to check instead"
_GAPS = {
    Gap.NOTHING_EXPECTED: "nothing was expected",
    Gap.NOT_NEEDED: "no reply was required",
    Gap.TOPICS: f"not checked: the bot does not report topics, {_INSTEAD}",
    Gap.SLOTS: f"not checked: the bot does not report slots, {_INSTEAD}",
    Gap.CONFIDENCE: f"not checked: the bot does not report its confidence, {_INSTEAD}",
    Gap.ACTIONS: f"not checked: the bot does not report actions, {_INSTEAD}",
}

# No bot says so much to a person; a text without end must not hold the examiner up.
MAX_READ = 20_000
CUT = say("the reply is very long: only the first {most_read:,} characters were judged", most_read=MAX_READ)


def judge(
    turn: ScriptTurn, exchange: Exchange | None, bot: BotFacts, plan: Plan, *, encoder: Encoder | None = None
) -> Verdict:
    """Return the verdict on one turn; `exchange` None: the conversation had ended before it."""
    expect = _settle_fallback(turn.expect, bot, plan)
    verdict = Verdict(TurnOutcome.UNCHECKED, in_scope=not expect.fallback)
    if exchange is None or exchange.status is Status.NOT_REACHED:
        return replace(verdict, outcome=TurnOutcome.NOT_REACHED, reasons=(Status.NOT_REACHED.meaning,))
    if exchange.status.error:
        reason = exchange.error or exchange.status.meaning
        return replace(verdict, outcome=TurnOutcome.ERROR, reasons=(reason,))
    gap = find_gap(expect, bot)
    if exchange.status.silent or exchange.reply is None or _is_blank(exchange.reply):
        meaning = exchange.status.meaning if exchange.status.silent else Status.EMPTY.meaning
        gap = gap or (Gap.NOT_NEEDED if expect.optional else None)
        if gap is None:
            return replace(verdict, outcome=TurnOutcome.NO_REPLY, reasons=(meaning,))
        return replace(verdict, reasons=(_describe_gap(gap, expect), meaning), gap=gap)
    reply = _shorten_reply(exchange.reply)
    scene = Scene(expect, exchange, reply, bot, plan.defaults.match, encoder)
    sign = see_fallback(reply, bot, plan)
    if gap is not None:
        verdict = replace(_note_reply(verdict, scene, sign), reasons=(_describe_gap(gap, expect),), gap=gap)
    elif is_accepted(scene):
        verdict = _judge_accepted(verdict, scene, sign)
    elif expect.fallback:
        verdict = _judge_out_of_scope(verdict, scene, sign)
    else:
        verdict = _judge_in_scope(verdict, scene, sign)
    return verdict if reply is exchange.reply else replace(verdict, reasons=(*verdict.reasons, CUT))


def _shorten_reply(reply: Reply) -> Reply:
    if sum(map(len, reply.texts)) <= MAX_READ:
        return reply
    texts: list[str] = []
    left = MAX_READ
    for text in reply.texts:
        texts += [text[:left]] if left > 0 else []
        left -= len(text)
    return replace(reply, texts=tuple(texts))


def _settle_fallback(expect: Expectation, bot: BotFacts, plan: Plan) -> Expectation:
    """Return the expectation, where a declared fallback topic is expected as an expected fallback."""
    names = {same_topic(name) for name in expect.intents}
    if expect.fallback or not names or not names <= fallback_topics(bot, plan):
        return expect
    return replace(expect, fallback=True, intents=())


def _is_blank(reply: Reply) -> bool:
    spoken = any(text.strip() for text in reply.texts)
    return not (spoken or reply.buttons or reply.intent or reply.slots or reply.fallback or reply.actions)


def turn_gaps(turn: ScriptTurn, bot: BotFacts, plan: Plan) -> tuple[Gap | None, set[Gap]]:
    """Return why a turn cannot be checked with a bot, and else which parts of what it expects cannot."""
    expect = _settle_fallback(turn.expect, bot, plan)
    gap = find_gap(expect, bot)
    # The topic of a turn that expects a reply too is spare: its reply is judged instead.
    return gap, set() if gap is not None else _find_asked(expect) - _find_reported(bot) - {Gap.TOPICS}


def find_gap(expect: Expectation, bot: BotFacts) -> Gap | None:
    """Return why a turn cannot be checked with this bot, or nothing.

    This depends on the expectation and the bot alone, never on the reply: a turn that would count only when it
    fails would pull every rate down.
    """
    if not expect.counted:
        return Gap.NOTHING_EXPECTED
    if list_unsupported(expect):
        return Gap.UNSUPPORTED
    if expect.fallback or expect.any or expect.all or expect.buttons or expect.answered:
        return None
    asked = _find_asked(expect)
    checked = bool(expect.none) or expect.within_ms is not None
    if asked & _find_reported(bot) or (checked and (bot.reports_intent or not expect.intents)):
        return None
    return next((gap for gap in _GAPS if gap in asked), Gap.NOTHING_EXPECTED)


def _find_asked(expect: Expectation) -> set[Gap]:
    asked = {
        Gap.TOPICS: bool(expect.intents),
        Gap.SLOTS: bool(expect.slots or expect.slots_after or expect.slot_names or expect.slot_values),
        Gap.CONFIDENCE: expect.min_confidence is not None or expect.margin_over is not None,
        Gap.ACTIONS: bool(expect.all_actions),
    }
    return {gap for gap, is_asked in asked.items() if is_asked}


def _find_reported(bot: BotFacts) -> set[Gap]:
    reported = {
        Gap.TOPICS: bot.reports_intent,
        Gap.SLOTS: bot.reports_intent or bot.slots is not None,
        Gap.CONFIDENCE: bot.reports_intent,
        Gap.ACTIONS: bot.reports_actions,
    }
    return {gap for gap, is_reported in reported.items() if is_reported}


def _describe_gap(gap: Gap, expect: Expectation) -> str:
    return _GAPS.get(gap) or f"not fully checked: {', '.join(list_unsupported(expect))}"


def _note_reply(verdict: Verdict, scene: Scene, sign: Sign | None) -> Verdict:
    """Return a verdict with what is known whatever was expected: that there was a reply, and what it was."""
    expect, topic = scene.expect, scene.reply.intent or None
    if sign is None:
        # In the spelling of the suite, so that tables do not list one topic twice.
        topic = next((name for name in expect.intents if same_topic(name) == same_topic(topic or "")), topic)
        # Made anew: a copy with changes takes several times as long, and this is done for every turn.
        return Verdict(verdict.outcome, verdict.in_scope, replied=True, intent=topic)
    # The topic that the bot had in mind but did not act on, where that is known.
    guess = scene.reply.guess
    if guess is None and sign.rule == "confidence":
        guess = Guess(scene.reply.intent, scene.reply.confidence or 0.0)
    names = {same_topic(name) for name in expect.intents}
    right = None
    if guess is not None and guess.intent and (names or expect.fallback):
        right = not expect.fallback and same_topic(guess.intent) in names
    return replace(verdict, replied=True, fallback=True, fallback_rule=sign.rule, guess_right=right)


def _finds_texts(scene: Scene) -> bool:
    """Tell whether the turn's own texts are given and found: they say more than a general fallback text."""
    return bool(scene.expect.any or scene.expect.all) and all(check.holds for check in check_texts(scene))


def _judge_accepted(verdict: Verdict, scene: Scene, sign: Sign | None) -> Verdict:
    if not scene.expect.fallback:
        return replace(_note_reply(verdict, scene, None), outcome=TurnOutcome.RIGHT, matched=ACCEPTED)
    noted = _note_reply(verdict, scene, sign or Sign("reply", "the reply was accepted"))
    return replace(noted, outcome=TurnOutcome.DECLINED, matched=ACCEPTED)


def _judge_out_of_scope(verdict: Verdict, scene: Scene, sign: Sign | None) -> Verdict:
    # The turn's own texts say what a good refusal looks like: that is a declared fallback text like any other.
    if sign is None and scene.reply.fallback is None and _finds_texts(scene):
        sign = Sign("reply", "the reply is the expected refusal")
    noted = _note_reply(verdict, scene, sign)
    if sign is None:
        why = say("expected a fallback, got an answer")
        if scene.reply.intent:
            why = say("expected a fallback, got an answer about {intent}", intent=scene.reply.intent)
        return replace(noted, outcome=TurnOutcome.OVERREACH, reasons=(why,))
    return _with_checks(noted, check_all(scene), TurnOutcome.DECLINED, TurnOutcome.OVERREACH)


def _judge_in_scope(verdict: Verdict, scene: Scene, sign: Sign | None) -> Verdict:
    if sign is not None and sign.rule == "reply" and _finds_texts(scene):
        sign = None
    noted = _note_reply(verdict, scene, sign)
    if sign is not None:
        why = say("got a fallback: {reason}", reason=sign.reason)
        if scene.expect.intents:
            topics = " or ".join(scene.expect.intents)
            why = say("expected topic {topics}, but {reason}", topics=topics, reason=sign.reason)
        return replace(noted, outcome=TurnOutcome.MISSED, reasons=(why,))
    topic = _check_topic(scene)
    failed = TurnOutcome.WRONG_INTENT if topic.holds is False else TurnOutcome.WRONG_REPLY
    return _with_checks(noted, (topic, *check_all(scene)), TurnOutcome.RIGHT, failed)


def _check_topic(scene: Scene) -> Check:
    expect, intent = scene.expect, scene.reply.intent
    if not expect.intents or not scene.bot.reports_intent:
        return Check(None)
    if intent and same_topic(intent) in {same_topic(name) for name in expect.intents}:
        return Check(True)
    topics = " or ".join(expect.intents)
    if not intent:
        return Check(False, say("expected topic {topics}, got none", topics=topics))
    return Check(False, say("expected topic {topics}, got {intent}", topics=topics, intent=intent))


def _with_checks(verdict: Verdict, checks: tuple[Check, ...], passed: TurnOutcome, failed: TurnOutcome) -> Verdict:
    return replace(
        verdict,
        outcome=failed if any(check.holds is False for check in checks) else passed,
        matched=next((check.matched for check in checks if check.matched), ""),
        reasons=tuple(check.reason for check in checks if check.reason),
        needs_look=any(check.needs_look for check in checks),
        gap=next((check.gap for check in checks if check.gap), None),
    )
