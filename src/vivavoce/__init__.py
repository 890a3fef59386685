"""vivavoce: an oral exam for chatbots.

    from vivavoce import Dataset, examine_intents
    result = examine_intents(Dataset.of(texts, intents))

    from vivavoce import examine_conversations
    result = examine_conversations("flight", ["vectors", "keywords"])

    from vivavoce import examine_dialogues, read_dialogues
    result = examine_dialogues(read_dialogues("dialogues.jsonl").dialogues)

Names are loaded when they are first used, so `import vivavoce` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.bots.protocol import Bot
    from vivavoce.classifiers.protocol import Classifier, Probabilities
    from vivavoce.conversations import ConversationsResult, RunOptions, Suite, examine_conversations, read_suite
    from vivavoce.dialogues import Dialogue, DialoguesResult, examine_dialogues, read_dialogues
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
    from vivavoce.intents.whatif import (
        AddExamples,
        Forecast,
        Forecaster,
        MarkOutOfScope,
        MergeTopics,
        MoveExamples,
        RenameTopic,
        RetireTopic,
        SplitTopic,
        apply_edit,
        forecast,
        propose_split,
    )
    from vivavoce.outcomes import Outcome, TurnOutcome
    from vivavoce.records import Dataset, Example, Guess, Rate, Reply

_NAMES = {
    "bots.protocol": "Bot",
    "classifiers.protocol": "Classifier Probabilities",
    "conversations": "ConversationsResult RunOptions Suite examine_conversations read_suite",
    "dialogues": "Dialogue DialoguesResult examine_dialogues read_dialogues",
    "errors": "VivaError",
    "files": "read_dataset",
    "intents": "IntentsResult PAPER_SETTINGS PlausibleNegativeSplit Setting compare_classifiers examine_intents",
    "intents.whatif": "AddExamples Forecast Forecaster MarkOutOfScope MergeTopics MoveExamples RenameTopic "
    "RetireTopic SplitTopic apply_edit forecast propose_split",
    "outcomes": "Outcome TurnOutcome",
    "records": "Dataset Example Guess Rate Reply",
}
_HOMES = {name: f"vivavoce.{home}" for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "PAPER_SETTINGS",
    "AddExamples",
    "Bot",
    "Classifier",
    "ConversationsResult",
    "Dataset",
    "Dialogue",
    "DialoguesResult",
    "Example",
    "Forecast",
    "Forecaster",
    "Guess",
    "IntentsResult",
    "MarkOutOfScope",
    "MergeTopics",
    "MoveExamples",
    "Outcome",
    "PlausibleNegativeSplit",
    "Probabilities",
    "Rate",
    "RenameTopic",
    "Reply",
    "RetireTopic",
    "RunOptions",
    "Setting",
    "SplitTopic",
    "Suite",
    "TurnOutcome",
    "VivaError",
    "__version__",
    "apply_edit",
    "compare_classifiers",
    "examine_conversations",
    "examine_dialogues",
    "examine_intents",
    "forecast",
    "propose_split",
    "read_dataset",
    "read_dialogues",
    "read_suite",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'vivavoce' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
