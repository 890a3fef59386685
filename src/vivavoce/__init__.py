"""vivavoce: an oral exam for chatbots.

    from vivavoce import Dataset, examine_intents
    result = examine_intents(Dataset.of(texts, intents))

Names are loaded when they are first used, so `import vivavoce` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.classifiers.protocol import Classifier, Probabilities
    from vivavoce.errors import VivaError
    from vivavoce.files import read_dataset
    from vivavoce.intents import (
        PAPER_SETTINGS,
        IntentsResult,
        PlausibleNegativeSplit,
        Setting,
        compare_classifiers,
        examine_intents,
    )
    from vivavoce.outcomes import Outcome
    from vivavoce.records import Dataset, Example, Guess, Rate

_HOMES = {
    "Classifier": "vivavoce.classifiers.protocol",
    "Dataset": "vivavoce.records",
    "Example": "vivavoce.records",
    "Guess": "vivavoce.records",
    "IntentsResult": "vivavoce.intents",
    "Outcome": "vivavoce.outcomes",
    "PAPER_SETTINGS": "vivavoce.intents",
    "PlausibleNegativeSplit": "vivavoce.intents",
    "Probabilities": "vivavoce.classifiers.protocol",
    "Rate": "vivavoce.records",
    "Setting": "vivavoce.intents",
    "VivaError": "vivavoce.errors",
    "compare_classifiers": "vivavoce.intents",
    "examine_intents": "vivavoce.intents",
    "read_dataset": "vivavoce.files",
}

__all__ = [
    "PAPER_SETTINGS",
    "Classifier",
    "Dataset",
    "Example",
    "Guess",
    "IntentsResult",
    "Outcome",
    "PlausibleNegativeSplit",
    "Probabilities",
    "Rate",
    "Setting",
    "VivaError",
    "__version__",
    "compare_classifiers",
    "examine_intents",
    "read_dataset",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'vivavoce' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
