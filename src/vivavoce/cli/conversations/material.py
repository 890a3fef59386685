"""From the options of a command to scenarios, bots and a run."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.conversations.options import BotChoice, Choice, Pressure
from vivavoce.cli.shared.failures import STOPPED, tell
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.errors import DataError, Fault, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.bots import Bot, BotFacts
    from vivavoce.conversations import Plan, RunEnd, RunOptions, RunRecord, Suite

RUNS = Path("viva-runs")
BOTS_FILE = Path("bots.yaml")


def read_scenarios(suite: str, choice: Choice) -> Suite:
    """Read the scenarios."""
    from vivavoce.conversations import read_suite

    return read_suite(suite, sheet=choice.sheet, encoding=choice.encoding)


def refuse_existing(out: Path, force: bool) -> None:
    """Refuse to overwrite a file without `--force`."""
    if out.is_file() and not force:
        raise UsageError(
            "a file with this name already exists", where=f"OUT {out}", remedy="use another name, or --force"
        )


def build_plan(materials: Sequence[Suite], choice: Choice, seed: int) -> Plan:
    """Return the chosen conversations of all suites."""
    from vivavoce.conversations.scenarios.joining import expand_suites

    return expand_suites(
        materials,
        levels=tuple(choice.level or ()),
        domains=tuple(choice.domain or ()),
        tags=tuple(choice.tag or ()),
        scenarios=tuple(choice.scenario or ()),
        seed=seed,
    )


def refuse_errors(material: Suite) -> None:
    """Refuse scenarios that cannot be run, all faults at once."""
    from vivavoce.conversations import check_suite

    errors = check_suite(material).errors
    if errors:
        raise DataError(
            "these scenarios cannot be run",
            where=material.source,
            faults=[Fault(problem.message, problem.where) for problem in errors],
            remedy="fix them; `viva conversations check` lists all",
        )


def tell_unchecked(plan: Plan, bots: Sequence[BotFacts], quiet: bool) -> None:
    """Warn before the first message about what cannot be checked with these bots."""
    from vivavoce.conversations.scenarios.check_bots import list_unchecked_problems

    for bot in () if quiet else bots:
        for problem in list_unchecked_problems(plan, bot):
            tell(f"Warning: {problem.message}.")


def load_chosen_bots(choice: BotChoice, materials: Sequence[Suite], *, seed: int) -> list[Bot]:
    """Load the named bots, by default the local engines if every suite has an agent file."""
    from vivavoce.agents import ENGINES
    from vivavoce.conversations.scenarios.suites import agent_of

    names = list(choice.bot or (ENGINES if all(material.agent for material in materials) else ()))
    if not names:
        raise UsageError(
            "no bot is selected, and the suite has no agent file for a local bot",
            remedy="choose bots with --bot; `viva bots list` shows the available ones",
        )
    return _load_for_suites(names, {each.name: agent_of(each) for each in materials}, choice.bots, seed)


def _load_for_suites(
    names: Sequence[str], agents: Mapping[str, str | None], file: Path | None, seed: int
) -> list[Bot]:
    """Load bots; one that runs the agent of a suite is another one in each of several suites."""
    from vivavoce.bots import load_bots
    from vivavoce.bots.registry import runs_agent
    from vivavoce.conversations.scenarios.joining import JoinedBot

    first, *others = agents
    bots = load_bots(names, file=file, agent=agents[first], seed=seed)
    joined = [place for place, name in enumerate(names) if others and runs_agent(name, file)]
    by_suite = {
        suite: load_bots([names[place] for place in joined], file=file, agent=agents[suite], seed=seed)
        for suite in others
    }
    for number, place in enumerate(joined):
        bots[place] = JoinedBot({first: bots[place], **{suite: own[number] for suite, own in by_suite.items()}})
    return bots


def parse_pressure(pressure: Pressure) -> dict[str, Any]:
    """Return the run options that were set on the command line."""
    return {name: value for name, value in asdict(pressure).items() if value is not None}


def describe_origin(choice: BotChoice, materials: Sequence[Suite]) -> dict[str, object]:
    """Return how the bots were named, for a later resume."""
    from vivavoce.agents import ENGINES
    from vivavoce.conversations.scenarios.suites import agent_of

    named = {material.name: agent_of(material) for material in materials}
    agents = {name: _resolve(agent) or agent if agent else None for name, agent in named.items()}
    return {
        "bots": list(choice.bot or ENGINES),
        "file": _resolve(choice.bots or BOTS_FILE),
        "agent": next(iter(agents.values())),
        "folder": str(Path.cwd()),
        **({"agents": agents} if len(agents) > 1 else {}),
    }


def _resolve(path: str | Path) -> str | None:
    """Return the absolute path of a file, so that it is found from any folder; None if there is none."""
    return str(Path(path).resolve()) if Path(path).is_file() else None


def reload_bots(record: RunRecord, file: Path | None) -> list[Bot]:
    """Load the bots of a run again; refuse those that have changed since it began."""
    origin: dict[str, Any] = dict(record.header.origin)
    place = file or (Path(origin["file"]) if origin.get("file") else None)
    try:
        agents = origin.get("agents") or {"": origin.get("agent")}
        bots = _load_for_suites(origin.get("bots", []), agents, place, record.header.seed)
    except UsageError as error:
        folder = str(origin.get("folder", ""))
        if not folder or Path(folder) == Path.cwd():
            raise
        # Names of files and modules may mean nothing in another folder.
        remedy = f"the run was started in {folder}: resume it there, or choose the bots file with --bots"
        raise UsageError(error.what, where=error.where, faults=error.faults, remedy=remedy) from error
    expected, names = [bot.name for bot in record.header.bots], [bot.facts.name for bot in bots]
    if expected != names:
        raise UsageError(
            f"the run was started with {', '.join(expected)}, but these names now refer to "
            f"{', '.join(names) or 'nothing'}",
            where=str(record.folder),
            remedy="choose the bots file with --bots",
        )
    changed = [
        now.facts.name
        for before, now in zip(record.header.bots, bots, strict=True)
        if (before.about, before.intents, before.phrases) != (now.facts.about, now.facts.intents, now.facts.phrases)
    ]
    if changed:
        raise UsageError(
            f"changed since the run started: {', '.join(changed)}",
            where=str(record.folder),
            remedy="start a new run; you can still score this one with `viva conversations score`",
        )
    return bots


def find_new_folder(suite: str) -> Path:
    """Return the first numbered folder of this name that does not exist."""
    return next(path for number in count(1) if not (path := RUNS / f"{suite}-{number}").exists())


def hold_all(record: RunRecord, bots: Sequence[Bot], quiet: bool, limits: RunOptions | None = None) -> RunEnd:
    """Hold the conversations, with a bar for each bot; on Ctrl-C say how to resume."""
    from vivavoce.conversations import hold_conversations

    with progress_bar(quiet) as progress:
        try:
            return asyncio.run(hold_conversations(record, bots, progress=progress, limits=limits))
        except KeyboardInterrupt as error:
            tell(f"Stopped. To resume: viva conversations resume {record.folder}")
            raise typer.Exit(STOPPED) from error
