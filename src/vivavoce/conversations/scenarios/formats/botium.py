"""Botium scripts as a suite: conversations, partial ones, phrase lists, values and asserters.

Botium looks for an expected text anywhere in the reply; so does the suite that comes out (`match: substring`).
What cannot be expressed is kept under `x-botium`, and a turn that asks for it never counts as passed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from vivavoce.conversations.scenario import (
    Button,
    Defaults,
    Expectation,
    FallbackRule,
    Include,
    Match,
    Pattern,
    Phrase,
    Scenario,
    Step,
    Suite,
    Turn,
    UserInput,
)
from vivavoce.conversations.scenarios.formats.botium_files import (
    CONVO,
    CONVO_CSV,
    ENDINGS,
    PARTIAL_CSV,
    Convo,
    Material,
    Section,
    holds_botium,
    holds_table,
    read_table_file,
    read_text_file,
    read_yaml_file,
)
from vivavoce.conversations.scenarios.formats.botium_lines import (
    INCLUDE,
    VARIABLE,
    Checks,
    Memory,
    Parts,
    list_included,
    read_checks,
    read_number,
    substring,
)
from vivavoce.conversations.scenarios.formats.imported import (
    DOMAIN,
    Choice,
    expect_bubbles,
    level_of,
    name_as_id,
    number_scenarios,
)
from vivavoce.conversations.scenarios.suites import is_blank, is_hidden
from vivavoce.errors import FileError, plural
from vivavoce.files.yamls import read_yaml

INCOMPREHENSION = "INCOMPREHENSION"
KEPT = "x-botium"
MORE = "..."
_TEXT_KEYS = ("messageText", "text")
_NAMES = {
    "INTENT": "intents",
    "ENTITIES": "slot_names",
    "ENTITY_VALUES": "slot_values",
    "BUTTONS": "buttons",
    "CARDS": "cards",
    "MEDIA": "media",
}
Lists = Mapping[str, tuple[str, ...]]


def build_turn(asked: Checks, answers: Sequence[Checks], lists: Lists, memory: Memory, line: int | None) -> Turn:
    """Return the turn of a message and the replies that should follow it."""
    every = (asked, *answers)
    user, aside = _read_user(asked, lists, memory)
    needed = [checks for checks in answers if not checks.optional]
    if needed and len(needed) < len(answers):
        # What holds for a bubble only if it comes has no place in a reply that must come.
        aside += [{"bot": list(checks.lines)} for checks in answers if checks.optional]
        answers = needed
    expect, save = _expectation(asked, answers, lists, memory)
    for checks in every:
        memory.constants |= checks.constants
    return Turn(
        user,
        expect,
        save=save,
        pause_ms=next((checks.pause_ms for checks in every if checks.pause_ms is not None), None),
        wait_s=next((checks.wait_s for checks in every if checks.wait_s is not None), None),
        line=line,
        extras={KEPT: aside} if aside else {},
    )


def _read_user(asked: Checks, lists: Lists, memory: Memory) -> tuple[UserInput, list[object]]:
    """Return what is said, and the raw message where more than a text was to be sent."""
    if asked.button:
        return Button(memory.fill(asked.button)), []
    if asked.text in lists:
        return Phrase(asked.text), []
    try:
        message = json.loads(asked.text) if asked.text.startswith("{") else {}
    except (ValueError, RecursionError):
        message = {}
    texts = [message[key] for key in _TEXT_KEYS if isinstance(message.get(key), str)]
    return (memory.fill(texts[0]), [asked.text]) if texts else (memory.fill(asked.text), [])


def _expectation(
    asked: Checks, answers: Sequence[Checks], lists: Lists, memory: Memory
) -> tuple[Expectation, dict[str, Pattern]]:
    bubbles: list[Choice] = []
    save: dict[str, Pattern] = {}
    for checks in answers:
        if checks.text in lists and checks.text != INCOMPREHENSION and not checks.negated:
            bubbles.append(tuple(substring(memory.fill(phrase)) for phrase in lists[checks.text]))
        elif checks.text and checks.text != INCOMPREHENSION and not checks.negated:
            pattern, captured = memory.expect(checks.text)
            bubbles.append((pattern,))
            save |= captured
        bubbles += [_resolve(choice, lists, memory) for choice in checks.any]
    texts = {(checks.text, checks.negated) for checks in answers}
    every = tuple(pattern for checks in answers for pattern in _resolve(checks.all, lists, memory))
    none: list[Pattern] = []
    for checks in answers:
        if checks.negated and checks.text and checks.text != INCOMPREHENSION:
            phrases = lists.get(checks.text, (checks.text,))
            none += [substring(memory.fill(phrase)) for phrase in phrases]
        none += _resolve(checks.none, lists, memory)
    free, needed = expect_bubbles(bubbles)
    rest: list[object] = [{"me": line} for line in asked.kept]
    fields: dict[str, Any] = {
        "fallback": (INCOMPREHENSION, False) in texts,
        "answered": (INCOMPREHENSION, True) in texts,
        "any": free,
        "all": (*needed, *every),
        "none": tuple(none),
        **_read_facts([fact for checks in answers for fact in checks.facts], memory, rest),
    }
    rest += [line for checks in answers for line in checks.kept]
    fields["extras"] = {KEPT: rest} if rest else {}
    expect = Expectation(
        counted=Expectation(**fields) != Expectation(),
        optional=any(checks.optional for checks in answers),
        order_any=bool(every) and len(needed) + len(every) > 1,
        **fields,
    )
    return expect, save


def _resolve(patterns: Sequence[Pattern], lists: Lists, memory: Memory) -> Choice:
    """Put in lists and variables that asserters name."""
    return tuple(
        Pattern(memory.fill(text), pattern.match, pattern.minimum)
        for pattern in patterns
        for text in lists.get(pattern.text, (pattern.text,))
    )


def _read_facts(facts: Sequence[tuple[str, tuple[str, ...]]], memory: Memory, rest: list[object]) -> dict[str, Any]:
    """Return what is said about intent, entities and buttons; what has no place is kept as its line."""
    fields: dict[str, Any] = {}
    slots: dict[str, str] = {}
    for name, arguments in facts:
        values = tuple(memory.fill(value) for value in arguments)
        percent = read_number(values)
        if name in _NAMES:
            key = _NAMES[name]
            # Several INTENT lines must all hold, which no bot can do: alternatives are the nearest reading.
            fields[key] = (*fields.get(key, ()), *(value for value in values if value != MORE))
        elif name == "INTENT_UNIQUE" and not values:
            fields["margin_over"] = 0.0
        elif name == "INTENT_CONFIDENCE" and percent is not None and percent <= 100:
            fields["min_confidence"] = percent / 100
        elif name == "ENTITY_CONTENT" and len(values) == 2 and values[0] not in slots:
            slots[values[0]] = values[1]
        else:
            rest.append(f"{name} {'|'.join(value.replace('|', chr(92) + '|') for value in arguments)}".strip())
    return {**fields, "slots": slots} if slots else fields


SHORT = 4
SHOWN = 10
YAML = (".yaml", ".yml")
TABLES = (".csv", ".xlsx")
SPEAKERS = ("me", "bot", "begin", "end", "include")


def is_botium(path: Path, *, lists: bool = False, encoding: str | None = None) -> bool:
    """Tell whether a file is one of Botium's, by its name or by what it holds; `lists`: phrase lists in CSV too."""
    name = path.name.lower()
    if name.endswith(ENDINGS):
        return True
    if name.endswith(YAML):
        return holds_botium(read_yaml(path))
    return name.endswith(TABLES) and holds_table(path, lists=lists, encoding=encoding)


