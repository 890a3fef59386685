"""One question to a judge: within its limits, tried again where that may help. Whatever happens has a status."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from vivavoce.bots.protocol import Bot, Limits
from vivavoce.bots.sessions import new_session
from vivavoce.errors import BotError
from vivavoce.records import Status

__all__ = ["Asked", "Manners", "ask"]

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
# A judge that asks for more patience than this is reported, not waited for.
LONGEST_PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one question. `raw`: the payload as it came, without secrets."""

    status: Status
    content: str = ""
    raw: object = None
    attempts: int = 1
    error: str = ""


@dataclass
class Manners:
    """How a judge is asked: its limits, the messages that may still be sent (None: any number), the moment of rest.

    `rest_until` is a time of the running event loop: who was asked for fewer messages leaves the judge alone.
    """

    limits: Limits
    left: int | None = None
    seed: int = 0
    rest_until: float = 0.0

    def take(self) -> bool:
        """Set one message aside; refused where none is left."""
        if self.left is None:
            return True
        if self.left <= 0:
            return False
        self.left -= 1
        return True

    async def rest(self) -> None:
        """Wait for as long as the judge asked to be left alone."""
        while (wait := self.rest_until - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(wait)


async def ask(bot: Bot, question: str, manners: Manners, label: str) -> Asked:
    """Ask one question in a talk of its own; never raises for what a judge does."""
    found = Asked(Status.NOT_REACHED, error="no message may be sent any more", attempts=0)
    for attempt in range(1, manners.limits.retries + 2):
        await manners.rest()
        if not manners.take():
            break
        found, retry_after = await _try(bot, question, manners.limits.timeout_s, attempt)
        # Who judges for minutes may be faster the next time; a talk that gets no mark is lost.
        if not (found.status.transient or found.status is Status.TIMEOUT):
            break
        wait = _wait(retry_after, attempt, f"{manners.seed}/{label}")
        if wait > LONGEST_PATIENCE_S:
            break
        await _be_patient(manners, found.status, wait, last=attempt > manners.limits.retries)
    return found


async def _be_patient(manners: Manners, status: Status, wait: float, *, last: bool) -> None:
    if status is Status.RATE_LIMITED:
        now = asyncio.get_running_loop().time()
        manners.rest_until = max(manners.rest_until, now + wait)
    elif not last:
        await asyncio.sleep(wait)


async def _try(bot: Bot, question: str, timeout_s: float, attempt: int) -> tuple[Asked, float | None]:
    try:
        async with asyncio.timeout(timeout_s):
            talk = await bot.open(new_session())
            reply = await talk.say(question)
    except TimeoutError:
        return Asked(Status.TIMEOUT, attempts=attempt, error=f"no answer within {timeout_s:g} s"), None
    except BotError as error:
        return Asked(Status(error.status), attempts=attempt, error=_told(error)), error.retry_after
    except Exception as error:
        # The words of an unforeseen error may hold a secret; its kind does not.
        return Asked(Status.FAILED, attempts=attempt, error=f"the connector failed: {type(error).__name__}"), None
    if not reply.text.strip():
        return Asked(Status.EMPTY, "", reply.raw, attempt, f"the judge said nothing{_ending(reply.raw)}"), None
    return Asked(Status.OK, reply.text, reply.raw, attempt), None


def _told(error: BotError) -> str:
    """Return the error in words; here the bot at the other end is the judge."""
    meaning = Status(error.status).meaning
    return error.what.replace(meaning, meaning.replace("the bot", "the judge"), 1)


def _ending(raw: object) -> str:
    """Return why a model stopped without a word, where it tells."""
    try:
        reason = raw["choices"][0]["finish_reason"]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return ""
    if reason == "length":
        return ": its answer was cut off before it began, give it more `max_tokens`"
    return f" (it ended with '{reason}')"[:80] if isinstance(reason, str) else ""


def _wait(retry_after: float | None, attempt: int, label: str) -> float:
    """Return the seconds before the next try: what was asked for, else longer each time and never in step."""
    if retry_after is not None:
        return retry_after
    jitter = random.Random(f"{label}/{attempt}").uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (attempt - 1)) * jitter
