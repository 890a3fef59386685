"""One message to a bot: paced, timed, tried again where that may help. Whatever happens, there is a status."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from vivavoce.bots.protocol import Bot, Limits, Talk
from vivavoce.bots.shapes import settled
from vivavoce.conversations.running.lag import LoopLag
from vivavoce.conversations.running.pace import Allowance, Pacing
from vivavoce.errors import BotError, VivaError
from vivavoce.records import Reply, Status

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
# A bot that asks for more patience than this is reported, not waited for.
LONGEST_PATIENCE_S = 120.0
MOST_ERROR = 500
# Every loop is a little late; less than this is not worth a word.
LEAST_LAG_MS = 1.0


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of one message, or of opening a talk: times are of the last try alone."""

    status: Status
    reply: Reply | None = None
    talk: Talk | None = None
    first_ms: float | None = None
    last_ms: float | None = None
    attempts: int = 1
    error: str = ""
    lag_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Manners:
    """How a bot is asked: its limits, its pace, what may still be sent, and the start of the random waits.

    `lag`: what knows how late this machine is; without it nothing is said about that.
    """

    limits: Limits
    pace: Pacing
    seed: int = 0
    allowance: Allowance = field(default_factory=Allowance)
    lag: LoopLag | None = None


async def open_talk(bot: Bot, session: str, manners: Manners) -> Answered:
    """Begin a talk, with the same patience as for a message."""

    async def once() -> Answered:
        return Answered(Status.OK, talk=await bot.open(session))

    return await _patiently(once, manners, manners.limits.timeout_s, session, message=False)


async def ask(talk: Talk, text: str, manners: Manners, timeout_s: float, label: str) -> Answered:
    """Say a message and return what came of it; never raises for what a bot does."""

    async def once() -> Answered:
        late, began = _lateness(manners), time.perf_counter()
        said = await talk.say(text)
        last = (time.perf_counter() - began) * 1000
        lag = round((_lateness(manners) - late) * 1000, 1)
        reply = settled(said)
        first = last if reply.seconds is None else reply.seconds * 1000
        if not reply.shown:
            return Answered(Status.EMPTY, reply)
        return Answered(Status.OK, reply, first_ms=first, last_ms=last, lag_ms=lag if lag >= LEAST_LAG_MS else 0.0)

    return await _patiently(once, manners, timeout_s, label)


def _lateness(manners: Manners) -> float:
    return 0.0 if manners.lag is None else manners.lag.seconds()


async def _patiently(
    once: Callable[[], Awaitable[Answered]],
    manners: Manners,
    timeout_s: float,
    label: str,
    *,
    message: bool = True,
) -> Answered:
    tries = manners.limits.retries + 1
    for attempt in range(1, tries + 1):
        async with manners.pace.turn(message=message):
            found, failure = await _try(once, timeout_s)
        if found.status is Status.OK:
            manners.pace.succeed()
        if failure is None or not found.status.transient:
            return _with_attempts(found, attempt)
        wait = _wait(failure, attempt, f"{manners.seed}/{label}")
        if found.status is Status.RATE_LIMITED:
            _heed(manners.pace, wait)
        if attempt == tries or wait > LONGEST_PATIENCE_S:
            break
        # A further try is a further message; those of the script were set aside before the talk began.
        if message and not manners.allowance.take(1):
            break
        await asyncio.sleep(wait)
    return _with_attempts(found, attempt)


def _heed(pace: Pacing, wait: float) -> None:
    """Do what a bot asks for that gets too many messages."""
    if wait > LONGEST_PATIENCE_S:
        pace.turned_away = wait
    else:
        pace.slow_down(wait)


async def _try(once: Callable[[], Awaitable[Answered]], timeout_s: float) -> tuple[Answered, BotError | None]:
    try:
        async with asyncio.timeout(timeout_s):
            return await once(), None
    except TimeoutError:
        return Answered(Status.TIMEOUT, error=f"no answer within {timeout_s:g} s"), None
    except BotError as error:
        return Answered(Status(error.status), error=_short(error.what)), error
    except VivaError as error:
        return Answered(Status.FAILED, error=_short(error.what)), None
    except Exception as error:
        # A connector of the user's own may raise anything; one talk must not end the run.
        return Answered(Status.FAILED, error=_short(f"{type(error).__name__}: {error}")), None


def _with_attempts(found: Answered, attempts: int) -> Answered:
    if attempts == 1:
        return found
    return replace(found, attempts=attempts)


def _wait(failure: BotError, attempt: int, label: str) -> float:
    """Return the seconds before the next try: what the bot asked for, else longer each time and never in step."""
    if failure.retry_after is not None:
        return max(0.0, failure.retry_after)
    jitter = random.Random(f"{label}/{attempt}").uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (attempt - 1)) * jitter


def _short(text: str) -> str:
    return text if len(text) <= MOST_ERROR else f"{text[:MOST_ERROR]}..."
