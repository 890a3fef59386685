"""`viva dialogues train` and `reproduce`: models that learn from marked talks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.cli.dialogues.material import MODEL_ENDING, absent_parts, opened, published_part
from vivavoce.cli.dialogues.notes import tell_notes
from vivavoce.cli.dialogues.options import LogReading
from vivavoce.cli.dialogues.training_options import NETWORKS, PRESETS, Lessons, Repetition
from vivavoce.cli.shared.progress import Report
from vivavoce.cli.shared.results import Screen, head
from vivavoce.errors import DataError, UsageError, nearest, plural

if TYPE_CHECKING:
    from rich.console import Console

    from vivavoce.dialogues import Dialogue, Model, Origin, Prepared, Reproduction
    from vivavoce.dialogues.networks.reproduction import Averages, Row, Spread
    from vivavoce.settings import Settings

TITLES = {"convai2017": "ConvAI 2017", "convai2018": "ConvAI2 2018", "dstc9": "DSTC9 interactive", "fed": "FED"}
# Licences that the parts of the data sets state themselves.
LICENCES = {"july2017": "Apache-2.0"}
# Below this a model of one's own is hardly better than the shipped one with a recalibration.
COMFORTABLE = 500
LEFT_OUT = ("duplicates", "short", "long", "unrated")


# --- training ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Material:
    """Dialogues to learn from, what they are called, and what was left out of them."""

    dialogues: tuple[Dialogue, ...]
    learnt_from: str
    licence: str
    notes: tuple[str, ...] = ()


def material_of(file: str, reading: LogReading, lessons: Lessons, settings: Settings) -> Material:
    """Read what a model shall learn from: a log of the user's own, or a public data set."""
    if lessons.published is not None:
        return _published(lessons.published, Path(file), lessons)
    if lessons.part is not None:
        raise UsageError("--part belongs to a public data set", remedy="name the data set with --published")
    with opened(file, reading, settings) as log:
        corpus = log.read()
    if log.invented:
        raise DataError(
            "the marks of these talks are invented: there is nothing to learn from them",
            where=log.name,
            remedy="give talks that people marked",
        )
    named = lessons.learnt_from or Path(log.name).name
    notes = (*corpus.notes, *_unused(corpus.dialogues))
    return Material(corpus.dialogues, named, lessons.licence or "", notes)


def _published(name: str, place: Path, lessons: Lessons) -> Material:
    from vivavoce.dialogues import prepare

    prepared = prepare(published_part(name, place, lessons.part))
    notes = (prepared_sentence(prepared), *(() if lessons.part else absent_parts(name, place)))
    title = TITLES[name] + (f", {lessons.part}" if lessons.part else "")
    licence = _licence_of(prepared.kept) if lessons.licence is None else lessons.licence
    return Material(prepared.kept, lessons.learnt_from or title, licence, notes)


def _licence_of(dialogues: Sequence[Dialogue]) -> str:
    """Return the licence that all dialogues have in common; nothing where one of them states none."""
    licences = {LICENCES.get(dialogue.source, "") for dialogue in dialogues}
    return licences.pop() if len(licences) == 1 else ""


def prepared_sentence(prepared: Prepared) -> str:
    """Say what the published rules left, and what each of them removed."""
    removed = {name: len(getattr(prepared, name)) for name in LEFT_OUT}
    read = len(prepared.kept) + sum(removed.values())
    told = ", ".join(f"{count:,} {name}" for name, count in removed.items())
    return f"{plural(read, 'dialogue')} read, {len(prepared.kept):,} kept; left out: {told}"


def _unused(dialogues: Sequence[Dialogue]) -> list[str]:
    """Say which dialogues a model cannot learn from."""
    from vivavoce.dialogues import rated_views
    from vivavoce.dialogues.refusals import refuse

    marked = [dialogue for dialogue in dialogues if dialogue.quality is not None]
    reasons = [refuse(dialogue) for dialogue in marked]
    usable = [dialogue for dialogue, why in zip(marked, reasons, strict=True) if not why]
    marks, unmarked = len(list(rated_views(usable))), len(dialogues) - len(marked)
    told = [f"{plural(unmarked, 'dialogue')} without a mark: not learnt from"] if unmarked else []
    told += [
        f"{plural(count, 'dialogue')} not learnt from: {why}"
        for why, count in Counter(filter(None, reasons)).most_common()
    ]
    if marks < COMFORTABLE:
        told.append(
            f"{plural(marks, 'mark')} on {plural(len(usable), 'dialogue')} to learn from: below about "
            f"{COMFORTABLE} marks expect little, and compare with "
            "the shipped model (`viva dialogues evaluate --rater learned --rater learned:OUT` on other talks)"
        )
    return told


def check_model_path(out: Path) -> None:
    """Refuse a name that would not be known as a model later."""
    if out.suffix.casefold() != MODEL_ENDING:
        raise UsageError(
            f"a model is written as {MODEL_ENDING}", where=f"OUT {out}", remedy=f"name it {out.stem}{MODEL_ENDING}"
        )


def learn(material: Material, *, seed: int, progress: Report) -> Model:
    """Train a model, with its passport."""
    from vivavoce.dialogues import train_model

    return train_model(
        material.dialogues,
        learnt_from=material.learnt_from,
        licence=material.licence,
        seed=seed,
        progress=progress,
    )


def model_to_json(out: Path, origin: Origin, material: Material) -> dict[str, Any]:
    """Return what was trained and how it does on talks that it had not seen."""
    from vivavoce.dialogues.json_form import to_json

    return {
        **head("dialogues-model"),
        "model": str(out),
        "bytes": out.stat().st_size,
        "notes": list(material.notes),
        "origin": to_json(origin),
    }


