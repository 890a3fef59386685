"""Scores, and all that is known about them, as JSON and back.

Keys may be in any order. Texts are not in the JSON form: a caller with the log passes the dialogues too, else each is
known by its kind, its bot, its rating and the number of its messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.codec import FLAT, Hook, check_head, from_json, number_or_nan, ordered, shape, to_json
from vivavoce.dialogues.agreement import kind_of
from vivavoce.dialogues.dialogue import Dialogue, Kind, Rating, Utterance
from vivavoce.dialogues.passport import find_agreement, follows, follows_sentence, help_sentences, what_helps
from vivavoce.dialogues.recalibration import recalibration_from_json, recalibration_to_json
from vivavoce.dialogues.result import (
    Agreement,
    CalibrationBin,
    DialoguesResult,
    Disagreement,
    Drift,
    Help,
    Origin,
    Passport,
    Ranking,
    Reason,
    Recalibration,
    Score,
    TurnEffect,
)
from vivavoce.errors import DataError, Fault
from vivavoce.messages import say, say_count
from vivavoce.version import __version__

# Whoever writes these types takes `to_json` from here, where their shapes are known.
__all__ = [
    "DEFINITIONS",
    "dialogues_result_from_json",
    "origin_from_json",
    "result_to_json",
    "score_to_json",
    "scores_from_json",
    "to_json",
    "trust_to_json",
]

# What the numbers mean; it rises when the same number is counted in another way.
DEFINITIONS = 1
_WHAT = "this result of a dialogues exam"
_REMEDY = say("pass JSON written by vivavoce, or score the dialogues again")
_LOG = say("pass the dialogues of the scored log in their original order, or none")


@dataclass(frozen=True, slots=True)
class _ScoredDialogue:
    """A score and what is told of its dialogue; `roles`: of each effect, whether a bot spoke; null: unknown."""

    score: Score
    kind: Kind
    bot: str | None
    mark: float | None
    messages: int
    roles: tuple[bool | None, ...]
    passed: bool | None


# What the document and the result have alike.
_SHARED = ("source", "notes", "passport", "recalibration", "ranking", "queue")


@dataclass(frozen=True, slots=True)
class _Document:
    """A result as it is written. `people`: a number for each person, so that who they are does not leave the log."""

    source: str
    notes: tuple[str, ...]
    passport: Passport
    recalibration: Recalibration | None
    ranking: Ranking | None
    queue: tuple[Disagreement, ...]
    scores: tuple[_ScoredDialogue, ...]
    people: tuple[int | None, ...]


def result_to_json(result: DialoguesResult) -> dict[str, Any]:
    """Return the JSON form of a whole exam; `recalibration` and `ranking` are null where there is none."""
    users = dict.fromkeys(dialogue.user for dialogue in result.dialogues if dialogue.user)
    numbers = {user: number for number, user in enumerate(users, 1)}
    document = _Document(
        **{name: getattr(result, name) for name in _SHARED},
        scores=tuple(map(_describe, result.scores, result.dialogues)),
        people=tuple(numbers.get(dialogue.user or "") for dialogue in result.dialogues),
    )
    return to_json(document)  # type: ignore[no-any-return]


def score_to_json(score: Score, dialogue: Dialogue | None = None) -> dict[str, Any]:
    """Return the JSON form of one score: null and a `refusal` where there is none.

    With the dialogue also its kind, its bot and its mean rating; its texts stay in the log.
    """
    return to_json(score if dialogue is None else _describe(score, dialogue))  # type: ignore[no-any-return]


def _describe(score: Score, dialogue: Dialogue) -> _ScoredDialogue:
    turns = dialogue.turns
    roles = tuple(turns[turn.number - 1].is_bot if 0 < turn.number <= len(turns) else None for turn in score.turns)
    return _ScoredDialogue(
        score, kind_of(dialogue), dialogue.bot, dialogue.quality, len(turns), roles, dialogue.passed
    )


def scores_from_json(data: object) -> tuple[Score, ...]:
    """Return scores that were written without their dialogues."""
    return from_json(tuple[Score, ...], data, what="these scores", remedy=_REMEDY)


def trust_to_json(passport: Passport) -> dict[str, Any]:
    """Return what the user's own marks and dialogues say about the score, and what would help."""
    written = to_json(passport)
    return {key: written[key] for key in ("follows", "helps", "by_bot", "people", "drift")}


def origin_from_json(content: object, where: str = "") -> Origin:
    """Return the origin that was written; refuse what is none."""
    remedy = "train the model again, or reinstall vivavoce if the model came with it"
    return from_json(Origin, content, what="the origin of the rater", remedy=remedy, where=where)


def list_problems(passport: Passport) -> list[dict[str, Any]]:
    """Return what to fix next before a score is believed: what is wrong, codes of what would help, and the advice."""
    agreement, helps = find_agreement(passport.local), _find_help(passport)
    if agreement is None or not helps:
        return []
    return [
        {
            "kind": str(follows(agreement)),
            "rater": passport.rater,
            "message": follows_sentence(agreement),
            "remedies": [str(code) for code in helps],
            "advice": " ".join(help_sentences(agreement, passport.people)),
        }
    ]


def _find_help(passport: Passport) -> tuple[Help, ...]:
    agreement = find_agreement(passport.local)
    return () if agreement is None else what_helps(agreement, passport.people)


