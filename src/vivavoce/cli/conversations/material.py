"""From the words on the command line to scenarios, bots and a run."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.conversations.options import Choice, Pressure, Talkers
from vivavoce.cli.shared.failures import STOPPED, tell
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.errors import DataError, Fault, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.bots import Bot, BotFacts
    from vivavoce.conversations import Plan, RunEnd, RunOptions, RunRecord, Suite

RUNS = Path("viva-runs")
BOTS_FILE = Path("bots.yaml")


def read_scenarios(suite: str, choice: Choice) -> Suite:
    """Read the scenarios."""
    from vivavoce.conversations import read_suite

    return read_suite(suite, sheet=choice.sheet, encoding=choice.encoding)


def refuse_existing(out: Path, force: bool) -> None:
    """Refuse to write over a file of somebody's unless told to."""
    if out.is_file() and not force:
        raise UsageError(
            "there is a file of this name already", where=f"OUT {out}", remedy="give another name, or --force"
        )


def tell_notes(material: Suite, quiet: bool) -> None:
    """Say what reading had to leave or pass over, one line each."""
    for note in () if quiet else material.notes:
        tell(f"Note: {note}")


def plan_of(material: Suite, choice: Choice, seed: int) -> Plan:
    """Return the conversations that were chosen."""
    from vivavoce.conversations import expand

    return expand(
        material,
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
            remedy="correct them; `viva conversations check` lists all",
        )


def tell_unchecked(plan: Plan, bots: Sequence[BotFacts], quiet: bool) -> None:
    """Say before the first message what cannot be checked with these bots, as far as is known."""
    from vivavoce.conversations.scenarios.check_bots import unchecked_problems

    for bot in () if quiet else bots:
        for problem in unchecked_problems(plan, bot):
            tell(f"Warning: {problem.message}.")


def bots_of(talkers: Talkers, material: Suite, *, seed: int) -> list[Bot]:
    """Return the bots that were named, else the local ones where the suite has an agent file."""
    from vivavoce.agents import ENGINES
    from vivavoce.bots import load_bots
    from vivavoce.conversations.scenarios.suites import agent_of

    names = list(talkers.bot or (ENGINES if material.agent else ()))
    if not names:
        raise UsageError(
            "no bot is named, and the suite has no agent file that a local one could run",
            remedy="name bots with --bot; `viva bots list` shows what there is",
        )
    return load_bots(names, file=talkers.bots, agent=agent_of(material), seed=seed)


def pressure_of(pressure: Pressure) -> dict[str, Any]:
    """Return what was said about how hard bots are asked."""
    said = {
        "concurrency": pressure.concurrency,
        "per_second": pressure.rate,
        "timeout_s": pressure.timeout,
        "retries": pressure.retries,
        "max_messages": pressure.max_messages,
    }
    return {name: value for name, value in said.items() if value is not None}


def options_again(record: RunRecord, pressure: Pressure) -> RunOptions:
    """Return how the run began, with what is said now; a cap counts from now on."""
    from vivavoce.conversations import options_of

    return replace(options_of(record.header), **{"max_messages": None, **pressure_of(pressure)})


def origin_of(talkers: Talkers, material: Suite) -> dict[str, object]:
    """Return the words with which the bots were named, for a later resume."""
    from vivavoce.agents import ENGINES
    from vivavoce.conversations.scenarios.suites import agent_of

    agent = agent_of(material)
    return {
        "bots": list(talkers.bot or ENGINES),
        "file": _whole(talkers.bots or BOTS_FILE),
        "agent": _whole(agent) or agent if agent else None,
        "folder": str(Path.cwd()),
    }


def _whole(path: str | Path) -> str | None:
    """Return the whole path of a file, so that it is found from any folder; None where there is none."""
    return str(Path(path).resolve()) if Path(path).is_file() else None


def same_bots(record: RunRecord, file: Path | None) -> list[Bot]:
    """Load the bots of a run again by the words with which they were named."""
    from vivavoce.bots import load_bots

    origin: dict[str, Any] = dict(record.header.origin)
    place = file or (Path(origin["file"]) if origin.get("file") else None)
    try:
        bots = load_bots(origin.get("bots", []), file=place, agent=origin.get("agent"), seed=record.header.seed)
    except UsageError as error:
        raise _begun_elsewhere(error, str(origin.get("folder", ""))) from error
    expected, found = [bot.name for bot in record.header.bots], [bot.facts.name for bot in bots]
    if expected != found:
        raise UsageError(
            f"the run was begun with {', '.join(expected)}; these names now mean {', '.join(found) or 'nothing'}",
            where=str(record.folder),
            remedy="give the file of bots with --bots",
        )
    _refuse_changed(record, bots)
    return bots


def _refuse_changed(record: RunRecord, bots: Sequence[Bot]) -> None:
    """Refuse to mix the answers of a bot with those of what it has become since the run began."""
    changed = [
        now.facts.name
        for before, now in zip(record.header.bots, bots, strict=True)
        if (before.about, before.intents, before.phrases) != (now.facts.about, now.facts.intents, now.facts.phrases)
    ]
    if changed:
        raise UsageError(
            f"no longer what it was when the run began: {', '.join(changed)}",
            where=str(record.folder),
            remedy="begin a new run; this one can still be counted with `viva conversations score`",
        )


def _begun_elsewhere(error: UsageError, folder: str) -> UsageError:
    """Say where the run was begun: names of files and modules may mean nothing here."""
    if not folder or Path(folder) == Path.cwd():
        return error
    remedy = f"the run was begun in {folder}: resume it there, or give the file of bots with --bots"
    return UsageError(error.what, where=error.where, faults=error.faults, remedy=remedy)


def new_folder(suite: str) -> Path:
    """Return the first folder of this name that is not taken."""
    number = 1
    while (RUNS / f"{suite}-{number}").exists():
        number += 1
    return RUNS / f"{suite}-{number}"


def hold_all(record: RunRecord, bots: Sequence[Bot], quiet: bool, limits: RunOptions | None = None) -> RunEnd:
    """Hold the conversations, with a bar for each bot; tell how to go on when stopped."""
    from vivavoce.conversations import hold_conversations

    with progress_bar(quiet) as progress:
        try:
            return asyncio.run(hold_conversations(record, bots, progress=progress, limits=limits))
        except KeyboardInterrupt as error:
            tell(f"Stopped. To go on: viva conversations resume {record.folder}")
            raise typer.Exit(STOPPED) from error
