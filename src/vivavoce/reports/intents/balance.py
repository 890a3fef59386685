"""What stands beside the headline: a topic that outweighs the others, and the mean over topics."""

from __future__ import annotations

from vivavoce.intents.result import IntentsResult
from vivavoce.reports.intents.meanings import hundred
from vivavoce.reports.intents.wording import of_hundred
from vivavoce.sentences import say


def balance_sentence(result: IntentsResult) -> str:
    """Say which topic dominates, if any, and how many known questions are right when every topic counts alike."""
    largest = [note.message for note in result.warnings if note.kind == "largest_topic"]
    return " ".join([*largest, *_mean_over_topics(result)])


def _mean_over_topics(result: IntentsResult) -> list[str]:
    rates = result.settings[0].rates if result.settings else {}
    alike, by_size = rates.get("recall_macro"), rates.get("in_scope_accuracy")
    if alike is None or by_size is None or alike.value is None or by_size.value is None:
        return []
    return [
        say(
            f"Of 100 known questions, it would answer {of_hundred(alike)} rightly if visitors asked about each topic "
            f"equally often, and {hundred(by_size.value)} if their questions were spread over the topics as the "
            "examples are."
        )
    ]
