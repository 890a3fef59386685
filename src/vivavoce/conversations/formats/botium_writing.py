"""A suite as Botium scripts: a `.convo.txt` for each conversation, an `.utterances.txt` for each choice of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.conversations.formats.botium_text import CONVO, UTTERANCES
from vivavoce.conversations.scenario import Match, Pattern, Plan, Script, ScriptTurn
from vivavoce.files.writing import write_text

_ASSERTERS = {
    Match.EXACT: "TEXT_EQUALS",
    Match.CONTAINS: "TEXT_CONTAINS",
    Match.SUBSTRING: "TEXT_CONTAINS",
    Match.WILDCARD: "TEXT_WILDCARD",
    Match.REGEX: "TEXT_REGEXP",
}
_PLAIN = (None, Match.CONTAINS, Match.SUBSTRING)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


@dataclass
class Written:
    """The files of an export by name, and what Botium cannot say."""

    files: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def write_botium(plan: Plan, folder: str | Path) -> tuple[str, ...]:
    """Write the conversations of a plan into a folder; return what could not be expressed."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = to_botium(plan)
    for name, text in written.files.items():
        write_text(place / name, text)
    return tuple(written.lost)


def to_botium(plan: Plan) -> Written:
    """Return the conversations of a plan as Botium files."""
    written = Written()
    if plan.fallback.replies:
        written.files[f"incomprehension{UTTERANCES}"] = "\n".join(["INCOMPREHENSION", *plan.fallback.replies]) + "\n"
    for script in plan.scripts:
        parts = [script.id, *[_turn(turn, script, plan, written) for turn in script.turns]]
        written.files[f"{_file_name(script.id)}{CONVO}"] = "\n\n".join(parts) + "\n"
    return written


def _turn(turn: ScriptTurn, script: Script, plan: Plan, written: Written) -> str:
    said = f"BUTTON {turn.text}" if turn.button else _variables(turn.text)
    lines = ["#me", said, *([f"PAUSE {turn.pause_ms:g}"] if turn.pause_ms else []), "", "#bot"]
    where = f"{script.id}, turn {turn.number}"
    return "\n".join([*lines, *_checks(turn, plan, where, written)])


def _checks(turn: ScriptTurn, plan: Plan, where: str, written: Written) -> Iterator[str]:
    expect = turn.expect
    if expect.fallback:
        yield "INCOMPREHENSION"
    if len(expect.any) > 1 and all(
        pattern.match in (None, Match.CONTAINS, Match.SUBSTRING) for pattern in expect.any
    ):
        name = f"{_file_name(where)}".replace("-", "_").upper()
        written.files[f"{name.lower()}{UTTERANCES}"] = "\n".join([name, *[_plain(p) for p in expect.any]]) + "\n"
        yield name
    elif len(expect.any) > 1:
        written.lost.append(f"{where}: Botium cannot choose between texts that are matched in different ways")
    for pattern in (*(expect.any if len(expect.any) == 1 else ()), *expect.all):
        yield from _pattern(pattern, plan, where, written)
    yield from (f"!{_plain(pattern)}" for pattern in expect.none)
    yield from _facts(turn, where, written)


def _pattern(pattern: Pattern, plan: Plan, where: str, written: Written) -> Iterator[str]:
    kind = pattern.match or (Match.WILDCARD if "*" in pattern.text else plan.defaults.match)
    if kind not in _ASSERTERS:
        written.lost.append(f"{where}: Botium has no match of the kind {kind}")
    else:
        yield (
            f"{_ASSERTERS[kind]}_IC {_plain(pattern)}"
            if kind is not Match.REGEX
            else f"TEXT_REGEXP_IC {pattern.text}"
        )


def _facts(turn: ScriptTurn, where: str, written: Written) -> Iterator[str]:
    expect = turn.expect
    if expect.intents:
        yield f"INTENT {expect.intents[0]}"
    if len(expect.intents) > 1:
        written.lost.append(f"{where}: Botium expects one intent; {', '.join(expect.intents[1:])} left out")
    if expect.min_confidence is not None:
        yield f"INTENT_CONFIDENCE {expect.min_confidence * 100:g}"
    yield from (f"ENTITY_CONTENT {name}|{_escaped(value)}" for name, value in expect.slots.items())
    if expect.buttons:
        yield f"BUTTONS {'|'.join(_escaped(button) for button in expect.buttons)}"
    if turn.kind != "clean" or expect.within_ms is not None or turn.save:
        lost = [turn.kind.value] if turn.kind != "clean" else []
        lost += ["within_ms"] if expect.within_ms is not None else []
        lost += ["save"] if turn.save else []
        written.lost.append(f"{where}: Botium has no place for {', '.join(lost)}")


def _plain(pattern: Pattern) -> str:
    return _variables(pattern.text.replace("\n", " "))


def _variables(text: str) -> str:
    return _PLACEHOLDER.sub(lambda found: f"${found[1]}", text)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-")
