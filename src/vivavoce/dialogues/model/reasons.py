"""What moved a score, in words: features in groups, each with the sentence that says what was seen."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.model.features import FEATURE, NAMES
from vivavoce.errors import plural
from vivavoce.sentences import say

Floats = NDArray[np.float64]
Row = Callable[[str], float]

WORDING = "wording"
_STYLE = "style"

# How much of the talk is the peer's, and at which end it stands.
_PLACES = ("peer_share", "peer_first", "peer_last")

# The first group with a fitting pattern takes a feature; what none takes is style.
_PATTERNS: dict[str, tuple[str, ...]] = {
    "liking": ("*_thumb_*",),
    "repetition": ("*_repeat*", "*_echo_*"),
    "relevance": ("*_relevance_*", "*_related_*", "*common_share", "answered_share", "*_answered_*"),
    "questions": ("*_question_*", "*_insisting_*", "*_asked*", "asked_back_share"),
    "not knowing": ("*_ignorance_*", "*_puzzled_*"),
    "mood": ("*_displeased*", "*_pleased*", "*_machine*", "*_exclaimed_*", "*_thanks*", "*_farewell*"),
    "effort": ("judge_words_*", "judge_new_*", "judge_variety", "judge_short_*"),
    "bot's length": ("peer_words_*", "peer_new_*", "peer_variety", "peer_short_*"),
    "length": ("messages", "words", "runs", "alternation", "*_messages", "*_run_*", "*_opens_*", *_PLACES),
}


def _group(name: str) -> str:
    for group, patterns in _PATTERNS.items():
        if any(fnmatch(name, pattern) for pattern in patterns):
            return group
    return _STYLE


GROUPS: dict[str, NDArray[np.intp]] = {
    group: np.array([FEATURE[name] for name in NAMES if _group(name) == group], dtype=np.intp)
    for group in (*_PATTERNS, _STYLE)
}


def describe(group: str, features: Floats, peer: str) -> str:
    """Return what was seen of a group in one talk; `peer` is what the other side is called."""

    def value(name: str) -> float:
        return float(features[FEATURE[name]])

    return _SENTENCES[group](value, peer)


def _liking(value: Row, peer: str) -> str:
    count = value("peer_messages")
    disliked = value("peer_thumb_disliked") * count
    return say(f"{disliked:.0f} of {count:.0f} messages of {peer} are of a kind that people gave thumbs down for")


def _repetition(value: Row, peer: str) -> str:
    if value("peer_repeated_sum"):
        again = plural(round(value("peer_repeated_sum")), "message")
        return say(f"{peer} said much the same again in {again}")
    return say(f"the two messages of {peer} that are most alike share {value('peer_repeat_top'):.0%} of their words")


def _relevance(value: Row, peer: str) -> str:
    return say(f"{value('peer_related_each'):.0%} of the messages of {peer} took up a word of what came just before")


def _questions(value: Row, peer: str) -> str:
    asking = plural(round(value("peer_question_sum")), "message")
    said = say(f"{peer} asked in {asking}, the person in {value('judge_question_sum'):.0f}")
    if not value("peer_asked_each"):
        return said
    back = say(f"{peer} met {value('asked_back_share'):.0%} of questions with a question")
    return f"{said}; {back}"


def _not_knowing(value: Row, peer: str) -> str:
    own, other = value("peer_ignorance_sum"), value("judge_ignorance_sum")
    return say(f'"I do not know" or "I do not understand": {peer} {own:.0f} times, the person {other:.0f} times')


def _mood(value: Row, peer: str) -> str:
    count = value("judge_messages")
    upset = (value("judge_displeased_each") + value("judge_machine_each")) * count
    pleased = value("judge_pleased_each") * count
    return say(
        f"the person used {plural(round(upset), 'word')} of displeasure or about machines, {pleased:.0f} of pleasure"
    )


def _effort(value: Row, peer: str) -> str:
    return say(f"the person wrote {value('judge_words_each'):.1f} words and signs a message")


def _length_of_peer(value: Row, peer: str) -> str:
    return say(f"{peer} wrote {value('peer_words_each'):.1f} words and signs a message")


def _length(value: Row, peer: str) -> str:
    return say(f"the talk has {value('messages'):.0f} messages, {value('peer_share'):.0%} of them by {peer}")


def _style(value: Row, peer: str) -> str:
    unknown = value("peer_unknown_word")
    return say(
        f"ways of writing, such as rare words ({unknown:.0%} of those of {peer}), commas, digits and forms of address"
    )


def _wording(value: Row, peer: str) -> str:
    return say("words and phrases that stood in better or worse talks")


_SENTENCES: dict[str, Callable[[Row, str], str]] = {
    "liking": _liking,
    "repetition": _repetition,
    "relevance": _relevance,
    "questions": _questions,
    "not knowing": _not_knowing,
    "mood": _mood,
    "effort": _effort,
    "bot's length": _length_of_peer,
    "length": _length,
    _STYLE: _style,
    WORDING: _wording,
}
