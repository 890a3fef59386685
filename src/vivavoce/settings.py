"""Settings: one table, and where a value comes from.

A value comes from the first of: the argument, the environment (`VIVA_` and the name in capitals), the file
(`vivavoce.toml` in the current folder, table `[vivavoce]`), the default. Unknown names are refused, all
faults at once. Secrets never belong here: settings are printed, recorded with results and shared in files.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_type_hints

from vivavoce.errors import Fault, FileError, UsageError, nearest
from vivavoce.options import Option, UnfitError, check_value

T = TypeVar("T")
SETTINGS_FILE = "vivavoce.toml"
TABLE = "vivavoce"
# A share of 1 would leave no question that a bot could answer.
MAX_OUT_OF_SCOPE = 0.99
# The settings (k, p) of the paper: every topic is known, the smallest are unknown, those under 5 examples are.
PAPER: tuple[tuple[int, float], ...] = ((0, 0.0), (0, 0.15), (5, 0.0))
PREFIX = "VIVA_"

# Variables with our prefix that are not settings: a result never depends on them.
OTHER_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "VIVA_SHARED": "folder of public data sets for tests and benchmarks",
        "VIVA_REQUIRE_SHARED": "1 makes tests fail instead of skip if the public data sets are missing",
        "VIVA_REQUIRE_BROWSER": "1 makes tests fail instead of skip if there is no browser",
        "VIVA_REQUIRE_ENGINES": ("1 makes tests fail instead of skip if a real engine (Node, a model) is missing"),
        "VIVA_REQUIRE_TRAIN": ("1 makes tests fail instead of skip if torch (the extra `train`) is not installed"),
        "VIVA_REQUIRE_POSTGRES": "1 makes tests fail instead of skip if there is no PostgreSQL",
        "VIVA_WORKSPACE": "path or address of the workspace; passwords in it are never shown",
        "VIVA_WORKER_STORE": "passes the workspace from a server to its workers",
        "VIVA_DEBUG": "1 shows the traceback of an error, for bug reports",
        "VIVA_CLUSTER": "address of the cluster that runs the work; depends on the machine",
    }
)


def _setting(default: T, meaning: str, **more: Any) -> T:
    """Describe a setting; `more`: the bounds or choices of its option."""
    return field(default=default, metadata={"help": meaning, **more})


@dataclass(frozen=True)
class Settings:
    """The table of settings: each field is a setting with its type, default and help."""

    home: Path | None = _setting(None, "Folder for models and workspaces; empty: the user's data folder.")  # noqa: RUF009
    classifier: str = _setting("linear", "Classifier for the intents exam, as `kind` or `kind:option`.")
    encoder: str = _setting("minilm", "Model that turns texts into vectors.")
    threshold: float = _setting(0.5, "Minimum confidence at which the bot answers.", low=0, high=1)
    out_of_scope_share: float | None = _setting(
        None,
        "Share of out-of-scope questions in live traffic: accuracy, automation rate and other shares of all "
        "questions are weighted for it; empty: as tested.",
        low=0,
        high=MAX_OUT_OF_SCOPE,
    )
    retries: int = _setting(10, "Cross-validation rounds.", low=1)
    test_fraction: float = _setting(
        0.2, "Share of each topic's examples used for testing.", low=0, high=1, open_ends=True
    )
    seed: int = _setting(0, "Random seed: the same seed gives the same result.", low=0, high=2**32 - 1)
    workers: int = _setting(0, "Splits computed at the same time; 0: one per core.", low=0)
    timeout: float = _setting(600.0, "Maximum seconds for one call to your own classifier.", low=0.001)
    attempts: int = _setting(2, "Attempts per call to your own classifier before it counts as failed.", low=1)
    max_file_mb: int = _setting(512, "Maximum file size in megabytes.", low=1)
    max_rows: int = _setting(500_000, "Maximum number of rows in a table.", low=1)
    singletons: str = _setting(
        "train",
        "How to use topics with a single example.",
        choices=("train", "test", "negative", "drop"),
    )
    partition: str = _setting(
        "kfold", "How rounds split the examples: in folds, or newly drawn each time.", choices=("kfold", "random")
    )
    word_vectors: Path | None = _setting(None, "File of word vectors for the `sif` classifier; empty: none.")  # noqa: RUF009
    private_bots: str = _setting(
        "no",
        (
            "Allow bots of a workspace at addresses inside your own network, such as this machine or "
            "192.168.x.x. This does not affect who can see a bot."
        ),
        choices=("no", "yes"),
    )
    bot_programs: str = _setting(
        "no",
        (
            "Allow admins of a workspace to use bots, classifiers and raters that run code on its "
            "machine (programs, `python:...`)."
        ),
        choices=("no", "yes"),
    )
    bot_variables: str = _setting(
        "none",
        (
            "Environment variables that can be sent to bots of a workspace, in addition to those that "
            "start with `BOT_`; separated by commas."
        ),
    )
    max_upload_mb: int = _setting(20, "Maximum size of a file uploaded to a workspace, in megabytes.", low=1)


_KINDS = {
    name: next(kind for kind in (*get_args(hint), hint) if kind is not type(None))
    for name, hint in get_type_hints(Settings).items()
}
OPTIONS = tuple(Option(row.name, _KINDS[row.name], row.default, **row.metadata) for row in fields(Settings))
_BY_NAME = {option.name: option for option in OPTIONS}
_BY_VARIABLE = {PREFIX + option.name.upper(): option for option in OPTIONS}
# A value with the name of its setting before it and its place after it.
_Value = tuple[str, object, str]


def load_settings(
    arguments: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Settings:
    """Return the settings in force; refuse unknown names and wrong values from all sources at once.

    An argument of None and an empty environment variable count as not given. Relative paths in a file are
    relative to that file.
    """
    given = {name: value for name, value in (arguments or {}).items() if name in _BY_NAME}
    faults = [_refuse_name(name, "argument") for name in arguments or () if name not in given]
    sources = (
        *((name, value, f"argument '{name}'") for name, value in given.items() if value is not None),
        *_read_environment(os.environ if environ is None else environ, faults),
        *_read_file(file, faults),
    )
    values: dict[str, Any] = {}
    # Every source is checked, also where another one wins: a fault must not wait until it matters.
    for name, value, where in sources:
        option = _BY_NAME[name]
        is_path = option.type is Path and isinstance(value, str | Path) and str(value)
        try:
            values.setdefault(name, check_value(option, _expand(str(value)) if is_path else value))
        except UnfitError as error:
            faults.append(Fault(error.what, where))
    if faults:
        raise UsageError("these settings are invalid", faults=faults, remedy="fix or remove them")
    return Settings(**values)


def home(settings: Settings | None = None) -> Path:
    """Return the folder for models and projects: the setting, or the user's data folder of this system."""
    from platformdirs import user_data_dir

    chosen = (load_settings() if settings is None else settings).home
    folder = _expand(chosen or user_data_dir("vivavoce", appauthor=False))
    # An account without a home leaves "~": nothing can be kept, and no folder of that name must appear.
    return Path(os.devnull, "vivavoce") if str(folder).startswith("~") else folder


