"""Bots are found by their names, and everything that is wrong is said at once, with its place."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from vivavoce import plugins
from vivavoce.bots import (
    BotContext,
    BotFacts,
    Limits,
    ScriptedBot,
    fakes,
    list_bots,
    load_bots,
    nlpjs,
    scripted,
)
from vivavoce.bots.declaration import COMMON_KEYS, entry_facts, list_connectors
from vivavoce.bots.fakes import BEHAVIOURS
from vivavoce.bots.redaction import Redactor, fill_in, variables_of
from vivavoce.errors import DataError, FileError, MissingPartError, UsageError
from vivavoce.files.yamls import as_mapping, parse_yaml
from vivavoce.records import Status

FILE = """
bots:
  staging:
    kind: http
    url: https://bot.example.org/chat?key=${VIVA_TEST_KEY}
    headers: {Authorization: "Bearer ${VIVA_TEST_KEY}"}
    reply: {texts: "messages[].text", intent: nlu.intent}
    limits: {at_once: 3, per_second: 2.5, timeout_s: 10, retries: 0}
    fallback: {intents: [none], replies: ["Sorry*", "Pardon?"], threshold: 0.4}
    about: the bot of next week
  polite:
    kind: scripted:fixed=Good morning
    reports_intent: yes
  told: {kind: scripted, option: echo, agent: flight.yaml}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VIVA_TEST_KEY", "very-hidden")
    (tmp_path / "bots.yaml").write_text(FILE, encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    path = folder / "others.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def said(bot: object, message: str) -> str:
    async def held() -> str:
        assert isinstance(bot, ScriptedBot)
        return (await (await bot.open("one")).say(message)).text

    return asyncio.run(held())


def test_kinds_options_entries_and_aliases_are_names() -> None:
    bots = load_bots(["scripted", "scripted:echo", "polite", "loud=scripted:fixed=A=B", "twin=polite"])
    assert [bot.facts.name for bot in bots] == ["scripted", "scripted:echo", "polite", "loud", "twin"]
    assert [said(bot, "hi") for bot in bots] == ["Hello.", "hi", "Good morning", "A=B", "Good morning"]


def test_an_entry_says_all_about_its_bot() -> None:
    facts = load_bots(["staging"])[0].facts
    assert facts.limits == Limits(3, 2.5, 10.0, 0)
    assert (facts.fallback.intents, facts.fallback.replies) == (("none",), ("Sorry*", "Pardon?"))
    assert facts.fallback.threshold == 0.4
    assert (facts.about, facts.reports_intent) == ("the bot of next week", True)
    assert "hidden" not in repr(facts)


def test_an_entry_may_name_option_and_agent() -> None:
    assert said(load_bots(["told"])[0], "hi") == "hi"


def test_a_file_can_be_named_and_must_then_exist(folder: Path) -> None:
    path = written(folder, "bots: {x: {kind: scripted}}")
    assert [bot.facts.name for bot in load_bots(["x"], file=path)] == ["x"]
    with pytest.raises(FileError):
        load_bots(["x"], file=folder / "nowhere.yaml")


def test_no_file_is_needed(folder: Path) -> None:
    (folder / "bots.yaml").unlink()
    assert load_bots(["scripted"])[0].facts.name == "scripted"


def test_all_unknown_names_are_told_at_once_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        load_bots(["stagin", "scriptd:echo", "polite", "zzzzzz"])
    text = str(caught.value)
    assert "Did you mean 'staging'" in text
    assert "Did you mean 'scripted'" in text
    assert "'zzzzzz'" in text
    assert len(caught.value.faults) == 3


def test_two_bots_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="2 bots have the name 'polite'"):
        load_bots(["polite", "polite=scripted"])
    assert len(load_bots(["polite", "again=polite"])) == 2


