"""The `viva` command with its groups of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from vivavoce.cli import assistant, bots, classifiers, doctor, models, runs, workspace
from vivavoce.cli.conversations import commands as conversations
from vivavoce.cli.conversations.convert import convert
from vivavoce.cli.demo import demo
from vivavoce.cli.dialogues import commands as dialogues
from vivavoce.cli.intents import commands as intents
from vivavoce.cli.intents.threshold import threshold
from vivavoce.cli.serving.serve import serve
from vivavoce.cli.serving.worker import worker
from vivavoce.cli.shared.failures import Commands
from vivavoce.cli.shared.options import CommandGroup
from vivavoce.version import __version__

app = CommandGroup(
    "viva",
    cls=Commands,
    context_settings={"help_option_names": ["--help", "-h"]},
    # `failures` explains errors in sentences and decides when a traceback helps.
    pretty_exceptions_enable=False,
)
intents.app.command()(threshold)
EXAMS, WORKSPACE, PARTS = "Exams", "Workspace and server", "Bots, models and installation"
for panel, groups in {
    EXAMS: (intents, conversations, dialogues),
    WORKSPACE: (workspace, runs),
    PARTS: (bots, assistant, classifiers, models),
}.items():
    for group in groups:
        app.add_typer(group.app, rich_help_panel=panel)
for panel, commands in {EXAMS: (demo, convert), WORKSPACE: (serve, worker), PARTS: (doctor.doctor,)}.items():
    for command in commands:
        app.command(command.__name__, rich_help_panel=panel)(command)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"viva {__version__}")
        raise typer.Exit


@app.callback()
def viva(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Examine chatbots: how good they are, why they get things wrong, what to fix next, and whether the fix helped.

    For example:

        viva demo
        viva intents check faq.csv
        viva intents examine faq.csv --html report.html
        viva conversations run flight --html report.html
        viva dialogues score log.jsonl --html report.html
        viva assistant chat
        viva serve --open

    Exit codes: 0 success · 1 a quality gate failed · 2 invalid input or options · 3 the work is incomplete and can
    be resumed.

    Defaults come from `VIVA_*` variables and from `vivavoce.toml` in the current folder.
    """
