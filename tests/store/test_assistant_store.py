"""Talks with the assistant, reviews, openings and mail: the same on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.store.database import Store
from vivavoce.store.rows import (
    AssistantRow,
    MailRow,
    MessageRow,
    OpeningRow,
    Project,
    ReviewRow,
    SubscriptionRow,
    TalkRow,
    User,
    VisitorRow,
)
from vivavoce.store.stamps import new_id

NOW = datetime(2026, 5, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def message(talk: TalkRow, number: int = 0, **values: object) -> MessageRow:
    row = MessageRow(
        id=new_id(),
        project_id=talk.project_id,
        talk_id=talk.id,
        number=number,
        key=f"k{number}",
        author="visitor",
        user_id=None,
        text=f"question {number}",
        language="en",
        stage="faq",
        intent="salary",
        confidence=0.6,
        candidates=({"intent": "salary", "confidence": 0.6},),
        reply={"texts": ["We pay well."]},
        hand_over="",
        skipped="",
        drawn=False,
        chance=0.2,
        waiting="",
        gain=0.4,
        build=1,
        created=NOW + number * HOUR,
    )
    return replace(row, **values)  # type: ignore[arg-type]


@pytest.fixture
def talk(store: Store, project: Project) -> TalkRow:
    with store.writing() as tx:
        visitor = tx.visitors.add(VisitorRow(new_id(), project.id, "", NOW, NOW), "hash")
        return tx.talks.add(TalkRow(new_id(), project.id, visitor.id, {}, "en", None, 1, NOW, NOW))


def test_settings_of_an_assistant_are_kept_and_count_what_must_be_loaded_anew(store: Store, project: Project) -> None:
    row = AssistantRow(
        project.id,
        True,
        ("en",),
        ("general", "faq"),
        0.5,
        0.4,
        0.25,
        0.2,
        "",
        ("https://a.example",),
        90,
        "",
        0,
        None,
        NOW,
        24,
        6,
        24,
        0.4,
        None,
    )
    with store.writing() as tx:
        tx.assistants.put(row)
        tx.assistants.put(replace(row, retention_days=30))
        tx.assistants.swap(project.id, b"examples", NOW)
        assert tx.assistants.material(project.id) == b"examples"
        tx.assistants.rebuild(project.id)
        found = tx.assistants.get(project.id)
    assert found == replace(row, retention_days=30, build=2, learned=NOW)


def test_a_message_is_found_by_the_key_of_its_client_and_only_once(store: Store, talk: TalkRow) -> None:
    with store.writing() as tx:
        first = tx.messages.add(message(talk))
        assert tx.messages.by_key(talk.id, "k0") == first
        assert tx.messages.by_key(talk.id, "k1") is None
    with pytest.raises(Exception, match=r"(?i)unique"), store.writing() as tx:
        tx.messages.add(message(talk, 1, key="k0"))


def test_what_waits_comes_by_its_worth_and_not_to_who_has_judged_it(store: Store, talk: TalkRow, anna: User) -> None:
    with store.writing() as tx:
        low, high, _ = (
            tx.messages.add(message(talk, n, waiting=why, gain=gain))
            for n, (why, gain) in enumerate([("random", 0.1), ("unsure", 0.9), ("", 1.0)])
        )
        assert [row.id for row in tx.messages.waiting(talk.project_id)] == [high.id, low.id]
        assert [row.id for row in tx.messages.waiting(talk.project_id, newest=True)] == [high.id, low.id]
        review = ReviewRow(new_id(), talk.project_id, high.id, anna.id, "right", "salary", "unsure", None, NOW, None)
        tx.reviews.add(review)
        assert [row.id for row in tx.messages.waiting(talk.project_id, but_reviewed_by=anna.id)] == [low.id]
        assert tx.reviews.list_confirmed(talk.project_id) == {high.text: ("salary", "en")}
        assert tx.reviews.undo(review.id, NOW)
        assert not tx.reviews.undo(review.id, NOW)
        assert tx.messages.count_waiting(talk.project_id, anna.id) == 2
        assert tx.reviews.list_confirmed(talk.project_id) == {}


def test_nothing_of_a_visitor_stays_when_they_are_deleted(store: Store, talk: TalkRow, anna: User) -> None:
    with store.writing() as tx:
        row = tx.messages.add(message(talk))
        tx.reviews.add(ReviewRow(new_id(), talk.project_id, row.id, anna.id, "right", None, "", None, NOW, None))
        assert tx.visitors.delete(talk.visitor_id)
        assert tx.talks.get(talk.id) is None
        assert tx.messages.get(row.id) is None
        assert tx.reviews.of_message(row.id) == ()


def opening(project: Project, ref: str, tokens: str, posted: str = "2026-01-01") -> OpeningRow:
    return OpeningRow(new_id(), project.id, ref, ref, "", "", "", "", "", "", "", "", posted, tokens)


def test_openings_are_found_by_a_token_of_every_group_best_first(store: Store, project: Project) -> None:
    rows = [
        opening(project, "a", "nurse geo1"),
        opening(project, "b", "nurse geo2 night", "2026-03-01"),
        opening(project, "c", "护士 geo1", "2026-02-01"),
        opening(project, "d", "nurses nightly"),
    ]
    with store.writing() as tx:
        tx.openings.replace(project.id, rows)

        def refs(*groups: tuple[str, ...], limit: int = 10, offset: int = 0) -> list[str]:
            return [row.ref for row in tx.openings.search(project.id, groups, limit, offset)[0]]

        assert refs(("nurse", "护士")) == ["b", "c", "a"]
        assert refs(("nurse", "护士"), ("geo1",)) == ["c", "a"]
        assert refs(("nurse", "night")) == ["b", "a"]
        assert refs(("geo3",)) == []
        assert refs(limit=1, offset=1) == ["c"]
        assert tx.openings.search(project.id, [("nurse",)], 1)[1] == 2
        tx.openings.replace(project.id, rows[:1])
        assert refs(("night",)) == []
        assert refs(("nurse",)) == ["a"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text(max_size=12), min_size=1, max_size=3), min_size=1, max_size=3))
def test_no_words_of_a_visitor_are_read_as_a_query(store: Store, project: Project, groups: list[list[str]]) -> None:
    texts = [[text.replace("\0", "").encode("utf-8", "ignore").decode() for text in group] for group in groups]
    with store.reading() as tx:
        assert tx.openings.search(project.id, texts, 5) == ((), 0)


def test_a_subscription_is_confirmed_once_and_ended_once(store: Store, talk: TalkRow) -> None:
    with store.writing() as tx:
        row = SubscriptionRow(
            new_id(), talk.project_id, talk.visitor_id, "a@b.example", "nurse", "", "en", NOW, None, None, None
        )
        tx.subscriptions.add(row, "secret")
        assert tx.subscriptions.active(talk.project_id) == ()
        assert tx.subscriptions.confirm(row.id, NOW)
        assert not tx.subscriptions.confirm(row.id, NOW)
        assert [one.id for one in tx.subscriptions.active(talk.project_id)] == [row.id]
        found = tx.subscriptions.find("secret")
        assert found is not None
        assert found.id == row.id
        assert tx.subscriptions.end(NOW, subscription_id=row.id) == 1
        assert tx.subscriptions.end(NOW, visitor_id=talk.visitor_id) == 0
        assert tx.subscriptions.active(talk.project_id) == ()


def test_a_mail_that_is_due_is_given_to_one_sender(store: Store, project: Project) -> None:
    with store.writing() as tx:
        row = MailRow(new_id(), project.id, None, "a@b.example", "Hello", "Text", "", NOW, NOW, 0, None, "")
        tx.mails.add(row)
        assert tx.mails.take_due(project.id, NOW - HOUR, NOW) == ()
        (taken,) = tx.mails.take_due(project.id, NOW, NOW + HOUR)
        assert taken.attempts == 1
        assert tx.mails.take_due(project.id, NOW, NOW + HOUR) == ()
        tx.mails.mark_failed(row.id, "refused", NOW + HOUR)
        assert len(tx.mails.take_due(project.id, NOW + HOUR, NOW + 2 * HOUR)) == 1
        assert tx.mails.mark_sent(row.id, NOW)
        assert not tx.mails.mark_sent(row.id, NOW)
        assert tx.mails.take_due(project.id, NOW + 9 * HOUR, NOW) == ()
