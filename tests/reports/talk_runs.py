"""Records of small runs for the tests of reports: every outcome on demand, judged and counted as a real run is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.scenario import Expectation, Kind, Pattern, Plan, Script, ScriptTurn
from vivavoce.conversations.transcript import ConversationKey, Exchange, RunHeader, State
from vivavoce.records import Reply, Status

HOSTILE = '<script>alert("x")</script> [bold]loud[/bold] \x1b[2J @team #12 | *star* 日本語 😀'
NOTICE = "All of this is invented."
ASKS = Expectation(intents=("pay",), any=(Pattern("money"),))
STRANGE = Expectation(fallback=True)
ANYTHING = Expectation(counted=False)

# What a bot does at a turn: the name of what it should come to, or nothing where the talk had ended.
Behaviour = Callable[[str, int], str | None]

_REPLIES = {
    "right": Reply(("The money comes every month.",), intent="pay", confidence=0.9, fallback=False),
    "wrong_reply": Reply(("That depends.",), intent="pay", confidence=0.8, fallback=False),
    "wrong_intent": Reply(("We open at nine.",), intent="hours", confidence=0.7, fallback=False),
    "declined": Reply((NOTICE, "Sorry, I do not know."), fallback=True),
    "hostile": Reply((HOSTILE, "=1+1"), intent="hours", confidence=0.7, fallback=False),
}
_FAILED = {"no_reply": Status.TIMEOUT, "error": Status.SERVER_ERROR}


def scripts(n: int = 20, levels: Sequence[str] = ("basic", "complex"), domain: str = "work") -> list[Script]:
    """Return conversations of four turns: a question, its misspelt twin, one out of scope, and one unchecked."""
    made = []
    for place in range(n):
        name = f"talk-{place:02}"
        turns = (
            ScriptTurn(1, "t1", f"when is money number {place} paid?", ASKS),
            ScriptTurn(2, "t2", f"whne is mony number {place} piad?", ASKS, kind=Kind.TYPO, twin=(name, 1)),
            ScriptTurn(3, "t3", "who wins the cup?", STRANGE),
            ScriptTurn(4, "t4", "thanks", ANYTHING),
        )
        level = levels[place % len(levels)]
        made.append(Script(name, name, f"Money {place}", domain, level, turns, version=f"{name}-1"))
    return made


def write_run(
    folder: Path,
    bots: Mapping[str, Behaviour],
    *,
    plan: Sequence[Script] | None = None,
    held: int | None = None,
    repeats: int = 1,
    tells: bool = True,
) -> RunRecord:
    """Write the record of a run; `held`: how many conversations of each bot were held at all."""
    conversations = scripts() if plan is None else plan
    facts = tuple(BotFacts(name, about=f"{name} <b>of</b> tests", reports_intent=tells) for name in bots)
    header = RunHeader(
        "run-1", "0.0", 0, Plan("suite", "en", tuple(conversations), notice=NOTICE, hash="abc"), facts, repeats
    )
    record = RunRecord.create(folder, header)
    for name, behave in bots.items():
        for script in conversations[:held]:
            for repeat in range(repeats):
                _hold(record, ConversationKey(name, script.id, repeat), script, behave)
    return record


def _hold(record: RunRecord, key: ConversationKey, script: Script, behave: Behaviour) -> None:
    record.begin(key)
    state = State.DONE
    for turn in script.turns:
        what = behave(script.id, turn.number)
        if what is None:
            break
        record.add(key, _exchange(turn, what))
        state = State.ERRORED if what == "error" else state
    record.finish(key, state, "the server failed" if state is State.ERRORED else "")


def _exchange(turn: ScriptTurn, what: str) -> Exchange:
    if what in _FAILED:
        return Exchange(turn.number, turn.text, _FAILED[what], error="no answer <b>came</b>")
    name = {"missed": "declined", "overreach": "wrong_intent"}.get(what, what)
    return Exchange(turn.number, turn.text, Status.OK, _REPLIES[name], first_ms=12.0, last_ms=20.0)


def good(_script: str, number: int) -> str:
    """Do everything right."""
    return "declined" if number == 3 else "right"


def poor(script: str, number: int) -> str:
    """Do everything wrong, in turn in every way there is."""
    ways = ("wrong_reply", "wrong_intent", "missed", "no_reply")
    return "overreach" if number == 3 else ways[(int(script[-2:]) + number) % len(ways)]


def hostile(_script: str, _number: int) -> str:
    """Answer with what would be markup in a page, a terminal or a spreadsheet."""
    return "hostile"


def broken(_script: str, _number: int) -> str:
    """Never get through."""
    return "error"


def middling(script: str, number: int) -> str:
    """Be right in every other conversation."""
    return good(script, number) if int(script[-2:]) % 2 else poor(script, number)
