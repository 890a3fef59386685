"""Openings fetched from the address of a feed, only where the server lets connections go."""

from __future__ import annotations

import asyncio

import aiohttp

from vivavoce.bots.client import BotClient, to_url
from vivavoce.bots.guard import Addresses, AddressRefused, limited_to
from vivavoce.errors import UsageError, WorkError
from vivavoce.messages import say

TIMEOUT_S = 30
MAX_BYTES = 32 * 2**20
ATTEMPTS = 2


def fetch_feed(address: str, policy: Addresses) -> bytes:
    """Return what is at an address; WorkError where it cannot be had in time."""
    if not address:
        raise UsageError(say("no feed address is set"), remedy=say("enter it in the settings of the assistant"))
    try:
        with limited_to(policy):
            return asyncio.run(asyncio.wait_for(_fetch(address), TIMEOUT_S))
    except AddressRefused as error:
        what = say("this address may not be reached from here")
        raise UsageError(what, where=address, remedy=say("use a public address")) from error
    except (OSError, TimeoutError, aiohttp.ClientError) as error:
        what = say("the feed cannot be read: {kind}", kind=type(error).__name__)
        raise WorkError(what, where=address, remedy=say("check the address, then try again")) from error


async def _fetch(address: str) -> bytes:
    client = BotClient()
    try:
        for attempt in range(ATTEMPTS):
            try:
                return await _read(client, address)
            except (OSError, aiohttp.ClientError):
                if attempt == ATTEMPTS - 1:
                    raise
    finally:
        await client.close()
    raise AssertionError("a fetch returns or raises")


async def _read(client: BotClient, address: str) -> bytes:
    async with await client.send("GET", to_url(address), {"Accept-Encoding": "identity"}, None) as response:
        if response.status != 200:
            what = say("the feed answered with status {status}", status=response.status)
            raise WorkError(what, where=address, remedy=say("check the address; it must need no redirect"))
        content = await response.content.read(MAX_BYTES + 1)
        while len(content) <= MAX_BYTES and (more := await response.content.read(MAX_BYTES + 1 - len(content))):
            content += more
    if len(content) > MAX_BYTES:
        raise WorkError(say("the feed is too large"), where=address, remedy=say("leave old openings out"))
    return content
