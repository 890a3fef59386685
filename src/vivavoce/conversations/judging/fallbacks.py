"""Fallbacks: whether a bot said that it did not understand, and by which sign that was seen.

The first sign that speaks clearly decides, in this order: the connector says so; the topic is a declared fallback
topic; a bot that reports topics named none; the reply fits a declared fallback text; the confidence is under the
declared threshold. A connector that clearly says "this was no fallback" (`Reply.fallback` is False) is believed as
well, against all later signs: it knows the platform, the others are guesses. A connector that does not know leaves
it open (None).
"""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.matching import match_reply
from vivavoce.conversations.judging.plain import shorten
from vivavoce.conversations.scenario import Match, Pattern, Plan
from vivavoce.messages import say
from vivavoce.records import Guess, Reply


@dataclass(frozen=True, slots=True)
class Sign:
    """How a fallback was seen: the rule that fired, and a sentence for people."""

    rule: str
    reason: str


def see_fallback(reply: Reply, bot: BotFacts, plan: Plan) -> Sign | None:
    """Return the first sign of a fallback, or None where the bot answered."""
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


def held_back(reply: Reply, sign: Sign) -> Guess | None:
    """Return the topic that a bot had in mind but did not act on, where that is known."""
    guess = reply.guess
    if guess is None and sign.rule == "confidence":
        guess = Guess(reply.intent, reply.confidence or 0.0)
    return guess if guess is not None and guess.intent else None
