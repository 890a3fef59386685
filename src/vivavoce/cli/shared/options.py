"""The options that commands share, each defined once, and groups of commands that take them as frozen classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, dataclass_transform, get_type_hints

import typer

from vivavoce.cli.shared.completion import (
    Complete,
    complete_choices,
    complete_classifier,
    complete_format,
    complete_material,
    complete_plugin,
)
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.plain_help import PlainCommand, PlainGroup
from vivavoce.options import Option
from vivavoce.records import AUTO
from vivavoce.settings import OPTIONS, PAPER

EXAM = "Exam"
READING = "Input"
OUTPUT = "Output"
GATES = "Quality gates and resuming"

Group = TypeVar("Group")
_SETTINGS = {option.name: option for option in OPTIONS}


@dataclass_transform(frozen_default=True)
def option_group(group: type[Group]) -> type[Group]:
    """Make a class a group of options, whose fields `declare` describes."""
    return dataclass(frozen=True, slots=True)(group)


class CommandGroup(typer.Typer):
    """A group of commands; the parameters of a command may be groups of options (frozen classes)."""

    def __init__(self, name: str, **options: Any) -> None:
        usual = {"no_args_is_help": True, "cls": PlainGroup}
        super().__init__(name=name, rich_markup_mode="markdown", **{**usual, **options})

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Register a command; Typer sees every field of a group of options as one option."""
        register = super().command(name, cls=PlainCommand, **options)
        return lambda command: register(flatten(command))


def flatten(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters are the fields of the option groups that the given one takes.

    A field of a group may itself be a group.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)}

    @wraps(command)
    def run(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = _build_group(kind, values)
        command(**values)

    parameters = list[Parameter]()
    for name, parameter in signature(command).parameters.items():
        if group := groups.get(name):
            parameters += _list_parameters(group)
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY))
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _build_group(group: type[Any], values: dict[str, Any]) -> Any:
    """Take the values of a group's options out of `values`."""
    types = get_type_hints(group)
    return group(
        **{
            row.name: _build_group(types[row.name], values) if is_dataclass(types[row.name]) else values.pop(row.name)
            for row in fields(group)
        }
    )


def _list_parameters(group: type[Any]) -> Iterator[Parameter]:
    types = get_type_hints(group, include_extras=True)
    for row in fields(group):
        if is_dataclass(types[row.name]):
            yield from _list_parameters(types[row.name])
        else:
            annotation = _annotate(row, types)
            yield Parameter(row.name, Parameter.KEYWORD_ONLY, default=row.default, annotation=annotation)


def _annotate(row: Field[Any], types: dict[str, Any]) -> Any:
    if "option" not in row.metadata:
        return types[row.name]
    flags = row.metadata["flags"] or f"--{row.name.replace('_', '-')}"
    return Annotated[types[row.name], row.metadata["option"](flags)]


def argument(metavar: str, help: str, complete: Complete | None = None, **more: Any) -> Any:
    """Return an argument of a command."""
    return typer.Argument(metavar=metavar, help=help, show_default=False, autocompletion=complete, **more)


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
    """Return an option of a command: its flags, its value, its meaning, and the panel that lists it."""
    return typer.Option(
        *flags.split(),
        metavar=metavar,
        # Typer would put the words of a default in parentheses.
        help=f"{help} [default: {default}]" if default else help,
        show_default=not default,
        rich_help_panel=panel,
        autocompletion=complete,
        min=low,
        max=high,
    )


def declare(
    metavar: str, help: str, panel: str | None = None, *, flags: str = "", value: Any = None, **more: Any
) -> Any:
    """Return a field of a group of options: its default `value` and its option, with the flag of its name."""
    return field(
        default=value,
        metadata={"flags": flags, "option": partial(option, metavar=metavar, help=help, panel=panel, **more)},
    )


