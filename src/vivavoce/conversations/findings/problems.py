"""The biggest problems of each bot, most costly first: what goes wrong, how often, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.bots.protocol import BotFacts, Nature
from vivavoce.conversations.findings.columns import Columns, Ints
from vivavoce.conversations.findings.topics import truth_of
from vivavoce.conversations.result import Line, Problem
from vivavoce.conversations.transcript import TalkKey
from vivavoce.messages import say, say_count
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Status

EXAMPLES = 5
# After this long people think that nothing will come.
SLOW_MS = 5000.0

Finding = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Kind:
    """How one kind of problem is said; `{about}` and `{other}` are what it is about.

    `remedy` holds for every bot; `nlu` and `model` are for bots with topics and for language models.
    """

    message: str
    remedy: str
    nlu: str = ""
    model: str = ""

    def advice(self, nature: Nature) -> str:
        """Return what to do, as far as it fits what the bot is."""
        return {Nature.NLU: self.nlu, Nature.LANGUAGE_MODEL: self.model}.get(nature) or self.remedy


_KINDS = {
    "wrong_topic": _Kind(
        say("questions about {about} are answered as if they were about {other}"),
        say("read these messages and say in the bot what tells the two topics apart"),
        nlu=say(
            "compare the training phrases of the two topics: move those that are on the wrong side, or merge the "
            "topics"
        ),
        model=say("describe in the prompt or in the tools what tells the two topics apart, with an example of each"),
    ),
    "missed_topic": _Kind(
        say('questions about {about} get "I don\'t know"'),
        say("read these messages: teach the bot to answer them, or expect that it declines"),
        nlu=say(
            "add training phrases for this topic in the words of these messages, or lower the confidence threshold"
        ),
        model=say("say in the prompt that these questions are to be answered, and give it what it needs to know"),
    ),
    "wrong_reply": _Kind(
        say("questions about {about} get another reply than expected"),
        say("read these replies: correct the answer or its details in the bot, or the expectation in the scenario"),
    ),
    "overreach": _Kind(
        say("questions that it should decline are answered with {about}"),
        say("read these messages: teach the bot what it should not answer, or expect an answer"),
        nlu=say("give the bot examples of what it should not answer, or raise the confidence threshold"),
        model=say("say in the prompt what it must not answer and how it should decline, with an example"),
    ),
    "typos_lost": _Kind(
        say("questions that it gets right are lost when they are misspelt"),
        say("see whether the bot can correct spelling before it reads a message"),
        nlu=say("switch on spelling correction, or add misspelt variants to the training phrases"),
        model=say("say in the prompt that messages may be misspelt, or use a larger model"),
    ),
    "no_reply": _Kind(
        say("messages get an empty answer"),
        say("look at these turns in the bot's own log: it was reached and said nothing"),
    ),
    "timeout": _Kind(
        say("messages are not answered in time"),
        say("find out what the bot waits for, or allow it more time"),
    ),
    "slow": _Kind(
        say("answers take longer than {seconds:.0f} seconds"),
        say("show that the bot is typing, and find out what it waits for"),
    ),
    "error": _Kind(
        say("messages could not be run: {about}"),
        say("repair the connection and resume the run; these turns are in no rate"),
    ),
    "failed": _Kind(
        say("messages could not be run: {about}"),
        say("correct the program, whose message is shown, and resume the run; these turns are in no rate"),
    ),
}
# What a misspelling can explain; silence and errors have causes of their own.
_ANSWERED = (TurnOutcome.MISSED, TurnOutcome.WRONG_INTENT, TurnOutcome.WRONG_REPLY)


def find_problems(
    columns: Columns, typo: Ints, clean: Ints, facts: Mapping[str, BotFacts] | None = None
) -> tuple[Problem, ...]:
    """Return the problems of each bot in order of the bots, what costs most turns first.

    A turn that failed is in one problem: if it was lost by misspelling alone, in that one. Slow answers cost no turn,
    so they are last.
    """
    lost = set(_lost(columns, typo, clean))
    groups: dict[tuple[str, Finding], list[Line]] = {}
    for index, line in enumerate(columns.lines):
        for finding in _findings(line, index in lost):
            groups.setdefault((line.key.bot, finding), []).append(line)
    natures = {name: bot.nature for name, bot in (facts or {}).items()}
    problems = [
        _problem(bot, finding, lines, natures.get(bot, Nature.UNKNOWN)) for (bot, finding), lines in groups.items()
    ]
    place = {bot: number for number, bot in enumerate(columns.bots)}
    return tuple(sorted(problems, key=lambda one: (place[one.bot], one.kind == "slow", -one.turns, one.message)))


def _lost(columns: Columns, typo: Ints, clean: Ints) -> list[int]:
    right = columns.is_outcome(TurnOutcome.RIGHT)
    return [int(index) for index in np.unique(typo[right[clean] & ~right[typo]])]


def _findings(line: Line, lost: bool) -> Iterator[Finding]:
    """Yield the kinds of problem that a line is an example of, with the names they are about."""
    find = _BY_OUTCOME.get(line.verdict.outcome)
    if lost and line.verdict.outcome in _ANSWERED:
        yield ("typos_lost", "", "")
    elif find is not None:
        yield find(line)
    if line.verdict.replied and (line.first_ms or 0.0) - line.lag_ms > SLOW_MS:
        yield ("slow", "", "")


def _topic(line: Line) -> str:
    topic = truth_of(line)
    return (
        say("'{topic}'", topic=topic)
        if topic
        else say("no named topic (scenario '{scenario}')", scenario=line.scenario)
    )


def _answered_with(line: Line) -> str:
    intent = line.verdict.intent
    return say("the topic '{topic}'", topic=intent) if intent else say("a reply of some other kind")


def _silence(line: Line) -> Finding:
    return ("timeout" if line.status == Status.TIMEOUT else "no_reply", "", "")


def _error(line: Line) -> Finding:
    known = line.status in set(Status)
    kind = "failed" if line.status == Status.FAILED else "error"
    return (kind, Status(line.status).meaning if known else line.status, "")


_BY_OUTCOME: dict[TurnOutcome, Callable[[Line], Finding]] = {
    TurnOutcome.WRONG_INTENT: lambda line: ("wrong_topic", _topic(line), say("'{topic}'", topic=line.verdict.intent)),
    TurnOutcome.MISSED: lambda line: ("missed_topic", _topic(line), ""),
    TurnOutcome.WRONG_REPLY: lambda line: ("wrong_reply", _topic(line), ""),
    TurnOutcome.OVERREACH: lambda line: ("overreach", _answered_with(line), ""),
    TurnOutcome.NO_REPLY: _silence,
    TurnOutcome.ERROR: _error,
}


def _problem(bot: str, finding: Finding, lines: Sequence[Line], nature: Nature) -> Problem:
    kind, *names = finding
    said = say(_KINDS[kind].message, about=names[0], other=names[1], seconds=SLOW_MS / 1000)
    # A turn that was repeated is one example.
    first: dict[tuple[str, int], TalkKey] = {}
    for line in lines:
        first.setdefault((line.key.script, line.number), line.key)
    examples = tuple((key, number) for (_, number), key in first.items())[:EXAMPLES]
    return Problem(
        bot,
        kind,
        say("{problem} ({turns})", problem=said, turns=say_count(len(lines), "{n} turn", "{n} turns")),
        len(lines),
        examples,
        _KINDS[kind].advice(nature),
    )
