"""Dots with ranges as figures of pages, drawn once for each content, for wide and for narrow pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING

from markupsafe import Markup

from vivavoce.jobs.exams.documents import canonical_json
from vivavoce.kept import Kept

if TYPE_CHECKING:
    from vivavoce.reports.shared.dots import Panel

# Names, then axes: as wide as a page, or as a phone.
WIDE, NARROW = 860, 330
_DRAWN: Kept[tuple[Markup, Markup]] = Kept(24)


def dot_pictures(panels: Sequence[Panel], label: str, *, columns: int = 1) -> tuple[Markup, Markup]:
    """Return the picture for a wide page and the one for a narrow page; on a phone panels stand in one column."""

    def draw() -> tuple[Markup, Markup]:
        from vivavoce.reports.shared.dots import dot_panels
        from vivavoce.reports.shared.svg import to_svg

        longest = max(len(dot.label) for panel in panels for dot in panel.dots)
        wide, narrow = (min(most, 12 + 7 * longest) for most in (300, 120))
        sizes = (((WIDE - wide) // columns - 30, columns, wide), (NARROW - narrow - 30, 1, narrow))
        charts = (
            dot_panels(panels, width=width, columns=count, labels=names, description=label)
            for width, count, names in sizes
        )
        # Drawn by ourselves, with all texts in it escaped.
        first, second = (Markup(to_svg(chart)) for chart in charts)  # noqa: S704
        return first, second

    content = [label, columns, [asdict(panel) for panel in panels]]
    return _DRAWN.get(sha256(canonical_json(content)).hexdigest(), draw)
