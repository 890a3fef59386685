"""Asynchronous work is run to its end from anywhere, and can be interrupted anywhere."""

from __future__ import annotations

import asyncio
import os
import signal
import threading

import pytest

from vivavoce.bots.loops import _run_beside, run_to_end


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def fail() -> None:
    await asyncio.sleep(0)
    raise ValueError("no")


def test_work_is_done_without_a_loop() -> None:
    assert run_to_end(double(2)) == 4


def test_work_is_done_inside_a_loop() -> None:
    async def notebook() -> int:
        return run_to_end(double(3))

    assert asyncio.run(notebook()) == 6


def test_an_error_comes_out_as_it_is() -> None:
    async def notebook() -> None:
        run_to_end(fail())

    with pytest.raises(ValueError, match="no"):
        run_to_end(fail())
    with pytest.raises(ValueError, match="no"):
        asyncio.run(notebook())


def test_an_interrupt_ends_the_work_in_the_thread(hears_ctrl_c: None) -> None:
    ended = threading.Event()

    async def endless() -> None:
        try:
            asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        _run_beside(endless())
    assert ended.is_set()
