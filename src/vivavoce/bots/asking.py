"""Messages to a bot: paced, timed, tried again where that may help. Whatever happens, there is a status."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from vivavoce.bots.protocol import Bot, Conversation, Limits
from vivavoce.bots.shapes import check_reply
from vivavoce.errors import BotError, VivaError
from vivavoce.records import Reply, Status
from vivavoce.retries import MAX_PATIENCE_S, wait_before


@dataclass
class Allowance:
    """How many messages may still be sent, over all bots; None: any number. `refused`: somebody had to go without."""

    left: int | None = None
    refused: bool = False

    def take(self, messages: int) -> bool:
        """Set messages aside; refused where there are not enough."""
        if self.left is None:
            return True
        if messages > self.left:
            self.refused = True
            return False
        self.left -= messages
        return True

    def give_back(self, messages: int) -> None:
        """Return what was set aside and not sent."""
        if self.left is not None:
            self.left += messages


class Pacing(Protocol):
    """What lets messages to one bot through: in this process (`Pace`), or for several processes together."""

    turned_away: float | None

    def turn(self, *, message: bool = True) -> AbstractAsyncContextManager[None]:
        """Return what is entered while a message (or an opening) is on its way; entering may wait."""
        ...

    def slow_down(self, seconds: float) -> None:
        """Ask less, because the bot said so."""
        ...

    def succeed(self) -> None:
        """Note that a message got through."""
        ...


class Pace:
    """Lets messages to one bot through. Waiting here is never part of a response time.

    `turned_away`: the seconds that the bot asked to be left alone, where that is more than anyone waits.
    """

    def __init__(self, limits: Limits) -> None:
        self._most = limits.at_once
        self._allowed = float(limits.at_once)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._gap = 1 / limits.per_second if limits.per_second else 0.0
        self._next = 0.0
        self.turned_away: float | None = None

    @property
    def allowed(self) -> int:
        """How many messages may be on their way at the moment."""
        return int(self._allowed)

    @asynccontextmanager
    async def turn(self, *, message: bool = True) -> AsyncIterator[None]:
        """Wait for a place and for the next moment at which a message (not: a conversation) may begin."""
        await self.enter(self._gap if message else 0.0)
        try:
            yield
        finally:
            self.leave()

    async def enter(self, gap: float) -> None:
        """Wait for a place, then for the moment."""
        if self._inside < self.allowed and not self._waiting:
            self._inside += 1
        else:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                # A place that was given just now must not be lost with its owner.
                if place.done() and not place.cancelled():
                    self.leave()
                raise
        loop = asyncio.get_running_loop()
        try:
            # Look again after waking: another message may have been first, or the bot may have asked for a pause.
            while (wait := self._next - loop.time()) > 0:
                await asyncio.sleep(wait)
        except BaseException:
            self.leave()
            raise
        if gap:
            self._next = loop.time() + gap

    def leave(self) -> None:
        """Give the place to the next."""
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._inside < self.allowed:
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)

    def slow_down(self, seconds: float) -> None:
        """Ask less, because the bot said so: half as many at once, and nothing at all for a while."""
        self._allowed = max(1.0, self._allowed / 2)
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    def succeed(self) -> None:
        """Allow a little more again after a message that got through: one place for each round of messages."""
        if self._allowed < self._most:
            self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
            self._let_in()


TICK_SECONDS = 0.02


class LoopLag:
    """Watches the event loop: a task that wants to wake up fifty times a second and notes how late it is."""

    def __init__(self) -> None:
        self._late = 0.0
        self._due = float("inf")
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch the running loop; nothing happens where it is watched already."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def stop(self) -> None:
        """Watch no longer. May be called more than once."""
        if self._task is not None:
            self._task.cancel()
        self._task, self._due = None, float("inf")

    def seconds(self) -> float:
        """Return by how much the loop has been late in all, up to now: two readings give the delay between them."""
        now = asyncio.get_running_loop().time()
        return self._late + max(0.0, now - self._due)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._due = loop.time() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            self._late += max(0.0, loop.time() - self._due)


MAX_ERROR = 500
# Every loop is a little late; less than this is not worth a word.
MIN_LAG_MS = 1.0


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of one message, or of opening a conversation: times are of the last try alone."""

    status: Status
    reply: Reply | None = None
    conversation: Conversation | None = None
    first_ms: float | None = None
    last_ms: float | None = None
    attempts: int = 1
    error: str = ""
    lag_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class AskingPolicy:
    """How a bot is asked: its limits, its pace, what may still be sent, and the start of the random waits.

    `lag`: what knows how late this machine is; without it nothing is said about that. `repeats_timeouts`: a call that
    ran out of time is sent again too, where a message has no conversation that it could disturb.
    """

    limits: Limits
    pace: Pacing
    seed: int = 0
    allowance: Allowance = field(default_factory=Allowance)
    lag: LoopLag | None = None
    repeats_timeouts: bool = False


