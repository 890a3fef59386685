"""A run as files for other programs: JUnit, tables of turns, Markdown, and gates on its numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from talk_runs import ANYTHING, NOTICE, broken, good, hostile, middling, poor, scripts, write_run

from vivavoce.conversations.exam import score_run
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.scenario import Script, ScriptTurn
from vivavoce.conversations.transcript import ConversationKey, Exchange, State
from vivavoce.errors import GateError, UsageError
from vivavoce.records import Reply, Status
from vivavoce.reports.conversations.gates import TurnGate, parse_turn_gate, require_turn_gates
from vivavoce.reports.conversations.junit import render_junit
from vivavoce.reports.conversations.markdown import _plain, render_summary
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES
from vivavoce.reports.conversations.turn_tables import COLUMNS, write_turns

BOTS = {"[b]bot[/b]": hostile, "poor": poor, "mid": middling, "dead": broken}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunRecord]:
    with write_run(tmp_path_factory.mktemp("files") / "run", BOTS) as record:
        yield record


@pytest.fixture(scope="module")
def result(record: RunRecord) -> ConversationsResult:
    return score_run(record)


# --- JUnit -------------------------------------------------------------------------------------------------------


def parsed(result: ConversationsResult, record: RunRecord) -> ElementTree.Element:
    return ElementTree.fromstring(render_junit(result, record))  # noqa: S314 - written a moment ago


def test_junit_counts_what_it_lists(result: ConversationsResult, record: RunRecord) -> None:
    root = parsed(result, record)
    assert root.tag == "testsuites"
    assert [suite.get("name") for suite in root] == [f"suite / {bot}" for bot in BOTS]
    for group in (root, *root):
        cases = list(group.iter("testcase"))
        assert int(group.get("tests", "")) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(group.get(attribute, "")) == sum(case.find(tag) is not None for case in cases)
        assert float(group.get("time", "")) == pytest.approx(sum(float(case.get("time", "")) for case in cases))


def test_junit_lists_every_conversation_of_every_bot_once(result: ConversationsResult, record: RunRecord) -> None:
    cases = list(parsed(result, record).iter("testcase"))
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names) == len(BOTS) * len(record.header.plan.scripts)
    assert ("suite.mid.work.complex", "talk-01") in names


def test_junit_tells_passed_failed_and_broken_apart(result: ConversationsResult, record: RunRecord) -> None:
    root = parsed(result, record)
    assert [(s.get("failures"), s.get("errors")) for s in root] == [
        ("20", "0"),
        ("20", "0"),
        ("10", "0"),
        ("0", "20"),
    ]
    failure = root.find(".//failure")
    assert failure is not None
    assert "turn 1 (t1)" in failure.get("message", "")
    assert '<script>alert("x")</script> [bold]loud[/bold]' in (failure.text or "")
    assert "\x1b" not in ElementTree.tostring(root, encoding="unicode")


def test_what_was_not_held_or_not_checked_has_not_passed(tmp_path: Path) -> None:
    idle = Script("idle", "idle", "", "", "basic", (ScriptTurn(1, "t1", "hello", ANYTHING),))
    with write_run(tmp_path / "run", {"good": good}, plan=[idle, *scripts(3)], held=2) as record:
        suite = parsed(score_run(record), record)[0]
    skipped = [case.get("name") for case in suite if case.find("skipped") is not None]
    assert skipped == ["idle", "talk-01", "talk-02"]
    assert (suite.get("tests"), suite.get("skipped")) == ("4", "3")


def test_repeats_are_cases_of_their_own(tmp_path: Path) -> None:
    with write_run(tmp_path / "run", {"good": good}, plan=scripts(2), repeats=3) as record:
        cases = parsed(score_run(record), record).iter("testcase")
        assert [case.get("name") for case in cases] == [f"talk-0{n} #{r}" for n in (0, 1) for r in (1, 2, 3)]


def test_a_talk_that_broke_before_its_first_message_is_an_error(tmp_path: Path) -> None:
    with write_run(tmp_path / "run", {"good": good}, plan=scripts(1), held=0) as record:
        key = ConversationKey("good", "talk-00")
        record.begin(key)
        record.finish(key, State.ERRORED, "no connection <to> it")
        error = parsed(score_run(record), record).find(".//error")
    assert error is not None
    assert error.get("message") == "no connection <to> it"


# --- tables of turns ---------------------------------------------------------------------------------------------


def rows_of_csv(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_the_table_of_turns_has_a_row_for_each_turn(
    tmp_path: Path, result: ConversationsResult, record: RunRecord
) -> None:
    write_turns(tmp_path / "turns.csv", result, record)
    head, *rows = rows_of_csv(tmp_path / "turns.csv")
    assert tuple(head) == COLUMNS
    assert len(rows) == len(result.lines) == 4 * 20 * len(BOTS)
    outcomes = {row[COLUMNS.index("outcome")] for row in rows}
    assert outcomes == {str(line.verdict.outcome) for line in result.lines}


@pytest.mark.parametrize("reply", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_no_cell_is_a_formula(tmp_path: Path, reply: str) -> None:
    with write_run(tmp_path / "run", {"good": good}, plan=scripts(1), held=0) as record:
        key = ConversationKey("good", "talk-00")
        record.begin(key)
        record.add(key, Exchange(1, reply, Status.OK, Reply((f"{reply}\x07",)), first_ms=1.5, last_ms=1.5))
        record.finish(key, State.DONE)
        result = score_run(record)
        for name in ("turns.csv", "turns.xlsx"):
            write_turns(tmp_path / name, result, record)
    place = COLUMNS.index("visitor")
    assert rows_of_csv(tmp_path / "turns.csv")[1][place : place + 2] == [f"'{reply}", f"'{reply}\x07"]
    sheet = load_workbook(tmp_path / "turns.xlsx").active
    cells = list(sheet.iter_rows())[1]  # type: ignore[union-attr]
    assert [cells[place].data_type, cells[place + 1].data_type] == ["s", "s"]
    assert str(cells[place].value).startswith("'")
    assert cells[COLUMNS.index("first_ms")].value == 1.5
    assert cells[COLUMNS.index("confidence")].value is None


def test_a_table_of_another_kind_is_refused(tmp_path: Path, result: ConversationsResult, record: RunRecord) -> None:
    with pytest.raises(UsageError, match=r"\.csv or \.xlsx"):
        write_turns(tmp_path / "turns.ods", result, record)


# --- Markdown ----------------------------------------------------------------------------------------------------


def test_the_summary_has_every_bot_its_verdicts_and_problems(result: ConversationsResult) -> None:
    text = render_summary(result)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count(" | ") for line in rows}) == 1
    assert sum(line.startswith("| poor |") for line in rows) == 3
    assert "mid is better than poor" in text
    assert "**What to fix first in poor**" in text
    assert "dead: 20 conversations not completed" in text


def test_a_bot_without_a_number_has_none_in_the_summary(result: ConversationsResult) -> None:
    rows = [line for line in render_summary(result).splitlines() if line.startswith("| dead |")]
    assert rows
    for row in rows:
        assert "n/a" in row
        assert "%" not in row


@given(st.text())
def test_no_text_becomes_markup_or_calls_anybody_in_markdown(text: str) -> None:
    safe = _plain(text)
    assert "\n" not in safe
    rest = safe.replace("<!-- -->", "\x00")
    assert not re.search(r"[<>]", rest)
    assert not re.search(r"[@#]\w", rest)
    assert not re.search(r"(?<!\\)[`*_|\[\]~]", rest.replace("\\\\", ""))


# --- gates -------------------------------------------------------------------------------------------------------


def test_gates_are_read_as_share_percent_and_for_one_bot() -> None:
    assert parse_turn_gate("accuracy=0.8") == TurnGate("accuracy", 0.8)
    assert parse_turn_gate("accuracy=80%") == TurnGate("accuracy", 0.8)
    assert parse_turn_gate("accuracy@my=bot=0.8") == TurnGate("accuracy", 0.8, "my=bot")
    assert parse_turn_gate(" f1 @ mid = 70 % ") == TurnGate("f1", 0.7, "mid")
    assert parse_turn_gate("pass_hat_3=0.5").name == "pass_hat_3"


@pytest.mark.parametrize("text", ["accuracy", "=0.8", "accuracy@=0.8", "accuracy=much", "accuracy=8", "acuracy=0.8"])
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_turn_gate(text)


def test_a_misspelt_number_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="accuracy"):
        parse_turn_gate("acuracy=0.8")


def test_a_number_that_is_neither_good_nor_bad_is_no_gate() -> None:
    with pytest.raises(UsageError, match="neither good nor bad"):
        parse_turn_gate("fallback_rate=0.2")


def test_a_gate_for_every_bot_names_each_that_missed_it(result: ConversationsResult) -> None:
    with pytest.raises(GateError) as caught:
        require_turn_gates(result, [parse_turn_gate("accuracy=0.5")])
    reasons = [fault.message for fault in caught.value.faults]
    assert reasons == [
        "accuracy of [b]bot[/b] is 0.000, under the limit of 0.5",
        "accuracy of poor is 0.000, under the limit of 0.5",
        "accuracy of dead is n/a: nothing to count",
    ]


def test_a_gate_for_one_bot_leaves_the_others_alone(result: ConversationsResult) -> None:
    require_turn_gates(result, [parse_turn_gate("accuracy@mid=50%")])
    with pytest.raises(GateError, match="1 gate not met"):
        require_turn_gates(result, [parse_turn_gate("accuracy@mid=50.1%")])
    with pytest.raises(UsageError, match="'mdi'"):
        require_turn_gates(result, [parse_turn_gate("accuracy@mdi=50%")])


def test_numbers_of_which_less_is_better_have_a_ceiling(result: ConversationsResult) -> None:
    rate = result.cell("mid").rates["wrong_answer_rate"].value
    assert rate is not None
    require_turn_gates(result, [TurnGate("wrong_answer_rate", rate, "mid")])
    with pytest.raises(GateError) as caught:
        require_turn_gates(result, [TurnGate("wrong_answer_rate", rate - 1e-9, "mid")])
    shown = re.search(r"is ([0-9.]+), over the limit", caught.value.faults[0].message)
    assert shown is not None
    assert float(shown[1]) != rate - 1e-9


def test_a_gate_on_repeats_that_were_not_made_is_missed_and_not_passed(result: ConversationsResult) -> None:
    with pytest.raises(GateError) as caught:
        require_turn_gates(result, [parse_turn_gate("pass_hat_2@mid=0")])
    assert "n/a: too few repeats" in caught.value.faults[0].message


def test_strict_wants_every_turn_right(tmp_path: Path, result: ConversationsResult) -> None:
    with pytest.raises(GateError):
        require_turn_gates(result, [], strict=True)
    with write_run(tmp_path / "run", {"good": good}) as record:
        require_turn_gates(score_run(record), [], strict=True)


@pytest.mark.parametrize(
    "name", [n for n, m in CONVERSATION_MEASURES.items() if m.better != "neither" and m.kind != "milliseconds"]
)
def test_every_number_can_be_a_gate_and_the_best_value_passes(name: str, result: ConversationsResult) -> None:
    gate = parse_turn_gate(f"{name}@mid={0 if CONVERSATION_MEASURES[name].better == 'higher' else 1}")
    rate = result.cell("mid").rates.get(name)
    if rate is not None and rate.value is not None:
        require_turn_gates(result, [gate])
    else:
        with pytest.raises(GateError):
            require_turn_gates(result, [gate])


def test_the_notice_is_part_of_the_record_but_of_no_example(result: ConversationsResult) -> None:
    assert result.header.plan.notice == NOTICE
    assert NOTICE not in render_summary(result)
