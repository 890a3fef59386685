"""Engines for people: install what one needs, start it as a server on this machine, say how to talk to it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from vivavoce import plugins
from vivavoce.agents import read_agent
from vivavoce.bots.contract import check_parts
from vivavoce.bots.local_server import Child, Launch, start_child
from vivavoce.bots.protocol import BotContext
from vivavoce.text.weights import Progress

Say = Callable[[str], None]


def start_engine(
    name: str,
    *,
    agent: str | None = None,
    port: int | None = None,
    seed: int = 0,
    say: Say | None = None,
    progress: Progress | None = None,
) -> Child:
    """Install what a bot needs and start it as a server; it ends with `stop`, or with this process.

    `name` is `kind` or `kind:option`, `agent` an agent file or the name of a shipped agent; without a port any free
    one is taken. `say` hears what is being done, `progress` the bytes that were fetched, of how many.
    """
    kind, option = plugins.split_name(name)
    plugins.load(plugins.BOTS, kind)
    if agent:
        # Read here too, so that what is wrong with it is told before anything is installed.
        read_agent(agent)
    install_engine(kind, say=say, progress=progress)
    bare_model = kind == "smollm2" and not (agent or option)
    if not bare_model:
        # Built once here: a wrong option is reported as such, and not as a server that does not start.
        bot = check_parts(plugins.build(plugins.BOTS, kind, option, BotContext(name, agent, seed=seed)), name)
        # A thread has no event loop yet, whatever runs here.
        with ThreadPoolExecutor(1) as thread, suppress(Exception):
            thread.submit(lambda: asyncio.run(bot.close())).result()
    if say is not None:
        say(f"starting {kind}")
    if bare_model:
        # Without an agent there is no prompt, but any client of OpenAI's protocol can use it.
        from vivavoce.bots.smollm2 import server_launch

        child = start_child(server_launch(port or 0))
        child.how_to_talk = f"openai:smollm2@{child.url}/v1"
        return child
    child = start_child(
        Launch(
            name,
            (sys.executable, "-m", "vivavoce.bots.serving"),
            {"name": name, "agent": agent, "seed": seed, "port": port or 0},
            timeout_s=300.0,
            remedy="fix this; `viva bots list` shows the kinds of bots",
            # The bot may be anyone's, with keys of its own: it gets the whole environment, as it would here.
            environment=dict(os.environ),
        )
    )
    child.how_to_talk = f"http:{child.url}/talk"
    return child


def install_engine(kind: str, *, say: Say | None = None, progress: Progress | None = None) -> None:
    """Install what a kind of bot needs beside vivavoce; does nothing where all is there."""
    if kind == "nlpjs":
        from vivavoce.bots.nlpjs import NLPJS, install_package

        install_package(NLPJS, say)
    elif kind == "smollm2":
        from vivavoce.bots.smollm2 import SMOLLM2, need_runtime
        from vivavoce.text.weights import get_weights

        need_runtime()
        get_weights(progress, model=SMOLLM2)