async def open_conversation(bot: Bot, session: str, policy: AskingPolicy) -> Answered:
    """Begin a conversation, with the same patience as for a message."""

    async def once() -> Answered:
        return Answered(Status.OK, conversation=await bot.open(session))

    return await call_patiently(once, policy, policy.limits.timeout_s, session, message=False)


async def ask(conversation: Conversation, text: str, policy: AskingPolicy, timeout_s: float, label: str) -> Answered:
    """Say a message and return what came of it; never raises for what a bot does."""

    async def once() -> Answered:
        late, began = policy.lag.seconds() if policy.lag else 0.0, time.perf_counter()
        answer = await conversation.say(text)
        last = (time.perf_counter() - began) * 1000
        lag = round((policy.lag.seconds() - late) * 1000, 1) if policy.lag else 0.0
        reply = check_reply(answer)
        first = last if reply.seconds is None else reply.seconds * 1000
        if not reply.shown:
            return Answered(Status.EMPTY, reply)
        return Answered(Status.OK, reply, first_ms=first, last_ms=last, lag_ms=lag if lag >= MIN_LAG_MS else 0.0)

    return await call_patiently(once, policy, timeout_s, label)


async def call_patiently(
    once: Callable[[], Awaitable[Answered]],
    policy: AskingPolicy,
    timeout_s: float,
    label: str,
    *,
    message: bool = True,
) -> Answered:
    """Do something with a bot at its pace and within a time limit, and again where that may help."""
    attempts = policy.limits.retries + 1
    for attempt in range(1, attempts + 1):
        async with policy.pace.turn(message=message):
            answered, retry_after = await _call_once(once, timeout_s)
        if answered.status is Status.OK:
            policy.pace.succeed()
        if not (answered.status.transient or (policy.repeats_timeouts and answered.status is Status.TIMEOUT)):
            break
        wait = wait_before(attempt, f"{policy.seed}/{label}", retry_after)
        if answered.status is Status.RATE_LIMITED:
            if wait > MAX_PATIENCE_S:
                policy.pace.turned_away = wait
            else:
                policy.pace.slow_down(wait)
        # A further attempt is a further message; those of the script were set aside before the conversation began.
        if attempt == attempts or wait > MAX_PATIENCE_S or (message and not policy.allowance.take(1)):
            break
        await asyncio.sleep(wait)
    return answered if attempt == 1 else replace(answered, attempts=attempt)


async def _call_once(once: Callable[[], Awaitable[Answered]], timeout_s: float) -> tuple[Answered, float | None]:
    """Return what became of one attempt, and how long the bot asks to be left alone."""
    try:
        async with asyncio.timeout(timeout_s):
            return await once(), None
    except TimeoutError:
        return Answered(Status.TIMEOUT, error=f"no reply within {timeout_s:g} s"), None
    except BotError as error:
        return Answered(Status(error.status), error=_shorten(error.what)), error.retry_after
    except VivaError as error:
        return Answered(Status.FAILED, error=_shorten(error.what)), None
    except Exception as error:
        # A connector of the user's own may raise anything; one conversation must not end the run.
        return Answered(Status.FAILED, error=_shorten(f"{type(error).__name__}: {error}")), None


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_ERROR else f"{text[:MAX_ERROR]}..."


def new_session() -> str:
    """Return a fresh session name of 29 letters, digits and hyphens, which every platform accepts.

    It is drawn, not derived from the run: a bot that remembers a broken attempt must not meet its session again.
    """
    return f"viva-{secrets.token_hex(12)}"
