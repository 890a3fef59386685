"""Dialogues in the terminal and as rows: readable at every width, true, and harmless."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from dialogue_results import CASES, HOSTILE, SHORT, agreement, hostile, many, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.dialogues.result import DialoguesResult
from vivavoce.records import Rate
from vivavoce.reports.dialogues.facts import count_facts
from vivavoce.reports.dialogues.tables import (
    ROW_COLUMNS,
    bar_line,
    dialogue_rows,
    print_agreement,
    print_dialogues,
    print_explanation,
    print_reproduction,
    write_dialogue_rows,
)


def terminal(result: DialoguesResult, width: int = 100) -> str:
    out = io.StringIO()
    print_dialogues(Console(file=out, width=width), result)
    return out.getvalue()


def explained(result: DialoguesResult, place: int = 0) -> str:
    out = io.StringIO()
    print_explanation(Console(file=out, width=100), result.dialogues[place], result.scores[place])
    return out.getvalue()


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("case", CASES)
def test_every_result_fits_the_window(case: str, width: int) -> None:
    text = terminal(CASES[case](), width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.encode("utf-8")


def test_the_verdict_comes_first_then_scores_bots_and_what_to_read() -> None:
    text = flat(terminal(many(90)))
    marks = (
        "You can compare bots with these scores.",
        "90 dialogues read, 81 scored, 9 not scored, 60 rated by people.",
        "Mean score 3.",
        "Which bot is better?",
        "Score contradicts ratings or checks (5 of 27)",
        "Lowest score (5 of 81)",
        "How far can you trust these scores?",
        f"9 not scored: {SHORT[0].upper()}{SHORT[1:]}.",
    )
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)


def test_the_interval_and_the_count_stand_beside_the_mean() -> None:
    assert "(2.94 to 3.26, n = 81)" in terminal(many(90))


def test_markup_of_a_log_is_shown_as_it_is() -> None:
    text = terminal(hostile())
    assert "[red]b[/red]" in text
    assert "[bold]" in text


@settings(deadline=None)
@given(counts=st.lists(st.integers(0, 10_000), min_size=1, max_size=16))
def test_a_bar_is_empty_only_where_nothing_is(counts: list[int]) -> None:
    line = bar_line(counts)
    assert len(line) == len(counts)
    assert [bar == " " for bar in line] == [count == 0 for count in counts]
    heights = sorted(zip(counts, line, strict=True))
    assert [bar for _, bar in heights] == sorted(line), "more is never drawn lower"


# --- one talk ----------------------------------------------------------------------------------------------------


def test_an_explanation_shows_each_message_with_its_effect() -> None:
    result = many(30)
    text = explained(result)
    assert text.lstrip().startswith("talk-00000: 4.05 (2.8 to 5.0)")
    rows = [line for line in text.splitlines() if "person " in line or "bot " in line]
    for turn, effect in zip(result.dialogues[0].turns, result.scores[0].turns, strict=True):
        assert any(turn.text[:30] in row and f"{effect.effect:+.2f}" in row for row in rows)
    assert "In 8 of 10 cases, a person's rating of such a dialogue is between 2.8 and 5.0." in text
    assert text.index("-0.31: the bot repeats itself") < text.index("+0.05: the person says thanks")


def test_a_refused_talk_is_explained_by_its_refusal_alone() -> None:
    text = explained(many(30), 9)
    assert "talk-00009: no score" in text
    assert "The person says less than two things." in text
    assert "Effect" not in text


def test_a_talk_of_ten_thousand_messages_is_explained_in_bearable_length() -> None:
    text = explained(hostile(), 1)
    assert len(text.splitlines()) < 300
    assert "more, which moved the score less" in text


def test_a_hostile_talk_is_explained_without_harm() -> None:
    text = explained(hostile())
    assert "<script>" in text
    assert HOSTILE not in text
    assert "(nothing)" in text
    assert explained(hostile(), 2)


# --- trust -------------------------------------------------------------------------------------------------------


def test_agreement_is_shown_for_each_kind_of_talk_with_intervals() -> None:
    out = io.StringIO()
    print_agreement(Console(file=out, width=110), {"overall": agreement(60), "human-bot": agreement(7)})
    text = flat(out.getvalue())
    assert (
        "On 60 rated dialogues in this log, the correlation of scores and people's ratings is 0.41 (Pearson, 0.31"
    ) in text
    assert "Tested on Dialogues Pearson" in text
    assert "All dialogues 60 0.41 0.43 0.32 1.37 0.55 3" in text
    assert "Fewer than 10 rated dialogues say almost nothing." in text


def test_agreement_where_a_rater_learnt_counts_marks() -> None:
    out = io.StringIO()
    found = {"overall": agreement(60), "human-bot": agreement(7)}
    print_agreement(Console(file=out, width=110), found, where="of a contest", counted="rating")
    text = flat(out.getvalue())
    assert "On 60 ratings of dialogues of a contest" in text
    assert "Tested on Ratings Pearson" in text
    assert "Fewer than 10 ratings say almost nothing." in text


def test_every_score_comes_with_what_the_rater_learnt_from_and_its_numbers() -> None:
    for case in ("three bots", "no marks", "one"):
        text = flat(terminal(CASES[case]()))
        assert "Trained on ConvAI 2017, July (2,000 dialogues), licence Apache-2.0." in text
        assert ("n = 2,000 ratings) overall, 0.46 (0.36 to 0.56, n = 1,500) with bots, 0.40 (0.30 to 0.50,") in text
        assert "cross-validation" not in text


def test_agreement_without_marks_says_that_nobody_knows() -> None:
    nothing = Rate(None, None, None, 0)
    empty = replace(agreement(0), pearson=nothing, spearman=nothing, kendall=nothing, mse=nothing, slope=None)
    for agreements in ({}, {"overall": empty}):
        out = io.StringIO()
        print_agreement(Console(file=out, width=110), agreements)
        assert "it is unknown how well the scores fit" in out.getvalue()
    assert "n/a" in out.getvalue()


def test_a_reproduction_is_a_table_with_a_head() -> None:
    out = io.StringIO()
    rows = [("Model", "Published", "Here"), ("GRU", "0.39", "0.37"), ("[b]HRE[/b]", "0.42", "0.40")]
    print_reproduction(Console(file=out, width=80), rows, title="Table 1", notes=["five fixed splits"])
    text = flat(out.getvalue())
    assert "Table 1 Model Published Here" in text
    assert "[b]HRE[/b] 0.42 0.40 Five fixed splits." in text


# --- rows --------------------------------------------------------------------------------------------------------


def test_there_is_one_row_for_each_dialogue_in_order() -> None:
    result = many(90)
    rows = list(dialogue_rows(result))
    assert [row[0] for row in rows] == [dialogue.id for dialogue in result.dialogues]
    assert {len(row) for row in rows} == {len(ROW_COLUMNS)}
    for row, score in zip(rows, result.scores, strict=True):
        named = dict(zip(ROW_COLUMNS, row, strict=True))
        assert (named["score"] == "") == (score.score is None) == bool(named["refusal"])
        if score.score is not None:
            assert float(named["score"]) == pytest.approx(score.score, abs=1e-4)


def test_rows_are_harmless_in_a_spreadsheet(tmp_path: Path) -> None:
    result = many(3)
    first = replace(result.dialogues[0], bot="=cmd()")
    formula = replace(
        result, dialogues=(first, *result.dialogues[1:]), scores=(refused(first, "+1"), *result.scores[1:])
    )
    write_dialogue_rows(tmp_path / "rows.csv", formula)
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert tuple(rows[0]) == ROW_COLUMNS
    assert (rows[0]["bot"], rows[0]["refusal"]) == ("'=cmd()", "'+1")
    assert rows[1]["score"]


def test_what_happened_is_counted_in_one_table() -> None:
    turns = (Utterance("visitor", "hello there", is_bot=False), Utterance("bot", "I do not understand.", is_bot=True))
    counts = count_facts([Dialogue("a", turns), Dialogue("b", turns[:1]), Dialogue("c", ())])
    assert {str(kind): (rate.value, rate.n) for kind, rate in counts.items()} == {
        "no_answer": (pytest.approx(1 / 3), 3),
        "ended_after_fallback": (pytest.approx(1 / 3), 3),
        "fallback": (pytest.approx(1 / 3), 3),
    }