def find_botium(folder: Path, *, encoding: str | None = None) -> list[Path]:
    """Return the Botium files of a folder and the folders in it; none where there is no file of conversations."""
    files = sorted(path for path in _files(folder) if not is_blank(path))
    if not any(path.name.lower().endswith((CONVO, CONVO_CSV, PARTIAL_CSV)) for path in files):
        return []
    return [path for path in files if is_botium(path, lists=True, encoding=encoding)]


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        # Programs keep thousands of files in hidden folders and in those of packages.
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        yield from (Path(place) / name for name in names if not is_hidden(Path(name)))


def read_botium(path: str | Path, *, encoding: str | None = None) -> Suite:
    """Read one Botium file with the lists and partial conversations beside it, or all of a folder, as a suite."""
    place = Path(path)
    beside = [file for ending in (*ENDINGS[1:], PARTIAL_CSV) for file in sorted(place.parent.glob(f"*{ending}"))]
    files = find_botium(place, encoding=encoding) if place.is_dir() else list(dict.fromkeys([place, *beside]))
    material = Material()
    for file in files:
        if file.suffix.lower() in YAML:
            read_yaml_file(file, material)
        elif file.suffix.lower() in TABLES:
            read_table_file(file, material, encoding)
        else:
            read_text_file(file, material)
    # Empty files of the folder itself are noted with its other files.
    for file in sorted(_files(place)) if place.is_dir() else ():
        if file.parent != place and file.name.lower().endswith((*ENDINGS, *YAML, *TABLES)) and is_blank(file):
            material.notes.append(f"{file.relative_to(place)} skipped: it is empty")
    if not any(not convo.partial for convo in material.convos):
        raise FileError("no Botium conversation found", where=str(path), remedy=f"use files ending in {CONVO}")
    return _Reading(material).suite(place)


