"""`viva bots`: list bots, check that they keep the contract, and start one on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from rich.console import Console

from vivavoce.cli.conversations.options import BotFile
from vivavoce.cli.shared.completion import complete_bot
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import CommandGroup, Output, argument, option
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import check_targets, head, publish, write_content
from vivavoce.errors import WorkError

app = CommandGroup(
    "bots",
    help="""List, check and start bots.

    Exit codes: 0 success · 2 invalid input or options, or a missing part · 3 the bot cannot be reached or breaks the
    contract.

    For example:

        viva bots list
        viva bots check http:http://localhost:5005/talk
        viva bots start nlpjs --agent flight
    """,
)
Name = Annotated[str, argument("NAME", "An entry of bots.yaml, `kind` or `kind:option`.", complete_bot)]
Agent = Annotated[
    str | None, option("--agent", "FILE", "Agent file, or a shipped one: `flight`, `medical`, `recruiting`.")
]


@app.command("list")
def list_(bots: BotFile = None, *, output: Output) -> None:
    """List the kinds of bots and the bots of your file.

    Each name can be passed to `--bot`; most kinds take an option after a colon.

    For example:

        viva bots list
        viva bots list --bots team/bots.yaml --json -
    """
    check_targets(output.targets)
    from vivavoce import plugins
    from vivavoce.bots import list_bots
    from vivavoce.bots.declaration import find_connector
    from vivavoce.reports.conversations.tables import show_bots

    rows = list_bots(bots)
    content = [
        {"name": row.name, "origin": row.origin, "about": row.summary, "reach": find_connector(row.kind).reach}
        for row in rows
    ]

    def show(console: Console) -> None:
        kinds = len(plugins.available(plugins.BOTS))
        # Two tables: the path of a file would take the width of the descriptions.
        for part in filter(None, (rows[:kinds], rows[kinds:])):
            show_bots(console, [plugins.Description(row.name, row.origin, row.summary) for row in part])

    publish(output, "bots", {"bots": content}, show)


@app.command()
def check(name: Name, agent: Agent = None, bots: BotFile = None, *, output: Output) -> None:
    """Check the contract of a bot with a few messages: does it answer, keep conversations apart, name topics?

    Exit codes: 0 it keeps the contract · 2 invalid options · 3 it breaks the contract or cannot be reached.

    For example:

        viva bots check staging
        viva bots check python:mybot.py:answer
        viva bots check vectors --agent flight
    """
    check_targets(output.targets)
    settings_in_force()
    from vivavoce.bots import check_bot, load_bots
    from vivavoce.reports.conversations.tables import show_contract

    [bot] = load_bots([name], file=bots, agent=agent)
    with progress_bar(output.quiet) as progress:
        progress("asking", 0, 1)
        report = check_bot(bot)
    publish(output, "bot-check", report.to_json(), lambda console: show_contract(console, report))
    if not report.passed:
        raise WorkError("the bot breaks the contract", where=name, remedy="see the checks above")


@app.command()
def start(
    name: Name,
    *,
    agent: Agent = None,
    port: Annotated[int, option("--port", "N", "Port on this machine; 0: any free port.", low=0, high=65535)] = 0,
    bots: BotFile = None,
    output: Output,
) -> None:
    """Serve a bot over HTTP on this machine until Ctrl-C; what it needs is downloaded once.

    Only this machine can reach it. Any bot can be started, including the real engines `nlpjs`, `chatterbot`,
    `rivescript` and `smollm2`. `--json` writes its address as soon as it is ready.

    For example:

        viva bots start nlpjs --agent flight
        viva bots start smollm2 --agent medical --port 8080
    """
    check_targets(output.targets)
    settings_in_force()
    from vivavoce import plugins
    from vivavoce.bots import list_bots

    kinds = plugins.available(plugins.BOTS)
    # Kinds are listed first, entries after them; an entry may have the name of a kind.
    entries = [line.name for line in list_bots(bots)[len(kinds) :]]
    try:
        if name in entries or plugins.split_name(name)[0] not in kinds:
            _serve_entry(name, bots, agent, port, output)
        else:
            _serve_kind(name, agent, port, output)
    except KeyboardInterrupt:
        tell("Stopped.")


def _announce(output: Output, url: str, bot: str) -> None:
    if output.json_path:
        write_content(output.json_path, {**head("bot-start"), "url": url, "bot": bot})
    output.tell(f"Ready: {url}\nIn an exam: --bot {bot}\nTo stop: Ctrl-C")


def _serve_kind(name: str, agent: str | None, port: int, output: Output) -> None:
    """Install what an engine needs and serve it in another process."""
    from vivavoce.bots.starting import start_engine

    with start_engine(name, agent=agent, port=port, say=output.tell) as engine:
        _announce(output, engine.url, engine.how_to_talk)
        engine.wait()
        last_words = engine.last_words
    raise WorkError(f"the bot stopped: {last_words or 'it said nothing'}", where=name, remedy="start it again")


def _serve_entry(name: str, file: Path | None, agent: str | None, port: int, output: Output) -> None:
    """Serve a bot of the user's file from this process."""
    from vivavoce.bots import load_bots
    from vivavoce.bots.serving import serve_bot

    [bot] = load_bots([name], file=file, agent=agent)

    async def serve() -> None:
        try:
            async with serve_bot(bot, port) as url:
                _announce(output, url, f"http:{url}/talk")
                await asyncio.Event().wait()
        finally:
            await bot.close()

    asyncio.run(serve())
