"""What all platforms share: names that come back, tokens, secrets of the machine, what a classifier needs to know."""

from __future__ import annotations

import asyncio
import json
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.bots import load_entry
from vivavoce.bots.classifier import BotClassifier
from vivavoce.bots.clu import PLATFORM as CLU
from vivavoce.bots.dialogflow import PLATFORM as DIALOGFLOW
from vivavoce.bots.dialogflow_cx import PLATFORM as CX
from vivavoce.bots.lex import PLATFORM as LEX
from vivavoce.bots.names import NameRule
from vivavoce.bots.platform import Platform, PlatformError, RenewedToken, Trouble
from vivavoce.bots.registry import entry_variables
from vivavoce.bots.training import RemoteIntent, TrainableBot
from vivavoce.bots.watson import PLATFORM as WATSON
from vivavoce.errors import InputError, UsageError
from vivavoce.intents.exam import load_classifier
from vivavoce.records import Guess, Status
from vivavoce.web.pages.bots.form import entry_of, field_names, values_of
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults

PATTERNS = {
    "lex": (LEX, r"([0-9a-zA-Z][_-]?){1,100}"),
    "watson": (WATSON, r"(?!sys-)[\w.-]{1,128}"),
    "clu": (CLU, r"[^:$&%*()+~#/?]{1,50}"),
    "dialogflow": (DIALOGFLOW, r"(?s).{1,100}"),
    "dialogflow-cx": (CX, r"(?s).{1,64}"),
}
# How each platform is named in an entry that says nothing about credentials.
PLACES: dict[str, dict[str, str]] = {
    "dialogflow": {"project": "p"},
    "dialogflow-cx": {"project": "p", "agent": "a"},
    "lex": {"bot_id": "ABCDEFGHIJ", "region": "eu-west-1"},
    "watson": {"url": "https://example.org", "workspace_id": "w"},
    "clu": {"endpoint": "https://example.org", "project": "p"},
}
TOPICS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@pytest.mark.parametrize("kind", PATTERNS)
@given(name=st.one_of(TOPICS, st.text("aX_-?3F0x", min_size=1, max_size=9)))
def test_every_name_is_taken_and_comes_back(kind: str, name: str) -> None:
    platform, pattern = PATTERNS[kind]
    written = platform.names.encode(name)
    assert re.fullmatch(pattern, written), written
    if len(name) <= 4:
        assert platform.names.decode(written) == name


@given(st.sets(TOPICS, min_size=2, max_size=5))
def test_different_names_stay_different(names: set[str]) -> None:
    assert len({LEX.names.encode(name) for name in names}) == len(names)


def test_a_name_that_is_too_long_ends_in_a_checksum_and_is_remembered() -> None:
    rule = NameRule(longest=30)
    one, other = (rule.encode("balance_not_updated_after_" + end) for end in ("cheque", "cash"))
    assert one != other
    assert len(one) <= 30
    assert rule.owns(one)


def test_names_that_others_gave_are_left_as_they_are() -> None:
    assert LEX.names.decode("bookX3FXing") == "bookX3FXing"
    assert not LEX.names.owns("booking")


def test_a_token_is_fetched_again_before_it_ends_and_when_it_was_refused() -> None:
    fetched: list[str] = []

    async def fetch() -> tuple[str, float]:
        fetched.append(f"token-{len(fetched)}")
        return fetched[-1], 3600.0 if len(fetched) > 1 else 30.0

    async def use() -> list[str]:
        token = RenewedToken(fetch)
        assert not token.forget()
        used = [await token.get(), await token.get(), await token.get()]
        assert token.forget()
        return [*used, await token.get()]

    assert asyncio.run(use()) == ["token-0", "token-1", "token-1", "token-2"]


@pytest.mark.parametrize("kind", PLACES)
def test_an_entry_without_credentials_is_known_to_use_those_of_the_machine(kind: str) -> None:
    variables = entry_variables({"kind": kind, **PLACES[kind]})
    assert variables, "a server refuses such an entry unless its settings allow these variables"


@pytest.mark.parametrize("kind", PLACES)
def test_an_entry_with_empty_credentials_uses_nothing_of_the_machine(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever may write an entry on a server could else use the server's own accounts."""
    secret = "of-the-machine-itself"  # noqa: S105
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "ASSISTANT_APIKEY", "AZURE_CONVERSATIONS_KEY"):
        monkeypatch.setenv(name, secret)
    profile = tmp_path / "credentials"
    profile.write_text(f"[default]\naws_access_key_id = x\naws_secret_access_key = {secret}\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(profile))
    key = tmp_path / "key.json"
    key.write_text(json.dumps({"type": "authorized_user", "refresh_token": secret}))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key))
    monkeypatch.setattr("vivavoce.bots.google.GCLOUD_FILE", key)
    names = ("credentials", "access_key_id", "secret_access_key", "session_token", "api_key")
    entry: dict[str, object] = {"kind": kind, **PLACES[kind]}
    from vivavoce.bots.declaration import find_connector

    entry |= {option.name: "" for option in find_connector(kind).options or () if option.name in names}
    assert entry_variables(entry) == ()
    with pytest.raises((InputError, PlatformError)):
        asyncio.run(_use(load_entry("mine", entry)))


