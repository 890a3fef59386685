"""A scenario in the words of its editor, and back.

A form shows a part of what a scenario can say. What it does not show (expressions, values to be saved, included
parts, keys of others) is kept beside it and goes back untouched: `scenario_of(draft_of(scenario)) == scenario`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.conversations.scenario import Expectation, Include, Kind, Pattern, Scenario, Step, Turn
from vivavoce.conversations.scenarios.formats.yaml_fields import Place
from vivavoce.conversations.scenarios.formats.yaml_reading import read_scenario, read_step
from vivavoce.conversations.scenarios.formats.yaml_writing import scenario_head, scenario_value, step_value
from vivavoce.errors import Fault, UsageError
from vivavoce.files.yamls import YamlFile, as_texts
from vivavoce.messages import say
from vivavoce.workspace.scenarios.suites import without_lines

NOTHING = Expectation(counted=False)
EMPTY = Expectation()
MAX_KEPT = 1_000_000
_BREAKS = re.compile(r"[\r\n]+")


@dataclass(frozen=True)
class DraftTurn:
    """One turn as it stands in the form. `kept`: the step it was made of, with all that the form does not show.

    `misspelt`: the misspelt version to be added; `answer`: a reply to be held against what is expected.
    """

    kept: Step | None = None
    said: str = ""
    topics: tuple[str, ...] = ()
    fallback: bool = False
    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    slots: tuple[tuple[str, str], ...] = ()
    typo: bool = False
    note: str = ""
    misspelt: str = ""
    answer: str = ""

    @property
    def part(self) -> str:
        """The part whose turns are put in here; empty for a turn of the scenario's own."""
        return self.kept.part if isinstance(self.kept, Include) else ""

    @property
    def typed(self) -> bool:
        """Whether the message can be edited: it is no click and no phrase of a list."""
        return not isinstance(self.kept, Turn) or isinstance(self.kept.user, str)

    @property
    def same(self) -> bool:
        """Whether the turn expects what its clean twin expects."""
        return isinstance(self.kept, Turn) and self.kept.expect.same


@dataclass(frozen=True)
class Draft:
    """A scenario as it stands in the form. `kept`: what the form does not show of it; its turns are not looked at."""

    name: str = ""
    title: str = ""
    domain: str = ""
    level: str = "basic"
    tags: tuple[str, ...] = ()
    note: str = ""
    turns: tuple[DraftTurn, ...] = (DraftTurn(),)
    kept: Scenario | None = None


def draft_of(scenario: Scenario) -> Draft:
    """Return a scenario as its editor sees it."""
    return Draft(
        name=scenario.id,
        title=_line(scenario.title),
        domain=_line(scenario.domain),
        level=scenario.level,
        tags=_shown_words(scenario.tags),
        note=_tidy(scenario.note),
        turns=tuple(draft_turn(step) for step in scenario.turns),
        kept=replace(scenario, turns=()),
    )


def draft_turn(step: Step) -> DraftTurn:
    """Return a turn as its editor sees it."""
    if isinstance(step, Include):
        return DraftTurn(step)
    expect = step.expect
    return DraftTurn(
        kept=step,
        said=_tidy(step.user) if isinstance(step.user, str) else "",
        topics=_shown_words(expect.intents),
        fallback=expect.fallback,
        any=_shown_texts(expect.any),
        all=_shown_texts(expect.all),
        none=_shown_texts(expect.none),
        accepted=_shown_words(expect.accepted),
        slots=tuple(pair for pair in expect.slots.items() if _is_open_pair(pair)),
        typo=step.kind is Kind.TYPO,
        note=_tidy(step.note),
    )


def scenario_of(draft: Draft) -> Scenario:
    """Return the scenario that a draft says; what the form does not show stays as it was."""
    original = draft.kept or Scenario("", "", ())
    return replace(
        original,
        id=draft.name,
        level=draft.level,
        title=_unless_same(draft.title, original.title, _line),
        domain=_unless_same(draft.domain, original.domain, _line),
        tags=original.tags if draft.tags == _shown_words(original.tags) else draft.tags,
        note=_unless_same(draft.note, original.note, _tidy),
        turns=tuple(step_of(turn) for turn in draft.turns),
    )


def step_of(draft: DraftTurn) -> Step:
    """Return the turn that a draft says."""
    if isinstance(draft.kept, Include):
        return draft.kept
    original = draft.kept or Turn("")
    return replace(
        original,
        user=_unless_same(draft.said, original.user, _tidy) if isinstance(original.user, str) else original.user,
        expect=original.expect if original.expect.same else _expect(draft, original.expect),
        kind=Kind.TYPO if draft.typo else Kind.CLEAN if original.kind is Kind.TYPO else original.kind,
        note=_unless_same(draft.note, original.note, _tidy),
    )


