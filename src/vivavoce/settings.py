"""Settings: one table, and where a value comes from.

A value comes from the first of: the argument, the environment (`VIVA_` and the name in capitals), the file
(`vivavoce.toml` in the current folder, table `[vivavoce]`), the default. Unknown names are refused, all
faults at once. Secrets never belong here: settings are printed, recorded with results and shared in files.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_type_hints

from vivavoce.errors import Fault, FileError, UsageError, nearest
from vivavoce.options import Option, UnfitError, check_value

__all__ = [
    "MOST_OUT_OF_SCOPE",
    "OPTIONS",
    "OTHER_VARIABLES",
    "PAPER",
    "SETTINGS_FILE",
    "Option",
    "Settings",
    "home",
    "load_settings",
    "render_settings_table",
]

SETTINGS_FILE = "vivavoce.toml"
TABLE = "vivavoce"
# A share of 1 would leave no question that a bot could answer.
MOST_OUT_OF_SCOPE = 0.99
# The settings (k, p) of the paper: every topic is known, the smallest are unknown, those under 5 examples are.
PAPER: tuple[tuple[int, float], ...] = ((0, 0.0), (0, 0.15), (5, 0.0))
PREFIX = "VIVA_"

# Variables with our prefix that are not settings: a result never depends on them.
OTHER_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "VIVA_SHARED": "the folder of public data sets that tests and benchmarks read",
        "VIVA_REQUIRE_SHARED": "1 makes tests fail, not skip, where the public data sets are absent",
        "VIVA_REQUIRE_BROWSER": "1 makes tests fail, not skip, where there is no browser",
        "VIVA_REQUIRE_ENGINES": "1 makes tests fail, not skip, where a real engine (Node, a model) cannot be had",
        "VIVA_REQUIRE_TRAIN": "1 makes tests fail, not skip, where torch (the extra `train`) is not installed",
        "VIVA_REQUIRE_POSTGRES": "1 makes tests fail, not skip, where there is no PostgreSQL",
        "VIVA_WORKSPACE": "path or address of the workspace; a password in it is never shown",
        "VIVA_WORKER_STORE": "how a server tells its workers where the workspace is",
        "VIVA_DEBUG": "1 shows the traceback of an error, for reports of bugs",
        "VIVA_CLUSTER": "the address of the cluster that runs the work, a matter of the machine",
    }
)


def _about(
    meaning: str,
    *,
    choices: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    open_ends: bool = False,
) -> Mapping[str, object]:
    return {"help": meaning, "choices": choices, "low": low, "high": high, "open_ends": open_ends}


@dataclass(frozen=True)
class Settings:
    """The table of settings: each field is a setting with its type, default and help."""

    home: Path | None = field(
        default=None, metadata=_about("Folder for models and projects; empty: the user's data folder.")
    )
    classifier: str = field(
        default="linear", metadata=_about("Classifier of the intents exam, as `kind` or `kind:option`.")
    )
    encoder: str = field(default="minilm", metadata=_about("Model that turns texts into vectors."))
    threshold: float = field(
        default=0.5, metadata=_about("Least confidence with which the bot answers.", low=0, high=1)
    )
    out_of_scope_share: float | None = field(
        default=None,
        metadata=_about(
            "Share of live questions that no topic fits: accuracy, automation rate and other shares of all questions "
            "are weighted for it; empty: as tested.",
            low=0,
            high=MOST_OUT_OF_SCOPE,
        ),
    )
    retries: int = field(default=10, metadata=_about("How often the exam is repeated with other splits.", low=1))
    test_fraction: float = field(
        default=0.2,
        metadata=_about(
            "Share of each topic's examples that is held back for testing.", low=0, high=1, open_ends=True
        ),
    )
    seed: int = field(
        default=0,
        metadata=_about("Start of all random draws: the same seed gives the same result.", low=0, high=2**32 - 1),
    )
    workers: int = field(
        default=0, metadata=_about("How many splits run at the same time; 0: one for each core.", low=0)
    )
    timeout: float = field(
        default=600.0, metadata=_about("Seconds that an engine of your own may take for one call.", low=0.001)
    )
    attempts: int = field(
        default=2,
        metadata=_about("How often a call to an engine of your own is tried until it counts as failed.", low=1),
    )
    max_file_mb: int = field(default=512, metadata=_about("Largest file that is read, in megabytes.", low=1))
    max_rows: int = field(default=500_000, metadata=_about("Most rows that are read from a table.", low=1))
    singletons: str = field(
        default="train",
        metadata=_about(
            "What happens to topics with a single example.", choices=("train", "test", "negative", "drop")
        ),
    )
    partition: str = field(
        default="kfold",
        metadata=_about("How retries divide the examples: in turns, or drawn anew.", choices=("kfold", "random")),
    )
    word_vectors: Path | None = field(
        default=None, metadata=_about("File of word vectors for the `sif` classifier; empty: none.")
    )
    private_bots: str = field(
        default="no",
        metadata=_about(
            "Whether bots of a workspace may be reached at addresses inside your own network: this machine, "
            "192.168.x.x and the like. It says nothing about who sees a bot.",
            choices=("no", "yes"),
        ),
    )
    bot_programs: str = field(
        default="no",
        metadata=_about(
            "Whether admins of a workspace may name what runs code on its machine: bots that are programs, and "
            "engines and raters of their own (`python:...`).",
            choices=("no", "yes"),
        ),
    )
    bot_variables: str = field(
        default="none",
        metadata=_about(
            "Environment variables that bots of a workspace may be sent, beside those that begin with `BOT_`; "
            "separated by commas."
        ),
    )
    max_upload_mb: int = field(
        default=20, metadata=_about("Largest file that can be uploaded to a workspace, in megabytes.", low=1)
    )


def _read_table() -> tuple[Option, ...]:
    hints = get_type_hints(Settings)
    optional = {Path | None: Path, float | None: float}
    kinds = {name: optional.get(hint, hint) for name, hint in hints.items()}
    return tuple(Option(row.name, kinds[row.name], row.default, **row.metadata) for row in fields(Settings))


OPTIONS: tuple[Option, ...] = _read_table()
# A value as somebody gave it: the name of the setting, the value, and where it was found.
_Given = tuple[str, object, str]


def load_settings(
    arguments: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Settings:
    """Return the settings in force; refuse unknown names and wrong values from all sources at once.

    An argument of None and an empty environment variable count as not given. Relative paths in a file are
    relative to that file.
    """
    faults: list[Fault] = []
    sources = (
        list(_from_arguments(arguments or {}, faults)),
        list(_from_environment(os.environ if environ is None else environ, faults)),
        list(_from_file(file, faults)),
    )
    values: dict[str, Any] = {}
    options = {option.name: option for option in OPTIONS}
    # Every source is checked, also where another one wins: a fault must not wait until it matters.
    for name, value, where in (given for source in sources for given in source):
        values.setdefault(name, _checked(options[name], value, where, faults))
    if faults:
        raise UsageError("these settings cannot be used", faults=faults, remedy="correct them or leave them out")
    return Settings(**values)


def home(settings: Settings | None = None) -> Path:
    """Return the folder for models and projects: the setting, or the user's data folder of this system."""
    from platformdirs import user_data_dir

    chosen = (load_settings() if settings is None else settings).home
    folder = _expanded(chosen or user_data_dir("vivavoce", appauthor=False))
    # An account without a home leaves "~": nothing can be kept, and no folder of that name must appear.
    return Path(os.devnull, "vivavoce") if str(folder).startswith("~") else folder


