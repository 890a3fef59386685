"""Rasa test stories as a suite: messages with their intent, entities as slots, actions as replies of the domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from vivavoce.conversations.scenario import Expectation, FallbackRule, Match, Pattern, Scenario, Suite, Turn
from vivavoce.conversations.scenarios.formats import rasa_parts
from vivavoce.conversations.scenarios.formats.imported import (
    DOMAIN,
    Choice,
    expect_bubbles,
    level_of,
    name_as_id,
    number_scenarios,
)
from vivavoce.errors import DataError, FileError, plural
from vivavoce.files.yamls import Value, YamlFile, as_list, as_mapping, read_yaml

FALLBACK = "nlu_fallback"
FALLBACK_ACTION = "action_default_fallback"
FALLBACKS = (FALLBACK, FALLBACK_ACTION)
KEPT = "x-rasa"
STORIES = (("stories", "story"), ("test_cases", "test_case"))
SHOWN = 10
_HEAD = ("steps", "fixtures", "story", "test_case")
# What a step may be about.
STEP_KEYS = frozenset(
    {"user", "intent", "entities", "bot", "action", "utter", "slot_was_set", "slot_was_not_set", "or", "name"}
)
# What may be a separate step, or come beside `user`.
BOT_KEYS = frozenset({"bot", "utter"})

Step = Mapping[str, Value]


class Placed(NamedTuple):
    """A step of a story, its line, and those of its assertions."""

    step: Step
    line: int
    assertions: tuple[int, ...] = ()


def holds_stories(file: YamlFile) -> bool:
    """Tell whether a YAML file holds Rasa stories."""
    keys = set(as_mapping(file.value))
    return bool(keys & {key for key, _ in STORIES}) and "scenarios" not in keys


def read_rasa(path: str | Path, *, domain: str | Path | None = None) -> Suite:
    """Read test stories; texts of `utter_` actions come from the domain (a file or a folder) beside or above."""
    place = Path(path)
    files = sorted(p for p in place.rglob("*.y*ml") if holds_stories(read_yaml(p))) if place.is_dir() else [place]
    if not files:
        raise FileError("no Rasa stories found", where=str(path), remedy="use a file with `stories:`")
    responses = Path(domain) if domain else rasa_parts.find_domain(files[0])
    reading = _Reading(rasa_parts.read_responses(responses) if responses else None)
    scenarios = [scenario for file in files for scenario in reading.scenarios(read_yaml(file))]
    if not scenarios:
        raise DataError(
            "these stories send no messages: no step has a `user` text",
            where=str(path),
            remedy="use test stories, not training stories",
        )
    return Suite(
        place.resolve().stem,
        tuple(number_scenarios(scenarios)),
        fallback=FallbackRule(intents=FALLBACKS),
        source=str(path),
        notes=tuple(reading.notes(scenarios)),
        extras={KEPT: reading.silent_stories} if reading.silent_stories else {},
    )


def read_story(file: YamlFile) -> Turn:
    """Read the steps of one message and what follows it, without a domain."""
    _, drafts = _Reading(None).drafts([Placed(as_mapping(step), 1) for step in as_list(file.value)], {})
    return drafts[0].finish()


@dataclass
class _Draft:
    """A turn while its story is read. `kept`: steps that cannot be seen from outside, in their order."""

    turn: Turn
    bubbles: list[Choice] = field(default_factory=list)
    action: str | None = None
    slots_after: dict[str, str] = field(default_factory=dict)
    none: list[Pattern] = field(default_factory=list)
    kept: list[object] = field(default_factory=list)
    closed: bool = False

    def finish(self) -> Turn:
        free, needed = expect_bubbles(self.bubbles)
        expect = replace(
            self.turn.expect,
            any=free,
            all=needed,
            none=tuple(self.none),
            action=self.action,
            slots_after=self.slots_after,
            counted=True,
        )
        # Under the turn, not its expectation: what is seen inside Rasa only does not make a turn unchecked.
        return replace(
            self.turn,
            expect=replace(expect, counted=expect != Expectation()),
            extras={KEPT: self.kept} if self.kept else {},
        )


@dataclass
class _Reading:
    """Turns stories into scenarios; remembers what could not be said or told from outside."""

    responses: rasa_parts.Responses | None
    textless: int = 0
    more_actions: int = 0
    variants: int = 0
    unseen: set[str] = field(default_factory=set)
    silent_stories: list[object] = field(default_factory=list)
    unmapped: dict[str, list[str]] = field(default_factory=dict)
    source: str = ""

    def scenarios(self, file: YamlFile) -> Iterator[Scenario]:
        content = as_mapping(file.value)
        self.source = Path(file.path).name
        fixtures = {
            name: _read_pairs(values)[0]
            for fixture in as_list(content.get("fixtures"))
            for name, values in as_mapping(fixture).items()
        }
        for key, title in STORIES:
            for place, story in enumerate(as_list(content.get(key))):
                yield from self._stories(as_mapping(story), title, file, (key, place), fixtures)

    def _stories(
        self,
        story: Step,
        title: str,
        file: YamlFile,
        at: tuple[str | int, ...],
        fixtures: Mapping[str, Mapping[str, str]],
    ) -> Iterator[Scenario]:
        line = file.line(*at)
        name = str(story.get(title) or f"line {line}")
        setup: dict[str, str] = {}
        extras = [{key: value} for key, value in story.items() if key not in _HEAD]
        for fixture in as_list(story.get("fixtures")):
            setup |= fixtures.get(str(fixture), {})
            extras += [] if str(fixture) in fixtures else [{"fixtures": fixture}]
        # One story for each choice of its `or` steps.
        choices: list[list[Placed]] = []
        for n, item in enumerate(as_list(story.get("steps"))):
            step, place = as_mapping(item), (*at, "steps", n)
            count = len(as_list(step.get(rasa_parts.ASSERTIONS)))
            lines = tuple(file.line(*place, rasa_parts.ASSERTIONS, number) for number in range(count))
            if "or" in step:
                choices.append([Placed(as_mapping(choice), file.line(*place)) for choice in as_list(step["or"])])
            else:
                choices.append([Placed(step, file.line(*place), lines)])
        variants = list(product(*choices))
        self.variants += len(variants) - 1
        for variant in variants:
            before, drafts = self.drafts(variant, dict(setup))
            turns = tuple(draft.finish() for draft in drafts)
            rest = [*extras, *before.kept]
            if not turns:
                self.silent_stories.append(dict(story))
                continue
            yield Scenario(
                name_as_id(name, "story"),
                level_of(len(turns)),
                turns,
                title=name,
                domain=DOMAIN,
                setup_slots=before.slots_after,
                line=line,
                extras={KEPT: rest} if rest else {},
            )

    def drafts(self, steps: Sequence[Placed], setup: dict[str, str]) -> tuple[_Draft, list[_Draft]]:
        """Return what comes before the first message, and the turns."""
        before = _Draft(Turn(""), slots_after=setup)
        drafts: list[_Draft] = []
        for step, line, assertions in steps:
            draft = drafts[-1] if drafts else before
            if "user" in step:
                drafts.append(_draft_message(step, line))
                self._add_answer(drafts[-1], {key: step[key] for key in step if key in BOT_KEYS}, drafts)
            elif "intent" in step:
                # What follows belongs to a message that nobody can say.
                self.textless += 1
                draft.closed = True
                draft.kept.append(dict(step))
            elif draft.closed:
                draft.kept.append(dict(step))
            else:
                self._add_answer(draft, step, drafts)
            if rasa_parts.ASSERTIONS in step and drafts:
                self._assert(drafts[-1], rasa_parts.read_assertions(step[rasa_parts.ASSERTIONS], assertions))
            elif rasa_parts.ASSERTIONS in step:
                # There is no message yet of which anything could be expected.
                for assertion, place in zip(as_list(step[rasa_parts.ASSERTIONS]), assertions, strict=True):
                    for name, value in as_mapping(assertion).items():
                        self._leave(before, name, value, place)
        return before, drafts

    def _assert(self, draft: _Draft, asserted: rasa_parts.Asserted) -> None:
        """Expect of a message what its assertions say; those without a place are kept and noted."""
        expect = draft.turn.expect
        draft.turn = replace(
            draft.turn,
            expect=replace(
                expect,
                fallback=expect.fallback or asserted.fallback,
                intents=() if asserted.fallback else expect.intents or asserted.flows,
                buttons=(*expect.buttons, *asserted.buttons),
                slot_names=(*expect.slot_names, *asserted.slot_names),
            ),
        )
        draft.bubbles += [(pattern,) for pattern in asserted.texts]
        draft.none += asserted.forbidden
        draft.slots_after |= asserted.slots
        for action in asserted.actions:
            self._add_action(draft, action, asked=True)
        for action in asserted.forbidden_actions:
            texts = (self.responses or {}).get(action, ())
            draft.none += [Pattern(text) for text in texts]
            if not texts:
                self._leave(draft, "bot_did_not_utter", {"utter_name": action}, draft.turn.line)
        if asserted.flows and expect.intents:
            self._leave(draft, "flow_started", list(asserted.flows), draft.turn.line)
        for name, value, line in asserted.rest:
            self._leave(draft, name, value, line)

    def _leave(self, draft: _Draft, name: str, value: Value, line: int | None) -> None:
        draft.kept.append({rasa_parts.ASSERTIONS: [{name: value}]})
        self.unmapped.setdefault(name, []).append(f"{self.source}, line {line}")

    def _add_answer(self, draft: _Draft, step: Step, drafts: Sequence[_Draft]) -> None:
        if "bot" in step:
            text = str(step["bot"]).strip()
            if drafts:
                draft.bubbles.append((Pattern(text, Match.EXACT),))
            else:
                draft.kept.append({"bot": text})
        for key in ("action", "utter"):
            if key in step:
                self._add_action(draft, str(step[key]), asked=bool(drafts))
        given, unset = _read_pairs(step.get("slot_was_set"))
        # After the turn the last value holds; one that was set on the way is kept.
        passing = {name: old for name, old in draft.slots_after.items() if given.get(name, old) != old}
        draft.kept += [{"slot_was_set": [{name: old or "null"}]} for name, old in passing.items()]
        draft.slots_after |= given
        draft.kept += [{"slot_was_set": name} for name in unset]
        refused, empty = _read_pairs(step.get("slot_was_not_set"))
        draft.slots_after |= dict.fromkeys(empty, "")
        draft.kept += [{"slot_was_not_set": {name: value}} for name, value in refused.items()]
        draft.kept += [{key: value} for key, value in step.items() if key not in STEP_KEYS | {rasa_parts.ASSERTIONS}]

    def _add_action(self, draft: _Draft, action: str, *, asked: bool) -> None:
        if action == FALLBACK_ACTION:
            draft.turn = replace(draft.turn, expect=replace(draft.turn.expect, fallback=True, intents=()))
            return
        texts = (self.responses or {}).get(action)
        if texts and asked:
            # From outside an action is seen by what it says: its name is kept for the way back.
            draft.bubbles.append(tuple(Pattern(text) for text in texts))
            draft.kept.append({"action": action})
            return
        self.unseen.add(action)
        if asked and draft.action is None:
            draft.action = action
        else:
            self.more_actions += 1
            draft.kept.append({"action": action})

    def notes(self, scenarios: Sequence[Scenario]) -> Iterator[str]:
        if self.unseen:
            why = "no domain file was found" if self.responses is None else "the domain has no text for them"
            names = ", ".join(sorted(self.unseen)[:SHOWN]) + (", ..." if len(self.unseen) > SHOWN else "")
            yield (f"the replies of {plural(len(self.unseen), 'action')} are not checked because {why}: {names}")
        if self.textless:
            yield (f"{plural(self.textless, 'step')} with an intent but no text cannot be sent: kept under `{KEPT}`")
        if self.more_actions:
            more = plural(self.more_actions, "more action")
            yield f"a turn can expect one action without a known text; {more} kept under `{KEPT}`"
        if self.variants:
            yield f"`or` added {plural(self.variants, 'more scenario')}"
        if self.silent_stories:
            n = len(self.silent_stories)
            yield (f"{n} {'story' if n == 1 else 'stories'} without any text to send: kept under `{KEPT}`")
        for name, places in sorted(self.unmapped.items()):
            more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
            yield f"assertion `{name}` is not checked, kept under `{KEPT}`: {'; '.join(places[:SHOWN])}{more}"
        holders = [holder for scenario in scenarios for holder in (scenario, *scenario.turns)]
        extras = [holder.extras.get(KEPT) for holder in holders if isinstance(holder, Scenario | Turn)]
        rest = [step for steps in extras if isinstance(steps, list) for step in steps]
        counts = Counter(key for step in rest if set(step) & {"active_loop", "checkpoint"} for key in step)
        if counts:
            listed = ", ".join(f"{count} `{key}`" for key, count in sorted(counts.items()))
            yield f"not visible from outside, kept under `{KEPT}`: {listed}"


def _draft_message(step: Step, line: int) -> _Draft:
    marked = str(step["user"]).strip()
    text, slots, aside = rasa_parts.plain_message(marked)
    if rasa_parts.mark_message(text, slots) != marked:
        aside.append({"user": marked})
    for entity in as_list(step.get("entities")):
        values, _ = _read_pairs(entity)
        slots = {**{name: value for name, value in values.items() if name not in ("role", "group")}, **slots}
        aside += [dict(as_mapping(entity))] if {"role", "group"} & set(values) else []
    intent = str(step.get("intent", "")).strip().removeprefix("/")
    fallback = intent in FALLBACKS
    expect = Expectation(fallback=fallback, intents=() if fallback or not intent else (intent,), slots=slots)
    aside += [{key: value} for key, value in step.items() if key not in STEP_KEYS | {rasa_parts.ASSERTIONS}]
    return _Draft(Turn(text, expect, line=line), kept=aside)


def _read_pairs(value: Value | None) -> tuple[dict[str, str], list[str]]:
    """Return slots with their values (nothing where it was null), and those that are named alone."""
    values: dict[str, str] = {}
    names: list[str] = []
    for entry in as_list(value):
        if isinstance(entry, dict):
            values |= {name: "" if str(item) in rasa_parts.NOTHING else str(item) for name, item in entry.items()}
        else:
            names.append(str(entry))
    return values, names
