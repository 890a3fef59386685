"""`viva bots`: what can be talked to, whether it keeps to the contract, and starting one on this machine."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.conversations.options import BotFile
from vivavoce.cli.shared.completion import complete_bot
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import WorkError

app = typer.Typer(
    name="bots",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""What can be talked to: list it, try it out, start it on this machine.

    Exit codes: 0 fine · 2 the input or the call is wrong, or a part is missing · 3 the bot cannot be reached or does
    not keep the contract.

    For example:

        viva bots list

        viva bots check http:http://localhost:5005/talk

        viva bots start nlpjs --agent flight
    """,
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="An entry of bots.yaml, `kind` or `kind:option`.",
        show_default=False,
        autocompletion=complete_bot,
    ),
]
Agent = Annotated[
    str | None,
    typer.Option("--agent", metavar="FILE", help="Agent file, or a shipped one: `flight`, `medical`, `recruiting`."),
]


@app.command("list")
def list_(bots: BotFile = None, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """List the kinds of bots, and the bots of your file.

    Each name can be given to `--bot`; most kinds take an option after a colon.

    For example:

        viva bots list

        viva bots list --bots team/bots.yaml --json -
    """
    check_targets({"--json": json_path})
    from vivavoce import plugins
    from vivavoce.bots import list_bots
    from vivavoce.bots.declaration import find_connector
    from vivavoce.reports.conversations.tables import show_bots

    found = list_bots(bots)
    if json_path:
        rows = [
            {"name": one.name, "origin": one.origin, "about": one.summary, "reach": find_connector(one.kind).reach}
            for one in found
        ]
        write_content(json_path, {**head("bots"), "bots": rows})
    if not quiet and json_path != "-":
        kinds = len(plugins.available(plugins.BOTS))
        # Each in a table of its own: the path of a file would take the room of what the kinds are.
        for part in filter(None, (found[:kinds], found[kinds:])):
            show_bots(Screen(), [plugins.Description(one.name, one.origin, one.summary) for one in part])


@app.command()
def check(
    name: Name,
    agent: Agent = None,
    bots: BotFile = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Hold a few messages against the contract of a bot: does it answer, does it keep talks apart, what does it tell?

    Exit codes: 0 it keeps the contract · 2 the call is wrong · 3 it does not, or cannot be reached.

    For example:

        viva bots check staging

        viva bots check python:mybot.py:answer

        viva bots check vectors --agent flight
    """
    check_targets({"--json": json_path})
    settings_in_force()
    from vivavoce.bots import check_bot, load_bots
    from vivavoce.reports.conversations.tables import show_contract

    [bot] = load_bots([name], file=bots, agent=agent)
    with progress_bar(quiet) as progress:
        progress("asking", 0, 1)
        report = check_bot(bot)
    if json_path:
        write_content(json_path, {**head("bot-check"), **report.to_json()})
    if not quiet and json_path != "-":
        show_contract(Screen(), report)
    if not report.passed:
        raise WorkError("the bot does not keep the contract", where=name, remedy="see the checks above")


@app.command()
def start(
    name: Name,
    *,
    agent: Agent = None,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port on this machine; 0: a free one.")
    ] = 0,
    bots: BotFile = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Start a bot on this machine and serve it over HTTP until Ctrl-C; what it needs is fetched once.

    It listens to this machine only. Any bot can be started, the real engines among them: `nlpjs`, `chatterbot`,
    `rivescript`, `smollm2`. With `--json` its address is written as soon as it is ready.

    For example:

        viva bots start nlpjs --agent flight

        viva bots start smollm2 --agent medical --port 8080
    """
    check_targets({"--json": json_path})
    settings_in_force()
    serve = _serve_entry if _is_own(name, bots) else _serve_kind
    try:
        serve(name, bots, agent, port, _Voice(json_path, quiet))
    except KeyboardInterrupt:
        tell("Stopped.")


@dataclass(frozen=True, slots=True)
class _Voice:
    """What is told while a bot is started, and where."""

    json_path: str | None
    quiet: bool

    def say(self, sentence: str) -> None:
        """Tell what is being done."""
        if not self.quiet:
            tell(sentence)

    def ready(self, url: str, bot: str) -> None:
        """Tell where the bot is and how an exam names it."""
        if self.json_path:
            write_content(self.json_path, {**head("bot-start"), "url": url, "bot": bot})
        self.say(f"Ready: {url}\nIn an exam: --bot {bot}\nTo stop: Ctrl-C")


def _is_own(name: str, file: Path | None) -> bool:
    """Say whether a name is one that the user gave, in the file of bots or as `name=kind`."""
    from vivavoce import plugins
    from vivavoce.bots import list_bots

    kinds = plugins.available(plugins.BOTS)
    # Kinds are listed first, entries after them; an entry may bear the name of a kind.
    entries = [line.name for line in list_bots(file)[len(kinds) :]]
    return name in entries or plugins.split_name(name)[0] not in kinds


def _serve_kind(name: str, _file: Path | None, agent: str | None, port: int, voice: _Voice) -> None:
    """Install what an engine needs and serve it in a process of its own."""
    from vivavoce.bots.starting import start_engine

    with start_engine(name, agent=agent, port=port, say=voice.say) as started:
        voice.ready(started.url, started.how_to_talk)
        started.wait()
        said = started.child.last_words
    raise WorkError(f"the bot ended by itself: {said or 'it said nothing'}", where=name, remedy="start it again")


def _serve_entry(name: str, file: Path | None, agent: str | None, port: int, voice: _Voice) -> None:
    """Serve a bot of the user's file from this process."""
    from vivavoce.bots import load_bots
    from vivavoce.bots.serving import serve_bot

    [bot] = load_bots([name], file=file, agent=agent)

    async def serve() -> None:
        try:
            async with serve_bot(bot, port) as url:
                voice.ready(url, f"http:{url}/talk")
                await asyncio.Event().wait()
        finally:
            await bot.close()

    asyncio.run(serve())
