"""`viva dialogues train` and `reproduce`: models that learn from rated dialogues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.cli.dialogues.material import MODEL_ENDING, list_absent_parts, open_log, read_published_part
from vivavoce.cli.dialogues.options import PRESETS, Lessons, LogReading, Repetition
from vivavoce.cli.shared.failures import tell_notes
from vivavoce.cli.shared.progress import Report
from vivavoce.errors import DataError, UsageError, nearest, plural

if TYPE_CHECKING:
    from rich.console import Console

    from vivavoce.dialogues import Dialogue, Origin, Prepared, Reproduction
    from vivavoce.dialogues.networks.reproduction import Averages, Row
    from vivavoce.settings import Settings

TITLES = {"convai2017": "ConvAI 2017", "convai2018": "ConvAI2 2018", "dstc9": "DSTC9 interactive", "fed": "FED"}
# Licences that the parts of the data sets state themselves.
LICENCES = {"july2017": "Apache-2.0"}
# With fewer ratings, the shipped model with a recalibration is about as good.
COMFORTABLE = 500
LEFT_OUT = ("duplicates", "short", "long", "unrated")


@dataclass(frozen=True, slots=True)
class Material:
    """Dialogues to learn from, their name, and notes about what was left out."""

    dialogues: tuple[Dialogue, ...]
    learnt_from: str
    licence: str
    notes: tuple[str, ...] = ()


def read_material(file: str, reading: LogReading, lessons: Lessons, settings: Settings) -> Material:
    """Read what a model learns from: the user's log, or a public data set."""
    if lessons.published is not None:
        return _read_published(lessons.published, Path(file), lessons)
    if lessons.part is not None:
        raise UsageError("--part requires a public data set", remedy="choose the data set with --published")
    with open_log(file, reading, settings) as log:
        corpus = log.read()
    if log.invented:
        raise DataError(
            "the ratings of these dialogues are invented: a model cannot learn from them",
            where=log.name,
            remedy="use dialogues that people rated",
        )
    notes = (*corpus.notes, *_describe_unused(corpus.dialogues))
    return Material(corpus.dialogues, lessons.learnt_from or Path(log.name).name, lessons.licence or "", notes)


def _read_published(name: str, place: Path, lessons: Lessons) -> Material:
    from vivavoce.dialogues import prepare

    prepared = prepare(read_published_part(name, place, lessons.part))
    notes = (describe_prepared(prepared), *(() if lessons.part else list_absent_parts(name, place)))
    title = TITLES[name] + (f", {lessons.part}" if lessons.part else "")
    # The licence that all dialogues have in common; none if one of them states none.
    licences = {LICENCES.get(dialogue.source, "") for dialogue in prepared.kept}
    licence = lessons.licence if lessons.licence is not None else licences.pop() if len(licences) == 1 else ""
    return Material(prepared.kept, lessons.learnt_from or title, licence, notes)


def describe_prepared(prepared: Prepared) -> str:
    """Say how many dialogues are left, and how many each published rule removed."""
    removed = {name: len(getattr(prepared, name)) for name in LEFT_OUT}
    read = len(prepared.kept) + sum(removed.values())
    counts = ", ".join(f"{count:,} {name}" for name, count in removed.items())
    return f"{plural(read, 'dialogue')} read, {len(prepared.kept):,} kept; skipped: {counts}"


def _describe_unused(dialogues: Sequence[Dialogue]) -> list[str]:
    """Say which dialogues a model cannot learn from."""
    from vivavoce.dialogues import rated_views
    from vivavoce.dialogues.refusals import refuse

    rated = [dialogue for dialogue in dialogues if dialogue.quality is not None]
    reasons = [refuse(dialogue) for dialogue in rated]
    usable = [dialogue for dialogue, why in zip(rated, reasons, strict=True) if not why]
    ratings, unrated = len(list(rated_views(usable))), len(dialogues) - len(rated)
    notes = [f"{plural(unrated, 'dialogue')} without a rating: not used for training"] if unrated else []
    notes += [
        f"{plural(count, 'dialogue')} not used for training: {why}"
        for why, count in Counter(filter(None, reasons)).most_common()
    ]
    if ratings < COMFORTABLE:
        notes.append(
            f"{plural(ratings, 'rating')} on {plural(len(usable), 'dialogue')} to train on: with fewer than about "
            f"{COMFORTABLE} ratings expect little, and compare with the bundled model (`viva dialogues evaluate "
            "--rater learned --rater learned:OUT` on other dialogues)"
        )
    return notes


def check_model_path(out: Path) -> None:
    """Refuse a name that is not that of a model."""
    if out.suffix.casefold() != MODEL_ENDING:
        raise UsageError(
            f"models are saved as {MODEL_ENDING}", where=f"OUT {out}", remedy=f"name it {out.stem}{MODEL_ENDING}"
        )


def model_to_json(out: Path, origin: Origin, material: Material) -> dict[str, Any]:
    """Return the passport of a new model."""
    from vivavoce.dialogues.json_form import to_json

    return {"model": str(out), "bytes": out.stat().st_size, "notes": list(material.notes), "origin": to_json(origin)}


