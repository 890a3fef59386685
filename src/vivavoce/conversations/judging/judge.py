"""Judging: what one turn came to. Exactly one outcome for every turn, and the reasons in words.

A pure function of what was expected and what was recorded: judging the same record twice gives the same verdicts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.evidence import Check, Scene, check_all, check_texts, unsupported
from vivavoce.conversations.judging.fallbacks import Sign, fallback_topics, held_back, same_topic, see_fallback
from vivavoce.conversations.result import Gap, Verdict
from vivavoce.conversations.scenario import Expectation, Plan, ScriptTurn
from vivavoce.conversations.transcript import Exchange
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

_INSTEAD = "and no reply was expected that could be checked instead"
_GAPS = {
    Gap.NOTHING_EXPECTED: "nothing was expected",
    Gap.NOT_NEEDED: "no reply was needed",
    Gap.TOPICS: f"not checked: the bot does not report topics, {_INSTEAD}",
    Gap.SLOTS: f"not checked: the bot does not report slots, {_INSTEAD}",
    Gap.CONFIDENCE: f"not checked: the bot does not report its confidence, {_INSTEAD}",
    Gap.ACTIONS: f"not checked: the bot does not report actions, {_INSTEAD}",
}

# No bot says so much to a person; a text without end must not hold the examiner up.
MOST_READ = 20_000
CUT = say("the reply is very long: only its first {most_read:,} characters were judged", most_read=MOST_READ)


def judge(
    turn: ScriptTurn, exchange: Exchange | None, bot: BotFacts, plan: Plan, *, encoder: Encoder | None = None
) -> Verdict:
    """Return the verdict on one turn; `exchange` None: the conversation had ended before it."""
    expect = _settled(turn.expect, bot, plan)
    verdict = Verdict(TurnOutcome.UNCHECKED, in_scope=not expect.fallback)
    if exchange is None or exchange.status is Status.NOT_REACHED:
        return replace(verdict, outcome=TurnOutcome.NOT_REACHED, reasons=(Status.NOT_REACHED.meaning,))
    if exchange.status.error:
        reason = exchange.error or exchange.status.meaning
        return replace(verdict, outcome=TurnOutcome.ERROR, reasons=(reason,))
    if exchange.status.silent or exchange.reply is None or _is_blank(exchange.reply):
        return _judge_silence(verdict, expect, exchange, bot)
    reply = _readable(exchange.reply)
    scene = Scene(expect, exchange, reply, bot, plan.defaults.match, encoder)
    judged = _judge_reply(verdict, scene, plan)
    return judged if reply is exchange.reply else replace(judged, reasons=(*judged.reasons, CUT))


def _readable(reply: Reply) -> Reply:
    """Return a reply with as much of its texts as is judged."""
    if sum(map(len, reply.texts)) <= MOST_READ:
        return reply
    kept: list[str] = []
    left = MOST_READ
    for text in reply.texts:
        kept += [text[:left]] if left > 0 else []
        left -= len(text)
    return replace(reply, texts=tuple(kept))


def _settled(expect: Expectation, bot: BotFacts, plan: Plan) -> Expectation:
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
    expect = _settled(turn.expect, bot, plan)
    gap = find_gap(expect, bot)
    # The topic of a turn that expects a reply too is spare: its reply is judged instead.
    return gap, set() if gap is not None else _asked(expect) - _reported(bot) - {Gap.TOPICS}


def find_gap(expect: Expectation, bot: BotFacts) -> Gap | None:
    """Return why a turn cannot be checked with this bot, or nothing.

    This depends on the expectation and the bot alone, never on the reply: a turn that would count only when it
    fails would pull every rate down.
    """
    if not expect.counted:
        return Gap.NOTHING_EXPECTED
    if unsupported(expect):
        return Gap.UNSUPPORTED
    if expect.fallback or expect.any or expect.all or expect.buttons or expect.answered:
        return None
    asked = _asked(expect)
    told = bool(expect.none) or expect.within_ms is not None
    if asked & _reported(bot) or (told and (bot.reports_intent or not expect.intents)):
        return None
    return next((gap for gap in _GAPS if gap in asked), Gap.NOTHING_EXPECTED)


def _asked(expect: Expectation) -> set[Gap]:
    """Return what an expectation asks a bot to report."""
    asked = {
        Gap.TOPICS: bool(expect.intents),
        Gap.SLOTS: bool(expect.slots or expect.slots_after or expect.slot_names or expect.slot_values),
        Gap.CONFIDENCE: expect.min_confidence is not None or expect.margin_over is not None,
        Gap.ACTIONS: bool(expect.all_actions),
    }
    return {gap for gap, is_asked in asked.items() if is_asked}


def _reported(bot: BotFacts) -> set[Gap]:
    """Return what a bot is known to report."""
    reported = {
        Gap.TOPICS: bot.reports_intent,
        Gap.SLOTS: bot.reports_intent or bot.slots is not None,
        Gap.CONFIDENCE: bot.reports_intent,
        Gap.ACTIONS: bot.reports_actions,
    }
    return {gap for gap, is_reported in reported.items() if is_reported}


def _why_unchecked(gap: Gap, expect: Expectation) -> str:
    return _GAPS.get(gap) or f"not fully checked: {', '.join(unsupported(expect))}"


def _judge_silence(verdict: Verdict, expect: Expectation, exchange: Exchange, bot: BotFacts) -> Verdict:
    status = exchange.status if exchange.status.silent else Status.EMPTY
    gap = find_gap(expect, bot) or (Gap.NOT_NEEDED if expect.optional else None)
    if gap is None:
        return replace(verdict, outcome=TurnOutcome.NO_REPLY, reasons=(status.meaning,))
    reasons = (_why_unchecked(gap, expect), status.meaning)
    return replace(verdict, outcome=TurnOutcome.UNCHECKED, reasons=reasons, gap=gap)


def _judge_reply(verdict: Verdict, scene: Scene, plan: Plan) -> Verdict:
    sign = see_fallback(scene.reply, scene.bot, plan)
    gap = find_gap(scene.expect, scene.bot)
    if gap is not None:
        reasons = (_why_unchecked(gap, scene.expect),)
        return replace(_noted(verdict, scene, sign), outcome=TurnOutcome.UNCHECKED, reasons=reasons, gap=gap)
    if scene.expect.fallback:
        return _judge_out_of_scope(verdict, scene, sign)
    return _judge_in_scope(verdict, scene, sign)


def _noted(verdict: Verdict, scene: Scene, sign: Sign | None) -> Verdict:
    """Return a verdict with what is known whatever was expected: that there was a reply, and what it was."""
    if sign is None:
        # Made anew: a copy with changes takes several times as long, and this is done for every turn.
        topic = _as_expected(scene.expect, scene.reply.intent)
        return Verdict(verdict.outcome, verdict.in_scope, replied=True, intent=topic)
    guess = held_back(scene.reply, sign)
    right = None if guess is None else _guess_right(scene.expect, guess.intent or "")
    return replace(verdict, replied=True, fallback=True, fallback_rule=sign.rule, guess_right=right)


def _as_expected(expect: Expectation, intent: str | None) -> str | None:
    """Return the topic in the spelling of the suite, so that tables do not list one topic twice."""
    return next((name for name in expect.intents if same_topic(name) == same_topic(intent or "")), intent or None)


def _guess_right(expect: Expectation, guess: str) -> bool | None:
    if expect.fallback:
        return False
    names = {same_topic(name) for name in expect.intents}
    return same_topic(guess) in names if names else None


def _text_met(scene: Scene) -> bool:
    """Tell whether the turn's own texts are given and found: they say more than a general fallback text."""
    return bool(scene.expect.any or scene.expect.all) and all(check.holds for check in check_texts(scene))


