"""Cells: each rate from the turns it is defined on, and intervals that know what belongs together."""

from __future__ import annotations

import random
from math import comb
from pathlib import Path

import numpy as np
import pytest
from exams import D, E, M, N, O, R, U, W, X, found, header, line, pair_lines, talk
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.findings.cells import count_topics, macro_f1, macro_f1_without
from vivavoce.conversations.findings.columns import columns_of
from vivavoce.conversations.findings.finding import find, make_lines
from vivavoce.conversations.findings.units import pass_hat
from vivavoce.conversations.json_form import result_to_json
from vivavoce.conversations.result import Line
from vivavoce.conversations.scenario import Expectation, Pattern, Script, ScriptTurn
from vivavoce.conversations.transcript import ConversationKey, Exchange, State, Transcript
from vivavoce.errors import DataError
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Reply, Status
from vivavoce.statistics import mcnemar_exact, wilson

outcomes = st.sampled_from(list(TurnOutcome))
topics = st.sampled_from(["pay", "leave", "parking", "remote"])
runs = st.lists(st.lists(outcomes, min_size=1, max_size=5), min_size=1, max_size=8)


def held(conversations: list[list[TurnOutcome]]) -> list[Line]:
    return [one for place, turns in enumerate(conversations) for one in talk(turns, f"s{place}")]


@settings(max_examples=40, deadline=None)
@given(runs)
def test_outcomes_sum_to_the_turns_and_each_rate_lies_in_its_interval(conversations: list[list[TurnOutcome]]) -> None:
    cell = found(held(conversations)).cell("bot")
    assert sum(result_to_json(found(held(conversations)))["cells"][0]["outcomes"].values()) == cell.turns
    assert cell.turns == sum(map(len, conversations))
    assert cell.conversations == len(conversations)
    for name, rate in cell.rates.items():
        if rate.value is not None and rate.low is not None and rate.high is not None:
            assert 0 <= rate.low <= rate.high <= 1, name


@settings(max_examples=25, deadline=None)
@given(runs, st.randoms())
def test_the_order_of_lines_makes_no_difference(
    conversations: list[list[TurnOutcome]], chance: random.Random
) -> None:
    lines = held(conversations)
    shuffled = chance.sample(lines, len(lines))
    assert result_to_json(found(lines)) == result_to_json(found(shuffled))


def test_there_is_a_cell_for_each_bot_domain_and_level_and_for_all_of_them() -> None:
    places = [("x", "basic"), ("x", "complex"), ("y", "basic")]
    lines = [
        line(R, f"{domain}-{level}", bot=bot, domain=domain, level=level)
        for bot in ("a", "b")
        for domain, level in places
    ]
    cells = found(lines, "a", "b").cells
    wanted = [("", ""), ("", "basic"), ("", "complex"), ("x", ""), *places[:2], ("y", ""), places[2]]
    assert [(cell.domain, cell.level) for cell in cells if cell.bot == "b"] == wanted
    assert [cell.bot for cell in cells] == ["a"] * 8 + ["b"] * 8


def test_errors_and_turns_not_reached_enter_no_denominator() -> None:
    with_errors = found([*talk([R, W], "s"), *talk([E, X], "t")]).cell("bot")
    assert with_errors.rates["accuracy"].n == 2
    assert with_errors.rates["accuracy"].value == 0.5
    assert (with_errors.counts.error, with_errors.counts.not_reached) == (1, 1)


@pytest.mark.parametrize(("errors", "incomplete"), [(1, False), (2, True)])
def test_more_than_five_per_cent_of_errors_make_a_cell_incomplete(errors: int, incomplete: bool) -> None:
    lines = [line(E if place < errors else R, f"s{place}") for place in range(20)]
    result = found(lines)
    assert result.cell("bot").incomplete is incomplete
    assert any("incomplete" in warning for warning in result.warnings) is incomplete


def test_the_fallback_rate_counts_every_reply_checked_or_not() -> None:
    cell = found(talk([M, D, R, U, N, E])).cell("bot")
    assert (cell.rates["fallback_rate"].value, cell.rates["fallback_rate"].n) == (0.5, 4)


def test_nothing_counted_is_not_available_rather_than_zero() -> None:
    cell = found(talk([U, U])).cell("bot")
    assert {name for name, rate in cell.rates.items() if rate.value is not None} == {"fallback_rate"}


def test_a_run_without_any_line_has_cells_without_values() -> None:
    cell = found([], "bot").cell("bot")
    assert cell.turns == 0
    assert all(rate.value is None for rate in cell.rates.values())


# Typos


