"""The options of `viva dialogues train` and `reproduce`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from vivavoce.cli.shared.completion import complete_choices
from vivavoce.cli.shared.options import EXAM, READING

PARTS = ("july", "autumn")
SETS = ("convai2017", "convai2018", "dstc9", "fed")
NETWORKS = ("gru", "bigru", "hre")
PRESETS = ("faithful", "fast", "quick")


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a model learns from, and what its passport says of it."""

    published: Annotated[
        str | None,
        typer.Option(
            "--published",
            metavar="NAME",
            help="FILE is a public data set, or its folder: `convai2017`, `convai2018`, `dstc9`, `fed`. Duplicates, "
            "unrated, short and long dialogues are left out as published.",
            rich_help_panel=READING,
            autocompletion=complete_choices(SETS),
        ),
    ] = None
    part: Annotated[
        str | None,
        typer.Option(
            "--part",
            metavar="NAME",
            help="Only this part of a public data set, for example `july`.",
            rich_help_panel=READING,
            autocompletion=complete_choices(PARTS),
        ),
    ] = None
    learnt_from: Annotated[
        str | None,
        typer.Option(
            "--learnt-from",
            metavar="TEXT",
            help="What the dialogues are, for the passport.",
            show_default="name of the file or data set",
            rich_help_panel=EXAM,
        ),
    ] = None
    licence: Annotated[
        str | None,
        typer.Option(
            "--licence", metavar="TEXT", help="Licence of the dialogues, for the passport.", rich_help_panel=EXAM
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Repetition:
    """Which of the published networks are trained again, and how."""

    network: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="|".join(NETWORKS),
            help="Only this network. May be repeated.",
            show_default="all three",
            rich_help_panel=EXAM,
            autocompletion=complete_choices(NETWORKS),
        ),
    ] = None
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="|".join(PRESETS),
            help="As published (60 epochs), on a smaller budget, or only to see that everything runs.",
            show_default="faithful",
            rich_help_panel=EXAM,
            autocompletion=complete_choices(PRESETS),
        ),
    ] = None
    quick: Annotated[bool, typer.Option("--quick", help="Short for `--preset quick`.", rich_help_panel=EXAM)] = False
    splits: Annotated[
        int | None,
        typer.Option(
            "--splits",
            metavar="N",
            min=1,
            max=5,
            help="Only the first N of the five splits.",
            show_default="5",
            rich_help_panel=EXAM,
        ),
    ] = None
    workers: Annotated[
        int,
        typer.Option(
            "--workers", metavar="N", min=1, help="Networks trained at the same time.", rich_help_panel=EXAM
        ),
    ] = 1
