"""The options of `viva conversations`, in groups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from vivavoce.cli.shared.completion import complete_bot, complete_suite
from vivavoce.cli.shared.options import (
    EXAM,
    GATES,
    OUTPUT,
    READING,
    Encoding,
    argument,
    declare,
    exam_option,
    option,
    option_group,
    setting,
)
from vivavoce.cli.shared.options import Reports as ExamReports
from vivavoce.jobs.exams.kinds import CONVERSATIONS

BOTS = "Bots"
_RUN = {option.name: option for option in CONVERSATIONS.options}

_SUITE_HELP = (
    "YAML, CSV or XLSX file of scenarios, a folder of them (also Botium and Rasa files), or a shipped suite: "
    "`flight`, `medical`, `recruiting`."
)
SuiteName = Annotated[str, argument("SUITE", _SUITE_HELP, complete_suite)]
SuiteNames = Annotated[list[str], argument("SUITE...", f"{_SUITE_HELP} Several suites form one run.", complete_suite)]
RunFolder = Annotated[Path, argument("DIR", "Folder of the run.", file_okay=False)]
BotFile = Annotated[
    Path | None, option("--bots", "FILE", "File that lists bots.", BOTS, default="bots.yaml in the current folder")
]
Force = Annotated[bool, option("--force", "", "Overwrite OUT if it exists.")]
MarkdownPath = Annotated[
    Path | None, option("--markdown", "PATH", "Write a Markdown summary, for example for a pull request.", OUTPUT)
]


@option_group
class BotChoice:
    """Which bots are examined."""

    bot: list[str] | None = declare(
        "NAME",
        "Bot: an entry of bots.yaml, `kind` or `kind:option`; see `viva bots list`. May be repeated.",
        BOTS,
        default="vectors, nearest and keywords, if the suite has an agent file",
        complete=complete_bot,
        flags="--bot -b",
    )
    bots: BotFile = None


@option_group
class Choice:
    """Which scenarios are used."""

    level: list[str] | None = declare("NAME", "Only scenarios of this level. May be repeated.", READING)
    domain: list[str] | None = declare("NAME", "Only scenarios of this domain. May be repeated.", READING)
    tag: list[str] | None = declare("NAME", "Only scenarios with this tag. May be repeated.", READING)
    scenario: list[str] | None = declare("ID", "Only this scenario. May be repeated.", READING)
    sheet: str | None = declare("NAME", "Sheet of a workbook. Default: the first.", READING)
    encoding: Encoding = None


@option_group
class Repeating:
    """How often the conversations are held, and in which random order."""

    repeats: Annotated[int, exam_option(_RUN["repeats"], EXAM)] = _RUN["repeats"].default
    seed: Annotated[int | None, setting("seed", EXAM, "N")] = None


@option_group
class Pressure:
    """How fast and how often each bot is called."""

    concurrency: Annotated[int | None, exam_option(_RUN["concurrency"], BOTS)] = None
    per_second: Annotated[float | None, exam_option(_RUN["per_second"], BOTS)] = None
    timeout_s: Annotated[float | None, exam_option(_RUN["timeout_s"], BOTS)] = None
    retries: Annotated[int | None, exam_option(_RUN["retries"], BOTS)] = None
    max_messages: Annotated[int | None, exam_option(_RUN["max_messages"], BOTS)] = None


@option_group
class DiffReports(ExamReports):
    """Where the comparison of two runs goes."""

    markdown: MarkdownPath = None


@option_group
class Reports(DiffReports):
    """Where the findings go."""

    junit: Path | None = declare("PATH", "Write JUnit XML for CI.", OUTPUT)
    turns: Path | None = declare("PATH", "Write every turn as a table: `.csv` or `.xlsx`.", OUTPUT)
    literal: bool = declare("", "Also show the metrics as the ECHO paper defines them.", OUTPUT, value=False)


@option_group
class TurnGates:
    """What must hold for exit code 0."""

    fail_under: list[str] | None = declare(
        "NAME=VALUE",
        "Exit with 1 if a metric of any bot is worse, for example `accuracy=0.8`, or `f1@mybot=0.7` for one "
        "bot. May be repeated.",
        GATES,
    )
    strict: bool = declare("", "Exit with 1 if any expectation failed.", GATES, value=False)
