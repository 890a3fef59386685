"""What is kept is made once; whoever asks for something else does not wait for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from vivavoce.kept import Kept

PATIENCE = 60.0


def test_what_is_asked_for_again_is_not_made_again_and_the_oldest_goes() -> None:
    kept, made = Kept[str](2), list[str]()

    def make(name: str) -> str:
        return kept.get(name, lambda: made.append(name) or name)

    assert [make(name) for name in ("a", "b", "a", "c", "a", "b")] == ["a", "b", "a", "c", "a", "b"]
    assert made == ["a", "b", "c", "b"], "b was asked for longest ago when c came"


def test_several_who_ask_at_once_get_one_thing_and_others_do_not_wait() -> None:
    kept, begun, go_on, made = Kept[int](4), Event(), Event(), list[int]()

    def slowly() -> int:
        begun.set()
        assert go_on.wait(PATIENCE)
        made.append(1)
        return 1

    with ThreadPoolExecutor(4) as people:
        asked = [people.submit(kept.get, "slow", slowly) for _ in range(3)]
        assert begun.wait(PATIENCE)
        other = people.submit(kept.get, "other", lambda: 2)
        assert other.result(PATIENCE) == 2, "it is there while the slow one is being made"
        go_on.set()
        assert [one.result(PATIENCE) for one in asked] == [1, 1, 1]
    assert made == [1]


def test_what_could_not_be_made_is_told_and_tried_again_next_time() -> None:
    kept = Kept[int](4)
    with pytest.raises(ZeroDivisionError):
        kept.get("key", lambda: 1 // 0)
    assert kept.get("key", lambda: 3) == 3
