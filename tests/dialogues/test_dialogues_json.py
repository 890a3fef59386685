"""The stable JSON form of scores and what is known about them."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_talks import FixedRater, simulated, talk

from vivavoce.dialogues.agreement import measure
from vivavoce.dialogues.exam import examine_dialogues
from vivavoce.dialogues.json_form import (
    origin_from_json,
    result_to_json,
    score_to_json,
    to_json,
)
from vivavoce.dialogues.result import Agreement, CalibrationBin, Origin, Reason, Score, TurnEffect
from vivavoce.errors import DataError
from vivavoce.records import Rate

SCORE = Score("a", 2.5, 1.5, 3.5, (TurnEffect(1, "user", 0.1),), (Reason("short", -0.3, "it is short"),), ("odd",))


def written(content: object) -> object:
    """Write and read strictly: what JSON does not know is an error."""
    return json.loads(json.dumps(content, allow_nan=False))


def test_a_score_has_the_promised_keys() -> None:
    assert written(score_to_json(SCORE)) == {
        "id": "a",
        "score": 2.5,
        "low": 1.5,
        "high": 3.5,
        "turns": [{"number": 1, "speaker": "user", "effect": 0.1}],
        "reasons": [{"name": "short", "effect": -0.3, "text": "it is short"}],
        "warnings": ["odd"],
    }


def test_a_refusal_is_a_score_of_null_with_its_reason() -> None:
    shown = score_to_json(Score("a", None, refusal="too short"))
    assert (shown["score"], shown["low"], shown["high"], shown["refusal"]) == (None, None, None, "too short")
    assert "refusal" not in score_to_json(SCORE)


def test_the_dialogue_adds_what_the_log_says_and_nothing_that_was_said() -> None:
    shown = score_to_json(SCORE, talk("a", 4.0, bot="x", texts=("secret",) * 4))
    assert (shown["kind"], shown["bot"], shown["mark"]) == ("human-bot", "x", 4.0)
    assert "secret" not in json.dumps(shown)


def test_no_number_that_json_does_not_know_is_written() -> None:
    wild = Score("a", math.nan, -math.inf, math.inf, (TurnEffect(1, "u", math.nan),), (Reason("r", math.inf, "r"),))
    assert written(score_to_json(wild))["score"] is None
    rate = Rate(math.nan, math.nan, math.nan, 3)
    bins = (CalibrationBin(math.nan, rate),)
    assert written(to_json(Agreement(3, rate, rate, rate, rate, math.nan, math.inf, bins)))["slope"] is None


def test_the_whole_result_is_plain_json_with_stable_keys() -> None:
    talks, scores = simulated(60, slope=0.4, shift=0.3, noise=0.2)
    talks += [talk("p", passed=True), talk("r", 2.0)]
    scores += [Score("p", 1.0), Score("r", None, refusal="short")]
    origin = Origin("talks", agreements=measure(talks, scores))
    full = written(result_to_json(examine_dialogues(talks, FixedRater(scores, origin=origin), source="log")))
    bare = written(result_to_json(examine_dialogues([], FixedRater([]))))
    assert list(full) == list(bare)
    assert (full["kind"], full["source"], full["dialogues"]) == ("dialogues", "log", 62)
    assert len(full["scores"]) == 62
    assert full["recalibration"]["adopted"] is True
    assert [line["rank"] for line in full["ranking"]["systems"]] == [1, 2]
    assert full["definitions"] == bare["definitions"] == 1
    assert full["queue"][0].keys() == {"id", "kind", "score", "other", "text"}
    assert full["passport"]["local"]["human-bot"]["refused"] == 1
    assert (bare["recalibration"], bare["ranking"], bare["passport"]["origin"]) == (None, None, None)
    assert bare["passport"]["local"]["overall"]["pearson"] == {"value": None, "n": 0}


def test_a_bot_with_too_few_talks_has_a_rank_of_null() -> None:
    talks, scores = simulated(20)
    result = examine_dialogues([*talks, talk("x", bot="new")], FixedRater([*scores, Score("x", 5.0)]))
    ranking = written(result_to_json(result))["ranking"]
    last = ranking["systems"][-1]
    assert (last["bot"], last["rank"], last["low_rank"], last["high_rank"]) == ("new", None, None, None)
    assert [pair["verdict"] for pair in ranking["pairs"] if "new" in (pair["first"], pair["second"])] == [
        "too few talks"
    ] * 2


def test_a_passport_shows_its_verdict_and_where_the_rater_comes_from() -> None:
    passport = examine_dialogues([talk("a")], FixedRater([SCORE], origin=Origin("talks", "MIT"))).passport
    shown = written(to_json(passport))
    assert shown["may_compare"] is False
    assert shown["verdict"] == passport.verdict
    assert shown["origin"]["licence"] == "MIT"


# --- origins

numbers = st.none() | st.floats(-10, 10)
rates = st.builds(Rate, st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.integers(0, 99)) | st.builds(
    Rate, st.none(), st.none(), st.none(), st.integers(0, 9)
)
bins = st.lists(st.builds(CalibrationBin, st.floats(1, 5), rates), max_size=3).map(tuple)
counts = st.integers(0, 9999)
agreements = st.builds(Agreement, counts, rates, rates, rates, rates, numbers, numbers, bins, counts)
origins = st.builds(
    Origin,
    st.text(),
    st.text(),
    counts,
    st.text(),
    st.dictionaries(st.text(), agreements, max_size=3),
    st.sampled_from(["en", "de"]),
    st.none() | st.tuples(counts, counts),
)


@given(origins)
def test_an_origin_that_was_written_is_read_again(origin: Origin) -> None:
    assert origin_from_json(written(to_json(origin))) == origin


def test_an_origin_needs_only_what_it_learnt_from() -> None:
    assert origin_from_json({"learnt_from": "talks"}) == Origin("talks")


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "talks",
        {},
        {"learnt_from": 3},
        {"learnt_from": "talks", "dialogues": "many"},
        {"learnt_from": "talks", "lengths": 4},
        {"learnt_from": "talks", "lengths": []},
        {"learnt_from": "talks", "language": None},
        {"learnt_from": "talks", "agreements": []},
        {"learnt_from": "talks", "agreements": {"overall": {"n": 3}}},
        {"learnt_from": "talks", "agreements": {"overall": {"n": 3, "pearson": {"value": "high", "n": 3}}}},
    ],
)
def test_what_is_no_origin_is_refused_with_its_place(content: object) -> None:
    with pytest.raises(DataError, match="origin") as caught:
        origin_from_json(content, "model.json")
    assert caught.value.where == "model.json"
