"""Journeys through the exams: begun on a page, seen live, understood, compared."""

from __future__ import annotations

import re
from typing import Any

import pytest
from furnishing import actor_of, add_flight, add_project, add_topics, faq, talks
from halls import Hall
from journeys import bar_value, fill, flash, press, until, visiting

from vivavoce.bots import load_entries
from vivavoce.conversations import Plan, RunOptions
from vivavoce.conversations.scenario import Expectation, Pattern, Script, ScriptTurn
from vivavoce.jobs.exams.conversation_run import conversation_material
from vivavoce.jobs.starting import start_run
from vivavoce.store.rows import Role
from vivavoce.store.stamps import new_id

pytestmark = pytest.mark.browser


def seen_live(page: Any, bar: str, over: Any) -> list[str]:
    """Watch a bar until something else is there; return what it said, as long as the page was never loaded anew."""
    page.locator(bar).wait_for()
    page.wait_for_load_state()
    seen: list[str] = []
    page.on("load", lambda _: seen.append("loaded"))

    def look() -> bool:
        if over.count():
            return True
        value = bar_value(page, bar)
        seen.extend([value] if value and value not in seen[-1:] else [])
        return False

    until(look)
    return seen[: seen.index("loaded")] if "loaded" in seen else seen


def mixed_up() -> bytes:
    """Return shipped questions with two more topics about the same thing, so that every bot confuses them."""
    things = (
        "the bonus",
        "overtime",
        "a raise",
        "my payslip",
        "night shifts",
        "holiday pay",
        "expenses",
        "the pension",
    )
    frames = ("when do I get {}", "how is {} paid out", "who decides about {}", "is {} in the contract")
    asked = [frame.format(thing) for thing in things for frame in frames]
    rows = [f"{text},{'wages' if (place + place // len(frames)) % 2 else 'pay'}," for place, text in enumerate(asked)]
    return faq(4, 10, 0) + "\r\n".join([*rows, ""]).encode()


def test_an_intents_exam_is_seen_live_and_shows_the_confused_pairs(hall: Hall, browser: Any) -> None:
    project = add_project(hall.store, "live")
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, mixed_up())
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/live/intents")
        page.locator("main .experts summary").click()
        page.locator("main [name=preset]").select_option("known")
        fill(page, retries="25", threshold="0.1")
        press(page, "Examine")
        values = seen_live(page, "#run-bar-bar", page.locator("main .tiles"))
        assert len(values) > 1, "the bar moved while the page stayed"
        assert values == sorted(values, key=float)
        page.get_by_role("heading", name="Most costly problems").wait_for()
        page.locator("main .experts summary", has_text="For experts").click()
        check_live_chart(page)
        pair = page.locator("main .problems tr", has_text="wages").first
        pair.locator(".do a").click()
        assert re.search("/pair[?]|/topics/", page.url), "where the pair can be worked on"
        page.go_back()
        page.locator(".tabs a", has_text="Confusion").click()
        assert page.locator("main tbody tr").count() > 0


def check_live_chart(page: Any) -> None:
    """Wait for the first chart to come alive; it must fill its place."""
    page.locator("figure[data-chart]").first.scroll_into_view_if_needed()
    page.locator("figure[data-live]").first.wait_for()
    wide = page.evaluate(
        """() => ['svg', '.drawn'].map(
          part => document.querySelector(`figure[data-live] ${part}`).getBoundingClientRect().width)"""
    )
    assert wide[0] > 0.9 * wide[1] > 0, wide


def test_two_bots_talk_side_by_side_and_their_transcript_can_be_read(hall: Hall, browser: Any) -> None:
    project = add_project(hall.store, "flights")
    add_flight(hall.store, actor_of(hall.house.users[Role.EDITOR]), project)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/flights/conversations")
        for name, ticked in (("keywords", True), ("nearest", True), ("vectors", False)):
            page.locator(f"main [name=bot][value={name}]").set_checked(ticked)
        page.locator("main [name=level][value=basic]").check()
        press(page, "Check this run")
        assert "with 2 bots" in page.locator("#size").inner_text()
        assert page.locator("main [name=bot]:checked").count() == 2, "what was chosen stays chosen"
        press(page, "Start")
        page.get_by_role("heading", name="Seven metrics by level").wait_for()
        page.locator(".tabs a", has_text="Conversations").click()
        page.locator("main tbody th a").first.click()
        replies = page.locator(".round").first.locator(".reply")
        assert sorted(replies.locator(".key").all_inner_texts()) == ["keywords", "nearest"]
        boxes = [replies.nth(place).bounding_box() for place in (0, 1)]
        assert boxes[0]["y"] == boxes[1]["y"], "side by side"
        assert boxes[0]["x"] < boxes[1]["x"]


