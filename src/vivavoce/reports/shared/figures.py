"""A chart with its title and how to read it: said once for reports, pages and downloads.

A figure has a short name that stays the same, so that a page can ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.reports.shared.svg import AnyChart


class Figure(NamedTuple):
    """A chart with its short name, its title and how to read it."""

    name: str
    title: str
    meaning: str
    chart: AnyChart


def figures_by_name(figures: Sequence[Figure]) -> dict[str, Figure]:
    """Return figures by their names."""
    return {figure.name: figure for figure in figures}
