"""The pages of the intents exam, of engines and of the timeline: read, started, taken along."""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, found_in, hold_engines, hold_guessed, hold_intents, small_data
from vivavoce.intents.findings import ConfusionCell
from vivavoce.store.rows import Role
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams import intents
from vivavoce.workspace.exams.comparing import compare_runs
from vivavoce.workspace.topics.topics import add_topic, merge_topics

pytestmark = pytest.mark.slow

PAPER = {
    "classifier": "tfidf",
    "preset": "known",
    "retries": "1",
    "threshold": "0.3",
    "test_fraction": "0.2",
    "seed": "0",
}
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


# --- every page --------------------------------------------------------------------------------------------------


PAGES = (
    "/runs",
    "/intents",
    "/intents/1",
    "/intents/1/topics",
    "/intents/1/confusion",
    "/intents/1/questions",
    "/intents/1/curve",
    "/intents/compare",
    "/timeline",
    "/engines",
    "/engines/2",
)


def test_every_page_is_light_and_begins_with_a_sentence(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    hold_engines(hall.store, hall.project)
    for path in PAGES:
        answer = reader.get(f"/p/jobs{path}")
        assert answer.status_code == 200, path
        assert len(answer.content) < LIGHT, path
        assert lead_of(answer.text), path
        assert " style=" not in answer.text, path


@pytest.mark.parametrize("path", ["/runs", "/intents", "/intents/compare", "/timeline", "/engines"])
def test_an_empty_project_is_told_what_to_do_next(reader: TestClient, path: str) -> None:
    answer = reader.get(f"/p/jobs{path}")
    assert answer.status_code == 200
    assert 'class="empty"' in answer.text


@pytest.mark.parametrize("path", ["/intents/9", "/engines/9", "/runs/9", "/intents/9/topics", "/runs/9/report.html"])
def test_what_is_not_there_is_said_to_be_absent(reader: TestClient, path: str) -> None:
    assert reader.get(f"/p/jobs{path}").status_code == 404


# --- charts ------------------------------------------------------------------------------------------------------


def test_charts_come_as_specification_and_as_picture_of_the_page(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    address = re.search(r'data-chart="([^"]+)"', reader.get("/p/jobs/intents/1").text)
    assert address is not None
    assert reader.get(address[1]).json()["$schema"]
    picture = reader.get(address[1].replace(".json", ".svg"))
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert reader.get("/p/jobs/runs/1/charts/nothing.json").status_code == 404
    assert reader.get("/p/jobs/runs/1/charts/settings.png").status_code == 404


# --- the intents exam --------------------------------------------------------------------------------------------


def test_an_exam_is_started_from_its_form(hall: Any, editor: TestClient) -> None:
    answer = editor.post("/p/jobs/intents", data={**PAPER, "title": "Spring"})
    assert answer.headers["location"] == "/p/jobs/intents/1"
    with hall.store.reading() as tx:
        run = tx.runs.by_number(hall.project.id, 1)
    assert (run.title, run.options["retries"], run.options["settings"]) == ("Spring", 1, [[0, 0]])
    assert run.options["leak_proof"] is False


def test_a_wrong_form_comes_back_as_it_was_typed_with_all_faults(hall: Any, editor: TestClient) -> None:
    wrong = {**PAPER, "retries": "many", "threshold": "7", "preset": "own", "settings": "x", "title": "Spring"}
    answer = editor.post("/p/jobs/intents", data=wrong)
    assert answer.status_code == 400
    assert answer.text.count('class="fault"') == 3
    assert 'value="many"' in answer.text
    assert 'value="Spring"' in answer.text


def test_settings_of_ones_own_are_taken(hall: Any, editor: TestClient) -> None:
    editor.post("/p/jobs/intents", data={**PAPER, "preset": "own", "settings": "0,0; 3, 0"})
    with hall.store.reading() as tx:
        assert tx.runs.by_number(hall.project.id, 1).options["settings"] == [[0, 0], [3, 0]]


def test_the_live_share_of_out_of_scope_questions_is_taken_from_the_form(hall: Any, editor: TestClient) -> None:
    assert 'name="out_of_scope_share"' in editor.get("/p/jobs/intents").text
    assert 'name="out_of_scope_share"' not in editor.get("/p/jobs/engines").text
    editor.post("/p/jobs/intents", data={**PAPER, "out_of_scope_share": "0,3"})
    editor.post("/p/jobs/intents", data={**PAPER, "out_of_scope_share": ""})
    with hall.store.reading() as tx:
        shares = [tx.runs.by_number(hall.project.id, n).options["out_of_scope_share"] for n in (1, 2)]
    assert shares == [0.3, None]
    assert "30 %" in editor.get("/p/jobs/intents/1").text
    wrong = editor.post("/p/jobs/intents", data={**PAPER, "out_of_scope_share": "1"})
    assert wrong.status_code == 400
    assert wrong.text.count('class="fault"') == 1


def test_the_result_shows_the_mean_over_topics_beside_the_headline(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    assert "if visitors asked about each topic equally often" in reader.get("/p/jobs/intents/1").text


def test_the_result_says_the_headline_and_shows_every_setting(hall: Any, reader: TestClient) -> None:
    run = hold_intents(hall.store, hall.project)
    page = reader.get("/p/jobs/intents/1").text
    assert re.fullmatch(
        r"The bot answers \d+ of 100 questions; (over )?\d+ of 100 answers are correct\.",
        html.unescape(lead_of(page)),
    )
    assert "All topics known" in page
    assert "Smallest topics unknown" in page
    assert run.data_hash[:16] in page


def test_questions_are_shown_by_outcome_topic_and_words(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    outcomes = found_in("intents", 0.3).outcomes
    right = sum(one.outcome == "right" for one in outcomes)
    assert f"{right} of {len(outcomes)} question" in lead_of(
        reader.get("/p/jobs/intents/1/questions?outcome=right").text
    )
    topic = sum(one.intent == "topic 1" for one in outcomes)
    page = lead_of(reader.get("/p/jobs/intents/1/questions?intent=topic+1").text)
    assert f"{topic} of {len(outcomes)} question" in page
    assert "Nothing here" in reader.get("/p/jobs/intents/1/questions?search=nowhere").text


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize(
    "path", ["intents/1/topics", "intents/1/confusion", "intents/1/questions", "runs", "timeline"]
)
def test_every_list_can_be_taken_along(hall: Any, reader: TestClient, path: str, kind: str) -> None:
    hold_intents(hall.store, hall.project)
    answer = reader.get(f"/p/jobs/{path}.{kind}")
    assert answer.status_code == 200
    assert f".{kind}" in answer.headers["content-disposition"]
    assert reader.get(f"/p/jobs/{path}.pdf").status_code == 404


def found_in_both(hall: Any) -> int:
    verdict = compare_runs(hall.store, hall.project, 1, 2).verdict
    return verdict.improved + verdict.broken


# --- two runs, and many ------------------------------------------------------------------------------------------


def test_the_last_two_runs_are_compared_unless_others_are_chosen(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    hold_intents(hall.store, hall.project, threshold=0.9)
    page = reader.get("/p/jobs/intents/compare").text
    assert "shared questions" in lead_of(page)
    assert "Both runs tested exactly the same examples." in page
    assert "Threshold: 0.30, then 0.90." in page
    assert reader.get("/p/jobs/intents/compare?a=1&b=1").status_code == 400
    table = reader.get("/p/jobs/intents/compare.csv?a=1&b=2").text.splitlines()
    assert len(table) == 1 + found_in_both(hall)


@pytest.fixture
def merged(hall: Any) -> Any:
    """Return the house with two runs and a merge between them; seven questions became right by it, one by itself."""
    texts = {topic: [text for text, own in small_data() if own == topic] for topic in ("topic 0", "topic 1")}
    wrong = dict.fromkeys(texts["topic 1"][:7], "topic 0")
    hold_guessed(hall.store, hall.project, {**wrong, texts["topic 0"][0]: None})
    with hall.store.reading() as tx:
        ids = {topic.name: topic.id for topic in tx.topics.of_project(hall.project.id)}
    merge_topics(hall.store, PRODUCT, hall.project, [ids["topic 1"]], ids["topic 0"])
    hold_guessed(hall.store, hall.project)
    return hall


def test_a_merge_is_credited_on_the_page_of_the_comparison(merged: Any, reader: TestClient) -> None:
    page = reader.get("/p/jobs/intents/compare").text
    assert lead_of(page) == (
        "The later run is better. 8 of 32 shared questions are now right, 0 no longer are. That is more than chance."
    )
    causes = page.split("What your edits did")[1].split("</table>")[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in causes.split("<tr>")[2:]]
    assert "8 questions are now right" in page
    assert rows == [["Merging topics", "1", "7", "0"], ["Same topic as before", "", "1", "0"]]
    assert "before: topic 1" in page
    with merged.store.reading() as tx:
        topic = tx.topics.by_name(merged.project.id, "topic 0")
    changed = page.split("8 questions are now right")[1].split("</table>")[0]
    assert changed.count(f'href="/p/jobs/topics/{topic.id}"') == 8, "each leads to its topic"
    assert changed.count("/p/jobs/intents/2/questions?search=") == 8, "and to the question"
    assert "1 are now right and 0 no longer are; the others changed only" in page
    content = reader.get("/p/jobs/intents/compare.csv?a=1&b=2").content.decode("utf-8-sig")
    table = list(csv.DictReader(io.StringIO(content)))
    assert [row["change"] for row in table] == ["improved"] * 8
    assert sum((row["topic_before"], row["refiled_by"]) == ("topic 1", "merge") for row in table) == 7


def test_the_timeline_and_today_say_what_the_comparison_says(merged: Any, reader: TestClient) -> None:
    verdict = lead_of(reader.get("/p/jobs/intents/compare").text).removeprefix("The later run is better. ")
    line = lead_of(reader.get("/p/jobs/timeline").text)
    assert line.startswith("Better since ")
    assert line.endswith(verdict)
    today = reader.get("/p/jobs").text.partition('class="sub"')[2].partition("</p>")[0]
    assert "Better than on " in today
    assert "8 questions are now right, 0 no longer are. More than chance." in today
    assert 'href="/p/jobs/intents/compare?a=1&amp;b=2"' in today


def test_the_timeline_links_each_run_with_the_one_before(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    hold_intents(hall.store, hall.project, threshold=0.9)
    page = reader.get("/p/jobs/timeline").text
    assert "/p/jobs/intents/compare?a=1&amp;b=2" in page
    assert "threshold 0.9 instead of 0.3" in page
    assert "first exam" in page


def test_the_timeline_names_what_changed_and_says_what_it_brought(merged: Any, reader: TestClient) -> None:
    page = reader.get("/p/jobs/timeline").text
    wide = page.split("only-wide")[1].split("only-phone")[0]
    flag = r'<a href="/p/jobs/intents/compare\?a=1&amp;b=2"><text[^>]*>1 merge \+25.0 points</text></a>'
    assert re.search(flag, wide)
    steps = page.split('class="course-steps')[1].split("</ol>")[0]
    assert "1 merge" in steps
    assert "really better" in steps
    assert "8 now right, 0 no longer right" in steps
    add_topic(merged.store, PRODUCT, merged.project, "new", examples=["a new question"])
    steps = reader.get("/p/jobs/timeline").text.split('class="course-steps')[1].split("</ol>")[0]
    assert "1 new topic" in steps
    assert "not measured yet" in steps


def test_the_timeline_shows_a_month_three_a_year_or_all(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    page = reader.get("/p/jobs/timeline?span=month").text
    spans = page.split('class="seg"')[1].split("</nav>")[0]
    assert re.findall(r'span=(\w+)[^"]*"( aria-current="true")?', spans) == [
        ("month", ' aria-current="true"'),
        ("quarter", ""),
        ("year", ""),
        ("all", ""),
    ]
    assert "No exam in this period" in reader.get("/p/jobs/timeline?until=2020-01-31").text
    table = reader.get("/p/jobs/timeline.csv?exam=intents").text.splitlines()
    assert {line.split(",")[-5].strip('"') for line in table[1:]} == {"accuracy", "precision_answered"}
    assert reader.get("/p/jobs/timeline?measure=automation_rate").status_code == 200


def test_days_that_are_none_are_told_at_their_fields(hall: Any, reader: TestClient) -> None:
    answer = reader.get("/p/jobs/timeline?since=yesterday&until=2026-02-31")
    assert answer.status_code == 400
    assert answer.text.count('class="fault"') == 2
    assert reader.get("/p/jobs/timeline?since=2026-02-02&until=2026-02-01").status_code == 400
    assert reader.get("/p/jobs/timeline?measure=nothing").status_code == 400


# --- engines -----------------------------------------------------------------------------------------------------


def test_engines_are_compared_from_their_form(hall: Any, editor: TestClient) -> None:
    one = editor.post("/p/jobs/engines", data={**PAPER, "classifiers": ["tfidf"]})
    assert one.status_code == 400
    assert "choose at least 2" in one.text
    answer = editor.post("/p/jobs/engines", data={**PAPER, "classifiers": ["tfidf", "linear"]})
    assert answer.headers["location"] == "/p/jobs/engines/1"
    with hall.store.reading() as tx:
        assert tx.runs.by_number(hall.project.id, 1).options["classifiers"] == ["tfidf", "linear"]


def test_a_comparison_names_its_verdicts_and_what_engines_cost(hall: Any, reader: TestClient) -> None:
    hold_engines(hall.store, hall.project)
    page = reader.get("/p/jobs/engines/1").text
    assert "tfidf and tfidf:en are right on the same messages." in page
    assert "What they cost" in page
    assert reader.get("/p/jobs/engines/1.csv").text.count("accuracy") > 1


# --- lists that say what they hold -------------------------------------------------------------------------------


def options_of(page: str) -> list[str]:
    return [" ".join(found.split()) for found in re.findall(r"<option[^>]*>(.*?)</option>", page, re.DOTALL)]


def test_every_topic_with_a_mistake_can_be_chosen_among_the_confusions(
    hall: Any, reader: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = intents.intents_result(hall.store, hold_intents(hall.store, hall.project))
    pairs = (("large", "small"), ("small", "other"), ("large", "other"))
    cells = tuple(ConfusionCell(origin, guess, negative=False, answered=1, deferred=0) for origin, guess in pairs)
    mistaken = replace(result, settings=(replace(result.settings[0], confusion=cells),))
    monkeypatch.setattr(intents, "intents_result", lambda store, run: mistaken)
    page = reader.get("/p/jobs/intents/1/confusion").text
    assert {"large", "small", "other"} <= set(options_of(page))
    assert "3 kinds of mistakes" in page
    assert "2 kinds of mistakes" in reader.get("/p/jobs/intents/1/confusion?intent=small").text
    table = reader.get("/p/jobs/intents/1/confusion.csv?intent=small").text
    assert len(table.splitlines()) == 3
    assert "large,other" not in table


def test_topics_with_few_tests_are_not_drawn_and_the_page_says_why(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    page = reader.get("/p/jobs/intents/1/topics").text
    assert "no topic has the 10 tested examples needed for a ranking" in page
    assert "<figure" not in page


def test_a_comparison_that_nobody_chose_says_which_runs_it_took(hall: Any, reader: TestClient) -> None:
    for threshold in (0.3, 0.5, 0.3):
        hold_intents(hall.store, hall.project, threshold)
    page = reader.get("/p/jobs/intents/compare").text
    assert re.search(r'<option value="2" selected>.*<option value="3" selected>', page, re.DOTALL)
    assert "the two latest completed exams" in page
    assert "the two latest completed exams" not in reader.get("/p/jobs/intents/compare?a=1&b=3").text


def test_the_tab_of_a_run_has_its_number_and_selects_have_its_time(hall: Any, reader: TestClient) -> None:
    for _ in range(2):
        hold_intents(hall.store, hall.project, title="same")
    for path in ("/p/jobs/intents/2", "/p/jobs/intents/2/topics", "/p/jobs/intents/2/curve"):
        assert re.search(r"<title>[^<]*Run 2: same, \d{4}-", reader.get(path).text), path
    assert any(
        re.fullmatch(r"1: same \(.* UTC\)", one) for one in options_of(reader.get("/p/jobs/intents/compare").text)
    )


def test_a_number_that_rounds_to_nothing_has_no_sign() -> None:
    writer = Writer(Words("en"))
    assert (writer.number(-0.001, 2), writer.number(-0.0), writer.number(-0.4)) == ("0.00", "0", "0")
    assert writer.number(-1.25, 2) == "-1.25"