def typo_lines() -> list[Line]:
    clean, misspelt = [R, R, R, W, M], [R, W, M, R, M]
    lines = [line(one, f"s{n}") for n, one in enumerate(clean)]
    lines += [line(one, f"s{n}~typo", kind="typo", twin=(f"s{n}", 1)) for n, one in enumerate(misspelt)]
    return [*lines, line(D, "out~typo", kind="typo"), line(R, "alone~typo", kind="typo")]


def test_misspelt_turns_are_measured_alone_and_beside_their_clean_twins() -> None:
    cell = found(typo_lines()).cell("bot")
    assert (cell.rates["comprehension_rate"].value, cell.rates["comprehension_rate"].n) == (0.5, 6)
    assert (cell.rates["clean_twin_rate"].value, cell.rates["clean_twin_rate"].n) == (0.6, 5)
    assert cell.rates["retention"].value == pytest.approx(1 / 3)
    assert cell.rates["retention"].n == 3
    assert (cell.twins.both, cell.twins.only_clean, cell.twins.only_typo, cell.twins.neither) == (1, 2, 1, 1)
    assert cell.twins.p == mcnemar_exact(2, 1)
    assert cell.typo_out_of_scope == 1


def test_a_twin_that_could_not_be_run_is_no_pair() -> None:
    cell = found([line(E, "s"), line(R, "s~typo", kind="typo", twin=("s", 1))]).cell("bot")
    assert cell.twins.n == 0
    assert cell.twins.p is None
    assert cell.rates["comprehension_rate"].n == 1


def test_repeats_of_a_message_are_one_pair_of_the_test_for_misspelling() -> None:
    lines = [one for n in range(3) for one in pair_lines("+" * 12, "-" * 12, f"s{n}")]
    twins = found(lines, repeats=12).cell("bot").twins
    assert (twins.n, twins.only_clean, twins.p) == (3, 3, mcnemar_exact(3, 0))
    assert (twins.fewest_repeats, twins.most_repeats) == (12, 12)


@pytest.mark.parametrize(
    ("clean", "misspelt", "counts"),
    [
        ("++-", "+--", (0, 1, 0, 0)),
        ("+-", "++", (0, 0, 1, 0)),
        ("+-", "-+", (0, 0, 0, 1)),
        ("+++-", "++-+", (1, 0, 0, 0)),
    ],
)
def test_a_message_is_right_if_it_was_in_more_than_half_of_its_repeats(
    clean: str, misspelt: str, counts: tuple[int, ...]
) -> None:
    twins = found(pair_lines(clean, misspelt), repeats=len(clean)).cell("bot").twins
    assert (twins.both, twins.only_clean, twins.only_typo, twins.neither) == counts


def test_pairs_of_messages_sum_over_levels_whatever_the_repeats() -> None:
    result = found([*typo_lines(), *pair_lines("++", "--", "x")], repeats=2)
    assert result.cell("bot").twins.n == result.cell("bot", level="basic").twins.n == 6
    assert (result.cell("bot").twins.fewest_repeats, result.cell("bot").twins.most_repeats) == (1, 2)


# Whole conversations and repeats


def test_a_conversation_passes_when_all_its_counted_turns_do() -> None:
    cell = found([*talk([R, U, D], "a"), *talk([R, W], "b"), *talk([U], "c"), *talk([R, E], "d")]).cell("bot")
    assert (cell.rates["conversations_passed"].value, cell.rates["conversations_passed"].n) == (0.5, 2)
    assert cell.rates["mean_turn"].value == 0.75
    assert cell.rates["weakest_turn"].value == 0.5


def test_a_conversation_that_broke_off_has_not_passed() -> None:
    cell = found([*talk([R, X], "a"), *talk([W, X], "b"), *talk([R], "c")]).cell("bot")
    assert (cell.rates["conversations_passed"].value, cell.rates["conversations_passed"].n) == (0.5, 2)


def test_with_one_repeat_the_weakest_turn_is_the_share_of_conversations_passed() -> None:
    cell = found([*talk([R, W, R], "a"), *talk([R, R], "b"), *talk([D], "c")]).cell("bot")
    assert cell.rates["weakest_turn"] == cell.rates["conversations_passed"]
    assert "stability" not in cell.rates


def test_repeats_show_turns_that_flicker() -> None:
    lines = [one for n in range(4) for one in talk([R, R if n else W, W], "s", repeat=n)]
    result = found(lines, repeats=4)
    cell = result.cell("bot")
    assert [(one.number, one.passed, one.n) for one in result.unstable] == [(2, 3, 4)]
    assert cell.rates["stability"].value == pytest.approx(2 / 3)
    assert cell.rates["weakest_turn"].value == 0


