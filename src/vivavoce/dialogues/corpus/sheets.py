"""Dialogues as a table: one row for each message (CSV, TSV, XLSX)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from vivavoce.dialogues.corpus.entries import (
    Entry,
    Findings,
    UnreadableError,
    excerpt,
    is_bot_by_name,
    read_flag,
    read_rating,
    read_thumb,
)
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import DataError, Fault, nearest
from vivavoce.files import ReadOptions, Row, Table, read_table
from vivavoce.files.columns import quote_names
from vivavoce.files.datasets import SHEET_ERRORS
from vivavoce.files.dates import parse_date
from vivavoce.files.header_words import DIALOGUES, normalise_name
from vivavoce.files.roles import ENOUGH, VETO, Facts, Judge, guess_roles, judge_text
from vivavoce.files.tables import UnsavedFormula, as_text
from vivavoce.messages import say

SYNONYMS = DIALOGUES
REQUIRED = ("dialogue", "speaker", "text")
# Each of them says who spoke, too: a column of the bot's replies, or of whether a message is the bot's.
INSTEAD_OF_SPEAKER = ("reply", "is_bot")
PERSON, BOT = "user", "bot"
COLUMNS_IGNORED = say("columns ignored: {names}")
Columns = dict[str, int]
T = TypeVar("T")


def read_sheet(path: Path, options: ReadOptions, format: str) -> Iterator[Entry]:
    """Yield the dialogues of a file; sheet and header are found out where they are not given."""
    table = read_table(path, replace(options, guess=True), format)
    yield from read_rows(table, find_columns(table.columns, str(path)), options, str(path))


def read_rows(table: Table, columns: Columns, options: ReadOptions, source: str) -> Iterator[Entry]:
    """Yield the dialogues in the order in which they first appear; rows of one need not be together."""
    if not table.rows and not table.faults:
        raise DataError(
            say("the sheet has column names but no rows"), where=source, remedy=say("add at least one message")
        )
    remarks = [note.removeprefix(f"{source}: ") for note in table.notes]
    unused = [name for place, name in enumerate(table.columns) if name and place not in columns.values()]
    if unused:
        remarks.append(say(COLUMNS_IGNORED, names=quote_names(unused)))
    yield Entry("", None, remarks=tuple(remarks))
    for fault in table.faults:
        place = f"{table.unit} {fault.number}"
        yield Entry(place, None, (Fault(fault.message, place),))
    groups: dict[str, list[Row]] = {}
    for row in table.rows:
        groups.setdefault(as_text(row.cells[columns["dialogue"]]).strip(), []).append(row)
    for name, rows in groups.items():
        yield _read_dialogue(name, rows, columns, table.unit, options)


def find_columns(names: Sequence[str], source: str) -> Columns:
    """Find the columns by name or a usual synonym, the plain name first; say what is missing, all at once."""
    keys = [normalise_name(name) for name in names]
    columns: Columns = {}
    for role, known in SYNONYMS.items():
        place = next((keys.index(name) for name in known if name in keys), None)
        if place is not None:
            columns[role] = place
    if "speaker" in columns:
        columns.pop("reply", None)
    missing = missing_roles(columns)
    if missing:
        raise DataError(
            say(
                "no column for: {names}; columns found: {quote_names}",
                names=", ".join(missing),
                quote_names=quote_names(names),
            ),
            where=source,
            faults=[Fault(_hint(role, keys)) for role in missing],
            remedy=say("name the columns in the first row, for example: dialogue,speaker,text,rating"),
        )
    return columns


def missing_roles(roles: Collection[str]) -> list[str]:
    """Return the roles that a table of dialogues needs and does not have."""
    is_clear = any(role in roles for role in INSTEAD_OF_SPEAKER)
    return [role for role in REQUIRED if role not in roles and not (role == "speaker" and is_clear)]


def guess_columns(table: Table) -> tuple[str, ...]:
    """Return what each column holds by its name and its cells, for people who look before they import."""
    roles = guess_roles(table, SYNONYMS, JUDGES, ("text", "speaker", "order"))
    return tuple("" if role == "reply" and "speaker" in roles else role for role in roles)


def _judge_id(facts: Facts) -> float:
    return VETO if facts.words > 4 or facts.dates > 0.5 else 2 * (1 - facts.distinct)


def _judge_speaker(facts: Facts) -> float:
    if facts.words > 3 or facts.dates > 0.5 or facts.numbers > 0.5:
        return VETO
    known = any(is_bot_by_name(value) is not None for value in facts.values)
    return ENOUGH if known else VETO / 100 if facts.distinct > 0.8 else 0


def _judge_order(facts: Facts) -> float:
    return ENOUGH if facts.dates > 0.8 else 0 if facts.numbers > 0.8 else VETO


def _judge_number(facts: Facts) -> float:
    return 0 if facts.numbers > 0.5 else VETO


JUDGES: Mapping[str, Judge] = {
    "dialogue": _judge_id,
    "speaker": _judge_speaker,
    "text": judge_text,
    "reply": judge_text,
    "order": _judge_order,
    "rating": _judge_number,
}


def _hint(role: str, keys: Sequence[str]) -> str:
    near = next((nearest(key, SYNONYMS[role]).replace("Did you mean", f"'{key}': did you mean")
                 for key in keys if key and nearest(key, SYNONYMS[role])), "")  # fmt: skip
    return f"name the {role} column {' or '.join(repr(name) for name in SYNONYMS[role][:3])}.{near}"


def _read_dialogue(name: str, rows: Sequence[Row], columns: Columns, unit: str, options: ReadOptions) -> Entry:
    findings = Findings(f"{unit} {rows[0].number}")
    if not name:
        for row in rows:
            findings.fault(
                say("the dialogue is empty: enter the dialogue this message belongs to"), f"{unit} {row.number}"
            )
        return findings.entry(None)
    reader = _Rows(columns, unit, findings)
    ordered = reader.order(rows)
    turns = [turn for row in ordered for turn in reader.turns(row, options)]
    return findings.entry(
        Dialogue(
            id=name,
            turns=tuple(turns),
            ratings=reader.ratings(rows),
            source=reader.same(rows, "source", as_text) or "",
            bot=reader.same(rows, "bot", as_text),
            user=reader.same(rows, "user", as_text),
            passed=reader.same(rows, "passed", lambda cell: read_flag(cell, "'passed'")),
            row=rows[0].number,
            began=reader.find_start(ordered),
        )
    )


class _Rows:
    """Reads the rows of one dialogue; what cannot be read goes to the findings with its row."""

    def __init__(self, columns: Columns, unit: str, findings: Findings) -> None:
        self.columns, self.unit, self.findings = columns, unit, findings

    def cell(self, row: Row, role: str) -> object:
        """Return what a row says in a role; None where there is no such column or nothing in it."""
        value = self._raw(row, role)
        if isinstance(value, UnsavedFormula):
            self.fault(row, f"{role}: {value.message}")
            return None
        if isinstance(value, str) and value.strip() in SHEET_ERRORS:
            message = say("the {role} contains the spreadsheet error {value}: fix the formula and save again")
            self.fault(row, say(message, role=role, value=value.strip()))
            return None
        return None if value == "" or (isinstance(value, float) and math.isnan(value)) else value

    def fault(self, row: Row, message: str) -> None:
        self.findings.fault(message, f"{self.unit} {row.number}")

    def order(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the rows in the order of time where there is a column for it, else as they are."""
        if "order" not in self.columns:
            return rows
        keyed: list[tuple[float | datetime, Row]] = []
        for row in rows:
            value = self.cell(row, "order")
            moment = _parse_moment(value)
            if moment is not None:
                keyed.append((moment, row))
            elif not self._is_silent(row):
                message = say("the order {excerpt} is neither a number nor a date: fix it")
                self.fault(row, say(message, excerpt=excerpt(as_text(value))))
        if len({isinstance(moment, datetime) for moment, _ in keyed}) > 1:
            self.findings.fault(say("the order is a number in some rows and a date in others: use only one of them"))
            return rows
        return [row for _, row in sorted(keyed, key=lambda pair: pair[0])]

    def find_start(self, ordered: Sequence[Row]) -> datetime | None:
        """Return when the first message was sent, where the column for the order holds dates."""
        moment = _parse_moment(self.cell(ordered[0], "order")) if ordered and "order" in self.columns else None
        # A large number is the seconds since 1970.
        return moment if isinstance(moment, datetime) or moment is None else parse_date(f"{moment:.0f}")

    def turns(self, row: Row, options: ReadOptions) -> Iterator[Utterance]:
        """Yield the message of a row and the reply to it; a row that only brings a rating has none."""
        if self._is_silent(row):
            return
        is_bot = self._read(row, "is_bot", lambda cell: read_flag(cell, "'is_bot'"))
        thumb = self._read(row, "thumb", read_thumb)
        text, reply = as_text(self.cell(row, "text")), as_text(self.cell(row, "reply"))
        speaker = (
            as_text(self.cell(row, "speaker")).strip() if "speaker" in self.columns else BOT if is_bot else PERSON
        )
        if not speaker:
            self.fault(row, say("the speaker is empty: enter who said it"))
        known = is_bot if is_bot is not None else is_bot_by_name(speaker, options.bot)
        if text.strip() or "reply" not in self.columns:
            yield Utterance(speaker, text, known, thumb)
        if reply.strip():
            yield Utterance(BOT, reply, is_bot=True)

    def _is_silent(self, row: Row) -> bool:
        has_words = any(as_text(self._raw(row, role)).strip() for role in ("speaker", "text", "reply"))
        return not has_words and any(self._raw(row, role) for role in ("rating", "passed"))

    def _raw(self, row: Row, role: str) -> object:
        place = self.columns.get(role)
        return None if place is None else row.cells[place]

    def _read(self, row: Row, role: str, read: Callable[[object], T]) -> T | None:
        try:
            value = self.cell(row, role)
            return None if value is None else read(value)
        except UnreadableError as error:
            self.fault(row, error.args[0])
            return None

    def same(self, rows: Sequence[Row], role: str, read: Callable[[object], T]) -> T | None:
        """Return what the rows say together; two different answers are a fault."""
        if role not in self.columns:
            return None
        answers = [(row, value) for row in rows if (value := self._read(row, role, read)) not in (None, "")]
        for row, value in answers[1:]:
            if value == answers[0][1]:
                continue
            # Such cells may name people: they are not quoted.
            if role == "user":
                self.findings.remark(say("the user differs within a dialogue; the first is kept"))
                continue
            first = f"{self.unit} {answers[0][0].number}"
            self.fault(row, say("the {role} is not the same as in {first}", role=role, first=first))
        return answers[0][1] if answers else None

    def ratings(self, rows: Sequence[Row]) -> tuple[Rating, ...]:
        """Return one rating for each rater; the same rating on many rows is one."""
        ratings: dict[str, tuple[float, Row]] = {}
        for row in rows if "rating" in self.columns else ():
            rating = self._read(row, "rating", read_rating)
            rater = as_text(self.cell(row, "rater")).strip()
            if rating is None:
                continue
            first, where = ratings.setdefault(rater, (rating, row))
            if first != rating:
                message = say(
                    "the rating is {mark:g}, but {first:g} in {unit} {number}: each rater gives a "
                    "dialogue one rating; for several raters, add a column 'rater'",
                    mark=rating,
                    first=first,
                    unit=self.unit,
                    number=where.number,
                )
                self.fault(row, message)
        return tuple(Rating(rater, rating) for rater, (rating, _) in ratings.items())


def _parse_moment(value: object) -> float | datetime | None:
    if isinstance(value, datetime):
        return parse_date(value)
    try:
        number = float(as_text(value).strip())
        return number if math.isfinite(number) else None
    except ValueError:
        return parse_date(value)