def show_model(out: Path, origin: Origin, material: Material) -> None:
    """Show the passport of a new model."""
    from vivavoce.reports.dialogues.tables import print_agreement
    from vivavoce.reports.dialogues.wording import learnt_sentence, sentence
    from vivavoce.reports.shared.layout import block, heading

    console = Screen()
    console.print(heading("The passport of this model", f"{learnt_sentence(origin)} {sentence(origin.method)}"))
    # A talk may have many marks, and each of them is one row to learn from.
    print_agreement(console, origin.agreements, where="that the model had not seen while it learnt", counted="mark")
    tell_notes(material.notes, quiet=False)
    console.print(block(f"To use it: viva dialogues score FILE --model {out}", "dim"))


# --- the published networks --------------------------------------------------------------------------------------


def preset_name(repetition: Repetition) -> str:
    """Return how the networks are trained."""
    name = repetition.preset or ("quick" if repetition.quick else "faithful")
    if name not in PRESETS:
        raise UsageError(
            f"there is no preset '{name}'.{nearest(name, PRESETS)}", remedy=f"choose one of: {', '.join(PRESETS)}"
        )
    if repetition.quick and name != "quick":
        raise UsageError(f"--quick and --preset {name} contradict each other", remedy="give one of them")
    return name


def networks_of(repetition: Repetition) -> tuple[str, ...]:
    """Return the networks that were named, all in the order of the tables."""
    from vivavoce.dialogues.networks.fitting import check_architectures

    named = tuple(dict.fromkeys(repetition.network or NETWORKS))
    check_architectures(named)
    return named


def read_prepared(place: Path) -> tuple[Prepared, tuple[str, ...]]:
    """Read the dialogues of the published metric and apply its rules; also say which parts are not there."""
    from vivavoce.dialogues import prepare

    return prepare(published_part("convai2017", place, None)), absent_parts("convai2017", place)


def reproduced(prepared: Prepared, repetition: Repetition, home: Path, progress: Report) -> Reproduction:
    """Train the networks again."""
    from vivavoce.dialogues import reproduce
    from vivavoce.dialogues.networks.fitting import PRESETS as KNOWN
    from vivavoce.dialogues.networks.vocabulary import find_vectors
    from vivavoce.dialogues.splits import SEEDS

    return reproduce(
        prepared.kept,
        preset=KNOWN[preset_name(repetition)],
        seeds=SEEDS[: repetition.splits],
        architectures=networks_of(repetition),
        vectors=find_vectors(home, prepared.kept),
        progress=progress,
        workers=repetition.workers,
    )


TABLES = (("Table 1: one network over the whole talk", ("gru", "bigru")), ("Table 2: hierarchical encoder", ("hre",)))
NETWORK_NAMES = {"gru": "GRU", "bigru": "BiGRU", "hre": "HRE"}
TABLE_HEAD = ("Network", "Loss", "Pearson", "Spearman")


def show_reproduction(console: Console, found: Reproduction, prepared: Prepared, notes: Sequence[str] = ()) -> None:
    """Show the published tables beside those of this machine."""
    from vivavoce.reports.dialogues.tables import print_reproduction

    for title, names in TABLES:
        rows = [line for row in found.rows if row.architecture in names for line in _table_rows(row)]
        if rows:
            print_reproduction(console, [TABLE_HEAD, *rows], title=title)
    print_reproduction(console, [], title="How to read this", notes=[*_remarks(found, prepared), *notes])


def _table_rows(row: Row) -> list[tuple[str, ...]]:
    name, said = NETWORK_NAMES[row.architecture], row.published
    return [
        (f"{name}, published (best epoch seen)", f"{said.mse:.2f}", f"{said.pearson:.2f}", f"{said.spearman:.2f}"),
        (f"{name}, here, best epoch seen", *_cells(row.best)),
        (f"{name}, here, honest", *_cells(row.honest)),
    ]


def _cells(found: Averages) -> list[str]:
    return [_cell(spread) for spread in (found.mse, found.pearson, found.spearman)]


def _cell(spread: Spread) -> str:
    return f"{spread.mean:.2f}" + ("" if spread.sd is None else f" (sd {spread.sd:.2f})")


def _remarks(found: Reproduction, prepared: Prepared) -> list[str]:
    told = [
        "best epoch seen: the lowest loss and the highest correlations of all epochs on the test part, as published; "
        "they look at the marks that they are tested on",
        "honest: the epoch is chosen on a tenth of the training dialogues, then tested once",
        f"{prepared_sentence(prepared)}; {plural(found.views, 'row')}, {plural(len(found.seeds), 'split')}, "
        f"{found.preset.epochs} epochs at {found.preset.rate:g}",
    ]
    if not found.glove:
        told.append("no GloVe vectors here, so the networks learnt their own words: viva models get glove")
    if found.preset.name != "faithful":
        told.append(f"the preset '{found.preset.name}' is not how the published networks were trained")
    return told


def reproduction_to_json(found: Reproduction, prepared: Prepared, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the tables with what they rest on; `notes`: what of the data set is not there."""
    removed = {name: len(getattr(prepared, name)) for name in LEFT_OUT}
    return {
        **head("dialogues-reproduction"),
        "preset": asdict(found.preset),
        "seeds": list(found.seeds),
        "dialogues": found.dialogues,
        "removed": removed,
        "views": found.views,
        "glove": found.glove,
        "notes": list(notes),
        "rows": [asdict(row) for row in found.rows],
    }
