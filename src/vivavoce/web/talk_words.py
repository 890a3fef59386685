"""Scripted conversations in words: what was said, what should have come of it, and what did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from vivavoce.conversations.scenario import LEVELS, Expectation, Kind
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Status
from vivavoce.reports.conversations.meanings import OUTCOME_NAMES
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.store.rows import Project, Run, TurnRow
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Tone
from vivavoce.web.progress import run_path

# Names that come from the exam and are translated when shown.
NAMES = (
    gettext_noop("right"),
    gettext_noop("rightly declined"),
    gettext_noop("wrongly declined"),
    gettext_noop("wrong reply"),
    gettext_noop("wrong topic"),
    gettext_noop("should not have answered"),
    gettext_noop("no reply"),
    gettext_noop("failed to run"),
    gettext_noop("not reached"),
    gettext_noop("not checked"),
    gettext_noop("clean"),
    gettext_noop("typo"),
    gettext_noop("paraphrase"),
    gettext_noop("small talk"),
    gettext_noop("basic"),
    gettext_noop("medium"),
    gettext_noop("complex"),
)
_NEUTRAL = (TurnOutcome.UNCHECKED, TurnOutcome.NOT_REACHED, TurnOutcome.ERROR)


def outcome_title(words: Words, outcome: str) -> str:
    """Return what became of a turn; nothing where it has not been judged."""
    return words.said(OUTCOME_NAMES[TurnOutcome(outcome)]) if outcome else ""


def outcome_tone(outcome: str) -> Tone:
    """Return whether an outcome is good or bad."""
    if not outcome or TurnOutcome(outcome) in _NEUTRAL:
        return "neutral"
    return "good" if TurnOutcome(outcome).passed else "bad"


def outcome_meaning(words: Words, outcome: str) -> str:
    """Return one sentence about an outcome."""
    return words.said(TurnOutcome(outcome).meaning) if outcome else ""


@dataclass(frozen=True, slots=True)
class OutcomeMark:
    """An outcome as a sign and a word. `tone` is that of its chip: quiet, loud, hold or neutral."""

    text: str
    tone: str
    sign: str
    meaning: str = ""


def outcome_mark(words: Words, outcome: str) -> OutcomeMark:
    """Return how an outcome is marked: wrong jumps out, right is quiet, a needless refusal stands between."""
    if not outcome:
        return OutcomeMark(words.gettext("Not judged yet"), "neutral", "more")
    judged = TurnOutcome(outcome)
    title = outcome_title(words, outcome)
    tone, sign = ("quiet", "check") if judged.passed else ("loud", "cross")
    if judged is TurnOutcome.MISSED:
        tone, sign = "hold", "flat"
    elif judged in _NEUTRAL:
        tone, sign = "neutral", "warn" if judged is TurnOutcome.ERROR else "more"
    return OutcomeMark(title[:1].upper() + title[1:], tone, sign, outcome_meaning(words, outcome))


def kind_title(words: Words, name: str) -> str:
    """Return a level or a kind as people read it; names of a suite's own stay as they are."""
    if name == Kind.SMALLTALK:
        return words.gettext("small talk")
    return words.gettext(name) if name in LEVELS or name in set(Kind) else name


def domain_title(words: Words, domain: str) -> str:
    """Return a domain as people read it."""
    return domain.replace("_", " ") if domain else words.gettext("all domains")


def talk_path(project: Project, run: Run, script: str, *, repeat: int = 0, number: int = 0) -> str:
    """Return the address of a talk, at one of its turns where one is named; repeats count from 0 here."""
    query = f"?{urlencode({'repeat': repeat + 1})}" if repeat else ""
    place = f"#turn-{number}" if number else ""
    return f"{run_path(project, run)}/talks/{quote(script, safe='')}{query}{place}"


def reply_text(words: Words, row: TurnRow) -> str:
    """Return what came back, in words where nothing did."""
    if row.reply:
        return row.reply
    known = row.status in set(Status) and row.status != Status.OK
    return f"({words.said(Status(row.status).meaning)})" if known else words.gettext("(no text)")


def reply_notes(words: Words, row: TurnRow, *, timed: bool = True) -> Iterator[str]:
    """Yield what else is known of a reply: why it was judged so, the topic, the time, tries."""
    detail = row.detail
    if row.outcome and not TurnOutcome(row.outcome).passed:
        yield from map(words.said, detail.get("reasons", ()))
    if detail.get("intent"):
        confidence = detail.get("confidence")
        sure = "" if confidence is None else f" ({Writer(words).share(confidence)})"
        yield words.gettext("understood as %(topic)s", topic=detail["intent"]) + sure
    if timed and row.first_ms is not None:
        yield words.said(milliseconds_text(row.first_ms))
    if detail.get("attempts", 1) > 1:
        yield words.ngettext("sent %(num)s time", "sent %(num)s times", detail["attempts"])


def expected_text(words: Words, expect: Expectation) -> str:
    """Return what a turn should bring as a sentence."""
    if not expect.counted:
        return words.gettext("Nothing is checked here.")
    return words.gettext("The bot %(expected)s.", expected="; ".join(_list_expected(words, expect)))


def _list_expected(words: Words, expect: Expectation) -> Iterator[str]:
    if expect.fallback:
        yield words.gettext("should say that it does not know")
    if expect.intents:
        yield words.gettext("should understand: %(topics)s", topics=" / ".join(expect.intents))
    for text, patterns in (
        (words.gettext("should say one of: %(texts)s"), expect.any),
        (words.gettext("should say all of: %(texts)s"), expect.all),
        (words.gettext("should not say: %(texts)s"), expect.none),
    ):
        if patterns:
            yield text % {"texts": " / ".join(pattern.text for pattern in patterns)}
    slots = {**expect.slots, **expect.slots_after}
    if slots:
        noted = ", ".join(f"{name} = {value}" for name, value in slots.items())
        yield words.gettext("should remember: %(slots)s", slots=noted)
    if expect.all_actions:
        actions = ", ".join(map(str, expect.all_actions))
        yield words.gettext("should take the actions: %(actions)s", actions=actions)
    if expect.within_ms is not None:
        yield words.gettext("should answer within %(time)s", time=words.said(milliseconds_text(expect.within_ms)))
    if expect.answered:
        yield words.gettext("should reply")
