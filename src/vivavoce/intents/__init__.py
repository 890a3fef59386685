"""Exam 1, intents: can anyone learn these topics from this training data?"""

from vivavoce.intents.exam import examine_intents
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import PAPER_SETTINGS, Design, Partition, Setting, Singletons, SplitPlan

__all__ = [
    "PAPER_SETTINGS",
    "Design",
    "IntentsResult",
    "Partition",
    "Setting",
    "Singletons",
    "SplitPlan",
    "examine_intents",
]
