"""What can be trained over the network: intents are listed, created, deleted, trained and asked for.

Creating and deleting is kept back until `train`, so that a platform that takes whole projects (CLU) or batches
(Dialogflow) is used like one that takes intents one by one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

from vivavoce.bots.asking import Answered, AskingPolicy, Pace, call_patiently
from vivavoce.bots.declaration import flag
from vivavoce.bots.platform import Platform, PlatformBot, PlatformConversation, PlatformError, Trouble
from vivavoce.bots.protocol import BotFacts, Limits
from vivavoce.errors import BotError
from vivavoce.messages import say, say_count
from vivavoce.records import Guess, Reply, Status

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
MAX_POLL_S = 15.0
TIMEOUT_S = 900.0
POLL_S = 2.0
ERASE = say("use an empty bot, or set `training: {{erase: yes}}` in its entry so that its topics may be deleted")


def silent(stage: str, done: int, total: int) -> None:
    """Say nothing about progress."""


@dataclass(frozen=True, slots=True)
class NewIntent:
    """An intent to create: its name on the platform, its examples, and what the bot answers, where it answers."""

    written: str
    examples: tuple[str, ...]
    replies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteIntent:
    """An intent on a platform: its topic, the platform's own name of it, and whether vivavoce created it.

    `id` is empty where it is only going to be created.
    """

    name: str
    id: str = ""
    own: bool = True


@runtime_checkable
class Trainable(Protocol):
    """A bot whose topics can be changed. What fails raises a `BotError`; what was done until then is kept."""

    @property
    def facts(self) -> BotFacts:
        """What is known about the bot without asking it."""
        ...

    @property
    def platform(self) -> Platform:
        """What is known of its platform."""
        ...

    @property
    def may_erase(self) -> bool:
        """Whether topics may be deleted that vivavoce did not create."""
        ...

    async def list_intents(self) -> tuple[RemoteIntent, ...]:
        """Return the intents as they will be after `train`, without those that belong to the platform."""
        ...

    async def create_intent(self, name: str, examples: Sequence[str], replies: Sequence[str] = ()) -> None:
        """Create an intent with what the bot answers; the platform may be told only in `train`."""
        ...

    async def delete_intent(self, intent: RemoteIntent) -> None:
        """Delete an intent; the platform may be told only in `train`."""
        ...

    async def train(self, progress: Progress = silent) -> None:
        """Tell the platform all changes, start the training and wait until it is ready."""
        ...

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return what the bot takes a message for, best first; nothing where it falls back."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class TrainableBot(PlatformBot):
    """The training that connectors share. A connector defines the six methods that raise NotImplementedError here.

    One that takes batches defines `apply` instead of `add_intent` and `remove_intent`.
    """

    def __init__(self, *arguments: object, **more: object) -> None:
        super().__init__(*arguments, **more)  # type: ignore[arg-type]
        self._creating: dict[str, NewIntent] = {}
        self._deleting: dict[str, RemoteIntent] = {}
        # Names that are too long for the platform, by how they are written there.
        self._names: dict[str, str] = {}

    # What a connector defines

    async def reply(self, session: str, text: str) -> Reply:
        """Send a message of a conversation and read the reply."""
        raise NotImplementedError

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents on the platform, all pages of them, by `self.remote`."""
        raise NotImplementedError

    async def add_intent(self, intent: NewIntent) -> None:
        """Create an intent."""
        raise NotImplementedError

    async def remove_intent(self, intent: RemoteIntent) -> None:
        """Delete an intent."""
        raise NotImplementedError

    async def start_training(self) -> object:
        """Begin the training and return what `is_ready` needs to follow it."""
        raise NotImplementedError

    async def is_ready(self, job: object) -> bool:
        """Tell whether the training has ended; raise where it failed."""
        raise NotImplementedError

    # What they share

    async def open(self, session: str) -> PlatformConversation:
        """Begin a conversation; the platform learns of it with the first message."""
        return PlatformConversation(partial(self.reply, session))

    @property
    def may_erase(self) -> bool:
        """Whether topics may be deleted that vivavoce did not create."""
        part = self._raw.get("training")
        return isinstance(part, Mapping) and flag(part.get("erase", "no"))

    def remote(self, written: str, id: str) -> RemoteIntent:
        """Return an intent by its name on the platform."""
        return RemoteIntent(self.topic(written), id, self.platform.names.owns(written))

    def topic(self, written: str) -> str:
        """Return the topic of a name on the platform."""
        return self._names.get(written) or self.platform.names.decode(written)

    async def list_intents(self) -> tuple[RemoteIntent, ...]:
        """Return the intents as they will be after `train`, without those that belong to the platform."""
        left = [each for each in await self.patiently(self.fetch_intents) if each.id not in self._deleting]
        return (*left, *map(RemoteIntent, self._creating))

    async def create_intent(self, name: str, examples: Sequence[str], replies: Sequence[str] = ()) -> None:
        """Create an intent with the next training."""
        written = self.platform.names.encode(name)
        # A name that is too long cannot be read back from what is written.
        self._names[written] = name
        longest = self.platform.longest_example or None
        cut = dict.fromkeys(text[:longest] for text in examples if text.strip())
        self._creating[name] = NewIntent(written, tuple(cut), tuple(replies))

    async def delete_intent(self, intent: RemoteIntent) -> None:
        """Delete an intent with the next training; refuse one that vivavoce did not create without leave."""
        if not (intent.own or self.may_erase):
            raise PlatformError(
                say("vivavoce did not create the topic '{name}'", name=intent.name),
                trouble=Trouble.FOREIGN,
                where=self.facts.name,
                remedy=ERASE,
            )
        if intent.id:
            self._deleting[intent.id] = intent
        else:
            self._creating.pop(intent.name, None)

    async def train(self, progress: Progress = silent) -> None:
        """Tell the platform all changes, start the training and wait until it is ready."""
        creates = bool(self._creating)
        await self.apply(progress)
        self._creating.clear()
        self._deleting.clear()
        if not creates and not await self.list_intents():
            # Platforms refuse to train a bot without topics.
            return
        job = await self.patiently(self.start_training)
        await self.wait_for(partial(self.is_ready, job), progress)

    async def apply(self, progress: Progress) -> None:
        """Tell the platform all changes, one by one; after a failure the next training goes on where it stopped."""
        total = len(self._deleting) + len(self._creating)
        for id, intent in list(self._deleting.items()):
            await self.patiently(partial(self.remove_intent, intent), done=Trouble.MISSING)
            del self._deleting[id]
            progress("deleting topics", total - len(self._deleting) - len(self._creating), total)
        for name, new in list(self._creating.items()):
            await self.patiently(partial(self.add_intent, new), done=Trouble.EXISTS)
            del self._creating[name]
            progress("creating topics", total - len(self._deleting) - len(self._creating), total)

    def build_failure(self, detail: str) -> PlatformError:
        """Return the error of a job that the platform began and could not do."""
        what = say("the platform failed: {detail}", detail=detail)
        return self.failure(what, trouble=Trouble.FAILED)

    async def patiently(self, call: Callable[[], Awaitable[T]], *, done: str = Trouble.OTHER) -> T:
        """Do something at the pace of the platform's editing, and again where that may help; never one in another.

        `done`: the trouble that a further attempt meets if the one before did its work but was not heard.
        """
        results: list[T] = []
        errors: list[BotError] = []

        async def once() -> Answered:
            try:
                results.append(await call())
            except BotError as error:
                errors.append(error)
                if done and len(errors) > 1 and isinstance(error, PlatformError) and error.trouble == done:
                    return Answered(Status.OK)
                raise
            return Answered(Status.OK)

        limits = self.platform.edits
        policy = AskingPolicy(limits, self._pace(limits), repeats_timeouts=True)
        answered = await call_patiently(once, policy, limits.timeout_s, self.facts.name)
        if answered.status is Status.OK:
            return results[0] if results else None  # type: ignore[return-value] # what was done needs no result
        if errors and errors[-1].status == answered.status:
            raise errors[-1]
        raise self.failure(answered.error, status=answered.status)

    def _pace(self, limits: Limits) -> Pace:
        """Return one pace for each event loop: the places that it gives belong to one."""
        loop = asyncio.get_running_loop()
        if getattr(self, "_edit_loop", None) is not loop:
            self._edit_loop, self._edit_pace = loop, Pace(limits)
        return self._edit_pace

    async def wait_for(self, is_ready: Callable[[], Awaitable[bool]], progress: Progress = silent) -> None:
        """Ask again and again, less and less often, until it is ready; raise after the entry's time limit."""
        limit, pause = self.setting("timeout_s", TIMEOUT_S), self.setting("poll_s", POLL_S)
        waited = 0.0
        while not await self.patiently(is_ready):
            if waited >= limit:
                raise self.failure(
                    say("training did not finish within {limit:g} s", limit=limit),
                    trouble=Trouble.NOT_TRAINED,
                    status=Status.TIMEOUT,
                    remedy=say("raise `training: {{timeout_s: ...}}` in the bot's entry"),
                )
            progress("training", int(waited), int(limit))
            await asyncio.sleep(pause)
            waited += max(pause, 0.001)
            pause = min(pause * 1.5, MAX_POLL_S) if pause else 0.0

    def message(self, text: str) -> str:
        """Return a message as the platform takes it: cut off where it is too long, as a chat window would."""
        return text[: self.platform.longest_message or None]


