"""The assistant at work: talks, the inbox, learning, numbers, openings, mail, privacy."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

import pytest

from vivavoce.assistant import Assistant, understanding
from vivavoce.assistant.understanding import Understander
from vivavoce.errors import AbsentError, AccessError, DataError, StaleError, UsageError
from vivavoce.kept import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import MessageRow, Project, Role, User
from vivavoce.store.stamps import date_as, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.assistant import building, learning, mailing, openings, privacy, reviewing
from vivavoce.workspace.assistant.building import parse_answer
from vivavoce.workspace.assistant.numbers import make_report
from vivavoce.workspace.assistant.settings import change_settings, find_settings
from vivavoce.workspace.assistant.talking import answer_message, list_new, open_talk
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.topics import add_topic

pytestmark = pytest.mark.slow
FAQ = {
    "salary": [
        "what do you pay",
        "how much is the salary",
        "what will I earn",
        "is the pay good",
        "salary range please",
    ],
    "vacation": ["how many vacation days", "do I get holidays", "days off per year", "how long is the vacation"],
    "parking": ["can I park my car", "is there parking", "where do I park", "free parking for staff"],
}
in_both = pytest.mark.parametrize("workspace_address", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Nord", language="en", classifier="linear", threshold=0.5)
    for name, texts in FAQ.items():
        add_topic(store, PRODUCT, made, name, answers={"en": f"About {name}."}, examples=texts)
    wanted = replace(find_settings(store, made), enabled=True, languages=("en", "de"), random_share=1.0)
    change_settings(store, PRODUCT, made, wanted)
    return made


@pytest.fixture
def anna(store: Store) -> Actor:
    return person(store, "anna")


def person(store: Store, login: str, role: Role = Role.EDITOR) -> Actor:
    with store.writing() as tx:
        user: User = tx.users.add(login, role=role)
    return Actor(user.id, user.name, role)


def ask(store: Store, project: Project, text: str, key: str = "", message_key: str = "") -> MessageRow:
    secret = key or open_talk(store, project).key
    return answer_message(store, project, secret, text, message_key or text[:60])


@in_both
def test_a_message_is_answered_from_the_bank_and_stored_with_its_guess(store: Store, project: Project) -> None:
    row = ask(store, project, "how much is the salary")
    assert row.reply["texts"] == ["About salary."]
    assert (row.stage, row.intent, row.hand_over, row.skipped) == ("faq", "salary", "", "")
    with store.reading() as tx:
        assert tx.messages.get(row.id) == row


def test_visitors_talk_with_the_assistant_before_while_the_next_one_is_trained(
    store: Store, project: Project, anna: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = open_talk(store, project).key
    answer_message(store, project, key, "where do I park", "1")
    with store.reading() as tx:
        topic = next(row for row in tx.topics.of_project(project.id) if row.name == "parking")
    add_examples(store, anna, project, ["a place for my bicycle"], topic_id=topic.id)
    learning.learn(store, anna, project)
    trained: list[Assistant] = []
    monkeypatch.setattr(building, "_train_beside", lambda assistant, languages: trained.append(assistant))
    # As in a process that did not learn itself.
    monkeypatch.setattr(understanding, "_MODELS", Kept(64))
    monkeypatch.setattr(Understander, "is_trained", lambda self, languages: self in known)
    known = {building._LATEST[store.address, project.id].understander}
    row = answer_message(store, project, key, "where do I park", "2", patience=0.0)
    assert row.intent == "parking"
    (newest,) = trained
    known.add(newest.understander)
    answer_message(store, project, key, "a place for my bicycle", "3", patience=0.0)
    assert building._LATEST[store.address, project.id] is newest


@in_both
def test_a_message_that_is_sent_twice_is_answered_once(store: Store, project: Project) -> None:
    key = open_talk(store, project).key
    first, again = (answer_message(store, project, key, "is there parking", "m1") for _ in range(2))
    assert first == again
    assert answer_message(store, project, key, "is there parking", "m2").skipped == "repeated"
    assert [row.number for row in open_talk(store, project, key).messages] == [0, 1]


def test_what_nobody_taught_is_handed_over_and_a_reply_reaches_the_visitor(
    store: Store, project: Project, anna: Actor
) -> None:
    key = open_talk(store, project).key
    row = ask(store, project, "qwertz asdfgh zxcvbn", key)
    assert (row.hand_over, row.waiting) == ("unsure", "handed_over")
    reviewing.reply_to_visitor(store, anna, project, row.id, "Nice keyboard!")
    (reply,) = list_new(store, project, key, row.number)
    assert (reply.author, reply.text, reply.reply["who"]) == ("person", "Nice keyboard!", "anna")
    with store.reading() as tx:
        assert tx.mails.count(project.id) == 0


def test_who_left_an_address_and_went_gets_the_reply_by_mail(store: Store, project: Project, anna: Actor) -> None:
    key = open_talk(store, project).key
    with date_as(now() - timedelta(hours=1)):
        row = ask(store, project, "qwertz asdfgh zxcvbn", key)
        ask(store, project, "me@home.example", key)
    reviewing.reply_to_visitor(store, anna, project, row.id, "Nice keyboard!")
    with store.reading() as tx:
        (mail,) = tx.mails.of_project(project.id)
    assert mail.address == "me@home.example"
    assert mail.body.startswith("Nice keyboard!")


def test_an_assistant_that_is_off_talks_to_nobody(store: Store, project: Project) -> None:
    change_settings(store, PRODUCT, project, replace(find_settings(store, project), enabled=False))
    with pytest.raises(AbsentError):
        open_talk(store, project)


@in_both
def test_a_correction_is_an_example_until_it_is_undone(store: Store, project: Project, anna: Actor) -> None:
    row = ask(store, project, "where can my vehicle stay")
    with store.reading() as tx:
        topic = tx.topics.by_name(project.id, "parking")
    assert topic is not None
    made = reviewing.review(store, anna, project, row.id, "wrong", topic_id=topic.id)
    with store.reading() as tx:
        example = tx.examples.of_topic(topic.id)[-1]
        edit = tx.edits.get(made.edit_id or "")
        assert tx.messages.count_waiting(project.id) == 0
    assert (example.text, example.source) == (row.text, "inbox")
    assert edit is not None
    assert edit.user_id == anna.user_id
    reviewing.undo_review(store, anna, project, made.id)
    with store.reading() as tx:
        assert row.text not in {one.text for one in tx.examples.of_topic(topic.id)}
        assert tx.messages.count_waiting(project.id) == 1
    with pytest.raises(StaleError):
        reviewing.undo_review(store, anna, project, made.id)


def test_two_people_who_disagree_ask_a_third_and_nobody_judges_twice(
    store: Store, project: Project, anna: Actor
) -> None:
    bert, carl = person(store, "bert"), person(store, "carl")
    row = ask(store, project, "how much is the salary")
    reviewing.review(store, anna, project, row.id, "right")
    reviewing.ask_again(store, anna, project, row.id)
    assert reviewing.show_inbox(store, anna, project).waiting == ()
    with pytest.raises(StaleError):
        reviewing.review(store, anna, project, row.id, "not_ours")
    reviewing.review(store, bert, project, row.id, "not_ours")
    (waiting,) = reviewing.show_inbox(store, carl, project).waiting
    assert waiting.waiting == "disagreement"
    reviewing.review(store, carl, project, row.id, "right")
    assert reviewing.show_inbox(store, person(store, "dora"), project).waiting == ()


def test_a_reader_cannot_review(store: Store, project: Project) -> None:
    row = ask(store, project, "how much is the salary")
    with pytest.raises(AccessError):
        reviewing.review(store, person(store, "rita", Role.READER), project, row.id, "right")


def test_every_fifth_card_is_a_random_check_in_the_order_of_chance(store: Store, project: Project) -> None:
    row = ask(store, project, "how much is the salary")
    # The most useful first, as they come from the store; what was drawn waits for its turn even if it is useful.
    rows = [replace(row, id=str(n), waiting="unsure", drawn=n < 3, gain=1 - n / 10) for n in range(2, 9)]
    rows += [replace(row, id="1", waiting="random", drawn=True, gain=0.1)]
    rows += [replace(row, id="9", waiting="handed_over", drawn=True, hand_over="unsure", gain=0.1)]
    assert [one.id for one in reviewing.mix(rows)] == ["3", "4", "5", "6", "1", "7", "8", "9", "2"]


@in_both
def test_after_learning_the_same_question_is_answered(store: Store, project: Project, anna: Actor) -> None:
    text = "may my dog come along"
    row = ask(store, project, text)
    assert row.intent is None
    assert row.waiting
    reviewing.review(store, anna, project, row.id, "new_topic", name="dogs")
    assert learning.learn(store, anna, project).learned
    again = ask(store, project, text)
    assert (again.intent, again.build > row.build) == ("dogs", True)
    assert learning.count_new(store, project) == 0


def test_what_would_spoil_a_confirmed_question_is_not_learned(store: Store, project: Project, anna: Actor) -> None:
    row = ask(store, project, "is there parking")
    reviewing.review(store, anna, project, row.id, "right")
    learning.learn(store, anna, project)
    before = find_settings(store, project).build
    with store.writing() as tx:
        topic = tx.topics.by_name(project.id, "parking")
        other = tx.topics.by_name(project.id, "salary")
        assert topic is not None
        assert other is not None
        ids = [one.id for one in tx.examples.of_topic(topic.id)]
    from vivavoce.workspace.topics.examples import move_examples

    move_examples(store, anna, project, ids, topic_id=other.id)
    lesson = learning.learn(store, anna, project)
    assert (lesson.broken, lesson.learned) == (("is there parking",), False)
    assert find_settings(store, project).build == before
    assert ask(store, project, "is there parking").intent == "parking"
    assert learning.learn(store, anna, project, anyway=True).learned
    assert ask(store, project, "is there parking").intent == "salary"


def test_numbers_count_what_reached_the_faq_and_weigh_random_checks(
    store: Store, project: Project, anna: Actor
) -> None:
    right, wrong, odd = (
        ask(store, project, text) for text in ("how much is the salary", "is there parking", "qwertz asdfgh zxcvbn")
    )
    ask(store, project, "hello")
    reviewing.review(store, anna, project, right.id, "right")
    reviewing.review(store, anna, project, wrong.id, "not_ours")
    report = make_report(store, project, now() - timedelta(days=1), now() + timedelta(hours=1), UTC)
    whole = report.whole
    assert (whole.messages, whole.counted, whole.skipped) == (4, 3, {"general": 1})
    assert whole.automated.value == pytest.approx(2 / 3)
    assert (whole.confirmed.value, whole.accuracy.value) == (0.5, 0.5)
    assert whole.good == pytest.approx(1 / 3)
    assert (report.visitors, report.asking, report.waiting) == (4, 3, 1)
    assert [row.id for group in report.groups for row in group.messages] == [odd.id]


FEED = b"id,title,profession,place,country,language,url\n1,Nurse,nurse,Berlin,DE,en,https://a.example/1\n"


def test_openings_are_found_in_a_talk_and_subscribers_hear_of_new_ones(store: Store, project: Project) -> None:
    openings.import_openings(store, PRODUCT, project, openings.read_feed(FEED))
    key = open_talk(store, project).key
    row = ask(store, project, "I want a nurse job in Berlin", key)
    assert [one["title"] for one in row.reply["openings"]] == ["Nurse"]
    ask(store, project, "/subscribe", key)
    ask(store, project, "me@home.example", key)
    with store.reading() as tx:
        (mail,) = tx.mails.of_project(project.id)
    mailing.confirm_subscription(store, mail.body.split("/subscription/")[1].split()[0])
    more = FEED + b"2,Night nurse,nurse,Berlin,DE,en,https://a.example/2\n3,Cook,cook,Kiel,DE,en,\n"
    renewed = openings.import_openings(store, PRODUCT, project, openings.read_feed(more))
    assert (renewed.added, renewed.told) == (2, 1)
    with store.reading() as tx:
        news = next(one for one in tx.mails.of_project(project.id) if one.unsubscribe)
    assert "Night nurse" in news.body
    assert "Cook" not in news.body
    mailing.end_subscription(store, news.unsubscribe.rpartition("/")[2])
    assert openings.import_openings(store, PRODUCT, project, openings.read_feed(FEED)).told == 0


def test_all_faults_of_a_feed_are_told_with_their_rows() -> None:
    with pytest.raises(DataError) as refused:
        openings.read_feed(b'[{"id": "1", "title": ""}, {"id": "2", "title": "x", "url": "javascript:1"}]')
    assert [fault.where for fault in refused.value.faults] == ["row 1", "row 2"]


def test_the_header_to_unsubscribe_stays_plain_however_long_its_address_is(store: Store, project: Project) -> None:
    with store.writing() as tx:
        link = "https://careers.company.example/" + "unsubscribe/" * 9
        mail = mailing.write_mail(tx, project, "a@b.example", "Grüße", "Text", unsubscribe=link)
    text = mailing.compose(mail, mailing.MailSite("h", sender="bot@b.example")).as_bytes().decode()
    assert f"List-Unsubscribe: <{link}>\r\n" in text
    assert "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in text


def test_a_visitor_gets_all_that_is_kept_and_nothing_stays_after_deleting(store: Store, project: Project) -> None:
    key = open_talk(store, project).key
    ask(store, project, "is there parking", key)
    visitor = privacy.find_visitor(store, project, key)
    kept: dict[str, Any] = privacy.export_visitor(store, project, visitor)
    assert kept["talks"][0]["messages"][0]["text"] == "is there parking"
    privacy.delete_visitor(store, project, visitor)
    with pytest.raises(AbsentError):
        privacy.find_visitor(store, project, key)
    assert open_talk(store, project, key).messages == ()


def test_talks_are_forgotten_after_the_days_that_were_chosen(store: Store, project: Project) -> None:
    with date_as(now() - timedelta(days=91)):
        ask(store, project, "is there parking")
    fresh = ask(store, project, "what do you pay")
    privacy.forget_old(store, project)
    with store.reading() as tx:
        rows = tx.messages.between(project.id, now() - timedelta(days=400), now() + timedelta(hours=1))
    assert [row.id for row in rows] == [fresh.id]


def test_all_faults_of_settings_are_told_at_once(store: Store, project: Project) -> None:
    wanted = replace(find_settings(store, project), faq_threshold=2.0, origins=("nonsense",), languages=())
    with pytest.raises(UsageError) as refused:
        change_settings(store, PRODUCT, project, wanted)
    assert sorted(fault.where for fault in refused.value.faults) == ["faq_threshold", "languages", "origins"]


def test_lines_that_are_nothing_but_links_and_buttons_stand_under_an_answer() -> None:
    answer = parse_answer("Apply [here](https://a.example) today.\n[Careers](https://c.example) [Jobs](/job_search)")
    assert answer.text == "Apply [here](https://a.example) today."
    assert [link.url for link in answer.links] == ["https://c.example"]
    assert [button.send for button in answer.buttons] == ["/job_search"]


def test_a_project_is_an_assistant_by_name(
    store: Store, project: Project, workspace_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vivavoce.workspace.assistant.finding import find_project_assistant

    assert find_project_assistant("jobs") is None
    monkeypatch.setenv("VIVA_WORKSPACE", workspace_address)
    assistant = find_project_assistant("jobs")
    assert assistant is not None
    assert assistant.company.name == "Nord"
    assert find_project_assistant("others") is None
