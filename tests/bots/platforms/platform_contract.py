"""What every connector to a platform that can be trained promises, to be run against its local server.

Subclass `PlatformContract`, set `kind`, and give the fixtures `server` (a running `LocalPlatform`) and `entry` (the
keys of bots.yaml for it, secrets as `${BOT_SECRET}`). What a platform cannot do is said by the attributes below.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from local_platform import LocalPlatform

from vivavoce.bots import Limits, check_bot, entry_problems, load_entry
from vivavoce.bots.classifier import BotClassifier
from vivavoce.bots.platform import PlatformError, Trouble
from vivavoce.bots.training import Trainable, TrainableBot, clean_up, plan_clean_up, retrain
from vivavoce.errors import BotError
from vivavoce.records import Reply, Status

T = TypeVar("T")
TOPICS = {
    "card_arrival": ["where is my new card", "my card has not arrived yet", "when will the card arrive"],
    "reverted_card_payment?": ["my payment was reverted", "why was the payment taken back", "reverted card payment"],
    "Exchange rate: EUR & USD": ["what is the exchange rate", "which rate do you use for euro", "rate of dollars"],
}
SENTENCES = {
    "where is my card": "card_arrival",
    "why was my payment reverted": "reverted_card_payment?",
    "what is the rate for dollars": "Exchange rate: EUR & USD",
}
UNRELATED = "quantum chromodynamics lattice"
SECRET = "BOT_SECRET"  # noqa: S105 - the name of a variable


def run(bot: Trainable, work: Callable[[], Awaitable[T]]) -> T:
    async def done() -> T:
        try:
            return await work()
        finally:
            await bot.close()

    return asyncio.run(done())


SUITE = {
    "format": "1",
    "suite": "cards",
    "scenarios": [
        {
            "id": "card-01",
            "level": "basic",
            "turns": [
                {"user": "where is my new card", "expect": "card_arrival"},
                {"user": UNRELATED, "expect": "fallback"},
            ],
        }
    ],
}


def call_viva(*words: str) -> str:
    """Call the command; return what it shows."""
    from typer.testing import CliRunner

    from vivavoce.cli.app import app

    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.output


def train_and_ask(kind: str, entry: dict[str, Any], server: LocalPlatform, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a connector make every kind of request that it makes."""
    monkeypatch.setenv(SECRET, server.secret)
    bot = load_entry("mine", {"kind": kind, **entry, "training": {"poll_s": "0"}})
    assert isinstance(bot, TrainableBot)
    monkeypatch.setattr(type(bot), "platform", replace(bot.platform, edits=Limits()))
    run(bot, lambda: retrain(bot, {"a?": ["good morning"], "b": ["good evening"]}))
    run(bot, lambda: retrain(bot, {"c": ["good night"]}))
    BotClassifier(bot).guess(["good night"])

    async def talk() -> None:
        await (await bot.open("viva-0123456789abcdef")).say("good night")

    run(bot, talk)


