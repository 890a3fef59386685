"""A bot on loopback that answers after a fixed time, in a process of its own and as cheaply as Python can.

python benchmarks/slow_bot.py DELAY_SECONDS      # prints its port, ends when its standard input is closed
"""

from __future__ import annotations

import asyncio
import sys

BODY = b'{"replies": ["Which day would suit you?"], "intent": "book_flight", "confidence": 0.9}'
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY)


class SlowBot(asyncio.Protocol):
    """Reads a request by its length, waits, answers; connections stay open."""

    def __init__(self, delay: float, counts: dict[str, int]) -> None:
        self.delay = delay
        self.counts = counts
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Collect a request and answer it later."""
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.buffer[:end].lower()
        start = head.find(b"content-length:")
        length = int(head[start + 15 :].split(b"\r\n", 1)[0]) if start >= 0 else 0
        if len(self.buffer) < end + 4 + length:
            return
        self.buffer = self.buffer[end + 4 + length :]
        self.counts["turns"] += 1
        asyncio.get_running_loop().call_later(self.delay, self._answer)

    def _answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


async def main(delay: float) -> None:
    loop = asyncio.get_running_loop()
    counts = {"turns": 0}
    server = await loop.create_server(lambda: SlowBot(delay, counts), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
