"""A number is written alike wherever it is shown, and every exam's numbers come from one table."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.records import Rate
from vivavoce.reports.conversations import html, markdown, tables
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, measure_of
from vivavoce.reports.conversations.meanings import MAIN as CONVERSATION_MAIN
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared import layout, views
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import ENGLISH
from vivavoce.web.cells import rate_cell as page_cell
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.pages.conversations.numbers import number_cell
from vivavoce.web.rendering import environment

PAGE, GERMAN = Writer(Words("en")), Writer(Words("de"))
NAMES = [*CONVERSATION_MEASURES, "pass_hat_3"]
ALL = [*MEASURES.values(), *map(measure_of, NAMES), *DIALOGUE_MEASURES.values()]


@st.composite
def rates(draw: st.DrawFn) -> Rate:
    if draw(st.integers(0, 9)) == 0:
        return Rate(None, None, None, 0)
    low, value, high = sorted(draw(st.tuples(*[st.floats(0, 1)] * 3)))
    known = draw(st.booleans())
    return Rate(value, low if known else None, high if known else None, draw(st.integers(1, 3000)))


@given(rates(), st.sampled_from(ALL))
def test_page_and_report_and_terminal_write_a_rate_alike(rate: Rate, measure: Measure) -> None:
    value, around, counted = ENGLISH.parts(rate, measure)
    page = PAGE.parts(rate, measure)
    assert (page.value, page.around, page.counted.replace("\u00a0", " ")) == (value, around, counted)
    report = views.rate_cell(rate, measure)
    assert (report.text, report.small) == (value, around)
    cell = page_cell(Words("en"), rate, measure, counted=False)
    assert (cell.text, cell.small) == (value, around)
    if not measure.few:
        lines = layout.rate_cell(rate, measure.kind).plain.split("\n")
        assert lines == [part for part in (value, around) if part]


@given(rates(), st.sampled_from(NAMES))
def test_the_numbers_of_conversations_are_written_alike(rate: Rate, name: str) -> None:
    value, around, counted = ENGLISH.parts(rate, measure_of(name))
    page, report = number_cell(Words("en"), name, rate), html.rate_part(name, rate)
    assert page.text == report.text == tables.rate_cell(name, rate).plain.split("\n")[0] == value
    assert page.small == around
    assert report.small.startswith(", ".join(part for part in (around, counted) if part))
    assert markdown.write_rate(name, rate) == (f"{value} ({around})" if around else value)


@pytest.mark.parametrize("name", ["f1", "macro_f1", "mean_turn", "weakest_turn", "pass_hat_2"])
def test_a_mean_of_few_is_never_counted_out(name: str) -> None:
    rate = Rate(0.83, 0.6, 0.9, 4)
    shown = {number_cell(Words("en"), name, rate).text, html.rate_part(name, rate).text}
    assert shown == {"0.83" if name == "macro_f1" else "83 %"}


@given(rates(), st.sampled_from(ALL))
def test_another_language_writes_the_same_number(rate: Rate, measure: Measure) -> None:
    digits = [[letter for letter in text if letter.isdigit()] for text in ENGLISH.parts(rate, measure)]
    assert [[letter for letter in text if letter.isdigit()] for text in GERMAN.parts(rate, measure)] == digits


def test_the_macro_of_pages_is_the_block_of_reports() -> None:
    rate, measure = Rate(0.72, 0.68, 0.76, 2209), MEASURES["accuracy"]
    shown = environment().get_template("parts.html").module.rate(rate, measure)  # type: ignore[attr-defined]
    assert "72 %" in shown
    assert "68 to 76 %, n&nbsp;=&nbsp;2,209" in shown


def test_the_main_numbers_follow_from_the_table() -> None:
    assert MAIN == ("automation_rate", "precision_answered", "negative_rejection", "accuracy")
    seven = ("time", "fallback_rate", "comprehension_rate", "accuracy", "precision", "recall", "f1")
    assert seven == CONVERSATION_MAIN


@pytest.mark.parametrize("exam", ["intents", "conversations", "dialogues"])
def test_the_report_of_an_exam_loads_no_other_report(exam: str) -> None:
    code = f"import sys\nimport vivavoce.reports.{exam}.html\nprint(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    rooms = {name.split(".")[2] for name in told.split() if name.startswith("vivavoce.reports.")}
    assert rooms == {exam, "shared"}
    exams = {name.split(".")[1] for name in told.split() if name.startswith("vivavoce.")}
    assert exams & {"intents", "conversations", "dialogues"} == {exam}