def test_wrong_keys_and_values_are_told_with_their_lines(folder: Path) -> None:
    text = """bots:
  a:
    kind: http
    url: http://localhost
    hedders: {}
    reply: {text: x}
    limits: {at_once: none, retrys: 1}
  b:
    kind: scripted
    fallback: [sorry]
    reports_intent: perhaps
"""
    with pytest.raises(DataError) as caught:
        load_bots(["a", "b"], file=written(folder, text))
    told = str(caught.value)
    for line, words in [
        (5, "unknown key 'hedders'. Did you mean 'headers'"),
        (6, "unknown key 'text' under 'reply'. Did you mean 'texts'"),
        (7, "unknown key 'retrys' under 'limits'. Did you mean 'retries'"),
        (7, "limits.at_once: 'none' is not a whole number"),
        (10, "'fallback' must contain these keys"),
        (11, "'perhaps' is neither yes nor no"),
    ]:
        assert any(f"line {line}: " in part and words in part for part in told.splitlines()), words


def test_entries_that_are_not_used_do_no_harm(folder: Path) -> None:
    path = written(folder, "bots: {good: {kind: scripted}, bad: {kind: http, x: y}, none: {kind: not_there}}")
    assert len(load_bots(["good"], file=path)) == 1
    with pytest.raises(UsageError, match=r"line 1.*unknown kind 'not_there'"):
        load_bots(["none"], file=path)


@pytest.mark.parametrize("text", ["bot: {}", "bots: [a]", "- a", "bots: {a: {url: x}}", "bots: {a: http}"])
def test_a_file_of_another_form_is_refused(folder: Path, text: str) -> None:
    with pytest.raises(DataError, match="line 1"):
        load_bots(["scripted"], file=written(folder, text))


def test_all_missing_variables_are_told_at_once(folder: Path) -> None:
    text = """bots:
  a: {kind: http, url: "http://x", headers: {A: "${VIVA_NOT_1}", B: "${VIVA_NOT_2} ${VIVA_TEST_KEY}"}}
  b: {kind: openai, model: m, api_key: "${VIVA_NOT_3}"}
"""
    with pytest.raises(UsageError) as caught:
        load_bots(["a", "b"], file=written(folder, text))
    assert [fault.message.split()[2] for fault in caught.value.faults] == ["VIVA_NOT_1", "VIVA_NOT_2", "VIVA_NOT_3"]


def test_all_bots_that_cannot_be_made_are_told_at_once(folder: Path) -> None:
    path = written(folder, "bots:\n  a: {kind: http}\n  b: {kind: openai}\n")
    with pytest.raises(UsageError) as caught:
        load_bots(["a", "b"], file=path)
    assert [fault.where for fault in caught.value.faults] == [f"{path}, line 2", f"{path}, line 3"]


def test_a_name_never_shows_the_query_of_an_address() -> None:
    bot = load_bots(["http:https://example.org/bot?token=abc"])[0]
    assert bot.facts.name == "http:https://example.org/bot"
    assert "abc" not in repr(bot.facts)
    with pytest.raises(UsageError) as caught:
        load_bots(["http:https://me:hidden@example.org/bot"])
    assert "hidden" not in str(caught.value)


def test_a_kind_that_knows_nothing_of_entries_gets_their_name_and_limits(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(group: str, kind: str, option: str, context: BotContext) -> ScriptedBot:
        return ScriptedBot(name="of its own")

    monkeypatch.setattr(plugins, "build", build)
    bot = load_bots(["polite", "x=told"])
    assert [each.facts.name for each in bot] == ["polite", "x"]
    assert bot[0].facts.reports_intent

    async def held() -> str:
        reply = await (await bot[1].open("one")).say("hi")
        await bot[1].close()
        return reply.text

    assert asyncio.run(held()) == "Hello."


def test_kinds_and_entries_are_listed_each_with_a_line() -> None:
    # Kinds that are not installed are listed as well, with what they lack.
    lines = {line.name: line for line in list_bots()}
    assert {"scripted", "http", "openai", "python", "command", "staging", "polite", "told"} <= set(lines)
    assert all(line.summary for name, line in lines.items() if name in ("scripted", "http", "openai", "staging"))
    assert lines["staging"].kind == "http"
    assert "line 3" in lines["staging"].origin


def test_facts_of_an_entry_can_be_corrected_twice_without_harm() -> None:
    context = BotContext("x", entry={"limits": {"per_second": "none"}, "fallback": {"replies": "Sorry"}})
    once = entry_facts(context, BotFacts("y"))
    assert once == entry_facts(context, once)
    assert (once.name, once.limits.per_second, once.fallback.replies) == ("x", None, ("Sorry",))


# What is documented


DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "bots.md").read_text(encoding="utf-8")
# What a platform takes stands on its own page.
PLATFORMS = {page.stem: page.read_text(encoding="utf-8") for page in sorted((DOCS / "platforms").glob("*.md"))}


