"""Bots ranked by scored dialogues and by preferences."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_talks import talk

from vivavoce.dialogues.dialogue import Dialogue, Rating
from vivavoce.dialogues.result import Ranking, Score
from vivavoce.dialogues.systems import (
    MIN_DIALOGUES,
    Preference,
    rank_by_preferences,
    rank_systems,
    system_agreement,
)
from vivavoce.errors import UsageError
from vivavoce.statistics import rank_auc

Log = tuple[list[Dialogue], list[Score]]


def contest(means: dict[str, float], n: int, *, spread: float = 0.5, seed: int = 0) -> Log:
    draw = np.random.default_rng(seed)
    talks = [talk(f"{bot}-{i}", bot=bot) for bot in means for i in range(n)]
    values = [float(np.clip(draw.normal(means[one.bot or ""], spread), 1, 5)) for one in talks]
    return talks, [Score(one.id, value) for one, value in zip(talks, values, strict=True)]


def verdicts(ranking: Ranking) -> dict[tuple[str, str], str]:
    return {(pair.first, pair.second): pair.verdict for pair in ranking.pairs}


def check_ranks(ranking: Ranking) -> None:
    """Ranks and their ranges say what the verdicts say, and nothing of bots with too few talks."""
    ranked = [one for one in ranking.lines if one.rank is not None]
    assert [one for one in ranked if one.n < MIN_DIALOGUES] == []
    assert list(ranking.lines[: len(ranked)]) == ranked, "those without a rank come last"
    called = verdicts(ranking)
    for one in ranked:
        better = sum(
            verdict == ("worse" if one.bot == a else "better")
            for (a, b), verdict in called.items()
            if one.bot in (a, b) and verdict in ("better", "worse")
        )
        worse = sum(one.bot in pair and verdict in ("better", "worse") for pair, verdict in called.items()) - better
        assert (one.low_rank, one.high_rank) == (1 + better, len(ranked) - worse)
        assert one.low_rank <= one.rank <= one.high_rank


def test_clear_differences_are_ranked_and_called() -> None:
    found = rank_systems(*contest({"poor": 2.0, "good": 3.5, "middling": 2.8}, 60))
    assert [(one.bot, one.rank, one.low_rank, one.high_rank) for one in found.lines] == [
        ("good", 1, 1, 1),
        ("middling", 2, 2, 2),
        ("poor", 3, 3, 3),
    ]
    assert set(verdicts(found).values()) == {"better"}
    assert all(pair.dialogues_to_decide is None for pair in found.pairs)
    assert [line.strength.value for line in found.lines] == sorted(
        (a.strength.value for a in found.lines), reverse=True
    )
    for line in found.lines:
        assert line.mean.low < line.mean.value < line.mean.high
        assert line.strength.low < line.strength.value < line.strength.high
        assert line.n == 60


def test_equal_bots_are_too_close_to_call_and_more_dialogues_are_asked_for() -> None:
    found = rank_systems(*contest({"a": 3.0, "b": 3.05}, 30, seed=1))
    (pair,) = found.pairs
    assert pair.verdict == "too close to call"
    assert pair.dialogues_to_decide > 60
    assert {(one.low_rank, one.high_rank) for one in found.lines} == {(1, 2)}


def test_equal_bots_are_hardly_ever_told_apart_however_many_they_are() -> None:
    called = 0
    for seed in range(15):
        found = rank_systems(*contest({f"b{i}": 3.0 for i in range(6)}, 20, seed=seed), seed=seed)
        called += any(pair.verdict != "too close to call" for pair in found.pairs)
    assert called <= 3


def test_eleven_bots_can_still_be_told_apart_after_the_correction() -> None:
    found = rank_systems(*contest({f"b{i:02}": 2 + 0.15 * i for i in range(11)}, 50))
    assert len(found.pairs) == 55
    assert verdicts(found)["b10", "b00"] == "better"
    assert "too close to call" in verdicts(found).values()


def test_fewer_than_two_named_bots_have_no_ranking() -> None:
    talks, scores = contest({"a": 3.0}, 5)
    assert rank_systems(talks, scores) is None
    assert rank_systems([], []) is None
    other, refused = talk("x", bot="b"), Score("x", None, refusal="short")
    assert rank_systems([*talks, other], [*scores, refused]) is None
    nameless = [replace(one, bot=None) for one in talks]
    assert rank_systems(nameless, scores) is None


def test_one_dialogue_has_a_mean_but_no_interval_and_decides_nothing() -> None:
    found = rank_systems([talk("a", bot="a"), talk("b", bot="b")], [Score("a", 5.0), Score("b", 1.0)])
    assert [one.bot for one in found.lines] == ["a", "b"]
    assert found.lines[0].mean.low is None
    assert (found.pairs[0].p, found.pairs[0].verdict) == (None, "too few talks")
    assert {(one.rank, one.low_rank, one.high_rank) for one in found.lines} == {(None, None, None)}
    assert (found.pairs[0].difference.value, found.pairs[0].difference.low) == (4.0, None)


def test_a_bot_with_few_talks_is_never_first_and_costs_the_others_nothing() -> None:
    talks, scores = contest({"good": 3.5, "poor": 2.0}, 30)
    alone = rank_systems(talks, scores)
    few = [talk(f"new-{i}", bot="new") for i in range(4)]
    found = rank_systems([*talks, *few], [*scores, *(Score(one.id, 5.0) for one in few)])
    assert [(one.bot, one.rank) for one in found.lines] == [("good", 1), ("poor", 2), ("new", None)]
    assert verdicts(found) == {
        ("good", "poor"): "better",
        ("good", "new"): "too few talks",
        ("poor", "new"): "too few talks",
    }
    assert found.pairs[0].p == pytest.approx(alone.pairs[0].p, rel=0.5)
    fifth = [*few, talk("new-4", bot="new")]
    found = rank_systems([*talks, *fifth], [*scores, *(Score(one.id, 5.0) for one in fifth)])
    assert found.lines[0].bot == "new"


def test_a_bot_that_nobody_can_be_compared_with_has_no_rank() -> None:
    talks, scores = contest({"much": 3.5}, 30)
    found = rank_systems([*talks, talk("x", bot="new")], [*scores, Score("x", 5.0)])
    assert [(one.bot, one.rank) for one in found.lines] == [("much", None), ("new", None)]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.floats(1.5, 4.5), st.integers(1, 30)), min_size=2, max_size=6), st.integers(0, 99))
def test_ranges_of_ranks_never_contradict_the_verdicts(bots: list[tuple[float, int]], seed: int) -> None:
    logs = [contest({f"b{i}": mean}, n, seed=seed + i) for i, (mean, n) in enumerate(bots)]
    check_ranks(rank_systems([one for talks, _ in logs for one in talks], [one for _, s in logs for one in s]))


def test_scores_without_any_spread_are_no_certainty() -> None:
    talks = [talk(f"{bot}{i}", bot=bot) for bot in "ab" for i in range(5)]
    found = rank_systems(talks, [Score(one.id, 4.0 if one.bot == "a" else 3.0) for one in talks])
    # A complete parting of 5 and 5 happens by chance twice in 252.
    assert found.pairs[0].p == pytest.approx(2 / 252)
    same = rank_systems(talks, [Score(one.id, 3.0) for one in talks])
    assert same.pairs[0].p == 1
    assert {one.rank for one in same.lines} == {1}


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(10, 50)), min_size=2, max_size=30), st.randoms())
def test_the_order_of_the_log_changes_nothing(rows: list[tuple[str, int]], shuffler: random.Random) -> None:
    log = [(talk(f"t{i}", bot=bot), Score(f"t{i}", value / 10)) for i, (bot, value) in enumerate(rows)]
    before = rank_systems(*map(list, zip(*log, strict=True)))
    shuffler.shuffle(log)
    assert rank_systems(*map(list, zip(*log, strict=True))) == before
    if before is not None:
        assert sum(one.n for one in before.lines) == len(rows)
        check_ranks(before)


def test_the_strength_of_two_bots_is_the_share_of_won_contests_on_the_log_scale() -> None:
    talks, scores = contest({"a": 3.4, "b": 3.0}, 200)
    values = {bot: [round(s.score, 2) for t, s in zip(talks, scores, strict=True) if t.bot == bot] for bot in "ab"}
    share = rank_auc(values["a"], values["b"])
    # 200 and 200 dialogues are worth 100 contests; one drawn contest is added.
    odds = (100 * share + 0.5) / (100 * (1 - share) + 0.5)
    lines = rank_systems(talks, scores).lines
    assert lines[0].strength.value - lines[1].strength.value == pytest.approx(np.log(odds))


def test_intervals_of_means_hold_the_truth_about_as_often_as_promised() -> None:
    held = []
    for seed in range(60):
        found = rank_systems(*contest({"a": 3.0, "b": 2.5}, 40, spread=0.4, seed=seed), seed=seed)
        difference = found.pairs[0].difference
        held.append(difference.low <= 0.5 <= difference.high)
    assert 0.85 <= np.mean(held) <= 1


def test_users_who_met_both_bots_are_drawn_together() -> None:
    draw = np.random.default_rng(0)
    moods = draw.normal(0, 0.8, 40)
    talks = [talk(f"{bot}{i}", bot=bot, user=f"u{i}") for i in range(40) for bot in "ab"]
    scores = [
        Score(one.id, float(3 + moods[int(one.id[1:])] + (0.2 if one.bot == "a" else 0) + draw.normal(0, 0.1)))
        for one in talks
    ]
    known = rank_systems(talks, scores).pairs[0]
    unknown = rank_systems([replace(one, user=None) for one in talks], scores).pairs[0]
    assert known.verdict == "better"
    assert unknown.verdict == "too close to call"


# --- preferences


def test_preferences_put_the_preferred_first() -> None:
    given_pairs = [Preference("a", "b")] * 30 + [Preference("b", "c")] * 30 + [Preference("c", "b")] * 10
    found = rank_by_preferences(given_pairs)
    assert [one.bot for one in found.lines] == ["a", "b", "c"]
    assert verdicts(found) == {("a", "b"): "better", ("a", "c"): "too few preferences", ("b", "c"): "better"}
    never_met = found.pairs[1]
    assert (never_met.difference.value, never_met.difference.n, never_met.p) == (None, 0, None)
    assert (found.lines[0].mean.value, found.lines[0].n) == (1.0, 30)
    assert found.lines[0].mean.low < 0.95


def test_three_unanimous_votes_decide_nothing_and_thirty_do() -> None:
    few, many = (rank_by_preferences([Preference("a", "b")] * n).pairs[0] for n in (3, 30))
    assert (few.verdict, few.p) == ("too few preferences", None)
    assert rank_by_preferences([Preference("a", "b")] * 5).pairs[0].verdict == "too close to call"
    assert many.verdict == "better"
    assert many.p < 0.001
    assert many.difference.low < 1


def test_a_bot_with_few_preferences_has_no_rank() -> None:
    votes = [Preference("a", "b", float(i % 3 > 0)) for i in range(60)]
    found = rank_by_preferences([*votes, *[Preference("new", "a")] * 4])
    assert [(one.bot, one.rank) for one in found.lines] == [("a", 1), ("b", 2), ("new", None)]


def test_people_who_prefer_in_a_circle_put_nobody_outside_the_ranks() -> None:
    votes = [Preference(*pair) for pair in ("ab", "bc", "ca") for _ in range(40)]
    found = rank_by_preferences([*votes, Preference("a", "b")])
    assert all(1 <= one.low_rank <= one.rank <= one.high_rank <= 3 for one in found.lines)


def test_both_ways_to_write_a_preference_mean_the_same_in_any_order() -> None:
    one = [Preference("a", "b", 1.0), Preference("a", "b", 0.5), Preference("a", "c", 0.0)] * 4
    turned = [Preference(it.second, it.first, 1 - it.won) for it in one]
    first, second = rank_by_preferences(one), rank_by_preferences(turned[::-1])
    assert [(it.bot, it.mean.value, it.rank) for it in first.lines] == [
        (it.bot, it.mean.value, it.rank) for it in second.lines
    ]
    assert rank_by_preferences(one[::-1]) == first


def test_votes_of_one_person_count_less_than_those_of_many() -> None:
    votes = [Preference("a", "b", float(i % 4 != 0)) for i in range(60)]
    crowd = rank_by_preferences(votes).pairs[0]
    people = rank_by_preferences([replace(one, person=f"p{int(one.won)}{i % 2}") for i, one in enumerate(votes)])
    assert people.pairs[0].p > crowd.p


def test_no_preferences_have_no_ranking_and_impossible_ones_are_refused() -> None:
    assert rank_by_preferences([]) is None
    for wrong in (Preference("a", "a"), Preference("a", "b", 2.0), Preference("a", "b", float("nan"))):
        with pytest.raises(UsageError, match="1 of 1 preferences are invalid"):
            rank_by_preferences([wrong])


# --- bots' means beside bots' marks


def test_means_of_bots_follow_marks_even_where_single_talks_do_not() -> None:
    draw = np.random.default_rng(0)
    talks, scores = [], []
    for bot in range(12):
        for i in range(60):
            mark = float(np.clip(2 + bot / 8 + draw.normal(0, 1.5), 1, 5))
            talks.append(talk(f"{bot}-{i}", mark, bot=f"b{bot}"))
            scores.append(Score(talks[-1].id, float(2.5 + bot / 20 + draw.normal(0, 0.3))))
    found = system_agreement(talks, scores)
    assert (found.n, found.refused) == (12, 0)
    assert found.pearson.value > 0.8
    assert found.pearson.low is not None


def test_bots_with_marks_and_no_score_are_counted() -> None:
    talks = [talk("a", 3.0, bot="a"), talk("b", 2.0, bot="b"), talk("c", bot="c"), talk("d", 4.0)]
    found = system_agreement(talks, [Score("a", 2.0), Score("b", None), Score("c", 4.0), Score("d", 1.0)])
    assert (found.n, found.refused, found.pearson.value) == (1, 1, None)


@pytest.mark.shared
def test_the_mark_of_one_person_ranks_the_bots_of_a_contest_like_the_others(shared: Path) -> None:
    path = shared / "data" / "dstc9" / "dialogues.jsonl"
    if not path.is_file():
        pytest.skip("the dialogues of the contest are not here")
    talks, scores = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        marks = [one["overall"] for one in row["ratings"] if one.get("overall") is not None]
        if len(marks) >= 2:
            rest = tuple(Rating(str(i), float(mark)) for i, mark in enumerate(marks[1:]))
            talks.append(Dialogue(row["id"], (), rest, bot=row["bot_id"]))
            scores.append(Score(row["id"], float(marks[0])))
    found = system_agreement(talks, scores)
    assert found.n == 11
    assert found.spearman.value > 0.5
    assert len(rank_systems(talks, scores).lines) == 11
