"""Groups of topics that confuse each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.intents.clusters import group_confused

NAMES = [f"topic {n}" for n in range(30)]
CONFUSIONS = st.dictionaries(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), st.integers(0, 9), max_size=60
)


def test_few_topics_make_one_group_in_which_the_most_confused_stand_side_by_side() -> None:
    (group,) = group_confused({("a", "d"): 5, ("b", "c"): 1, ("d", "a"): 2, ("e", "e"): 9}, 8)
    assert group == ("a", "d", "b", "c")


def test_many_topics_make_groups_the_costliest_first() -> None:
    pairs = {(f"x{n}", f"y{n}"): n + 2 for n in range(6)}
    groups = group_confused({**pairs, ("x0", "x1"): 1}, 4)
    assert groups == tuple((f"x{n}", f"y{n}") for n in reversed(range(6)))


def test_without_mistakes_there_is_no_group() -> None:
    assert group_confused({("a", "a"): 5, ("a", "b"): 0}, 8) == ()


@given(CONFUSIONS, st.integers(2, 12))
def test_no_group_is_too_large_and_no_topic_is_in_two(confusions: dict[tuple[str, str], int], largest: int) -> None:
    groups = group_confused(confusions, largest)
    topics = [topic for group in groups for topic in group]
    assert len(topics) == len(set(topics))
    assert all(2 <= len(group) <= largest for group in groups)