def test_pass_hat_k_is_the_chance_that_k_repeats_all_pass() -> None:
    passes = [4, 3, 0]
    lines = [line(R if n < k else W, f"s{place}", repeat=n) for place, k in enumerate(passes) for n in range(4)]
    rates = found(lines, repeats=4).cell("bot").rates
    for k in range(1, 5):
        wanted = sum(comb(s, k) / comb(4, k) for s in passes) / 3
        assert rates[f"pass_hat_{k}"].value == pytest.approx(wanted)


@given(st.integers(1, 12), st.data())
def test_pass_hat_agrees_with_the_binomials(n: int, data: st.DataObject) -> None:
    passed, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, 13))
    chance, enough = pass_hat(np.array([float(n)]), np.array([float(passed)]), k)
    assert enough[0] == (n >= k)
    assert chance[0] == pytest.approx(comb(passed, k) / comb(n, k) if n >= k else 0)


# Topics and guesses


def test_macro_f1_gives_every_topic_asked_the_same_weight() -> None:
    lines = [line(R, f"s{n}", expected="big") for n in range(8)]
    lines += [line(W, "t", expected="small", intent="big")]
    result = found(lines)
    cell = result.cell("bot")
    assert cell.rates["macro_f1"].value == pytest.approx((2 * 8 / 17 + 0) / 2)
    rows = {row.intent: row for row in result.topics}
    assert rows["small"].confused_with == (("big", 1),)
    assert rows["big"].precision == pytest.approx(8 / 9)
    assert rows["big"].recall == 1


def test_without_wrong_replies_and_silence_topics_together_give_the_pooled_numbers() -> None:
    lines = [line(one, f"s{n}", expected="ab"[n % 2], intent="ba"[n % 2]) for n, one in enumerate([R, R, W, M, R, W])]
    result = found([*lines, line(O, "x", intent="a"), line(D, "y")])
    rows = [row for row in result.topics if row.intent is not None]
    asked = sum(row.n for row in rows)
    hits = sum((row.recall or 0) * row.n for row in rows)
    used = sum((row.recall or 0) * row.n / row.precision for row in rows if row.precision)
    assert hits / asked == pytest.approx(result.cell("bot").rates["recall"].value)
    assert hits / used == pytest.approx(result.cell("bot").rates["precision"].value)
    outside = result.topics[-1]
    assert (outside.intent, outside.n, outside.recall, outside.precision) == (None, 2, 0.5, 0.5)


def test_carefulness_is_told_only_of_bots_that_tell_their_guesses() -> None:
    silent = found(talk([M, D])).cell("bot")
    assert silent.rates["carefulness"].value is None
    told = [line(M, "a", guess_right=True), line(M, "b", guess_right=False), line(D, "c", guess_right=False), line(M)]
    assert found(told).cell("bot").rates["carefulness"].value == 0.5


def test_the_source_of_topics_is_said() -> None:
    mute = BotFacts("mute")
    lines = [line(M, bot="mute"), line(R, bot="bot")]
    result = found(lines, "bot", mute)
    assert [result.cell(bot).intent_source for bot in ("bot", "mute")] == ["bot", "reply_only"]
    assert result.comparisons[0].mixed_sources


# Times


def test_the_mean_time_is_that_of_conversations_and_timeouts_are_no_time() -> None:
    lines = [line(R, "a", n, first_ms=100, cold=n == 1) for n in range(1, 4)]
    lines += [line(R, "b", 1, first_ms=500, attempts=2), line(N, "b", 2)]
    times = found(lines).cell("bot").times
    assert times.mean.value == 300
    assert times.mean.n == 2
    assert times.pooled == 200
    assert times.last == 400
    assert times.p95 == pytest.approx(np.percentile([100, 100, 100, 500], 95))
    assert (times.turns, times.timeouts, times.retried, times.cold) == (4, 1, 1, 1)


def test_times_of_nearly_nothing_are_not_taken_for_shares() -> None:
    lines = [line(R, f"s{n}", first_ms=float(n % 2)) for n in range(10)]
    mean = found(lines).cell("bot").times.mean
    assert mean.value == 0.5
    assert mean != wilson(5, 10)


# Intervals


def test_independent_turns_get_wilsons_interval() -> None:
    lines = [line(R if n < 17 else W, f"s{n}") for n in range(20)]
    assert found(lines).cell("bot").rates["accuracy"] == wilson(17, 20)


def test_turns_of_one_conversation_make_an_interval_wider_than_independent_ones() -> None:
    lines = [one for n in range(20) for one in talk([R if n < 14 else W] * 6, f"s{n}")]
    clustered = found(lines).cell("bot").rates["accuracy"]
    alone = wilson(84, 120)
    assert clustered.n == 120
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)  # type: ignore[operator]


