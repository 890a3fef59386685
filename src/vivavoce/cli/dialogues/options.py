"""The options of `viva dialogues`, in groups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from vivavoce.cli.shared.completion import complete_choices, complete_log, complete_log_format, complete_rater
from vivavoce.cli.shared.options import (
    EXAM,
    GATES,
    OUTPUT,
    READING,
    Encoding,
    HeaderRow,
    HtmlPath,
    Output,
    Sheet,
    argument,
    declare,
    option,
    option_group,
    setting,
)

RATER = "Rater"
PARTS = ("july", "autumn")
DATA_SETS = ("convai2017", "convai2018", "dstc9", "fed")
NETWORKS = ("gru", "bigru", "hre")
PRESETS = ("faithful", "fast", "quick")

LogFile = Annotated[
    str,
    argument(
        "FILE",
        "Logged dialogues: JSONL, JSON, Rasa trackers, CSV, TSV, XLSX, or text with the speaker before each message; "
        "the folder of a conversations run; `-` for JSON Lines from standard input; `demo`: the shipped dialogues.",
        complete_log,
    ),
]
DialogueId = Annotated[str, argument("ID", "Id of the dialogue.")]
ModelPath = Annotated[
    Path | None,
    option("--model", "PATH", "Your own model (`viva dialogues train`); short for `--rater learned:PATH`.", RATER),
]
CalibrationPath = Annotated[
    Path | None,
    option("--calibration", "FILE", "Adjust the scores by a recalibration from `viva dialogues evaluate`.", RATER),
]
MinMean = Annotated[
    float | None, option("--min-mean", "1..5", "Exit with 1 if the mean score is lower.", GATES, low=1, high=5)
]


@option_group
class LogReading:
    """How a log is read."""

    format: str | None = declare(
        "NAME",
        "Format, if the file extension does not show it: `jsonl`, `json`, `rasa`, `csv`, `tsv`, `xlsx` or `text`.",
        READING,
        complete=complete_log_format,
    )
    bot: str | None = declare("NAME", "Name of the speaker that is the bot, if the log does not say.", READING)
    skip_bad: bool = declare("", "Skip and list unusable dialogues.", READING, value=False)
    encoding: Encoding = None
    sheet: Sheet = None
    header_row: HeaderRow = None
    max_file_mb: Annotated[int | None, setting("max_file_mb", READING, "MB")] = None
    max_rows: Annotated[int | None, setting("max_rows", READING, "N")] = None


@option_group
class Drawing:
    """The seed of the random draws."""

    seed: Annotated[int | None, setting("seed", EXAM, "N")] = None


def _declare_rater(help: str) -> Any:
    return declare("NAME", help, RATER, default="learned", complete=complete_rater, flags="--rater -r")


@option_group
class RaterChoice:
    """Which rater scores."""

    rater: str | None = _declare_rater(
        "Who scores: `learned` (shipped), `learned:PATH`, `openai:MODEL`, `python:module:function` or `length`."
    )
    model: ModelPath = None


@option_group
class RaterChoices:
    """Which raters are measured."""

    rater: list[str] | None = _declare_rater(
        "Who scores, as in `viva dialogues score`. May be repeated to compare raters."
    )
    model: ModelPath = None


@option_group
class Judging:
    """How a judge behind an endpoint is called."""

    at_once: int | None = declare("N", "Maximum simultaneous calls to a judge.", RATER, low=1)
    timeout: float | None = declare("SECONDS", "Maximum time for one answer of a judge.", RATER, low=0.001)
    retries: int | None = declare("N", "Retries after a temporary error of a judge; 0 for none.", RATER, low=0)
    max_messages: int | None = declare(
        "N", "Maximum messages to a judge; run again with --record to ask the rest.", RATER, low=1
    )
    record: Path | None = declare("FILE", "Save the judge's answers; a second run does not ask again.", RATER)


@option_group
class ScoreReports(Output):
    """Where the scores go."""

    json_path: str | None = declare(
        "PATH",
        "Write JSON Lines, one per dialogue; `-` for standard output, without any other text.",
        OUTPUT,
        flags="--json",
    )
    out: str | None = declare("PATH", "Same as `--json`; use one of them.", OUTPUT)
    html: HtmlPath = None
    csv: Path | None = declare("PATH", "Write one row per dialogue.", OUTPUT)
    summary: Path | None = declare(
        "PATH", "Write the whole result as JSON: passport, bots, dialogues to read, scores.", OUTPUT
    )
    stream: bool = declare(
        "",
        "Score one dialogue at a time, for logs of any size; needs only --json or --out. "
        "The default if only JSON Lines are written.",
        OUTPUT,
        value=False,
    )

    @property
    def lines(self) -> str | None:
        """Where the JSON Lines go."""
        return self.json_path if self.json_path is not None else self.out

    @property
    def targets(self) -> dict[str, str | Path | None]:
        """The paths to write, by the option that was typed; standard output is always `--json`."""
        flag = "--out" if self.out not in (None, "-") else "--json"
        return {flag: self.lines, "--html": self.html, "--csv": self.csv, "--summary": self.summary}

    @property
    def whole(self) -> list[str]:
        """The options that need all dialogues at once."""
        paths = {"--html": self.html, "--csv": self.csv, "--summary": self.summary}
        return [flag for flag, path in paths.items() if path]

    @property
    def speaks(self) -> bool:
        """Whether the terminal shows the result."""
        return not self.quiet and self.lines != "-"

    @property
    def streams(self) -> bool:
        """Whether dialogues are scored one by one."""
        return self.stream or (self.lines is not None and not self.speaks and not self.whole)


@option_group
class EvaluationReports(Output):
    """Where the agreement with people goes."""

    html: HtmlPath = None
    save_calibration: Path | None = declare(
        "FILE",
        "Learn from 30 or more ratings how to adjust scores to your scale, and save it for "
        "`viva dialogues score --calibration FILE`.",
        OUTPUT,
    )


@option_group
class Lessons:
    """What a model learns from, and what its passport says about it."""

    published: str | None = declare(
        "NAME",
        "FILE is a public data set or its folder: `convai2017`, `convai2018`, `dstc9`, `fed`. "
        "Duplicate, unrated, short and long dialogues are left out as published.",
        READING,
        complete=complete_choices(DATA_SETS),
    )
    part: str | None = declare(
        "NAME", "Only this part of a public data set, for example `july`.", READING, complete=complete_choices(PARTS)
    )
    learnt_from: str | None = declare(
        "TEXT", "Name of the training data in the passport.", EXAM, default="name of the file"
    )
    licence: str | None = declare("TEXT", "Licence of the dialogues, for the passport.", EXAM)


@option_group
class Repetition:
    """Which of the published networks are trained again, and how."""

    network: list[str] | None = declare(
        "|".join(NETWORKS),
        "Only this network. May be repeated.",
        EXAM,
        default="all three",
        complete=complete_choices(NETWORKS),
        flags="--model",
    )
    preset: str | None = declare(
        "|".join(PRESETS),
        "As published (60 epochs), with less training, or a quick trial.",
        EXAM,
        default="faithful",
        complete=complete_choices(PRESETS),
    )
    quick: bool = declare("", "Short for `--preset quick`.", EXAM, value=False)
    splits: int | None = declare("N", "Only the first N of the five splits.", EXAM, default="5", low=1, high=5)
    workers: int = declare("N", "Networks trained at the same time.", EXAM, low=1, value=1)
