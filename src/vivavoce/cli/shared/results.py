"""Where results go: standard output, files, the terminal; and what follows for the exit code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from vivavoce.cli.shared.failures import explain, resume_sentence, tell
from vivavoce.cli.shared.options import Output
from vivavoce.errors import Fault, GateError, UsageError, WorkError
from vivavoce.messages import noted
from vivavoce.version import __version__


class Screen(Console):
    """The terminal, at its width."""

    def on_broken_pipe(self) -> None:
        """Leave it to the one place that knows exit codes; Rich would end with that of a missed gate."""
        raise BrokenPipeError


def head(kind: str) -> dict[str, Any]:
    """Return what the JSON of every command begins with."""
    return {"vivavoce": __version__, "kind": kind, "definitions": 1}


def check_targets(targets: Mapping[str, str | Path | None], inputs: Sequence[str | None] = ()) -> None:
    """Refuse paths that cannot or should not be written before any work is done, all of them at once."""
    taken = {Path(name).resolve(): f"this would overwrite {name}, which is read" for name in inputs if name}
    faults = []
    for flag, path in targets.items():
        if not path:
            continue
        where, place = f"{flag} {path}", Path(path).resolve()
        fault = _fault(flag, path) or ("" if str(path) == "-" else taken.get(place, ""))
        if fault:
            faults.append(Fault(fault, where))
        taken.setdefault(place, f"{flag} goes to the same path")
    if faults:
        raise UsageError("the result could not be written", faults=faults, remedy="give other paths")


def _fault(flag: str, target: str | Path) -> str:
    if str(target) == "-":
        return "" if flag == "--json" else "only --json can write to standard output"
    path = Path(target)
    if path.is_dir():
        return "this is a folder"
    return "" if path.parent.is_dir() else f"there is no folder {path.parent}"


def check_folder(flag: str, folder: Path | None) -> None:
    """Refuse a file where a folder is needed."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError("this is a file, not a folder", where=f"{flag} {folder}", remedy="give another name")


def deliver(
    output: Output, content: Mapping[str, Any], html: Callable[[], str], show: Callable[[Console], None]
) -> None:
    """Write the files that were asked for, and show the result unless standard output is taken."""
    if output.speaks:
        show(Screen())
    if output.html:
        write_page(output.html, html())
    if output.json_path:
        write_content(output.json_path, content)
    for path in (output.html, output.json_path):
        if path and output.speaks:
            tell(f"Written: {path}")


def write_content(path: str | Path, content: Mapping[str, Any], *, private: bool = False) -> None:
    """Write JSON, all or nothing; `private`: for the eyes of the owner only."""
    from vivavoce.files import write_json

    write_json(path, noted(content), private=private)


def write_page(path: str | Path, html: str) -> None:
    """Write a page, all or nothing."""
    from vivavoce.files.writing import write_text

    write_text(path, html)


def conclude(failures: Sequence[object], record: Path | None, gates: Callable[[], None]) -> None:
    """End with the exit code that the result deserves: incomplete work outweighs a missed gate."""
    if not failures:
        gates()
        return
    try:
        gates()
    except GateError as error:
        explain(error)
    count = "one part" if len(failures) == 1 else f"{len(failures)} parts"
    raise WorkError(
        f"{count} of the work failed, left out of the numbers",
        faults=[Fault(str(failure)) for failure in failures],
        remedy=f"repeat the command; {resume_sentence(record)}",
    )
