"""A journey of somebody who merges topics that are the same but for capitals, and asks whether it helped."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from furnishing import actor_of, add_topics
from halls import Hall
from journeys import flash, press, visiting
from opening import check_accessible

from exam_hall import found_in
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.store.database import Store
from vivavoce.store.rows import DocumentRow, MeasureRow, OutcomeRow, Project, Role, Run, RunState
from vivavoce.store.stamps import new_id, now
from vivavoce.text.vectors import encoder_available
from vivavoce.workspace.topics.datasets import project_dataset

pytestmark = [pytest.mark.browser, pytest.mark.shared]

REFERENCE = Path(__file__).parent.parent / "golden" / "twin_topics.json"
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


def add_careers(hall: Hall, slug: str, shared: Path) -> Project:
    with hall.store.writing() as tx:
        project = tx.projects.add(slug, "Careers bot", language="en", classifier="linear", threshold=0.5)
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, careers(shared))
    return project


def twins(store: Store, project: Project) -> Iterator[tuple[str, str]]:
    """Yield the ids of topics that differ by capitals alone, the larger one last."""
    with store.reading() as tx:
        sizes = {topic.id: tx.examples.count_of_topic(topic.id) for topic in tx.topics.of_project(project.id)}
        names = tx.topics.names(project.id)
    found: dict[str, list[str]] = defaultdict(list)
    for topic_id in sorted(sizes, key=lambda one: sizes[one]):
        found[names[topic_id].casefold()].append(topic_id)
    yield from ((ids[0], ids[1]) for ids in found.values() if len(ids) == 2)


def examine(page: Any, slug: str) -> None:
    page.goto(f"/p/{slug}/intents")
    page.locator("main .experts summary").click()
    page.locator("main [name=preset]").select_option("known")
    press(page, "Examine")
    page.locator("main .tiles").wait_for()


def questions(page: Any, slug: str, run: int) -> list[dict[str, str]]:
    """Return the questions of a run as the page lets them be taken along."""
    content = page.request.get(f"/p/{slug}/intents/{run}/questions.csv").body()
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def by_topic(row: dict[str, str]) -> tuple[str, str]:
    return row["question"], row["topic"]


def by_folded_topic(row: dict[str, str]) -> tuple[str, str]:
    return row["question"], row["topic"].casefold()


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


def merge_all(page: Any, slug: str, pairs: list[tuple[str, str]]) -> None:
    assert len(pairs) == 11
    for small, large in pairs:
        page.goto(f"/p/{slug}/topics/merge?topic={small}&topic={large}")
        page.locator(f"main [name=into][value='{large}']").check()
        press(page, "Merge the two")
        flash(page, "Topics merged.")


def rows_under(page: Any, title: str) -> list[list[str]]:
    """Return the cells of the table under a heading."""
    section = page.get_by_role("heading", name=title).locator("xpath=ancestor::section[1]")
    cells = (row.locator("th, td").all_text_contents() for row in section.locator("tbody tr").all())
    return [[" ".join(text.split()) for text in row] for row in cells]


def lead(page: Any, path: str) -> str:
    page.goto(path)
    return str(page.locator("main h1").inner_text())


def today(page: Any, slug: str) -> str:
    """Return what Today says about the change since an earlier exam."""
    page.goto(f"/p/{slug}")
    said = page.locator("main .head .sub", has=page.locator(".chip"))
    return " ".join(str(said.inner_text()).split())


# --- the exams of the reference case -----------------------------------------------------------------------------


def keep_reference(store: Store, project: Project, number: int) -> None:
    """Keep a run of the reference case as it came out: later engines and splits may find something else."""
    told = json.loads(REFERENCE.read_text(encoding="utf-8"))
    moment, options = now(), {"settings": [[0, 0.0]], "classifier": "linear", "threshold": 0.5}
    run = Run(
        new_id(), project.id, 0, "intents", "Intents with linear", RunState.DONE, options, 1, 10, 10, 0,
        "One sentence.", "", None, None, None, "1", str(number), 0, moment, moment, moment,
    )  # fmt: skip
    with store.writing() as tx:
        data = project_dataset(tx, project)
        tx.runs.add(run, dataset_to_bytes(data), ())
        tx.measures.put([MeasureRow(run.id, "0,0", "accuracy", *told["accuracy"][number - 1])])
        tx.outcomes.put(
            OutcomeRow(run.id, place, data.examples[place].text, data.examples[place].intent, *rest)
            for place, *rest in told["runs"][number - 1]
        )
        findings = next(one for one in found_in("intents", 0.3).documents if one.name == "findings.json")
        tx.documents.put([DocumentRow(run.id, findings.name, findings.media, findings.content)])


def test_merging_twins_is_told_as_thirteen_to_two(hall: Hall, browser: Any, shared: Path) -> None:
    project = add_careers(hall, "twins", shared)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        keep_reference(hall.store, project, 1)
        merge_all(page, "twins", list(twins(hall.store, project)))
        keep_reference(hall.store, project, 2)
        verdict = lead(page, "/p/twins/intents/compare")
        found = "13 of 202 shared questions are now right, 2 no longer are. That is more than chance."
        assert verdict == f"The later run is better. {found}"
        causes = [["Merging topics", "11", "7", "0"], ["Same topic as before", "", "6", "2"]]
        assert rows_under(page, "What your edits did") == causes
        improved = rows_under(page, "13 questions are now right")
        assert len(improved) == 13
        (robert,) = (row for row in improved if row[0] == "Robert")
        assert robert[1].split() == ["name", "before:", "NAME"]
        assert "mistaken for name" in robert[2]
        line = lead(page, "/p/twins/timeline")
        assert line.startswith("Better since ")
        assert line.endswith(found)
        assert "82 % → 87 %" in page.locator(".sub").inner_text()
        assert "11 merges" in page.locator(".course-steps").inner_text()
        told = today(page, "twins")
        assert told.startswith("Better than on ")
        assert "13 questions are now right, 2 no longer are. More than chance." in told
        page.get_by_role("link", name="See which").click()
        assert page.locator("main h1").inner_text() == verdict, "Today leads to the same comparison"
        before, after = questions(page, "twins", 1), questions(page, "twins", 2)
    assert count_changes(before, after, by_folded_topic) == (13, 2), "what our own tables give, example by example"
    assert count_changes(before, after, by_topic) == (6, 2), "what the names of topics alone would give"


def test_eleven_twins_are_merged_with_two_clicks_and_one_undo(hall: Hall, browser: Any, shared: Path) -> None:
    project = add_careers(hall, "eleven", shared)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/eleven/topics")
        page.locator(".links-panel a", has_text="Topics with similar names").click()
        assert page.locator("[name=group]:checked").count() == 11
        check_accessible(page)
        press(page, "Merge the ticked groups")
        done = flash(page, "11 groups merged.")
        assert not list(twins(hall.store, project))
        done.get_by_role("button", name="Undo").click()
        page.locator(".flash").first.wait_for()
        assert len(list(twins(hall.store, project))) == 11


COUNT_CLICKS = """addEventListener("click", event => {
  if (event.isTrusted && event.detail) sessionStorage.clicks = Number(sessionStorage.clicks || 0) + 1;
}, true);"""
MOST_CLICKS = 8


def test_from_today_to_eleven_merged_twins_and_a_new_exam_takes_at_most_eight_clicks(
    hall: Hall, browser: Any, shared: Path
) -> None:
    project = add_careers(hall, "clicks", shared)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.add_init_script(COUNT_CLICKS)
        page.goto("/p/clicks")
        page.locator(".side .nav a", has_text="Topics").first.click()
        page.locator(".links-panel a", has_text="Topics with similar names").click()
        press(page, "Merge the ticked groups")
        flash(page, "11 groups merged.")
        assert not list(twins(hall.store, project))
        page.locator(".side .nav a", has_text="Intents exam").first.click()
        press(page, "Examine")
        page.locator("main .tiles").wait_for()
        clicks = page.evaluate("Number(sessionStorage.clicks)")
    assert 3 < clicks <= MOST_CLICKS


# --- the same with the engine of today ---------------------------------------------------------------------------


def test_after_a_merge_and_a_new_exam_all_pages_tell_what_the_questions_tell(
    hall: Hall, browser: Any, shared: Path
) -> None:
    if not encoder_available():
        pytest.skip("there are no sentence vectors: viva models get")
    project = add_careers(hall, "careers", shared)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        examine(page, "careers")
        merge_all(page, "careers", list(twins(hall.store, project)))
        examine(page, "careers")
        before, after = questions(page, "careers", 1), questions(page, "careers", 2)
        better, worse = count_changes(before, after, by_folded_topic)
        assert better > count_changes(before, after, by_topic)[0], "the names of topics alone would hide the gain"
        verdict = lead(page, "/p/careers/intents/compare")
        assert re.search(rf" {better} of \d+ shared questions are now right, {worse} no longer are\.", verdict)
        assert rows_under(page, "What your edits did")[0][:2] == ["Merging topics", "11"]
        assert lead(page, "/p/careers/timeline").endswith(verdict.partition(". ")[2])
        told = today(page, "careers")
        assert f"{better} questions are now right, {worse} no longer are." in told
        assert told.startswith("Better than on ") == ("That is more than chance." in verdict)
