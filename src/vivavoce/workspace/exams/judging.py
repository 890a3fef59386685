"""Judging the answers of an engine that people bring as a file: nothing is trained and nothing is stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.errors import VivaError
from vivavoce.workspace.uploads import MAX_ROWS, TABLE_ADVICE, reword_error

if TYPE_CHECKING:
    from vivavoce.intents.blind import BlindResult

# Fewer draws than on the command line: a page is waited for.
RESAMPLES = 200


def judge_file(path: Path, threshold: float, name: str = "") -> BlindResult:
    """Return how good the answers in a table are; errors name the file as its sender does."""
    from vivavoce.files.encodings import GUESS
    from vivavoce.files.predictions import read_predictions
    from vivavoce.intents.blind import score_predictions

    try:
        data, guesses = read_predictions(path, encoding=GUESS, max_rows=MAX_ROWS)
        return score_predictions(data, guesses, threshold, classifier=name or path.stem, resamples=RESAMPLES)
    except VivaError as error:
        raise reword_error(error, path, TABLE_ADVICE) from error
