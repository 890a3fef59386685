"""Engines and platforms made of the same agent, held to the same suite."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from vivavoce.errors import UsageError

if TYPE_CHECKING:
    from vivavoce.agents import Agent
    from vivavoce.bots.training import Trainable

Progress = Callable[[str, int, int], None]
METRICS = ("accuracy", "f1", "fallback_rate", "comprehension_rate")
HEADS = ("Right", "F1", "Fallback", "Misspelt")


def compare_bots(
    agents: Sequence[str],
    names: Sequence[str],
    *,
    file: Path | None,
    may_train: bool,
    progress: Progress,
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
    table = Table("Agent", "Bot", "Turns", *HEADS, box=None, pad_edge=False)
    for row in rows:
        table.add_row(row["agent"], row["bot"], str(row["turns"]), *(_write(row[name]) for name in METRICS))
    console.print(table)


def _write(rate: dict[str, Any]) -> str:
    if rate["value"] is None:
        return "n/a"
    return f"{rate['value']:.0%} ({rate['low']:.0%}-{rate['high']:.0%})"
