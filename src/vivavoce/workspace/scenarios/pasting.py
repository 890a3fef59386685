"""Scenarios copied from a spreadsheet, added to a suite."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from vivavoce.conversations import Suite, read_suite
from vivavoce.conversations.scenarios.suites import merge_suites
from vivavoce.errors import InputError, UsageError
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Role
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.scenarios.suites import assemble_suite, find_suite, import_read_suite

NAME = "the cells"


def paste_scenarios(store: Store, actor: Actor, project: Project, suite_id: str, text: str) -> Edit:
    """Add the scenarios of a sheet to a suite: cells with tabs between them, commas, or YAML.

    Refused where one of them is there already, or where the two do not fit together.
    """
    actor.require(Role.EDITOR)
    if not text.strip():
        raise UsageError("there are no cells", where="sheet", remedy="copy them from your spreadsheet and paste them")
    with store.reading() as tx:
        row = find_suite(tx, project, suite_id)
        there = assemble_suite(tx, row.id)
    grown = merge_suites([there, read_text(text)], there.name)
    return import_read_suite(store, actor, project, grown, replacing=True)


def read_text(text: str) -> Suite:
    """Return the scenarios of a text: a table, or YAML where it begins like it."""
    clean_text(text)
    ending = ".yaml" if text.lstrip().startswith(("format:", "suite:", "scenarios:", "- ", "#")) else ".csv"
    with TemporaryDirectory(prefix="viva-") as folder:
        path = Path(folder) / f"pasted{ending}"
        path.write_text(text, encoding="utf-8", newline="")
        try:
            return read_suite(path)
        except InputError as error:
            raise _told(error, str(path)) from error


def _told(error: InputError, path: str) -> InputError:
    """Return an error that speaks of what was pasted, not of a file that nobody knows."""
    return type(error)(
        error.what.replace(path, NAME), where=NAME, remedy=error.remedy.replace(path, NAME), faults=error.faults
    )
