"""Keyboards: which keys lie beside which, for slips of the finger."""

from __future__ import annotations

from collections.abc import Mapping

# Each row with how far it is set to the right of the first, in widths of a key.
_ROWS: Mapping[str, tuple[tuple[float, str], ...]] = {
    "qwerty": ((0.0, "qwertyuiop"), (0.25, "asdfghjkl"), (0.75, "zxcvbnm")),
    "qwertz": ((0.0, "qwertzuiopü"), (0.25, "asdfghjklöä"), (0.75, "yxcvbnm")),
}
LAYOUTS = tuple(_ROWS)


def _neighbours(rows: tuple[tuple[float, str], ...]) -> dict[str, tuple[str, str]]:
    """Return for every key those beside it in its row, and those that touch it above and below."""
    places = {key: (row, shift + at) for row, (shift, keys) in enumerate(rows) for at, key in enumerate(keys)}
    found = {}
    for key, (row, at) in places.items():
        near = [(k, r) for k, (r, x) in places.items() if k != key and abs(r - row) <= 1 and abs(x - at) <= 1]
        found[key] = ("".join(k for k, r in near if r == row), "".join(k for k, r in near if r != row))
    return found


NEIGHBOURS: Mapping[str, Mapping[str, tuple[str, str]]] = {name: _neighbours(rows) for name, rows in _ROWS.items()}
"""By layout and key: the neighbours in the same row, and those in the rows above and below."""
