"""HTML from small parts: text is escaped unless it is known to be HTML already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

VOID = frozenset({"br", "col", "hr", "meta"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> str:
        """Tell templates that nothing is to be escaped."""
        return self


Part = str | Html | None


def tag(name: str, /, *parts: Part, **attributes: str | None) -> Html:
    """Return an element; attribute names may end in `_` (`class_`) and hold `_` for `-` (`aria_label`)."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value, quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{said}>") if name in VOID else Html(f"<{name}{said}>{join(parts)}</{name}>")


def join(parts: Iterable[Part]) -> Html:
    """Return the parts one after another, each escaped unless it is HTML."""
    return Html("".join(part if isinstance(part, Html) else escape(part, quote=False) for part in parts if part))


def details(summary: Part, *parts: Part, open_: bool = False, class_: str | None = None) -> Html:
    """Return something to open on demand."""
    return tag("details", tag("summary", summary), *parts, open="" if open_ else None, class_=class_)


def bullets(lines: Iterable[Part], **attributes: str | None) -> Html:
    """Return a list."""
    return tag("ul", *[tag("li", line) for line in lines], **attributes)


def table(caption: str, head: Sequence[Part], rows: Iterable[Sequence[Part]], *, numbers: int = 0) -> Html:
    """Return a table whose first column names the row; the last `numbers` columns are set right."""
    columns = len(head)

    def style(place: int) -> str | None:
        return "n" if place >= columns - numbers else None

    top = tag("tr", *[tag("th", cell, scope="col", class_=style(place)) for place, cell in enumerate(head)])
    lines = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            *[tag("td", cell, class_=style(place)) for place, cell in enumerate(row[1:], 1)],
        )
        for row in rows
    ]
    whole = tag("table", tag("caption", caption), tag("thead", top), tag("tbody", *lines))
    # A wide table scrolls in its own frame, reachable by keyboard, so that the page never does.
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