def test_repeats_and_misspelt_copies_do_not_make_the_exam_more_certain() -> None:
    once = [line(R if n < 14 else W, f"s{n}") for n in range(20)]
    again = [line(R if n < 14 else W, f"s{n}", repeat=k) for n in range(20) for k in range(5)]
    copies = [
        line(R if n < 14 else W, f"s{n}~typo", kind="typo", twin=(f"s{n}", 1), scenario=f"c{n}") for n in range(20)
    ]
    width = width_of(found(once).cell("bot").rates["accuracy"])
    assert width_of(found(again, repeats=5).cell("bot").rates["accuracy"]) > 0.9 * width
    assert width_of(found([*once, *copies]).cell("bot").rates["accuracy"]) > 0.9 * width


def width_of(rate: object) -> float:
    return rate.high - rate.low  # type: ignore[attr-defined, no-any-return]


def test_rows_of_one_scenario_are_drawn_together_unless_there_is_no_other() -> None:
    rows = [line(R if n < 14 else W, f"s/{n}", scenario="s") for n in range(20)]
    assert found(rows).cell("bot").rates["accuracy"] == wilson(14, 20)
    two = found([*rows, line(R, "t")]).cell("bot").rates["accuracy"]
    assert width_of(two) > width_of(wilson(14, 20))


def test_a_perfect_score_of_few_conversations_is_not_certain() -> None:
    lines = [one for n in range(5) for one in talk([R, R, R], f"s{n}")]
    rate = found(lines).cell("bot").rates["accuracy"]
    assert rate.value == 1
    assert rate.low == wilson(5, 5).low
    assert rate.n == 15


def test_no_chance_enters_the_intervals_of_rates() -> None:
    lines = [one for n in range(20) for one in talk([R if n % 3 else W, R if n % 2 else M], f"s{n}")]
    first, other = (find(header(), lines, seed=seed).cells for seed in (1, 2))
    assert first[0].rates == other[0].rates


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.tuples(topics, topics), min_size=1, max_size=4), min_size=2, max_size=12))
def test_mean_f1_without_each_scenario_is_that_of_the_others(conversations: list[list[tuple[str, str]]]) -> None:
    lines = [
        line(R if asked == used else W, f"s{n}", number + 1, expected=asked, intent=used)
        for n, turns in enumerate(conversations)
        for number, (asked, used) in enumerate(turns)
    ]
    table = count_topics(columns_of(lines, ["bot"], header().plan))
    dense = table.toarray()
    expected = macro_f1(dense.sum(axis=0) - dense)
    assert macro_f1_without(table) == pytest.approx(expected, nan_ok=True)


# From transcripts


def test_transcripts_become_lines_one_for_each_turn_of_the_script() -> None:
    turns = tuple(
        ScriptTurn(n, f"t{n}", "hello", Expectation(intents=("greet",), any=(Pattern("hi"),))) for n in (1, 2)
    )
    script = Script("s", "s", "", "d", "basic", turns)
    reply = Reply(("hi",), intent="greet", confidence=0.9)
    exchange = Exchange(1, "hello", Status.OK, reply, first_ms=5, last_ms=9)
    transcript = Transcript(ConversationKey("bot", "s"), State.DONE, (exchange,))
    lines = list(make_lines(header(scripts=[script]), [transcript]))
    assert [one.verdict.outcome for one in lines] == [R, X]
    assert (lines[0].first_ms, lines[0].expected, lines[1].status) == (5, ("greet",), "not_reached")


def test_a_transcript_of_an_unknown_script_is_refused() -> None:
    with pytest.raises(DataError, match="'nowhere'"):
        list(make_lines(header(), [Transcript(ConversationKey("bot", "nowhere"), State.DONE, ())]))


# JSON


def test_the_json_form_has_the_stable_names() -> None:
    shown = result_to_json(found(typo_lines()), turns=True)
    assert (shown["kind"], shown["definitions"], shown["data"]["hash"]) == ("conversations", 1, "abc")
    cell = shown["cells"][0]
    names = "fallback_rate fallback_in_scope fallback_out_of_scope comprehension_rate retention accuracy precision"
    for name in (*names.split(), "recall", "f1"):
        assert set(cell[name]) in ({"value", "low", "high", "n"}, {"value", "n"}), name
    assert {"mean", "p50", "p95", "p99"} <= set(cell["response_time_ms"])
    assert (cell["domain"], cell["level"]) == (None, None)
    assert not [name for name in cell if "literal" in name]
    assert "echo_literal_unclassified" in shown["echo_literal"][0]
    assert len(shown["turns"]) == 12
    assert "turns" not in result_to_json(found(typo_lines()))


def test_every_rate_is_documented() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "conversations.md").read_text(encoding="utf-8")
    lines = [one for n in range(2) for one in talk([R], repeat=n)]
    cell = found(lines, repeats=2).cell("bot")
    assert [name for name in (*cell.rates, *cell.literal) if f"`{name}`" not in text] == []
