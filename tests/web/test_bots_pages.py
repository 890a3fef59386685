"""The pages of bots: what each role may do, forms that keep what was typed, and what a test shows."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from vivavoce.web.pages.bots.form import bot_forms, entry_of, field_names, form_of, values_of
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.bots.bots import add_bot, list_bots

HTTP = {"kind": "http", "url": "https://bot.example/chat"}
PATH = "/p/jobs/bots"


def keep(house, name: str = "ours", entry: dict | None = None) -> str:
    add_bot(house.store, PRODUCT, house.project, name, entry or HTTP, rules=BotRules(private_bots=True))
    return next(line.bot.id for line in list_bots(house.store, house.project) if line.bot.name == name)


def edits_of(house) -> list[str]:
    with house.store.reading() as tx:
        return [edit.id for edit in tx.edits.of_project(house.project.id)]


def test_an_empty_list_says_what_to_do_and_only_admins_get_the_buttons(admin: TestClient, reader: TestClient) -> None:
    assert "/p/jobs/bots/new?form=http" in admin.get(PATH).text
    page = reader.get(PATH).text
    assert "Only admins can add bots" in page
    assert "bots/new" not in page


def test_a_bot_is_added_by_plain_fields_and_can_be_undone(house, admin: TestClient) -> None:
    form = {
        "form": "http",
        "name": "ours",
        "url": "https://bot.example/chat",
        "method": "POST",
        "headers": "Authorization: Bearer ${BOT_TOKEN}",
        "body": '{"q": "{text}"}',
        "reply_texts": "data.reply",
        "limits_at_once": "2",
    }
    answer = admin.post(f"{PATH}/new", data=form)
    assert answer.status_code == 303
    (line,) = list_bots(house.store, house.project)
    assert line.bot.entry == {
        "kind": "http",
        "url": "https://bot.example/chat",
        "headers": {"Authorization": "Bearer ${BOT_TOKEN}"},
        "body": {"q": "{text}"},
        "limits": {"at_once": "2"},
        "reply": {"texts": "data.reply"},
    }
    assert answer.headers["location"] == f"{PATH}/{line.bot.id}"
    (edit,) = edits_of(house)
    assert admin.post(f"/p/jobs/edits/{edit}/undo").status_code == 303
    assert list_bots(house.store, house.project) == ()


def test_a_form_that_is_refused_keeps_what_was_typed_with_the_faults_beside_it(house, admin: TestClient) -> None:
    form = {"form": "http", "name": "my bot", "url": "https://bot.example", "headers": "X-Api-Key: abc123"}
    answer = admin.post(f"{PATH}/new", data=form)
    assert answer.status_code == 400
    assert "X-Api-Key: abc123" in answer.text
    assert "${BOT_TOKEN}" in answer.text
    assert 'id="headers-error"' in answer.text
    assert list_bots(house.store, house.project) == ()


WRONG = [
    ({"form": "http", "name": "x"}, "url"),
    ({"form": "http", "name": "x", "url": "https://a.example", "body": "{"}, "body"),
    ({"form": "http", "name": "x", "url": "https://a.example", "headers": "nonsense"}, "headers"),
    ({"form": "openai", "name": "x", "model": "m", "api_key": "sk-1234"}, "api_key"),
    ({"form": "openai", "name": "x", "model": "m", "api_key": "PATH"}, "api_key"),
    ({"form": "agent", "name": "x", "engine": "magic"}, "engine"),
    ({"form": "agent", "name": "a/b", "engine": "nearest"}, "name"),
    ({"form": "http", "name": "x", "url": "https://a.example", "limits_at_once": "0"}, "limits_at_once"),
]


def test_every_fault_stands_beside_its_field(admin: TestClient) -> None:
    for form, field in WRONG:
        answer = admin.post(f"{PATH}/new", data=form)
        assert answer.status_code == 400
        assert f'id="{field}-error"' in answer.text, form


def test_yaml_that_cannot_be_read_is_shown_again_with_its_line(admin: TestClient) -> None:
    answer = admin.post(f"{PATH}/new", data={"form": "yaml", "name": "x", "entry": "kind: http\nurl: [\n"})
    assert answer.status_code == 400
    assert "line" in answer.text
    assert "url: [" in answer.text


def test_a_change_by_plain_fields_loses_nothing_that_the_form_does_not_show(house, admin: TestClient) -> None:
    entry = {
        **HTTP,
        "open": {"url": "https://bot.example/open", "values": {"id": "data.id"}},
        "fallback": {"replies": ["Sorry"]},
        "reply": {"texts": "a", "buttons": "b"},
    }
    bot_id = keep(house, entry=entry)
    page = admin.get(f"{PATH}/{bot_id}/edit")
    assert page.status_code == 200
    form = {"form": "http", "name": "renamed", "url": "https://bot.example/chat", "reply_texts": "c"}
    assert admin.post(f"{PATH}/{bot_id}/edit", data=form).status_code == 303
    (line,) = list_bots(house.store, house.project)
    assert line.bot.name == "renamed"
    assert line.bot.entry == {**entry, "reply": {"texts": "c", "buttons": "b"}}


@pytest.mark.parametrize(
    "entry",
    [
        {**HTTP, "reports_intent": "yes"},
        {**HTTP, "method": "PUT", "headers": {"X": "y"}, "body": {"n": 1, "t": "{text}"}, "limits": {"retries": "0"}},
        {
            "kind": "openai",
            "api_key": "${BOT_KEY}",
            "model": "m",
            "base_url": "https://m.example/v1",
            "system": "Be kind.",
        },
        {"kind": "openai", "api_key": "", "model": "m"},
        {"kind": "nearest", "agent": "flight", "threshold": "0.3", "about": "Flights"},
        {"kind": "vectors"},
    ],
)
def test_a_form_that_is_sent_as_it_was_shown_changes_nothing(entry: dict) -> None:
    form = form_of(entry)
    assert entry_of(form, values_of(form, entry), entry) == entry
    assert entry_of("yaml", values_of("yaml", entry), entry).keys() == entry.keys()


def test_every_form_can_be_opened_in_both_languages(admin: TestClient) -> None:
    for form in bot_forms():
        for language in ("en", "de"):
            page = admin.get(f"{PATH}/new?form={form}", headers={"accept-language": language})
            assert page.status_code == 200
            assert all(f'name="{name}"' in page.text for name in field_names(form))


def test_editors_test_a_bot_and_see_what_each_check_means(house, editor: TestClient, reader: TestClient) -> None:
    bot_id = keep(house, "built in", {"kind": "keywords", "agent": "flight"})
    assert reader.post(f"{PATH}/{bot_id}/test").status_code == 403
    page = editor.post(f"{PATH}/{bot_id}/test")
    assert page.status_code == 200
    assert "All checks passed" in page.text
    assert "What one visitor says never reaches another." in page.text


def test_a_bot_whose_checks_fail_is_not_called_fine_anywhere(house, editor: TestClient) -> None:
    bot_id = keep(house, entry={**HTTP, "url": "http://127.0.0.1:9/chat"})
    page = editor.post(f"{PATH}/{bot_id}/test").text
    assert "this bot is not ready for an exam" in page
    assert "checks failed." in page
    assert "configuration is valid" not in page


def test_a_form_asks_whether_the_bot_tells_which_topic_it_understood(house, admin: TestClient) -> None:
    form = {"form": "http", "name": "ours", "url": "https://bot.example/chat", "reports_intent": "no"}
    assert admin.post(f"{PATH}/new", data=form).status_code == 303
    (line,) = list_bots(house.store, house.project)
    assert line.bot.entry["reports_intent"] == "no"
    assert '<option value="no" selected>' in admin.get(f"{PATH}/{line.bot.id}/edit").text
    wrong = admin.post(f"{PATH}/new", data={**form, "name": "other", "reports_intent": "perhaps"})
    assert wrong.status_code == 400
    assert 'id="reports_intent-error"' in wrong.text


def test_the_list_counts_bots_that_were_never_examined_in_words_that_fit(house, reader: TestClient) -> None:
    keep(house, "alpha")
    assert "1 bot, 1 never examined." in reader.get(PATH).text
    keep(house, "beta")
    assert "2 bots, 2 never examined." in reader.get(PATH).text


def test_the_entry_is_shown_without_values_of_secrets_to_everybody(house, reader: TestClient, monkeypatch) -> None:
    monkeypatch.setenv("BOT_TOKEN", "a-real-secret")
    bot_id = keep(house, entry={**HTTP, "headers": {"Authorization": "${BOT_TOKEN}"}})
    page = reader.get(f"{PATH}/{bot_id}").text
    assert "${BOT_TOKEN}" in page
    assert "a-real-secret" not in page


def test_deleting_asks_and_can_be_undone(house, admin: TestClient, editor: TestClient) -> None:
    bot_id = keep(house)
    assert editor.get(f"{PATH}/{bot_id}/delete").status_code == 403
    assert "Delete this bot?" in admin.get(f"{PATH}/{bot_id}/delete").text
    answer = admin.post(f"{PATH}/{bot_id}/delete", data={"why": "old"})
    assert answer.status_code == 303
    assert list_bots(house.store, house.project) == ()
    assert admin.get(f"{PATH}/{bot_id}").status_code == 404


def test_the_list_is_searched_sorted_and_taken_along(house, reader: TestClient) -> None:
    keep(house, "alpha")
    keep(house, "beta", {"kind": "nearest", "agent": "flight"})
    page = reader.get(f"{PATH}?q=flight").text
    assert "beta" in page
    assert "alpha" not in page
    down = reader.get(f"{PATH}?sort=-name").text
    assert down.index(">beta<") < down.index(">alpha<")
    assert '"alpha","http","https://bot.example/chat",8,"",30.0,2' in reader.get(f"{PATH}.csv").text
    assert reader.get(f"{PATH}.xlsx").status_code == 200
    assert reader.get(f"{PATH}.pdf").status_code == 404
