"""Rasa test stories as a suite: messages with their intent, entities as slots, actions as replies of the domain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from vivavoce.conversations.scenario import Expectation, FallbackRule, Match, Pattern, Scenario, Suite, Turn
from vivavoce.errors import DataError, FileError
from vivavoce.files.yamls import Value, YamlFile, as_list, as_mapping, read_yaml

FALLBACKS = ("nlu_fallback", "action_default_fallback")
_ENTITY = re.compile(r"\[(?P<text>[^\]]+)\](?:\((?P<name>[^)]+)\)|(?P<json>\{[^}]*\}))")
_VARIABLE = re.compile(r"\{\w+\}")


def is_rasa_stories(path: Path) -> bool:
    """Tell whether a YAML file holds Rasa stories."""
    value = read_yaml(path).value
    return isinstance(value, dict) and "scenarios" not in value and ("stories" in value or "test_cases" in value)


def read_rasa(path: str | Path, *, domain: str | Path | None = None) -> Suite:
    """Read test stories; texts of `utter_` actions come from the domain file, where there is one beside or above."""
    place = Path(path)
    files = sorted(p for p in place.rglob("*.y*ml") if is_rasa_stories(p)) if place.is_dir() else [place]
    if not files:
        raise FileError("there are no Rasa stories here", where=str(path), remedy="give a file with `stories:`")
    responses = _responses(Path(domain) if domain else _find_domain(files[0]))
    reader = _Reader(responses)
    scenarios = [scenario for file in files for scenario in reader.scenarios(read_yaml(file))]
    if not scenarios:
        raise DataError(
            "these stories say nothing: no step has a `user` text",
            where=str(path),
            remedy="give test stories, not stories of training",
        )
    return Suite(
        place.stem,
        tuple(_numbered(scenarios)),
        fallback=FallbackRule(intents=FALLBACKS),
        source=str(path),
        notes=tuple(reader.notes(bool(responses))),
    )


def _find_domain(file: Path) -> Path | None:
    for folder in (file.parent, *file.parents[1:3]):
        if (folder / "domain.yml").is_file():
            return folder / "domain.yml"
    return None


def _responses(domain: Path | None) -> dict[str, tuple[str, ...]]:
    """Return the texts of each `utter_` action; values that Rasa puts in become wildcards."""
    if domain is None:
        return {}
    content = as_mapping(read_yaml(domain).value)
    return {
        name: tuple(
            _VARIABLE.sub("*", str(text))
            for variant in as_list(variants)
            if (text := as_mapping(variant).get("text")) is not None
        )
        for name, variants in as_mapping(content.get("responses")).items()
    }


@dataclass
class _Draft:
    """A turn while its story is read."""

    turn: Turn
    patterns: list[tuple[Pattern, ...]] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    slots_after: dict[str, str] = field(default_factory=dict)
    kept: list[object] = field(default_factory=list)

    def finished(self) -> Turn:
        expect = self.turn.expect
        single = self.patterns[0] if len(self.patterns) == 1 else ()
        several = tuple(one[0] for one in self.patterns) if len(self.patterns) > 1 else ()
        # Loops are seen inside Rasa only; they do not make a turn unchecked.
        extras = {"x-rasa": self.kept} if self.kept else {}
        action = self.actions[0] if self.actions else None
        done = replace(expect, any=single, all=several, action=action, slots_after=self.slots_after)
        return replace(self.turn, expect=done, extras=extras)


class _Reader:
    """Turns stories into scenarios; remembers what could not be said or told from outside."""

    def __init__(self, responses: Mapping[str, tuple[str, ...]]) -> None:
        self.responses = responses
        self.textless: list[int] = []
        self.silent: set[str] = set()

    def scenarios(self, file: YamlFile) -> Iterator[Scenario]:
        content = as_mapping(file.value)
        for key, title in (("stories", "story"), ("test_cases", "test_case")):
            for place, story in enumerate(as_list(content.get(key))):
                yield from self._stories(as_mapping(story), title, file, (key, place))

    def _stories(
        self, story: Mapping[str, Value], title: str, file: YamlFile, steps: tuple[str | int, ...]
    ) -> Iterator[Scenario]:
        name = str(story.get(title, f"line {file.line(*steps)}"))
        written = [as_mapping(step) for step in as_list(story.get("steps"))]
        for variant in _variants(written):
            drafts = self._drafts(variant, file, steps)
            turns = tuple(draft.finished() for draft in drafts)
            if turns:
                level = "basic" if len(turns) <= 3 else "medium" if len(turns) <= 6 else "complex"
                yield Scenario(_id(name), level, turns, title=name, domain="imported", line=file.line(*steps))

    def _drafts(
        self, steps: Sequence[Mapping[str, Value]], file: YamlFile, where: tuple[str | int, ...]
    ) -> list[_Draft]:
        drafts: list[_Draft] = []
        for step in steps:
            if "user" in step:
                drafts.append(self._asked(step, file, where))
            elif "intent" in step:
                self.textless.append(file.line(*where))
            elif drafts:
                self._answered(drafts[-1], step)
        return drafts

    def _asked(self, step: Mapping[str, Value], file: YamlFile, where: tuple[str | int, ...]) -> _Draft:
        text, slots, roles = plain_message(str(step["user"]).strip())
        intent = str(step.get("intent", "")).removeprefix("/")
        fallback = intent in FALLBACKS
        intents = (intent,) if intent and not fallback else ()
        expect = Expectation(counted=bool(intent or slots), fallback=fallback, intents=intents, slots=slots)
        return _Draft(Turn(text, expect, line=file.line(*where)), kept=list(roles))

    def _answered(self, draft: _Draft, step: Mapping[str, Value]) -> None:
        if "bot" in step:
            draft.patterns.append((Pattern(str(step["bot"]).strip(), Match.EXACT),))
            draft.turn = replace(draft.turn, expect=replace(draft.turn.expect, counted=True))
        for key in ("action", "utter"):
            if key in step:
                self._acted(draft, str(step[key]))
        for slot in as_list(step.get("slot_was_set")):
            draft.slots_after |= {name: str(value) for name, value in as_mapping(slot).items()}
        draft.kept += [{key: step[key]} for key in ("active_loop", "checkpoint") if key in step]

    def _acted(self, draft: _Draft, action: str) -> None:
        draft.actions.append(action)
        if action in FALLBACKS:
            draft.turn = replace(
                draft.turn, expect=replace(draft.turn.expect, fallback=True, counted=True, intents=())
            )
        elif self.responses.get(action):
            texts = self.responses[action]
            draft.patterns.append(tuple(Pattern(t, Match.WILDCARD if "*" in t else Match.CONTAINS) for t in texts))
        else:
            self.silent.add(action)

    def notes(self, has_domain: bool) -> Iterator[str]:
        if self.silent:
            why = "the domain file gives no text for them" if has_domain else "no domain file was found"
            shown = ", ".join(sorted(self.silent)[:10])
            yield f"what these actions say is not checked, because {why}: {shown}"
        if self.textless:
            lines = ", ".join(str(line) for line in sorted(set(self.textless))[:10])
            yield f"{len(self.textless)} steps have an intent but no text and cannot be said: stories of line {lines}"


def plain_message(text: str) -> tuple[str, dict[str, str], list[object]]:
    """Return a message without marks, the slots that were marked in it, and roles and groups aside."""
    slots: dict[str, str] = {}
    aside: list[object] = []

    def bare(found: re.Match[str]) -> str:
        facts = {"entity": found["name"]} if found["name"] else _facts(found["json"])
        if name := facts.pop("entity", None):
            slots[str(name)] = str(facts.pop("value", found["text"]))
            if facts:
                aside.append({str(name): facts})
        return found["text"]

    return _ENTITY.sub(bare, text), slots, aside


def _facts(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _variants(steps: Sequence[Mapping[str, Value]]) -> Iterator[list[Mapping[str, Value]]]:
    """Return one story for each choice of its `or` steps."""
    choices: list[Iterable[Mapping[str, Value]]] = [
        [as_mapping(one) for one in as_list(step["or"])] if "or" in step else [step] for step in steps
    ]
    for chosen in product(*choices):
        yield list(chosen)


def _id(name: str) -> str:
    return "-".join("".join(char if char.isalnum() else " " for char in name).split()).lower() or "story"


def _numbered(scenarios: Iterable[Scenario]) -> Iterator[Scenario]:
    seen: dict[str, int] = {}
    for scenario in scenarios:
        seen[scenario.id] = seen.get(scenario.id, 0) + 1
        n = seen[scenario.id]
        yield scenario if n == 1 else replace(scenario, id=f"{scenario.id}-{n}")
