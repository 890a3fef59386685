"""What happened in dialogues, on the pages about them: groups, filters, quotes, reasons."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from scored_talks import bring_talks, hold_scoring
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.dialogues.dialogues import list_talks
from vivavoce.workspace.dialogues.imports import add_talks
from vivavoce.workspace.dialogues.reading import TalkChoices

pytestmark = pytest.mark.slow
BASE = "/p/jobs/dialogues"
LOST = ("how do I change my address", "I do not understand.", "how do i change my address?", "I do not understand.")
FOUND = ("is the night shift open", "It is.", "thanks a lot", "You are welcome.")
ASKED = ("can I talk to a human please?", "One moment.", "hello?", "Soon.")


def held(name: str, texts: tuple[str, ...], began: datetime | None = None, bot: str = "Iris") -> Dialogue:
    turns = [Utterance("bot" if place % 2 else "visitor", text, bool(place % 2)) for place, text in enumerate(texts)]
    return Dialogue(name, tuple(turns), bot=bot, began=began)


@pytest.fixture
def logged(house) -> dict[str, str]:
    """Bring a few dialogues of three weeks in; returns their ids by name."""
    monday = datetime(2026, 3, 2, 12, tzinfo=UTC)
    talks = [
        held("lost-1", LOST, monday),
        held("lost-2", LOST, monday + timedelta(days=8)),
        held("found", FOUND, monday + timedelta(days=9)),
        held("asked", ASKED, monday + timedelta(days=15), bot="Otto"),
    ]
    add_talks(house.store, PRODUCT, house.project, tuple(talks), TalkChoices("march"))
    return {line.name: line.id for line in list_talks(house.store, house.project, limit=100).lines}


def titles(text: str) -> list[str]:
    return re.findall(r'<a class="title"[^>]*>([^<]*)</a>', text)


def test_the_page_begins_with_a_sentence_about_what_happened(reader, logged) -> None:
    text = reader.get(BASE).text
    (head,) = re.findall(r"<h1[^>]*>([^<]*)</h1>", text)
    assert head == "4 dialogues from 2 March 2026 to 17 March 2026; 2 ended with the bot not understanding."


def test_recent_dialogues_are_counted_by_the_month(house, reader) -> None:
    now = datetime.now(UTC)
    talks = [held("new", FOUND, now), held("old", LOST, now - timedelta(days=60))]
    add_talks(house.store, PRODUCT, house.project, tuple(talks), TalkChoices("now"))
    assert "1 dialogue in the last 30 days; the bot understood in all of them." in reader.get(BASE).text


def test_dialogues_are_called_by_their_first_message(reader, logged) -> None:
    assert set(titles(reader.get(BASE).text)) == {LOST[0], FOUND[0], ASKED[0]}


def test_every_group_leads_to_its_dialogues(reader, logged) -> None:
    text = reader.get(BASE).text
    for kind, count in (("ended_after_fallback", 2), ("repeated_question", 2), ("asked_for_person", 1), ("none", 1)):
        (href,) = set(re.findall(rf'class="btn soft" href="([^"#]*fact={kind}[^"#]*)#list"', text))
        assert len(titles(reader.get(href.replace("&amp;", "&")).text)) == count


def test_filters_show_how_many_dialogues_they_leave(reader, logged) -> None:
    text = reader.get(f"{BASE}?bot=Iris").text
    (facets,) = re.findall(r'<nav class="facets.*?</nav>', text, re.DOTALL)
    counts = dict(re.findall(r'<span dir="auto">([^<]*)</span><span class="n">(\d+)</span>', facets))
    assert counts["Ended after a fallback"] == "2"
    assert counts["Visitor said thanks"] == "1"
    assert "Asked for a person" not in counts
    # The other bot is still there to be chosen.
    assert (counts["Iris"], counts["Otto"]) == ("3", "1")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("q=night+shift", 1),
        ("week=2026-03-09", 2),
        ("band=low", 0),
        ("marks=with", 0),
        ("fact=nonsense", 0),
        ("batch=march", 4),
    ],
)
def test_filters_leave_what_they_say(reader, logged, query, count) -> None:
    assert len(titles(reader.get(f"{BASE}?{query}").text)) == count


def test_weeks_are_drawn_and_lead_to_their_dialogues(reader, logged) -> None:
    text = reader.get(BASE).text
    assert 'href="/p/jobs/dialogues?week=2026-03-09#list" aria-label="Week of 9 March"' in text
    assert "Week by week" in text


def test_without_scores_the_page_offers_to_score(editor, logged) -> None:
    assert "Score these dialogues" in editor.get(BASE).text


def test_a_dialogue_quotes_what_happened_and_leads_to_it(reader, logged) -> None:
    text = reader.get(f"{BASE}/{logged['lost-1']}").text
    assert f'<h1 dir="auto">{LOST[0]}</h1>' in text
    assert re.search(r'<a href="#m3">.*?Visitor repeated a message.*?how do i change my address\?', text, re.DOTALL)
    assert re.search(r'<a href="#m4">.*?Ended after a fallback.*?I do not understand\.', text, re.DOTALL)
    assert 'id="m4"' in text


def test_facts_are_told_in_german(house, logged) -> None:
    client = house.enter(Role.READER)
    client.headers["cookie"] += "; viva_language=de"
    text = client.get(f"{BASE}/{logged['asked']}").text
    assert "Wollte mit einem Menschen sprechen" in text


def test_reasons_never_contradict_the_text(house, reader) -> None:
    ids = bring_talks(house.store, house.project)
    hold_scoring(house.store, house.project)
    for talk in list(ids.values())[:12]:
        text = reader.get(f"{BASE}/{talk}").text
        reasons = "".join(re.findall(r'<ul class="reasons">.*?</ul>', text, re.DOTALL))
        assert "punctuation marks" not in reasons
        assert "expressing displeasure" not in reasons


def test_the_list_as_a_file_says_what_happened(reader, logged) -> None:
    lines = reader.get(f"{BASE}.csv").text.splitlines()
    head = lines[0].replace('"', "").split(",")
    assert {"held", "fallback", "asked_for_person", "ended_after_fallback"} <= set(head)
    assert len(lines) == 5


def test_the_rating_page_has_one_scale(reviewer, logged) -> None:
    text = reviewer.get(f"{BASE}/rate").text
    assert "1 (bad) to 5 (good)" in text
    assert re.findall(r'data-key="([1-5])"', text) == ["1", "2", "3", "4", "5"]
