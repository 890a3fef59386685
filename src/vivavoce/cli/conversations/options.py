"""The options of `viva conversations`, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.shared.completion import complete_bot, complete_suite
from vivavoce.cli.shared.options import EXAM, GATES, OUTPUT, READING, Output, Sheet, exam_option, setting
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
    Path | None,
    typer.Option(
        "--bots",
        metavar="FILE",
        help="File of bots.",
        show_default="bots.yaml in the current folder",
        rich_help_panel=BOTS,
    ),
]


Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of CSV files, for example `cp1252`, where it is not UTF-8.",
        rich_help_panel=READING,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite OUT where it exists.")]


@dataclass(frozen=True, slots=True)
class Talkers:
    """Which bots are asked, and how hard."""

    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            "-b",
            metavar="NAME",
            help="A bot: an entry of bots.yaml, `kind` or `kind:option` (see `viva bots list`). May be repeated.",
            show_default="vectors, nearest and keywords, where the suite has an agent file",
            rich_help_panel=BOTS,
            autocompletion=complete_bot,
        ),
    ] = None
    bots: BotFile = None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which scenarios are used."""

    level: Annotated[
        list[str] | None,
        typer.Option("--level", metavar="NAME", help="Only this level. May be repeated.", rich_help_panel=READING),
    ] = None
    domain: Annotated[
        list[str] | None,
        typer.Option("--domain", metavar="NAME", help="Only this domain. May be repeated.", rich_help_panel=READING),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="NAME", help="Only with this tag. May be repeated.", rich_help_panel=READING),
    ] = None
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario", metavar="ID", help="Only this scenario. May be repeated.", rich_help_panel=READING
        ),
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


MarkdownPath = Annotated[
    Path | None,
    typer.Option("--markdown", metavar="PATH", help="Write a summary for a pull request.", rich_help_panel=OUTPUT),
]


@dataclass(frozen=True, slots=True)
class Reports(Output):
    """Where the findings go."""

    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit", metavar="PATH", help="Write JUnit XML, for continuous integration.", rich_help_panel=OUTPUT
        ),
    ] = None
    turns: Annotated[
        Path | None,
        typer.Option(
            "--turns", metavar="PATH", help="Write every turn as a table: `.csv` or `.xlsx`.", rich_help_panel=OUTPUT
        ),
    ] = None
    markdown: MarkdownPath = None
    literal: Annotated[
        bool,
        typer.Option(
            "--literal",
            help="Show the numbers as the ECHO paper words them too, under names of their own.",
            rich_help_panel=OUTPUT,
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
        typer.Option(
            "--fail-under",
            metavar="NAME=VALUE",
            help="Exit with 1 when a number of any bot is worse, for example `accuracy=0.8` or `f1@mybot=0.7` for "
            "one bot. May be repeated.",
            rich_help_panel=GATES,
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit with 1 when any expectation failed.", rich_help_panel=GATES),
    ] = False
