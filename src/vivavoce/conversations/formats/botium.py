"""Botium scripts as a suite: conversations, partial ones, phrase lists and asserters.

Botium looks for an expected text anywhere in the reply; so does the suite that comes out (`match: substring`).
What cannot be expressed is kept under `x-botium`, and such a turn never counts as passed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from vivavoce.conversations.formats.botium_checks import Checks, merge, read_checks
from vivavoce.conversations.formats.botium_text import (
    CONVO,
    PARTIAL,
    UTTERANCES,
    Convo,
    Section,
    read_convo,
    read_convo_yaml,
    read_lines,
    read_utterances,
)
from vivavoce.conversations.formats.botium_variables import Memory
from vivavoce.conversations.scenario import (
    Button,
    Defaults,
    Expectation,
    FallbackRule,
    Include,
    Match,
    Phrase,
    Scenario,
    Step,
    Suite,
    Turn,
)
from vivavoce.errors import FileError

INCOMPREHENSION = "INCOMPREHENSION"
SHORT = 4


def read_botium(path: str | Path) -> Suite:
    """Read one Botium file, or all of a folder, as a suite."""
    place = Path(path)
    files = sorted(place.rglob("*")) if place.is_dir() else [place, *sorted(place.parent.glob(f"*{UTTERANCES}"))]
    convos, lists = _collect([file for file in files if file.is_file()])
    if not convos:
        raise FileError(
            "there is no Botium conversation here", where=str(path), remedy=f"give files ending in {CONVO}"
        )
    reader = _Reader(lists)
    scenarios = tuple(reader.scenario(convo) for convo in convos if not convo.partial)
    parts = {convo.name: reader.steps(convo) for convo in convos if convo.partial}
    return Suite(
        place.stem.removesuffix(".convo"),
        _unique(scenarios),
        defaults=Defaults(match=Match.SUBSTRING),
        fallback=FallbackRule(replies=lists.get(INCOMPREHENSION, ())),
        lists={name: phrases for name, phrases in lists.items() if name in reader.used},
        parts=parts,
        source=str(path),
        notes=tuple(_notes(scenarios, reader)),
    )


def _collect(files: Iterable[Path]) -> tuple[list[Convo], dict[str, tuple[str, ...]]]:
    convos: list[Convo] = []
    lists: dict[str, tuple[str, ...]] = {}
    for file in files:
        if file.name.endswith((CONVO, PARTIAL)):
            convos.append(read_convo(file))
        elif file.name.endswith(UTTERANCES):
            name, phrases = read_utterances(file)
            lists[name] = phrases
        elif file.suffix in (".yaml", ".yml"):
            more, named = read_convo_yaml(file)
            convos += more
            lists |= named
        elif file.suffix == ".csv":
            convos += _read_csv(file)
    return convos, lists


def _read_csv(path: Path) -> list[Convo]:
    """Read a table with the columns conversationId, sender and text."""
    rows = list(csv.DictReader(read_lines(path)))
    if not rows or not {"conversationId", "sender", "text"} <= set(rows[0]):
        return []
    talks: dict[str, list[Section]] = {}
    for number, row in enumerate(rows, 2):
        section = Section(row["sender"].strip().lower(), tuple(row["text"].splitlines()), number)
        talks.setdefault(row["conversationId"], []).append(section)
    return [Convo(name, tuple(sections), str(path)) for name, sections in talks.items()]


class _Reader:
    """Turns conversations into scenarios; remembers which lists they used and what it had to leave."""

    def __init__(self, lists: Mapping[str, tuple[str, ...]]) -> None:
        self.lists = lists
        self.used: set[str] = set()
        self.left: list[str] = []

    def scenario(self, convo: Convo) -> Scenario:
        steps = self.steps(convo)
        turns = sum(isinstance(step, Turn) for step in steps)
        level = "basic" if turns <= 3 else "medium" if turns <= 6 else "complex"
        return Scenario(_id(convo.name), level, steps, title=convo.name, domain="imported")

    def steps(self, convo: Convo) -> tuple[Step, ...]:
        memory, steps = Memory(), list[Step]()
        for said, answers in _exchanges(convo.sections):
            if said is None:
                self._leave_unasked(convo, answers)
            elif said.who == "include":
                steps += [Include(name.strip()) for name in said.lines if name.strip()]
            else:
                steps.append(self._turn(said, answers, memory))
        return tuple(steps)

    def _leave_unasked(self, convo: Convo, answers: Sequence[Section]) -> None:
        if any(section.lines for section in answers):
            where = f"{convo.source}, line {answers[0].line}"
            self.left.append(f"{where}: what the bot says before the visitor does is not checked")

    def _turn(self, said: Section, answers: Sequence[Section], memory: Memory) -> Turn:
        asked = read_checks(said.lines)
        checks = [read_checks(section.lines) for section in answers]
        expect, save = merge(checks, self.lists, memory, INCOMPREHENSION)
        if asked.kept:
            expect = _with_kept(expect, asked.kept)
        return Turn(
            self._said(asked, memory),
            expect,
            save=save,
            pause_ms=asked.pause_ms or next((c.pause_ms for c in checks if c.pause_ms), None),
            wait_s=next((c.wait_s for c in (asked, *checks) if c.wait_s), None),
            line=said.line,
        )

    def _said(self, asked: Checks, memory: Memory) -> str | Phrase | Button:
        text = "\n".join(asked.texts)
        if asked.button:
            return Button(asked.button)
        if text in self.lists:
            self.used.add(text)
            return Phrase(text)
        return memory.filled(text)


def _exchanges(sections: Sequence[Section]) -> list[tuple[Section | None, list[Section]]]:
    """Return each message with the replies that follow it; None where the bot speaks first."""
    found: list[tuple[Section | None, list[Section]]] = []
    for section in sections:
        if section.who in ("me", "include"):
            found.append((section, []))
        elif section.who == "bot":
            if not found or (found[-1][0] is not None and found[-1][0].who == "include"):
                found.append((None, []))
            found[-1][1].append(section)
    return found


def _with_kept(expect: Expectation, kept: Sequence[str]) -> Expectation:
    before = expect.extras.get("x-botium", [])
    return replace(
        expect, extras={**expect.extras, "x-botium": [*(before if isinstance(before, list) else []), *kept]}
    )


def _id(name: str) -> str:
    return "-".join("".join(char if char.isalnum() else " " for char in name).split()).lower() or "convo"


def _unique(scenarios: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """Give scenarios of the same name numbers: Botium knows them by file, a suite by id."""
    seen: dict[str, int] = {}
    kept = []
    for scenario in scenarios:
        seen[scenario.id] = seen.get(scenario.id, 0) + 1
        n = seen[scenario.id]
        kept.append(scenario if n == 1 else replace(scenario, id=f"{scenario.id}-{n}"))
    return tuple(kept)


def _notes(scenarios: Sequence[Scenario], reader: _Reader) -> list[str]:
    turns = [turn for scenario in scenarios for turn in scenario.turns if isinstance(turn, Turn)]
    short = [p.text for turn in turns for p in (*turn.expect.any, *turn.expect.all) if len(p.text) < SHORT]
    kept = sum("x-botium" in turn.expect.extras for turn in turns)
    notes = list(reader.left)
    if short:
        notes.append(f"short texts that many replies contain, worth a look: {', '.join(repr(s) for s in short[:10])}")
    if kept:
        notes.append(f"{kept} turns have checks that only Botium knows: kept, and never counted as passed")
    return notes