def test_every_entry_that_the_documentation_shows_is_right(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    for name in ("BOT_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "hidden")
    examples = re.findall(r"```yaml\n(bots:.*?)```", PAGE, re.DOTALL)
    found = []
    for example in examples:
        path = written(folder, example)
        found += load_bots(list(as_mapping(as_mapping(parse_yaml(example).value)["bots"])), file=path)
    assert [bot.facts.name for bot in found] == ["staging", "llm", "program"]


@pytest.mark.parametrize("kind", [kind for kind in PLATFORMS if kind in plugins.available(plugins.BOTS)])
def test_the_entries_of_a_platform_page_are_right(kind: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("ASSISTANT_APIKEY", "hidden")
    monkeypatch.setenv("AZURE_CONVERSATIONS_KEY", "hidden")
    # A page is right whether or not its engine is installed; another test may have done that.
    monkeypatch.setattr(nlpjs, "find_package", lambda package: folder)
    examples = re.findall(r"```yaml\n(bots:.*?)```", PLATFORMS[kind], re.DOTALL)
    assert examples
    for example in examples:
        names = list(as_mapping(as_mapping(parse_yaml(example).value)["bots"]))
        try:
            bots = load_bots(names, file=written(folder, example))
        except MissingPartError as error:
            pytest.skip(error.what)
        assert [bot.facts.name for bot in bots] == names


def test_every_kind_key_and_misbehaviour_is_documented() -> None:
    declared = list_connectors()
    missing = [
        (kind, key)
        for kind, connector in declared.items()
        for key in (*(connector.keys or ()), *COMMON_KEYS)
        if not any(written in PAGE + PLATFORMS.get(kind, "") for written in (f"`{key}`", f"{key}:"))
    ]
    assert missing == []
    assert [kind for kind, one in declared.items() if f"| `{kind}` | {one.reach} |" not in PAGE] == []
    assert [kind for kind in plugins.available(plugins.BOTS) if f"| `{kind}` |" not in PAGE] == []
    assert [mode for mode in scripted._MODES if mode not in PAGE] == []
    assert [status.value for status in Status if status.error and f"`{status.value}`" not in PAGE] == []
    assert len(BEHAVIOURS) == 17, "the page says how many"
    assert [name for name in BEHAVIOURS if f"`{name}`" not in (fakes.__doc__ or "")] == []


# Secrets


def test_variables_are_found_and_filled_in_anywhere() -> None:
    value = {"a": ["${X} and ${Y}", {"b": "${X}"}], "c": "$${X} $X {X}"}
    assert variables_of(value) == ["X", "Y"]
    assert fill_in(value, {"X": "1", "Y": "${X}"}) == {"a": ["1 and ${X}", {"b": "1"}], "c": "${X} $X {X}"}


def test_secrets_are_struck_out_of_every_kind_of_value() -> None:
    redactor = Redactor(["12345", "secret", "secret-and-more", "abc"])
    value = {"a secret": ["secret-and-more", 12345, 12.0, True, None], "b": {"c": "x123456"}}
    assert redactor.value(value) == {"a ***": ["***", "***", 12.0, True, None], "b": {"c": "x***6"}}
    assert redactor.text("abc") == "abc", "too short to be struck out"
    assert redactor.also(["more"]).text("more secret") == "*** ***"
    assert "secret" not in repr(redactor)
