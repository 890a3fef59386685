"""What people think of talks: kept, taken back, asked for in turn, and held against the score and each other."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from places import in_both
from vivavoce.dialogues.agreement import concord_of
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import AbsentError, AccessError, UsageError
from vivavoce.statistics.agreement import MIN_ITEMS as FEWEST
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run, RunState, ScoreRow
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.dialogues.dialogues import find_talk, list_talks
from vivavoce.workspace.dialogues.imports import add_talks
from vivavoce.workspace.dialogues.ratings import (
    ENOUGH,
    NO_OPINION,
    Opinion,
    answers_of,
    measure_accord,
    next_talk,
    opinion_of,
    rate_talk,
    take_back,
)
from vivavoce.workspace.dialogues.reading import TalkChoices

READER = Actor(None, "a reader", Role.READER)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)


def person(store: Store, login: str) -> Actor:
    with store.writing() as tx:
        user = tx.users.add(login, "the same name", Role.REVIEWER, password=None)
    return Actor(user.id, user.name, Role.REVIEWER)


def talk(name: str, *marks: float, bot: str = "Iris") -> Dialogue:
    said = (Utterance("you", "hi", is_bot=False), Utterance("bot", "hello", is_bot=True), Utterance("you", "bye"))
    return Dialogue(name, said, tuple(Rating(f"p{n}", mark) for n, mark in enumerate(marks)), bot=bot)


def bring(store: Store, project: Project, *talks: Dialogue) -> dict[str, str]:
    add_talks(store, PRODUCT, project, talks, TalkChoices("batch"))
    return {line.name: line.id for line in list_talks(store, project, limit=1000).lines}


def score(store: Store, project: Project, values: Mapping[str, float | None]) -> None:
    with store.writing() as tx:
        run = Run(
            new_id(), project.id, tx.runs.next_number(project.id), "dialogues", "a run", RunState.DONE, {}, 1, 1, 1,
            0, "", "", None, None, None, "1", "0", 0, now(), now(), now(),
        )  # fmt: skip
        tx.runs.add(run, b"", [])
        tx.scores.put(ScoreRow(run.id, each, value, None, None, "", {}) for each, value in values.items())


# --- one opinion -------------------------------------------------------------------------------------------------


@in_both
def test_the_last_word_of_a_person_holds(store: Store, project: Project) -> None:
    ids, ann = bring(store, project, talk("a")), person(store, "ann@example.org")
    rate_talk(store, ann, project, ids["a"], Opinion(2, {2: "no"}))
    rate_talk(store, ann, project, ids["a"], Opinion(4))
    given = find_talk(store, project, ids["a"]).ratings
    assert opinion_of(given, ann) == Opinion(4)
    assert [(one.turn, one.rater) for one in given] == [(0, "ann@example.org")]


def test_people_of_the_same_name_do_not_speak_for_each_other(store: Store, project: Project) -> None:
    ids, ann, bob = bring(store, project, talk("a", 3)), person(store, "ann"), person(store, "bob")
    for who, mark in ((ann, 1), (bob, 5), (PRODUCT, 2)):
        rate_talk(store, who, project, ids["a"], Opinion(mark, {2: "yes"}))
    take_back(store, ann, project, ids["a"])
    given = find_talk(store, project, ids["a"]).ratings
    assert [opinion_of(given, who).quality for who in (ann, bob, PRODUCT)] == [None, 5, 2]
    assert list_talks(store, project).lines[0].marks == 3


def test_what_is_no_mark_is_refused_with_all_its_faults(store: Store, project: Project) -> None:
    ids = bring(store, project, talk("a"))
    with pytest.raises(UsageError) as refused:
        rate_talk(store, PRODUCT, project, ids["a"], Opinion(6, {1: "yes", 2: "no", 9: "unsure"}))
    assert [fault.where for fault in refused.value.faults] == ["quality", "answer-1", "answer-9"]
    with pytest.raises(UsageError, match="no rating"):
        rate_talk(store, PRODUCT, project, ids["a"], NO_OPINION)
    with pytest.raises(AbsentError):
        take_back(store, PRODUCT, project, ids["a"])


def test_readers_look_and_do_not_judge(store: Store, project: Project) -> None:
    ids = bring(store, project, talk("a"))
    for forbidden in (
        lambda: rate_talk(store, READER, project, ids["a"], Opinion(3)),
        lambda: take_back(store, READER, project, ids["a"]),
        lambda: next_talk(store, READER, project),
    ):
        with pytest.raises(AccessError):
            forbidden()


def test_answers_are_those_of_the_bot_or_all_where_nobody_says(store: Store, project: Project) -> None:
    silent = Dialogue("b", (Utterance("x", "hi"), Utterance("y", "hello")))
    ids = bring(store, project, talk("a"), silent)
    assert answers_of(find_talk(store, project, ids["a"]).row) == (2,)
    assert answers_of(find_talk(store, project, ids["b"]).row) == (1, 2)


# --- the queue ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["random", "worst"])
@in_both
def test_the_queue_asks_for_every_talk_once(store: Store, project: Project, order) -> None:
    ids, ann = bring(store, project, *(talk(name) for name in "abcd")), person(store, "ann")
    seen = []
    while (asked := next_talk(store, ann, project, order=order)).row is not None:
        assert (asked.done, asked.total) == (len(seen), 4)
        assert next_talk(store, ann, project, order=order).row == asked.row
        rate_talk(store, ann, project, asked.row.id, Opinion(3))
        seen.append(asked.row.id)
    assert sorted(seen) == sorted(ids.values())
    assert asked.last is not None
    assert asked.last.row.id == seen[-1]


@in_both
def test_a_talk_in_which_the_bot_never_spoke_is_not_asked_for_and_counted(store: Store, project: Project) -> None:
    alone = (Utterance("you", "hi", is_bot=False), Utterance("you", "anybody?", is_bot=False))
    blank = (Utterance("you", "hi", is_bot=False), Utterance("bot", " ", is_bot=True))
    unknown = (Utterance("a", "hi"), Utterance("b", "hello"))
    talks = [Dialogue("alone", alone), Dialogue("blank", blank), Dialogue("one side", (Utterance("a", "hi"),))]
    ids = bring(store, project, talk("held"), Dialogue("unknown", unknown), *talks)
    ann = person(store, "ann@example.org")
    for order in ("random", "worst"):
        asked = next_talk(store, ann, project, order=order)
        assert asked.row is not None
        assert asked.row.name in ("held", "unknown")
        assert (asked.done, asked.total, asked.silent) == (0, 2, 3)
    rate_talk(store, ann, project, ids["alone"], Opinion(1))
    rate_talk(store, ann, project, ids["held"], Opinion(4))
    assert (asked := next_talk(store, ann, project)).row is not None
    assert (asked.row.name, asked.done, asked.total) == ("unknown", 1, 2)
    bring(store, project, Dialogue("late", alone))
    assert next_talk(store, ann, project).silent == 4


@in_both
def test_the_worst_are_asked_for_first_and_one_can_be_left_for_later(store: Store, project: Project) -> None:
    ids = bring(store, project, *(talk(name) for name in "abc"), talk("d", bot="Rex"))
    score(store, project, {ids["a"]: 3.0, ids["b"]: 1.0, ids["c"]: 2.0})
    asked = [next_talk(store, PRODUCT, project, order="worst", skip=skip) for skip in ("", ids["b"], ids["d"])]
    assert [one.row.name for one in asked if one.row] == ["b", "c", "b"]
    found = next_talk(store, PRODUCT, project, order="worst", bot="Rex")
    assert (found.total, found.row and found.row.name) == (1, "d")


def test_a_judged_answer_alone_leaves_the_talk_in_the_queue(store: Store, project: Project) -> None:
    ids = bring(store, project, talk("a"))
    rate_talk(store, PRODUCT, project, ids["a"], Opinion(None, {2: "unsure"}))
    assert next_talk(store, PRODUCT, project).row is not None


# --- agreement ---------------------------------------------------------------------------------------------------

VALUES = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5).map(float), max_size=4), max_size=30)


@settings(max_examples=30)
@given(VALUES)
def test_people_agree_as_the_textbook_counts_it(items: list[dict[str, float]]) -> None:
    found = concord_of(items, ordered=False)
    # The textbook's chance is that of all who judged; one alone on an item pairs with nobody.
    paired = [list(item.values()) for item in items if len(item) >= 2]
    pairs = [list(permutations(values, 2)) for values in paired]
    shares = [sum(a == b for a, b in each) / len(each) for each in pairs]
    assert found.same.value == (pytest.approx(sum(shares) / len(shares)) if shares else None)
    pooled = [value for values in paired for value in values]
    expected = sum(a != b for a, b in permutations(pooled, 2))
    observed = sum(
        sum(a != b for a, b in each) / (len(values) - 1) for each, values in zip(pairs, paired, strict=True)
    )
    alpha = 1 - (len(pooled) - 1) * observed / expected if expected else None
    assert found.alpha.value == (None if alpha is None else pytest.approx(alpha))
    assert (found.same.low is not None) == (found.items > 0)
    assert not found.items or (found.same.low or 0) < (found.same.high or 0)
    assert (found.alpha.low is not None) <= (found.items >= FEWEST)


@settings(max_examples=30)
@given(VALUES)
def test_points_apart_never_make_near_rarer_than_same(items: list[dict[str, float]]) -> None:
    found = concord_of(items, ordered=True)
    assert found.near is not None
    assert (found.near.value or 0) >= (found.same.value or 0)
    assert found.missing == max(0, FEWEST - found.items)
    if found.alpha.value is not None:
        assert found.alpha.value <= 1 + 1e-9


def test_perfect_agreement_is_one_and_chance_is_about_nothing() -> None:
    draw = random.Random(0)  # noqa: S311
    alike = [{"a": float(n % 5 + 1), "b": float(n % 5 + 1)} for n in range(40)]
    luck = [{"a": float(draw.randint(1, 5)), "b": float(draw.randint(1, 5))} for _ in range(400)]
    assert concord_of(alike, ordered=True).alpha.value == pytest.approx(1)
    chance = concord_of(luck, ordered=True).alpha
    assert chance.low is not None
    assert chance.high is not None
    assert chance.low < 0.1
    assert chance.high > -0.1


def test_a_score_that_follows_people_is_told_from_one_that_does_not(store: Store, project: Project) -> None:
    names = [f"t{n:02}" for n in range(40)]
    ids = bring(store, project, *(talk(name, n % 5 + 1, n % 5 + 1) for n, name in enumerate(names)))
    score(store, project, {ids[name]: 1 + (n % 5) * 0.9 for n, name in enumerate(names)})
    found = measure_accord(store, project)
    assert (found.marked, found.scored, found.missing) == (40, 40, 0)
    assert found.score is not None
    assert found.score.pearson.value == pytest.approx(1)
    assert found.talks.items == 40
    assert found.talks.same.value == 1
    assert measure_accord(store, project, bot="nobody").marked == 0
    draw = random.Random(1)  # noqa: S311
    score(store, project, {each: 1 + 4 * draw.random() for each in ids.values()})
    again = measure_accord(store, project)
    assert again.score is not None
    assert (again.score.pearson.value or 0) < 0.6


@in_both
def test_what_is_missing_is_said_and_nothing_is_not_zero(store: Store, project: Project) -> None:
    ids = bring(store, project, talk("a"), talk("b"))
    score(store, project, {ids["a"]: 2.0})
    nothing = measure_accord(store, project)
    assert nothing.score is None
    assert (nothing.missing, nothing.answers.value, nothing.talks.alpha.value) == (ENOUGH, None, None)
    for each in ids.values():
        rate_talk(store, PRODUCT, project, each, Opinion(4, {2: "yes"}))
    some = measure_accord(store, project)
    assert (some.marked, some.scored, some.missing) == (2, 1, ENOUGH - 1)
    assert (some.answers.value, some.answers.n) == (1, 2)
    assert some.score is not None
    assert some.score.pearson.value is None
    assert some.score.refused == 1


@in_both
def test_a_score_that_follows_weakly_is_called_so_with_what_helps_and_bot_by_bot(
    store: Store, project: Project
) -> None:
    draw = random.Random(3)  # noqa: S311
    talks = [talk(f"t{n}", float(draw.randint(1, 5)), bot=f"bot{n % 2}") for n in range(200)]
    ids = bring(store, project, *talks, talk("rare", 3.0, bot="rare"))
    score(store, project, {each: draw.uniform(1, 5) for each in ids.values()})
    found = measure_accord(store, project)
    assert (found.follows, found.helps[0]) == ("weak", "mark_twice")
    assert found.missing == 0
    assert {bot: one.n for bot, one in found.bots.items()} == {"bot0": 100, "bot1": 100, "rare": 1}
    assert found.bots["bot0"].spearman.low is not None
    assert found.bots["rare"].spearman.value is None
    assert measure_accord(store, project, bot="bot0").bots == {}


@in_both
def test_people_who_disagree_are_told_to_agree_before_anything_else(store: Store, project: Project) -> None:
    draw = random.Random(4)  # noqa: S311
    talks = [talk(f"t{n}", float(draw.randint(1, 5)), float(draw.randint(1, 5))) for n in range(120)]
    ids = bring(store, project, *talks)
    score(store, project, {each: draw.uniform(1, 5) for each in ids.values()})
    assert measure_accord(store, project).helps[0] == "agree_on_criteria"