def render_settings_table() -> str:
    """Return the table of settings in Markdown, one row for each."""
    lines = ["| Setting | Environment | Type | Default | Meaning |", "|---|---|---|---|---|"]
    for option in OPTIONS:
        names = f"`{option.name}` | `{_variable(option)}`"
        default = "(empty)" if option.default is None else f"`{option.default}`"
        lines.append(f"| {names} | {option.kind} | {default} | {option.help} |")
    return "\n".join(lines) + "\n"


# --- the three sources ---------------------------------------------------------------------------------


def _from_arguments(arguments: Mapping[str, object], faults: list[Fault]) -> Iterator[_Given]:
    names = [option.name for option in OPTIONS]
    for name, value in arguments.items():
        if name not in names:
            faults.append(Fault(f"there is no setting '{name}'.{nearest(name, names)}", "argument"))
        elif value is not None:
            yield name, value, f"argument '{name}'"


def _from_environment(environ: Mapping[str, str], faults: list[Fault]) -> Iterator[_Given]:
    options = {_variable(option): option for option in OPTIONS}
    for variable in sorted(name for name in environ if name.startswith(PREFIX)):
        if variable in options:
            if environ[variable].strip():
                yield options[variable].name, _parsed(options[variable], environ[variable].strip()), variable
        elif variable not in OTHER_VARIABLES:
            # The value stays unsaid: whoever puts a secret there must not read it in a log.
            hint = _nearest_variable(variable, [*options, *OTHER_VARIABLES])
            faults.append(Fault(f"there is no setting of this name.{hint}", variable))


