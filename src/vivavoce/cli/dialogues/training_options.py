"""The options of `viva dialogues train` and `reproduce`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from vivavoce.cli.shared.completion import complete_choices
from vivavoce.cli.shared.options import EXAM, READING, option

PARTS = ("july", "autumn")
SETS = ("convai2017", "convai2018", "dstc9", "fed")
NETWORKS = ("gru", "bigru", "hre")
PRESETS = ("faithful", "fast", "quick")


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a model learns from, and what its passport says of it."""

    published: Annotated[
        str | None,
        option(
            "--published",
            "NAME",
            "FILE is a public data set, or its folder: `convai2017`, `convai2018`, `dstc9`, `fed`. "
            "Duplicates, unrated, short and long dialogues are left out as published.",
            READING,
            complete=complete_choices(SETS),
        ),
    ] = None
    part: Annotated[
        str | None,
        option(
            "--part",
            "NAME",
            "Only this part of a public data set, for example `july`.",
            READING,
            complete=complete_choices(PARTS),
        ),
    ] = None
    learnt_from: Annotated[
        str | None,
        option(
            "--learnt-from",
            "TEXT",
            "What the dialogues are, for the passport.",
            EXAM,
            default="name of the file or data set",
        ),
    ] = None
    licence: Annotated[
        str | None, option("--licence", "TEXT", "Licence of the dialogues, for the passport.", EXAM)
    ] = None


@dataclass(frozen=True, slots=True)
class Repetition:
    """Which of the published networks are trained again, and how."""

    network: Annotated[
        list[str] | None,
        option(
            "--model",
            "|".join(NETWORKS),
            "Only this network. May be repeated.",
            EXAM,
            default="all three",
            complete=complete_choices(NETWORKS),
        ),
    ] = None
    preset: Annotated[
        str | None,
        option(
            "--preset",
            "|".join(PRESETS),
            "As published (60 epochs), on a smaller budget, or only to see that everything runs.",
            EXAM,
            default="faithful",
            complete=complete_choices(PRESETS),
        ),
    ] = None
    quick: Annotated[bool, option("--quick", "", "Short for `--preset quick`.", EXAM)] = False
    splits: Annotated[
        int | None, option("--splits", "N", "Only the first N of the five splits.", EXAM, default="5", low=1, high=5)
    ] = None
    workers: Annotated[int, option("--workers", "N", "Networks trained at the same time.", EXAM, low=1)] = 1
