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
FIELDS = tuple(field.name for field in fields(Scenario) if field.name not in ("turns", "line"))


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
class Merge:
    """Two versions put together as far as they agree; among the turns are the questions about some of them."""

    theirs: Scenario
    head: Mapping[str, Any]
    turns: tuple[Step | Conflict, ...]
    conflicts: tuple[Conflict, ...]

    def resolve(self, choose: Callable[[Conflict], str] = lambda _: MINE) -> Scenario:
        """Return the scenario with every question answered by `theirs` or `mine`."""
        head = {conflict.field: getattr(conflict, choose(conflict)) for conflict in self.conflicts if conflict.field}
        steps = (getattr(turn, choose(turn)) if isinstance(turn, Conflict) else turn for turn in self.turns)
        return replace(self.theirs, **{**self.head, **head}, turns=tuple(step for step in steps if step is not None))


def merge_scenarios(base: Scenario, theirs: Scenario, mine: Scenario) -> Merge:
    """Put two versions together that were both made from `base`."""
    head: dict[str, Any] = {}
    questions: list[Conflict] = []
    for name in FIELDS:
        was, their, my = (getattr(version, name) for version in (base, theirs, mine))
        if their != was and my not in (was, their):
            questions.append(Conflict(f"field-{name}", was, their, my, field=name))
        head[name] = my if their == was else their
    turns = tuple(_merge_turns(base.turns, theirs.turns, mine.turns))
    questions += [turn for turn in turns if isinstance(turn, Conflict)]
    return Merge(theirs, head, turns, tuple(questions))


def pair_turns(base: Sequence[Step], other: Sequence[Step]) -> list[int | None]:
    """Return for each turn of a version the place of the turn that it was made from; None for a new one.

    The same words are the same turn, wherever it was moved; else the same id; else the same place between others.
    """
    keys, others = [_key(step) for step in base], [_key(step) for step in other]
    origins: list[int | None] = [None] * len(other)
    blocks = SequenceMatcher(None, keys, others, autojunk=False).get_opcodes()
    for tag, i, _, j, m in blocks:
        if tag == "equal":
            origins[j:m] = [i + place - j for place in range(j, m)]
    _pair_where(origins, keys, others, lambda was, now: was == now)
    ids, new_ids = [_id(step) for step in base], [_id(step) for step in other]
    _pair_where(origins, ids, new_ids, lambda was, now: bool(now) and was == now)
    for tag, i, k, j, m in blocks:
        if tag == "replace":
            free = [at for at in range(i, k) if at not in origins]
            open_places = [place for place in range(j, m) if origins[place] is None]
            for place, at in zip(open_places, free, strict=False):
                origins[place] = at
    return origins


def _pair_where(
    origins: list[int | None], was: Sequence[str], now: Sequence[str], alike: Callable[[str, str], bool]
) -> None:
    for place, name in enumerate(now):
        if origins[place] is None:
            free = (at for at, other in enumerate(was) if at not in origins and alike(other, name))
            origins[place] = next(free, None)


def _merge_turns(base: Sequence[Step], theirs: Sequence[Step], mine: Sequence[Step]) -> Iterator[Step | Conflict]:
    of_theirs, of_mine = _Side(base, theirs), _Side(base, mine)
    # Whoever moved turns says their order; where both did, mine holds.
    moved = of_mine if of_mine.order != sorted(of_mine.order) else of_theirs
    order = list(moved.order)
    for at in range(len(base)):
        if at not in order:
            # A turn that the one deleted and the other may have edited stays behind the one before it.
            order.insert(order.index(at - 1) + 1 if at - 1 in order else 0, at)
    for origin in (None, *order):
        if origin is not None:
            turn = _merge_turn(origin, base[origin], of_theirs.made.get(origin), of_mine.made.get(origin))
            yield from () if turn is None else (turn,)
        added = of_theirs.after.get(origin, [])
        known = [_key(step) for step in added]
        # What both added in the same words is there once.
        yield from (*added, *(step for step in of_mine.after.get(origin, ()) if _key(step) not in known))


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


def _merge_turn(at: int, was: Step, theirs: Step | None, mine: Step | None) -> Step | Conflict | None:
    """Return what becomes of a turn; None: it was deleted."""
    old, their, my = (_key(step) for step in (was, theirs, mine))
    if their in (old, my):
        return mine
    return theirs if my == old else Conflict(f"turn-{at}", was, theirs, mine, number=at + 1)


def _key(step: Step | None) -> str:
    return "" if step is None else dump_yaml(step_value(step))


def _id(step: Step) -> str:
    return step.id if isinstance(step, Turn) else ""
