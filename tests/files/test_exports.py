from __future__ import annotations

import csv
import io
import math
import zipfile
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.utils.escape import unescape

from vivavoce.errors import DataError
from vivavoce.files import read_table
from vivavoce.files.exports import MAX_CHARACTERS, csv_bytes, xlsx_bytes
from vivavoce.files.writing import FORMULA_STARTS, guard_cell
from vivavoce.outcomes import Outcome

pytestmark = pytest.mark.slow

SAFE_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cn")), max_size=40)
NUMBERS = st.integers(-(10**14), 10**14) | st.floats(allow_nan=False, allow_infinity=False)


def csv_rows(data: bytes, delimiter: str = ",") -> list[list[str]]:
    text = data.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def xlsx_rows(data: bytes) -> list[list[object]]:
    book = load_workbook(io.BytesIO(data))
    rows = book.worksheets[0].iter_rows(values_only=True)
    # openpyxl leaves the escapes of the format to its callers.
    return [[unescape(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]


def kinds(data: bytes) -> set[str]:
    return {cell.data_type for row in load_workbook(io.BytesIO(data)).worksheets[0].iter_rows() for cell in row}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(SAFE_TEXT, min_size=2, max_size=2), max_size=8))
def test_texts_come_back_from_both_forms_as_they_went_in_but_for_the_guard(rows: list[list[str]]) -> None:
    expected = [["a", "b"], *[[guard_cell(cell) for cell in row] for row in rows]]
    assert csv_rows(csv_bytes(["a", "b"], rows)) == expected
    found = xlsx_rows(xlsx_bytes("t", ["a", "b"], rows))
    assert [["" if cell is None else cell for cell in row] for row in found] == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(NUMBERS, min_size=1, max_size=3), min_size=1, max_size=5))
def test_numbers_stay_numbers_and_need_no_guard(rows: list[list[float]]) -> None:
    columns = [f"c{place}" for place in range(3)]
    padded: list[Sequence[object]] = [[*row, *[None] * (3 - len(row))] for row in rows]
    found = xlsx_rows(xlsx_bytes("t", columns, padded))[1:]
    assert [[cell for cell in row if cell is not None] for row in found] == rows
    written = csv_rows(csv_bytes(columns, padded))[1:]
    assert [[float(cell) for cell in row if cell] for row in written] == [
        [float(cell) for cell in row] for row in rows
    ]


@settings(max_examples=60, deadline=None)
@given(st.text(), st.sampled_from([*FORMULA_STARTS, "#N/A", "=cmd|' /C calc'!A0", "\x00=1", "\ud800="]))
def test_no_text_is_a_formula_in_any_place(tail: str, start: str) -> None:
    cell = start + tail
    for row in csv_rows(csv_bytes([cell], [[cell]])):
        assert not row[0].startswith(FORMULA_STARTS)
    data = xlsx_bytes(cell, [cell], [[cell]])
    assert kinds(data) == {"s"}
    assert all(not str(row[0]).startswith(FORMULA_STARTS) for row in xlsx_rows(data))


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=()), min_size=1))
def test_any_text_at_all_makes_a_workbook_that_opens(text: str) -> None:
    data = xlsx_bytes(text, [text], [[text]])
    assert len(xlsx_rows(data)) == 2
    assert len(csv_rows(csv_bytes([text], [[text]]))) == 2


def test_what_no_workbook_can_hold_is_shown_and_not_dropped() -> None:
    rows = [["a\x00b\x1fc\ufffed"], ["half \ud83d"]]
    assert [row[0] for row in xlsx_rows(xlsx_bytes("t", ["x"], rows))] == ["x", "a�b�c�d", "half \\ud83d"]
    assert [row[0] for row in csv_rows(csv_bytes(["x"], rows))] == ["x", "a�b�c�d", "half \\ud83d"]


def test_line_ends_inside_a_cell_come_back() -> None:
    text = "one\r\ntwo\nthree\rfour\tfive"
    assert csv_rows(csv_bytes(["x"], [[text]]))[1] == [text]
    assert xlsx_rows(xlsx_bytes("t", ["x"], [[text]]))[1] == [text]


