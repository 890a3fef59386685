"""The biggest problems of each bot, most costly first: what goes wrong, how often, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.bots.protocol import BotFacts, Nature
from vivavoce.conversations.findings.cells import find_truth
from vivavoce.conversations.findings.columns import Columns, Ints
from vivavoce.conversations.result import Line, Problem
from vivavoce.conversations.transcript import ConversationKey
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


_KINDS = {
    "wrong_topic": _Kind(
        say("questions about {about} are answered as if they were about {other}"),
        say("read these messages and make the difference between the two topics clear in the bot"),
        nlu=say("compare the training examples of the two topics: move the misplaced ones, or merge the topics"),
        model=say(
            "explain the difference between the two topics in the prompt or the tools, with an example of each"
        ),
    ),
    "missed_topic": _Kind(
        say('questions about {about} get "I don\'t know"'),
        say("read these messages: teach the bot to answer them, or change the scenario to expect a decline"),
        nlu=say(
            "add training examples to this topic that use the words of these messages, or lower "
            "the confidence threshold"
        ),
        model=say("tell the bot in the prompt to answer these questions, and give it the facts it needs"),
    ),
    "wrong_reply": _Kind(
        say("questions about {about} get an unexpected reply"),
        say("read these replies: fix the answer or its details in the bot, or the expectation in the scenario"),
    ),
    "overreach": _Kind(
        say("questions the bot should decline are answered with {about}"),
        say("read these messages: teach the bot what not to answer, or change the scenario to expect an answer"),
        nlu=say("give the bot examples of out-of-scope questions, or raise the confidence threshold"),
        model=say("state in the prompt what the bot must not answer and how it should decline, with an example"),
    ),
    "typos_lost": _Kind(
        say("questions the bot otherwise gets right go wrong when misspelt"),
        say("check whether the bot can correct spelling before it reads a message"),
        nlu=say("turn on spelling correction, or add misspelt variants to the training examples"),
        model=say("mention in the prompt that messages may be misspelt, or use a larger model"),
    ),
    "no_reply": _Kind(
        say("messages get an empty reply"),
        say("check these turns in the bot's log: the bot was reached but returned nothing"),
    ),
    "timeout": _Kind(
        say("messages are not answered in time"), say("find out what the bot is waiting for, or raise its timeout")
    ),
    "slow": _Kind(
        say("replies take longer than {seconds:.0f} seconds"),
        say("show a typing indicator, and find out what the bot is waiting for"),
    ),
    "error": _Kind(
        say("messages failed to run: {about}"),
        say("fix the connection and resume the run; rates exclude these turns"),
    ),
    "failed": _Kind(
        say("messages failed to run: {about}"),
        say("fix the program (see its message) and resume the run; rates exclude these turns"),
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
    right = columns.is_outcome(TurnOutcome.RIGHT)
    lost = set(typo[right[clean] & ~right[typo]].tolist())
    groups: dict[tuple[str, Finding], list[Line]] = {}
    for index, line in enumerate(columns.lines):
        outcome, findings = line.verdict.outcome, list[Finding]()
        if index in lost and outcome in _ANSWERED:
            findings.append(("typos_lost", "", ""))
        elif outcome in _BY_OUTCOME:
            findings.append(_BY_OUTCOME[outcome](line))
        if line.verdict.replied and (line.first_ms or 0.0) - line.lag_ms > SLOW_MS:
            findings.append(("slow", "", ""))
        for finding in findings:
            groups.setdefault((line.key.bot, finding), []).append(line)
    natures = {name: bot.nature for name, bot in (facts or {}).items()}
    problems = [
        _problem(bot, finding, lines, natures.get(bot, Nature.UNKNOWN)) for (bot, finding), lines in groups.items()
    ]
    place = columns.bots.index
    return tuple(sorted(problems, key=lambda each: (place(each.bot), each.kind == "slow", -each.turns, each.message)))


def _describe_topic(line: Line) -> str:
    topic = find_truth(line)
    if topic:
        return say("'{topic}'", topic=topic)
    return say("no named topic (scenario '{scenario}')", scenario=line.scenario)


_BY_OUTCOME: dict[TurnOutcome, Callable[[Line], Finding]] = {
    TurnOutcome.WRONG_INTENT: lambda line: (
        "wrong_topic",
        _describe_topic(line),
        say("'{topic}'", topic=line.verdict.intent),
    ),
    TurnOutcome.MISSED: lambda line: ("missed_topic", _describe_topic(line), ""),
    TurnOutcome.WRONG_REPLY: lambda line: ("wrong_reply", _describe_topic(line), ""),
    TurnOutcome.OVERREACH: lambda line: (
        "overreach",
        say("the topic '{topic}'", topic=line.verdict.intent) if line.verdict.intent else say("some other reply"),
        "",
    ),
    TurnOutcome.NO_REPLY: lambda line: ("timeout" if line.status == Status.TIMEOUT else "no_reply", "", ""),
    TurnOutcome.ERROR: lambda line: (
        "failed" if line.status == Status.FAILED else "error",
        Status(line.status).meaning if line.status in set(Status) else line.status,
        "",
    ),
}


def _problem(bot: str, finding: Finding, lines: Sequence[Line], nature: Nature) -> Problem:
    kind, about, other = finding
    words = _KINDS[kind]
    problem = say(words.message, about=about, other=other, seconds=SLOW_MS / 1000)
    # A turn that was repeated is one example.
    first: dict[tuple[str, int], ConversationKey] = {}
    for line in lines:
        first.setdefault((line.key.script, line.number), line.key)
    examples = tuple((key, number) for (_, number), key in first.items())[:EXAMPLES]
    return Problem(
        bot,
        kind,
        say("{problem} ({turns})", problem=problem, turns=say_count(len(lines), "{n} turn", "{n} turns")),
        len(lines),
        examples,
        {Nature.NLU: words.nlu, Nature.LANGUAGE_MODEL: words.model}.get(nature) or words.remedy,
    )