@dataclass(frozen=True, slots=True)
class CleanUp:
    """What a clean-up would delete, and what it would leave because vivavoce did not create it."""

    delete: tuple[RemoteIntent, ...]
    keep: tuple[RemoteIntent, ...]


async def plan_clean_up(bot: Trainable) -> CleanUp:
    """Return what a clean-up would delete: what vivavoce created, all if the entry allows it. Nothing changes."""
    intents, all_of_them = await bot.list_intents(), bot.may_erase
    return CleanUp(
        tuple(each for each in intents if each.own or all_of_them),
        tuple(each for each in intents if not (each.own or all_of_them)),
    )


async def clean_up(bot: Trainable, plan: CleanUp, progress: Progress = silent) -> None:
    """Delete what the plan names and train what is left."""
    for intent in plan.delete:
        await bot.delete_intent(intent)
    if plan.delete:
        await bot.train(progress)


async def retrain(bot: Trainable, topics: Mapping[str, Sequence[str]], *, progress: Progress = silent) -> None:
    """Replace all topics of a bot by these; refuse a bot with topics that vivavoce did not create."""
    intents = await bot.list_intents()
    foreign = [each.name for each in intents if not each.own]
    if foreign and not bot.may_erase:
        raise PlatformError(
            say_count(
                len(foreign),
                "it has {n} topic that vivavoce did not create, such as '{name}'",
                "it has {n} topics that vivavoce did not create, such as '{name}'",
                name=foreign[0],
            ),
            trouble=Trouble.FOREIGN,
            where=bot.facts.name,
            remedy=ERASE,
        )
    for intent in intents:
        await bot.delete_intent(intent)
    for name, examples in topics.items():
        await bot.create_intent(name, examples)
    await bot.train(progress)
