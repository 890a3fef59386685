"""Conversations in a browser: chosen, begun, watched, read, compared."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from held_talks import hold
from vivavoce.reports.conversations.meanings import OUTCOME_NAMES
from vivavoce.store.rows import Project, Role, Run
from vivavoce.web.language import Words
from vivavoce.web.talk_words import NAMES, kind_title
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams import runs
from vivavoce.workspace.scenarios.suites import import_suite, list_suites

pytestmark = pytest.mark.slow

ODD = "slash/and?odd#name"


@dataclass(frozen=True)
class Shown:
    """A browser of an editor in a project with a run that is done and one that waits."""

    client: TestClient
    path: str
    shop: Project
    done: Run
    waiting: Run

    def get(self, path: str, status: int = 200) -> str:
        answer = self.client.get(f"{self.path}{path}")
        assert answer.status_code == status, (path, answer.status_code, answer.text[:2000])
        assert len(answer.content) < 60_000, path
        return unescape(answer.text)


@pytest.fixture(scope="module")
def sqlite_template(held_template: Path) -> Path:
    """Return the file of a workspace in which conversations were held; every test has a copy of its own."""
    return held_template


@pytest.fixture
def shown(house) -> Shown:
    with house.store.reading() as tx:
        shop = tx.projects.by_slug("shop")
        done, waiting = tx.runs.by_number(shop.id, 1), tx.runs.by_number(shop.id, 2)
    return Shown(house.enter(Role.EDITOR), "/p/shop/conversations", shop, done, waiting)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_conversations_of_a_run_are_taken_along_as_they_are_narrowed_down(shown: Shown) -> None:
    path = f"/{shown.done.number}/talks"
    page = shown.get(path)
    for kind in ("csv", "xlsx"):
        assert f'href="{shown.path}{path}.{kind}"' in page
    head, *rows = shown.client.get(f"{shown.path}{path}.csv").text.splitlines()
    assert '"parrot: right","parrot: checked"' in head
    assert len(rows) == int(re.search(r"(\d+) conversations", words(page))[1])  # type: ignore[index]
    assert len(shown.client.get(f"{shown.path}{path}.csv?search=zzz").text.splitlines()) == 1
    assert shown.client.get(f"{shown.path}{path}.xlsx").content[:2] == b"PK"


def test_today_leads_from_a_problem_to_where_it_is_corrected(shown: Shown) -> None:
    page = unescape(shown.client.get("/p/shop").text)
    problem = page[page.index('<ol class="todo panel">') :].partition("</ol>")[0]
    addresses = re.findall(r'<a[^>]* href="(/p/shop/(?:scenarios|bots|conversations)/[^"]+)"', problem)
    places = {address.split("/")[3] for address in addresses}
    assert places == {"scenarios", "bots", "conversations"}, problem
    assert all(shown.client.get(address).status_code == 200 for address in addresses)
    texts = re.findall(r'<p class="facts-line"><span>(.+?)</span>', problem)
    assert texts
    assert all(text[0].isupper() and text.endswith(".") for text in texts)


def test_without_a_suite_the_page_says_what_to_do(house, reader: TestClient) -> None:
    page = reader.get(f"/p/{house.project.slug}/conversations")
    assert page.status_code == 200
    assert f"/p/{house.project.slug}/suites" in page.text
    assert "<form" in page.text
    assert 'name="bot"' not in page.text


def test_the_form_says_how_much_would_be_held(shown: Shown) -> None:
    page = words(shown.get(""))
    assert "3 conversations with 6 messages; with 2 bots and 1 repeat, 6 conversations and 12 messages" in page
    suite = re.search(r'name="suite" value="(\w+)"', shown.get("")).group(1)
    page = words(shown.get(f"?suite={suite}&chosen=1&bot=parrot&level=medium&repeats=3&look=1"))
    assert "2 conversations with 4 messages; with 1 bot and 3 repeats, 6 conversations and 12 messages" in page
    assert "The run can start" in page or "no problems found" in page
    assert "choose at least one bot" in words(shown.get(f"?suite={suite}&chosen=1&look=1"))


def test_a_run_begins_with_what_was_chosen(shown: Shown, house) -> None:
    suite = list_suites(house.store, shown.shop)[0].suite.id
    sent = {"suite": suite, "chosen": "1", "bot": ["mule"], "domain": ["sales"], "repeats": "2", "title": "Again"}
    answer = shown.client.post(shown.path, data=sent)
    assert answer.status_code == 303
    run = runs.show_run(house.store, shown.shop, int(answer.headers["location"].rpartition("/")[2])).run
    assert (run.title, run.total, run.options["public_only"]) == ("Again", 4, False)


def test_several_suites_make_one_run(shown: Shown, house) -> None:
    import_suite(house.store, PRODUCT, shown.shop, "flight")
    suites = [line.suite.id for line in list_suites(house.store, shown.shop)]
    page = shown.get("?" + "&".join(f"suite={suite}" for suite in suites) + "&look=1")
    assert len(re.findall(r'name="suite" value="\w+" checked', page)) == 2
    sent = {"suite": suites, "chosen": "1", "bot": ["mule"], "level": ["basic"], "repeats": "1"}
    answer = shown.client.post(shown.path, data=sent)
    assert answer.status_code == 303
    run = runs.show_run(house.store, shown.shop, int(answer.headers["location"].rpartition("/")[2])).run
    assert (run.suite_id, run.options["suites"]) == (None, suites)
    assert shown.client.post(shown.path, data={"chosen": "1", "bot": ["mule"]}).status_code == 400


def test_what_cannot_be_used_is_shown_again_with_its_fault(shown: Shown, house) -> None:
    suite = list_suites(house.store, shown.shop)[0].suite.id
    sent = {"suite": suite, "chosen": "1", "bot": ["mule"], "repeats": "many", "title": "Kept title"}
    answer = shown.client.post(shown.path, data=sent)
    assert answer.status_code == 400
    assert "must be a whole number from 1 to 100, not 'many'" in unescape(answer.text)
    assert "Kept title" in answer.text
    assert shown.client.post(shown.path, data={"suite": "nowhere"}).status_code == 400
    sent = {"suite": suite, "chosen": "1", "repeats": "1"}
    assert "choose at least one bot" in shown.client.post(shown.path, data=sent).text


def test_readers_look_and_do_not_begin(house, shown: Shown) -> None:
    reader = house.enter(Role.READER)
    page = reader.get(shown.path)
    assert page.status_code == 200
    assert "Check this run" in page.text
    assert 'formmethod="post"' not in page.text
    assert reader.post(shown.path, data={}).status_code == 403


def test_a_run_that_goes_on_is_watched_by_asking_again(shown: Shown) -> None:
    path = f"/{shown.waiting.number}"
    page = shown.get(path)
    assert f'data-poll="{shown.path}{path}/watch"' in page
    assert "parrot" in page
    part = shown.get(f"{path}/watch?version=0")
    assert part.lstrip().startswith('<section id="watch"')
    assert shown.client.get(f"{shown.path}{path}/watch?version={shown.waiting.version}").status_code == 204
    fixed = shown.get(f"{path}?script={quote(ODD)}")
    assert f"/watch?script={quote(ODD, safe='')}" in fixed
    assert "Not started yet." in fixed
    over = shown.client.get(f"{shown.path}/{shown.done.number}/watch")
    assert (over.status_code, over.headers["location"]) == (303, f"{shown.path}/{shown.done.number}")


def test_a_result_has_the_seven_numbers_of_every_bot_and_level(shown: Shown) -> None:
    page = shown.get(f"/{shown.done.number}")
    assert shown.done.headline.split(":")[0] in page
    for part in ("Response time", "Declined", "Misspelt understood", "Correct turns", "Precision", "Recall", "F1"):
        assert part in page
    rows = [words(row) for row in re.findall(r"<tr.*?</tr>", page, re.S)]
    assert len([row for row in rows if row.startswith("parrot 10 turns")]) == 1
    assert len([row for row in rows if row.startswith("parrot, medium 6 turns")]) == 1
    assert page.count('<figure class="panel multiple">') == 7
    marks = re.findall(rf'<a href="({shown.done.number}/turns[^"]*)" tabindex', page)
    assert marks
    assert "turns" in words(shown.get(f"/{marks[0]}"))
    assert "What to fix first" in page
    sales = shown.get(f"/{shown.done.number}?domain=sales")
    assert "parrot 6 turns" in words(sales)
    shown.get(f"/{shown.done.number}?domain=nothing", 404)
    assert "get an unexpected reply" in words(shown.get(f"/{shown.done.number}?problems=all"))


def test_the_paper_s_own_numbers_stand_apart_and_are_explained(shown: Shown) -> None:
    page = words(shown.get(f"/{shown.done.number}?literal=1"))
    assert "nothing is ranked by them" in page
    assert "Turns not counted" in page
    assert "Bot and level Accuracy Precision Recall F1" in page


def test_links_of_problems_lead_to_their_turns(shown: Shown) -> None:
    page = shown.get(f"/{shown.done.number}")
    links = set(re.findall(rf'href="{shown.path}/{shown.done.number}/talks/([^"]+)#(turn-\d+)"', page))
    assert links
    for link, anchor in links:
        assert f'id="{anchor}"' in shown.get(f"/{shown.done.number}/talks/{link}")


def test_a_conversation_stands_side_by_side_with_what_was_expected(shown: Shown) -> None:
    path = f"/{shown.done.number}/talks"
    page = words(shown.get(f"{path}/prices?repeat=2"))
    assert "should say one of: twelve" in page
    assert page.count("Wrong reply") >= 2
    assert "parrot, turn 2: Wrong reply" in page
    assert "conversation 2 of 3" in page
    assert "Previous conversation" in page
    assert "Repeat 1 Repeat 2" in page
    odd = shown.client.get(f"{shown.path}{path}/{quote(ODD, safe='')}").text
    assert "is it &lt;b&gt;cheap&lt;/b&gt;" in odd
    assert "<b>cheap" not in odd
    shown.get(f"{path}/prices?repeat=3", 404)
    shown.get(f"{path}/nothing", 404)
    assert "Next conversation" in words(shown.get(f"/{shown.waiting.number}/talks/greeting"))


def test_a_conversation_says_first_who_did_best_and_where_all_fail(shown: Shown) -> None:
    path = f"/{shown.done.number}/talks"
    page = shown.get(f"{path}/greeting")
    heading = re.search(r"<h1[^>]*>(.+?)</h1>", page)
    assert heading is not None
    assert heading[1] == "parrot gets 1 of 2 turns right; every bot fails at turn 2."
    assert "No turn of this conversation was checked." in shown.get(f"/{shown.waiting.number}/talks/greeting")


def test_turns_are_shown_that_differ_or_are_wrong(shown: Shown) -> None:
    path = f"/{shown.done.number}/talks/prices"

    def turns(query: str) -> list[str]:
        return re.findall(r'<article class="round" id="turn-(\d)"', shown.get(f"{path}{query}"))

    assert turns("") == turns("?show=nonsense") == ["1", "2", "3"]
    assert turns("?show=differ") == ["1"]
    assert turns("?show=wrong") == turns("?repeat=2&show=wrong") == ["1", "2"]
    # The strip shows all of them whatever is chosen.
    assert shown.get(f"{path}?show=differ").count('class="sq ') == 6


def test_a_wrong_turn_leads_to_its_place_in_the_scenario(shown: Shown) -> None:
    page = shown.get(f"/{shown.done.number}/talks/greeting")
    edit = re.search(r'<a class="btn small edit-turn" href="(/p/shop/scenarios/\w+)#turn-2"', page)
    assert edit is not None
    assert f'<a href="{edit[1]}">Open the scenario</a>' in page
    assert 'id="turn-2"' in shown.client.get(edit[1]).text


def accept(shown: Shown, bot: str, turn: int, script: str = "greeting") -> Any:
    sent = {"script": script, "repeat": "0", "bot": bot, "turn": str(turn), "show": "wrong"}
    return shown.client.post(f"{shown.path}/{shown.done.number}/accept", data=sent)


def test_a_reply_that_is_fine_is_accepted_with_one_button_and_undone_with_one(shown: Shown) -> None:
    path = f"{shown.path}/{shown.done.number}/talks/greeting"
    assert shown.get(f"/{shown.done.number}/talks/greeting").count("This reply is fine") == 3
    done = accept(shown, "mule", 2)
    assert (done.status_code, done.headers["location"]) == (303, f"{path}?show=wrong#turn-2")
    flash = b64decode(done.cookies["viva_flash"].strip('"'), altchars=b"-_").decode()
    assert "This run keeps its verdict; the next run counts the reply as right." in flash
    page = shown.client.get(path).text
    assert page.count("This reply is fine") == 2
    assert "The next run counts it as right." in page
    undo = re.search(r'"(/p/shop/edits/\w+/undo)"', flash)
    assert undo is not None
    shown.client.post(undo[1])
    assert shown.client.get(path).text.count("This reply is fine") == 3


def test_a_reply_that_cannot_be_accepted_is_refused_on_the_page(shown: Shown, house) -> None:
    assert accept(shown, "mule", 2).status_code == 303
    again = accept(shown, "mule", 2)
    assert again.status_code == 400
    assert "This reply is already accepted." in again.text
    assert 'id="turn-2"' in again.text
    with house.store.reading() as tx:
        suite = tx.suites.of_project(shown.shop.id)[0]
        row = tx.suites.scenario_by_name(suite.id, "greeting")
    shown.client.post(f"/p/shop/scenarios/{row.id}/delete")
    gone = accept(shown, "parrot", 2)
    assert gone.status_code == 404
    assert "was deleted" in gone.text
    assert accept(shown, "mule", 9).status_code == 404
    assert accept(shown, "mule", 2, "nothing").status_code == 404


def test_readers_see_no_button_that_they_may_not_press(house, shown: Shown) -> None:
    reader = house.enter(Role.READER)
    page = reader.get(f"{shown.path}/{shown.done.number}/talks/greeting").text
    assert "Open the scenario" in page
    assert "This reply is fine" not in page
    assert "Edit this turn" not in page
    assert reader.post(f"{shown.path}/{shown.done.number}/accept", data={}).status_code == 403


def test_the_list_of_conversations_says_how_each_bot_fared(shown: Shown) -> None:
    page = words(shown.get(f"/{shown.done.number}/talks?search=hello"))
    assert "1 conversation, run with every bot" in page, page
    assert re.search(r"Says hello small talk basic (0 of 4 2 of 4|2 of 4 0 of 4)", page)
    assert "n/a" in words(shown.get(f"/{shown.waiting.number}/talks"))


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ("", 24),
        ("?bot=parrot", 12),
        ("?level=basic&domain=small_talk", 8),
        ("?kind=typo", 4),
        ("?scenario=prices&outcome=unchecked", 4),
        ("?outcome=wrong&bot=parrot", 4),
        ("?search=cheap&sort=-time", 4),
        ("?search=nobody+says+this", 0),
    ],
)
def test_turns_are_narrowed_down_by_their_address(shown: Shown, query: str, total: int) -> None:
    page = shown.get(f"/{shown.done.number}/turns{query}")
    assert re.search(rf"<h1[^>]*>{total} turns[.,]", page)
    saved = shown.client.get(f"{shown.path}/{shown.done.number}/turns.csv{query}")
    assert len(saved.text.strip().splitlines()) == total + 1


def test_turns_have_facets_with_counts_and_wrong_ones_come_first(shown: Shown) -> None:
    page = shown.get(f"/{shown.done.number}/turns?bot=parrot")
    facets = words(page.split('<nav class="facets')[1].split("</nav>")[0])
    assert "All wrong turns 4 right 6" in facets
    assert "parrot 12" in facets
    assert "mule 12" in facets, "how many there would be with another bot"
    assert "basic 4 medium 8" in facets
    shapes = re.findall(r'<span class="chip (loud|quiet|neutral)"', page.split("<tbody>")[1])
    assert shapes[:4] == ["loud"] * 4
    assert "loud" not in shapes[4:]


def test_tables_are_taken_along(shown: Shown) -> None:
    path = f"{shown.path}/{shown.done.number}"
    numbers = shown.client.get(f"{path}/numbers.csv").text
    assert '"parrot","all","all",6,12,"accuracy",0.6' in numbers
    for name in ("numbers.xlsx", "turns.xlsx"):
        assert shown.client.get(f"{path}/{name}").content.startswith(b"PK")
    assert "<testsuites" in shown.client.get(f"{path}/junit.xml").text
    for name in ("numbers.pdf", "turns.exe"):
        assert shown.client.get(f"{path}/{name}").status_code == 404
    assert shown.client.get(f"{shown.path}/{shown.waiting.number}/junit.xml").status_code == 404


def test_two_runs_stand_side_by_side(shown: Shown, house) -> None:
    assert "Choose an earlier and a later run" in shown.get("/compare")
    other = hold(house.store, shown.shop, repeats=2)
    offered = shown.get("/compare")
    assert "the two latest completed runs that can be compared" in offered
    assert f'<option value="{other.number}" selected' in offered
    page = shown.get(f"/compare?a={shown.done.number}&b={other.number}")
    assert "Nothing changed" in page
    assert "Worse (0)" in page
    shown.get(f"/compare?a={shown.done.number}&b={shown.done.number}", 400)
    shown.get(f"/compare?a={shown.done.number}&b=999", 404)
    saved = shown.client.get(f"{shown.path}/compare.csv?a={shown.done.number}&b={other.number}")
    assert saved.text.lstrip("\ufeff").startswith('"change","bot","conversation"')


def test_a_run_of_another_exam_has_no_page_here(shown: Shown) -> None:
    for path in ("/99", "/99/turns", "/99/talks", "/99/watch", "/0", "/one"):
        assert shown.client.get(f"{shown.path}{path}").status_code in (404, 400, 422)


def test_every_name_of_an_outcome_can_be_translated() -> None:
    assert set(OUTCOME_NAMES.values()) <= set(NAMES)


def test_kinds_of_messages_are_shown_in_plain_words() -> None:
    assert [kind_title(Words("en"), kind) for kind in ("smalltalk", "paraphrase")] == ["small talk", "paraphrase"]
    assert kind_title(Words("de"), "smalltalk") == "Plauderei"
