"""Scenarios in a sheet, one row for each turn."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from suite_strategies import CHARACTERS, bare, suites

from vivavoce.conversations.scenario import Expectation, Kind, Match, Pattern, Scenario, Suite, Turn
from vivavoce.conversations.scenarios.formats.sheet_rows import (
    RAW,
    guard,
    join_alternatives,
    split_alternatives,
    unguard,
)
from vivavoce.conversations.scenarios.formats.sheets import SHEET, read_sheet_suite, write_sheet_suite
from vivavoce.conversations.scenarios.formats.yaml_reading import parse_yaml_suite
from vivavoce.conversations.scenarios.formats.yaml_writing import suite_value
from vivavoce.errors import DataError, FileError
from vivavoce.files.yamls import dump_yaml

pytestmark = pytest.mark.slow

HEADER = (
    "scenario,level,domain,turn,user,expect_topic,should_fall_back,good_replies,bad_replies,match,has_typo,twin_of,"
    "slot:origin,slot:destination,note"
)
HEAD = "fb-basic-01,basic,flight_booking"
REST = "book_flight,,which date*|what day,error,contains"
EXAMPLE = f"""{HEADER}
{HEAD},1,"I would like one ticket from Melbourne to Sydney",{REST},,,Melbourne,Sydney,
{HEAD},2,"I woud like one tiket from Melbourne to Sydney",{REST},yes,1,Melbourne,Sydney,
{HEAD},3,"Can you find the nearest hospital?",,yes,,,,,,,,asked often
"""
relaxed = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def read(tmp_path: Path, written: str) -> Suite:
    path = tmp_path / "sheet.csv"
    path.write_bytes(written.encode("utf-8"))
    return read_sheet_suite(path)


def cells(path: Path, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8"), newline=""), delimiter=delimiter))


def written_back(suite: Suite, tmp_path: Path, delimiter: str = ",") -> list[list[str]]:
    write_sheet_suite(suite, tmp_path / "back.csv")
    return cells(tmp_path / "back.csv", delimiter)


def through_yaml(suite: Suite) -> Suite:
    return parse_yaml_suite(dump_yaml(suite_value(suite)))


def turns(suite: Suite, place: int = 0) -> list[Turn]:
    return [turn for turn in suite.scenarios[place].turns if isinstance(turn, Turn)]


def faults(tmp_path: Path, written: str) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(tmp_path, written)
    return [str(fault) for fault in caught.value.faults]


def test_all_of_the_example_is_understood(tmp_path: Path) -> None:
    suite = read(tmp_path, EXAMPLE)
    scenario = suite.scenarios[0]
    assert (scenario.id, scenario.level, scenario.domain, scenario.line) == (
        "fb-basic-01",
        "basic",
        "flight_booking",
        2,
    )
    clean, typo, away = turns(suite)
    assert clean.expect == Expectation(
        intents=("book_flight",),
        any=(Pattern("which date*"), Pattern("what day", Match.CONTAINS)),
        none=(Pattern("error", Match.CONTAINS),),
        slots={"origin": "Melbourne", "destination": "Sydney"},
    )
    assert (typo.kind, typo.twin_of, typo.id, typo.line) == (Kind.TYPO, "1", "2", 3)
    assert (away.expect, away.note) == (Expectation(fallback=True), "asked often")


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_example_comes_back_cell_for_cell(tmp_path: Path, delimiter: str, mark: str) -> None:
    table = list(csv.reader(io.StringIO(EXAMPLE)))
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter).writerows(table)
    suite = read(tmp_path, mark + buffer.getvalue())
    assert written_back(suite, tmp_path, delimiter) == table
    assert written_back(through_yaml(suite), tmp_path, delimiter) == table


def test_columns_are_known_by_name_and_unknown_ones_are_kept(tmp_path: Path) -> None:
    written = "Reviewer,User,SCENARIO,expect topic,Level,weight\nAnna,hello,a,greet,basic,=2\n,bye,,,,\n"
    suite = read(tmp_path, written)
    assert [(turn.user, turn.expect.intents) for turn in turns(suite)] == [("hello", ("greet",)), ("bye", ())]
    assert turns(suite)[0].extras == {RAW: {"Reviewer": "Anna", "weight": "=2"}}
    assert any("Reviewer" in note for note in suite.notes)
    assert written_back(through_yaml(suite), tmp_path) == [
        ["Reviewer", "User", "SCENARIO", "expect topic", "Level", "weight"],
        ["Anna", "hello", "a", "greet", "basic", "'=2"],
        ["", "bye", "", "", "", ""],
    ]


def test_a_blank_scenario_is_the_one_above(tmp_path: Path) -> None:
    suite = read(tmp_path, "scenario,level,user\na,basic,one\n,,two\nb,medium,three\n")
    assert [(one.id, len(one.turns)) for one in suite.scenarios] == [("a", 2), ("b", 1)]


def test_a_misspelt_row_without_an_expectation_has_that_of_its_twin(tmp_path: Path) -> None:
    suite = read(
        tmp_path,
        "scenario,level,turn,user,expect_topic,has_typo,twin_of\na,basic,1,hi,greet,,\na,,2,hii,,x,1\na,,3,ho,,,\n",
    )
    assert [turn.expect.same for turn in turns(suite)] == [False, True, False]
    assert not turns(suite)[2].expect.counted


def test_bars_part_alternatives_and_can_be_written(tmp_path: Path) -> None:
    suite = read(
        tmp_path, "scenario,level,user,expect_topic,good_replies,match\na,basic,hi,greet | hello,a\\|b | c*,regex\n"
    )
    assert turns(suite)[0].expect.intents == ("greet", "hello")
    assert turns(suite)[0].expect.any == (Pattern("a|b", Match.REGEX), Pattern("c*", Match.REGEX))


def test_all_faults_are_told_at_once_with_their_rows(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        "scenario,level,user,has_typo,match,also (read-only)\n"
        "a,bsic,hi,maybe,,\na,medium,,yes,,\nb,basic,x,,contians,\na,basic,x,,,\nc,,x,,,{broken\n",
    )
    assert "row 2: 'bsic' is not a level. Did you mean 'basic'? You can declare more under `levels:`" in found
    assert "row 2: `has_typo` must be yes or no, not 'maybe'" in found
    assert "row 3: `level` is 'medium', but 'bsic' in the scenario's first row" in found
    assert any(one.startswith("row 3: the turn has no `user`") for one in found)
    assert any(one.startswith("row 4:") and "contains" in one for one in found)
    assert any(one.startswith("row 5: scenario 'a' started in row 2") for one in found)
    assert "row 6: the scenario has no `level`" in found
    assert any(one.startswith("row 6: a read-only cell") for one in found)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("scenrio,level,user\na,basic,x\n", "the column 'scenario' is missing. Did you mean 'scenrio'?"),
        ("scenario,level,user,User \na,basic,x,y\n", "have the same meaning"),
        ("scenario,level,user\n,basic,x\n", "the first row must name a scenario"),
        ("scenario,level,user\na,basic\n", "the row has 2 cells"),
        ("scenario,level,user\na,basic,x\na,,\na,,y\n", ""),
    ],
)
def test_a_sheet_that_cannot_be_read_says_why(tmp_path: Path, written: str, expected: str) -> None:
    assert any(expected in fault for fault in faults(tmp_path, written))


def test_a_cell_that_no_longer_holds_gives_way_to_what_was_edited(tmp_path: Path) -> None:
    suite = read(tmp_path, "scenario,level,user,has_typo,good_replies,who\na,basic,hi,TRUE,a | b,Ann\n")
    (turn,) = turns(suite)
    edited = replace(turn, expect=replace(turn.expect, any=(Pattern("c"),)))
    changed = replace(suite, scenarios=(replace(suite.scenarios[0], turns=(edited,)),))
    assert written_back(suite, tmp_path)[1] == ["a", "basic", "hi", "TRUE", "a | b", "Ann"]
    assert written_back(changed, tmp_path)[1] == ["a", "basic", "hi", "yes", "c", "Ann"]


@given(st.text(CHARACTERS, max_size=8) | st.from_regex(r"'{0,3}[=+@-]?[a-z]?", fullmatch=True))
def test_a_guard_is_taken_off_again_and_nothing_else(text: str) -> None:
    assert unguard(guard(text)) == text
    assert not guard(text).startswith(("=", "+", "-", "@", "\t", "\n"))


@given(st.lists(st.text("ab|* ", min_size=1).filter(lambda text: text == text.strip())))
def test_alternatives_are_read_back(texts: list[str]) -> None:
    assert split_alternatives(join_alternatives(texts)) == texts


def without_traces(suite: Suite) -> Suite:
    """Return a suite without what a sheet leaves behind to be written back as it was."""
    scenarios = tuple(
        replace(
            one,
            turns=tuple(
                replace(turn, extras={key: item for key, item in turn.extras.items() if key != RAW})
                if isinstance(turn, Turn)
                else turn
                for turn in one.turns
            ),
        )
        for one in suite.scenarios
    )
    return replace(bare(suite), scenarios=scenarios, extras={k: v for k, v in suite.extras.items() if k != SHEET})


@given(suites)
@relaxed
def test_what_a_sheet_cannot_say_is_kept_beside_it(tmp_path: Path, suite: Suite) -> None:
    path = tmp_path / f"{suite.name}.csv"
    write_sheet_suite(suite, path)
    assert without_traces(bare(read_sheet_suite(path))) == suite


@given(suites)
@settings(relaxed, max_examples=15)
def test_a_workbook_holds_the_same_as_a_csv_file(tmp_path: Path, suite: Suite) -> None:
    path = tmp_path / f"{suite.name}.xlsx"
    write_sheet_suite(suite, path)
    assert without_traces(bare(read_sheet_suite(path, sheet="scenarios"))) == suite


flags = st.sampled_from(["", "yes", "no", "TRUE", "x", " ", "0"])
free = st.text(CHARACTERS, max_size=12).map(guard) | st.sampled_from(["-5", "=1+1", "a | b", "a\\|b|", "*"])
said = free.filter(lambda text: unguard(text).strip() != "")
COLUMNS = {
    "level": st.just("basic"),
    "Domain": st.just("x"),
    "title": st.just(""),
    "turn": st.sampled_from(["", "1", " t2 ", "007"]),
    "user": said,
    "expect_topic": st.sampled_from(["", "a", "a|b", "a | b", "same", "any", "fallback", " a", "a|any"]),
    "should_fall_back": flags,
    "good_replies": free,
    "bad_replies": free,
    "match": st.sampled_from(["", "contains", "regex", "wildcard", " exact "]),
    "has_typo": flags,
    "twin of": st.sampled_from(["", "1", " 1"]),
    "slot:origin": free,
    "Slot: Date ": free,
    "note": free,
    "who": free,
    "tags": st.just(""),
    "kind": st.sampled_from(["", "clean", "paraphrase"]),
}
NEEDED = ["scenario", "level", "user"]


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    optional = draw(st.lists(st.sampled_from(sorted(set(COLUMNS) - set(NEEDED))), unique=True))
    columns = draw(st.permutations([*NEEDED, *optional]))
    rows = [[name.strip() for name in columns]]
    for number in range(draw(st.integers(1, 3))):
        for place in range(draw(st.integers(1, 3))):
            row = {name: draw(COLUMNS[name]) for name in columns if name != "scenario"}
            row["scenario"] = f"s{number}"
            if place:
                row |= {
                    name: draw(st.sampled_from(["", row[name]]))
                    for name in ("scenario", "level", "Domain")
                    if name in row
                }
            rows.append([row[name] for name in columns])
    return rows


@given(tables())
@settings(relaxed, max_examples=150)
def test_no_cell_of_a_sheet_changes_on_the_way_through_yaml_and_back(tmp_path: Path, table: list[list[str]]) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(table)
    suite = read(tmp_path, buffer.getvalue())
    expected = [[guard(unguard(cell)) for cell in row] for row in table]
    assert written_back(suite, tmp_path) == expected
    assert written_back(through_yaml(suite), tmp_path) == expected


def test_a_workbook_never_holds_a_formula(tmp_path: Path) -> None:
    from openpyxl import load_workbook

    suite = Suite("a", (Scenario("s", "basic", (Turn("=1+1", note="#N/A"), Turn("007"))),))
    write_sheet_suite(suite, tmp_path / "a.xlsx")
    page = load_workbook(tmp_path / "a.xlsx").active
    assert page is not None
    found = [cell for row in page.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in found} == {"s"}
    assert [turn.user for turn in turns(read_sheet_suite(tmp_path / "a.xlsx"))] == ["=1+1", "007"]


def test_numbers_and_days_of_a_workbook_are_read_as_they_look(tmp_path: Path) -> None:
    from datetime import datetime

    from openpyxl import Workbook

    book = Workbook()
    assert book.active is not None
    for row in [
        ["scenario", "level", "turn", "user", "has_typo"],
        ["a", "basic", 1, datetime(2023, 6, 22), True],
        [None, None, 2, 7.0, None],
    ]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    found = turns(read_sheet_suite(tmp_path / "a.xlsx"))
    assert [(turn.id, turn.user, turn.kind) for turn in found] == [
        ("1", "2023-06-22", Kind.TYPO),
        ("2", "7", Kind.CLEAN),
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx"])
def test_an_empty_sheet_is_told_what_belongs_into_it(tmp_path: Path, name: str) -> None:
    from openpyxl import Workbook

    if name.endswith("csv"):
        (tmp_path / name).write_bytes(b"\n")
    else:
        Workbook().save(tmp_path / name)
    with pytest.raises(FileError, match="columns scenario, level and user") as caught:
        read_sheet_suite(tmp_path / name)
    assert "example" not in str(caught.value)


def test_a_sheet_of_another_encoding_is_read_when_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("scenario;level;user\na;basic;Zürich, bitte\n".encode("cp1252"))
    with pytest.raises(FileError, match="--encoding cp1252"):
        read_sheet_suite(path)
    assert turns(read_sheet_suite(path, encoding="cp1252"))[0].user == "Zürich, bitte"


def test_cells_that_have_no_turn_to_stay_with_are_told(tmp_path: Path) -> None:
    also = '"{""include"":""p""}"'
    head = '"{""parts"":{""p"":[{""user"":""hi""}]}}"'
    written = (
        "scenario,level,user,also (read-only),suite (read-only),Reviewer\n"
        f"a,basic,,{also},{head},Anna\na,basic,hello,,,Ben\nb,basic,,,,Cleo\n"
    )
    suite = read(tmp_path, written)
    dropped = [note.partition("sheet.csv, ")[2] for note in suite.notes if "not kept" in note]
    assert dropped == [f"row {row}: not kept because the row has no message: 'Reviewer'" for row in (2, 4)]
    column = [row[-1] for row in written_back(suite, tmp_path)]
    assert "Ben" in column
    assert "Anna" not in column
