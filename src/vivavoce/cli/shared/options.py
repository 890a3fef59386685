"""The options that commands share, each defined once; `grouped` gives them to a command as frozen groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from vivavoce.cli.shared.completion import (
    Complete,
    complete_choices,
    complete_classifier,
    complete_format,
    complete_material,
    complete_plugin,
)
from vivavoce.options import Option
from vivavoce.records import AUTO
from vivavoce.settings import OPTIONS, PAPER

EXAM = "The exam"
READING = "Reading the file"
OUTPUT = "What comes out"
GATES = "Gates and going on"

_SETTINGS = {option.name: option for option in OPTIONS}


def option(
    flags: str,
    metavar: str,
    help: str,
    panel: str | None = None,
    *,
    default: str = "",
    complete: Complete | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Any:
    """Return an option of a command: its flags, what follows them, what it means, and the panel that lists it."""
    return typer.Option(
        *flags.split(),
        metavar=metavar or None,
        help=help,
        show_default=default or True,
        rich_help_panel=panel,
        autocompletion=complete,
        min=low,
        max=high,
    )


def setting(name: str, panel: str, *flags: str, help: str = "", metavar: str = "", default: str = "") -> Any:
    """Return the option of a setting: meaning, choices and default stand in the table of settings."""
    row = _SETTINGS[name]
    return option(
        " ".join(flags) or row.command_flag,
        "|".join(row.choices) or metavar,
        help or row.help,
        panel,
        default=default or str(row.default),
        complete=complete_choices(row.choices) if row.choices else None,
    )


def exam_option(row: Option, panel: str | None = None) -> Any:
    """Return the option of an exam's option: its bounds, its default and its help."""
    default = str(row.default) if isinstance(row.default, str | int | float) else ""
    complete = complete_choices(row.choices) if row.choices else complete_plugin(row.plugins) if row.plugins else None
    repeated = " May be repeated." if row.several else ""
    return option(
        row.command_flag,
        "|".join(row.choices) or row.metavar,
        f"{row.help}{repeated}",
        panel,
        default=row.empty or default,
        complete=complete,
        low=row.low,
        high=row.high,
    )


# --- arguments and single options --------------------------------------------------------------------------

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, XLSX, JSON or JSONL with the columns `text` and `intent`; or shipped material: "
        "`recruiting-en`, `recruiting-de`.",
        show_default=False,
        autocompletion=complete_material,
    ),
]
JsonPath = Annotated[
    str | None,
    option(
        "--json",
        "PATH",
        "Write the result as JSON; `-` for standard output, where nothing else is written then.",
        OUTPUT,
    ),
]
HtmlPath = Annotated[Path | None, option("--html", "PATH", "Write a report to open and share.", OUTPUT)]
Verbose = Annotated[bool, option("--verbose -v", "", "Show all numbers and notes.", OUTPUT)]
Quiet = Annotated[bool, option("--quiet -q", "", "Say nothing but errors.", OUTPUT)]
FailUnder = Annotated[
    list[str] | None,
    option(
        "--fail-under",
        "NAME=VALUE",
        "Exit with 1 when a number is lower, for example `accuracy=0.7`. May be repeated.",
        GATES,
    ),
]
Record = Annotated[
    Path | None,
    option(
        "--record",
        "FILE",
        "Keep finished retries in this file; the same command goes on where it was stopped.",
        GATES,
    ),
]


Encoding = Annotated[
    str | None,
    option("--encoding", "NAME", "Encoding of the text, for example `cp1252`, where it is not UTF-8.", READING),
]
Sheet = Annotated[str | None, option("--sheet", "NAME", "Sheet of a workbook, else the first.", READING)]


# --- groups of options -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file of examples is read."""

    text_column: Annotated[str | None, option("--text-column", "NAME", "Column of the messages.", READING)] = None
    intent_column: Annotated[str | None, option("--intent-column", "NAME", "Column of the topics.", READING)] = None
    split: Annotated[str | None, option("--split", "NAME", "Keep the rows with this value of `split`.", READING)] = (
        None
    )
    out_of_scope: Annotated[
        str,
        option(
            "--out-of-scope",
            "NAME",
            "Intent of messages that no topic fits; such rows test, but never train. `auto`: the usual "
            "names, such as `oos`, `out_of_scope`, `fallback` or `None`; `-`: none, every intent is a "
            "topic.",
            READING,
        ),
    ] = AUTO
    encoding: Encoding = None
    sheet: Sheet = None
    format: Annotated[
        str | None,
        option(
            "--format",
            "NAME",
            "Format where the file name does not tell it: `csv`, `tsv`, `xlsx`, `json` or `jsonl`.",
            READING,
            complete=complete_format,
        ),
    ] = None
    max_file_mb: Annotated[int | None, setting("max_file_mb", READING, metavar="MB")] = None
    max_rows: Annotated[int | None, setting("max_rows", READING, metavar="N")] = None
    skip_bad: Annotated[
        bool, option("--skip-bad", "", "Leave out rows that cannot be used; each is listed.", READING)
    ] = False