def setting(name: str, panel: str, metavar: str = "", default: str = "") -> Any:
    """Return the option of a setting; meaning, choices and default come from the table of settings."""
    row = _SETTINGS[name]
    return option(
        row.command_flag,
        "|".join(row.choices) or metavar,
        row.help,
        panel,
        default=default or str(row.default),
        complete=complete_choices(row.choices) if row.choices else None,
    )


def exam_option(row: Option, panel: str | None = None) -> Any:
    """Return the option of an exam's option: its bounds, its default and its help."""
    default = str(row.default) if isinstance(row.default, str | int | float) else ""
    flags, metavar = row.command_flag, row.metavar or ("N" if row.type is int else "")
    if row.type is bool:
        flags, default = f"{flags}/--no-{flags.removeprefix('--')}", "on" if row.default else "off"
    complete = complete_choices(row.choices) if row.choices else complete_plugin(row.plugins) if row.plugins else None
    return option(
        flags,
        "|".join(row.choices) or metavar,
        f"{row.help}{' May be repeated.' if row.several else ''}",
        panel,
        default=row.empty or default,
        complete=complete,
        low=row.low,
        high=row.high,
    )


# --- arguments and single options --------------------------------------------------------------------------

File = Annotated[
    str,
    argument(
        "FILE",
        "CSV, TSV, XLSX, JSON or JSONL with the columns `text` and `intent`, or shipped material: `recruiting-en`, "
        "`recruiting-de`.",
        complete_material,
    ),
]
JsonPath = Annotated[
    str | None,
    option("--json", "PATH", "Write the result as JSON; `-` for standard output, without any other text.", OUTPUT),
]
HtmlPath = Annotated[Path | None, option("--html", "PATH", "Write a report as one HTML file.", OUTPUT)]
Quiet = Annotated[bool, option("--quiet -q", "", "Print errors only.", OUTPUT)]
FailUnder = Annotated[
    list[str] | None,
    option(
        "--fail-under",
        "NAME=VALUE",
        "Exit with 1 if a number is lower, for example `accuracy=0.7`. May be repeated.",
        GATES,
    ),
]
_RECORD_HELP = "Save finished rounds here; run the same command again to resume."
Record = Annotated[Path | None, option("--record", "FILE", _RECORD_HELP, GATES)]
RecordFolder = Annotated[Path | None, option("--record", "FOLDER", _RECORD_HELP, GATES)]
Encoding = Annotated[
    str | None,
    option("--encoding", "NAME", "Text encoding if not UTF-8, for example `cp1252`; `auto` to detect it.", READING),
]
Sheet = Annotated[
    str | None,
    option("--sheet", "NAME", "Sheet of a workbook.", READING, default="the first that looks like a table"),
]
HeaderRow = Annotated[
    int | None,
    option("--header-row", "N", "Row that names the columns.", READING, default="detected, below any titles"),
]


# --- groups of options -------------------------------------------------------------------------------------


@option_group
class Output:
    """Where the result goes. Every option with a value is a path that the command writes."""

    json_path: JsonPath = None
    quiet: Quiet = False

    @property
    def speaks(self) -> bool:
        """Whether the terminal shows the result."""
        return not self.quiet and self.json_path != "-"

    @property
    def targets(self) -> dict[str, str | Path | None]:
        """The paths to write, by option."""
        values = {row.name.removesuffix("_path"): getattr(self, row.name) for row in fields(self)}
        return {f"--{name.replace('_', '-')}": value for name, value in values.items() if not isinstance(value, bool)}

    def tell(self, message: str) -> None:
        """Write to standard error unless `--quiet` is given."""
        if not self.quiet:
            tell(message)


@option_group
class Reports(Output):
    """Where the result of an exam goes."""

    html: HtmlPath = None
    verbose: bool = declare("", "Show all numbers and notes.", OUTPUT, flags="--verbose -v", value=False)


