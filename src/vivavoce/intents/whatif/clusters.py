"""Where a topic would best be split in two: the two clusters of its sentence vectors."""

from __future__ import annotations

from vivavoce.errors import DataError, Fault, UsageError, nearest
from vivavoce.intents.topic_structure import divide
from vivavoce.intents.whatif.edits import SplitTopic
from vivavoce.records import Dataset
from vivavoce.text.cache import encode_cached
from vivavoce.text.vectors import load_encoder

MIN_EXAMPLES = 4


def propose_split(data: Dataset, topic: str, new: str | None = None, *, encoder: str = "minilm") -> SplitTopic:
    """Return the split of a topic into its two clusters; the smaller one gets the new name.

    Always the same for the same examples: the clusters start from the direction in which the examples differ most.
    """
    places = [place for place, intent in enumerate(data.intents) if intent == topic]
    if not places:
        fault = Fault(f"no topic has this name.{nearest(topic, list(data.sizes))}", f"'{topic}'")
        raise DataError("this topic cannot be split", where=data.source, faults=[fault])
    if len(places) < MIN_EXAMPLES:
        what = f"'{topic}' has {len(places)} examples: too few to split"
        raise UsageError(what, remedy=f"a topic needs at least {MIN_EXAMPLES}")
    second = divide(encode_cached(load_encoder(encoder), [data.texts[place] for place in places]))
    rows = tuple(data.number(place) for place, is_second in zip(places, second, strict=True) if is_second)
    return SplitTopic(topic, rows, new or free_name(topic, data))


def free_name(topic: str, data: Dataset) -> str:
    """Return a name like this that no topic has."""
    number = 2
    while f"{topic} ({number})" in data.sizes:
        number += 1
    return f"{topic} ({number})"
