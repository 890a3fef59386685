"""Journeys from a mistake to its example: a cell of the confusions, a tick, a move, and back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from furnishing import actor_of, add_project, add_topics, faq
from halls import Hall
from journeys import Hand, fill, flash, press, until, visiting
from opening import DESK, PHONE, check_accessible

from exam_hall import keep_guessed
from vivavoce.store.rows import Project, Role, RunState

pytestmark = pytest.mark.browser
LONG = "a name of a topic that is far too long for every table_and_never_stops_" * 2
RIGHT_TO_LEFT = "موقع المكتب والوصول إليه"


def mistaken_project(hall: Hall, slug: str) -> tuple[Project, list[str]]:
    """Add a project with a run in which three questions of one topic went to another; return these questions."""
    project = add_project(hall.store, slug)
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, odd_topics())
    with hall.store.reading() as tx:
        names = tx.topics.names(project.id)
        texts = [row.text for row in tx.examples.of_project(project.id) if names.get(row.topic_id or "") == LONG][:3]
    keep_guessed(hall.store, project, dict.fromkeys(texts, RIGHT_TO_LEFT))
    return project, texts


def odd_topics() -> bytes:
    odd = [f"أين المكتب رقم {n},{RIGHT_TO_LEFT}," for n in range(6)] + [f"where is it {n},{LONG}," for n in range(6)]
    return faq(3, 6, 3) + "\r\n".join([*odd, ""]).encode()


def topic_of(hall: Hall, project: Project, text: str) -> str | None:
    with hall.store.reading() as tx:
        (row,) = [one for one in tx.examples.of_project(project.id) if one.text == text]
        return tx.topics.names(project.id).get(row.topic_id or "")


@pytest.mark.parametrize("script", [True, False])
def test_from_a_cell_to_a_moved_example_in_three_clicks_and_back(hall: Hall, browser: Any, script: bool) -> None:
    project, texts = mistaken_project(hall, f"cells-{str(script).lower()}")
    with visiting(browser, hall.url, hall.states[Role.EDITOR], java_script_enabled=script) as page:
        page.goto(f"/p/{project.slug}/intents/1")
        hand = Hand(page)
        hand.click(page.locator(f'.confusion a[aria-label*="mistaken for {RIGHT_TO_LEFT}: 3 of 6"]'))
        hand.click(page.locator(".cell-panel label", has_text=texts[0]))
        hand.click(page.locator(".cell-panel button", has_text="Move to"))
        done = flash(page, re.compile("1 example moved"))
        assert hand.count <= 3
        assert topic_of(hall, project, texts[0]) == RIGHT_TO_LEFT
        assert page.locator(".cell-panel input[disabled]").count() == 1, "what was moved cannot be ticked again"
        done.get_by_role("button", name="Undo").click()
        page.locator(".flash").first.wait_for()
        assert topic_of(hall, project, texts[0]) == LONG


def test_ticked_questions_are_counted_moved_and_labels_confirmed_in_the_list(hall: Hall, browser: Any) -> None:
    project, texts = mistaken_project(hall, "ticks")
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto(f"/p/{project.slug}/intents/1/questions")
        page.locator(".facets a", has_text="Wrong topic").click()
        boxes = page.locator("main tbody [name=question]")
        assert boxes.count() == len(texts), "the facet says how many it leaves"
        boxes.nth(0).check()
        boxes.nth(1).check()
        page.locator(".bulk", has_text="2 ticked").wait_for()
        page.locator(".bulk button", has_text="Label is right").click()
        flash(page, "2 labels confirmed.")
        assert page.locator("main tbody [name=question]").count() == 1
        check_accessible(page)


@pytest.mark.parametrize("script", [True, False])
def test_a_question_that_is_no_longer_right_is_moved_where_the_comparison_lists_it(
    hall: Hall, browser: Any, script: bool
) -> None:
    slug = f"compared-{str(script).lower()}"
    project = add_project(hall.store, slug)
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, odd_topics())
    text = "where is it 0"
    for guesses in ({}, {text: RIGHT_TO_LEFT}):
        keep_guessed(hall.store, project, guesses)
    with visiting(browser, hall.url, hall.states[Role.EDITOR], java_script_enabled=script) as page:
        page.goto(f"/p/{slug}/intents/compare")
        box = page.locator("main form tbody [name=question]")
        assert box.count() == 1, "what got right needs no action"
        box.check()
        page.locator(".bulk [name=target]").select_option(label=RIGHT_TO_LEFT)
        page.locator(".bulk button", has_text="Move").click()
        flash(page, re.compile("1 example moved"))
        assert "/intents/compare?" in page.url
        assert topic_of(hall, project, text) == RIGHT_TO_LEFT
        assert page.locator("main form tbody [name=question][disabled]").count() == 1
        if script:
            check_accessible(page)


@pytest.mark.parametrize("place", ["", "/questions", "/confusion", "/pair", "/curve?threshold=0.5", "/topics"])
def test_long_and_right_to_left_names_break_no_page(hall: Hall, browser: Any, place: str) -> None:
    with hall.store.reading() as tx:
        known = tx.projects.by_slug("odd")
    project = known or mistaken_project(hall, "odd")[0]
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        for width in (DESK, PHONE):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"/p/{project.slug}/intents/1{place}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (place, width)
        check_accessible(page)


@pytest.mark.parametrize("script", [True, False])
def test_the_first_exam_takes_one_click_after_the_import(hall: Hall, browser: Any, script: bool) -> None:
    slug = f"first-{str(script).lower()}"
    project = add_project(hall.store, slug)
    with visiting(browser, hall.url, hall.states[Role.EDITOR], java_script_enabled=script) as page:
        page.goto(f"/p/{slug}/import")
        fill(page, pasted=faq(3, 6, 0).decode())
        press(page, "Preview import")
        press(page, re.compile("^Import "))
        flash(page, "Import complete.")
        button = page.locator("main button", has_text="Examine")
        assert re.search(r"about \d+ s", button.inner_text())
        hand = Hand(page)
        hand.click(button)
        page.locator("main", has_text="Exam started").wait_for()
        assert hand.count == 1

    def is_done() -> bool:
        with hall.store.reading() as tx:
            run = tx.runs.by_number(project.id, 1)
        return run is not None and run.state is RunState.DONE

    until(is_done)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto(f"/p/{slug}/intents/1")
        assert page.locator("main .tiles li").count() == 4


def test_two_hundred_topics_and_eleven_thousand_examples_fit_every_page(hall: Hall, browser: Any) -> None:
    project = add_project(hall.store, "large")
    names = [f"topic {n:03} about something with a rather long name" for n in range(208)]
    rows = [(f"question {n} about {n % 208}", names[n % 208]) for n in range(11_000)]
    table = "\n".join(["text,intent", *(f"{text},{topic}" for text, topic in rows)])
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, table.encode())
    keep_guessed(hall.store, project, {text: names[(n + 1) % 208] for n, (text, _) in enumerate(rows) if n % 9 == 0})
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/large/topics")
        topic = str(page.locator("tbody th a").first.get_attribute("href"))
        exam = "/p/large/intents/1"
        parts = ("", "/questions", "/confusion", "/topics", "/curve")
        for address in ("/p/large", "/p/large/topics", topic, "/p/large/import", *(exam + part for part in parts)):
            for width in (DESK, PHONE):
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(address)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, width)
            assert page.locator("main h1").count() == 1, address
        page.goto(exam)
        assert 1 < page.locator(".confusion").count() <= 4, "the costliest groups alone"
