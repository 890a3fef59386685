"""Pairs of sentences that mean the same: what the students of a language learn from."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from vivavoce.errors import DataError, EmptyFileError, Fault, FileError

MIN_PAIRS = 1000
FORM = "each row holds a sentence, a tab and its English translation (UTF-8; the file may be gzipped)"


class Pair(NamedTuple):
    """A sentence and its English translation."""

    text: str
    english: str


def read_pairs(path: Path, min_pairs: int = MIN_PAIRS) -> tuple[Pair, ...]:
    """Read a tab-separated file, gzipped or plain; columns after the second are ignored, equal pairs count once.

    All faulty rows are reported at once.
    """
    pairs: dict[Pair, None] = {}
    faults = []
    for number, line in enumerate(_read_lines(path), start=1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < 2:
            faults.append(Fault("no tab: the English translation is missing", f"row {number}"))
        elif not cells[0] or not cells[1]:
            faults.append(Fault("one of the two sentences is empty", f"row {number}"))
        else:
            pairs[Pair(cells[0], cells[1])] = None
    if faults:
        raise DataError("some rows are no pairs of sentences", where=str(path), faults=faults, remedy=FORM)
    if not pairs:
        raise EmptyFileError("the file holds no pairs of sentences", where=str(path), remedy=FORM)
    check_size(pairs, path, min_pairs)
    return tuple(pairs)


def check_size(pairs: Collection[Pair], path: Path, min_pairs: int = MIN_PAIRS) -> None:
    """Refuse too few pairs."""
    if len(pairs) < min_pairs:
        raise DataError(
            f"{len(pairs):,} different pairs are too few to learn a language",
            where=str(path),
            remedy=f"give at least {min_pairs:,}; 50,000 or more give good vectors",
        )


def leave_out(pairs: Sequence[Pair], texts: Collection[str]) -> tuple[Pair, ...]:
    """Return the pairs of which neither side is one of these texts, whatever their case and punctuation."""
    bare = {_strip(text) for text in texts}
    return tuple(pair for pair in pairs if _strip(pair.text) not in bare and _strip(pair.english) not in bare)


def _strip(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _read_lines(path: Path) -> Iterator[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="\n") as file:
            for line in file:
                yield line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8", where=str(path), remedy="save it as UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot read the file ({reason})", where=str(path), remedy="check the path") from error
