"""Where results go: standard output, files, the terminal; and the exit code that follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from vivavoce.cli.shared.failures import explain, resume_sentence, tell
from vivavoce.cli.shared.options import Output, Reports
from vivavoce.errors import Fault, GateError, UsageError, WorkError
from vivavoce.messages import add_messages
from vivavoce.version import __version__


class Screen(Console):
    """The terminal, at its width."""

    def on_broken_pipe(self) -> None:
        """Leave it to the one place that knows exit codes; Rich would end with that of a missed gate."""
        raise BrokenPipeError


def head(kind: str) -> dict[str, Any]:
    """Return the first keys of the JSON of every command."""
    return {"vivavoce": __version__, "kind": kind, "definitions": 1}


def check_targets(targets: Mapping[str, str | Path | None], inputs: Sequence[str | None] = ()) -> None:
    """Refuse paths that cannot or should not be written before any work is done, all of them at once."""
    conflicts = {Path(name).resolve(): f"this would overwrite {name}, the input" for name in inputs if name}
    faults = []
    for flag, target in targets.items():
        if not target:
            continue
        path, is_stdout, fault = Path(target), str(target) == "-", ""
        if is_stdout:
            fault = "" if flag == "--json" else "only --json can write to standard output"
        elif path.is_dir():
            fault = "this is a folder"
        elif not path.parent.is_dir():
            fault = f"the folder {path.parent} does not exist"
        else:
            fault = conflicts.get(path.resolve(), "")
        if fault:
            faults.append(Fault(fault, f"{flag} {target}"))
        conflicts.setdefault(path.resolve(), f"{flag} uses the same path")
    if faults:
        raise UsageError("cannot write the result", faults=faults, remedy="use other paths")


def publish(output: Output, kind: str, content: Mapping[str, Any], show: Callable[[Console], object]) -> None:
    """Write the result as JSON and show it, as the options say."""
    if output.json_path:
        write_content(output.json_path, {**head(kind), **content})
    if output.speaks:
        show(Screen())


def publish_reports(output: Reports, result: Any, render: Callable[[Any], str], show: Callable[..., None]) -> None:
    """Write a result as JSON and as a page, and show it, as the options say."""
    if output.speaks:
        show(Screen(), result, verbose=output.verbose)
    if output.html:
        write_page(output.html, render(result))
    if output.json_path:
        write_content(output.json_path, result.to_json())
    tell_written(output)


def tell_written(output: Output) -> None:
    """Name the files that were written, unless standard output holds the result."""
    for path in output.targets.values() if output.speaks else ():
        if path and str(path) != "-":
            tell(f"Written: {path}")


def write_content(path: str | Path, content: Mapping[str, Any], *, private: bool = False) -> None:
    """Write JSON, all or nothing; `private`: only the owner can read it."""
    from vivavoce.files import write_json

    write_json(path, add_messages(content), private=private)


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
        f"{count} of the work failed and is not in the numbers",
        faults=[Fault(str(failure)) for failure in failures],
        remedy=f"run the command again; {resume_sentence(record)}",
    )