@option_group
class Reading:
    """How a file of examples is read."""

    text_column: str | None = declare("NAME", "Column of the messages.", READING)
    intent_column: str | None = declare("NAME", "Column of the topics.", READING)
    split: str | None = declare("NAME", "Use only rows with this value of `split`.", READING)
    out_of_scope: str = declare(
        "NAME",
        "Intent of out-of-scope messages; they test but never train. `auto`: the usual names, such as `oos`, "
        "`out_of_scope`, `fallback` or `None`; `-` if every intent is a topic.",
        READING,
        value=AUTO,
    )
    encoding: Encoding = None
    sheet: Sheet = None
    header_row: HeaderRow = None
    format: str | None = declare(
        "NAME",
        "Format, if the file extension does not show it: `csv`, `tsv`, `xlsx`, `json` or `jsonl`.",
        READING,
        complete=complete_format,
    )
    max_file_mb: Annotated[int | None, setting("max_file_mb", READING, "MB")] = None
    max_rows: Annotated[int | None, setting("max_rows", READING, "N")] = None
    skip_bad: bool = declare("", "Skip and list unusable rows.", READING, value=False)


@option_group
class Engine:
    """Which classifier is examined."""

    classifier: str | None = declare(
        "NAME",
        "Classifier, as `kind` or `kind:option`; see `viva classifiers`.",
        EXAM,
        default=str(_SETTINGS["classifier"].default),
        complete=complete_classifier,
        flags="--classifier -c",
    )


@option_group
class Patience:
    """How long a call to the user's own engine may take."""

    timeout: Annotated[float | None, setting("timeout", GATES, "SECONDS")] = None
    attempts: Annotated[int | None, setting("attempts", GATES, "N")] = None


@option_group
class Scoring:
    """What every exam needs to turn guesses into numbers."""

    threshold: Annotated[float | None, setting("threshold", EXAM, "0..1")] = None
    seed: Annotated[int | None, setting("seed", EXAM, "N")] = None


@option_group
class Splitting:
    """How cross-validation divides the examples."""

    setting: list[str] | None = declare(
        "K,P",
        "Topics that serve as plausible negatives: those with fewer than K examples, or the smallest up to the "
        "share P. May be repeated.",
        EXAM,
        default=" ".join((f"{k},{p:g}" for k, p in PAPER)),
    )
    retries: Annotated[int | None, setting("retries", EXAM, "N")] = None
    test_fraction: Annotated[float | None, setting("test_fraction", EXAM, "0..1")] = None
    partition: Annotated[str | None, setting("partition", EXAM)] = None
    singletons: Annotated[str | None, setting("singletons", EXAM)] = None
    workers: Annotated[int | None, setting("workers", EXAM, "N")] = None


@option_group
class Traffic:
    """What visitors ask."""

    out_of_scope_share: Annotated[float | None, setting("out_of_scope_share", EXAM, "0..1", "as tested")] = None


@option_group
class Division:
    """Which rows a blind test trains and tests."""

    train_split: str | None = declare("NAME", "Value of `split` to train on.", READING)
    test_split: str | None = declare("NAME", "Value of `split` to test on.", READING)
    unknown_intents: str = declare(
        "refuse|negative",
        "Test topics without training examples: refuse the file, or count them as negatives.",
        EXAM,
        complete=complete_choices(("refuse", "negative")),
        value="refuse",
    )


@option_group
class Playback:
    """How a history is cut."""

    mode: str = declare(
        "forward|interleaved",
        "Train on everything before each period and test the period, or draw test rows between training rows "
        "as nex-cv does.",
        EXAM,
        complete=complete_choices(("forward", "interleaved")),
        value="forward",
    )
    periods: int | None = declare("N", "Number of periods of equal size.", EXAM, default="calendar months")
    min_test: int = declare("N", "Join periods until each has at least N messages to test.", EXAM, value=30)
    undated: str = declare(
        "refuse|drop",
        "Rows without a date: refuse the file, or drop and list them.",
        READING,
        complete=complete_choices(("refuse", "drop")),
        value="refuse",
    )
