"""Every number has a meaning, and every sentence says what the result says."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.intents import IntentsResult
from vivavoce.intents.check import CheckResult, check
from vivavoce.intents.json_form import to_json
from vivavoce.intents.losses import Loss
from vivavoce.intents.pairs import Pair, PairExample
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Dataset, Rate
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.measures import render_measures_table
from vivavoce.reports.shared.numbers import hundred, rate_text, seconds_text, share_text, value_text
from vivavoce.reports.shared.views import make_tile

pytestmark = pytest.mark.slow

NOTHING = Rate(None, None, None, 0)
shares = st.floats(0, 1)


def pair(**changes: object) -> Pair:
    example = PairExample("q", 1, "a", 0.2, 0.6)
    base = Pair(
        "a", "b", 0.8, 0.7, 0.9, 0.8, 0.8, 0.8, 0.87, 1.2, "a > b", 5, True, ("q",), ("r",),
        (example, replace(example, row=2), PairExample("r", 3, "b", 0.6, 0.2)),
    )  # fmt: skip
    return replace(base, **changes)  # type: ignore[arg-type]


# --- meanings ----------------------------------------------------------------------------------------------


def test_every_rate_of_a_result_has_a_meaning(result: IntentsResult) -> None:
    for findings in result.settings:
        assert set(findings.rates) <= set(MEASURES)


def test_every_number_of_a_topic_a_pair_and_the_timing_has_a_meaning(result: IntentsResult) -> None:
    first = result.settings[0]
    numbers = {**to_json(first.intents[0]), **to_json(result.pairs[0]), **to_json(first.timing)}
    words = {"intent", "a", "b", "low", "high", "score", "direction", "enough", "same_answer"}
    assert {name for name, value in numbers.items() if not isinstance(value, list)} - words <= set(MEASURES)


def test_every_meaning_is_one_plain_sentence_or_two() -> None:
    for name, measure in MEASURES.items():
        assert measure.name == name
        assert measure.meaning.endswith(".")
        assert measure.title[0].isupper()
        assert not measure.absent.endswith(".")


def test_titles_are_not_shared() -> None:
    titles = [measure.title for measure in MEASURES.values()]
    assert len(set(titles)) == len(titles)


def test_the_table_for_the_docs_names_every_measure() -> None:
    lines = render_measures_table(MEASURES.values()).splitlines()
    assert len(lines) == len(MEASURES) + 2
    assert all(f"| `{name}` |" in line for name, line in zip(MEASURES, lines[2:], strict=True))


def test_every_outcome_has_a_title() -> None:
    assert set(wording.OUTCOME_TITLES) == set(Outcome)


# --- numbers -----------------------------------------------------------------------------------------------


def test_a_share_is_written_with_interval_and_count() -> None:
    assert rate_text(Rate(0.72, 0.68, 0.76, 2209)) == "72 % (68 to 76 %, n = 2,209)"
    assert rate_text(Rate(0.5, None, None, 4)) == "50 % (n = 4)"


@pytest.mark.parametrize("kind", ["share", "score", "seconds", "count", "points"])
def test_what_was_not_measured_is_never_zero(kind: str) -> None:
    assert value_text(None, kind) == "n/a"  # type: ignore[arg-type]
    assert rate_text(NOTHING, kind) == "n/a"  # type: ignore[arg-type]


@given(shares)
def test_a_share_is_shown_within_half_a_percent_and_never_falsely_0_or_100(value: float) -> None:
    text = share_text(value)
    shown = float(re.findall(r"\d+", text)[0])
    assert abs(shown - 100 * value) <= (0.5 + 1e-9 if text[0].isdigit() else 1)
    assert (text == "0 %") == (value == 0)
    assert (text == "100 %") == (value == 1)


@given(st.floats(1e-6, 1000))
def test_a_duration_keeps_its_size(value: float) -> None:
    number, unit = seconds_text(value).split()
    factor = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit]
    assert abs(float(number.replace(",", "")) * factor - value) <= 0.5 * factor * (1 + 1e-9)


# --- sentences ---------------------------------------------------------------------------------------------


def numbers_in(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text)


def test_the_headline_holds_the_numbers_of_the_result(result: IntentsResult) -> None:
    rates = result.settings[0].rates
    expected = ["100", *_three(rates["automation_rate"]), "100", *_three(rates["precision_answered"])]
    assert numbers_in(wording.headline(result)) == expected


def test_the_sentence_about_strangers_holds_the_numbers_of_the_setting_that_has_some(result: IntentsResult) -> None:
    assert result.settings[0].rates["negative_rejection"].value is None
    declined = result.settings[1].rates["negative_rejection"]
    told = _three(declined)[1:] if declined.tells_little() else _three(declined)
    assert numbers_in(wording.strangers_sentence(result)) == ["100", *told]


def _three(rate: Rate) -> list[str]:
    assert rate.value is not None
    assert rate.low is not None
    assert rate.high is not None
    return [f"{100 * value:.0f}" for value in (rate.value, rate.low, rate.high)]


@given(shares, shares)
def test_any_two_rates_reach_the_headline(answered: float, right: float) -> None:
    near = [Rate(value, max(0.0, value - 0.1), min(1.0, value + 0.1), 90) for value in (answered, right)]
    result = _with_rates(*near)
    said = wording.headline(result)
    assert f"answer {hundred(answered)} (" in said
    assert f"answers, {hundred(right)} (" in said


def test_a_bot_that_never_answers_is_not_called_wrong(silent: IntentsResult) -> None:
    said = wording.headline(silent)
    assert "the bot would answer none" in said
    assert "right" not in said


def test_an_engine_without_any_guess_is_not_called_unsure(guessless: IntentsResult, silent: IntentsResult) -> None:
    assert wording.headline(guessless).endswith(
        "the bot would answer none: the classifier had no guess for any question."
    )
    assert "its confidence never reaches the threshold of 1" in wording.headline(silent)


def test_one_guess_is_enough_to_blame_the_threshold() -> None:
    assert wording.never_guessed(Counts({Outcome.NO_GUESS: 3, Outcome.DECLINED_NO_GUESS: 2}))
    assert not wording.never_guessed(Counts({Outcome.NO_GUESS: 3, Outcome.DECLINED: 1}))
    assert not wording.never_guessed(Counts({}))


def test_topics_of_near_duplicates_are_named_as_the_reason_that_nothing_was_tested(copies: IntentsResult) -> None:
    expected = "Nothing could be tested: all examples of 'hours' and 'pay' are near-duplicates."
    assert wording.headline(copies) == expected


def test_nothing_tested_is_said_so() -> None:
    assert "there is no result for the bot" in wording.headline(_with_rates(NOTHING, NOTHING))


def test_what_was_not_asked_is_not_known(silent: IntentsResult) -> None:
    assert "is unknown" in wording.strangers_sentence(silent)
    assert not numbers_in(wording.strangers_sentence(silent))


def test_a_setting_that_equals_another_is_told_not_numbered(result: IntentsResult) -> None:
    same = result.settings[2]
    assert same.same_as is not None
    assert wording.setting_sentence(same) == "Setting (3, 0) equals (0, 0): no topic has fewer than 3 examples."


def test_the_topics_held_out_are_counted(result: IntentsResult) -> None:
    findings = result.settings[1]
    said = wording.setting_sentence(findings)
    assert numbers_in(said)[:2] == [str(len(findings.low_topics)), f"{100 * findings.share_low:.0f}"]


@given(shares, shares, shares)
def test_a_pair_is_told_with_its_overlap_and_interval(overlap: float, low: float, high: float) -> None:
    said = wording.pair_sentence(pair(overlap=overlap, low=low, high=high))
    assert f"{share_text(overlap)} ({100 * low:.0f} to {100 * high:.0f} %)" in said


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"enough": False}, "Too few examples to tell"),
        ({"same_answer": True}, "You can merge them"),
        ({"same_answer": True, "a": "mood_great", "b": "mood_unhappy"}, "give the same answer."),
    ],
)
def test_a_pair_that_is_no_problem_says_why(changes: dict[str, object], expected: str) -> None:
    assert expected in wording.pair_advice(pair(**changes))


def test_opposites_with_the_same_answer_are_not_to_be_merged() -> None:
    same = pair(same_answer=True, a="mood_great", b="mood_unhappy")
    assert "erge" not in wording.pair_advice(same)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (None, ""),
        (Loss(NOTHING, 0), "no example was mistaken for the other topic"),
        (Loss(NOTHING, 1), "1 example gets"),
        (Loss(NOTHING, 1200), "1,200 examples get"),
    ],
)
def test_the_examples_between_two_topics_are_counted(loss: Loss | None, expected: str) -> None:
    assert wording.pair_mistakes(pair(loss=loss)).startswith(expected)


def test_stability_is_told_in_hundred_re_checks() -> None:
    assert wording.pair_stability(pair(top3_share=0.87)) == "in the top three in 87 of 100 checks"


def test_a_place_at_the_top_by_chance_is_not_told() -> None:
    assert wording.pair_stability(pair(top3_share=0.04)) == ""


def test_a_check_is_told_in_one_sentence() -> None:
    clean = CheckResult((), {"a": 5, "b": 6}, {}, 11, 0, "0")
    assert wording.check_sentence(clean) == "11 examples in 2 topics: nothing to fix."
    found = check(Dataset.of(["pay me", "pay me", "go"], ["a", "b", "b"]))
    assert wording.check_sentence(found).startswith("3 examples in 2 topics: 1 error")
    assert {problem.kind for problem in found.problems} <= set(wording.PROBLEM_TITLES)


def test_a_check_tells_of_rows_left_out_and_out_of_scope() -> None:
    clean = CheckResult((), {"a": 5, "b": 10}, {}, 15, 0, "0", excluded=15)
    told = wording.check_sentence(clean)
    assert told == "15 of 30 rows were skipped; 15 examples in 2 topics: nothing else to fix."
    assert wording.check_sentence(replace(clean, excluded=1)).startswith("1 of 16 rows was skipped; ")
    strangers = CheckResult((), dict.fromkeys("abcd", 5) | {"d": 8}, {}, 27, 4, "0")
    said = "27 examples: 23 in 4 topics and 4 out of scope; nothing to fix."
    assert wording.check_sentence(strangers) == said


def _with_rates(answered: Rate, right: Rate) -> IntentsResult:
    from types import SimpleNamespace

    rates = {"automation_rate": answered, "precision_answered": right}
    findings = SimpleNamespace(out_of_scope_share=None, rates=rates, counts=Counts({}))
    return SimpleNamespace(settings=(findings,), threshold=0.5, warnings=())  # type: ignore[return-value]


# --- numbers that tell little --------------------------------------------------------------------------------


def test_a_first_sentence_gives_the_range_and_not_the_number_where_the_number_tells_little(
    result: IntentsResult,
) -> None:
    first = result.settings[0]
    vague = {
        **first.rates,
        "automation_rate": Rate(1.0, 0.44, 1.0, 6),
        "precision_answered": Rate(0.9, 0.85, 0.95, 90),
    }
    said = wording.headline(replace(result, settings=(replace(first, rates=vague),)))
    assert "would answer between 44 and 100" in said
    assert "of 100 such answers, 90 (85 to 95) would be right" in said


def test_a_large_figure_gives_way_where_its_interval_says_nothing() -> None:
    share, score = MEASURES["accuracy"], MEASURES["f1_macro"]
    tiles = [
        make_tile(Rate(1.0, 0.44, 1.0, 6), share, ""),
        make_tile(Rate(0.9, 0.85, 0.95, 90), share, ""),
        make_tile(Rate(3.0, 2.5, 3.5, 30), score, "", span=4.0),
        make_tile(Rate(None, None, None, 0), share, ""),
    ]
    shown = [("too few to tell", True), ("90 %", False), ("3.00", False), ("n/a", False)]
    assert [(tile.value, tile.unsure) for tile in tiles] == shown