class _Reading:
    """Turns conversations into scenarios; remembers which lists they used and what it had to leave."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.lists = material.lists
        self.parts = Parts(material.convos)
        self.rows: dict[str, dict[str, str]] = {}
        self.notes: list[str] = list(material.notes)
        self.unasked: list[object] = []
        self.strange: set[str] = set()
        self.cased = 0

    def suite(self, place: Path) -> Suite:
        unfolded = [self.parts.unfold(convo) for convo in self.material.convos]
        scenarios = [scenario for convo in unfolded if not convo.partial for scenario in self.scenario(convo)]
        # A part that was put in wherever it is included is no part any more.
        gone = list_included(self.material.convos) - list_included(unfolded)
        names = {name for table in self.material.tables for row in table.values() for name in row}
        parts = {}
        for convo in unfolded:
            if convo.partial and convo.name not in gone:
                parts[convo.name], rest = self.steps(convo, Memory(set(names)))
                if rest:
                    self.unasked.append({"part": convo.name, **rest})
        fallbacks = self.lists.get(INCOMPREHENSION, ())
        suite = Suite(
            place.resolve().name if place.is_dir() else place.name.split(".")[0],
            tuple(number_scenarios(scenarios)),
            defaults=Defaults(match=Match.SUBSTRING),
            fallback=FallbackRule(replies=tuple(text if "*" in text else f"*{text}*" for text in fallbacks)),
            rows=self.rows,
            parts=parts,
            source=str(place),
            extras={KEPT: {"unasked": self.unasked}} if self.unasked else {},
        )
        # Nobody else would keep the phrases of lists that no script names.
        lines = [line for convo in self.material.convos for section in convo.sections for line in section.lines]
        words = {line.strip().lstrip("?!") for line in lines}
        named = {part.strip() for word in words for part in (word, *word.partition(" ")[2].split("|"))}
        unused = set(self.lists) - named - {INCOMPREHENSION}
        used = {turn.user.list for turn in suite.all_turns if isinstance(turn.user, Phrase)}
        self._note(suite.all_turns, unused)
        lists = {name: phrases for name, phrases in self.lists.items() if name in used | unused}
        return replace(suite, lists=lists, notes=tuple(self.notes))

    def scenario(self, convo: Convo) -> Iterator[Scenario]:
        used = {name for section in convo.sections for line in section.lines for name in VARIABLE.findall(line)}
        tables = [table for table in self.material.tables if used & {n for row in table.values() for n in row}]
        ids = []
        for chosen in product(*(table.items() for table in tables)) if tables else ():
            values = {name: value for _, row in chosen for name, value in row.items()}
            name = base = "+".join(case for case, _ in chosen)
            number = 1
            while self.rows.get(name, values) != values:
                number += 1
                name = f"{base}-{number}"
            self.rows[name] = values
            ids.append(name)
        rows, names = tuple(ids), {name for row in ids for name in self.rows[row]}
        steps, rest = self.steps(convo, Memory(names))
        if not steps:
            self.unasked.append({"name": convo.name, **rest})
            self.notes.append(f"{convo.source}: '{convo.name}' sends nothing to the bot and cannot be run")
            return
        yield Scenario(
            name_as_id(convo.name, "convo"),
            level_of(sum(isinstance(step, Turn) for step in steps)),
            steps,
            title=convo.name,
            domain=DOMAIN,
            rows=rows,
            note=convo.about,
            line=convo.sections[0].line,
            extras={KEPT: rest} if rest else {},
        )

    def steps(self, convo: Convo, memory: Memory) -> tuple[tuple[Step, ...], dict[str, list[str]]]:
        """Return the steps of a conversation, and the lines of it that have no place in them."""
        steps: list[Step] = []
        rest: dict[str, list[str]] = {}
        for section in convo.sections:
            if section.who not in SPEAKERS:
                raise FileError(
                    f"unknown speaker '{section.who}'",
                    where=f"{convo.source}, line {section.line}",
                    remedy=f"use {', '.join(SPEAKERS)}",
                )
        for message, answers in _exchanges(convo.sections):
            replies = [read_checks(section.lines) for section in answers]
            self.cased += sum(checks.cased for checks in replies)
            if message is not None and message.who == "me":
                asked = read_checks(message.lines, message.who)
                steps.append(build_turn(asked, replies, self.lists, memory, message.line))
            elif message is not None and message.who == INCLUDE:
                steps.append(Include(message.lines[0]))
            else:
                self._keep(message, answers, convo, rest)
        self.strange |= memory.strange
        return tuple(steps), rest

    def _keep(
        self, hook: Section | None, answers: Sequence[Section], convo: Convo, rest: dict[str, list[str]]
    ) -> None:
        """Keep what the bot says before any message, and what Botium does before and after the conversation."""
        where = hook.who if hook is not None else "bot"
        lines = [line for section in ([hook] if hook else answers) for line in section.lines]
        if not lines:
            return
        rest.setdefault(where, []).extend(lines)
        line = (hook or answers[0]).line
        why = "the bot's opening message, not checked" if hook is None else f"hooks of #{where}, not run"
        self.notes.append(f"{convo.source}, line {line}: {why}: {'; '.join(lines[:3])}")

    def _note(self, turns: Sequence[Turn], unused: set[str]) -> None:
        texts = dict.fromkeys(p.text for turn in turns for p in (*turn.expect.any, *turn.expect.all))
        short = [repr(text) for text in texts if len(text) < SHORT]
        rest = sum(KEPT in turn.expect.extras for turn in turns)
        raw = sum(KEPT in turn.extras for turn in turns)
        if short:
            self.notes.append(f"short texts that many replies contain, worth checking: {', '.join(short[:SHOWN])}")
        if rest:
            what = "Botium-only checks: kept, but never counted as passed"
            self.notes.append(f"{plural(rest, 'turn')} with {what}")
        if raw:
            what = (
                "a message that is more than text, or optional bubbles next to others: kept, but not sent or checked"
            )
            self.notes.append(f"{plural(raw, 'turn')} with {what}")
        if self.cased:
            checks = plural(self.cased, "check")
            self.notes.append(f"{checks} that distinguished upper and lower case: case is ignored here")
        if self.strange:
            self.notes.append(f"variables without a value, sent unchanged: {', '.join(sorted(self.strange))}")
        if unused:
            self.notes.append(f"phrase lists not used by any script, kept: {', '.join(sorted(unused))}")


def _exchanges(sections: Sequence[Section]) -> Iterator[tuple[Section | None, list[Section]]]:
    """Yield each message with the replies that follow it; None where the bot speaks unasked."""
    message: Section | None = None
    answers: list[Section] = []
    for section in sections:
        if section.who == "bot" and (message is None or message.who == "me"):
            answers.append(section)
            continue
        if message is not None or answers:
            yield message, answers
        message, answers = (None, [section]) if section.who == "bot" else (section, [])
    if message is not None or answers:
        yield message, answers
