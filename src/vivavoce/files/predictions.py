"""Predictions of any classifier, given as a table: each message with its topic and the guess."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vivavoce.errors import DataError, Fault
from vivavoce.files.columns import find_columns, quote_names
from vivavoce.files.datasets import build_dataset, read_table
from vivavoce.files.header_words import normalise_name
from vivavoce.files.tables import DEFAULT_MAX_ROWS, ReadOptions, Table, as_text
from vivavoce.messages import say
from vivavoce.records import AUTO, NO_GUESS, Dataset, Guess, is_out_of_scope

# How people and platforms call these columns.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "guess": ("guess", "predicted", "prediction", "predicted_intent", "detected_intent", "vorhersage", "erkannt"),
    "confidence": ("confidence", "score", "probability", "certainty", "sicherheit", "konfidenz"),
}
_REMEDY = say("give the table the columns text, intent, guess and confidence")


def read_predictions(
    path: str | Path,
    *,
    out_of_scope: str | None = AUTO,
    encoding: str | None = None,
    max_rows: int = DEFAULT_MAX_ROWS,
) -> tuple[Dataset, tuple[Guess, ...]]:
    """Return the messages with their topics, and one guess for each; all faults are raised at once.

    Without a column of confidences every guess counts as certain. An empty guess, or one that is called like messages
    that no topic fits, is no guess.
    """
    path = Path(path)
    table = read_table(path, ReadOptions(encoding, max_rows=max_rows, guess=True))
    columns = find_columns(table, str(path))
    guessed, confidence = (_find_column(table, role) for role in _NAMES)
    if guessed is None:
        what = say("no column for the guesses; columns found: {columns}", columns=quote_names(table.columns))
        raise DataError(what, where=str(path), remedy=_REMEDY)
    data = build_dataset(table, columns, str(path), out_of_scope)
    guesses, faults = [], []
    for row in table.rows:
        intent = as_text(row.cells[guessed]).strip()
        sureness = 1.0 if confidence is None else _read_confidence(as_text(row.cells[confidence]))
        if not intent or (out_of_scope is not None and is_out_of_scope(intent, out_of_scope)):
            guesses.append(NO_GUESS)
        elif sureness is None:
            what = say("'{value}' is not a confidence from 0 to 1", value=as_text(row.cells[confidence or 0]))
            faults.append(Fault(what, f"{table.unit} {row.number}"))
        else:
            guesses.append(Guess(intent, sureness))
    if faults:
        remedy = say("enter numbers from 0 to 1, such as 0.83 or 83 %")
        raise DataError(say("these guesses cannot be judged"), where=str(path), faults=faults, remedy=remedy)
    return data, tuple(guesses)


def _find_column(table: Table, role: str) -> int | None:
    names = [normalise_name(name) for name in table.columns]
    return next((names.index(word) for word in _NAMES[role] if word in names), None)


def _read_confidence(text: str) -> float | None:
    """Return the number of "0.83", "0,83" or "83 %"; None for anything else, and outside 0 to 1."""
    plain = text.strip().replace(",", ".")
    try:
        number = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