def dialogues_result_from_json(
    data: Mapping[str, Any], *, dialogues: Sequence[Dialogue] | None = None
) -> DialoguesResult:
    """Return the result whose JSON form this is; DataError names every key that is missing or wrong.

    `dialogues`: those that were scored, in their order. Without them the result has no text of any message.
    """
    data = check_head(data, "dialogues", DEFINITIONS, what=_WHAT, remedy=_REMEDY)
    document = from_json(_Document, data, what=_WHAT, remedy=_REMEDY)
    scores, people = document.scores, document.people
    faults = [
        Fault(
            say("has {count} entries for {count2} effects", count=len(entry.roles), count2=len(entry.score.turns)),
            f"scores[{place}].roles",
        )
        for place, entry in enumerate(scores)
        if len(entry.roles) != len(entry.score.turns)
    ]
    if len(scores) != len(people):
        fault = say("has {count} entries for {count2} scores", count=len(people), count2=len(scores))
        faults.append(Fault(fault, "people"))
    if faults:
        raise DataError(say("{what} cannot be read", what=_WHAT), faults=faults, remedy=_REMEDY)
    if dialogues is not None:
        _check_log([entry.score.id for entry in scores], dialogues)
    return DialoguesResult(
        **{name: getattr(document, name) for name in _SHARED},
        dialogues=tuple(map(_make_dialogue, scores, people)) if dialogues is None else tuple(dialogues),
        scores=tuple(entry.score for entry in scores),
    )


def _check_log(ids: Sequence[str], dialogues: Sequence[Dialogue]) -> None:
    """Refuse a log that is not the one that was scored."""
    if len(dialogues) != len(ids):
        what = say(
            "the log has {dialogues}, but the result has {scores}",
            dialogues=say_count(len(dialogues), "{n} dialogue", "{n} dialogues"),
            scores=say_count(len(ids), "{n} score", "{n} scores"),
        )
        raise DataError(what, remedy=_LOG)
    faults = [
        Fault(
            say("is '{id}' in the log and '{score_id}' in the result", id=dialogue.id, score_id=score_id),
            say("dialogue {place}", place=place),
        )
        for place, (dialogue, score_id) in enumerate(zip(dialogues, ids, strict=True), 1)
        if dialogue.id != score_id
    ]
    if faults:
        raise DataError(say("these are not the scored dialogues"), faults=faults, remedy=_LOG)


def _make_dialogue(entry: _ScoredDialogue, person: int | None) -> Dialogue:
    """Return a dialogue without its texts: messages with an effect by their speakers, the others by the kind."""
    # A named bot makes it a dialogue with a bot; without a name a message must.
    is_bot = {Kind.HUMAN_BOT: not entry.bot or None, Kind.HUMAN_HUMAN: False}.get(entry.kind)
    turns = [Utterance(f"speaker {1 + place % 2}", "", is_bot) for place in range(entry.messages)]
    for effect, role in zip(entry.score.turns, entry.roles, strict=True):
        if 0 < effect.number <= len(turns):
            turns[effect.number - 1] = Utterance(effect.speaker, "", role)
    return Dialogue(
        id=entry.score.id,
        turns=tuple(turns),
        ratings=() if entry.mark is None else (Rating("", entry.mark),),
        bot=entry.bot,
        user=None if person is None else f"person {person}",
        passed=entry.passed,
    )


@dataclass(frozen=True, slots=True)
class _Tests:
    local: tuple[str, ...]
    origin: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ordered:
    """A passport beside the names of its tests, in the order in which they are shown."""

    passport: Passport
    tests: _Tests


def _read_passport(value: Any, read_as: Any) -> Passport:
    whole: _Ordered = read_as(value, _Ordered)
    passport, origin = whole.passport, whole.passport.origin
    return replace(
        passport,
        local=ordered(passport.local, whole.tests.local),
        origin=origin and replace(origin, agreements=ordered(origin.agreements, whole.tests.origin)),
        bots=dict(sorted(passport.bots.items(), key=lambda item: (-item[1].n, item[0]))),
    )


# Null stands for what JSON cannot write.
_NUMBER = Hook(None, number_or_nan)
shape(TurnEffect, hooks={"effect": _NUMBER})
shape(Reason, hooks={"effect": _NUMBER})
shape(Disagreement, hooks={"score": _NUMBER, "other": _NUMBER})
shape(CalibrationBin, hooks={"score": _NUMBER})
shape(Score, order="id score low high turns reasons warnings refusal cause learned", brief="refusal cause learned")
shape(_ScoredDialogue, score=FLAT)
shape(
    Agreement,
    order="n follows refused pearson spearman kendall mse slope intercept bins",
    lenient=True,
    added={"follows": lambda agreement: str(follows(agreement))},
)
shape(Origin, order="learnt_from licence dialogues method language lengths agreements", lenient=True)
shape(Drift, order="distance limit differs talks traits", added={"differs": lambda drift: drift.differs})
shape(
    Passport,
    order="rater may_compare verdict warnings local origin tests follows helps bots people drift",
    optional="bots people drift",
    added={
        "tests": lambda passport: {
            "local": list(passport.local),
            "origin": list(passport.origin.agreements if passport.origin else ()),
        },
        "follows": lambda passport: (agreement := find_agreement(passport.local)) and str(follows(agreement)),
        "helps": lambda passport: list(map(str, _find_help(passport))),
    },
    bots="by_bot",
)
shape(_Ordered, passport=FLAT)
shape(Ranking, order="warning lines pairs", lines="systems")
shape(
    _Document,
    order="vivavoce kind definitions source dialogues notes passport recalibration ranking queue scores people "
    "problems",
    added={
        "vivavoce": lambda _: __version__,
        "kind": lambda _: "dialogues",
        "definitions": lambda _: DEFINITIONS,
        "dialogues": lambda document: len(document.scores),
        "problems": lambda document: list_problems(document.passport),
    },
    hooks={
        "passport": Hook(None, _read_passport),
        "recalibration": Hook(
            lambda line: line and recalibration_to_json(line),
            lambda value, _: None if value is None else recalibration_from_json(value),
        ),
    },
)
