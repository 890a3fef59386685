"""From the words on the command line to settings in force and examples in memory."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.cli.shared.options import Reading
from vivavoce.errors import FileError, UsageError, nearest
from vivavoce.settings import OPTIONS, Settings, load_settings

if TYPE_CHECKING:
    from vivavoce.intents.runner import AnyClassifier
    from vivavoce.records import Dataset

# Parts below the settings look for these in the environment only.
HANDED_ON = ("home", "word_vectors")
WITH_ENCODER = ("linear", "vectors")
MEGABYTE = 1024**2
# Instead of a name after --out-of-scope: every intent is a topic.
EVERY_INTENT = "-"


def settings_in_force(*groups: Any) -> Settings:
    """Return the settings, those given as options first, and hand on what deeper parts look for."""
    names = {option.name for option in OPTIONS}
    given = {
        field.name: getattr(group, field.name) for group in groups for field in fields(group) if field.name in names
    }
    settings = load_settings(given)
    for name in HANDED_ON:
        if (value := getattr(settings, name)) is not None:
            os.environ[f"VIVA_{name.upper()}"] = str(value)
    return settings


def classifier_name(name: str, settings: Settings) -> str:
    """Return the name with the encoder of the settings, where the classifier reads by one and names none."""
    return f"{name}:{settings.encoder}" if name in WITH_ENCODER and settings.encoder != "minilm" else name


def engine_of(name: str, settings: Settings) -> AnyClassifier:
    """Return the classifier of this name, waited for as the settings say."""
    from vivavoce.intents.exam import load_classifier, patient

    return patient(load_classifier(classifier_name(name, settings)), settings.timeout, settings.attempts)


def read_material(name: str, reading: Reading, settings: Settings) -> Dataset:
    """Read a file, or shipped material where there is no file of that name."""
    from vivavoce import demo
    from vivavoce.files import read_dataset

    if not os.path.exists(name) and name in demo.shipped():
        _refuse_reading_options(name, reading)
        return demo.load(name)
    _hint_at_shipped(name, demo.shipped())
    return read_dataset(
        Path(name),
        text_column=reading.text_column,
        intent_column=reading.intent_column,
        split=reading.split,
        out_of_scope=None if reading.out_of_scope == EVERY_INTENT else reading.out_of_scope,
        format=reading.format,
        max_bytes=settings.max_file_mb * MEGABYTE,
        max_rows=settings.max_rows,
        encoding=reading.encoding,
        sheet=reading.sheet,
        skip_bad=reading.skip_bad,
    )


def _refuse_reading_options(name: str, reading: Reading) -> None:
    plain = replace(Reading(), max_file_mb=reading.max_file_mb, max_rows=reading.max_rows)
    given = [f.name for f in fields(Reading) if getattr(reading, f.name) != getattr(plain, f.name)]
    if given:
        shown = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise UsageError(
            f"'{name}' is shipped material and is read as it is: {shown} cannot be used", remedy="leave it out"
        )


def _hint_at_shipped(name: str, shipped: tuple[str, ...]) -> None:
    path = Path(name)
    if path.suffix or len(path.parts) != 1 or path.exists() or not nearest(name, shipped):
        return
    raise FileError(
        f"there is neither a file nor shipped material of this name.{nearest(name, shipped)}",
        where=name,
        remedy=f"shipped material: {', '.join(shipped)}",
    )
