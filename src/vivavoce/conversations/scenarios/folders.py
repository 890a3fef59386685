"""The files of a folder of scenarios: which are looked into, which are passed over, and why."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from vivavoce.errors import VivaError
from vivavoce.files.formats import YAML, Kind, SourceFile, list_formats
from vivavoce.files.yamls import as_mapping, read_yaml

AGENT = "agent"
BOTS = "bots.yaml"
SHOWN = 10
# No file that says anything is this long and blank all the same.
MAX_BLANK_BYTES = 4096


def files_to_read(folder: Path, taken: Sequence[Path], notes: list[str]) -> list[Path]:
    """Return the YAML files and tables of a folder by name, and note the other files; `taken`: those read before."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path not in taken)
    hidden = [path for path in files if is_hidden(path)]
    blank = [path for path in files if path not in hidden and is_blank(path)]
    rest = [path for path in files if path not in hidden and path not in blank]
    extensions = [
        extension
        for format in list_formats(Kind.SCENARIOS)
        if format.reader and not format.gather
        for extension in format.extensions
    ]
    others = [path for path in rest if not SourceFile(path).ends_in(extensions)]
    notes += [f"{path.name} skipped: it is empty" for path in blank]
    for why, paths in (
        ("hidden file or lock file of an open document", hidden),
        ("neither YAML nor a table", others),
    ):
        names = ", ".join(path.name for path in paths[:SHOWN])
        more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
        notes += [f"skipped, {why}: {names}{more}"] if paths else []
    return [path for path in rest if path not in others and not _is_agent(path)]


def is_hidden(path: Path) -> bool:
    """Tell whether a file is not meant to be seen: spreadsheet programs leave such marks beside open documents."""
    return path.name.startswith((".", "~$"))


def is_blank(path: Path) -> bool:
    """Tell whether a file holds nothing but blanks."""
    try:
        small = path.stat().st_size <= MAX_BLANK_BYTES
        return small and not path.read_bytes().strip(b" \t\r\n\xef\xbb\xbf")
    except OSError:
        return False  # reading it says what is wrong


def tables_of_agents(folder: Path) -> set[str]:
    """Return the names of the tables that agent files of a folder take their facts from."""
    names: set[str] = set()
    for path in filter(_is_agent, folder.iterdir()):
        with suppress(VivaError):  # running the agent says what is wrong
            facts = as_mapping(as_mapping(read_yaml(path).value).get("facts"))
            names |= {Path(str(name)).name for table in facts.values() if (name := as_mapping(table).get("file"))}
    return names


def _is_agent(path: Path) -> bool:
    return path.name.startswith(AGENT) and path.suffix.lower() in YAML
