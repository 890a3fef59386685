"""The questions of a topic exam on pages: narrowed down, ticked and corrected; thresholds; a large project."""

from __future__ import annotations

import gzip
import html
import json
import re
from base64 import b64decode
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, hold_guessed, hold_intents, small_data
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.importing import apply_import, prepare_import
from vivavoce.workspace.topics.incoming import Choices
from vivavoce.workspace.uploads import Source

pytestmark = pytest.mark.slow
LIGHT = 60_000


@pytest.fixture
def hall(house: Any) -> Any:
    """Return the house with a project that has topics."""
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    return house


def lead_of(text: str) -> str:
    found = re.search(r'<h1 dir="auto">(.*?)</h1>', text, re.DOTALL)
    assert found is not None
    return found[1]


def facet_counts(page: str) -> dict[str, int]:
    """Return the counts of the first facet."""
    first = page.split('<nav class="facets')[1].split("</ul>", maxsplit=1)[0]
    found = re.findall(r'<span dir="auto">(.*?)</span><span class="n">(\d+)</span>', first)
    return {title: int(count) for title, count in found}


def test_the_counts_of_outcomes_follow_the_other_choices(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    base = "/p/jobs/intents/1/questions"
    every, some = (
        sum(facet_counts(reader.get(base + query).text).values()) for query in ("", "?search=word1&guess=topic+0")
    )
    shown = re.match(r"(\d+) of", lead_of(reader.get(f"{base}?search=word1&guess=topic+0").text))
    assert shown is not None
    assert 0 < some == int(shown[1]) < every


# --- questions to act on -----------------------------------------------------------------------------------------


@pytest.fixture
def mistaken(hall: Any) -> Any:
    """Return the house with a run in which two questions about topic 0 were answered with topic 1."""
    texts = [text for text, topic in small_data() if topic == "topic 0"]
    hold_guessed(hall.store, hall.project, dict.fromkeys(texts[:2], "topic 1"))
    return hall


def sent(page: str) -> tuple[str, dict[str, Any]]:
    """Return where the form with ticks goes, and what it sends with its first question ticked."""
    before, _, after = page.partition("data-ticks")
    action = re.search(r'action="([^"]+)"', before.rpartition("<form")[2])
    inside = after.partition("</form>")[0]
    assert action is not None
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', inside))
    boxes = re.findall(r'name="question" value="(\d+)"(?![^>]* disabled)', inside)
    return html.unescape(action[1]), {**{k: html.unescape(v) for k, v in hidden.items()}, "question": boxes[:1]}


def told(answer: Any) -> dict[str, str]:
    """Return what the next page says was done, and the address that undoes it."""
    said: dict[str, str] = json.loads(b64decode(answer.cookies["viva_flash"].strip('"'), altchars=b"-_"))
    return said


def test_a_cell_opens_its_questions_and_moves_one_where_it_was_sent(mistaken: Any, editor: TestClient) -> None:
    result = editor.get("/p/jobs/intents/1").text
    link = re.search(r'href="([^"]+)" aria-label="topic 0 mistaken for topic 1: 2 of 8"', result)
    assert link is not None
    page = editor.get(html.unescape(link[1])).text
    action, fields = sent(page)
    answer = editor.post(action, data={**fields, "do": "move"})
    assert answer.status_code == 303
    back = editor.get(answer.headers["location"]).text
    assert re.fullmatch(
        r"1 example moved to topic 1\. Forecast: .+ points, \d become correct, \d break\.", told(answer)["text"]
    )
    assert told(answer)["undo"].startswith("/p/jobs/edits/")
    assert "Moved to topic 1 since" in back
    assert re.search(r'name="question" value="\d+"[^>]* disabled', back), "what was moved cannot be ticked"


@pytest.mark.parametrize(
    ("do", "said", "then"),
    [
        ("out_of_scope", "1 example is now out of scope.", "Moved to out of scope since"),
        ("right", "1 label confirmed.", "Label is right"),
        ("delete", "1 example deleted.", "Deleted since"),
    ],
)
def test_ticked_questions_are_changed_in_the_list(
    mistaken: Any, editor: TestClient, do: str, said: str, then: str
) -> None:
    action, fields = sent(editor.get("/p/jobs/intents/1/questions?intent=topic+0").text)
    answer = editor.post(action, data={**fields, "do": do})
    assert answer.headers["location"] == "/p/jobs/intents/1/questions?intent=topic+0"
    page = editor.get(answer.headers["location"]).text
    assert told(answer)["text"].startswith(said)
    assert ("Forecast" in told(answer)["text"]) == (do != "right")
    assert then in page
    editor.post(told(answer)["undo"])
    assert "Moved to" not in editor.get("/p/jobs/intents/1/questions?intent=topic+0").text


def test_a_confirmed_label_is_counted_apart_from_the_mistakes(mistaken: Any, editor: TestClient) -> None:
    action, fields = sent(editor.get("/p/jobs/intents/1/questions").text)
    assert facet_counts(editor.get("/p/jobs/intents/1/questions").text)["Wrong topic"] == 2
    editor.post(action, data={**fields, "do": "right"})
    counts = facet_counts(editor.get("/p/jobs/intents/1/questions").text)
    assert (counts["Wrong topic"], counts["Label is right"]) == (1, 1)


def test_a_form_that_cannot_be_used_comes_back_with_its_ticks(mistaken: Any, editor: TestClient) -> None:
    action, fields = sent(editor.get("/p/jobs/intents/1/questions?intent=topic+0").text)
    for wrong in ({"do": "move"}, {"do": "dance"}, {"do": "move", "target": "nowhere"}):
        answer = editor.post(action, data={**fields, **wrong})
        assert answer.status_code in (400, 404), wrong
    answer = editor.post(action, data={**fields, "do": "move"})
    assert f'value="{fields["question"][0]}"' in answer.text
    assert " checked" in answer.text
    assert editor.post(action, data={"do": "delete"}).status_code == 400
    away = editor.post(action, data={**fields, "do": "right", "back": "https://example.org/"})
    assert away.headers["location"] == "/p/jobs/intents/1/questions"


def test_readers_see_questions_without_ticks(mistaken: Any, reader: TestClient) -> None:
    for path in ("/p/jobs/intents/1", "/p/jobs/intents/1/questions"):
        assert 'name="question"' not in reader.get(path).text
    assert reader.post("/p/jobs/intents/1/questions", data={"do": "delete", "question": "0"}).status_code == 403


# --- the threshold -----------------------------------------------------------------------------------------------


def test_a_threshold_is_tried_and_made_that_of_the_project_in_one_click(mistaken: Any, editor: TestClient) -> None:
    page = editor.get("/p/jobs/intents/1/curve?threshold=0,95&cost=7").text
    assert "At today&#39;s threshold of 0.50, the bot answers 100 of 100 questions" in lead_of(page)
    assert "At a threshold of 0.95" in page
    assert "a wrong answer is as bad as 7 hand-overs" in page
    assert "No threshold can promise this: it takes at least 45 answers without a mistake." in page
    assert page.count('class="primary">Use this threshold') == 1
    done = editor.post("/p/jobs/intents/1/curve", data={"threshold": "0.95", "cost": "7"})
    assert done.headers["location"].endswith("/p/jobs/intents/1/curve?cost=7")
    assert told(done)["text"] == "The bot now answers from a threshold of 0.95."
    assert "At today&#39;s threshold of 0.95, the bot answers nothing." in lead_of(
        editor.get("/p/jobs/intents/1/curve").text
    )
    editor.post(told(done)["undo"])
    with mistaken.store.reading() as tx:
        assert tx.projects.get(mistaken.project.id).threshold == 0.5


def test_wishes_that_cannot_be_met_are_explained_at_their_fields(mistaken: Any, editor: TestClient) -> None:
    for query in ("threshold=much", "cost=0", "share=100", "wrong=x", "share=30"):
        wrong = editor.get(f"/p/jobs/intents/1/curve?{query}")
        assert (wrong.status_code, wrong.text.count('class="fault"')) == (400, 1), query
    assert editor.post("/p/jobs/intents/1/curve", data={"threshold": "2"}).status_code == 400


def test_readers_try_thresholds_and_change_none(mistaken: Any, reader: TestClient) -> None:
    assert "Use this threshold" not in reader.get("/p/jobs/intents/1/curve?threshold=0.9").text
    assert reader.post("/p/jobs/intents/1/curve", data={"threshold": "0.9"}).status_code == 403


# --- the start ---------------------------------------------------------------------------------------------------


def test_one_button_starts_an_exam_and_says_how_long_it_takes(hall: Any, editor: TestClient) -> None:
    page = editor.get("/p/jobs/intents").text
    form = page.split('class="examine"')[1].split("</form>")[0]
    assert form.index("Examine</button>") < form.index("For experts")
    assert re.search(r"about \d+ s", form)
    assert "<details" in form
    assert " open" not in form.split("<details", 1)[1].split(">", 1)[0]


def test_a_result_says_what_changed_since_the_run_before(hall: Any, reader: TestClient) -> None:
    texts = [text for text, _ in small_data()]
    hold_guessed(hall.store, hall.project, dict.fromkeys(texts[:8], "topic 3"))
    assert "Better" not in lead_of(reader.get("/p/jobs/intents/1").text)
    hold_guessed(hall.store, hall.project)
    page = reader.get("/p/jobs/intents/2").text
    assert lead_of(page).endswith("Better than before.")
    assert "8 now right, 0 no longer right" in page
    assert 'class="spark"' in page
    assert "/p/jobs/intents/compare?a=1&amp;b=2" in page


# --- a large project ---------------------------------------------------------------------------------------------


def fill_large(hall: Any, topics: int, examples: int) -> dict[str, str]:
    """Bring a large FAQ into the project; return the wrong topic of every ninth example."""
    names = [f"topic {n:03} about something with a rather long name" for n in range(topics)]
    rows = [(f"question {n} about {n % topics}", names[n % topics]) for n in range(examples)]
    table = "\n".join(["text,intent", *(f"{text},{topic}" for text, topic in rows)])
    source = Source("large.csv", table.encode())
    preview = prepare_import(hall.store, PRODUCT, hall.project, source, Choices())
    apply_import(hall.store, PRODUCT, hall.project, preview.key)
    return {text: names[(n + 1 + n // topics % 3) % topics] for n, (text, _) in enumerate(rows) if n % 9 == 0}


def test_two_hundred_topics_and_eleven_thousand_examples_make_light_pages(house: Any, editor: TestClient) -> None:
    wrong = fill_large(house, 208, 11_000)
    hold_guessed(house.store, house.project, wrong)
    base = "/p/jobs/intents/1"
    for path in ("", "/questions", "/questions?outcome=wrong_intent&page=3", "/confusion", "/topics", "/curve"):
        answer = editor.get(base + path)
        assert answer.status_code == 200, path
        assert len(gzip.compress(answer.content)) < LIGHT, path
    page = editor.get(base).text
    assert 1 < page.count('class="heat confusion') <= 4, "the costliest groups"
    assert f"{base}/confusion" in page, "and a way to all"
