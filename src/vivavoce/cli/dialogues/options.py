"""The options of `viva dialogues`, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.shared.completion import (
    complete_log_format,
    complete_rater,
    complete_talks,
)
from vivavoce.cli.shared.options import (
    EXAM,
    GATES,
    OUTPUT,
    READING,
    Encoding,
    HtmlPath,
    JsonPath,
    Quiet,
    Sheet,
    option,
    setting,
)

RATER = "The rater"
LINES_PATH = "--json"
OUT_PATH = "--out"

LogFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Logged dialogues: JSONL, JSON, Rasa trackers, CSV, TSV, XLSX, or text with the speaker before each "
        "message; the folder of a conversations run; `-` reads JSON Lines from standard input; `demo` are the talks "
        "that ship.",
        show_default=False,
        autocompletion=complete_talks,
    ),
]
TalkId = Annotated[str, typer.Argument(metavar="ID", help="Id of the dialogue.", show_default=False)]
ModelPath = Annotated[
    Path | None,
    option(
        "--model", "PATH", "A model of your own (`viva dialogues train`); short for `--rater learned:PATH`.", RATER
    ),
]
CalibrationPath = Annotated[
    Path | None,
    option(
        "--calibration", "FILE", "Move the scores by a recalibration that `viva dialogues evaluate` saved.", RATER
    ),
]
LinesPath = Annotated[
    str | None,
    option(
        LINES_PATH,
        "PATH",
        "Write JSON Lines, one dialogue each; `-` for standard output, where nothing else is written then.",
        OUTPUT,
    ),
]
OutPath = Annotated[str | None, option(OUT_PATH, "PATH", "Another name for `--json`; give one of them.", OUTPUT)]


@dataclass(frozen=True, slots=True)
class LogReading:
    """How a log is read."""

    format: Annotated[
        str | None,
        option(
            "--format",
            "NAME",
            "Format where the file name does not tell it: `jsonl`, `json`, `rasa`, `csv`, `tsv`, `xlsx` or `text`.",
            READING,
            complete=complete_log_format,
        ),
    ] = None
    bot: Annotated[
        str | None,
        option("--bot", "NAME", "Name of the speaker that is the bot, where the log does not say it.", READING),
    ] = None
    skip_bad: Annotated[
        bool, option("--skip-bad", "", "Leave out dialogues that cannot be used; each is listed.", READING)
    ] = False
    encoding: Encoding = None
    sheet: Sheet = None
    max_file_mb: Annotated[int | None, setting("max_file_mb", READING, metavar="MB")] = None
    max_rows: Annotated[int | None, setting("max_rows", READING, metavar="N")] = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where the random draws begin."""

    seed: Annotated[int | None, setting("seed", EXAM, metavar="N")] = None


@dataclass(frozen=True, slots=True)
class RaterChoice:
    """Who gives the scores."""

    rater: Annotated[
        str | None,
        option(
            "--rater -r",
            "NAME",
            "Who scores: `learned` (the model that ships), `learned:PATH`, `openai:MODEL`, "
            "`python:module:function`, `length`.",
            RATER,
            default="learned",
            complete=complete_rater,
        ),
    ] = None
    model: ModelPath = None

    @property
    def names(self) -> tuple[str, ...]:
        """What was named."""
        return (self.rater,) if self.rater else ()


@dataclass(frozen=True, slots=True)
class RaterChoices:
    """Whose scores are measured, one rater or several."""

    rater: Annotated[
        list[str] | None,
        option(
            "--rater -r",
            "NAME",
            "Who scores, as in `viva dialogues score`. May be repeated to compare raters on the same talks.",
            RATER,
            default="learned",
            complete=complete_rater,
        ),
    ] = None
    model: ModelPath = None

    @property
    def names(self) -> tuple[str, ...]:
        """What was named."""
        return tuple(self.rater or ())


@dataclass(frozen=True, slots=True)
class Judging:
    """How a judge behind an endpoint is asked."""

    at_once: Annotated[
        int | None, option("--at-once", "N", "Questions to a judge at the same time.", RATER, low=1)
    ] = None
    timeout: Annotated[
        float | None, option("--timeout", "SECONDS", "Time for one answer of a judge.", RATER, low=0.001)
    ] = None
    retries: Annotated[
        int | None,
        option("--retries", "N", "Further tries after an error of a judge that may pass; 0: none.", RATER, low=0),
    ] = None
    max_messages: Annotated[
        int | None,
        option(
            "--max-messages",
            "N",
            "Send no more messages than this to a judge; what is left can be asked later.",
            RATER,
            low=1,
        ),
    ] = None
    record: Annotated[
        Path | None,
        option(
            "--record", "FILE", "Keep the answers of a judge in this file; what it holds is not asked again.", RATER
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class ScoreReports:
    """Where the scores go."""

    json_path: LinesPath = None
    out: OutPath = None
    html: HtmlPath = None
    csv: Annotated[Path | None, option("--csv", "PATH", "Write one row for each dialogue.", OUTPUT)] = None
    summary: Annotated[
        Path | None,
        option(
            "--summary", "PATH", "Write the whole result as one JSON: passport, bots, talks to read, scores.", OUTPUT
        ),
    ] = None
    stream: Annotated[
        bool,
        option(
            "--stream",
            "",
            "Read, score and write dialogue by dialogue, for logs of any size; with --json or --out "
            "alone. Chosen by itself where only JSON Lines are wanted.",
            OUTPUT,
        ),
    ] = False
    quiet: Quiet = False

    @property
    def lines(self) -> str | None:
        """Where the JSON Lines go, whichever name the option was given by."""
        return self.json_path if self.json_path is not None else self.out

    @property
    def targets(self) -> dict[str, str | Path | None]:
        """The paths that will be written, by the option that was typed; standard output has one name only."""
        flag = OUT_PATH if self.out not in (None, "-") else LINES_PATH
        return {flag: self.lines, "--html": self.html, "--csv": self.csv, "--summary": self.summary}

    @property
    def whole(self) -> dict[str, Path | None]:
        """The paths of what needs all dialogues at once, by option."""
        named: dict[str, Path | None] = {"--html": self.html, "--csv": self.csv, "--summary": self.summary}
        return {flag: path for flag, path in named.items() if path}

    @property
    def speaks(self) -> bool:
        """Whether the result is shown in the terminal."""
        return not self.quiet and self.lines != "-"

    @property
    def streams(self) -> bool:
        """Whether dialogues go through one by one."""
        return self.stream or (self.lines is not None and not self.speaks and not self.whole)


@dataclass(frozen=True, slots=True)
class EvaluationReports:
    """Where the agreement with people goes."""

    json_path: JsonPath = None
    html: HtmlPath = None
    save_calibration: Annotated[
        Path | None,
        option(
            "--save-calibration",
            "FILE",
            "Learn from 30 marks or more how scores become marks on your scale, and keep it for `viva "
            "dialogues score --calibration FILE`.",
            OUTPUT,
        ),
    ] = None
    quiet: Quiet = False

    @property
    def targets(self) -> dict[str, str | Path | None]:
        """The paths that will be written, by option."""
        return {"--json": self.json_path, "--html": self.html, "--save-calibration": self.save_calibration}

    @property
    def speaks(self) -> bool:
        """Whether the result is shown in the terminal."""
        return not self.quiet and self.json_path != "-"


MinMean = Annotated[
    float | None, option("--min-mean", "1..5", "Exit with 1 when the mean score is lower.", GATES, low=1, high=5)
]
