"""Openings of a project: imported from a file, or fetched from an address; subscribers hear of new ones."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from vivavoce.assistant import Opening
from vivavoce.assistant.tokens import index_tokens
from vivavoce.errors import DataError, Fault
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import OpeningRow, Project, Role
from vivavoce.store.stamps import new_id
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.assistant.mailing import tell_subscribers

NAMES = tuple(field.name for field in fields(Opening))
MAX_OPENINGS = 50_000
MAX_CELL = 20_000
MAX_ID = 200
SHOWN_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Renewed:
    """What an import of openings did."""

    total: int
    added: int
    gone: int
    told: int


def read_feed(content: bytes) -> tuple[Opening, ...]:
    """Read openings from CSV, or from JSON (a list of objects); all faults are told at once."""
    rows = _read_rows(content)
    if not 0 < len(rows) <= MAX_OPENINGS:
        what = say("the file has {count:,} openings; 1 to {most:,} can be read", count=len(rows), most=MAX_OPENINGS)
        raise DataError(what, remedy=say("check the file"))
    openings = [
        Opening(**{name: str(row.get(name) or "").replace("\0", "").strip() for name in NAMES}) for row in rows
    ]
    counts = Counter(opening.id for opening in openings)
    faults = [
        Fault(fault, say("row {number}", number=number))
        for number, opening in enumerate(openings, 1)
        for fault in _faults(opening, counts[opening.id])
    ]
    if faults:
        remedy = say("correct the file; nothing was changed")
        raise DataError(say("some openings cannot be read"), faults=faults[:SHOWN_FAULTS], remedy=remedy)
    return tuple(openings)


def _read_rows(content: bytes) -> Sequence[Mapping[str, Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(say("the file is not UTF-8"), remedy=say("save it as UTF-8")) from error
    if text.lstrip()[:1] not in ("[", "{"):
        return list(csv.DictReader(io.StringIO(text, newline="")))
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise DataError(say("the file is not valid JSON"), remedy=say("check the file")) from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(say("the file is not a list of openings"), remedy=say("write a list of objects"))
    return rows


def _faults(opening: Opening, count: int) -> Iterator[str]:
    if not opening.id or not opening.title:
        yield say("id or title is empty")
    elif count > 1:
        yield say("the id '{ref}' is there twice", ref=opening.id)
    if len(opening.id) > MAX_ID or any(len(getattr(opening, name)) > MAX_CELL for name in NAMES):
        yield say("a cell is too long")
    if opening.url and not opening.url.startswith(("https://", "http://")):
        yield say("the link must begin with http:// or https://")


def import_openings(store: Store, actor: Actor, project: Project, openings: Iterable[Opening]) -> Renewed:
    """Replace the openings of a project; those who subscribed hear of the new ones."""
    actor.require(Role.EDITOR)
    rows = []
    for opening in openings:
        values = {name: getattr(opening, name) for name in NAMES if name != "id"}
        tokens = " ".join(dict.fromkeys(index_tokens(opening)))
        rows.append(OpeningRow(id=new_id(), project_id=project.id, ref=opening.id, tokens=tokens, **values))
    with store.writing() as tx:
        before = tx.openings.refs(project.id)
        tx.openings.replace(project.id, rows)
        refs = {row.ref for row in rows}
        mails = tell_subscribers(tx, project, frozenset(refs - before))
        detail = say("{count:,} openings", count=len(rows))
        note(tx, actor, "import", "assistant", project.id, project_id=project.id, detail=detail)
    return Renewed(len(rows), len(refs - before), len(before - refs), mails)


def list_openings(store: Store, project: Project, limit: int, offset: int) -> tuple[tuple[OpeningRow, ...], int]:
    """Return openings, the newest first, and how many there are."""
    with store.reading() as tx:
        return tx.openings.of_project(project.id, limit, offset), tx.openings.count(project.id)