def _nearest_variable(variable: str, known: Sequence[str]) -> str:
    """Return the nearest name, if it is near without the prefix that all of them share."""
    bare = nearest(variable.removeprefix(PREFIX), [name.removeprefix(PREFIX) for name in known])
    return nearest(variable, known) if bare else ""


def _parsed(option: Option, text: str) -> object:
    """Read a number from an environment variable; what is no number stays text and is refused later."""
    if option.type in (int, float):
        with suppress(ValueError):
            return option.type(text)
    return text


def _variable(option: Option) -> str:
    return PREFIX + option.name.upper()


def _from_file(file: Path | None, faults: list[Fault]) -> Iterator[_Given]:
    path = Path(SETTINGS_FILE) if file is None else file
    if file is None and not path.is_file():
        return
    content = _read_toml(path)
    for name in (name for name in content if name != TABLE):
        faults.append(Fault(f"'{name}' is outside the table [{TABLE}], the only one that is read", str(path)))
    table = content.get(TABLE, {})
    if not isinstance(table, dict):
        faults.append(Fault(f"'{TABLE}' must be a table: write [{TABLE}] above the settings", str(path)))
        return
    yield from _from_table(path, table, faults)


def _from_table(path: Path, table: Mapping[str, object], faults: list[Fault]) -> Iterator[_Given]:
    options = {option.name: option for option in OPTIONS}
    for name, value in table.items():
        if name not in options:
            faults.append(Fault(f"there is no setting '{name}'.{nearest(name, list(options))}", str(path)))
        elif options[name].type is Path and isinstance(value, str) and value:
            yield name, path.parent / _expanded(value), f"{path}, '{name}'"
        elif options[name].type is not Path or value != "":
            yield name, value, f"{path}, '{name}'"


def _read_toml(path: Path) -> dict[str, object]:
    where = str(path)
    try:
        # Editors on Windows put a mark before the first character.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(f"the settings cannot be read: {reason}", where=where, remedy="check the path") from error
    except UnicodeDecodeError as error:
        raise FileError("the settings are not UTF-8 text", where=where, remedy="save the file as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"this is not TOML: {error}", where=where, remedy="correct the line") from error


# --- one value -----------------------------------------------------------------------------------------


def _checked(option: Option, value: object, where: str, faults: list[Fault]) -> object:
    """Return the value in the option's own type; note a fault where it is not allowed."""
    if option.type is Path and isinstance(value, str | Path) and str(value):
        value = _expanded(value)
    try:
        return check_value(option, value)
    except UnfitError as error:
        faults.append(Fault(error.what, where))
        return None


def _expanded(path: str | Path) -> Path:
    # Path.expanduser would raise for an account without a home.
    return Path(os.path.expanduser(path))
