"""`viva bots`: list bots, check that they keep the contract, and start one on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Console

from vivavoce.cli.conversations.options import BotFile
from vivavoce.cli.shared.completion import complete_bot
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import CommandGroup, Output, argument, option
from vivavoce.cli.shared.progress import Report, progress_bar
from vivavoce.cli.shared.results import check_targets, head, publish, write_content
from vivavoce.errors import UsageError, WorkError

if TYPE_CHECKING:
    from vivavoce.agents import Agent
    from vivavoce.bots.training import Trainable

METRICS = ("accuracy", "f1", "fallback_rate", "comprehension_rate")
HEADS = ("Right", "F1", "Fallback", "Misspelt")
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
AgentFile = Annotated[
    str | None, option("--agent", "FILE", "Agent file, or a shipped one: `flight`, `medical`, `recruiting`.")
]


@app.command("list")
def list_(bots: BotFile = None, *, output: Output) -> None:
    """List the available kinds of bots and the entries of your bots.yaml.

    You can pass each name to `--bot`; most kinds take an option after a colon.

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
def check(name: Name, agent: AgentFile = None, bots: BotFile = None, *, output: Output) -> None:
    """Check with a few messages that a bot works: it answers, keeps conversations apart, names topics.

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
    agent: AgentFile = None,
    port: Annotated[int, option("--port", "N", "Port on this machine; 0 for any free port.", low=0, high=65535)] = 0,
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


@app.command()
def provision(
    agent: Annotated[
        str | None, argument("AGENT", "Agent file, or a shipped one: `flight`, `medical`, `recruiting`.")
    ] = None,
    *,
    platform: Annotated[
        str | None,
        option("--platform", "NAME", "Write a project to import: rasa, dialogflow, lex, clu, watson, nlpjs."),
    ] = None,
    out: Annotated[Path | None, option("--out", "DIR", "Folder for the project.", default="AGENT-PLATFORM")] = None,
    bot: Annotated[
        str | None, option("--bot", "NAME", "Train this bot over the network instead.", complete=complete_bot)
    ] = None,
    clean_up: Annotated[
        bool, option("--clean-up", "", "Delete what vivavoce created on the bot, and nothing else.")
    ] = False,
    yes: Annotated[bool, option("--yes", "", "Change the bot. Without it, only show what would change.")] = False,
    bots: BotFile = None,
    output: Output,
) -> None:
    """Recreate an agent on any platform: as a project to import, or as the topics of a bot.

    Carries over topics, examples, one reply per topic and the fallback, but not slots and look-ups. A bot is changed
    only with `--yes`, and topics that vivavoce did not create are deleted only if the bot's entry allows it.

    For example:

        viva bots provision flight --platform rasa --out flight-rasa
        viva bots provision flight --bot my-rasa
        viva bots provision flight --bot my-rasa --yes
        viva bots provision --bot my-rasa --clean-up --yes
    """
    check_targets(output.targets)
    settings_in_force()
    if bool(platform) == bool(bot):
        raise UsageError("name a platform or a bot", remedy="give --platform NAME or --bot NAME")
    if not agent and not clean_up:
        raise UsageError("the agent is missing", remedy="name an agent file, or `flight`, `medical`, `recruiting`")
    if platform:
        _write_project(str(agent), platform, out, output)
    else:
        _change_bot(str(bot), None if clean_up else agent, bots, output, yes=yes)


def _write_project(agent: str, platform: str, out: Path | None, output: Output) -> None:
    from vivavoce.agents import read_agent
    from vivavoce.bots.provisioning import export_project

    loaded = read_agent(agent)
    files = export_project(loaded, platform)
    folder = out or Path(f"{loaded.name}-{platform}")
    there = [name for name in files if (folder / name).exists()]
    if there:
        raise UsageError(f"'{there[0]}' exists already", where=str(folder), remedy="name another folder with --out")
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    lines = [f"{folder / name} ({len(data):,} bytes)" for name, data in files.items()]
    content = {"agent": loaded.name, "platform": platform, "files": [str(folder / name) for name in files]}
    publish(output, "bot-project", content, lambda console: console.print("\n".join(lines)))


def _change_bot(name: str, agent: str | None, file: Path | None, output: Output, *, yes: bool) -> None:
    """Show what would be deleted and created on a bot, and with `yes` do it."""
    from vivavoce.agents import read_agent
    from vivavoce.bots import load_bots
    from vivavoce.bots.provisioning import provision as give_topics
    from vivavoce.bots.training import Trainable, clean_up, plan_clean_up

    [bot] = load_bots([name], file=file)
    if not isinstance(bot, Trainable):
        raise UsageError("this bot cannot be trained over the network", where=name, remedy="use --platform instead")
    loaded = read_agent(agent) if agent else None

    async def work() -> dict[str, object]:
        with progress_bar(output.quiet) as progress:
            try:
                plan = await plan_clean_up(bot)
                if yes and loaded is not None:
                    await give_topics(bot, loaded, progress)
                elif yes:
                    await clean_up(bot, plan, progress)
            finally:
                await bot.close()
        created = [topic.intent for topic in loaded.topics if topic.phrases] if loaded else []
        deleted, others = ([intent.name for intent in rows] for rows in (plan.delete, plan.keep))
        return {"bot": name, "done": yes, "delete": deleted, "create": created, "keep": others}

    content = asyncio.run(work())

    def show(console: Console) -> None:
        for verb, title in (
            ("delete", "Deleted" if yes else "Would delete"),
            ("create", "Created" if yes else "Would create"),
            ("keep", "Kept, not created by vivavoce"),
        ):
            names = content[verb]
            assert isinstance(names, list)  # noqa: S101 - made above
            console.print(f"{title}: {', '.join(names) or 'nothing'}")
        if not yes:
            console.print("Nothing was changed. Add --yes to apply this.")

    publish(output, "bot-provision", content, show)


@app.command()
def compare(
    agents: Annotated[
        list[str], argument("AGENT...", "Shipped agents with a suite: `flight`, `medical`, `recruiting`.")
    ],
    *,
    names: Annotated[
        list[str] | None,
        option(
            "--bot",
            "NAME",
            "Bot to build from each agent. May be repeated.",
            default="nlpjs, rivescript, chatterbot",
            complete=complete_bot,
        ),
    ] = None,
    yes: Annotated[
        bool, option("--yes", "", "Allow to train bots over the network; vivavoce's topics on them are replaced.")
    ] = False,
    bots: BotFile = None,
    output: Output,
) -> None:
    """Compare engines and platforms on the same agent files and suites.

    Local engines are trained on this machine. A bot on a platform (Rasa, Dialogflow, ...) first gets the agent's
    topics, which requires `--yes`. The platform then understands; slots, flow and replies come from the agent.

    For example:

        viva bots compare flight medical
        viva bots compare flight medical --bot nlpjs --bot rasa:http://localhost:5005 --yes
    """
    check_targets(output.targets)
    settings_in_force()
    chosen = names or ["nlpjs", "rivescript", "chatterbot"]
    with progress_bar(output.quiet) as progress:
        rows = compare_bots(agents, chosen, file=bots, may_train=yes, progress=progress)
    publish(output, "bot-comparison", {"rows": rows}, lambda console: show_comparison(console, rows))


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


def compare_bots(
    agents: Sequence[str],
    names: Sequence[str],
    *,
    file: Path | None,
    may_train: bool,
    progress: Report,
) -> list[dict[str, Any]]:
    """Return a row for each agent and bot: what was measured, and on how many turns."""
    from vivavoce import examine_conversations, read_suite
    from vivavoce.agents import read_agent
    from vivavoce.bots import load_bots
    from vivavoce.bots.provisioning import ProvisionedBot, provision
    from vivavoce.bots.training import Trainable

    async def train(bot: Trainable, agent: Agent) -> None:
        try:
            await provision(bot, agent, progress)
        finally:
            await bot.close()

    rows: list[dict[str, Any]] = []
    for agent in agents:
        suite = read_suite(agent)
        loaded = load_bots(list(names), file=file, agent=suite.agent)
        remote = [bot for bot in loaded if isinstance(bot, Trainable)]
        if remote and not may_train:
            raise UsageError(
                f"'{remote[0].facts.name}' would be trained over the network",
                remedy="add --yes, and its topics of vivavoce are replaced",
            )
        content = read_agent(suite.agent or agent)
        for bot in remote:
            asyncio.run(train(bot, content))
        # A platform understands; slots, flow and replies are the agent's for all bots alike.
        held = [ProvisionedBot(bot, content) if isinstance(bot, Trainable) else bot for bot in loaded]
        result = examine_conversations(suite, held, progress=progress)
        for cell in result.cells:
            if not cell.level and not cell.domain:
                rates = {name: cell.rates[name].to_json() for name in METRICS}
                rows.append({"agent": agent, "bot": cell.bot, "turns": rates["accuracy"]["n"], **rates})
    return rows


def show_comparison(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print a table: each agent and bot with its metrics and intervals."""
    from vivavoce.reports.shared.layout import numbers_table

    cells = [(row["agent"], row["bot"], str(row["turns"]), *(_write(row[name]) for name in METRICS)) for row in rows]
    console.print(numbers_table(("Agent", "Bot", "Turns", *HEADS), cells, words=2))


def _write(rate: dict[str, Any]) -> str:
    if rate["value"] is None:
        return "n/a"
    return f"{rate['value']:.0%} ({rate['low']:.0%}-{rate['high']:.0%})"
