"""Rasa test stories as a suite: messages with their intent, entities as slots, actions as replies of the domain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from vivavoce.conversations.scenario import Expectation, FallbackRule, Match, Pattern, Scenario, Suite, Turn
from vivavoce.conversations.scenarios.formats.imported import (
    DOMAIN,
    Choice,
    expect_bubbles,
    level_of,
    name_as_id,
    numbered,
)
from vivavoce.conversations.scenarios.formats.rasa_parts import (
    ASSERTIONS,
    Asserted,
    Responses,
    find_domain,
    mark_message,
    plain_message,
    read_assertions,
    read_responses,
)
from vivavoce.errors import DataError, FileError, plural
from vivavoce.files.yamls import Value, YamlFile, as_list, as_mapping, read_yaml

FALLBACK = "nlu_fallback"
FALLBACK_ACTION = "action_default_fallback"
FALLBACKS = (FALLBACK, FALLBACK_ACTION)
KEPT = "x-rasa"
STORIES = (("stories", "story"), ("test_cases", "test_case"))
SHOWN = 10
_NOTHING = ("null", "~", "")
_HEAD = ("steps", "fixtures", "story", "test_case")
# What a step may be about.
STEP_KEYS = frozenset(
    {"user", "intent", "entities", "bot", "action", "utter", "slot_was_set", "slot_was_not_set", "or", "name"}
)
# What may stand in a step of its own, or beside `user`.
BOT_KEYS = frozenset({"bot", "utter"})

Step = Mapping[str, Value]


class Placed(NamedTuple):
    """A step of a story, the line where it stands, and those of its assertions."""

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
        raise FileError("there are no Rasa stories here", where=str(path), remedy="give a file with `stories:`")
    found = Path(domain) if domain else find_domain(files[0])
    reading = _Reading(read_responses(found) if found else None)
    scenarios = [scenario for file in files for scenario in reading.scenarios(read_yaml(file))]
    if not scenarios:
        raise DataError(
            "these stories say nothing: no step has a `user` text",
            where=str(path),
            remedy="give test stories, not stories of training",
        )
    return Suite(
        place.resolve().stem,
        tuple(numbered(scenarios)),
        fallback=FallbackRule(intents=FALLBACKS),
        source=str(path),
        notes=tuple(reading.notes(scenarios)),
        extras={KEPT: reading.silent_stories} if reading.silent_stories else {},
    )


def read_story(file: YamlFile) -> Turn:
    """Read the steps of one message and what follows it, without a domain."""
    _, drafts = _Reading(None).drafts([Placed(as_mapping(step), 1) for step in as_list(file.value)], {})
    return drafts[0].finished()


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

    def finished(self) -> Turn:
        free, needed = expect_bubbles(self.bubbles)
        found = replace(
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
            expect=replace(found, counted=found != Expectation()),
            extras={KEPT: self.kept} if self.kept else {},
        )


@dataclass
class _Reading:
    """Turns stories into scenarios; remembers what could not be said or told from outside."""

    responses: Responses | None
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
            name: _pairs(values)[0]
            for one in as_list(content.get("fixtures"))
            for name, values in as_mapping(one).items()
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
        setup = {
            slot: value
            for one in as_list(story.get("fixtures"))
            for slot, value in fixtures.get(str(one), {}).items()
        }
        extras = [{key: value} for key, value in story.items() if key not in _HEAD]
        extras += [{"fixtures": one} for one in as_list(story.get("fixtures")) if str(one) not in fixtures]
        steps = [_placed(step, file, (*at, "steps", n)) for n, step in enumerate(as_list(story.get("steps")))]
        choices = list(_variants(steps))
        self.variants += len(choices) - 1
        for variant in choices:
            before, drafts = self.drafts(variant, dict(setup))
            turns = tuple(draft.finished() for draft in drafts)
            kept = [*extras, *before.kept]
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
                extras={KEPT: kept} if kept else {},
            )

    def drafts(self, steps: Sequence[Placed], setup: dict[str, str]) -> tuple[_Draft, list[_Draft]]:
        """Return what stands before the first message, and the turns."""
        before = _Draft(Turn(""), slots_after=setup)
        drafts: list[_Draft] = []
        for step, line, assertions in steps:
            draft = drafts[-1] if drafts else before
            if "user" in step:
                drafts.append(_asked(step, line))
                self._answered(drafts[-1], {key: step[key] for key in step if key in BOT_KEYS}, drafts)
            elif "intent" in step:
                # What follows belongs to a message that nobody can say.
                self.textless += 1
                draft.closed = True
                draft.kept.append(dict(step))
            elif draft.closed:
                draft.kept.append(dict(step))
            else:
                self._answered(draft, step, drafts)
            if ASSERTIONS in step and drafts:
                self._assert(drafts[-1], read_assertions(step[ASSERTIONS], assertions))
            elif ASSERTIONS in step:
                # There is no message yet of which anything could be expected.
                for assertion, place in zip(as_list(step[ASSERTIONS]), assertions, strict=True):
                    for name, value in as_mapping(assertion).items():
                        self._leave(before, name, value, place)
        return before, drafts

    def _assert(self, draft: _Draft, asserted: Asserted) -> None:
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
        draft.bubbles += [(pattern,) for pattern in asserted.said]
        draft.none += asserted.unsaid
        draft.slots_after |= asserted.slots
        for action in asserted.actions:
            self._acted(draft, action, asked=True)
        for action in asserted.unsaid_actions:
            texts = (self.responses or {}).get(action, ())
            draft.none += [Pattern(text) for text in texts]
            if not texts:
                self._leave(draft, "bot_did_not_utter", {"utter_name": action}, draft.turn.line)
        if asserted.flows and expect.intents:
            self._leave(draft, "flow_started", list(asserted.flows), draft.turn.line)
        for name, value, line in asserted.rest:
            self._leave(draft, name, value, line)

    def _leave(self, draft: _Draft, name: str, value: Value, line: int | None) -> None:
        draft.kept.append({ASSERTIONS: [{name: value}]})
        self.unmapped.setdefault(name, []).append(f"{self.source}, line {line}")

    def _answered(self, draft: _Draft, step: Step, drafts: Sequence[_Draft]) -> None:
        if "bot" in step:
            text = str(step["bot"]).strip()
            if drafts:
                draft.bubbles.append((Pattern(text, Match.EXACT),))
            else:
                draft.kept.append({"bot": text})
        for key in ("action", "utter"):
            if key in step:
                self._acted(draft, str(step[key]), asked=bool(drafts))
        given, unset = _pairs(step.get("slot_was_set"))
        # After the turn the last value holds; one that was set on the way is kept.
        passing = {name: old for name, old in draft.slots_after.items() if given.get(name, old) != old}
        draft.kept += [{"slot_was_set": [{name: old or "null"}]} for name, old in passing.items()]
        draft.slots_after |= given
        draft.kept += [{"slot_was_set": name} for name in unset]
        refused, empty = _pairs(step.get("slot_was_not_set"))
        draft.slots_after |= dict.fromkeys(empty, "")
        draft.kept += [{"slot_was_not_set": {name: value}} for name, value in refused.items()]
        draft.kept += [{key: value} for key, value in step.items() if key not in STEP_KEYS | {ASSERTIONS}]

    def _acted(self, draft: _Draft, action: str, *, asked: bool) -> None:
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
            why = "no domain was found" if self.responses is None else "the domain gives no text for them"
            shown = ", ".join(sorted(self.unseen)[:SHOWN]) + (", ..." if len(self.unseen) > SHOWN else "")
            yield f"what {plural(len(self.unseen), 'action')} say is not checked, because {why}: {shown}"
        if self.textless:
            yield f"{plural(self.textless, 'step')} with an intent but no text cannot be said: kept under `{KEPT}`"
        if self.more_actions:
            more = plural(self.more_actions, "more action")
            yield f"a turn expects one action that is not seen by its text; {more} kept under `{KEPT}`"
        if self.variants:
            yield f"`or` made {plural(self.variants, 'more scenario')}"
        if self.silent_stories:
            n = len(self.silent_stories)
            yield f"{n} {'story' if n == 1 else 'stories'} without any text that can be said: kept under `{KEPT}`"
        for name, places in sorted(self.unmapped.items()):
            more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
            yield f"assertion `{name}` is not checked, kept under `{KEPT}`: {'; '.join(places[:SHOWN])}{more}"
        yield from self._keys_kept(scenarios)

    def _keys_kept(self, scenarios: Sequence[Scenario]) -> Iterator[str]:
        counts: dict[str, int] = {}
        holders = [one for scenario in scenarios for one in (scenario, *scenario.turns)]
        for holder in holders:
            kept = holder.extras.get(KEPT) if isinstance(holder, Scenario | Turn) else None
            for step in kept if isinstance(kept, list) else ():
                for key in step if set(step) & {"active_loop", "checkpoint"} else ():
                    counts[key] = counts.get(key, 0) + 1
        if counts:
            told = ", ".join(f"{count} `{key}`" for key, count in sorted(counts.items()))
            yield f"not seen from outside, kept under `{KEPT}`: {told}"


def _asked(step: Step, line: int) -> _Draft:
    marked = str(step["user"]).strip()
    text, slots, aside = plain_message(marked)
    if mark_message(text, slots) != marked:
        aside.append({"user": marked})
    for one in as_list(step.get("entities")):
        given, _ = _pairs(one)
        slots = {**{name: value for name, value in given.items() if name not in ("role", "group")}, **slots}
        aside += [dict(as_mapping(one))] if {"role", "group"} & set(given) else []
    intent = str(step.get("intent", "")).strip().removeprefix("/")
    fallback = intent in FALLBACKS
    expect = Expectation(fallback=fallback, intents=() if fallback or not intent else (intent,), slots=slots)
    aside += [{key: value} for key, value in step.items() if key not in STEP_KEYS | {ASSERTIONS}]
    return _Draft(Turn(text, expect, line=line), kept=aside)


def _pairs(value: Value | None) -> tuple[dict[str, str], list[str]]:
    """Return slots with their values (nothing where it was null), and those that are named alone."""
    given: dict[str, str] = {}
    named: list[str] = []
    for one in as_list(value):
        if isinstance(one, dict):
            given |= {name: "" if str(item) in _NOTHING else str(item) for name, item in one.items()}
        else:
            named.append(str(one))
    return given, named


def _placed(step: Value, file: YamlFile, at: tuple[str | int, ...]) -> Placed:
    listed = as_list(as_mapping(step).get(ASSERTIONS))
    lines = tuple(file.line(*at, ASSERTIONS, number) for number in range(len(listed)))
    return Placed(as_mapping(step), file.line(*at), lines)


def _variants(steps: Sequence[Placed]) -> Iterator[list[Placed]]:
    """Return one story for each choice of its `or` steps."""
    choices: list[Iterable[Placed]] = [
        [Placed(as_mapping(one), placed.line) for one in as_list(placed.step["or"])]
        if "or" in placed.step
        else [placed]
        for placed in steps
    ]
    for chosen in product(*choices):
        yield list(chosen)
