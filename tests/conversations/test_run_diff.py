"""Two runs side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from exams import D, E, M, R, W, header, line, talk

from vivavoce.conversations.findings.comparison import diff_runs
from vivavoce.conversations.findings.finding import find
from vivavoce.conversations.json_form import diff_to_json
from vivavoce.conversations.result import ConversationsResult, Line
from vivavoce.conversations.scenario import Script
from vivavoce.errors import UsageError


def run(lines: Iterable[Line], *bots: str, repeats: int = 1, **versions: str) -> ConversationsResult:
    scripts = [Script(name, name, "", "", "basic", (), version=version) for name, version in versions.items()]
    return find(header(*bots, scripts=scripts, repeats=repeats), list(lines))


def test_turns_that_changed_sides_are_told_and_the_others_counted() -> None:
    before, after = run(talk([R, W, M, R, D])), run(talk([R, R, W, M, D]))
    diff = diff_runs(before, after)
    assert [(one.number, one.before, one.after) for one in diff.improved] == [(2, W, R)]
    assert [(one.number, one.before, one.after) for one in diff.regressed] == [(4, R, M)]
    assert diff.unchanged == 3


def test_a_run_compared_with_itself_shows_no_change() -> None:
    one = run(talk([R, W, M, E]))
    diff = diff_runs(one, one)
    assert (diff.improved, diff.regressed, diff.new, diff.gone, diff.edited) == ((), (), (), (), ())
    assert diff.comparisons[0].difference == 0
    assert diff.comparisons[0].verdict == "too close to call"


def test_exchanging_the_runs_exchanges_better_and_worse_new_and_gone() -> None:
    one, other = run([*talk([R, W]), *talk([R], "old")]), run([*talk([W, R]), *talk([R], "new")])
    there, back = diff_runs(one, other), diff_runs(other, one)
    assert [c.number for c in there.improved] == [c.number for c in back.regressed] == [2]
    assert [c.number for c in there.regressed] == [c.number for c in back.improved] == [1]
    assert there.new == back.gone
    assert [(key.script, number) for key, number in there.gone] == [("old", 1)]


def test_edited_scripts_are_listed_apart_and_not_counted_as_better() -> None:
    before = run([*talk([W], "s"), *talk([W], "t")], s="1", t="1")
    after = run([*talk([R], "s"), *talk([R], "t")], s="2", t="1")
    diff = diff_runs(before, after)
    assert diff.edited == ("s",)
    assert [one.key.script for one in diff.improved] == ["t"]
    assert diff.comparisons[0].conversations == 1
    assert diff.warnings == (), "the list says it"


def test_turns_that_could_not_be_run_are_neither_better_nor_worse() -> None:
    diff = diff_runs(run(talk([R, W])), run(talk([E, R])))
    assert diff.regressed == ()
    assert len(diff.improved) == 1
    assert any("1 turn could not be compared" in warning for warning in diff.warnings)


def test_more_repeats_do_not_make_turns_new() -> None:
    diff = diff_runs(run(talk([R])), run([*talk([R]), *talk([W], repeat=1)], repeats=2))
    assert diff.new == ()
    assert any("repeats" in warning for warning in diff.warnings)


def test_a_clear_improvement_gets_a_verdict() -> None:
    before = run([line(R if n < 20 else W, f"s{n:02}") for n in range(40)])
    after = run([line(R if n < 38 else W, f"s{n:02}") for n in range(40)])
    one = diff_runs(before, after).comparisons[0]
    assert one.verdict == "bot (after) better"
    assert one.difference == pytest.approx(18 / 40)


def test_two_runs_of_one_bot_each_are_compared_whatever_their_names() -> None:
    before = run([line(W, f"s{n}", bot="old") for n in range(12)], "old")
    after = run([line(R, f"s{n}", bot="new") for n in range(12)], "new")
    diff = diff_runs(before, after)
    assert len(diff.improved) == 12
    assert diff.comparisons[0].verdict == "new better"


def test_runs_of_several_bots_without_a_common_one_are_refused() -> None:
    before = run([line(R, bot="a"), line(R, bot="b")], "a", "b")
    with pytest.raises(UsageError, match="no bot in common"):
        diff_runs(before, run([line(R, bot="c")], "c"))


def test_bots_in_one_run_only_are_said() -> None:
    before = run([line(R, bot="a"), line(R, bot="b")], "a", "b")
    diff = diff_runs(before, run([line(R, bot="a")], "a"))
    assert any("not compared: b" in warning for warning in diff.warnings)


def test_the_json_form_holds_every_list() -> None:
    diff = diff_runs(run(talk([R, W])), run(talk([W, R])))
    shown = json.loads(json.dumps(diff_to_json(diff)))
    assert shown["kind"] == "conversations-diff"
    assert shown["improved"] == [
        {"bot": "bot", "script": "s", "repeat": 0, "number": 2, "before": "wrong_intent", "after": "right"}
    ]
    assert [len(shown[name]) for name in ("regressed", "new", "gone", "edited", "comparisons")] == [1, 0, 0, 0, 1]
