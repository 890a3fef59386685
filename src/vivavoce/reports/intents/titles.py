"""What people call the outcomes of a question and the faults of training data; the stable names stand in JSON."""

from __future__ import annotations

from vivavoce.messages import say
from vivavoce.outcomes import Outcome

OUTCOME_TITLES = {
    Outcome.RIGHT: say("Right"),
    Outcome.WRONG_INTENT: say("Wrong topic"),
    Outcome.OVERREACH: say("Answered a stranger"),
    Outcome.MISSED: say("Missed"),
    Outcome.WRONG_DEFERRED: say("Held back an error"),
    Outcome.NO_GUESS: say("No guess"),
    Outcome.DECLINED: say("Stranger declined"),
    Outcome.DECLINED_NO_GUESS: say("Stranger declined, no guess"),
}

PROBLEM_TITLES = {
    "all_singletons": say("Every topic has one example"),
    "contradiction": say("Same text under two topics"),
    "duplicate": say("Repeated text"),
    "encoding": say("Damaged letters"),
    "future_date": say("Date in the future"),
    "imbalance": say("Very large topics"),
    "language_mix": say("Mixed languages"),
    "near_duplicate": say("Nearly repeated text"),
    "one_class": say("Nothing to tell apart"),
    "short_text": say("Text says nothing"),
    "similar_names": say("Topic names nearly the same"),
    "singleton": say("Topic with one example"),
    "tiny": say("Topic with few examples"),
    "unreadable_date": say("Date cannot be read"),
    "very_long_text": say("Very long text"),
}
