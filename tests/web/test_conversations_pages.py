"""Conversations in a browser: chosen, begun, watched, read, compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from held_talks import hold
from vivavoce.reports.conversations.meanings import OUTCOME_NAMES
from vivavoce.store.rows import Project, Role, Run
from vivavoce.web.talk_words import NAMES
from vivavoce.workspace.exams import runs
from vivavoce.workspace.scenarios.suites import list_suites

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
    problem = page[page.index('<ol class="problems">') :].partition("</li>")[0]
    for title, place in (("The scenario", "scenarios"), ("The bot", "bots"), ("The turns", "conversations")):
        address = re.search(rf'<a href="(/p/shop/{place}/[^"]+)">{title}</a>', problem)
        assert address, (title, problem)
        assert shown.client.get(address[1]).status_code == 200
    remedy = re.search(r'<p class="muted">(.+?)</p>', problem)
    assert remedy
    assert remedy[1][0].isupper()
    assert remedy[1].endswith(".")


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
    assert "This can begin" in page or "nothing is wrong" in page
    assert "choose at least one bot" in words(shown.get(f"?suite={suite}&chosen=1&look=1"))


def test_a_run_begins_with_what_was_chosen(shown: Shown, house) -> None:
    suite = list_suites(house.store, shown.shop)[0].suite.id
    sent = {"suite": suite, "chosen": "1", "bot": ["mule"], "domain": ["sales"], "repeats": "2", "title": "Again"}
    answer = shown.client.post(shown.path, data=sent)
    assert answer.status_code == 303
    run = runs.show_run(house.store, shown.shop, int(answer.headers["location"].rpartition("/")[2])).run
    assert (run.title, run.total, run.options["public_only"]) == ("Again", 4, False)


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
    assert "Count and check" in page.text
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
    assert "Not begun yet." in fixed
    over = shown.client.get(f"{shown.path}/{shown.done.number}/watch")
    assert (over.status_code, over.headers["location"]) == (303, f"{shown.path}/{shown.done.number}")


def test_a_result_has_the_seven_numbers_of_every_bot_and_level(shown: Shown) -> None:
    page = shown.get(f"/{shown.done.number}")
    assert shown.done.headline in page
    for part in ("Response time", "Fallback", "Misspelt understood", "Right", "Precision", "Recall", "F1"):
        assert part in page
    rows = [words(row) for row in re.findall(r"<tr.*?</tr>", page, re.S)]
    assert [row for row in rows if row.startswith("parrot 6 talks, 10 turns")]
    assert len([row for row in rows if row.startswith("medium 4 talks, 6 turns")]) == 2
    assert "data-chart" in page
    assert "What to fix first" in page
    sales = shown.get(f"/{shown.done.number}?domain=sales")
    assert "parrot 4 talks, 6 turns" in words(sales)
    shown.get(f"/{shown.done.number}?domain=nothing", 404)
    assert "get another reply than expected" in words(shown.get(f"/{shown.done.number}?problems=all"))


def test_the_paper_s_own_numbers_stand_apart_and_are_explained(shown: Shown) -> None:
    page = words(shown.get(f"/{shown.done.number}?literal=1"))
    assert "nothing is ranked by them" in page
    assert "Turns left out" in page
    assert "Response time" not in words(page.split("What to fix first")[0])


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
    assert page.count("wrong reply") >= 2
    assert "Previous conversation" in page
    assert "Repeat 1 Repeat 2" in page
    odd = shown.client.get(f"{shown.path}{path}/{quote(ODD, safe='')}").text
    assert "is it &lt;b&gt;cheap&lt;/b&gt;" in odd
    assert "<b>cheap" not in odd
    shown.get(f"{path}/prices?repeat=3", 404)
    shown.get(f"{path}/nothing", 404)
    assert "Next conversation" in shown.get(f"/{shown.waiting.number}/talks/greeting")


def test_the_list_of_conversations_says_how_each_bot_fared(shown: Shown) -> None:
    page = words(shown.get(f"/{shown.done.number}/talks?search=hello"))
    assert "1 conversation, held with every bot" in page, page
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
        ("?search=cheap&sort=-time", 4),
        ("?search=nobody+says+this", 0),
    ],
)
def test_turns_are_narrowed_down_by_their_address(shown: Shown, query: str, total: int) -> None:
    page = shown.get(f"/{shown.done.number}/turns{query}")
    assert f"{total} turns." in page
    saved = shown.client.get(f"{shown.path}/{shown.done.number}/turns.csv{query}")
    assert len(saved.text.strip().splitlines()) == total + 1


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
    assert "the two newest finished runs that can be compared" in offered
    assert f'<option value="{other.number}" selected' in offered
    page = shown.get(f"/compare?a={shown.done.number}&b={other.number}")
    assert "Nothing changed" in page
    assert "Got worse (0)" in page
    shown.get(f"/compare?a={shown.done.number}&b={shown.done.number}", 400)
    shown.get(f"/compare?a={shown.done.number}&b=999", 404)
    saved = shown.client.get(f"{shown.path}/compare.csv?a={shown.done.number}&b={other.number}")
    assert saved.text.lstrip("\ufeff").startswith('"change","bot","conversation"')


def test_a_run_of_another_exam_has_no_page_here(shown: Shown) -> None:
    for path in ("/99", "/99/turns", "/99/talks", "/99/watch", "/0", "/one"):
        assert shown.client.get(f"{shown.path}{path}").status_code in (404, 400, 422)


def test_every_name_of_an_outcome_can_be_translated() -> None:
    assert set(OUTCOME_NAMES.values()) <= set(NAMES)
