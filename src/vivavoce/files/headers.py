"""Which row of a sheet names its columns: people write titles, notes and blank rows above it."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.files.header_words import ROLE_OF, normalise_name

# So many rows at the beginning are looked at.
HEAD_ROWS = 40
MIN_NAMES = 2
# A header fills most of the columns that the rows below it fill; a title fills one or two.
MIN_FILLED = 0.6

Records = Sequence[tuple[int, Sequence[object]]]


def guess_header(records: Records) -> int:
    """Return the number of the row that names the columns; 0: the first that is not blank."""
    filled = [(number, cells, count_filled(cells)) for number, cells in records if count_filled(cells)]
    if not filled:
        return 0
    first, widest = filled[0], max(count for _, _, count in filled)
    if count_names(first[1]) and first[2] >= min(MIN_NAMES, widest):
        return first[0]
    named = next((number for number, cells, _ in filled if count_names(cells) >= MIN_NAMES), 0)
    if named or first[2] > 1:
        return named or first[0]
    return next((number for number, _, count in filled if count >= max(MIN_FILLED * widest, 2)), first[0])


def rate_records(records: Records) -> tuple[int, int]:
    """Say how much the beginning of a sheet looks like a table: known names in its header, cells in a row."""
    header = guess_header(records)
    names = max((count_names(cells) for number, cells in records if number == header), default=0)
    return min(names, MIN_NAMES), min(max((count_filled(cells) for _, cells in records), default=0), 2)


def count_names(cells: Sequence[object]) -> int:
    """Return how many different things the cells name by words that are usual in headers."""
    roles = (ROLE_OF.get(normalise_name(cell)) for cell in cells if isinstance(cell, str) and len(cell) < 40)
    return len({role for role in roles if role})


def count_filled(cells: Sequence[object]) -> int:
    """Return how many cells hold something."""
    return sum(cell is not None and str(cell).strip() != "" for cell in cells)
