"""What is said before a score is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_talks import FixedRater, simulated, talk

from vivavoce.dialogues.agreement import measure
from vivavoce.dialogues.dialogue import Dialogue, Rating
from vivavoce.dialogues.json_form import to_json
from vivavoce.dialogues.passport import FLOOR, MIN_RATINGS, issue, usual_lengths
from vivavoce.dialogues.result import Origin, Passport, Score

LEARNT = Origin("talks of a contest", language="en", lengths=(2, 10))
NOT_YET = "Do not compare bots with this score yet"


def passport(talks: list[Dialogue], scores: list[Score], origin: Origin | None = LEARNT) -> Passport:
    return issue(FixedRater(scores, origin=origin), measure(talks, scores), talks, scores)


def test_enough_marks_that_the_score_follows_allow_a_comparison() -> None:
    found = passport(*simulated(60, noise=0.3))
    assert found.may_compare
    assert found.verdict.startswith(
        "You can compare bots with this score: on your own 60 rated dialogues with 2 bots"
    )
    assert found.warnings == ()
    assert (found.rater, found.origin) == ("fixed", LEARNT)


def test_without_marks_bots_are_not_compared_and_the_reader_learns_what_to_do() -> None:
    found = passport([talk("a")], [Score("a", 3.0)])
    assert not found.may_compare
    assert found.verdict == (
        f"{NOT_YET}: no dialogue with a bot has both a score and a person's rating. Have people "
        "rate at least 30 dialogues from 1 to 5, with at least 2 bots in total, then score "
        "again."
    )


def test_an_empty_log_has_a_passport_too() -> None:
    found = passport([], [])
    assert not found.may_compare
    assert found.local["overall"].n == 0


@pytest.mark.parametrize(("n", "missing"), [(1, "at least 29 more dialogues"), (29, "at least 1 more dialogue ")])
def test_too_few_marks_are_counted_down(n: int, missing: str) -> None:
    found = passport(*simulated(n, noise=0.1))
    assert not found.may_compare
    assert missing in found.verdict


def test_marks_of_talks_between_people_or_with_nobody_known_do_not_count() -> None:
    talks = [talk(f"t{i}", float(1 + i % 5), bots=False if i % 2 else None) for i in range(80)]
    scores = [Score(one.id, one.quality) for one in talks]
    found = passport(talks, scores)
    assert not found.may_compare
    assert "40 rated dialogues are not counted because the log does not say which side is a bot" in found.verdict


def test_one_bot_is_not_enough_when_bots_are_named_and_no_name_is_no_hindrance() -> None:
    talks, scores = simulated(60, noise=0.3, bots=1)
    found = passport(talks, scores)
    assert not found.may_compare
    assert "all 60 rated dialogues are with a single bot (bot0)" in found.verdict
    nameless = [replace(one, bot=None) for one in talks]
    assert passport(nameless, scores).may_compare


def test_bots_are_compared_only_by_enough_marked_talks_that_name_one() -> None:
    talks, scores = simulated(60, noise=0.3)
    few = [replace(one, bot=one.bot if i < 29 else None) for i, one in enumerate(talks)]
    found = passport(few, scores)
    assert not found.may_compare
    assert "60 rated dialogues are with a bot, but only 29 of them name it. At least 30 must" in found.verdict
    enough = passport([replace(one, bot=one.bot if i < 46 else None) for i, one in enumerate(talks)], scores)
    assert enough.may_compare
    assert "on your own 60 rated dialogues with a bot (46 of them name it: 2 bots) it agrees" in enough.verdict


def test_bots_that_only_unmarked_talks_name_are_not_compared() -> None:
    talks, scores = simulated(60, noise=0.3)
    marked = [replace(one, bot=None) for one in talks]
    found = passport([*marked, talk("x", bot="b")], [*scores, Score("x", 3.0)])
    assert not found.may_compare
    assert "60 rated dialogues are with a bot, but none of them names it" in found.verdict


def test_one_bot_among_nameless_talks_is_still_one_bot() -> None:
    talks, scores = simulated(80, noise=0.3, bots=1)
    found = passport([replace(one, bot=one.bot if i < 40 else None) for i, one in enumerate(talks)], scores)
    assert not found.may_compare
    assert "all 40 rated dialogues that name their bot are with a single bot (bot0)" in found.verdict


def test_a_score_that_does_not_follow_the_marks_is_refused_with_its_numbers() -> None:
    found = passport(*simulated(60, slope=0.0, shift=3.0))
    assert not found.may_compare
    assert "agrees with people weakly at best (Spearman" in found.verdict
    unsure = passport(*simulated(35, noise=1.2))
    assert "there are too few ratings to be sure" in unsure.verdict
    assert "rate more dialogues" in unsure.verdict


def test_many_marks_that_the_score_follows_weakly_are_not_called_too_few() -> None:
    talks, scores = simulated(1000, slope=0.22, shift=2.3)
    found = passport(talks, scores)
    spearman = found.local["human-bot"].spearman
    assert 0.15 < spearman.value < 0.27
    assert to_json(found)["follows"] == "weak"
    assert "weakly at best" in found.verdict
    assert "Train a model on your own ratings" in found.verdict
    assert "too few" not in found.verdict
    assert "rate more" not in found.verdict.lower()


@pytest.mark.parametrize(
    ("noise", "n", "code"),
    [(0.3, 60, "strong"), (1.4, 300, "moderate"), (1.2, 35, "too_few"), (0.3, 29, "too_few"), (40.0, 400, "weak")],
)
def test_one_word_says_how_well_a_score_follows(noise: float, n: int, code: str) -> None:
    found = to_json(passport(*simulated(n, noise=noise)))
    assert (found["follows"], found["local"]["human-bot"]["follows"]) == (code, code)
    assert bool(found["helps"]) is (code not in ("strong", "moderate"))


def test_people_who_disagree_are_asked_to_agree_first_and_those_who_agree_to_train() -> None:
    talks, scores = simulated(400, slope=0.0, shift=3.0)
    draw = np.random.default_rng(1)
    split = [replace(one, ratings=(*one.ratings, Rating("b", float(draw.integers(1, 6))))) for one in talks]
    found = to_json(passport(split, scores))
    assert found["helps"] == ["agree_on_criteria", "other_rater"]
    assert found["people"]["alpha"]["value"] < 0.4
    assert "People hardly agree with each other (alpha" in passport(split, scores).verdict
    joint = [replace(one, ratings=(*one.ratings, replace(one.ratings[0], rater="b"))) for one in talks]
    assert to_json(passport(joint, scores))["helps"] == ["train_on_marks", "other_rater"]
    assert to_json(passport(talks, scores))["helps"][0] == "mark_twice"


def test_agreement_is_told_bot_by_bot_and_not_below_ten_marks() -> None:
    talks, scores = simulated(60, noise=0.3)
    rare = [talk(f"r{i}", 3.0, bot="rare") for i in range(9)]
    found = passport([*talks, *rare], [*scores, *(Score(one.id, 2.0 + i / 9) for i, one in enumerate(rare))])
    assert {bot: one.n for bot, one in found.bots.items()} == {"bot0": 30, "bot1": 30, "rare": 9}
    assert found.bots["bot0"].spearman.low > 0.5
    assert (found.bots["rare"].spearman.value, found.bots["rare"].spearman.n) == (None, 9)
    assert set(to_json(found)["by_bot"]) == {"bot0", "bot1", "rare"}
    assert passport([replace(one, bot=None) for one in talks], scores).bots == {}


def test_constant_scores_say_nothing() -> None:
    talks, _ = simulated(40)
    found = passport(talks, [Score(one.id, 3.0) for one in talks])
    assert not found.may_compare
    assert "all scores or all ratings are the same" in found.verdict


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 70), st.floats(0, 2), st.integers(0, 99))
def test_a_comparison_is_allowed_only_above_all_limits(n: int, noise: float, seed: int) -> None:
    talks, scores = simulated(n, noise=noise, seed=seed)
    found = passport(talks, scores)
    local = found.local.get("human-bot")
    reached = local is not None and local.n >= MIN_RATINGS
    sure = reached and all((rate.low or -1) > FLOOR for rate in (local.spearman, local.pearson))
    assert found.may_compare == bool(sure)
    assert found.verdict.startswith(NOT_YET) != found.may_compare
    assert "None" not in found.verdict
    assert "nan" not in found.verdict


# --- warnings


def test_a_rater_that_nobody_measured_is_named_so() -> None:
    assert "This rater is not validated" in passport(*simulated(3), origin=None).warnings[0]


GERMAN = ("hallo, wie kann ich ihnen mit dem antrag helfen", "ich möchte wissen wann die bewerbung nicht mehr geht")


def test_another_language_is_noticed_and_a_few_talks_in_it_are_not() -> None:
    german = [talk(f"g{i}", texts=GERMAN) for i in range(5)]
    english = [talk(f"e{i}") for i in range(5)]
    scores = [Score(one.id, 3.0) for one in (*german, *english)]
    warned = passport([*german, *english], scores).warnings
    assert len(warned) == 1
    assert "About 50% of the dialogues are not in English" in warned[0]
    assert "mostly German" in warned[0]
    more = [talk(f"m{i}") for i in range(30)]
    assert passport([*german, *more], [Score(one.id, 3.0) for one in (*german, *more)]).warnings == ()


def test_chinese_is_noticed_and_emoji_have_no_language() -> None:
    chinese = talk("c", texts=("你好，请问我什么时候可以开始工作", "下周一开始"))
    assert "mostly Chinese" in passport([chinese], [Score("c", 3.0)]).warnings[0]
    assert passport([talk("e", texts=("😀", "👍"))], [Score("e", 3.0)]).warnings == ()


def test_lengths_far_from_the_learnt_ones_are_noticed() -> None:
    long = [talk("a", texts=["i do not know what you want from me today"] * 30), talk("b")]
    warned = passport(long, [Score("a", 3.0), Score("b", 3.0)]).warnings
    assert [warning for warning in warned if "50% of the dialogues are shorter than 2 or longer than 10" in warning]
    unknown = replace(LEARNT, lengths=None)
    assert passport(long, [Score("a", 3.0), Score("b", 3.0)], unknown).warnings == ()


def test_refusals_are_counted_with_their_commonest_reason() -> None:
    talks = [talk(name) for name in "abcd"]
    why = "fewer than two utterances a side."
    scores = [Score("a", 3.0), Score("b", None, refusal=why), Score("c", None, refusal=why), Score("d", None)]
    assert passport(talks, scores).warnings == (
        "3 of 4 dialogues (75%) got no score, mainly because: fewer than two utterances a side.",
    )


def test_marks_of_few_people_are_noticed() -> None:
    talks, scores = simulated(40)
    few = [replace(one, user=f"u{i % 3}") for i, one in enumerate(talks)]
    assert "only 3 people" in passport(few, scores).warnings[0]
    same = [replace(one, user="user") for one in talks]
    assert passport(same, scores).warnings == ()


def test_usual_lengths_hold_nine_of_ten_dialogues() -> None:
    talks = [talk(f"t{i}", texts=["x"] * i) for i in range(1, 102)]
    assert usual_lengths(talks) == (6, 96)
    assert usual_lengths([]) is None
    assert usual_lengths(talks[:1]) == (1, 1)