@pytest.mark.parametrize("text", ["a_x000D_b", "_x005F_", "one\r\ntwo", "_x"])
def test_escapes_of_the_format_are_ours_to_undo(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.xlsx").write_bytes(xlsx_bytes("t", ["text"], [[text]]))
    assert read_table(tmp_path / "t.xlsx").rows[0].cells == (text,)


def test_dates_are_iso_texts_and_odd_numbers_are_told_apart() -> None:
    moment = datetime(2024, 5, 31, 12, 30, tzinfo=UTC)
    row = [
        date(2024, 5, 31),
        moment,
        True,
        math.nan,
        -math.inf,
        np.float64(0.25),
        np.int64(-3),
        Decimal("1.5"),
        10**18,
    ]
    columns = [str(place) for place in range(len(row))]
    assert csv_rows(csv_bytes(columns, [row]))[1] == (
        ["2024-05-31", "2024-05-31T12:30:00+00:00", "true", "", "'-inf", "0.25", "-3", "1.5", str(10**18)]
    )
    assert xlsx_rows(xlsx_bytes("t", columns, [row]))[1] == (
        ["2024-05-31", "2024-05-31T12:30:00+00:00", True, None, "'-inf", 0.25, -3, 1.5, str(10**18)]
    )


def test_a_named_constant_is_written_as_its_value() -> None:
    outcome = next(iter(Outcome))
    assert csv_rows(csv_bytes(["outcome"], [[outcome]]))[1] == [str(outcome.value)]


def test_csv_begins_with_the_mark_by_which_a_spreadsheet_knows_utf_8() -> None:
    assert csv_bytes(["Größe"], []) == b'\xef\xbb\xbf"Gr\xc3\xb6\xc3\x9fe"\r\n'


def test_another_delimiter_can_be_had_and_is_found_out_by_our_own_reader(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(csv_bytes(["text", "intent"], [["a;b,c", "x"]], delimiter=";"))
    table = read_table(tmp_path / "t.csv")
    assert table.columns == ("text", "intent")
    assert table.rows[0].cells == ("a;b,c", "x")


def test_both_forms_are_read_by_our_own_readers(tmp_path: Path) -> None:
    rows = [[f"text {n}", "greet"] for n in range(50)]
    for name, data in (
        ("t.csv", csv_bytes(["text", "intent"], rows)),
        ("t.xlsx", xlsx_bytes("t", ["text", "intent"], rows)),
    ):
        (tmp_path / name).write_bytes(data)
        assert [list(row.cells) for row in read_table(tmp_path / name).rows] == rows


def test_rows_that_do_not_fit_are_named_all_at_once() -> None:
    with pytest.raises(DataError) as caught:
        csv_bytes(["a", "b"], [["x"], ["x", "y"], ["x", "y", "z"]])
    assert [fault.where for fault in caught.value.faults] == ["row 1", "row 3"]


def test_a_text_longer_than_a_cell_is_cut_visibly() -> None:
    cell = xlsx_rows(xlsx_bytes("t", ["x"], [["=" + "y" * 40_000]]))[1][0]
    assert len(str(cell)) == MAX_CHARACTERS
    assert str(cell).startswith("'=")
    assert str(cell).endswith("...")


def test_a_table_wider_than_a_workbook_is_refused_with_a_way_out() -> None:
    with pytest.raises(DataError, match="export as CSV"):
        xlsx_bytes("t", ["x"] * 16_385, [])


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_a_workbook_takes_any_title(title: str) -> None:
    book = load_workbook(io.BytesIO(xlsx_bytes(title, ["x"], [])))
    assert 1 <= len(book.sheetnames[0]) <= 31


def test_a_large_table_is_one_well_formed_sheet_with_its_first_row_in_view() -> None:
    data = xlsx_bytes("Topics", ["text", "n"], ([f"text & <{n}>", n] for n in range(12_000)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))  # noqa: S314 - our own
    found = sheet.findall(".//{*}row")
    assert len(found) == 12_001
    assert "".join(found[-1].itertext()) == "text & <11999>11999"
    pane = sheet.find(".//{*}pane")
    assert pane is not None
    assert pane.get("state") == "frozen"
