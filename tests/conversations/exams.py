"""Judged lines made by hand, so that every number can be known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.findings.finding import find
from vivavoce.conversations.result import ConversationsResult, Line, Verdict
from vivavoce.conversations.scenario import Plan, Script
from vivavoce.conversations.transcript import ConversationKey, RunHeader
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Status

R = TurnOutcome.RIGHT
D = TurnOutcome.DECLINED
M = TurnOutcome.MISSED
W = TurnOutcome.WRONG_INTENT
O = TurnOutcome.OVERREACH  # noqa: E741
A = TurnOutcome.WRONG_REPLY
N = TurnOutcome.NO_REPLY
E = TurnOutcome.ERROR
X = TurnOutcome.NOT_REACHED
U = TurnOutcome.UNCHECKED
OUTSIDE = (D, O)
SILENT = (N, E, X)
STATUS = {N: Status.TIMEOUT, E: Status.SERVER_ERROR, X: Status.NOT_REACHED}


def line(
    outcome: TurnOutcome,
    script: str = "s",
    number: int = 1,
    *,
    bot: str = "bot",
    repeat: int = 0,
    scenario: str | None = None,
    domain: str = "",
    level: str = "basic",
    kind: str = "clean",
    expected: str | None = None,
    intent: str | None = None,
    in_scope: bool | None = None,
    first_ms: float | None = 100.0,
    twin: tuple[str, int] | None = None,
    guess_right: bool | None = None,
    attempts: int = 1,
    cold: bool = False,
) -> Line:
    """Return one line; what is not told follows from the outcome."""
    scope = outcome not in OUTSIDE if in_scope is None else in_scope
    topic = expected if expected is not None else "topic"
    found = {R: topic, A: topic, W: intent or "other", O: intent or "other", U: intent}.get(outcome)
    verdict = Verdict(
        outcome=outcome,
        in_scope=scope,
        replied=outcome not in SILENT,
        fallback=outcome in (D, M),
        intent=found,
        guess_right=guess_right,
    )
    time = first_ms if verdict.replied else None
    return Line(
        key=ConversationKey(bot, script, repeat),
        number=number,
        turn=f"t{number}",
        scenario=scenario or script,
        domain=domain,
        level=level,
        kind=kind,
        expected=(topic,) if scope and outcome is not U else (),
        verdict=verdict,
        status=str(STATUS.get(outcome, Status.OK)),
        first_ms=time,
        last_ms=None if time is None else 2 * time,
        attempts=attempts,
        cold=cold,
        twin=twin,
    )


def talk(outcomes: Sequence[TurnOutcome], script: str = "s", *, bot: str = "bot", repeat: int = 0) -> list[Line]:
    """Return one conversation, one outcome for each turn."""
    return [line(one, script, number + 1, bot=bot, repeat=repeat) for number, one in enumerate(outcomes)]


def pair_lines(clean: str, misspelt: str, script: str = "s") -> list[Line]:
    """Return a message and its misspelt twin, a letter for each repeat: + where it was right."""
    sides = ((script, clean, "clean", None), (f"{script}~typo", misspelt, "typo", (script, 1)))
    return [
        line(R if sign == "+" else M, name, repeat=repeat, kind=kind, twin=twin)
        for name, signs, kind, twin in sides
        for repeat, sign in enumerate(signs)
    ]


def header(*bots: str | BotFacts, scripts: Iterable[Script] = (), repeats: int = 1) -> RunHeader:
    """Return the head of a run."""
    facts = tuple(BotFacts(bot, reports_intent=True) if isinstance(bot, str) else bot for bot in bots or ("bot",))
    return RunHeader("run", "0", 0, Plan("suite", "en", tuple(scripts), hash="abc"), facts, repeats)


def found(lines: Iterable[Line], *bots: str | BotFacts, repeats: int = 1) -> ConversationsResult:
    """Return what is found in the lines."""
    return find(header(*bots, repeats=repeats), list(lines))
