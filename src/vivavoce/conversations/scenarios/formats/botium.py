"""Botium scripts as a suite: conversations, partial ones, phrase lists, values and asserters.

Botium looks for an expected text anywhere in the reply; so does the suite that comes out (`match: substring`).
What cannot be expressed is kept under `x-botium`, and a turn that asks for it never counts as passed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from vivavoce.conversations.scenario import (
    Defaults,
    FallbackRule,
    Include,
    Match,
    Phrase,
    Scenario,
    Step,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.folders import is_blank, is_hidden
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
    included,
    read_checks,
)
from vivavoce.conversations.scenarios.formats.botium_turns import INCOMPREHENSION, KEPT, build_turn
from vivavoce.conversations.scenarios.formats.imported import DOMAIN, level_of, name_as_id, numbered
from vivavoce.errors import FileError, plural
from vivavoce.files.yamls import read_yaml

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
    beside = [one for ending in (*ENDINGS[1:], PARTIAL_CSV) for one in sorted(place.parent.glob(f"*{ending}"))]
    files = find_botium(place, encoding=encoding) if place.is_dir() else list(dict.fromkeys([place, *beside]))
    material = Material()
    for file in files:
        _read_into(material, file, encoding)
    if place.is_dir():
        material.notes += _blank_files(place)
    if not any(not convo.partial for convo in material.convos):
        raise FileError(
            "there is no Botium conversation here", where=str(path), remedy=f"give files ending in {CONVO}"
        )
    return _Reading(material).suite(place)


def _read_into(material: Material, path: Path, encoding: str | None) -> None:
    if path.suffix.lower() in YAML:
        read_yaml_file(path, material)
    elif path.suffix.lower() in TABLES:
        read_table_file(path, material, encoding)
    else:
        read_text_file(path, material)


def _blank_files(folder: Path) -> Iterator[str]:
    """Yield a note on empty files further down; those of the folder itself are told with its other files."""
    for path in sorted(_files(folder)):
        if path.parent != folder and path.name.lower().endswith((*ENDINGS, *YAML, *TABLES)) and is_blank(path):
            yield f"{path.relative_to(folder)} was passed over: it is empty"


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
        found = [one for convo in unfolded if not convo.partial for one in self.scenario(convo)]
        # A part that was put in wherever it is included is no part any more.
        gone = included(self.material.convos) - included(unfolded)
        parts = {convo.name: self._part(convo) for convo in unfolded if convo.partial and convo.name not in gone}
        scenarios = tuple(numbered(found))
        turns = [step for steps in (*(one.turns for one in scenarios), *parts.values()) for step in steps]
        said = {step.user.list for step in turns if isinstance(step, Turn) and isinstance(step.user, Phrase)}
        self._note([step for step in turns if isinstance(step, Turn)])
        return Suite(
            place.resolve().name if place.is_dir() else place.name.split(".")[0],
            scenarios,
            defaults=Defaults(match=Match.SUBSTRING),
            fallback=FallbackRule(replies=tuple(_anywhere(text) for text in self.lists.get(INCOMPREHENSION, ()))),
            lists={name: phrases for name, phrases in self.lists.items() if name in said | self._unused()},
            rows=self.rows,
            parts=parts,
            source=str(place),
            notes=tuple(self.notes),
            extras={KEPT: {"unasked": self.unasked}} if self.unasked else {},
        )

    def scenario(self, convo: Convo) -> Iterator[Scenario]:
        rows, names = self._values(convo)
        steps, kept = self.steps(convo, Memory(names))
        if not steps:
            self.unasked.append({"name": convo.name, **kept})
            self.notes.append(f"{convo.source}: '{convo.name}' says nothing to the bot and cannot be held")
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
            extras={KEPT: kept} if kept else {},
        )

    def _part(self, convo: Convo) -> tuple[Step, ...]:
        names = {name for table in self.material.tables for row in table.values() for name in row}
        steps, kept = self.steps(convo, Memory(names))
        if kept:
            self.unasked.append({"part": convo.name, **kept})
        return steps

    def _values(self, convo: Convo) -> tuple[tuple[str, ...], set[str]]:
        """Return the rows that fill the variables of a conversation, and the names of these variables."""
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
        return tuple(ids), {name for row in ids for name in self.rows[row]}

    def steps(self, convo: Convo, memory: Memory) -> tuple[tuple[Step, ...], dict[str, object]]:
        """Return the steps of a conversation, and the lines of it that have no place in them."""
        steps: list[Step] = []
        kept: dict[str, object] = {}
        for said, answers in _exchanges(self._known(convo)):
            asked = read_checks(said.lines, said.who) if said else Checks()
            replies = [read_checks(section.lines) for section in answers]
            self.cased += sum(checks.cased for checks in replies)
            if said is not None and said.who == "me":
                steps.append(build_turn(asked, replies, self.lists, memory, said.line))
            elif said is not None and said.who == INCLUDE:
                steps.append(Include(said.lines[0]))
            else:
                self._keep(said, answers, convo, kept)
        self.strange |= memory.strange
        return tuple(steps), kept

    def _known(self, convo: Convo) -> list[Section]:
        for section in convo.sections:
            if section.who not in SPEAKERS:
                raise FileError(
                    f"nobody is called '{section.who}'",
                    where=f"{convo.source}, line {section.line}",
                    remedy=f"known are {', '.join(SPEAKERS)}",
                )
        return list(convo.sections)

    def _keep(self, said: Section | None, answers: Sequence[Section], convo: Convo, kept: dict[str, object]) -> None:
        """Keep what the bot says before any message, and what Botium does before and after the conversation."""
        where = said.who if said is not None else "bot"
        lines = [line for section in ([said] if said else answers) for line in section.lines]
        if not lines:
            return
        before = kept.get(where, [])
        kept[where] = [*(before if isinstance(before, list) else []), *lines]
        line = (said or answers[0]).line
        why = "the bot speaks first, not checked" if said is None else f"hooks of #{where}, not run"
        self.notes.append(f"{convo.source}, line {line}: {why}: {'; '.join(lines[:3])}")

    def _unused(self) -> set[str]:
        """Return the lists that no script names: nobody else would keep their phrases."""
        words = {
            line.strip().lstrip("?!") for convo in self.material.convos for s in convo.sections for line in s.lines
        }
        named = {part.strip() for word in words for part in (word, *word.partition(" ")[2].split("|"))}
        return set(self.lists) - named - {INCOMPREHENSION}

    def _note(self, turns: Sequence[Turn]) -> None:
        texts = dict.fromkeys(p.text for turn in turns for p in (*turn.expect.any, *turn.expect.all))
        short = [repr(text) for text in texts if len(text) < SHORT]
        kept = sum(KEPT in turn.expect.extras for turn in turns)
        raw = sum(KEPT in turn.extras for turn in turns)
        unused = ", ".join(sorted(self._unused()))
        if short:
            self.notes.append(f"short texts that many replies contain, worth a look: {', '.join(short[:SHOWN])}")
        if kept:
            what = "checks that only Botium knows: kept, and never counted as passed"
            self.notes.append(f"{plural(kept, 'turn')} with {what}")
        if raw:
            what = (
                "a message of more than a text, or optional bubbles beside others: kept, but neither said nor checked"
            )
            self.notes.append(f"{plural(raw, 'turn')} with {what}")
        if self.cased:
            self.notes.append(
                f"{plural(self.cased, 'check')} that told capital letters apart: here case never counts"
            )
        if self.strange:
            self.notes.append(f"variables without a value, said as they stand: {', '.join(sorted(self.strange))}")
        if unused:
            self.notes.append(f"phrase lists that no script names, kept: {unused}")


def _exchanges(sections: Sequence[Section]) -> Iterator[tuple[Section | None, list[Section]]]:
    """Yield each message with the replies that follow it; None where the bot speaks unasked."""
    said: Section | None = None
    answers: list[Section] = []
    for section in sections:
        if section.who == "bot" and (said is None or said.who == "me"):
            answers.append(section)
            continue
        if said is not None or answers:
            yield said, answers
        said, answers = (None, [section]) if section.who == "bot" else (section, [])
    if said is not None or answers:
        yield said, answers


def _anywhere(text: str) -> str:
    return text if "*" in text else f"*{text}*"
