"""A journey of somebody who merges topics that are the same but for capitals, and asks whether it helped."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from furnishing import actor_of, add_topics
from halls import Hall
from journeys import flash, press, visiting

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.text.vectors import encoder_available

pytestmark = [pytest.mark.browser, pytest.mark.shared]

SLUG = "careers"
GOOD = ("right", "declined", "declined_no_guess")


def careers(shared: Path) -> bytes:
    """Return the questions of a careers bot; every thirteenth is filed under its topic in capitals."""
    with (shared / "data" / "intents" / "recruit_infobot.csv").open(encoding="utf-8") as file:
        rows = [(row["text"], row["intent"].replace("_", " ")) for row in csv.DictReader(file)]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("text", "intent"))
    writer.writerows((said, topic.upper() if n % 13 == 12 else topic) for n, (said, topic) in enumerate(rows))
    return text.getvalue().encode()


def twins(store: Store, project: Project) -> Iterator[tuple[str, str]]:
    """Yield the ids of topics that differ by capitals alone, the larger one last."""
    with store.reading() as tx:
        sizes = {topic.id: tx.examples.count_of_topic(topic.id) for topic in tx.topics.of_project(project.id)}
        names = tx.topics.names(project.id)
    found: dict[str, list[str]] = defaultdict(list)
    for topic_id in sorted(sizes, key=lambda one: sizes[one]):
        found[names[topic_id].casefold()].append(topic_id)
    yield from ((ids[0], ids[1]) for ids in found.values() if len(ids) == 2)


def examine(page: Any) -> None:
    page.goto(f"/p/{SLUG}/intents")
    page.locator("main [name=preset]").select_option("known")
    press(page, "Start the exam")
    page.locator("main .tiles").wait_for()


def questions(page: Any, run: int) -> list[dict[str, str]]:
    """Return the questions of a run as the page lets them be taken along."""
    content = page.request.get(f"/p/{SLUG}/intents/{run}/questions.csv").body()
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def count_changes(
    before: list[dict[str, str]], after: list[dict[str, str]], key: Callable[[dict[str, str]], object]
) -> tuple[int, int]:
    """Count the questions that became right and those that no longer are, example by example, then text by text."""
    old = {key(row): row for row in before}
    by_text: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row in after:
        if key(row) in old:
            by_text[row["question"]].append((old[key(row)]["outcome"] in GOOD, row["outcome"] in GOOD))
    sides = [tuple(2 * sum(side) >= len(side) for side in zip(*pairs, strict=True)) for pairs in by_text.values()]
    return sides.count((False, True)), sides.count((True, False))


def test_merging_twins_is_told_as_the_gain_that_it_is(hall: Hall, browser: Any, shared: Path) -> None:
    if not encoder_available():
        pytest.skip("there are no sentence vectors: viva models get")
    with hall.store.writing() as tx:
        project = tx.projects.add(SLUG, "Careers bot", language="en", classifier="linear", threshold=0.5)
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, careers(shared))
    pairs = list(twins(hall.store, project))
    assert len(pairs) == 11
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        examine(page)
        for small, large in pairs:
            page.goto(f"/p/{SLUG}/topics/merge?topic={small}&topic={large}")
            page.locator("main [name=into]").select_option(large)
            press(page, "Merge")
            flash(page, "The topics are one now.")
        examine(page)
        before, after = questions(page, 1), questions(page, 2)
        check_comparison(page)
        check_other_pages(page)
    folded = count_changes(before, after, lambda row: (row["question"], row["topic"].casefold()))
    assert folded == (13, 2), "what our own tables give, example by example"
    named = count_changes(before, after, lambda row: (row["question"], row["topic"]))
    assert named == (6, 2), "what a comparison by the names of topics would tell"


def check_comparison(page: Any) -> None:
    page.goto(f"/p/{SLUG}/intents/compare")
    assert page.locator("main .lead").inner_text() == (
        "From run 1 to 2, 13 of 202 shared questions became right; 2 no longer are. "
        "That is better by more than chance."
    )
    causes = page.get_by_role("heading", name="What your edits did").locator("xpath=..")
    cells = [row.locator("th, td").all_inner_texts() for row in causes.locator("tbody tr").all()]
    assert cells == [["Topics merged", "11", "7", "0"], ["Nothing: same topic in both runs", "", "6", "2"]]
    improved = page.get_by_role("heading", name="13 questions became right").locator("xpath=..")
    rows = [row.locator("th, td").all_inner_texts() for row in improved.locator("tbody tr").all()]
    assert len(rows) == 13
    assert ["Robert", "name (before: NAME)", "Wrong topic", "Right", "name", "name"] in rows
    assert not [row for row in rows if row[2] == "Wrong topic" and row[1] == row[4]], "a guess is not its own topic"


def check_other_pages(page: Any) -> None:
    verdict = page.locator("main .lead").inner_text()
    page.goto(f"/p/{SLUG}/timeline")
    assert page.locator("main .lead").inner_text().endswith(verdict)
    page.goto(f"/p/{SLUG}")
    line = page.locator("main tr", has_text="Decisions right").inner_text()
    assert "improved" in line
    assert "13 became right, 2 no longer are" in line
    assert "unchanged" not in page.locator("main").inner_text()