@dataclass(frozen=True, slots=True)
class Engine:
    """Which classifier is examined."""

    classifier: Annotated[
        str | None,
        option(
            "--classifier -c",
            "NAME",
            "Classifier, as `kind` or `kind:option`; see `viva classifiers`.",
            EXAM,
            default=str(_SETTINGS["classifier"].default),
            complete=complete_classifier,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an engine of the user's own is waited for."""

    timeout: Annotated[float | None, setting("timeout", GATES, metavar="SECONDS")] = None
    attempts: Annotated[int | None, setting("attempts", GATES, metavar="N")] = None


@dataclass(frozen=True, slots=True)
class Scoring:
    """What every exam needs to turn guesses into numbers."""

    threshold: Annotated[float | None, setting("threshold", EXAM, metavar="0..1")] = None
    seed: Annotated[int | None, setting("seed", EXAM, metavar="N")] = None


@dataclass(frozen=True, slots=True)
class Splitting:
    """How cross-validation divides the examples."""

    setting: Annotated[
        list[str] | None,
        option(
            "--setting",
            "K,P",
            "Which topics serve as plausible negatives: those under K examples, or the smallest up to the"
            " share P. May be repeated.",
            EXAM,
            default=" ".join((f"{k},{p:g}" for k, p in PAPER)),
        ),
    ] = None
    retries: Annotated[int | None, setting("retries", EXAM, metavar="N")] = None
    test_fraction: Annotated[float | None, setting("test_fraction", EXAM, metavar="0..1")] = None
    partition: Annotated[str | None, setting("partition", EXAM)] = None
    singletons: Annotated[str | None, setting("singletons", EXAM)] = None
    workers: Annotated[int | None, setting("workers", EXAM, metavar="N")] = None


@dataclass(frozen=True, slots=True)
class Traffic:
    """What visitors ask."""

    out_of_scope_share: Annotated[
        float | None, setting("out_of_scope_share", EXAM, metavar="0..1", default="as tested")
    ] = None


@dataclass(frozen=True, slots=True)
class Division:
    """Which rows a blind test trains and tests."""

    train_split: Annotated[
        str | None, option("--train-split", "NAME", "Value of `split` that is trained.", READING)
    ] = None
    test_split: Annotated[str | None, option("--test-split", "NAME", "Value of `split` that is tested.", READING)] = (
        None
    )
    unknown_intents: Annotated[
        str,
        option(
            "--unknown-intents",
            "refuse|negative",
            "Test topics that were never trained: refuse the file, or count them as negatives.",
            EXAM,
            complete=complete_choices(("refuse", "negative")),
        ),
    ] = "refuse"


@dataclass(frozen=True, slots=True)
class Playback:
    """How a history is cut."""

    mode: Annotated[
        str,
        option(
            "--mode",
            "forward|interleaved",
            "Train on all that came before and test each period, or draw test rows between training rows "
            "as nex-cv does.",
            EXAM,
            complete=complete_choices(("forward", "interleaved")),
        ),
    ] = "forward"
    periods: Annotated[
        int | None, option("--periods", "N", "Number of periods of even size.", EXAM, default="calendar months")
    ] = None
    min_test: Annotated[
        int, option("--min-test", "N", "Join periods until each has this many messages to test.", EXAM)
    ] = 30
    undated: Annotated[
        str,
        option(
            "--undated",
            "refuse|drop",
            "Rows without a date: refuse the file, or leave them out and list them.",
            READING,
            complete=complete_choices(("refuse", "drop")),
        ),
    ] = "refuse"


@dataclass(frozen=True, slots=True)
class Output:
    """Where the result goes."""

    json_path: JsonPath = None
    html: HtmlPath = None
    quiet: Quiet = False
    verbose: Verbose = False

    @property
    def speaks(self) -> bool:
        """Whether the result is shown in the terminal."""
        return not self.quiet and self.json_path != "-"


# --- commands that take groups -----------------------------------------------------------------------------


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options: Typer sees every field of a group as an option of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)}

    @wraps(command)
    def run(**values: Any) -> None:
        built = {
            name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        command(**values, **built)

    seen = [part for name in signature(command).parameters for part in _parameters(command, name, hints)]
    run.__signature__ = signature(command).replace(parameters=seen)  # type: ignore[attr-defined]
    run.__annotations__ = {part.name: part.annotation for part in seen}
    return run


def _parameters(command: Callable[..., None], name: str, hints: dict[str, Any]) -> list[Parameter]:
    own, kind = signature(command).parameters[name], hints[name]
    if not is_dataclass(kind):
        return [own.replace(annotation=kind, kind=Parameter.KEYWORD_ONLY)]
    types = get_type_hints(kind, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=_default(field), annotation=types[field.name])
        for field in fields(kind)
    ]


def _default(field: Field[Any]) -> Any:
    return Parameter.empty if field.default is MISSING else field.default
