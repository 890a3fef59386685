"""Alarms of the assistant, notices of them, and personal data that is not stored."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from vivavoce.store.database import Store
from vivavoce.store.rows import MessageRow, Project, Role, TalkRow, VisitorRow
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.assistant import discussing, tasks
from vivavoce.workspace.assistant.alarms import find_alarms, give_notice
from vivavoce.workspace.assistant.redaction import ACCOUNT, MAIL, PHONE, redact
from vivavoce.workspace.assistant.reviewing import review
from vivavoce.workspace.assistant.settings import change_settings, find_settings
from vivavoce.workspace.assistant.talking import answer_message, list_new, open_talk
from vivavoce.workspace.topics.topics import add_topic

DAY = timedelta(days=1)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Nord", language="en", classifier="linear", threshold=0.5)
    for name, text in {"parking": "where do I park", "salary": "what do you pay"}.items():
        add_topic(store, PRODUCT, made, name, answers={"en": f"About {name}."}, examples=[text])
    change_settings(store, PRODUCT, made, replace(find_settings(store, made), enabled=True, languages=("en",)))
    return made


@pytest.fixture
def anna(store: Store) -> Actor:
    with store.writing() as tx:
        user = tx.users.add("anna", role=Role.REVIEWER)
    return Actor(user.id, user.name, user.role)


def write(store: Store, project: Project, days: float, count: int, **values: object) -> list[MessageRow]:
    """Write messages of one visitor, so many days ago."""
    at = now() - days * DAY
    with store.writing() as tx:
        visitor = tx.visitors.add(VisitorRow(new_id(), project.id, "", at, at), new_id())
        talk = tx.talks.add(TalkRow(new_id(), project.id, visitor.id, {}, "en", None, count, at, at))
        usual = MessageRow(
            id="", project_id=project.id, talk_id=talk.id, number=0, key="", author="visitor", user_id=None,
            text="where do I park", language="en", stage="faq", intent="parking", confidence=0.9, candidates=(),
            reply={"texts": ["About parking."]}, hand_over="", skipped="", drawn=False, chance=0.1, waiting="",
            gain=0.1, build=0, created=at,
        )  # fmt: skip
        return [
            tx.messages.add(replace(usual, id=new_id(), number=number, key=str(number), **values))
            for number in range(count)
        ]


HANDED = {"hand_over": "unsure", "intent": None}


def names(store: Store, project: Project) -> list[str]:
    return [alarm.name for alarm in find_alarms(store, project)]


def test_a_quiet_assistant_has_no_alarm(store: Store, project: Project) -> None:
    write(store, project, 20, 60)
    write(store, project, 2, 60)
    assert names(store, project) == []


def test_visitors_who_wait_for_a_person_are_an_alarm_until_somebody_answers(
    store: Store, project: Project, anna: Actor
) -> None:
    (row,) = write(store, project, 2, 1, **HANDED, waiting="handed_over")
    write(store, project, 0.1, 1, **HANDED, waiting="handed_over")
    (alarm,) = find_alarms(store, project)
    assert str(alarm.text) == "1 visitor has waited more than 24 hours for a person."
    assert alarm.message_id == row.id
    review(store, anna, project, row.id, "not_ours")
    assert names(store, project) == []


def test_an_automation_rate_that_falls_is_an_alarm(store: Store, project: Project) -> None:
    write(store, project, 20, 100)
    write(store, project, 2, 60)
    write(store, project, 2, 40, **HANDED)
    (alarm,) = find_alarms(store, project)
    assert str(alarm.text) == "The automation rate fell from 100% to 60% in 7 days, by more than chance."


def test_an_automation_rate_below_the_limit_is_an_alarm(store: Store, project: Project) -> None:
    write(store, project, 2, 10)
    write(store, project, 2, 90, **HANDED)
    assert [str(alarm.text) for alarm in find_alarms(store, project)] == [
        "In 7 days the assistant answered 10% of the questions at once, less than 40%."
    ]


def test_a_live_accuracy_that_falls_is_an_alarm(store: Store, project: Project, anna: Actor) -> None:
    with store.reading() as tx:
        salary = next(topic.id for topic in tx.topics.of_project(project.id) if topic.name == "salary")
    for row in write(store, project, 20, 40, drawn=True):
        review(store, anna, project, row.id, "right")
    for number, row in enumerate(write(store, project, 2, 40, drawn=True)):
        verdict, topic = ("right", "") if number % 4 else ("wrong", salary)
        review(store, anna, project, row.id, verdict, topic_id=topic)
    (alarm,) = find_alarms(store, project)
    assert str(alarm.text) == "The live accuracy fell from 100% to 75% in 7 days, by more than chance."


def test_an_inbox_that_grows_is_an_alarm(store: Store, project: Project) -> None:
    write(store, project, 0.1, 40, waiting="unsure")
    (alarm,) = find_alarms(store, project)
    assert str(alarm.text) == "The inbox is growing: 40 new messages, only 0 reviews in 7 days; 40 waiting."


def test_reviewers_get_one_notice_a_week_of_an_alarm(store: Store, project: Project, anna: Actor) -> None:
    write(store, project, 2, 1, **HANDED, waiting="handed_over")
    assert give_notice(store, project) == 1
    assert give_notice(store, project) == 0
    (notice,) = discussing.list_notices(store, anna, project)
    assert notice.row.kind == "alarm:unanswered"
    assert discussing.mark_seen(store, anna, project) == 1
    assert discussing.list_notices(store, anna, project) == ()
    tasks.plan_due(store)
    assert "watch" in {line.task.kind for line in tasks.list_tasks(store, project)}


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("write to jo.doe+jobs@mail.example.org please", f"write to {MAIL} please"),
        ("ruf mich an: +49 30 1234567", f"ruf mich an: {PHONE}"),
        ("meine Nummer ist 0170 1234567.", f"meine Nummer ist {PHONE}."),
        ("mon numéro : 06 12 34 56 78", f"mon numéro : {PHONE}"),
        ("我的电话是13800138000", f"我的电话是{PHONE}"),
        ("call (020) 7946 0958 or 555-123-4567", f"call {PHONE} or {PHONE}"),
        ("mein Konto DE89 3704 0044 0532 0130 00", f"mein Konto {ACCOUNT}"),
        ("is order 12345678 there since 2026-05-01 or 01.05.2026?", None),
        ("I applied on 12/11/2026 with number 20871, 1500 to 2500 EUR", None),
        ("DE89 3704 0044 0532 0130 01 has wrong check digits", None),
    ],
)
def test_personal_data_is_not_stored(text: str, stored: str | None) -> None:
    assert redact(text) == (text if stored is None else stored)


@pytest.mark.slow
def test_what_a_visitor_writes_is_redacted_everywhere_but_understood(store: Store, project: Project) -> None:
    key = open_talk(store, project).key
    row = answer_message(store, project, key, "qwertz asdfgh, call me at +49 30 1234567", "1")
    assert row.text == f"qwertz asdfgh, call me at {PHONE}"
    answer_message(store, project, key, "jo@mail.example", "2")
    with store.reading() as tx:
        talk = tx.talks.get(row.talk_id)
        assert talk is not None
        visitor = tx.visitors.get(talk.visitor_id)
        assert visitor is not None
    assert "1234567" not in str(talk.state)
    # An address that is left for a reply is needed.
    assert visitor.address == "jo@mail.example"
    assert [each.text for each in list_new(store, project, key, 0)] == [MAIL]


def test_an_error_of_the_database_names_no_message(
    store: Store, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    (row,) = write(store, project, 1, 1, text="my secret illness")
    with caplog.at_level(logging.DEBUG), pytest.raises(IntegrityError) as error, store.writing() as tx:
        tx.messages.add(row)
    assert "illness" not in f"{error.value} {caplog.text}"
