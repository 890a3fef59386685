"""Sheets as people have them: which sheet and row hold the table, what its columns are, how letters are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messy_files import messy_book
from vivavoce.errors import DataError
from vivavoce.files import ReadOptions, build_table, read_dataset
from vivavoce.files.datasets import read_table
from vivavoce.files.encodings import guess_encoding
from vivavoce.files.header_words import TRAINING
from vivavoce.files.headers import guess_header
from vivavoce.files.roles import BY_CELLS, TRAINING_JUDGES, guess_roles

MESSY = ReadOptions(guess=True, rename=True)


def roles_of(*lines: str) -> tuple[str, ...]:
    records = enumerate([line.split(";") for line in lines], 1)
    return guess_roles(build_table(records, "faq", pad=True, options=MESSY), TRAINING, TRAINING_JUDGES, BY_CELLS)


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ([["text", "intent"], ["hi", "greet"]], 1),
        ([[], ["a", "b"], ["c", "d"]], 2),
        ([["FAQ export"], ["Status: Nov"], ["No", "Area", "Question"], [1, "pay", "how much?"]], 3),
        ([["Export", "Nov 2026"], ["Frage", "Thema"], ["Wie viel?", "Gehalt"]], 2),
        ([["Titel"], ["x", "y", "z"], ["1", "2", "3"]], 2),
        ([["one"], ["two"], ["three"]], 1),
        ([["how much?", "pay"], ["where?", "place"]], 1),
        ([[], []], 0),
    ],
)
def test_the_header_is_found_under_titles(rows: list[list[object]], header: int) -> None:
    assert guess_header(list(enumerate(rows, 1))) == header


@given(st.lists(st.lists(st.one_of(st.none(), st.text(max_size=8), st.integers()), max_size=5), max_size=12))
def test_the_guessed_header_is_a_row_that_holds_something(rows: list[list[object]]) -> None:
    numbered = list(enumerate(rows, 1))
    header = guess_header(numbered)
    filled = [number for number, cells in numbered if any(str(cell or "").strip() or cell == 0 for cell in cells)]
    assert header in filled or (header == 0 and not filled)


def test_the_command_line_finds_sheet_and_header_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "faq.xlsx"
    path.write_bytes(messy_book())
    with pytest.raises(DataError, match="'Area'"):
        read_dataset(path, skip_bad=True)
    data = read_dataset(path, intent_column="Area", skip_bad=True)
    assert len(data) == 7
    assert any("only the sheet 'FAQ' is read, not Notes" in note for note in data.notes)
    assert any("row 3 names the columns; the rows above it are skipped" in note for note in data.notes)
    assert len(read_dataset(path, sheet="FAQ", header_row=3, intent_column="Area", skip_bad=True)) == 7


def test_every_cell_is_kept_where_names_stand_twice_or_are_missing(tmp_path: Path) -> None:
    records = [(1, ["text", "text", ""]), (2, ["a", "b", "c", "d"])]
    table = build_table(records, "faq", pad=True, options=MESSY)
    assert table.columns == ("text", "text (2)", "", "")
    assert table.rows[0].cells == ("a", "b", "c", "d")
    with pytest.raises(DataError, match="duplicate"):
        build_table(records, "faq", pad=True)


@pytest.mark.parametrize(
    ("lines", "roles"),
    [
        (
            (
                "No.;Area;Question;Our reply;Asked on;Who;Comment",
                "1;Pay;how much?;A lot, really.;01.10.2025;HR;ok",
                "2;Pay;when is it?;Soon.;02.10.2025;HR;",
            ),
            ("", "intent", "text", "answer", "created", "owner", ""),
        ),
        (
            (
                "lfd. Nr.;Bereich;Kundenfrage;Unsere Antwort;Gestellt am;Zuständig;Sprache",
                "1;Lohn;wie viel?;Viel Geld.;01.10.2025;HR;de",
                "2;Lohn;wann denn?;Bald.;02.10.2025;HR;de",
            ),
            ("", "intent", "text", "answer", "created", "owner", "language"),
        ),
        (("a;b", "how much do I earn?;pay", "when do I start?;start", "how do I earn more?;pay"), ("text", "intent")),
        (("Question ID;Question;Topic", "17;how much?;pay", "18;when?;pay"), ("", "text", "intent")),
        (("text;intent;date", "hi;greet;soon", "bye;part;later"), ("text", "intent", "")),
    ],
)
def test_columns_are_guessed_by_their_names_and_their_cells(lines: tuple[str, ...], roles: tuple[str, ...]) -> None:
    assert roles_of(*lines) == roles


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "mac-roman", "cp850"])
@pytest.mark.parametrize(
    "text", ["Größe;Löhne für Ärzte", "Écrivez-nous à l'été;reçu", "Was kostet das – 50 Euro? „Nichts“ für Übung"]
)
def test_the_encoding_is_found_out(text: str, encoding: str) -> None:
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:
        return  # the encoding has no such sign
    assert data.decode(guess_encoding(data)).removeprefix("\ufeff") == text


def test_a_delimiter_is_found_under_a_title(tmp_path: Path) -> None:
    path = tmp_path / "faq.csv"
    path.write_text("Unsere Fragen, Stand November\nFrage;Thema\nja, gut;Gruß\nnein, nie;Absage\n", encoding="utf-8")
    assert read_table(path, MESSY).columns == ("Frage", "Thema")
    assert read_dataset(path).intents == ("Gruß", "Absage")
