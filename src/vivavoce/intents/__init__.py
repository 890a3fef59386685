"""Exam 1, intents: can anyone learn these topics from this training data?"""

from vivavoce.intents.blind import BlindResult, examine_blind, score_predictions
from vivavoce.intents.check import CheckResult, check
from vivavoce.intents.comparison import ComparisonResult, compare_classifiers
from vivavoce.intents.exam import examine_intents
from vivavoce.intents.improve import Improvement, propose_improvements
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.selftest import SelfTest, run_selftest
from vivavoce.intents.splits import PAPER_SETTINGS, Design, Partition, Setting, Singletons, SplitPlan
from vivavoce.intents.splitter import PlausibleNegativeSplit
from vivavoce.intents.suspects import SuspectsResult, find_suspects
from vivavoce.intents.threshold_exam import ThresholdResult, advise_threshold
from vivavoce.intents.timeline import TimelineResult, examine_over_time

__all__ = [
    "PAPER_SETTINGS",
    "BlindResult",
    "CheckResult",
    "ComparisonResult",
    "Design",
    "Improvement",
    "IntentsResult",
    "Partition",
    "PlausibleNegativeSplit",
    "SelfTest",
    "Setting",
    "Singletons",
    "SplitPlan",
    "SuspectsResult",
    "ThresholdResult",
    "TimelineResult",
    "advise_threshold",
    "check",
    "compare_classifiers",
    "examine_blind",
    "examine_intents",
    "examine_over_time",
    "find_suspects",
    "propose_improvements",
    "run_selftest",
    "score_predictions",
]
