"""What would become of the rows of an upload: one kind is shown, the others are one click away."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.uploads import ROWS, asked_rows, rows_part

TITLES = {"refused": gettext_noop("Refused"), "skipped": gettext_noop("Skipped"), "added": gettext_noop("New")}
PATH = "/p/jobs/import/key"


@dataclass(frozen=True)
class Planned:
    kind: str


def counted(**counts: int) -> tuple[list[Planned], dict[str, int]]:
    rows = [Planned(kind) for kind, count in counts.items() for _ in range(count)]
    return rows, {kind: counts.get(kind, 0) for kind in TITLES}


def test_the_first_kind_of_which_there_are_rows_is_shown_until_another_is_asked_for() -> None:
    rows, counts = counted(added=2, skipped=1)
    first = rows_part(Words(), asked_rows(PATH), rows, counts, TITLES)
    assert (first.kind, len(first.rows)) == ("skipped", 1)
    assert [(tab.title, tab.href, tab.current) for tab in first.tabs] == [
        ("Skipped (1)", f"{PATH}?kind=skipped", True),
        ("New (2)", f"{PATH}?kind=added", False),
    ]
    asked = rows_part(Words(), asked_rows(PATH, "added"), rows, counts, TITLES)
    assert {row.kind for row in asked.rows} == {"added"}
    assert [link.href for link in asked.downloads] == [f"{PATH}.csv", f"{PATH}.xlsx"]


def test_many_rows_of_a_kind_are_paged_and_counted_in_the_language_of_the_reader() -> None:
    rows, counts = counted(refused=1200)
    part = rows_part(Words("de"), asked_rows(PATH, "refused", 2), rows, counts, TITLES)
    assert part.tabs[0].title.endswith("(1.200)")
    assert len(part.rows) == ROWS
    assert (part.pager.page, part.pager.pages, part.pager.next) == (2, 12, f"{PATH}?kind=refused&page=3")


def test_an_upload_without_rows_has_no_kinds_to_choose_from() -> None:
    rows, counts = counted()
    part = rows_part(Words(), asked_rows(PATH), rows, counts, TITLES)
    assert (part.kind, part.rows, part.tabs, part.pager.total) == ("added", (), (), 0)
