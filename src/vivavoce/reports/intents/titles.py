"""What people call the outcomes of a question and the faults of training data; the stable names stand in JSON."""

from __future__ import annotations

from vivavoce.outcomes import Outcome

OUTCOME_TITLES = {
    Outcome.RIGHT: "Right",
    Outcome.WRONG_INTENT: "Wrong topic",
    Outcome.OVERREACH: "Answered a stranger",
    Outcome.MISSED: "Missed",
    Outcome.WRONG_DEFERRED: "Held back an error",
    Outcome.NO_GUESS: "No guess",
    Outcome.DECLINED: "Stranger declined",
    Outcome.DECLINED_NO_GUESS: "Stranger declined, no guess",
}

PROBLEM_TITLES = {
    "all_singletons": "Every topic has one example",
    "contradiction": "Same text under two topics",
    "duplicate": "Repeated text",
    "encoding": "Damaged letters",
    "future_date": "Date in the future",
    "imbalance": "Very large topics",
    "language_mix": "Mixed languages",
    "near_duplicate": "Nearly repeated text",
    "one_class": "Nothing to tell apart",
    "short_text": "Text says nothing",
    "similar_names": "Topic names nearly the same",
    "singleton": "Topic with one example",
    "tiny": "Topic with few examples",
    "unreadable_date": "Date cannot be read",
    "very_long_text": "Very long text",
}
