"""Suites from files, folders and names, and the look at them before a run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from suite_strategies import bare

from vivavoce import demo
from vivavoce.bots.protocol import BotFacts, Limits
from vivavoce.conversations.scenario import Match, Pattern, Suite
from vivavoce.conversations.scenarios.check import CheckProblem, SuiteCheck, check_suite, estimate_minutes, passes_all
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.formats.sheet_rows import COLUMNS
from vivavoce.conversations.scenarios.formats.yaml_reading import (
    DEFAULTS,
    EXPECT,
    SCENARIO,
    SUITE,
    TURN,
    parse_yaml_suite,
)
from vivavoce.conversations.scenarios.suites import agent_of, read_suite, write_suite
from vivavoce.errors import DataError, FileError, UsageError

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
ONE = "scenarios:\n  - {id: one, level: basic, turns: [{user: hi, expect: greet}]}\n"
TWO = "scenario,level,user\ntwo,basic,bye\n"


def suite(turns: str, more: str = "", level: str = "basic") -> Suite:
    return parse_yaml_suite(f"{more}\nscenarios:\n  - id: a\n    level: {level}\n    turns: [{turns}]\n")


def found(check: SuiteCheck, kind: str) -> list[CheckProblem]:
    return [problem for problem in check.problems if problem.kind == kind]


# Reading and writing


@pytest.mark.parametrize("ending", [".yaml", ".yml", ".csv", ".xlsx"])
def test_a_suite_is_written_and_read_by_the_ending_of_its_path(tmp_path: Path, ending: str) -> None:
    written = parse_yaml_suite(ONE, source="s.yaml")
    path = tmp_path / f"s{ending}"
    write_suite(written, path)
    again = read_suite(path)
    assert bare(again).scenarios == bare(written).scenarios
    assert (again.name, again.source) == ("s", str(path))


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="pdf"):
        write_suite(parse_yaml_suite(ONE), tmp_path / "a.pdf")
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    with pytest.raises(FileError, match="txt"):
        read_suite(tmp_path / "a.txt")


def test_a_folder_is_one_suite_and_says_what_it_passed_over(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("lists: {l: [x]}\nlevels: [expert]\n" + ONE, encoding="utf-8")
    (tmp_path / "a.csv").write_text(TWO, encoding="utf-8")
    (tmp_path / "agent.yaml").write_text("agent: x\ntopics: []\nfacts: {t: {file: facts.csv}}", encoding="utf-8")
    (tmp_path / "facts.csv").write_text("name,price\na,1\n", encoding="utf-8")
    (tmp_path / "prices.csv").write_text("name,price\na,1\n", encoding="utf-8")
    (tmp_path / "bots.yaml").write_text("bots: {}", encoding="utf-8")
    merged = read_suite(tmp_path)
    assert [scenario.id for scenario in merged.scenarios] == ["two", "one"]
    assert (merged.name, merged.lists, merged.levels[-1]) == (tmp_path.name, {"l": ("x",)}, "expert")
    passed = [note for note in merged.notes if "skipped" in note]
    assert [note.split()[0] for note in passed] == ["prices.csv"]
    assert [script.id for script in expand(merged).scripts] == ["two", "one"]


def test_files_that_cannot_hold_scenarios_are_passed_over_and_told(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(ONE, encoding="utf-8")
    (tmp_path / "agent.yaml").write_text("agent: x\nfacts: {t: {file: data.csv}}", encoding="utf-8")
    for name in ("a.csv", "data.csv", "agents_own.csv"):
        (tmp_path / name).write_text("name,price\na,1\n", encoding="utf-8")
    for name in ("~$book.xlsx", ".hidden.yaml", "notes.txt"):
        (tmp_path / name).write_bytes(b"\x00 not yaml: [")
    for name, content in (("blank.csv", b"\xef\xbb\xbf\r\n"), ("blank.yaml", b""), ("blank.xlsx", b"")):
        (tmp_path / name).write_bytes(content)
    told = found(check_suite(read_suite(tmp_path)), "note")
    assert {problem.severity for problem in told} == {"info"}
    assert [problem.message for problem in told] == [
        "blank.csv skipped: it is empty",
        "blank.xlsx skipped: it is empty",
        "blank.yaml skipped: it is empty",
        "skipped, hidden file or lock file of an open document: .hidden.yaml, ~$book.xlsx",
        "skipped, neither YAML nor a table: notes.txt",
        "a.csv skipped: it has no columns scenario and user",
        "agents_own.csv skipped: it has no columns scenario and user",
    ]


def test_a_folder_of_scripts_is_read_beside_marks_and_empty_files(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "hello.convo.txt").write_text("hello\n\n#me\nhi\n\n#bot\nhello\n", encoding="utf-8")
    (tmp_path / "~$list.xlsx").write_bytes(b"mark")
    (tmp_path / "below" / "list.csv").write_bytes(b"")
    suite = read_suite(tmp_path)
    assert [scenario.id for scenario in suite.scenarios] == ["hello"]
    assert any("~$list.xlsx" in note for note in suite.notes)
    assert any(note.endswith("list.csv skipped: it is empty") for note in suite.notes)


def test_ids_must_differ_between_the_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("lists: {l: [x]}\nlanguage: de\n" + ONE, encoding="utf-8")
    (tmp_path / "b.yaml").write_text("lists: {l: [y]}\nlanguage: fr\n" + ONE, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_suite(tmp_path)
    told = str(caught.value)
    assert "scenario 'one'" in told
    assert "'l' under `lists`" in told
    assert "`language` differs" in told


def test_the_same_part_may_stand_in_two_files(tmp_path: Path) -> None:
    part = "parts: {p: [{user: hi}]}\n"
    (tmp_path / "a.yaml").write_text(part + ONE, encoding="utf-8")
    (tmp_path / "b.yaml").write_text("\n\n" + part + ONE.replace("one", "two"), encoding="utf-8")
    assert len(read_suite(tmp_path).scenarios) == 2


def test_a_folder_without_scenarios_and_a_path_to_nowhere_say_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no scenarios"):
        read_suite(tmp_path)
    with pytest.raises(FileError, match=r"no such file|cannot be read"):
        read_suite(tmp_path / "gone.yaml")
    with pytest.raises(FileError, match="no file or bundled suite has this name"):
        read_suite("no-such-suite")


@pytest.mark.parametrize("name", demo.suites())
def test_a_shipped_suite_is_read_by_its_name_and_has_no_errors(name: str) -> None:
    shipped = read_suite(name)
    assert (shipped.name, shipped.source) == (name, name)
    assert check_suite(shipped).errors == ()


def test_an_agent_file_is_looked_for_beside_the_suite(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("agent: mine\ntopics: []", encoding="utf-8")
    (tmp_path / "s.yaml").write_text("agent: mine.yaml\n" + ONE, encoding="utf-8")
    assert agent_of(read_suite(tmp_path / "s.yaml")) == str(tmp_path / "mine.yaml")
    assert agent_of(parse_yaml_suite("agent: flight\n" + ONE)) == "flight"
    assert agent_of(parse_yaml_suite(ONE)) is None


# The documentation


def test_the_page_about_scenarios_names_every_key_and_column() -> None:
    for table in (SUITE, SCENARIO, TURN, EXPECT, DEFAULTS):
        assert [key for key in table if f"`{key}`" not in PAGE] == []
    assert [column for column in COLUMNS if f"`{column}`" not in PAGE] == []


@pytest.mark.parametrize("example", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_the_examples_of_the_page_have_no_errors(example: str) -> None:
    assert check_suite(parse_yaml_suite(example)).errors == ()


def test_the_sheet_of_the_page_has_no_errors(tmp_path: Path) -> None:
    (example,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "a.csv").write_text(example, encoding="utf-8")
    check = check_suite(read_suite(tmp_path / "a.csv"))
    assert check.errors == ()
    assert check.turns == 3


# Checks


def test_a_sound_suite_has_no_problems() -> None:
    typos = ", ".join(f"{{user: helo {n}, kind: typo, twin_of: clean, expect: same}}" for n in range(10))
    check = check_suite(
        suite(
            f"{{id: clean, user: hello, expect: greet}}, {{user: what, expect: fallback}}, {typos}", level="complex"
        )
    )
    assert check.problems == ()
    assert (check.scenarios, check.scripts, check.turns) == (1, 1, 12)
    assert (check.by_level, check.by_kind) == ({"complex": 1}, {"clean": 2, "typo": 10})
    assert check.measured["a"].turns == 12


@pytest.mark.parametrize(
    ("turns", "kind", "severity"),
    [
        ("{user: hi, expect: greet}", "no_out_of_scope", "warning"),
        ("{user: hi, expect: greet}", "few_typos", "warning"),
        ("{user: hi, kind: typo, expect: greet}", "typo_without_twin", "info"),
        ("{id: x, user: hi, twin_of: gone, kind: typo, expect: greet}", "lost_twin", "error"),
        ("{id: x, user: hi, expect: same}", "same_as_nothing", "error"),
        ("{id: x, user: hi}, {id: x, user: ho}", "duplicate_turn_id", "error"),
        ("", "empty_scenario", "error"),
        ("{user: 'to {town}'}", "placeholder", "error"),
        ("{user: '{number}'}", "placeholder", "error"),
        ("{user: hi, expect: {reply: '{fare}'}, save: {fare: {regex: '(.+)'}}}", "placeholder", "error"),
        ("{user: hi, expect: {}}", "passes_all", "warning"),
        ("{user: hi, expect: {reply: '*'}}", "passes_all", "warning"),
        ("{user: hi, expect: {reply: {all: [{regex: '.*'}]}}}", "passes_all", "warning"),
        ("{user: hi, expect: {reply: {none: [{substring: ''}]}}}", "passes_none", "error"),
        ("{user: hi, expect: {reply: {regex: '(a'}}}", "regex", "error"),
        ("{user: hi, expect: {reply: {substring: ok}}}", "short_substring", "warning"),
        ("{user: hi, expect: {fallback: true, intent: greet}}", "contradiction", "error"),
        ("{user: '', expect: greet}", "empty_message", "warning"),
        ("{user: hi}, {user: hi}, {user: hi}, {user: hi}", "level", "info"),
        ("{include: gone}", "unknown_part", "error"),
        ("{user: {list: gone}}", "unknown_list", "error"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_and_told_with_its_place(turns: str, kind: str, severity: str) -> None:
    problems = found(check_suite(suite(turns)), kind)
    assert [problem.severity for problem in problems] == [severity]
    if kind not in ("no_out_of_scope", "few_typos"):
        assert problems[0].scenarios == ("a",)
        assert problems[0].where.startswith("a")


@pytest.mark.parametrize(
    "turns",
    [
        "{user: hi, save: {fare: {regex: '(.+)'}}}, {user: 'is {fare} right?', expect: {reply: '{fare} {number}'}}",
        "{user: hi, expect: {reply: {regex: '^[0-9]{2}$'}}}",
        "{user: hi, expect: {reply: {regex: '^$'}}}",
    ],
)
def test_what_is_right_is_left_alone(turns: str) -> None:
    kinds = {problem.kind for problem in check_suite(suite(turns)).problems}
    assert kinds <= {"no_out_of_scope", "few_typos"}


@pytest.mark.parametrize("turns", ["{user: hi}, {user: ho, expect: any}", "{user: hi, expect: {}}", "{include: p}"])
def test_a_suite_that_expects_nothing_is_an_error(turns: str) -> None:
    check = check_suite(suite(turns, "parts: {p: [{user: hi}]}"))
    assert [problem.message.split(",")[0] for problem in check.errors] == ["no turn expects anything"]
    assert found(check, "no_out_of_scope") == found(check, "few_typos") == []


@pytest.mark.parametrize("expect", ["greet", "fallback", "{reply: x, counted: false}", "{within_ms: 5}"])
def test_one_expectation_of_any_kind_is_enough(expect: str) -> None:
    written = suite(f"{{user: hi, expect: any}}, {{user: ho, expect: {expect}}}")
    assert found(check_suite(written), "nothing_expected") == []


def test_where_no_conversation_can_be_made_nothing_is_said_about_their_mixture() -> None:
    check = check_suite(suite("{include: nowhere}, {user: hi, expect: greet}"))
    assert check.scripts == 0
    assert {problem.severity for problem in check.problems} == {"error"}


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("expect_topc", "expect_topic"),
        ("Expected topic", "expect_topic"),
        ("shuld_fall_back", "should_fall_back"),
        ("good_reply", "good_replies"),
        ("slot_city", "slot:city"),
        ("Slots: city", "slot:city"),
    ],
)
@pytest.mark.parametrize("folder", [False, True])
def test_a_misspelt_column_is_a_warning_with_its_file(tmp_path: Path, column: str, meant: str, folder: bool) -> None:
    (tmp_path / "a.csv").write_text(f"scenario,level,user,match,{column}\na,basic,hi,,x\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text(ONE, encoding="utf-8")
    check = check_suite(read_suite(tmp_path if folder else tmp_path / "a.csv"))
    [problem] = found(check, "column")
    assert problem.severity == "warning"
    assert f"a.csv: the column '{column}'" in problem.message
    assert problem.message.endswith(f"Did you mean '{meant}'?")
    assert bool(found(check, "nothing_expected")) is not folder
    assert json.loads(json.dumps(check.to_json()))["problems"]


@pytest.mark.parametrize("column", ["Reviewer", "weight", "expect_topics", "id"])
def test_a_column_of_ones_own_is_only_remarked_on(tmp_path: Path, column: str) -> None:
    (tmp_path / "a.csv").write_text(f"scenario,level,user,expect_topic,{column}\na,basic,hi,t,x\n", encoding="utf-8")
    check = check_suite(read_suite(tmp_path / "a.csv"))
    assert found(check, "column") == []
    assert [problem.severity for problem in found(check, "note")] == ["info"]


def test_problems_come_worst_first_and_once_for_all_rows() -> None:
    rows = "rows: [{id: r}, {id: s}]"
    written = suite("{user: '{x}'}", rows)
    both = parse_yaml_suite(rows + "\nscenarios: [{id: a, level: basic, rows: [r, s], turns: [{user: '{x}'}]}]")
    assert len(found(check_suite(written), "placeholder")) == len(found(check_suite(both), "placeholder")) == 1
    order = [problem.severity for problem in check_suite(both).problems]
    assert order == sorted(order, key=("error", "warning", "info").index)


def test_duplicate_ids_are_found_and_the_other_scenarios_are_still_looked_at() -> None:
    written = parse_yaml_suite(
        "parts: {p: [{include: q}], q: [{include: p}]}\nscenarios:\n"
        "  - {id: a, level: basic, turns: [{user: x}]}\n  - {id: a, level: basic, turns: [{user: x}]}\n"
        "  - {id: b, level: basic, turns: [{user: '{y}'}]}\n  - {id: c, level: basic, turns: [{include: p}]}\n"
    )
    check = check_suite(written)
    assert [problem.where for problem in found(check, "duplicate_id")] == ["a (lines 3, 4)"]
    assert len(found(check, "placeholder")) == 1
    assert len(found(check, "circular_part")) == 2
    assert (check.scenarios, check.scripts) == (4, 1)


def test_a_topic_that_no_bot_knows_is_an_error_and_one_that_some_know_a_warning() -> None:
    written = suite(
        "{user: hi, expect: gret}, {user: ho, expect: {intent: [book, order]}},"
        " {user: hm, expect: {slots: {town: x}}}"
    )
    bots = [
        BotFacts("p", intents=("greet", "order"), slots=("city",)),
        BotFacts("q", intents=("greet",), slots=("town",)),
        BotFacts("r"),
    ]
    check = check_suite(written, bots)
    assert [(one.severity, one.message) for one in found(check, "unknown_topic")] == [
        ("error", "the topic 'gret' is unknown to p, q. Did you mean 'greet'?"),
        ("warning", "the topic 'book' or 'order' is unknown to q."),
    ]
    assert [one.message for one in found(check, "unknown_slot")] == ["the slot 'town' is unknown to p."]
    assert found(check_suite(written, intents=["gret", "book"]), "unknown_topic") == []
    assert len(found(check_suite(written, intents=["book"]), "unknown_topic")) == 1


def test_a_message_that_a_bot_was_trained_on_is_listed() -> None:
    written = suite(
        "{user: 'I want to BOOK a flight', expect: book}, {user: 'I want to book a flightt to Rome', expect: book},"
        " {user: Yes, expect: yes}, {user: something else entirely, expect: book}"
    )
    bot = BotFacts(
        "p", phrases={"book": ("I want to book a flight", "I want to book a flight to Rome"), "yes": ("yes",)}
    )
    leaks = found(check_suite(written, [bot]), "leak")
    assert [(one.severity, " is almost " in one.message) for one in leaks] == [
        ("warning", False), ("warning", True), ("info", False),
    ]  # fmt: skip
    assert all("(p)" in one.message for one in leaks)


@pytest.mark.parametrize(
    ("limits", "minutes"),
    [
        (Limits(at_once=8), 600 / 8 / 60),
        (Limits(at_once=8, per_second=2.0), 5.0),
        (Limits(at_once=1, per_second=99.0), 10.0),
    ],
)
def test_minutes_follow_from_the_rate_and_the_talks_at_once(limits: Limits, minutes: float) -> None:
    assert estimate_minutes(600, BotFacts("p", limits=limits)) == pytest.approx(minutes)


@pytest.mark.parametrize(
    ("a_second", "told"),
    [(1.0, "p under a minute"), (1 / 60, "p about 1 minute"), (1 / 600, "p about 10 minutes")],
)
def test_the_time_of_a_run_is_told_in_words_that_fit(a_second: float, told: str) -> None:
    bot = BotFacts("p", limits=Limits(per_second=a_second))
    assert check_suite(suite("{user: hi, expect: greet}"), [bot]).summary.endswith(f"Time: {told}.")


def test_repeats_count_in_the_estimate_and_all_of_it_is_json() -> None:
    check = check_suite(
        suite("{user: hi, expect: greet}"), [BotFacts("p", limits=Limits(per_second=0.01))], repeats=60
    )
    assert check.minutes == {"p": pytest.approx(100.0)}
    assert "p about 1.7 hours" in check.summary
    assert "run 60 times" in check.summary
    told = json.loads(json.dumps(check.to_json()))
    assert (told["scripts"], told["turns"], told["minutes"]) == (1, 1, {"p": 100.0})
    assert told["problems"][0]["kind"] == check.problems[0].kind


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (Pattern(" "), True),
        (Pattern("**"), True),
        (Pattern("a*"), False),
        (Pattern("*", Match.CONTAINS), False),
        (Pattern("", Match.EXACT), False),
        (Pattern("a?", Match.REGEX), True),
        (Pattern("a", Match.REGEX), False),
        (Pattern("(a+)+$", Match.REGEX), False),
        (Pattern("x", Match.FUZZY, 0.0), True),
        (Pattern("x", Match.SIMILAR, 0.5), False),
        (Pattern("x", Match.FUZZY), False),
    ],
)
def test_an_expectation_that_every_text_passes_is_known(pattern: Pattern, expected: bool) -> None:
    assert passes_all(pattern, Match.CONTAINS) is expected
