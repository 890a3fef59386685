"""What people call the outcomes of a question and the faults of training data; the stable names stand in JSON."""

from __future__ import annotations

from vivavoce.messages import say
from vivavoce.outcomes import Outcome

OUTCOME_TITLES = {
    Outcome.RIGHT: say("Correct"),
    Outcome.WRONG_INTENT: say("Wrong topic"),
    Outcome.OVERREACH: say("Out-of-scope question answered"),
    Outcome.MISSED: say("Missed"),
    Outcome.WRONG_DEFERRED: say("Error avoided"),
    Outcome.NO_GUESS: say("No guess"),
    Outcome.DECLINED: say("Out-of-scope question declined"),
    Outcome.DECLINED_NO_GUESS: say("Out-of-scope question declined, no guess"),
}

PROBLEM_TITLES = {
    "all_singletons": say("Every topic has one example"),
    "contradiction": say("Same text in two topics"),
    "duplicate": say("Duplicate text"),
    "encoding": say("Garbled characters"),
    "future_date": say("Date in the future"),
    "imbalance": say("Very large topics"),
    "language_mix": say("Mixed languages"),
    "near_duplicate": say("Near-duplicate text"),
    "one_class": say("Nothing to tell apart"),
    "short_text": say("Meaningless text"),
    "similar_names": say("Nearly identical topic names"),
    "singleton": say("Topic with one example"),
    "tiny": say("Topic with few examples"),
    "unreadable_date": say("Invalid date"),
    "very_long_text": say("Very long text"),
}
