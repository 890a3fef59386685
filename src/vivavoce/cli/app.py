"""`viva` itself: the groups of commands, and what holds for all of them."""

from __future__ import annotations

from typing import Annotated

import typer

from vivavoce.cli import bots, classifiers, doctor, models, runs, workspace
from vivavoce.cli.conversations import commands as conversations
from vivavoce.cli.conversations.convert import convert
from vivavoce.cli.demo.commands import demo
from vivavoce.cli.dialogues import commands as dialogues
from vivavoce.cli.intents import commands as intents
from vivavoce.cli.serving.serve import serve
from vivavoce.cli.serving.worker import worker
from vivavoce.cli.shared.failures import Commands
from vivavoce.version import __version__

app = typer.Typer(
    name="viva",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["--help", "-h"]},
    # Errors are told in sentences; `failures` decides when a traceback helps.
    pretty_exceptions_enable=False,
)
app.add_typer(intents.app)
app.add_typer(conversations.app)
app.add_typer(dialogues.app)
app.add_typer(bots.app)
app.add_typer(classifiers.app)
app.add_typer(models.app)
app.add_typer(workspace.app)
app.add_typer(runs.app)
app.command("serve")(serve)
app.command("worker")(worker)
app.command("convert")(convert)
app.command("demo")(demo)
app.command("doctor")(doctor.doctor)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"viva {__version__}")
        raise typer.Exit


@app.callback()
def viva(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and leave."),
    ] = False,
) -> None:
    """Examine chatbots: how good is it, why is it wrong, what to fix next, did the fix help.

    For example:

        viva demo

        viva intents check faq.csv

        viva intents examine faq.csv --html report.html

        viva conversations run flight --html report.html

        viva dialogues score log.jsonl --html report.html

        viva serve --open

    Exit codes: 0 fine · 1 a gate of yours was not met · 2 the input or the call is wrong ·
    3 the work could not be completed and can be resumed.

    Defaults come from `VIVA_*` variables and from `vivavoce.toml` in the current folder.
    """
