"""One message to a bot: paced, timed, tried again where that may help. Whatever happens, there is a status."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from vivavoce.bots.pace import Allowance, LoopLag, Pacing
from vivavoce.bots.protocol import Bot, Conversation, Limits
from vivavoce.bots.shapes import check_reply
from vivavoce.errors import BotError, VivaError
from vivavoce.records import Reply, Status
from vivavoce.retries import MAX_PATIENCE_S, wait_before

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
