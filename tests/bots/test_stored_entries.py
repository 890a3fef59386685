"""Entries that stand in no file: checked like those of bots.yaml, and told apart by what they may do here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce import demo, plugins
from vivavoce.bots import Limits, entry_problems, entry_variables, load_bots, load_entries, load_entry, runs_programs
from vivavoce.bots.declaration import COMMON_KEYS
from vivavoce.bots.redaction import variables_of
from vivavoce.errors import DataError, UsageError
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults

HTTP: Mapping[str, object] = {
    "kind": "http",
    "url": "https://bot.example.org/chat?key=${VIVA_TEST_UNSET}",
    "headers": {"Authorization": "Bearer ${VIVA_TEST_UNSET}"},
    "reply": {"texts": "messages[].text"},
}


@pytest.fixture(autouse=True)
def no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIVA_TEST_UNSET", raising=False)


def test_an_entry_is_a_bot_under_its_name_with_its_limits() -> None:
    entry = {"kind": "scripted:echo", "limits": {"at_once": 3, "per_second": None}, "reports_intent": True}
    bot = load_entry("parrot", entry)
    assert (bot.facts.name, bot.facts.limits, bot.facts.reports_intent) == ("parrot", Limits(at_once=3), True)

    async def say() -> str:
        return (await (await bot.open("s")).say("hello")).text

    assert asyncio.run(say()) == "hello"


def test_an_entry_means_the_same_with_and_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "bots.yaml").write_text(
        "bots:\n  rules: {kind: keywords, agent: flight, limits: {retries: 1}, fallback: {threshold: 0.5}}\n",
        encoding="utf-8",
    )
    entry = {"kind": "keywords", "agent": "flight", "limits": {"retries": 1}, "fallback": {"threshold": 0.5}}
    assert load_entry("rules", entry).facts == load_bots(["rules"])[0].facts


def test_all_faults_are_told_at_once_with_the_name_and_the_key() -> None:
    entries: dict[str, Mapping[str, object]] = {
        "first": {"kind": "scripted", "delai_s": 1, "limits": {"at_once": 0, "retry": 1}},
        "second": {"kind": "htpp"},
        "third": {"url": "https://bot.example.org"},
        "fourth": {"kind": "http", "url": "bot.example.org"},
    }
    with pytest.raises(DataError) as caught:
        load_entries(entries)
    told = [str(fault) for fault in caught.value.faults]
    for part in (
        "first, delai_s: unknown key 'delai_s'. Did you mean 'delay_s'?",
        "first, limits.retry: unknown key 'retry' under 'limits'. Did you mean 'retries'?",
        "first, limits.at_once: limits.at_once: 0 is not 1 or more",
        "second, kind: unknown kind 'htpp'. Did you mean 'http'?",
        "third, kind: 'third' has no `kind`",
    ):
        assert part in told
    assert any(fault.startswith("fourth: the bot's address must start with http://") for fault in told)
    assert told == [str(fault) for name, entry in entries.items() for fault in entry_problems(name, entry)]


def test_checking_needs_no_variables_but_loading_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert entry_problems("staging", HTTP) == ()
    with pytest.raises(UsageError, match="VIVA_TEST_UNSET is not set"):
        load_entry("staging", HTTP)
    monkeypatch.setenv("VIVA_TEST_UNSET", "very-hidden")
    assert "very-hidden" not in repr(load_entry("staging", HTTP).facts)


def test_checking_neither_trains_nor_reads_nor_runs(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise AssertionError('imported')\n", encoding="utf-8")
    assert entry_problems("a", {"kind": "python:mine.py:bot"}) == ()
    assert entry_problems("b", {"kind": "keywords", "agent": "no/such/agent.yaml"}) == ()
    assert entry_problems("c", {"kind": "openai", "model": "m", "prompt_file": "no-such-file"}) == ()
    assert entry_problems("d", {"kind": "scripted:perfect=no-such-file.yaml"}) == ()


def test_what_only_making_the_bot_shows_is_told_by_the_check_too() -> None:
    [fault] = entry_problems("bot", {"kind": "scripted:shouting"})
    assert "unknown mode 'shouting'" in fault.message
    [fault] = entry_problems("bot", {**HTTP, "body": {"message": "{txt}"}})
    assert "unknown placeholder '{txt}'. Did you mean 'text'?" in fault.message
    [fault] = entry_problems("bot", {"kind": "openai"})
    assert "the model is missing" in fault.message


@given(
    st.dictionaries(
        st.sampled_from([*COMMON_KEYS, "url", "headers", "body", "open", "reply", "replies", "delay_s", "other"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
            max_leaves=6,
        ),
        max_size=6,
    ),
    st.sampled_from(["http", "scripted", "openai", "keywords"]),
)
def test_whatever_an_entry_holds_it_is_checked_and_not_crashed_on(entry: dict[str, object], kind: str) -> None:
    valid = {"url": "https://bot.example.org/{text}", "model": "m"} if kind in ("http", "openai") else {}
    own = {key: value for key, value in valid.items() if (key == "model") == (kind == "openai")}
    for checked in (entry, {**entry, "kind": kind}, {**entry, **own, "kind": kind}):
        assert all(fault.message and fault.where for fault in entry_problems("bot", checked))


# --- what a bot may do here --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", plugins.available(plugins.BOTS))
def test_every_kind_that_ships_is_either_harmless_or_runs_programs(kind: str) -> None:
    engines = {"assistant", "scripted", "vectors", "nearest", "keywords", "rivescript"}
    # They connect to an address alone, through the guard; the variables they would send are checked by name.
    over_the_network = {"http", "openai", "responses", "rasa", "wit", "directline", "voiceflow", "botpress"}
    over_the_network |= {"dialogflow", "dialogflow-cx", "lex", "watson", "clu"}
    assert runs_programs(kind) == (kind not in engines | over_the_network)


@pytest.mark.parametrize("kind", ["vectors", "nearest", "keywords", "rivescript"])
def test_an_agent_that_ships_is_harmless_and_a_path_is_not(kind: str) -> None:
    for agent in demo.suites():
        assert not runs_programs(kind, {"agent": agent})
    assert not runs_programs(f"{kind}:flight", {"agent": "/etc/passwd"})
    assert runs_programs(kind, {"agent": "/etc/agent.yaml"})
    assert runs_programs(kind, {"option": "../flight"})
    assert runs_programs(f"{kind}:flight/agent.yaml")
    assert runs_programs(kind, {}, agent="agents/own.yaml")
    assert not runs_programs(kind, {}, agent="flight")


def test_files_that_an_entry_names_are_seen() -> None:
    assert runs_programs("openai", {"model": "m", "prompt_file": "/etc/passwd"})
    assert not runs_programs("openai", {"model": "m", "system": "Be kind."})
    assert runs_programs("scripted", {"option": " perfect=/etc/passwd"})
    assert runs_programs("scripted:perfect:/etc/passwd")
    assert not runs_programs("scripted:fixed=perfect")


def test_a_kind_that_is_not_known_is_not_trusted() -> None:
    assert runs_programs("somebodys")


def test_the_variables_that_a_bot_would_send_are_known_beforehand() -> None:
    assert entry_variables(HTTP) == ("VIVA_TEST_UNSET",) == tuple(variables_of(HTTP))
    assert entry_variables({"kind": "openai:m@https://models.example.org"}) == ("OPENAI_API_KEY",)
    assert entry_variables({"kind": "openai", "api_key": "${OTHER_KEY}"}) == ("OTHER_KEY",)


WEB = {"kind": "http", "url": "https://bot.example"}
TOKENS = {"url": "https://login.example", "client_id": "me"}


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        ({**WEB, "oauth": {**TOKENS, "client_secret": "written-out"}}, "oauth.client_secret"),
        ({**WEB, "oauth": {**TOKENS, "client_secret": "${HOME}"}}, "oauth"),
        ({**WEB, "oauth": {**TOKENS, "url": "http://127.0.0.1/", "client_secret": "${BOT_S}"}}, "oauth.url"),
        ({**WEB, "poll": {"url": "http://10.0.0.1/{watermark}", "watermark": "w"}}, "poll.url"),
        ({"kind": "http", "url": "ws://127.0.0.1/"}, "url"),
        ({"kind": "directline", "secret": "", "token_url": "http://127.0.0.1/"}, "token_url"),
        ({"kind": "rasa", "url": "https://rasa.example", "token": "written-out"}, "token"),
        ({"kind": "voiceflow", "api_key": "VF.DM.written-out"}, "api_key"),
    ],
)
def test_new_ways_to_reach_a_bot_leak_nothing_and_lead_nowhere_inside(entry: dict[str, object], where: str) -> None:
    assert [fault.where for fault in entry_faults("bot", entry, BotRules())] == [where]


def test_a_server_without_its_own_keys_reaches_platforms_with_those_of_their_bots() -> None:
    for entry in (
        {**WEB, "oauth": {**TOKENS, "client_secret": "${BOT_S}"}},
        {"kind": "rasa", "url": "https://rasa.example", "token": ""},
        {"kind": "directline", "secret": "", "token_url": "https://copilot.example/token"},
        {"kind": "directline", "secret": "${BOT_DL}"},
        {"kind": "wit", "token": "${BOT_WIT}"},
        {"kind": "botpress", "webhook": "x"},
    ):
        assert entry_faults("bot", entry, BotRules()) == ()
