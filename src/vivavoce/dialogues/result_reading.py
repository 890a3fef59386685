"""The result of a dialogues exam from its JSON form: what `result_to_json` writes, read back.

Keys may stand in any order. What was said is not in the JSON form: who has the log gives the dialogues too, else
each is known by its kind, its bot, its mark and the number of its messages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vivavoce.dialogues.dialogue import Dialogue, Kind, Rating, Utterance
from vivavoce.dialogues.recalibration import recalibration_from_json
from vivavoce.dialogues.result import (
    Agreement,
    CalibrationBin,
    Cause,
    Concord,
    DialoguesResult,
    Disagreement,
    Drift,
    Origin,
    Passport,
    Ranking,
    Reason,
    Recalibration,
    Score,
    SystemLine,
    SystemPair,
    TurnEffect,
)
from vivavoce.dialogues.result_json import DEFINITIONS
from vivavoce.errors import DataError, Fault, plural
from vivavoce.files.objects import (
    MisreadError,
    Shape,
    check_head,
    count,
    each,
    flag,
    maybe,
    members,
    named,
    number,
    one_of,
    ordered,
    rate,
    read_document,
    text,
)

REMEDY = "give the JSON form that vivavoce wrote, or score the dialogues again"
LOG = "give the dialogues of the log that was scored, in its order, or none"


def dialogues_result_from_json(
    data: Mapping[str, Any], *, dialogues: Sequence[Dialogue] | None = None
) -> DialoguesResult:
    """Return the result whose JSON form this is; DataError names every key that is missing or wrong.

    `dialogues`: those that were scored, in their order. Without them the result has no text of any message.
    """
    found = read_document(data, _result, what="this result of a dialogues exam", remedy=REMEDY)
    return found if dialogues is None else replace(found, dialogues=_paired(found, dialogues))


def _paired(result: DialoguesResult, dialogues: Sequence[Dialogue]) -> tuple[Dialogue, ...]:
    """Refuse a log that is not the one that was scored."""
    if len(dialogues) != len(result.scores):
        what = f"there are {plural(len(dialogues), 'dialogue')} for {plural(len(result.scores), 'score')}"
        raise DataError(what, remedy=LOG)
    pairs = enumerate(zip(dialogues, result.scores, strict=True), 1)
    faults = [
        Fault(f"is '{one.id}' in the log and '{score.id}' in the result", f"dialogue {place}")
        for place, (one, score) in pairs
        if one.id != score.id
    ]
    if faults:
        raise DataError("these are not the dialogues that were scored", faults=faults, remedy=LOG)
    return tuple(dialogues)


def _result(data: Any) -> DialoguesResult:
    check_head(data, "dialogues", DEFINITIONS)
    found = members(data, _RESULT)
    talks, people = found.pop("scores"), found.pop("people")
    if len(talks) != len(people):
        raise MisreadError(Fault(f"has {len(people)} entries for {len(talks)} scores", "people"))
    dialogues = tuple(
        dialogue if person is None else replace(dialogue, user=f"person {person}")
        for (dialogue, _), person in zip(talks, people, strict=True)
    )
    return DialoguesResult(dialogues=dialogues, scores=tuple(score for _, score in talks), **found)


# --- talks -------------------------------------------------------------------------------------------------------


def _talk(value: Any) -> tuple[Dialogue, Score]:
    score = _score(value)
    found = members(value, _TALK)
    if len(found["roles"]) != len(score.turns):
        raise MisreadError(Fault(f"has {len(found['roles'])} entries for {len(score.turns)} effects", "roles"))
    mark = found["mark"]
    return Dialogue(
        id=score.id,
        turns=_silent_turns(found, score),
        ratings=() if mark is None else (Rating("", mark),),
        bot=found["bot"],
        passed=found["passed"],
    ), score


def _silent_turns(found: Mapping[str, Any], score: Score) -> tuple[Utterance, ...]:
    """Return the messages without their texts: those with an effect by their speakers, the others by the kind."""
    # A named bot makes a talk one with a bot; without a name a message must.
    is_bot = {Kind.HUMAN_BOT: not found["bot"] or None, Kind.HUMAN_HUMAN: False}.get(found["kind"])
    turns = [Utterance(f"speaker {1 + place % 2}", "", is_bot) for place in range(found["messages"])]
    for effect, role in zip(score.turns, found["roles"], strict=True):
        if 0 < effect.number <= len(turns):
            turns[effect.number - 1] = Utterance(effect.speaker, "", role)
    return tuple(turns)


def _score(value: Any) -> Score:
    return Score(**members(value, _SCORE, {"refusal": "", "cause": None, "learned": False}))


def _effect(value: Any) -> TurnEffect:
    return TurnEffect(**members(value, {"number": count, "speaker": text, "effect": _number}))


def _reason(value: Any) -> Reason:
    return Reason(**members(value, {"name": text, "effect": _number, "text": text}))


def _number(value: Any) -> float:
    """Return a number; null stands for what JSON cannot write."""
    return math.nan if value is None else number(value)


# --- trust -------------------------------------------------------------------------------------------------------


def _passport(value: Any) -> Passport:
    found = members(value, _PASSPORT, {"by_bot": {}, "people": None, "drift": None})
    bots = sorted(found.pop("by_bot").items(), key=lambda item: (-item[1].n, item[0]))
    tests, origin = found.pop("tests"), found["origin"]
    found["local"] = ordered(found["local"], tests["local"])
    if origin is not None:
        found["origin"] = replace(origin, agreements=ordered(origin.agreements, tests["origin"]))
    return Passport(**found, bots=dict(bots))


def _concord(value: Any) -> Concord:
    return Concord(**members(value, _CONCORD))


def _drift(value: Any) -> Drift:
    return Drift(**members(value, {"distance": number, "limit": number, "talks": count, "traits": each(text)}))


def _tests(value: Any) -> dict[str, tuple[str, ...]]:
    return members(value, {"local": each(text), "origin": each(text)})


def _origin(value: Any) -> Origin:
    return Origin(**members(value, _ORIGIN))


def _lengths(value: Any) -> tuple[int, int]:
    found = each(count)(value)
    if len(found) != 2:
        raise MisreadError(Fault(f"has {len(found)} entries, not 2"))
    return found[0], found[1]


def _agreement(value: Any) -> Agreement:
    return Agreement(**members(value, _AGREEMENT))


def _bin(value: Any) -> CalibrationBin:
    return CalibrationBin(**members(value, {"score": _number, "mark": rate}))


def _recalibration(value: Any) -> Recalibration:
    try:
        return recalibration_from_json(value)
    except DataError as error:
        raise MisreadError(*(error.faults or (Fault(error.what),))) from None


# --- bots and talks to read --------------------------------------------------------------------------------------


def _ranking(value: Any) -> Ranking:
    found = members(value, {"systems": each(_line), "pairs": each(_pair), "warning": text})
    return Ranking(lines=found["systems"], pairs=found["pairs"], warning=found["warning"])


def _line(value: Any) -> SystemLine:
    return SystemLine(**members(value, _LINE))


def _pair(value: Any) -> SystemPair:
    return SystemPair(**members(value, _PAIR))


def _disagreement(value: Any) -> Disagreement:
    shape: Shape = {"id": text, "kind": text, "score": _number, "other": _number, "text": text}
    return Disagreement(**members(value, shape))


# --- shapes ------------------------------------------------------------------------------------------------------

_perhaps = maybe(number)
_SCORE: Shape = {
    "id": text,
    "score": _perhaps,
    "low": _perhaps,
    "high": _perhaps,
    "turns": each(_effect),
    "reasons": each(_reason),
    "warnings": each(text),
    "refusal": text,
    "cause": maybe(one_of(Cause, "a cause")),
    "learned": flag,
}
_TALK: Shape = {
    "kind": one_of(Kind, "a kind of talk"),
    "bot": maybe(text),
    "mark": _perhaps,
    "messages": count,
    "roles": each(maybe(flag)),
    "passed": maybe(flag),
}
_AGREEMENT: Shape = {
    "n": count,
    "refused": count,
    **dict.fromkeys(("pearson", "spearman", "kendall", "mse"), rate),
    "slope": _perhaps,
    "intercept": _perhaps,
    "bins": each(_bin),
}
_ORIGIN: Shape = {
    **dict.fromkeys(("learnt_from", "licence", "method", "language"), text),
    "dialogues": count,
    "lengths": maybe(_lengths),
    "agreements": named(_agreement),
}
_CONCORD: Shape = {
    **dict.fromkeys(("items", "raters", "missing"), count),
    "same": rate,
    "near": maybe(rate),
    "alpha": rate,
}
_PASSPORT: Shape = {
    "rater": text,
    "may_compare": flag,
    "verdict": text,
    "warnings": each(text),
    "local": named(_agreement),
    "origin": maybe(_origin),
    "tests": _tests,
    "by_bot": named(_agreement),
    "people": maybe(_concord),
    "drift": maybe(_drift),
}
_LINE: Shape = {
    "bot": text,
    "n": count,
    "mean": rate,
    "strength": rate,
    **dict.fromkeys(("rank", "low_rank", "high_rank"), maybe(count)),
}
_PAIR: Shape = {
    "first": text,
    "second": text,
    "difference": rate,
    "p": _perhaps,
    "verdict": text,
    "dialogues_to_decide": maybe(count),
}
_RESULT: Shape = {
    "source": text,
    "notes": each(text),
    "passport": _passport,
    "recalibration": maybe(_recalibration),
    "ranking": maybe(_ranking),
    "queue": each(_disagreement),
    "scores": each(_talk),
    "people": each(maybe(count)),
}
