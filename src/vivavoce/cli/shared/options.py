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


def setting(name: str, panel: str, *flags: str, help: str = "", metavar: str | None = None, default: str = "") -> Any:
    """Return the option of a setting: meaning, choices and default stand in the table of settings."""
    row = _SETTINGS[name]
    return typer.Option(
        *(flags or (f"--{name.replace('_', '-')}",)),
        help=help or row.help,
        metavar="|".join(row.choices) or metavar,
        show_default=default or str(row.default),
        rich_help_panel=panel,
        autocompletion=complete_choices(row.choices) if row.choices else None,
    )


def exam_option(option: Option, panel: str | None = None) -> Any:
    """Return the command-line option of an exam's option."""
    shown = option.default if isinstance(option.default, str | int | float) else ""
    repeated = " May be repeated." if option.several else ""
    complete = complete_plugin(option.plugins) if option.plugins else None
    return typer.Option(
        option.command_flag,
        metavar="|".join(option.choices) or option.metavar or None,
        min=option.low,
        max=option.high,
        help=f"{option.help}{repeated}",
        show_default=option.empty or str(shown),
        rich_help_panel=panel,
        autocompletion=complete_choices(option.choices) if option.choices else complete,
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
    typer.Option(
        "--json",
        metavar="PATH",
        help="Write the result as JSON; `-` for standard output, where nothing else is written then.",
        rich_help_panel=OUTPUT,
    ),
]
HtmlPath = Annotated[
    Path | None,
    typer.Option("--html", metavar="PATH", help="Write a report to open and share.", rich_help_panel=OUTPUT),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show all numbers and notes.", rich_help_panel=OUTPUT)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.", rich_help_panel=OUTPUT)]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="NAME=VALUE",
        help="Exit with 1 when a number is lower, for example `accuracy=0.7`. May be repeated.",
        rich_help_panel=GATES,
    ),
]
Record = Annotated[
    Path | None,
    typer.Option(
        "--record",
        metavar="FILE",
        help="Keep finished retries in this file; the same command goes on where it was stopped.",
        rich_help_panel=GATES,
    ),
]


Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of the text, for example `cp1252`, where it is not UTF-8.",
        rich_help_panel=READING,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="Sheet of a workbook, else the first.", rich_help_panel=READING),
]


# --- groups of options -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file of examples is read."""

    text_column: Annotated[
        str | None,
        typer.Option("--text-column", metavar="NAME", help="Column of the messages.", rich_help_panel=READING),
    ] = None
    intent_column: Annotated[
        str | None,
        typer.Option("--intent-column", metavar="NAME", help="Column of the topics.", rich_help_panel=READING),
    ] = None
    split: Annotated[
        str | None,
        typer.Option(
            "--split", metavar="NAME", help="Keep the rows with this value of `split`.", rich_help_panel=READING
        ),
    ] = None
    out_of_scope: Annotated[
        str,
        typer.Option(
            "--out-of-scope",
            metavar="NAME",
            help="Intent of messages that no topic fits; such rows test, but never train. `auto`: the usual names, "
            "such as `oos`, `out_of_scope`, `fallback` or `None`; `-`: none, every intent is a topic.",
            rich_help_panel=READING,
        ),
    ] = AUTO
    encoding: Encoding = None
    sheet: Sheet = None
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Format where the file name does not tell it: `csv`, `tsv`, `xlsx`, `json` or `jsonl`.",
            rich_help_panel=READING,
            autocompletion=complete_format,
        ),
    ] = None
    max_file_mb: Annotated[int | None, setting("max_file_mb", READING, metavar="MB")] = None
    max_rows: Annotated[int | None, setting("max_rows", READING, metavar="N")] = None
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad", help="Leave out rows that cannot be used; each is listed.", rich_help_panel=READING
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class Engine:
    """Which classifier is examined."""

    classifier: Annotated[
        str | None,
        typer.Option(
            "--classifier",
            "-c",
            metavar="NAME",
            help="Classifier, as `kind` or `kind:option`; see `viva classifiers`.",
            show_default=str(_SETTINGS["classifier"].default),
            rich_help_panel=EXAM,
            autocompletion=complete_classifier,
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
        typer.Option(
            "--setting",
            metavar="K,P",
            help="Which topics serve as plausible negatives: those under K examples, or the smallest up to the "
            "share P. May be repeated.",
            show_default=" ".join(f"{k},{p:g}" for k, p in PAPER),
            rich_help_panel=EXAM,
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
        str | None,
        typer.Option(
            "--train-split", metavar="NAME", help="Value of `split` that is trained.", rich_help_panel=READING
        ),
    ] = None
    test_split: Annotated[
        str | None,
        typer.Option(
            "--test-split", metavar="NAME", help="Value of `split` that is tested.", rich_help_panel=READING
        ),
    ] = None
    unknown_intents: Annotated[
        str,
        typer.Option(
            "--unknown-intents",
            metavar="refuse|negative",
            help="Test topics that were never trained: refuse the file, or count them as negatives.",
            rich_help_panel=EXAM,
            autocompletion=complete_choices(("refuse", "negative")),
        ),
    ] = "refuse"


@dataclass(frozen=True, slots=True)
class Playback:
    """How a history is cut."""

    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="forward|interleaved",
            help="Train on all that came before and test each period, or draw test rows between training rows as "
            "nex-cv does.",
            rich_help_panel=EXAM,
            autocompletion=complete_choices(("forward", "interleaved")),
        ),
    ] = "forward"
    periods: Annotated[
        int | None,
        typer.Option(
            "--periods",
            metavar="N",
            help="Number of periods of even size.",
            show_default="calendar months",
            rich_help_panel=EXAM,
        ),
    ] = None
    min_test: Annotated[
        int,
        typer.Option(
            "--min-test",
            metavar="N",
            help="Join periods until each has this many messages to test.",
            rich_help_panel=EXAM,
        ),
    ] = 30
    undated: Annotated[
        str,
        typer.Option(
            "--undated",
            metavar="refuse|drop",
            help="Rows without a date: refuse the file, or leave them out and list them.",
            rich_help_panel=READING,
            autocompletion=complete_choices(("refuse", "drop")),
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
