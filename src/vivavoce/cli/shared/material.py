"""From the options of a command to settings and examples."""

from __future__ import annotations

import os
from dataclasses import fields
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
    """Return the settings, options first, and export what deeper parts read from the environment."""
    names = {option.name for option in OPTIONS}
    settings = load_settings(
        {field.name: getattr(group, field.name) for group in groups for field in fields(group) if field.name in names}
    )
    for name in HANDED_ON:
        if (value := getattr(settings, name)) is not None:
            os.environ[f"VIVA_{name.upper()}"] = str(value)
    return settings


def classifier_name(name: str, settings: Settings) -> str:
    """Return the name with the encoder of the settings if the classifier needs one and names none."""
    return f"{name}:{settings.encoder}" if name in WITH_ENCODER and settings.encoder != "minilm" else name


def load_engine(name: str, settings: Settings) -> AnyClassifier:
    """Load the classifier of this name, with the timeout and attempts of the settings."""
    from vivavoce.intents.exam import load_classifier, patient

    return patient(load_classifier(classifier_name(name, settings)), settings.timeout, settings.attempts)


def read_material(name: str, reading: Reading, settings: Settings) -> Dataset:
    """Read a file, or shipped material if there is no file of that name."""
    from vivavoce import demo
    from vivavoce.files import read_dataset

    path, shipped = Path(name), demo.shipped()
    if not path.exists() and name in shipped:
        _refuse_reading_options(name, reading)
        return demo.load(name)
    if not path.suffix and len(path.parts) == 1 and not path.exists() and (hint := nearest(name, shipped)):
        raise FileError(
            f"no file or bundled material has this name.{hint}",
            where=name,
            remedy=f"bundled material: {', '.join(shipped)}",
        )
    return read_dataset(
        path,
        text_column=reading.text_column,
        intent_column=reading.intent_column,
        split=reading.split,
        out_of_scope=None if reading.out_of_scope == EVERY_INTENT else reading.out_of_scope,
        format=reading.format,
        max_bytes=settings.max_file_mb * MEGABYTE,
        max_rows=settings.max_rows,
        encoding=reading.encoding,
        sheet=reading.sheet,
        header_row=reading.header_row,
        skip_bad=reading.skip_bad,
    )


def _refuse_reading_options(name: str, reading: Reading) -> None:
    usable = ("max_file_mb", "max_rows")
    unusable = [f.name for f in fields(Reading) if getattr(reading, f.name) != f.default and f.name not in usable]
    if unusable:
        flags = ", ".join(f"--{option.replace('_', '-')}" for option in unusable)
        raise UsageError(
            f"'{name}' is bundled material and cannot be changed: {flags} is not allowed", remedy="remove it"
        )
