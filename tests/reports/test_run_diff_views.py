"""Two runs side by side in terminal, page and Markdown: what changed, in whose words, and whether it is real."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from talk_runs import Behaviour, good, middling, poor, scripts, write_run

from vivavoce.conversations.exam import score_run
from vivavoce.conversations.findings.comparison import diff_runs
from vivavoce.conversations.result import RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.reports.conversations.html import render_run_diff
from vivavoce.reports.conversations.markdown import render_diff_summary
from vivavoce.reports.conversations.tables import show_run_diff
from vivavoce.reports.conversations.wording import diff_headline

Pair = tuple[RunDiff, RunRecord, RunRecord]


def pair(folder: Path, then: dict[str, Behaviour], now: dict[str, Behaviour], *, edited: bool = False) -> Pair:
    plan = scripts()
    later = [replace(script, version="new") if edited and n < 2 else script for n, script in enumerate(plan)]
    before, after = write_run(folder / "before", then, plan=plan), write_run(folder / "after", now, plan=later)
    return diff_runs(score_run(before), score_run(after)), before, after


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pair]]:
    folder = tmp_path_factory.mktemp("pairs")
    made = {
        "better": pair(folder / "a", {"bot": middling}, {"bot": good}),
        "worse": pair(folder / "b", {"bot": good}, {"bot": middling}),
        "same": pair(folder / "c", {"bot": middling}, {"bot": middling}),
        "renamed": pair(folder / "d", {"old": poor}, {"new": good}),
        "edited": pair(folder / "e", {"bot": poor}, {"bot": good}, edited=True),
        "two": pair(folder / "f", {"a": poor, "b": good}, {"a": good, "b": middling}),
    }
    yield made
    for _, before, after in made.values():
        before.close()
        after.close()


def views(pair: Pair, *, verbose: bool = True) -> tuple[str, str, str]:
    out = io.StringIO()
    show_run_diff(Console(file=out, width=100), *pair, verbose=verbose)
    return out.getvalue(), render_run_diff(*pair), render_diff_summary(*pair)


def test_the_headline_says_what_the_comparison_says(pairs: dict[str, Pair]) -> None:
    better, worse, same = (diff_headline(pairs[name][0]) for name in ("better", "worse", "same"))
    assert better == ("bot got better: of 60 turns in both runs, 30 improved, 0 got worse and 30 stayed the same.")
    assert worse == ("bot got worse: of 60 turns in both runs, 0 improved, 30 got worse and 30 stayed the same.")
    assert same == "Nothing changed: 60 turns in both runs, each passed or failed as before."
    assert diff_headline(pairs["two"][0]).startswith("Of 120 turns in both runs, 60 improved, 30 got worse")


def test_every_view_tells_the_difference_with_its_interval(pairs: dict[str, Pair]) -> None:
    for view in views(pairs["better"]):
        assert re.search(r"bot got better \(\+50 points, \+\d+ to \+\d+\)", view.replace("\n", " "))


def test_every_change_is_listed_with_message_and_both_replies(pairs: dict[str, Pair]) -> None:
    shown, page, markdown = views(pairs["worse"])
    assert shown.count("when is money number") == page.count("when is money number") == 10
    assert markdown.count("when is money number") > 0
    for view in (shown, page, markdown):
        assert "The money comes every month." in view
        assert "That depends." in view
        assert "wrong reply" in view


def test_a_renamed_bot_shows_what_it_said_under_its_old_name(pairs: dict[str, Pair]) -> None:
    for view in views(pairs["renamed"]):
        assert "That depends." in view
        assert "the conversation had already ended" not in view
        assert "new is better" in view


def test_edited_scripts_are_named_and_left_out(pairs: dict[str, Pair]) -> None:
    for view in views(pairs["edited"]):
        flat = " ".join(view.split())
        assert "2 conversations edited between the runs and excluded: talk-00, talk-01" in flat
        assert flat.casefold().count("edited") == 1
        assert "talk-00, turn" not in flat
        assert "talk-02, turn 1" in flat


def test_what_got_worse_comes_first(pairs: dict[str, Pair]) -> None:
    for view in views(pairs["two"]):
        assert view.index("Got worse (30)") < view.index("Improved (60)")


def test_the_terminal_shows_a_few_and_says_how_many_more(pairs: dict[str, Pair]) -> None:
    shown, _, _ = views(pairs["better"], verbose=False)
    assert "... and 20 more; --verbose shows all." in shown
    assert shown.count("talk-") == 10
    assert max(len(line) for line in shown.splitlines()) <= 100


def test_a_run_beside_itself_has_no_lists(pairs: dict[str, Pair]) -> None:
    for view in views(pairs["same"]):
        assert "Improved (" not in view
        assert "Got worse (" not in view
        assert "too close to call" not in view
        assert "bot: nothing changed in the 60 turns counted in both runs." in " ".join(view.split())


def test_the_same_runs_give_the_same_page(pairs: dict[str, Pair]) -> None:
    assert render_run_diff(*pairs["two"]) == render_run_diff(*pairs["two"])
