"""The options of `viva conversations`, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.shared.completion import complete_bot, complete_suite
from vivavoce.cli.shared.options import EXAM, GATES, OUTPUT, READING, Output, Sheet, exam_option, option, setting
from vivavoce.jobs.exams.kinds import CONVERSATIONS

BOTS = "The bots"
_RUN = {option.name: option for option in CONVERSATIONS.options}

SuiteName = Annotated[
    str,
    typer.Argument(
        metavar="SUITE",
        help="YAML, CSV or XLSX file of scenarios, a folder of them (Botium and Rasa files too), or a shipped suite: "
        "`flight`, `medical`, `recruiting`.",
        show_default=False,
        autocompletion=complete_suite,
    ),
]
RunFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder of a run (its record).", show_default=False, file_okay=False)
]
BotFile = Annotated[
    Path | None, option("--bots", "FILE", "File of bots.", BOTS, default="bots.yaml in the current folder")
]


Encoding = Annotated[
    str | None,
    option("--encoding", "NAME", "Encoding of CSV files, for example `cp1252`, where it is not UTF-8.", READING),
]
Force = Annotated[bool, option("--force", "", "Overwrite OUT where it exists.")]


@dataclass(frozen=True, slots=True)
class Talkers:
    """Which bots are asked, and how hard."""

    bot: Annotated[
        list[str] | None,
        option(
            "--bot -b",
            "NAME",
            "A bot: an entry of bots.yaml, `kind` or `kind:option` (see `viva bots list`). May be repeated.",
            BOTS,
            default="vectors, nearest and keywords, where the suite has an agent file",
            complete=complete_bot,
        ),
    ] = None
    bots: BotFile = None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which scenarios are used."""

    level: Annotated[list[str] | None, option("--level", "NAME", "Only this level. May be repeated.", READING)] = None
    domain: Annotated[list[str] | None, option("--domain", "NAME", "Only this domain. May be repeated.", READING)] = (
        None
    )
    tag: Annotated[list[str] | None, option("--tag", "NAME", "Only with this tag. May be repeated.", READING)] = None
    scenario: Annotated[
        list[str] | None, option("--scenario", "ID", "Only this scenario. May be repeated.", READING)
    ] = None
    sheet: Sheet = None
    encoding: Encoding = None


@dataclass(frozen=True, slots=True)
class Repeating:
    """How often the conversations are held, and in which drawn order."""

    repeats: Annotated[int, exam_option(_RUN["repeats"], EXAM)] = _RUN["repeats"].default
    seed: Annotated[int | None, setting("seed", EXAM, metavar="N")] = None


@dataclass(frozen=True, slots=True)
class Pressure:
    """How hard each bot is asked."""

    concurrency: Annotated[int | None, exam_option(_RUN["concurrency"], BOTS)] = None
    rate: Annotated[float | None, exam_option(_RUN["per_second"], BOTS)] = None
    timeout: Annotated[float | None, exam_option(_RUN["timeout_s"], BOTS)] = None
    retries: Annotated[int | None, exam_option(_RUN["retries"], BOTS)] = None
    max_messages: Annotated[int | None, exam_option(_RUN["max_messages"], BOTS)] = None


MarkdownPath = Annotated[Path | None, option("--markdown", "PATH", "Write a summary for a pull request.", OUTPUT)]


@dataclass(frozen=True, slots=True)
class Reports(Output):
    """Where the findings go."""

    junit: Annotated[
        Path | None, option("--junit", "PATH", "Write JUnit XML, for continuous integration.", OUTPUT)
    ] = None
    turns: Annotated[
        Path | None, option("--turns", "PATH", "Write every turn as a table: `.csv` or `.xlsx`.", OUTPUT)
    ] = None
    markdown: MarkdownPath = None
    literal: Annotated[
        bool,
        option(
            "--literal", "", "Show the numbers as the ECHO paper words them too, under names of their own.", OUTPUT
        ),
    ] = False

    @property
    def targets(self) -> dict[str, str | Path | None]:
        """The paths that will be written, by option."""
        return {
            "--json": self.json_path,
            "--html": self.html,
            "--junit": self.junit,
            "--turns": self.turns,
            "--markdown": self.markdown,
        }


@dataclass(frozen=True, slots=True)
class DiffReports(Output):
    """Where the comparison of two runs goes."""

    markdown: MarkdownPath = None

    @property
    def targets(self) -> dict[str, str | Path | None]:
        """The paths that will be written, by option."""
        return {"--json": self.json_path, "--html": self.html, "--markdown": self.markdown}


@dataclass(frozen=True, slots=True)
class TurnGates:
    """What must hold for exit code 0."""

    fail_under: Annotated[
        list[str] | None,
        option(
            "--fail-under",
            "NAME=VALUE",
            "Exit with 1 when a number of any bot is worse, for example `accuracy=0.8` or `f1@mybot=0.7` "
            "for one bot. May be repeated.",
            GATES,
        ),
    ] = None
    strict: Annotated[bool, option("--strict", "", "Exit with 1 when any expectation failed.", GATES)] = False
