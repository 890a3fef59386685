"""Exam 1, intents: can anyone learn these topics from this training data?"""

from vivavoce.intents.blind import BlindResult, examine_blind, score_predictions
from vivavoce.intents.cards import Card, explain_problems
from vivavoce.intents.check import CheckResult, check
from vivavoce.intents.comparison import ComparisonResult, compare_classifiers
from vivavoce.intents.exam import examine_intents
from vivavoce.intents.guards import Progress, compare_scores, split_off
from vivavoce.intents.improve import Improvement, propose_improvements
from vivavoce.intents.problem_record import Decision, Standing, Verdict, review_problems
from vivavoce.intents.readiness import Readiness, judge_readiness
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.selftest import SelfTest, run_selftest
from vivavoce.intents.splits import PAPER_SETTINGS, Design, Partition, Setting, Singletons, SplitPlan
from vivavoce.intents.splitter import PlausibleNegativeSplit
from vivavoce.intents.suspects import SuspectsResult, find_suspects
from vivavoce.intents.threshold_exam import ThresholdResult, advise_threshold
from vivavoce.intents.timeline import TimelineResult, examine_over_time
from vivavoce.intents.track_record import PastForecast, TrackRecord, keep_record

__all__ = [
    "PAPER_SETTINGS",
    "BlindResult",
    "Card",
    "CheckResult",
    "ComparisonResult",
    "Decision",
    "Design",
    "Improvement",
    "IntentsResult",
    "Partition",
    "PastForecast",
    "PlausibleNegativeSplit",
    "Progress",
    "Readiness",
    "SelfTest",
    "Setting",
    "Singletons",
    "SplitPlan",
    "Standing",
    "SuspectsResult",
    "ThresholdResult",
    "TimelineResult",
    "TrackRecord",
    "Verdict",
    "advise_threshold",
    "check",
    "compare_classifiers",
    "compare_scores",
    "examine_blind",
    "examine_intents",
    "examine_over_time",
    "explain_problems",
    "find_suspects",
    "judge_readiness",
    "keep_record",
    "propose_improvements",
    "review_problems",
    "run_selftest",
    "score_predictions",
    "split_off",
]
