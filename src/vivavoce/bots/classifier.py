"""Bots on platforms as classifiers of the intents exam: trained, asked and emptied over the network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from vivavoce.bots.asking import Answered, AskingPolicy, Pace, call_patiently
from vivavoce.bots.guard import addresses, limited_to
from vivavoce.bots.loops import run_to_end
from vivavoce.bots.platform import PlatformBot
from vivavoce.bots.registry import BOTS_FILE, list_bots, load_bots
from vivavoce.bots.training import RemoteIntent, Trainable, retrain
from vivavoce.errors import BotError, ClassifierError, UsageError, plural
from vivavoce.plugins import Declaration, declare
from vivavoce.records import NO_GUESS, Guess, Status

T = TypeVar("T")


class BotClassifier:
    """A bot that can be trained, as a classifier: `fit` and `guess`, and nex-cv's four methods.

    It holds one bot, so rounds of an exam run one after the other. `created` or deleted intents are trained when the
    bot is next asked. `texts_cut`: how many texts were longer than the platform takes.
    """

    def __init__(self, bot: Trainable, name: str = "") -> None:
        self.bot = bot
        self.name = name or bot.facts.name
        self._is_trained = True
        self._cut: set[str] = set()
        self._known: dict[str, RemoteIntent] = {}

    def __str__(self) -> str:
        return self.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of a result must know about the texts."""
        if not self._cut:
            return ()
        return (f"{plural(len(self._cut), 'text')} cut off because {self.bot.platform.title} limits their length",)

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Replace all topics of the bot by these examples and wait until it is trained."""
        topics: dict[str, list[str]] = {}
        for text, intent in zip(texts, intents, strict=True):
            topics.setdefault(intent, []).append(text)
        self._count_cut(texts, self.bot.platform.longest_example)
        self._run(retrain(self.bot, topics))
        self._is_trained = True

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the best guess for each text; no guess where the bot falls back."""
        return [ranking[0] if ranking else NO_GUESS for ranking in self._rank(texts)]

    def all_intents(self) -> list[str]:
        """Return the topics of the bot."""
        self._known = {intent.name: intent for intent in self._run(self.bot.list_intents())}
        return list(self._known)

    def create_intent(self, intent: str, examples: list[str]) -> None:
        """Create a topic; it is trained before the next question."""
        self._count_cut(examples, self.bot.platform.longest_example)
        self._run(self.bot.create_intent(intent, examples))
        self._is_trained = False

    def delete_intent(self, intent: str) -> None:
        """Delete a topic."""
        if intent not in self._known:
            self.all_intents()
        if (known := self._known.pop(intent, None)) is not None:
            self._run(self.bot.delete_intent(known))
            self._is_trained = False

    def classify(self, text: str) -> list[dict[str, Any]]:
        """Return the topics of a text, best first; nothing where the bot falls back."""
        return _as_rows(self._rank([text])[0])

    def classify_batch(self, texts: Sequence[str]) -> list[list[dict[str, Any]]]:
        """Return the topics of each text, asking several at once."""
        return [_as_rows(ranking) for ranking in self._rank(texts)]

    def _rank(self, texts: Sequence[str]) -> list[tuple[Guess, ...]]:
        self._count_cut(texts, self.bot.platform.longest_message)
        return self._run(self._ask_all(texts)) if texts else []

    async def _ask_all(self, texts: Sequence[str]) -> list[tuple[Guess, ...]]:
        if not self._is_trained:
            await self.bot.train()
            self._is_trained = True
        limits = self.bot.facts.limits
        policy = AskingPolicy(limits, Pace(limits), repeats_timeouts=True)
        # A platform refuses a message without words; it would not be asked in a chat either.
        tasks = [asyncio.create_task(self._ask(text, policy)) if text.strip() else None for text in texts]
        try:
            return [await task if task is not None else () for task in tasks]
        finally:
            for task in tasks:
                if task is not None:
                    task.cancel()

    async def _ask(self, text: str, policy: AskingPolicy) -> tuple[Guess, ...]:
        rankings: list[tuple[Guess, ...]] = []
        errors: list[BotError] = []

        async def once() -> Answered:
            try:
                rankings.append(await self.bot.classify(text))
            except BotError as error:
                errors.append(error)
                raise
            return Answered(Status.OK)

        answered = await call_patiently(once, policy, policy.limits.timeout_s, text)
        if answered.status is Status.OK:
            return rankings[-1]
        if errors and errors[-1].status == answered.status:
            raise errors[-1]
        raise ClassifierError(answered.error, where=self.name)

    def _count_cut(self, texts: Iterable[str], longest: int) -> None:
        self._cut.update(text for text in texts if longest and len(text) > longest)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something with the bot in an event loop of its own, and close its connections."""
        policy = addresses()

        async def run() -> T:
            with limited_to(policy):
                try:
                    return await work
                finally:
                    await self.bot.close()

        return run_to_end(run())


def _as_rows(ranking: Iterable[Guess]) -> list[dict[str, Any]]:
    return [{"intent_id": guess.intent, "confidence": guess.confidence} for guess in ranking]


def classifier_of(kind: str, title: str, option_is: str) -> Callable[[str], BotClassifier]:
    """Return the factory of a kind of bot as a classifier; its option is an entry of bots.yaml, or the bot's own."""

    # It uses credentials of this machine, and deletes and trains with them.
    @declare(Declaration(needs_option=True))
    def from_option(option: str = "") -> BotClassifier:
        if not option:
            raise UsageError(
                f"the classifier '{kind}' needs to know which bot to train",
                remedy=f"write {kind}:NAME, with an entry of {BOTS_FILE} or what `{kind}` takes as its option",
            )
        entries = [line.name for line in list_bots() if line.kind == kind and line.name != kind]
        [bot] = load_bots([option if option in entries else f"{kind}:{option}"])
        if not isinstance(bot, Trainable):
            raise UsageError(f"bots of kind '{kind}' cannot be trained", where=str(Path(BOTS_FILE)))
        elsewhere = bot.elsewhere if isinstance(bot, PlatformBot) else ""
        return BotClassifier(bot, f"{kind}:{option}" + (f" at {elsewhere}" if elsewhere else ""))

    from_option.__doc__ = f"{title}, trained over the network; option: a bot of yours or {option_is}."
    return from_option
