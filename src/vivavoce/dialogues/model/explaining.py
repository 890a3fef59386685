"""Scores with their grounds: what each message and each group of features moved.

The effect of a message is the score of the dialogue minus the score that it would get if this message were like the
other messages of its side. (Simply leaving it out would mostly show that longer dialogues get better ratings.) The
effect of a group is the score minus the score of a dialogue that is typical in this group and the same in all others.
All before the score is cut to the scale, so that a dialogue at its end has effects too. Effects do not add up to the
score: parts work together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from string import Formatter

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Dialogue, Kind, View, judge_of
from vivavoce.dialogues.model.features import FEATURE, NAMES, dialogue_features
from vivavoce.dialogues.model.messages import EncodedDialogue
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.refusals import shorten
from vivavoce.dialogues.result import Drift, Reason, TurnEffect
from vivavoce.messages import join, say, say_count

Floats = NDArray[np.float64]

# Longer dialogues: only the messages that the thumb model finds most remarkable are tried.
MAX_TRIED = 60
# Smaller effects are noise, and more reasons are not read.
MIN_EFFECT = 0.05
MAX_REASONS = 5


@dataclass(frozen=True)
class Grounds:
    """A score between 1 and 5, and what moved it."""

    score: float
    low: float
    high: float
    turns: tuple[TurnEffect, ...] = ()
    reasons: tuple[Reason, ...] = ()


def explain(model: Model, views: Sequence[View]) -> list[Grounds]:
    """Return the grounds of each view; all are predicted together."""
    if not views:
        return []
    trials = [_try_changes(model, model.parts.read(view)) for view in views]
    ends = np.cumsum([len(features) for _, features, _ in trials])[:-1]
    wording = np.vstack([wording for _, _, wording in trials])
    outputs = model.parts.combine(wording, np.vstack([features for _, features, _ in trials]), ends.tolist())
    return [
        _explain_view(model, view, tried, features[0], part)
        for view, (tried, features, _), part in zip(views, trials, np.split(outputs, ends), strict=True)
    ]


def _try_changes(model: Model, dialogue: EncodedDialogue) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return the tried messages, and features and wording of all rows to be predicted for one dialogue.

    These are the dialogue as it is, without each tried message, and with each group of features made typical.
    """
    liked = model.parts.thumbs.predict(dialogue)
    tried = np.arange(len(liked))
    if len(liked) > MAX_TRIED:
        tried = np.sort(np.argsort(-np.abs(liked - liked.mean()), kind="stable")[:MAX_TRIED])
    masks = np.vstack([np.ones(len(liked)), stand_ins(dialogue, tried)])
    features = dialogue_features(dialogue, liked, masks)
    wording = model.parts.wording.predict(dialogue, masks)
    typical = np.repeat(features[:1], len(GROUPS) + 1, axis=0)
    for row, columns in enumerate(GROUPS.values()):
        typical[row, columns] = model.parts.scales.typical[columns]
    own = np.repeat(wording[:1], len(GROUPS) + 1, axis=0)
    own[-1] = model.parts.kernel.intercept
    return tried, np.vstack([features, typical]), np.vstack([wording, own])


def stand_ins(dialogue: EncodedDialogue, tried: NDArray[np.intp]) -> Floats:
    """Return one mask for each tried message: it counts nothing, the others of its side a little more instead."""
    masks = np.ones((len(tried), len(dialogue.peer)))
    for row, message in enumerate(tried):
        own = dialogue.peer == dialogue.peer[message]
        masks[row, own] = own.sum() / max(1, own.sum() - 1)
        masks[row, message] = 0
    return masks


def _explain_view(model: Model, view: View, tried: NDArray[np.intp], features: Floats, outputs: Floats) -> Grounds:
    kind = view.dialogue.kind
    equation, human = model.equation(kind), model.human(kind, outputs)
    raw = equation.raw(outputs, human)
    effects = raw[0] - raw[1:]
    score = equation.apply(outputs[:1], human[:1])
    low, high = equation.interval(score)
    turns = tuple(
        TurnEffect(int(number) + 1, view.dialogue.turns[number].speaker, float(effect))
        for number, effect in zip(tried, effects, strict=False)
    )
    peer = say("the bot") if kind is Kind.HUMAN_BOT else say("the other side")
    reasons = [
        Reason(group, float(effect), describe(group, features, peer))
        for group, effect in zip((*GROUPS, WORDING), effects[len(tried) :], strict=True)
        if abs(effect) >= MIN_EFFECT
    ]
    reasons.sort(key=lambda reason: -abs(reason.effect))
    return Grounds(float(score[0]), float(low[0]), float(high[0]), turns, tuple(reasons[:MAX_REASONS]))


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


# Held-out dialogues of the learned kind have 0.08, those of a single bot up to 0.29; other small talk has 0.30 to
# 0.36, scripted ones about a task 0.57 and more. Measured by benchmarks/dialogue_trust.py.
LIMIT = 0.3
NEIGHBOURS = 10
# Fewer dialogues do not show what kind they are; more would not say more.
MIN_DIALOGUES = 10
MAX_DIALOGUES = 200
MAX_TRAITS = 2


def measure_drift(model: Model, dialogues: Sequence[Dialogue]) -> Drift | None:
    """Return how far dialogues lie from the learned ones; None below ten. Each of them can be scored and is new.

    Each dialogue is compared with the ten learned ones that are most like it, on the scales of the model (normal
    quantiles of its features). What is left between both, averaged over the log, is 0 for dialogues of the learned
    kind, whatever bot they are with, and grows where no learned one is like them. The distance is the root mean
    square over all features, in standard deviations of the learned dialogues; what chance adds in a small log is
    taken off.
    """
    if len(dialogues) < MIN_DIALOGUES:
        return None
    sample, parts = dialogues[:: -(-len(dialogues) // MAX_DIALOGUES)], model.parts
    views = [View(shorten(dialogue)[0], judge_of(dialogue)) for dialogue in sample]
    features = np.vstack([parts.features(parts.read(view)) for view in views])
    rows, learned = parts.scales.apply(features).astype(np.float64), parts.kernel.examples.astype(np.float64)
    # What a row has in its own square is the same for all of its neighbours.
    distances = (learned**2).sum(axis=1)[None, :] - 2 * rows @ learned.T
    count = min(NEIGHBOURS, len(learned))
    nearest = np.argpartition(distances, count - 1, axis=1)[:, :count]
    spread = learned.std(axis=0)
    # What each dialogue has more or less than the learned ones that are most like it.
    gaps = np.asarray((rows - learned[nearest].mean(axis=1)) / np.where(spread > 0, spread, 1.0))
    # The square of a mean is too large by its variance.
    squares = gaps.mean(axis=0) ** 2 - gaps.var(axis=0) / len(gaps)
    distance = float(np.sqrt(max(0.0, squares.mean())))
    means = {name: float(squares[columns].mean()) for name, columns in GROUPS.items()}
    traits = sorted((name for name in means if means[name] > LIMIT**2), key=lambda name: -means[name])
    return Drift(distance, LIMIT, len(sample), tuple(traits[:MAX_TRAITS]))