class PlatformContract:
    """Properties that hold for each connector. `holds_foreign`: a bot can hold intents of others beside ours."""

    kind = ""
    # How a creation and a single question look on the wire (patterns of `METHOD path?query`).
    creates = "POST"
    asks = "POST"
    # How many creations go into one call: one at a time, or all.
    creates_all_at_once = False
    holds_foreign = True
    reports_confidence = True

    @pytest.fixture(autouse=True)
    def _no_waiting(self, monkeypatch: pytest.MonkeyPatch, server: LocalPlatform) -> None:
        monkeypatch.setenv(SECRET, server.secret)
        monkeypatch.setattr("vivavoce.bots.asking.wait_before", lambda *_: 0.0)

    @pytest.fixture
    def bot(self, entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[TrainableBot]:
        bot = self.build(entry)
        unpaced = replace(bot.platform, edits=replace(bot.platform.edits, per_second=None))
        monkeypatch.setattr(type(bot), "platform", unpaced)
        bot.facts = replace(bot.facts, limits=replace(bot.facts.limits, per_second=None))
        yield bot
        asyncio.run(bot.close())

    def build(self, entry: dict[str, Any]) -> TrainableBot:
        bot = load_entry(
            "mine", {"kind": self.kind, **entry, "training": {"poll_s": "0", **entry.get("training", {})}}
        )
        assert isinstance(bot, TrainableBot)
        return bot

    def erasing(self, entry: dict[str, Any]) -> dict[str, Any]:
        return {**entry, "training": {"erase": "yes"}}

    def say(self, bot: TrainableBot, *texts: str) -> list[Reply]:
        async def talk() -> list[Reply]:
            conversation = await bot.open("viva-0123456789abcdef")
            try:
                return [await conversation.say(text) for text in texts]
            finally:
                await conversation.close()

        return run(bot, talk)

    # What it declares

    def test_the_entry_is_valid_and_the_bot_is_trainable(self, bot: TrainableBot, entry: dict[str, Any]) -> None:
        assert entry_problems("mine", {"kind": self.kind, **entry}) == ()
        assert isinstance(bot, Trainable)
        assert bot.facts.reports_intent

    def test_it_keeps_the_contract_of_all_bots(self, bot: TrainableBot) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        report = check_bot(bot)
        assert [check for check in report.checks if not check.passed] == []

    # Training

    def test_it_learns_topics_of_any_name_and_finds_them_again(self, bot: TrainableBot) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        listed = run(bot, bot.list_intents)
        assert sorted(intent.name for intent in listed) == sorted(TOPICS)
        assert all(intent.own and intent.id for intent in listed)
        guesses = BotClassifier(bot).guess(list(SENTENCES))
        assert [guess.intent for guess in guesses] == list(SENTENCES.values())
        assert all(0 < guess.confidence <= 1 for guess in guesses)

    def test_another_process_reads_the_same_topics(self, bot: TrainableBot, entry: dict[str, Any]) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        other = self.build(entry)
        assert sorted(intent.name for intent in run(other, other.list_intents)) == sorted(TOPICS)
        assert [guess.intent for guess in BotClassifier(other).guess(list(SENTENCES))] == list(SENTENCES.values())

    def test_a_fallback_is_no_guess(self, bot: TrainableBot) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        [guess] = BotClassifier(bot).guess([UNRELATED])
        assert (guess.intent, guess.confidence) == (None, 0.0)

    def test_training_forgets_what_was_there_before(self, bot: TrainableBot, server: LocalPlatform) -> None:
        run(bot, lambda: retrain(bot, {"old": ["where is my card"], "older": ["good morning"]}))
        run(bot, lambda: retrain(bot, TOPICS))
        assert len(server.intent_names()) == len(TOPICS)
        assert [guess.intent for guess in BotClassifier(bot).guess(list(SENTENCES))] == list(SENTENCES.values())

    def test_it_waits_until_the_training_has_ended(self, bot: TrainableBot, server: LocalPlatform) -> None:
        server.polls_until_ready = 4
        stages: list[str] = []
        run(bot, lambda: retrain(bot, TOPICS, progress=lambda stage, *_: stages.append(stage)))
        assert "training" in stages
        assert BotClassifier(bot).guess(["where is my card"])[0].intent == "card_arrival"

    def test_a_training_that_never_ends_is_an_error(
        self, bot: TrainableBot, entry: dict[str, Any], server: LocalPlatform
    ) -> None:
        server.polls_until_ready = 10_000
        bot = self.build({**entry, "training": {"timeout_s": "0.01"}})
        with pytest.raises(PlatformError, match="timeout_s") as caught:
            run(bot, lambda: retrain(bot, {"a": ["hello there", "good morning"]}))
        assert caught.value.trouble == Trouble.NOT_TRAINED

    def test_nexcvs_own_test_passes(self, bot: TrainableBot) -> None:
        from vivavoce.nexcv.classifiers import further_violations, round_violations

        classifier = BotClassifier(bot)
        assert round_violations(classifier) == []
        assert further_violations(classifier) == []

    def test_nexcvs_four_methods_work_one_by_one(self, bot: TrainableBot) -> None:
        classifier = BotClassifier(bot)
        for name, examples in TOPICS.items():
            classifier.create_intent(name, examples)
        assert classifier.classify("where is my card")[0]["intent_id"] == "card_arrival"
        classifier.delete_intent("card_arrival")
        assert sorted(classifier.all_intents()) == sorted(set(TOPICS) - {"card_arrival"})
        assert all(row["intent_id"] != "card_arrival" for row in classifier.classify("where is my card"))

    # Whose topics they are

    def test_a_bot_of_others_is_refused_and_nothing_is_deleted(
        self, bot: TrainableBot, server: LocalPlatform
    ) -> None:
        server.add_foreign_intent("booking")
        with pytest.raises(PlatformError, match="booking") as caught:
            run(bot, lambda: retrain(bot, TOPICS))
        assert caught.value.trouble == Trouble.FOREIGN
        assert "erase" in caught.value.remedy
        assert server.intent_names() == ["booking"]

    def test_a_bot_of_others_is_used_when_its_entry_allows_it(
        self, bot: TrainableBot, entry: dict[str, Any], server: LocalPlatform
    ) -> None:
        server.add_foreign_intent("booking")
        bold = self.build(self.erasing(entry))
        run(bold, lambda: retrain(bold, TOPICS))
        assert "booking" not in server.intent_names()
        assert len(server.intent_names()) == len(TOPICS)

    def test_a_clean_up_says_first_what_it_deletes_and_leaves_what_others_made(
        self, bot: TrainableBot, server: LocalPlatform
    ) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        if self.holds_foreign:
            server.add_foreign_intent("booking")
        before = server.intent_names()
        plan = run(bot, lambda: plan_clean_up(bot))
        assert sorted(intent.name for intent in plan.delete) == sorted(TOPICS)
        assert server.intent_names() == before, "a plan changes nothing"
        run(bot, lambda: clean_up(bot, plan))
        assert server.intent_names() == (["booking"] if self.holds_foreign else [])

    # Talking

    def test_replies_tell_topic_confidence_and_fallback(self, bot: TrainableBot) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        known, unknown = self.say(bot, "where is my new card", UNRELATED)
        assert (known.intent, known.fallback) == ("card_arrival", False)
        assert (known.confidence is not None) == self.reports_confidence
        assert (unknown.intent, unknown.fallback, unknown.confidence) == (None, True, None)
        assert json.dumps(known.raw)

    # What goes wrong

    def test_throttling_and_failing_servers_are_waited_for(self, bot: TrainableBot, server: LocalPlatform) -> None:
        server.fail("throttled", on=self.creates, times=2)
        server.fail("unavailable", on=self.creates)
        run(bot, lambda: retrain(bot, TOPICS))
        server.fail("throttled", on=self.asks, times=2)
        assert [guess.intent for guess in BotClassifier(bot).guess(list(SENTENCES))] == list(SENTENCES.values())
        assert not server.faults, "each fault was met"

    def test_a_throttled_message_says_how_long_to_wait(self, bot: TrainableBot, server: LocalPlatform) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        server.fail("throttled", on=self.asks)
        with pytest.raises(BotError) as caught:
            self.say(bot, "where is my card")
        assert (caught.value.status, caught.value.retry_after) == (Status.RATE_LIMITED, 0.0)

    @pytest.mark.parametrize("trouble", [Trouble.CREDENTIALS, Trouble.RIGHTS, Trouble.MISSING])
    def test_each_trouble_has_its_remedy(self, bot: TrainableBot, server: LocalPlatform, trouble: Trouble) -> None:
        run(bot, lambda: retrain(bot, TOPICS))
        # Twice: an expired token is renewed once before it is reported.
        server.fail(trouble, on=self.asks, times=2)
        with pytest.raises(PlatformError) as caught:
            self.say(bot, "where is my card")
        assert (caught.value.trouble, caught.value.status) == (trouble, Status.REFUSED)
        assert caught.value.remedy == bot.platform.remedy(trouble)

    def test_after_a_failure_half_way_the_training_goes_on(self, bot: TrainableBot, server: LocalPlatform) -> None:
        tries = bot.platform.edits.retries + 1
        run(bot, lambda: retrain(bot, {"old": ["good morning"]}))
        original, created = server.reply, 0

        def reply(call: Any) -> Any:
            nonlocal created
            answered = original(call)
            if re.search(self.creates, f"{call.method} {call.target}"):
                created += 1
                if created == 1 and not self.creates_all_at_once:
                    server.fail("unavailable", on=self.creates, times=tries)
            return answered

        server.reply = reply  # type: ignore[method-assign]
        if self.creates_all_at_once:
            server.fail("unavailable", on=self.creates, times=tries)
        with pytest.raises(BotError) as caught:
            run(bot, lambda: retrain(bot, TOPICS))
        assert caught.value.status == Status.SERVER_ERROR
        run(bot, bot.train)
        assert sorted(intent.name for intent in run(bot, bot.list_intents)) == sorted(TOPICS)
        assert len(server.intent_names()) == len(TOPICS), "nothing was created twice"

    def test_secrets_are_shown_nowhere(
        self, bot: TrainableBot, server: LocalPlatform, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        run(bot, lambda: retrain(bot, TOPICS))
        replies = self.say(bot, f"my key is {self.secrets(server)[-1]}", "where is my card")
        shown = [repr(replies), json.dumps([asdict(reply) for reply in replies]), json.dumps(asdict(bot.facts))]
        server.fail("leak", on=self.asks)
        with pytest.raises(BotError) as caught:
            self.say(bot, "where is my card")
        shown += [str(caught.value), repr(caught.value.__cause__), repr(bot), caplog.text]
        assert "***" in str(caught.value), "the platform did send the secret back"
        for secret in self.secrets(server):
            assert all(secret not in text for text in shown)

    def test_it_is_examined_by_one_command_and_no_file_holds_a_secret(
        self, bot: TrainableBot, entry: dict[str, Any], server: LocalPlatform, tmp_path: Path, monkeypatch: Any
    ) -> None:
        monkeypatch.chdir(tmp_path)
        lines = [{"text": text, "intent": topic} for topic, texts in TOPICS.items() for text in texts]
        (tmp_path / "faq.json").write_text(json.dumps(lines))
        own = {"kind": self.kind, **entry, "training": {"poll_s": "0"}}
        (tmp_path / "bots.yaml").write_text(json.dumps({"bots": {"mine": own}}))
        (tmp_path / "suite.yaml").write_text(json.dumps(SUITE))
        run(bot, lambda: retrain(bot, TOPICS))
        talk = ["conversations", "run", "suite.yaml", "--bot", "mine", "--record", "talk", "--html", "talk.html"]
        shown = call_viva(*talk, "--json", "talk.json")
        [cell] = [each for each in json.loads((tmp_path / "talk.json").read_text())["cells"] if each["level"]]
        assert (cell["turns"], cell["accuracy"]["value"]) == (2, 1.0)
        exam = ["intents", "examine", "faq.json", "-c", f"{self.kind}:mine", "--setting", "0,0.3", "--retries", "2"]
        outputs = ["--json", "exam.json", "--html", "exam.html", "--record", "exam.record"]
        shown += call_viva(*exam, *outputs)
        [setting] = json.loads((tmp_path / "exam.json").read_text())["settings"]
        assert setting["accuracy"]["n"] > 0
        assert not bot.platform.domain or f"{self.kind}:mine at 127.0.0.1" in shown, "not taken for the vendor's"
        texts = [
            shown,
            *(path.read_bytes().decode("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()),
        ]
        for secret in self.secrets(server):
            assert all(secret not in text for text in texts)

    def secrets(self, server: LocalPlatform) -> list[str]:
        """Return what must never be seen: the secret, and tokens that were got with it."""
        return [server.secret]
