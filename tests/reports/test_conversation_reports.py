"""The report and the terminal view of a run: complete, true, and harmless whatever a bot says."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from rich.console import Console
from talk_runs import HOSTILE, NOTICE, Behaviour, broken, good, hostile, middling, poor, scripts, write_run

from vivavoce.conversations.exam import score_run
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.record import RunRecord
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.html import render_conversations
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, OUTCOME_NAMES, measure_of
from vivavoce.reports.conversations.tables import show_conversations
from vivavoce.reports.conversations.transcripts import gist
from vivavoce.reports.shared.texts import shorten, visible

Run = tuple[ConversationsResult, RunRecord]
# With the result itself, which keeps its id for it.
PAGES: dict[int, tuple[ConversationsResult, str]] = {}
BOTS: dict[str, dict[str, Behaviour]] = {
    "one": {"good": good},
    "two": {"poor": poor, "good": good},
    "three": {"poor": poor, "mid": middling, "good": good},
    "same": {"first": middling, "second": middling},
    "hostile": {"[b]bot[/b]": hostile, "good": good},
    "failed": {"dead": broken},
    "half": {"dead": broken, "good": good},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    folder = tmp_path_factory.mktemp("runs")
    records = {name: write_run(folder / name, bots) for name, bots in BOTS.items()}
    yield {name: (score_run(record), record) for name, record in records.items()}
    for record in records.values():
        record.close()


@pytest.fixture(params=BOTS)
def run(request: pytest.FixtureRequest, runs: dict[str, Run]) -> Run:
    return runs[request.param]


def terminal(run: Run, *, width: int = 100, verbose: bool = False, literal: bool = False) -> str:
    out = io.StringIO()
    show_conversations(Console(file=out, width=width), *run, verbose=verbose, literal=literal)
    return out.getvalue()


def page_of(result: ConversationsResult, record: RunRecord) -> str:
    """Return the report of a run, which is drawn once for all tests that read it."""
    if id(result) not in PAGES:
        PAGES[id(result)] = result, render_conversations(result, record)
    return PAGES[id(result)][1]


def words(html: str) -> str:
    """Return the text of a page."""
    body = re.sub(r"<(style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


# --- true sentences ----------------------------------------------------------------------------------------------


def test_the_headline_names_the_best_bot_where_it_is_shown_to_be_better(runs: dict[str, Run]) -> None:
    said = wording.headline(runs["three"][0])
    assert said.startswith("good is the best of 3 bots: right in 100 % of 60 turns")
    assert "points ahead of mid" in said


def test_two_bots_that_do_the_same_are_too_close_to_call(runs: dict[str, Run]) -> None:
    result, record = runs["same"]
    assert wording.headline(result).startswith("first and second are too close to call: right in 30 of 60 turns")
    for text in (terminal((result, record), verbose=True), words(page_of(result, record))):
        assert "better than" not in text
        assert "best of" not in text


def test_two_bots_far_apart_in_few_scenarios_are_not_called_close(runs: dict[str, Run]) -> None:
    result = runs["same"][0]
    apart = tuple(replace(one, difference=0.8, low=0.6, high=1.0, differing=4) for one in result.comparisons)
    said = wording.headline(replace(result, comparisons=apart))
    assert said.startswith("Too few scenarios to say which of first and second is better: right in 30 of 60 turns")


def test_better_is_said_only_of_a_bot_that_a_comparison_calls_better(run: Run) -> None:
    result, record = run
    whole = [one for one in result.comparisons if not one.domain and not one.level]
    real = {(one.a, one.b) for one in whole if one.verdict == f"{one.a} better"}
    real |= {(one.b, one.a) for one in whole if one.verdict == f"{one.b} better"}
    text = f"{wording.headline(result)} {words(page_of(result, record))}"
    for a in result.header.bots:
        for b in result.header.bots:
            assert (f"{a.name} is better than {b.name}" in text) <= ((a.name, b.name) in real)


def test_one_bot_is_told_with_its_count_and_interval(runs: dict[str, Run]) -> None:
    result, _ = runs["one"]
    assert wording.headline(result) == "good was right in 100 % of 60 turns of 20 conversations."
    assert "with other conversations" in wording.second_sentence(result).casefold()


def test_a_bot_that_could_not_be_examined_wins_and_loses_nothing(runs: dict[str, Run]) -> None:
    result, record = runs["half"]
    assert "no other bot could be tested" in wording.headline(result)
    assert "better than" not in words(page_of(result, record))


def test_fallback_is_called_neither_good_nor_bad(run: Run) -> None:
    assert "neither good nor bad" in terminal(run).replace("\n", " ").replace("  ", " ")
    assert "neither good nor bad" in words(page_of(*run))
    assert measure_of("fallback_rate").better == "neither"


def test_a_run_in_which_everything_failed_says_so_and_shows_no_zero_percent(runs: dict[str, Run]) -> None:
    result, record = runs["failed"]
    page, shown = words(page_of(result, record)), terminal((result, record), verbose=True)
    for text in (page, shown):
        assert "Nothing could be counted" in text
        assert "not completed" in text
        assert "n/a" in text
        assert "0 %" not in text


def test_few_turns_are_counted_out_and_not_given_as_a_share(tmp_path: Path) -> None:
    with write_run(tmp_path / "few", {"good": good}, plan=scripts(2)) as record:
        result = score_run(record)
        assert wording.headline(result) == "good was right in 6 of 6 turns of 2 conversations."
        assert "too few" in terminal((result, record))
        assert "6 of 6 turns right" in words(page_of(result, record))


def test_conversations_that_were_not_held_are_said_first(tmp_path: Path) -> None:
    with write_run(tmp_path / "cut", {"good": good}, held=5) as record:
        result = score_run(record)
        page = words(page_of(result, record))
        assert page.index("15 conversations not run yet") < page.index("The seven metrics")
        assert "15 conversations not run yet" in terminal((result, record))


# --- everything is there -----------------------------------------------------------------------------------------


def test_every_bot_number_and_outcome_stands_in_the_report(run: Run) -> None:
    page = words(page_of(*run))
    for bot in run[0].header.bots:
        assert bot.name in page
    for measure in CONVERSATION_MEASURES.values():
        assert measure.title in page
        assert measure.meaning in page
    for outcome, name in OUTCOME_NAMES.items():
        assert name in page
        assert f"In JSON: {outcome}." in page


def test_every_outcome_has_a_name_of_its_own() -> None:
    assert set(OUTCOME_NAMES) == set(TurnOutcome)
    assert len(set(OUTCOME_NAMES.values())) == len(TurnOutcome)


def test_every_link_of_the_report_leads_somewhere_in_it(run: Run) -> None:
    page = page_of(*run)
    targets = set(re.findall(r' id="([^"]+)"', page))
    links = re.findall(r' href="([^"]+)"', page)
    assert links
    assert {link.removeprefix("#") for link in links} <= targets


def test_every_share_in_the_seven_numbers_has_its_interval_or_count(run: Run) -> None:
    page = page_of(*run)
    section = page[page.index("The seven metrics") : page.index("<h2>", page.index("The seven metrics") + 20)]
    cells = re.findall(r'<td class="n">(.*?)</td>', section)
    assert len(cells) % 7 == 0
    for cell in cells:
        assert ">n/a<" in f">{cell}<" or "<small>" in cell


def test_the_report_is_one_file_without_script_or_network(run: Run) -> None:
    page = page_of(*run)
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert "url(http" not in page


def test_the_same_record_gives_the_same_bytes(runs: dict[str, Run]) -> None:
    result, record = runs["three"]
    assert render_conversations(result, record) == render_conversations(score_run(record), record)


def test_the_papers_values_stand_apart_under_their_own_names(runs: dict[str, Run]) -> None:
    result, record = runs["three"]
    page = words(page_of(result, record))
    apart = page[page.index("As defined in the ECHO paper") :]
    for name in result.cells[0].literal:
        assert name in apart
        assert name not in page[: page.index("As defined in the ECHO paper")]
    assert wording.LITERAL in apart
    assert "ECHO" not in terminal((result, record))
    assert "echo_literal_" in terminal((result, record), literal=True)


def test_conversations_stand_from_easy_to_hard_and_those_with_most_faults_first(runs: dict[str, Run]) -> None:
    page = page_of(*runs["three"])
    part = page[page.index("Conversations side by side") :]
    assert part.index("Basic (10 conversations)") < part.index("Complex (10 conversations)")
    basic = part[part.index("Basic (10") : part.index("Complex (10")]
    places = [int(place) for place in re.findall(r"<b>Money (\d+)</b>", basic)]
    assert sorted(places) == list(range(0, 20, 2))
    result = runs["three"][0]
    faults = [
        sum(
            line.verdict.outcome.counted and not line.verdict.outcome.passed
            for line in result.lines
            if line.key.script == f"talk-{place:02}"
        )
        for place in places
    ]
    assert faults == sorted(faults, reverse=True)


# --- the terminal ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_line_is_wider_than_the_window_and_no_column_is_lost(run: Run, width: int) -> None:
    shown = terminal(run, width=width, verbose=True, literal=True)
    assert max(len(line) for line in shown.splitlines()) <= width
    for title in ("Time", "Fallback", "Misspelt", "Right", "Precision", "Recall", "F1"):
        assert re.search(rf"\b{title}\b", shown)


def test_three_bots_fit_on_about_two_screens(runs: dict[str, Run]) -> None:
    assert len(terminal(runs["three"]).splitlines()) <= 80


def test_verbose_shows_no_less(run: Run) -> None:
    assert len(terminal(run, verbose=True)) > len(terminal(run))


def test_problems_are_sentences_with_a_real_example(runs: dict[str, Run]) -> None:
    shown = terminal(runs["two"])
    part = shown[shown.index("What to fix first") :]
    assert re.search(r"^1\. [A-Z]", part, flags=re.MULTILINE)
    assert "“when is money number" in part
    assert NOTICE not in part


def test_long_names_of_bots_and_levels_leave_the_numbers_their_room(tmp_path: Path) -> None:
    plan = scripts(12, levels=("a level with quite a name for itself", "basic"))
    with write_run(tmp_path / "long", {"https://bots.example.org/" + "x" * 60: good}, plan=plan) as record:
        shown = terminal((score_run(record), record))
    assert max(len(line) for line in shown.splitlines()) <= 100
    assert re.search(r"Time +Fallback +Misspelt +Right +Precision +Recall +F1", shown)
    assert shown.count("100 %") >= 9


def test_a_single_level_is_named_and_not_shown_twice(tmp_path: Path) -> None:
    with write_run(tmp_path / "level", {"good": good}, plan=scripts(12, levels=("medium",))) as record:
        run = score_run(record), record
        shown, page = terminal(run), words(page_of(*run))
    assert "Work, medium" in shown
    assert "Work, medium" in page
    assert shown.count("36 turns") == 2  # in the headline and in the one row


def test_levels_of_a_suites_own_stand_after_the_known_ones() -> None:
    assert wording.level_order(["odd", "complex", "basic", "odd"]) == ["basic", "complex", "odd"]


# --- text of bots ------------------------------------------------------------------------------------------------


def test_what_a_bot_says_is_text_in_page_and_terminal(runs: dict[str, Run]) -> None:
    result, record = runs["hostile"]
    page = page_of(result, record)
    assert "<script" not in page
    assert "&lt;script&gt;alert" in page
    assert "日本語 😀" in page
    shown = terminal((result, record), verbose=True)
    assert "[bold]loud[/bold]" in shown.replace("\n", " ")
    assert "[b]bot[/b]" in shown
    assert "\x1b" not in shown
    assert "\x1b" not in page


def test_nothing_of_a_reply_is_lost_but_what_steers_a_terminal() -> None:
    assert visible(HOSTILE) == HOSTILE.replace("\x1b", "")
    assert visible("a\u202eb\tc\nd") == "ab\tc\nd"


def test_long_texts_are_cut_between_words_and_never_longer_than_asked() -> None:
    text = "one two three four five six seven"
    for most in range(10, 40):
        short = shorten(text, most)
        assert len(short) <= most
        assert short == text or short.endswith("...")
        assert text.startswith(short.removesuffix("..."))
    assert len(shorten("x" * 500, 100)) == 100


def test_the_gist_of_a_reply_is_its_end_without_the_notice() -> None:
    reply = f"{NOTICE}\nFirst, a long word of welcome to everybody who reads this.\nThe train leaves at nine."
    assert gist(reply, NOTICE, 200) == " ".join(reply.splitlines()[1:])
    assert gist(reply, NOTICE, 60) == "... The train leaves at nine."
    assert gist(NOTICE, NOTICE) == NOTICE
    assert gist("", NOTICE) == ""