def _judge_out_of_scope(verdict: Verdict, scene: Scene, sign: Sign | None) -> Verdict:
    # The turn's own texts say what a good refusal looks like: that is a declared fallback text like any other.
    if sign is None and scene.reply.fallback is None and _text_met(scene):
        sign = Sign("reply", "the reply is the refusal that was expected")
    noted = _noted(verdict, scene, sign)
    if sign is None:
        why = say("expected a fallback, got an answer")
        if scene.reply.intent:
            why = say("expected a fallback, got an answer about {intent}", intent=scene.reply.intent)
        return replace(noted, outcome=TurnOutcome.OVERREACH, reasons=(why,))
    return _with_checks(noted, scene, check_all(scene), TurnOutcome.DECLINED, TurnOutcome.OVERREACH)


def _judge_in_scope(verdict: Verdict, scene: Scene, sign: Sign | None) -> Verdict:
    if sign is not None and sign.rule == "reply" and _text_met(scene):
        sign = None
    noted = _noted(verdict, scene, sign)
    if sign is not None:
        why = say("got a fallback: {reason}", reason=sign.reason)
        if scene.expect.intents:
            why = say(
                "expected topic {topics}, got a fallback: {reason}", topics=_topics(scene.expect), reason=sign.reason
            )
        return replace(noted, outcome=TurnOutcome.MISSED, reasons=(why,))
    topic = _check_topic(scene)
    failed = TurnOutcome.WRONG_INTENT if topic.holds is False else TurnOutcome.WRONG_REPLY
    return _with_checks(noted, scene, (topic, *check_all(scene)), TurnOutcome.RIGHT, failed)


def _check_topic(scene: Scene) -> Check:
    expect, intent = scene.expect, scene.reply.intent
    if not expect.intents or not scene.bot.reports_intent:
        return Check(None)
    if intent and same_topic(intent) in {same_topic(name) for name in expect.intents}:
        return Check(True)
    if not intent:
        return Check(False, say("expected topic {topics}, got none", topics=_topics(expect)))
    return Check(False, say("expected topic {topics}, got {intent}", topics=_topics(expect), intent=intent))


def _topics(expect: Expectation) -> str:
    return " or ".join(expect.intents)


def _with_checks(
    verdict: Verdict, scene: Scene, checks: tuple[Check, ...], passed: TurnOutcome, failed: TurnOutcome
) -> Verdict:
    outcome = failed if any(check.holds is False for check in checks) else passed
    reasons = [check.reason for check in checks if check.reason]
    return replace(
        verdict,
        outcome=outcome,
        matched=next((check.matched for check in checks if check.matched), ""),
        reasons=tuple(reasons),
        needs_look=any(check.needs_look for check in checks),
        gap=next((check.gap for check in checks if check.gap), None),
    )