def test_each_turn_is_seen_with_its_verdict_while_slow_bots_talk(hall: Hall, browser: Any) -> None:
    project, user = add_project(hall.store, "slow"), hall.house.users[Role.EDITOR]
    turns = tuple(
        ScriptTurn(n, f"t{n}", f"message {n}", Expectation(any=(Pattern(f"message {min(n, 7)}"),)))
        for n in range(1, 9)
    )
    plan = Plan("slow", "en", (Script("s", "s", "A slow talk", "test", "basic", turns, version="1"),), hash="0" * 16)
    bots = {name: {"kind": "scripted:echo", "delay_s": delay} for name, delay in (("hare", 0.5), ("snail", 0.8))}
    facts = [bot.facts for bot in load_entries(bots)]
    material = conversation_material(plan, list(bots.items()), facts, RunOptions(), run=new_id())
    run = start_run(hall.store, project.id, "conversations", "Slow", {}, material, user_id=user.id)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto(f"/p/slow/conversations/{run.number}")
        page.locator(".live-rounds .chip", has_text="Right").first.wait_for()
        scores = page.locator(".scores .tile").all_inner_texts()
        assert any("turns right" in score and "0 of 1 conversations, 1 in progress" in score for score in scores)
        assert page.locator(".strip .sq").count() == 16, "all turns of both bots, said or not"
        page.get_by_role("heading", name="Seven metrics by level").wait_for()
        page.goto(f"/p/slow/conversations/{run.number}/talks/s")
        assert [text.split()[-3:] for text in page.locator(".strip tbody tr").all_inner_texts()] == [
            ["7", "of", "8"]
        ] * 2


def test_two_runs_are_compared_question_by_question_and_turn_by_turn(hall: Hall, browser: Any) -> None:
    exams, held = (hall.house.runs[kind] for kind in ("intents", "conversations"))
    with visiting(browser, hall.url, hall.states[Role.READER]) as page:
        page.goto(f"/p/jobs/intents/{exams[1].number}")
        page.locator("main a", has_text=re.compile("Compare")).first.click()
        assert f"a={exams[0].number}" in page.url
        numbers = page.locator("main table").first.inner_text()
        assert str(exams[0].number) in numbers
        assert str(exams[1].number) in numbers
        changed = page.locator("main tbody th", has_text=re.compile(r"\w+ \w+"))
        assert changed.count() > 0, "the lower threshold answers other questions"
        page.goto(f"/p/jobs/conversations/compare?a={held[0].number}&b={held[1].number}")
        page.get_by_role("heading", name="Turn by turn").wait_for()
        both = page.locator("main").inner_text()
        assert all(name in both for name in ("keywords", "nearest", "parrot"))


def test_talks_are_brought_in_scored_and_rated(hall: Hall, browser: Any) -> None:
    add_project(hall.store, "talks")
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/talks/dialogues")
        page.locator("main .empty a.btn").click()
        page.locator("main input[type=file]").set_input_files(
            {"name": "june.jsonl", "mimeType": "application/jsonl", "buffer": talks(6)}
        )
        page.get_by_role("heading", name="All dialogues").wait_for()
        page.locator("main button[formaction$='/apply']").click()
        flash(page, re.compile(r"\d"))
        page.goto("/p/talks/dialogues/score")
        press(page, "Score these dialogues")
        page.locator("main .run-foot .downloads").wait_for()
        page.goto("/p/talks/dialogues")
        page.locator("main tbody th a").first.click()
        page.locator("main .score-line b").wait_for()
        page.locator("main .experts > summary").click()
        measured = page.get_by_role("table", name="What the rater measured")
        assert measured.locator("tbody tr").count() > 0, "why this score, also where no fact of the text tells it"
        page.locator("main .marks [name=quality][value='4']").check()
        press(page, "Save rating")
        page.locator("main", has_text="Edith Editor").wait_for()
        assert page.locator("main .marks [name=quality][value='4']").is_checked()
        page.goto("/p/talks/dialogues/rate")
        page.locator("main .marks button").first.click()
        page.locator("main .flash", has_text="Your last rating").wait_for()
    with hall.store.reading() as tx:
        project = tx.projects.by_slug("talks")
        assert project is not None
        given = [one for row in tx.dialogues.of_project(project.id) for one in tx.ratings.of_dialogue(row.id)]
    editor = hall.house.users[Role.EDITOR].id
    assert sorted(one.quality or 0 for one in given if one.user_id == editor) == [1, 4], "both ratings were kept"
