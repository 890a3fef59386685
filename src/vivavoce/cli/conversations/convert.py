"""`viva convert`: scenarios from one form into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.conversations.material import refuse_existing
from vivavoce.cli.conversations.options import Encoding, Force, SuiteName
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import Fault, UsageError, nearest


def convert(
    suite: SuiteName,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write (YAML, CSV or XLSX, by its ending), or a new folder for Botium.",
            show_default=False,
        ),
    ],
    *,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="yaml|csv|xlsx|botium|rasa",
            help="Form to write, where the ending does not tell it: `rasa` writes test stories.",
            show_default="by the ending of OUT",
        ),
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Convert scenarios between YAML, sheets, Botium scripts and Rasa test stories, and say what got lost.

    Read is everything that an exam can be held with. What the new form cannot say is listed with counts.

    For example:

        viva convert suite.yaml suite.xlsx

        viva convert my-botium-folder suite.yaml

        viva convert flight flight-botium

        viva convert suite.csv tests/test_stories.yml --to rasa
    """
    form = _checked_form(suite, out, to, json_path)
    refuse_existing(out, force)
    from vivavoce.conversations import read_suite
    from vivavoce.conversations.scenarios.conversion import convert_suite

    done = convert_suite(read_suite(suite, encoding=encoding), out, form)
    if json_path:
        write_content(json_path, {**head("conversion"), "in": suite, "out": str(out), **done.to_json()})
    if not quiet and json_path != "-":
        _show(done.summary, done.notes, done.lost)
        tell(f"Written: {out}")


def _checked_form(suite: str, out: Path, to: str | None, json_path: str | None) -> str:
    """Return the form to write; refuse what would overwrite the input or mix with what is there."""
    from vivavoce.conversations.scenarios.conversion import form_of
    from vivavoce.files.formats import Kind, get_format, list_formats

    forms = [format.name for format in list_formats(Kind.SCENARIOS) if format.writer]
    if to is not None and to not in forms:
        raise UsageError(f"there is no form '{to}'.{nearest(to, forms)}", remedy=f"give one of {', '.join(forms)}")
    form = form_of(out, to)
    inputs = [suite] if Path(suite).exists() else []
    if not get_format(Kind.SCENARIOS, form).gather:
        check_targets({"OUT": out, "--json": json_path}, inputs)
        return form
    check_targets({"--json": json_path}, inputs)
    faults = list(_folder_faults(suite, out))
    if faults:
        raise UsageError("the scripts could not be written", faults=faults, remedy="give a new folder")
    return form


def _folder_faults(suite: str, out: Path) -> list[Fault]:
    source, target = Path(suite).resolve(), out.resolve()
    if out.exists() and not out.is_dir():
        return [Fault("this is a file", f"OUT {out}")]
    if source.exists() and (source == target or target in source.parents):
        return [Fault(f"this would overwrite {suite}, which is read", f"OUT {out}")]
    if out.is_dir() and any(out.iterdir()):
        return [Fault("the folder is not empty: other scripts would mix with these", f"OUT {out}")]
    return [] if target.parent.is_dir() else [Fault(f"there is no folder {out.parent}", f"OUT {out}")]


def _show(summary: str, notes: tuple[str, ...], lost: tuple[str, ...]) -> None:
    console = Screen()
    console.print(summary, style="bold", markup=False, highlight=False)
    for title, told in (("While reading:", notes), ("Not kept:", lost)):
        if told:
            console.print(title)
        for line in told:
            console.print(f"  - {line}", markup=False, highlight=False)
    if not lost:
        console.print("Nothing was lost.")
