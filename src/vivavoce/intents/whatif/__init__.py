"""What-if: edits of training data, and a forecast of what they would bring."""

from vivavoce.intents.whatif.clusters import propose_split
from vivavoce.intents.whatif.edits import (
    AddExamples,
    Edit,
    MarkOutOfScope,
    MergeTopics,
    MoveExamples,
    RenameTopic,
    RetireTopic,
    SplitTopic,
    apply_edit,
)
from vivavoce.intents.whatif.effects import ChangedQuestion, Effect
from vivavoce.intents.whatif.forecasting import Forecast, Forecaster, forecast

__all__ = [
    "AddExamples",
    "ChangedQuestion",
    "Edit",
    "Effect",
    "Forecast",
    "Forecaster",
    "MarkOutOfScope",
    "MergeTopics",
    "MoveExamples",
    "RenameTopic",
    "RetireTopic",
    "SplitTopic",
    "apply_edit",
    "forecast",
    "propose_split",
]
