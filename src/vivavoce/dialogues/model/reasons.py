"""What moved a score, in words: features in groups, each with the sentence that says what was seen."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch
from string import Formatter

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.model.features import FEATURE, NAMES
from vivavoce.messages import join, say, say_count

Floats = NDArray[np.float64]
Row = Callable[[str], float]

WORDING = "wording"
_STYLE = "style"

# How much of the dialogue is the peer's, and at which end.
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


def _find_group(name: str) -> str:
    fitting = (group for group, patterns in _PATTERNS.items() if any(fnmatch(name, pattern) for pattern in patterns))
    return next(fitting, _STYLE)


GROUPS: dict[str, NDArray[np.intp]] = {
    group: np.array([FEATURE[name] for name in NAMES if _find_group(name) == group], dtype=np.intp)
    for group in (*_PATTERNS, _STYLE)
}


def describe(group: str, features: Floats, peer: str) -> str:
    """Return what was seen of a group in one dialogue; `peer` is what the other side is called."""

    def value(name: str) -> float:
        return float(features[FEATURE[name]])

    if group == "repetition" and value("peer_repeated_sum"):
        again = say_count(round(value("peer_repeated_sum")), "{n} message", "{n} messages")
        return say("{peer} repeated nearly the same text in {again}", peer=peer, again=again)
    if group == "questions":
        asking = say_count(round(value("peer_question_sum")), "{n} message", "{n} messages")
        asked = say(
            "{peer} asked questions in {asking}, the person in {value:.0f}",
            peer=peer,
            asking=asking,
            value=value("judge_question_sum"),
        )
        back = say(
            "{peer} answered {value:.0%} of questions with a question", peer=peer, value=value("asked_back_share")
        )
        return join("; ", (asked, back)) if value("peer_asked_each") else asked
    template, make_values = _SENTENCES[group]
    values = {**make_values(value), "peer": peer}
    return say(template, **{name: values[name] for _, name, _, _ in Formatter().parse(template) if name})


# What is said of a group, and the values of its places beside `peer`.
_SENTENCES: dict[str, tuple[str, Callable[[Row], dict[str, object]]]] = {
    "liking": (
        say("{disliked:.0f} of {count:.0f} messages from {peer} resemble messages that people gave a thumbs-down"),
        lambda value: {
            "disliked": value("peer_thumb_disliked") * value("peer_messages"),
            "count": value("peer_messages"),
        },
    ),
    "repetition": (
        say("the two most similar messages from {peer} share {value:.0%} of their words"),
        lambda value: {"value": value("peer_repeat_top")},
    ),
    "relevance": (
        say("{value:.0%} of the messages from {peer} picked up a word from the message before"),
        lambda value: {"value": value("peer_related_each")},
    ),
    "not knowing": (
        say('"I do not know" or "I do not understand": {peer} {own:.0f} times, the person {other:.0f} times'),
        lambda value: {"own": value("peer_ignorance_sum"), "other": value("judge_ignorance_sum")},
    ),
    "mood": (
        say(
            "the person used {words} expressing displeasure or mentioning machines, and "
            "{pleased:.0f} expressing pleasure"
        ),
        lambda value: {
            "words": say_count(
                round((value("judge_displeased_each") + value("judge_machine_each")) * value("judge_messages")),
                "{n} word",
                "{n} words",
            ),
            "pleased": value("judge_pleased_each") * value("judge_messages"),
        },
    ),
    "effort": (
        say("the person wrote {value:.1f} words and punctuation marks per message"),
        lambda value: {"value": value("judge_words_each")},
    ),
    "bot's length": (
        say("{peer} wrote {value:.1f} words and punctuation marks per message"),
        lambda value: {"value": value("peer_words_each")},
    ),
    "length": (
        say("the dialogue has {value:.0f} messages, {value2:.0%} of them from {peer}"),
        lambda value: {"value": value("messages"), "value2": value("peer_share")},
    ),
    _STYLE: (
        say(
            "writing style, such as rare words ({unknown:.0%} of those from {peer}), commas, "
            "digits and forms of address"
        ),
        lambda value: {"unknown": value("peer_unknown_word")},
    ),
    WORDING: (say("words and phrases found in better or worse dialogues"), lambda value: {}),
}
