"""Two versions of a scenario that were made from the same one, put together turn by turn.

What only one of the two changed is taken as it is. What both changed, each in another way, is a question for a
person. Turns that were added are all taken: theirs first, then mine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from typing import Any

from vivavoce.conversations.scenario import Scenario, Step, Turn
from vivavoce.conversations.scenarios.formats.yaml_writing import step_value
from vivavoce.files.yamls import dump_yaml

THEIRS, MINE = "theirs", "mine"
# All of a scenario but its turns and its place in a file.
FIELDS = tuple(one.name for one in fields(Scenario) if one.name not in ("turns", "line"))


@dataclass(frozen=True)
class Conflict:
    """Something that both changed. `key` names it in a form; a turn that is None was deleted.

    `field`: the part of the scenario, empty for a turn; `number`: the turn as it was counted in the common version.
    """

    key: str
    base: Any
    theirs: Any
    mine: Any
    field: str = ""
    number: int = 0


@dataclass(frozen=True)
class _Slot:
    """A place in the merged scenario: what stands there, or the question about it."""

    step: Step | None = None
    conflict: Conflict | None = None


@dataclass(frozen=True)
class Merge:
    """Two versions put together as far as they agree."""

    theirs: Scenario
    head: Mapping[str, Any]
    slots: tuple[_Slot, ...]
    conflicts: tuple[Conflict, ...]

    def resolve(self, choose: Callable[[Conflict], str] = lambda _: MINE) -> Scenario:
        """Return the scenario with every question answered by `theirs` or `mine`."""
        chosen = {one.field: getattr(one, choose(one)) for one in self.conflicts if one.field}
        steps = [
            slot.step if slot.conflict is None else getattr(slot.conflict, choose(slot.conflict))
            for slot in self.slots
        ]
        return replace(
            self.theirs, **{**self.head, **chosen}, turns=tuple(step for step in steps if step is not None)
        )


def merge_scenarios(base: Scenario, theirs: Scenario, mine: Scenario) -> Merge:
    """Put two versions together that were both made from `base`."""
    head, questions = _merge_heads(base, theirs, mine)
    slots = tuple(_merge_turns(base.turns, theirs.turns, mine.turns))
    questions += [slot.conflict for slot in slots if slot.conflict is not None]
    return Merge(theirs, head, slots, tuple(questions))


# --- the head ----------------------------------------------------------------------------------------------------


def _merge_heads(base: Scenario, theirs: Scenario, mine: Scenario) -> tuple[dict[str, Any], list[Conflict]]:
    head: dict[str, Any] = {}
    questions: list[Conflict] = []
    for name in FIELDS:
        was, one, other = (getattr(version, name) for version in (base, theirs, mine))
        if one != was and other not in (was, one):
            questions.append(Conflict(f"field-{name}", was, one, other, field=name))
        head[name] = other if one == was else one
    return head, questions


# --- the turns ---------------------------------------------------------------------------------------------------


def pair_turns(base: Sequence[Step], other: Sequence[Step]) -> list[int | None]:
    """Return for each turn of a version the place of the turn that it was made from; None for a new one.

    The same words are the same turn, wherever it was moved; else the same id; else the same place between others.
    """
    keys, others = [_key(step) for step in base], [_key(step) for step in other]
    found: list[int | None] = [None] * len(other)
    blocks = SequenceMatcher(None, keys, others, autojunk=False).get_opcodes()
    for tag, i, _, j, m in blocks:
        if tag == "equal":
            found[j:m] = [i + place - j for place in range(j, m)]
    _pair_where(found, keys, others, lambda was, now: was == now)
    ids, new_ids = [_id(step) for step in base], [_id(step) for step in other]
    _pair_where(found, ids, new_ids, lambda was, now: bool(now) and was == now)
    for tag, i, k, j, m in blocks:
        if tag == "replace":
            _pair_in_order(found, range(i, k), range(j, m))
    return found


def _pair_where(
    found: list[int | None], was: Sequence[str], now: Sequence[str], alike: Callable[[str, str], bool]
) -> None:
    for place, name in enumerate(now):
        if found[place] is None:
            free = (at for at, other in enumerate(was) if at not in found and alike(other, name))
            found[place] = next(free, None)


def _pair_in_order(found: list[int | None], was: range, now: range) -> None:
    free = [at for at in was if at not in found]
    open_places = [place for place in now if found[place] is None]
    for place, at in zip(open_places, free, strict=False):
        found[place] = at


def _merge_turns(base: Sequence[Step], theirs: Sequence[Step], mine: Sequence[Step]) -> Iterator[_Slot]:
    of_theirs, of_mine = _Side(base, theirs), _Side(base, mine)
    # Whoever moved turns says their order; where both did, mine holds.
    for at in _order(of_theirs, of_mine, len(base)):
        if at is not None:
            yield from _merge_turn(at, base[at], of_theirs.made.get(at), of_mine.made.get(at))
        yield from map(_Slot, _additions(of_theirs.after.get(at, ()), of_mine.after.get(at, ())))


def _additions(theirs: Sequence[Step], mine: Sequence[Step]) -> tuple[Step, ...]:
    """Return what was added at one place; what both added in the same words is there once."""
    known = [_key(step) for step in theirs]
    return (*theirs, *(step for step in mine if _key(step) not in known))


class _Side:
    """One version: what became of each turn of the common one, and what was added after which of them."""

    def __init__(self, base: Sequence[Step], steps: Sequence[Step]) -> None:
        self.made: dict[int, Step] = {}
        self.after: dict[int | None, list[Step]] = {}
        self.order: list[int] = []
        last: int | None = None
        for step, origin in zip(steps, pair_turns(base, steps), strict=True):
            if origin is None:
                self.after.setdefault(last, []).append(step)
                continue
            last = origin
            self.made[origin] = step
            self.order.append(origin)


def _order(theirs: _Side, mine: _Side, turns: int) -> list[int | None]:
    """Return the turns of the common version in the order of the merged one; None is the place before them all."""
    moved = mine if mine.order != sorted(mine.order) else theirs
    order = list(moved.order)
    for at in range(turns):
        if at not in order:
            # A turn that the one deleted and the other may have edited stays behind the one before it.
            order.insert(order.index(at - 1) + 1 if at - 1 in order else 0, at)
    return [None, *order]


def _merge_turn(at: int, was: Step, theirs: Step | None, mine: Step | None) -> Iterator[_Slot]:
    keys = [_key(step) for step in (was, theirs, mine)]
    if keys[1] == keys[0] or keys[1] == keys[2]:
        chosen = mine
    elif keys[2] == keys[0]:
        chosen = theirs
    else:
        yield _Slot(conflict=Conflict(f"turn-{at}", was, theirs, mine, number=at + 1))
        return
    if chosen is not None:
        yield _Slot(chosen)


def _key(step: Step | None) -> str:
    return "" if step is None else dump_yaml(step_value(step))


def _id(step: Step) -> str:
    return step.id if isinstance(step, Turn) else ""
