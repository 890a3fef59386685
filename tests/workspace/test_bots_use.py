"""Bots of a project: what may be kept, what is refused and why, and what a trial says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from places import in_both
from vivavoce.errors import AbsentError, AccessError, DataError, InputError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults
from vivavoce.workspace.bots.bots import (
    add_bot,
    change_bot,
    check_bot_entry,
    delete_bot,
    entry_text,
    list_bots,
    parse_entry,
    show_bot,
    try_bot,
)

EDITOR = Actor(None, "an editor", Role.EDITOR)
READER = Actor(None, "a reader", Role.READER)
STRICT = BotRules()
OPEN = BotRules(private_bots=True, bot_programs=True)
HTTP = {"kind": "http", "url": "https://bot.example/chat"}


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)


def added(store: Store, project: Project, name: str = "ours", entry: dict | None = None, rules=STRICT) -> str:
    add_bot(store, PRODUCT, project, name, entry or HTTP, rules=rules)
    return next(line.bot.id for line in list_bots(store, project) if line.bot.name == name)


@in_both
def test_a_bot_is_added_changed_deleted_and_each_step_can_be_undone(store: Store, project: Project) -> None:
    bot_id = added(store, project)
    change_bot(
        store, PRODUCT, project, bot_id, name="theirs", entry={**HTTP, "limits": {"at_once": "2"}}, rules=STRICT
    )
    line = show_bot(store, project, bot_id)
    assert (line.bot.name, line.limits.at_once, line.kind) == ("theirs", 2, "http")
    edit = delete_bot(store, PRODUCT, project, bot_id, why="gone")
    assert list_bots(store, project) == ()
    with store.writing() as tx:
        tx.edits.undo(edit.id, None)
    assert show_bot(store, project, bot_id).bot == line.bot


def test_only_admins_change_bots_and_only_editors_try_them(store: Store, project: Project) -> None:
    bot_id = added(store, project)
    for change in (
        lambda: add_bot(store, EDITOR, project, "x", HTTP, rules=STRICT),
        lambda: change_bot(store, EDITOR, project, bot_id, name="x", entry=HTTP, rules=STRICT),
        lambda: delete_bot(store, EDITOR, project, bot_id),
        lambda: try_bot(store, READER, project, bot_id, STRICT),
    ):
        with pytest.raises(AccessError):
            change()


def test_a_name_is_given_once_and_a_bot_of_another_project_is_not_found(store: Store, project: Project) -> None:
    bot_id = added(store, project)
    with pytest.raises(DataError) as refused:
        add_bot(store, PRODUCT, project, "ours", HTTP, rules=STRICT)
    assert refused.value.faults[0].where == "name"
    with store.writing() as tx:
        other = tx.projects.add("other", "Other", language="en", classifier="tfidf", threshold=0.5)
    with pytest.raises(AbsentError):
        show_bot(store, other, bot_id)


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ({**HTTP, "headers": {"Authorization": "Bearer abc123"}}, "headers.Authorization"),
        ({**HTTP, "headers": {"X-Api-Key": "abc"}}, "headers.X-Api-Key"),
        ({**HTTP, "open": {"url": "https://bot.example/o", "headers": {"Cookie": "a=b"}}}, "open.headers.Cookie"),
        ({**HTTP, "body": {"text": "{text}", "access_token": "abc"}}, "body.access_token"),
        ({**HTTP, "url": "https://me:secret@bot.example/"}, "url"),
        ({**HTTP, "url": "https://bot.example/?api_key=abc"}, "url"),
        ({"kind": "openai", "model": "m", "base_url": "https://x.example/v1", "api_key": "sk-1"}, "api_key"),
    ],
)
def test_a_secret_that_is_written_out_is_refused_with_the_way_to_do_it(entry: dict, place: str) -> None:
    (fault,) = entry_faults("ours", entry, OPEN)
    assert fault.where == place
    assert "${BOT_TOKEN}" in fault.message


@pytest.mark.parametrize(
    "entry",
    [
        {**HTTP, "headers": {"Authorization": "Bearer ${BOT_TOKEN}"}},
        {**HTTP, "open": {"url": "https://b.example/o", "values": {"token": "data.token"}}, "body": {"t": "{text}"}},
        {
            **HTTP,
            "headers": {"X-Token": "{token}"},
            "open": {"url": "https://b.example/o", "headers": {}, "values": {"token": "t"}},
        },
        {"kind": "openai", "model": "m", "base_url": "https://x.example/v1", "api_key": "", "max_tokens": "99"},
        {"kind": "nearest", "agent": "flight"},
    ],
)
def test_entries_without_a_secret_of_their_own_can_be_kept(entry: dict) -> None:
    assert entry_faults("ours", entry, STRICT) == ()


@given(st.from_regex(r"[A-Z_][A-Z0-9_]{0,20}", fullmatch=True))
def test_only_variables_for_bots_can_be_sent_to_one(name: str) -> None:
    entry = {**HTTP, "headers": {"X-Who": f"${{{name}}}"}}
    refused = [fault for fault in entry_faults("ours", entry, STRICT) if name in fault.message]
    assert bool(refused) is not name.startswith("BOT_")
    assert entry_faults("ours", entry, BotRules(variables=(name,))) == ()


def test_the_key_of_the_server_is_not_sent_to_a_model_that_somebody_named() -> None:
    entry = {"kind": "openai", "model": "m", "base_url": "https://evil.example/v1"}
    (fault,) = entry_faults("ours", entry, STRICT)
    assert "OPENAI_API_KEY" in fault.message
    assert "api_key" in fault.message


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "http", "url": "http://127.0.0.1:8000/"},
        {"kind": "http:http://10.0.0.1/chat"},
        {"kind": "http", "url": "http://localhost/"},
        {**HTTP, "open": {"url": "http://169.254.169.254/"}},
        {"kind": "openai", "option": "m@http://192.168.0.1/v1", "api_key": ""},
    ],
)
def test_private_addresses_are_refused_unless_the_server_allows_them(entry: dict) -> None:
    assert any("private_bots" in fault.message for fault in entry_faults("ours", entry, STRICT))
    assert not any("private_bots" in fault.message for fault in entry_faults("ours", entry, OPEN))


@pytest.mark.parametrize(
    "entry",
    [{"kind": "command", "command": "cat"}, {"kind": "nearest", "agent": "/etc/passwd"}, {"kind": "python:os"}],
)
def test_programs_are_refused_unless_the_server_allows_them(entry: dict) -> None:
    assert any("bot_programs" in fault.message for fault in entry_faults("ours", entry, STRICT))
    assert not any("bot_programs" in fault.message for fault in entry_faults("ours", entry, OPEN))


def test_all_that_is_wrong_with_an_entry_is_told_at_once() -> None:
    entry = {**HTTP, "limits": {"at_once": "none of them"}, "replies": {}, "method": "POST"}
    with pytest.raises(DataError) as refused:
        check_bot_entry("ours", entry, STRICT)
    assert {fault.where for fault in refused.value.faults} == {"limits.at_once", "replies"}


@pytest.mark.parametrize("name", ["", "   ", "a/b", "x" * 101])
def test_names_that_cannot_be_keys_of_talks_are_refused(name: str) -> None:
    with pytest.raises(DataError) as refused:
        check_bot_entry(name, HTTP, STRICT)
    assert refused.value.faults[0].where == "name"


def test_an_entry_comes_back_from_yaml_as_it_was_and_numbers_of_a_body_stay_numbers() -> None:
    plain = {"kind": "http", "url": "https://x.example", "headers": {"A": "yes"}, "limits": {"at_once": "3"}}
    assert parse_entry(entry_text(plain)) == plain
    typed = {**plain, "body": {"text": "{text}", "n": 3}}
    assert parse_entry(entry_text(typed))["body"] == '{"text": "{text}", "n": 3}'


@pytest.mark.parametrize("text", ["", "just words", "- a\n- b", "kind: [", "kind: http\nkind: http"])
def test_a_text_that_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_entry(text)


def test_a_trial_says_of_every_check_what_it_means(store: Store, project: Project) -> None:
    bot_id = added(store, project, entry={"kind": "keywords"})
    report = try_bot(store, EDITOR, project, bot_id, STRICT)
    assert report.passed
    assert report.agent == "recruiting"
    assert report.replies > 5
    assert all(one.meaning for one in report.checks)


def test_a_trial_of_a_bot_that_cannot_be_reached_is_a_report_and_no_error(store: Store, project: Project) -> None:
    # Nobody listens at the port of discard.
    bot_id = added(store, project, entry={"kind": "http", "url": "http://127.0.0.1:9/"}, rules=OPEN)
    report = try_bot(store, EDITOR, project, bot_id, OPEN)
    assert not report.passed
    assert any("unreachable" in one.note for one in report.checks)
    refused = try_bot(store, EDITOR, project, bot_id, STRICT)
    assert "private_bots" in refused.checks[0].note


def test_a_bot_that_never_stops_talking_is_given_up(store: Store, project: Project, monkeypatch) -> None:
    from vivavoce.workspace.bots import bots

    monkeypatch.setattr(bots, "TEST_SECONDS", 0.2)
    bot_id = added(store, project, entry={"kind": "scripted", "delay_s": "5"})
    report = try_bot(store, EDITOR, project, bot_id, STRICT)
    assert [(one.name, one.passed) for one in report.checks] == [("answers in time", False)]