def _expect(draft: DraftTurn, original: Expectation) -> Expectation:
    slots = {name: value for name, value in original.slots.items() if not _is_open_pair((name, value))}
    expect = replace(
        original,
        intents=original.intents if draft.topics == _shown_words(original.intents) else draft.topics,
        fallback=draft.fallback,
        slots=original.slots if {**slots, **dict(draft.slots)} == original.slots else {**dict(draft.slots), **slots},
        any=_merge_patterns(draft.any, original.any),
        all=_merge_patterns(draft.all, original.all),
        none=_merge_patterns(draft.none, original.none),
        accepted=original.accepted if draft.accepted == _shown_words(original.accepted) else draft.accepted,
    )
    if expect == original:
        return original
    if replace(expect, counted=True) == EMPTY:
        return NOTHING
    # Where nothing was expected, nothing was counted; now there is something to count.
    return replace(expect, counted=True) if original == NOTHING else expect


def _merge_patterns(texts: tuple[str, ...], original: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
    if texts == _shown_texts(original):
        return original
    return (*map(Pattern, texts), *(pattern for pattern in original if not is_open(pattern)))


def is_open(pattern: Pattern) -> bool:
    """Tell whether an expected text can be edited: plain words on one line."""
    plain = pattern.match is None and pattern.minimum is None
    return plain and pattern.text.strip() == pattern.text and len(pattern.text.splitlines()) == 1


def locked_parts(turn: DraftTurn) -> tuple[tuple[str, str], ...]:
    """Return what a turn holds beside the fields of the form, by its key: shown, not edited."""
    if not isinstance(turn.kept, Turn):
        return ()
    original = turn.kept
    rest = replace(
        original,
        user="" if isinstance(original.user, str) else original.user,
        note="",
        kind=Kind.CLEAN if original.kind is Kind.TYPO else original.kind,
        expect=NOTHING if original.expect.same else _leave_locked(original.expect),
    )
    value = step_value(rest)
    expect = value.pop("expect")
    parts = {key: item for key, item in value.items() if key != "user" or item != ""}
    if isinstance(expect, Mapping):
        parts |= {f"expect: {key}": item for key, item in expect.items()}
    if original.expect != NOTHING and not original.expect.counted:
        parts["expect: counted"] = False
    return tuple((key, _write(item)) for key, item in parts.items())


def locked_head(draft: Draft) -> tuple[tuple[str, str], ...]:
    """Return what a scenario holds beside its turns and the fields of the form."""
    if draft.kept is None:
        return ()
    fields = ("id", "title", "domain", "level", "tags", "note")
    return tuple((key, _write(item)) for key, item in scenario_head(draft.kept).items() if key not in fields)


def _leave_locked(expect: Expectation) -> Expectation:
    return replace(
        expect,
        intents=(),
        fallback=False,
        accepted=(),
        any=tuple(pattern for pattern in expect.any if not is_open(pattern)),
        all=tuple(pattern for pattern in expect.all if not is_open(pattern)),
        none=tuple(pattern for pattern in expect.none if not is_open(pattern)),
        slots={name: value for name, value in expect.slots.items() if not _is_open_pair((name, value))},
    )


def _write(item: object) -> str:
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)


def _is_open_pair(pair: tuple[str, str]) -> bool:
    name, value = pair
    return bool(name) and "=" not in name and name == _line(name) and value == _line(value)


def _shown_texts(patterns: Sequence[Pattern]) -> tuple[str, ...]:
    return tuple(pattern.text for pattern in patterns if is_open(pattern))


def _shown_words(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(_line(word) for word in words if _line(word))


def _unless_same(typed: str, original: str, tidied: Any) -> str:
    """Return what was typed, or what was there before where the form would show it alike."""
    return original if typed == tidied(original) else typed


def _line(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()


def _tidy(text: str) -> str:
    return "\n".join(text.splitlines()).strip()


def keep_step(step: Step | None) -> str:
    """Return a step as one line that a form can carry; nothing for a new turn."""
    return "" if step is None else json.dumps(step_value(step))


def keep_head(scenario: Scenario | None) -> str:
    """Return all of a scenario but its turns as one line."""
    return "" if scenario is None else json.dumps(scenario_head(scenario) | {"turns": []})


def keep_scenario(scenario: Scenario) -> str:
    """Return a whole scenario as one line."""
    return json.dumps(scenario_value(scenario))


def read_kept_step(text: str) -> Step | None:
    """Return the step that a form carried."""
    return None if not text else _read(text, read_step)


def read_kept_scenario(text: str) -> Scenario | None:
    """Return the scenario, or its head, that a form carried."""
    return None if not text else _read(text, read_scenario)


def _read(text: str, reader: Any) -> Any:
    changed, remedy = say("the form data was altered"), say("open the scenario again")
    try:
        value = as_texts(json.loads(text[:MAX_KEPT]))
    except (ValueError, RecursionError) as error:
        raise UsageError(changed, remedy=remedy) from error
    faults: list[Fault] = []
    part = reader(value, Place(YamlFile("form", value, {}), faults))
    if faults:
        raise UsageError(changed, faults=faults, remedy=remedy)
    if isinstance(part, Scenario):
        return without_lines(part)
    return replace(part, line=None) if isinstance(part, Turn) else part