def render_settings_table() -> str:
    """Return the table of settings in Markdown, one row for each."""
    lines = ["| Setting | Environment | Type | Default | Meaning |", "|---|---|---|---|---|"]
    for variable, option in _BY_VARIABLE.items():
        default = "(empty)" if option.default is None else f"`{option.default}`"
        lines.append(f"| `{option.name}` | `{variable}` | {option.kind} | {default} | {option.help} |")
    return "\n".join(lines) + "\n"


def _refuse_name(name: str, where: str) -> Fault:
    return Fault(f"unknown setting '{name}'.{nearest(name, list(_BY_NAME))}", where)


def _read_environment(environ: Mapping[str, str], faults: list[Fault]) -> Iterator[_Value]:
    for variable in sorted(name for name in environ if name.startswith(PREFIX)):
        if option := _BY_VARIABLE.get(variable):
            value: object = environ[variable].strip()
            if option.type in (int, float):
                # What is no number stays text and is refused later.
                with suppress(ValueError):
                    value = option.type(environ[variable])
            if value != "":
                yield option.name, value, variable
        elif variable not in OTHER_VARIABLES:
            # The nearest name must be near without the prefix that all of them share. The value stays unsaid: a
            # secret that somebody put there must not be in a log.
            known = [*_BY_VARIABLE, *OTHER_VARIABLES]
            near = nearest(variable.removeprefix(PREFIX), [name.removeprefix(PREFIX) for name in known])
            hint = nearest(variable, known) if near else ""
            faults.append(Fault(f"unknown setting.{hint}", variable))


def _read_file(file: Path | None, faults: list[Fault]) -> Iterator[_Value]:
    path = Path(SETTINGS_FILE) if file is None else file
    if file is None and not path.is_file():
        return
    content = _read_toml(path)
    for name in (name for name in content if name != TABLE):
        faults.append(Fault(f"'{name}' is outside the table [{TABLE}]; only this table is read", str(path)))
    table = content.get(TABLE, {})
    if not isinstance(table, dict):
        faults.append(Fault(f"'{TABLE}' must be a table: write [{TABLE}] above the settings", str(path)))
        return
    for name, value in table.items():
        if name not in _BY_NAME:
            faults.append(_refuse_name(name, str(path)))
        elif _BY_NAME[name].type is Path and isinstance(value, str) and value:
            yield name, path.parent / _expand(value), f"{path}, '{name}'"
        elif _BY_NAME[name].type is not Path or value != "":
            yield name, value, f"{path}, '{name}'"


def _read_toml(path: Path) -> dict[str, object]:
    where = str(path)
    try:
        # Editors on Windows put a mark before the first character.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        what = f"cannot read the settings: {error.strerror or error}"
        raise FileError(what, where=where, remedy="check the path") from error
    except UnicodeDecodeError as error:
        raise FileError("the settings are not UTF-8 text", where=where, remedy="save the file as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"not valid TOML: {error}", where=where, remedy="fix the line") from error


def _expand(path: str | Path) -> Path:
    # Path.expanduser would raise for an account without a home.
    return Path(os.path.expanduser(path))
