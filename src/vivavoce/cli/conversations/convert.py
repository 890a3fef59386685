"""`viva convert`: scenarios from one form into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console

from vivavoce.cli.conversations.material import refuse_existing
from vivavoce.cli.conversations.options import Force, SuiteName
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.options import Encoding, Output, argument, option
from vivavoce.cli.shared.results import check_targets, publish
from vivavoce.errors import Fault, UsageError, nearest


def convert(
    suite: SuiteName,
    out: Annotated[Path, argument("OUT", "File to write (YAML, CSV or XLSX), or a new folder for Botium.")],
    *,
    to: Annotated[
        str | None,
        option(
            "--to",
            "yaml|csv|xlsx|botium|rasa",
            "Format to write, if the extension of OUT does not show it; `rasa` writes test stories.",
            default="by the extension of OUT",
        ),
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
    output: Output,
) -> None:
    """Convert scenarios between YAML, sheets, Botium scripts and Rasa test stories, and list what was lost.

    Reads all formats that an exam can use, and lists what the new format cannot express, with counts.

    For example:

        viva convert suite.yaml suite.xlsx
        viva convert my-botium-folder suite.yaml
        viva convert flight flight-botium
        viva convert suite.csv tests/test_stories.yml --to rasa
    """
    form = _check_form(suite, out, to, output)
    refuse_existing(out, force)
    from vivavoce.conversations import read_suite
    from vivavoce.conversations.scenarios.suites import convert_suite

    conversion = convert_suite(read_suite(suite, encoding=encoding), out, form)

    def show(console: Console) -> None:
        console.print(conversion.summary, style="bold", markup=False, highlight=False)
        for title, lines in (("While reading:", conversion.notes), ("Changed or lost:", conversion.lost)):
            if lines:
                console.print(title)
            for line in lines:
                console.print(f"  - {line}", markup=False, highlight=False)
        if not conversion.lost:
            console.print("Nothing was lost.")
        tell(f"Written: {out}")

    publish(output, "conversion", {"in": suite, "out": str(out), **conversion.to_json()}, show)


def _check_form(suite: str, out: Path, to: str | None, output: Output) -> str:
    """Return the form to write; refuse what would overwrite the input or mix with existing files."""
    from vivavoce.conversations.scenarios.suites import form_of
    from vivavoce.files.formats import Kind, get_format, list_formats

    forms = [format.name for format in list_formats(Kind.SCENARIOS) if format.writer]
    if to is not None and to not in forms:
        raise UsageError(f"unknown format '{to}'.{nearest(to, forms)}", remedy=f"use one of {', '.join(forms)}")
    form = form_of(out, to)
    inputs = [suite] if Path(suite).exists() else []
    if not get_format(Kind.SCENARIOS, form).gather:
        check_targets({"OUT": out, **output.targets}, inputs)
        return form
    check_targets(output.targets, inputs)
    fault = _find_folder_fault(suite, out)
    if fault:
        faults = [Fault(fault, f"OUT {out}")]
        raise UsageError("cannot write the scripts", faults=faults, remedy="use a new folder")
    return form


def _find_folder_fault(suite: str, out: Path) -> str:
    source, target = Path(suite).resolve(), out.resolve()
    if out.exists() and not out.is_dir():
        return "this is a file"
    if source.exists() and (source == target or target in source.parents):
        return f"this would overwrite {suite}, the input"
    if out.is_dir() and any(out.iterdir()):
        return "the folder is not empty: existing scripts would mix with the new ones"
    return "" if target.parent.is_dir() else f"the folder {out.parent} does not exist"
