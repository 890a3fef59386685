"""Exam 1, intents: can anyone learn these topics from this training data?"""

from vivavoce.intents.check import CheckResult, check
from vivavoce.intents.exam import examine_intents
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import PAPER_SETTINGS, Design, Partition, Setting, Singletons, SplitPlan
from vivavoce.intents.splitter import PlausibleNegativeSplit

__all__ = [
    "PAPER_SETTINGS",
    "CheckResult",
    "Design",
    "IntentsResult",
    "Partition",
    "PlausibleNegativeSplit",
    "Setting",
    "Singletons",
    "SplitPlan",
    "check",
    "examine_intents",
]
