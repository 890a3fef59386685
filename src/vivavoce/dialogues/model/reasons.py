"""What moved a score, in words: features in groups, each with the sentence that says what was seen."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.model.features import FEATURE, NAMES
from vivavoce.messages import join, say, say_count

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
    return say(
        "{disliked:.0f} of {count:.0f} messages of {peer} are of a kind that people gave thumbs down for",
        disliked=disliked,
        count=count,
        peer=peer,
    )


def _repetition(value: Row, peer: str) -> str:
    if value("peer_repeated_sum"):
        again = say_count(round(value("peer_repeated_sum")), "{n} message", "{n} messages")
        return say("{peer} said much the same again in {again}", peer=peer, again=again)
    return say(
        "the two messages of {peer} that are most alike share {value:.0%} of their words",
        peer=peer,
        value=value("peer_repeat_top"),
    )


def _relevance(value: Row, peer: str) -> str:
    return say(
        "{value:.0%} of the messages of {peer} took up a word of what came just before",
        value=value("peer_related_each"),
        peer=peer,
    )


def _questions(value: Row, peer: str) -> str:
    asking = say_count(round(value("peer_question_sum")), "{n} message", "{n} messages")
    said = say(
        "{peer} asked in {asking}, the person in {value:.0f}",
        peer=peer,
        asking=asking,
        value=value("judge_question_sum"),
    )
    if not value("peer_asked_each"):
        return said
    back = say("{peer} met {value:.0%} of questions with a question", peer=peer, value=value("asked_back_share"))
    return join("; ", (said, back))


def _not_knowing(value: Row, peer: str) -> str:
    own, other = value("peer_ignorance_sum"), value("judge_ignorance_sum")
    return say(
        '"I do not know" or "I do not understand": {peer} {own:.0f} times, the person {other:.0f} times',
        peer=peer,
        own=own,
        other=other,
    )


def _mood(value: Row, peer: str) -> str:
    count = value("judge_messages")
    upset = (value("judge_displeased_each") + value("judge_machine_each")) * count
    pleased = value("judge_pleased_each") * count
    return say(
        "the person used {words} of displeasure or about machines, {pleased:.0f} of pleasure",
        words=say_count(round(upset), "{n} word", "{n} words"),
        pleased=pleased,
    )


def _effort(value: Row, peer: str) -> str:
    return say("the person wrote {value:.1f} words and signs a message", value=value("judge_words_each"))


def _length_of_peer(value: Row, peer: str) -> str:
    return say("{peer} wrote {value:.1f} words and signs a message", peer=peer, value=value("peer_words_each"))


def _length(value: Row, peer: str) -> str:
    return say(
        "the talk has {value:.0f} messages, {value2:.0%} of them by {peer}",
        value=value("messages"),
        value2=value("peer_share"),
        peer=peer,
    )


def _style(value: Row, peer: str) -> str:
    unknown = value("peer_unknown_word")
    return say(
        "ways of writing, such as rare words ({unknown:.0%} of those of {peer}), commas, digits and forms of address",
        unknown=unknown,
        peer=peer,
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