def show_model(console: Console, out: Path, origin: Origin, material: Material) -> None:
    """Show the passport of a new model."""
    from vivavoce.messages import sentence
    from vivavoce.reports.dialogues.tables import print_agreement
    from vivavoce.reports.dialogues.wording import learnt_sentence
    from vivavoce.reports.shared.layout import block, heading

    console.print(heading("Model passport", f"{learnt_sentence(origin)} {sentence(origin.method)}"))
    # A dialogue may have many ratings, and each of them is one row to learn from.
    print_agreement(console, origin.agreements, where="that were not in the model's training data", counted="rating")
    tell_notes(material.notes, quiet=False)
    console.print(block(f"To use it: viva dialogues score FILE --model {out}", "dim"))


def parse_preset(repetition: Repetition) -> str:
    """Return the preset by which the networks are trained."""
    name = repetition.preset or ("quick" if repetition.quick else "faithful")
    if name not in PRESETS:
        raise UsageError(
            f"unknown preset '{name}'.{nearest(name, PRESETS)}", remedy=f"choose one of: {', '.join(PRESETS)}"
        )
    if repetition.quick and name != "quick":
        raise UsageError(f"--quick and --preset {name} contradict each other", remedy="use one of them")
    return name


def train_networks(
    prepared: Prepared, preset: str, networks: tuple[str, ...], repetition: Repetition, progress: Report
) -> Reproduction:
    """Train the networks again."""
    from vivavoce.dialogues import reproduce
    from vivavoce.dialogues.networks.fitting import PRESETS as FITTING_PRESETS
    from vivavoce.dialogues.networks.vocabulary import find_vectors
    from vivavoce.dialogues.splits import SEEDS
    from vivavoce.text import viva_home

    return reproduce(
        prepared.kept,
        preset=FITTING_PRESETS[preset],
        seeds=SEEDS[: repetition.splits],
        architectures=networks,
        vectors=find_vectors(viva_home(), prepared.kept),
        progress=progress,
        workers=repetition.workers,
    )


TABLES = (
    ("Table 1: one network over the whole dialogue", ("gru", "bigru")),
    ("Table 2: hierarchical encoder", ("hre",)),
)
NETWORK_NAMES = {"gru": "GRU", "bigru": "BiGRU", "hre": "HRE"}
TABLE_HEAD = ("Network", "Loss", "Pearson", "Spearman")


def show_reproduction(console: Console, result: Reproduction, prepared: Prepared, notes: Sequence[str] = ()) -> None:
    """Show the published tables beside those of this machine."""
    from vivavoce.reports.dialogues.tables import print_reproduction

    for title, names in TABLES:
        rows = [line for row in result.rows if row.architecture in names for line in _build_rows(row)]
        if rows:
            print_reproduction(console, [TABLE_HEAD, *rows], title=title)
    print_reproduction(console, [], title="How to read this", notes=[*_list_remarks(result, prepared), *notes])


def _build_rows(row: Row) -> list[tuple[str, ...]]:
    def write(averages: Averages) -> list[str]:
        spreads = (averages.mse, averages.pearson, averages.spearman)
        return [f"{each.mean:.2f}" + ("" if each.sd is None else f" (sd {each.sd:.2f})") for each in spreads]

    name, published = NETWORK_NAMES[row.architecture], row.published
    figures = (published.mse, published.pearson, published.spearman)
    return [
        (f"{name}, published (best epoch seen)", *(f"{figure:.2f}" for figure in figures)),
        (f"{name}, here, best epoch seen", *write(row.best)),
        (f"{name}, here, honest", *write(row.honest)),
    ]


def _list_remarks(result: Reproduction, prepared: Prepared) -> list[str]:
    remarks = [
        "best epoch seen: the lowest loss and the highest correlations of all epochs on the test part, as published; "
        "they use the ratings they are tested on",
        "honest: the epoch is chosen on a tenth of the training dialogues, then tested once",
        f"{describe_prepared(prepared)}; {plural(result.views, 'row')}, {plural(len(result.seeds), 'split')}, "
        f"{result.preset.epochs} epochs at {result.preset.rate:g}",
    ]
    if not result.glove:
        remarks.append(
            "GloVe vectors are not installed, so the networks learned their own word vectors: viva models get glove"
        )
    if result.preset.name != "faithful":
        remarks.append(f"the published networks were not trained with the preset '{result.preset.name}'")
    return remarks


def reproduction_to_json(result: Reproduction, prepared: Prepared, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the tables with their basis; `notes` name missing parts of the data set."""
    return {
        "preset": asdict(result.preset),
        "seeds": list(result.seeds),
        "dialogues": result.dialogues,
        "removed": {name: len(getattr(prepared, name)) for name in LEFT_OUT},
        "views": result.views,
        "glove": result.glove,
        "notes": list(notes),
        "rows": [asdict(row) for row in result.rows],
    }