async def _use(bot: Any) -> None:
    try:
        bot.entry  # noqa: B018 - reads the credentials
    finally:
        await bot.close()


@pytest.mark.parametrize("kind", PLACES)
def test_an_entry_made_with_the_form_works_on_a_server_with_variables_for_bots(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "credentials": "BOT_KEY",
        "access_key_id": "BOT_ID",
        "secret_access_key": "BOT_KEY",
        "api_key": "BOT_KEY",
    }
    values = {**PLACES[kind], **{name: text for name, text in secrets.items() if name in field_names(kind)}}
    entry = entry_of(kind, values, {})
    assert entry_faults("mine", entry, BotRules()) == ()
    assert values_of(kind, entry).items() >= values.items()
    without = entry_of(kind, PLACES[kind], {})
    assert entry_variables(without) == (), "what is left empty is not taken from the server"


@pytest.mark.parametrize("kind", PLACES)
def test_what_is_missing_is_said_all_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_CLOUD_PROJECT", "AWS_REGION", "AWS_DEFAULT_REGION", "ASSISTANT_URL", "ASSISTANT_APIKEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AZURE_CONVERSATIONS_ENDPOINT", "AZURE_CONVERSATIONS_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError) as caught:
        load_entry("mine", {"kind": kind})
    least = {"dialogflow": 1, "dialogflow-cx": 2, "lex": 2, "watson": 2, "clu": 3}
    assert len([fault for fault in caught.value.faults if "set `" in fault.message]) == least[kind]


def test_a_region_that_does_not_exist_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"kind": "lex", "bot_id": "ABCDEFGHIJ", "region": "eu-nowhere-9", "base_url": "http://127.0.0.1:9"}
    bot = load_entry("mine", {**entry, "access_key_id": "AKIA", "secret_access_key": "secret"})
    assert isinstance(bot, TrainableBot)

    async def ask() -> None:
        try:
            await bot.fetch_intents()
        finally:
            await bot.close()

    with pytest.raises(PlatformError) as caught:
        asyncio.run(ask())
    assert caught.value.status == Status.UNREACHABLE
    assert "region" in caught.value.remedy


def test_an_error_keeps_its_trouble_between_processes() -> None:
    error = PlatformError("no", trouble=Trouble.RIGHTS, status=Status.REFUSED, where="mine", remedy="ask")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (copy.trouble, copy.status, str(copy)) == (Trouble.RIGHTS, Status.REFUSED, str(error))


def test_a_classifier_needs_to_know_which_bot_to_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="lex:NAME"):
        load_classifier("lex")
    (tmp_path / "bots.yaml").write_text("bots: {mine: {kind: lex, bot_id: ABCDEFGHIJ, region: eu-west-1}}")
    assert [load_classifier(name).name for name in ("lex:mine",)] == ["lex:mine"]
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert load_classifier("lex:KLMNOPQRST").bot.facts.about.startswith("Amazon Lex V2, bot KLMNOPQRST")  # type: ignore[union-attr]


class ShortBot:
    """A bot in this process that takes texts of three letters."""

    may_erase = False
    platform = Platform("Short", "", "", "", longest_example=3, longest_message=3)

    def __init__(self) -> None:
        from vivavoce.bots import BotFacts

        self.facts = BotFacts("short")
        self.topics: dict[str, Sequence[str]] = {}
        self.trained = 0

    async def list_intents(self) -> tuple[RemoteIntent, ...]:
        return tuple(RemoteIntent(name, name) for name in self.topics)

    async def create_intent(self, name: str, examples: Sequence[str], replies: Sequence[str] = ()) -> None:
        self.topics[name] = examples

    async def delete_intent(self, intent: RemoteIntent) -> None:
        del self.topics[intent.name]

    async def train(self, progress: Any = None) -> None:
        self.trained += 1

    async def classify(self, text: str) -> tuple[Guess, ...]:
        assert text.strip(), "a message without words is never sent"
        return (Guess(text[0], 0.9),)

    async def close(self) -> None:
        """Nothing is held."""


def test_texts_that_are_cut_off_are_told_and_empty_ones_are_never_sent() -> None:
    classifier = BotClassifier(ShortBot())
    classifier.fit(["abc", "abcdef"], ["a", "b"])
    assert [guess.intent for guess in classifier.guess(["bcd", "  ", "cdefg", ""])] == ["b", None, "c", None]
    assert classifier.notes == ("2 texts cut off because Short limits their length",)


def test_what_was_created_is_trained_once_before_the_next_question() -> None:
    bot = ShortBot()
    classifier = BotClassifier(bot)
    classifier.create_intent("a", ["a"])
    classifier.create_intent("b", ["b"])
    assert bot.trained == 0
    assert classifier.classify_batch(["a", "b"]) == [[{"intent_id": each, "confidence": 0.9}] for each in "ab"]
    assert bot.trained == 1


def test_a_classifier_works_where_an_event_loop_runs_already() -> None:
    async def notebook() -> list[Guess]:
        return BotClassifier(ShortBot()).guess(["abc"])

    assert asyncio.run(notebook()) == [Guess("a", 0.9)]
