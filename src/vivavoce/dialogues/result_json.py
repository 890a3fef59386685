"""The stable JSON form of scores and of all that is known about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.dialogues.agreement import kind_of
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.following import follows, judged, what_helps
from vivavoce.dialogues.recalibration import recalibration_to_json
from vivavoce.dialogues.result import (
    Agreement,
    CalibrationBin,
    Concord,
    DialoguesResult,
    Disagreement,
    Drift,
    Origin,
    Passport,
    Ranking,
    Score,
    SystemLine,
    SystemPair,
)
from vivavoce.errors import DataError
from vivavoce.records import Rate
from vivavoce.version import __version__

# What the numbers mean; it rises when the same number is counted in another way.
DEFINITIONS = 1
REMEDY = "train the model again, or install vivavoce anew if it came with it"


def result_to_json(result: DialoguesResult) -> dict[str, Any]:
    """Return the JSON form of a whole exam; `recalibration` and `ranking` are null where there is none."""
    return {
        "vivavoce": __version__,
        "kind": "dialogues",
        "definitions": DEFINITIONS,
        "source": result.source,
        "dialogues": len(result.dialogues),
        "notes": list(result.notes),
        "passport": passport_to_json(result.passport),
        "recalibration": None if result.recalibration is None else recalibration_to_json(result.recalibration),
        "ranking": None if result.ranking is None else ranking_to_json(result.ranking),
        "queue": [disagreement_to_json(one) for one in result.queue],
        "scores": [
            score_to_json(score, dialogue) for dialogue, score in zip(result.dialogues, result.scores, strict=True)
        ],
        "people": _people(result.dialogues),
    }


def _people(dialogues: Sequence[Dialogue]) -> list[int | None]:
    """Return a number for the person of each talk, so that who they are does not leave the log; null: unknown."""
    numbers = {user: n for n, user in enumerate(dict.fromkeys(one.user for one in dialogues if one.user), 1)}
    return [numbers.get(one.user or "") for one in dialogues]


def score_to_json(score: Score, dialogue: Dialogue | None = None) -> dict[str, Any]:
    """Return the JSON form of one score: null and a `refusal` where there is none.

    With the dialogue also its kind, its bot and its mean mark; what was said stays in the log.
    """
    shown: dict[str, Any] = {
        "id": score.id,
        "score": _number(score.score),
        "low": _number(score.low),
        "high": _number(score.high),
        "turns": [
            {"number": turn.number, "speaker": turn.speaker, "effect": _number(turn.effect)} for turn in score.turns
        ],
        "reasons": [
            {"name": reason.name, "effect": _number(reason.effect), "text": reason.text} for reason in score.reasons
        ],
        "warnings": list(score.warnings),
    }
    if score.refusal:
        shown["refusal"] = score.refusal
    if score.cause is not None:
        shown["cause"] = str(score.cause)
    if score.learned:
        shown["learned"] = True
    return shown if dialogue is None else shown | _talk(dialogue, score)


def _talk(dialogue: Dialogue, score: Score) -> dict[str, Any]:
    """Return what is told of a talk beside its score; `roles`: of each effect, whether a bot spoke; null: unknown."""
    roles = [
        dialogue.turns[turn.number - 1].is_bot if 0 < turn.number <= len(dialogue.turns) else None
        for turn in score.turns
    ]
    return {
        "kind": str(kind_of(dialogue)),
        "bot": dialogue.bot,
        "mark": _number(dialogue.quality),
        "messages": len(dialogue.turns),
        "roles": roles,
        "passed": dialogue.passed,
    }


def agreement_to_json(agreement: Agreement) -> dict[str, Any]:
    """Return the JSON form of how well scores follow marks; `follows` says it in one word."""
    return {
        "n": agreement.n,
        "follows": str(follows(agreement)),
        "refused": agreement.refused,
        "pearson": _rate(agreement.pearson),
        "spearman": _rate(agreement.spearman),
        "kendall": _rate(agreement.kendall),
        "mse": _rate(agreement.mse),
        "slope": _number(agreement.slope),
        "intercept": _number(agreement.intercept),
        "bins": [{"score": _number(one.score), "mark": _rate(one.mark)} for one in agreement.bins],
    }


def passport_to_json(passport: Passport) -> dict[str, Any]:
    """Return the JSON form of a passport; `origin` null: nobody has measured the rater; `tests`: names in order."""
    learnt = passport.origin.agreements if passport.origin else {}
    return {
        "rater": passport.rater,
        "may_compare": passport.may_compare,
        "verdict": passport.verdict,
        "warnings": list(passport.warnings),
        "local": {name: agreement_to_json(one) for name, one in passport.local.items()},
        "origin": None if passport.origin is None else origin_to_json(passport.origin),
        "tests": {"local": list(passport.local), "origin": list(learnt)},
        **trust_to_json(passport),
    }


def trust_to_json(passport: Passport) -> dict[str, Any]:
    """Return what the user's own marks and talks say about the score: in one word, by bot, and what would help."""
    found = judged(passport.local)
    return {
        "follows": None if found is None else str(follows(found)),
        "helps": [] if found is None else [str(code) for code in what_helps(found, passport.people)],
        "by_bot": {bot: agreement_to_json(one) for bot, one in passport.bots.items()},
        "people": None if passport.people is None else _concord(passport.people),
        "drift": None if passport.drift is None else _drift(passport.drift),
    }


def _concord(people: Concord) -> dict[str, Any]:
    return {
        "items": people.items,
        "raters": people.raters,
        "same": _rate(people.same),
        "near": None if people.near is None else _rate(people.near),
        "alpha": _rate(people.alpha),
        "missing": people.missing,
    }


def _drift(drift: Drift) -> dict[str, Any]:
    return {
        "distance": drift.distance,
        "limit": drift.limit,
        "differs": drift.differs,
        "talks": drift.talks,
        "traits": list(drift.traits),
    }


def origin_to_json(origin: Origin) -> dict[str, Any]:
    """Return the JSON form of what a rater learnt from."""
    return {
        "learnt_from": origin.learnt_from,
        "licence": origin.licence,
        "dialogues": origin.dialogues,
        "method": origin.method,
        "language": origin.language,
        "lengths": None if origin.lengths is None else list(origin.lengths),
        "agreements": {name: agreement_to_json(one) for name, one in origin.agreements.items()},
    }


def origin_from_json(content: object, where: str = "") -> Origin:
    """Return the origin that was written; refuse what is none."""
    try:
        return _origin(content)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"the origin of the rater cannot be read ({type(error).__name__}: {error})"
        raise DataError(what, where=where, remedy=REMEDY) from None


def agreement_from_json(content: Mapping[str, Any]) -> Agreement:
    """Return the agreement that was written."""
    return Agreement(
        n=int(content["n"]),
        **{name: _rate_from(content[name]) for name in ("pearson", "spearman", "kendall", "mse")},
        slope=_optional(content.get("slope")),
        intercept=_optional(content.get("intercept")),
        bins=tuple(CalibrationBin(float(one["score"]), _rate_from(one["mark"])) for one in content.get("bins", ())),
        refused=int(content.get("refused", 0)),
    )


def ranking_to_json(ranking: Ranking) -> dict[str, Any]:
    """Return the JSON form of bots side by side, best first; `rank` is null for those with too few talks."""
    return {
        "warning": ranking.warning,
        "systems": [_line(line) for line in ranking.lines],
        "pairs": [_pair(pair) for pair in ranking.pairs],
    }


def disagreement_to_json(one: Disagreement) -> dict[str, Any]:
    """Return the JSON form of a dialogue to read."""
    return {
        "id": one.id,
        "kind": one.kind,
        "score": _number(one.score),
        "other": _number(one.other),
        "text": one.text,
    }


def _line(line: SystemLine) -> dict[str, Any]:
    return {
        "bot": line.bot,
        "n": line.n,
        "mean": _rate(line.mean),
        "strength": _rate(line.strength),
        "rank": line.rank,
        "low_rank": line.low_rank,
        "high_rank": line.high_rank,
    }


def _pair(pair: SystemPair) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": _rate(pair.difference),
        "p": _number(pair.p),
        "verdict": pair.verdict,
        "dialogues_to_decide": pair.dialogues_to_decide,
    }


def _number(value: float | None) -> float | None:
    """Return the number, None for what JSON cannot write."""
    return None if value is None or not math.isfinite(value) else value


def _rate(rate: Rate) -> dict[str, Any]:
    return Rate(_number(rate.value), _number(rate.low), _number(rate.high), rate.n).to_json()


def _rate_from(content: Mapping[str, Any]) -> Rate:
    low, high = _optional(content.get("low")), _optional(content.get("high"))
    return Rate(_optional(content["value"]), low, high, int(content["n"]))


def _optional(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def _origin(content: Any) -> Origin:
    lengths = content.get("lengths")
    texts = {name: content.get(name, "") for name in ("licence", "method")} | {"learnt_from": content["learnt_from"]}
    texts["language"] = content.get("language", "en")
    if wrong := [name for name, text in texts.items() if not isinstance(text, str)]:
        raise ValueError(f"`{wrong[0]}` is not a text")
    return Origin(
        **texts,
        dialogues=int(content.get("dialogues", 0)),
        agreements={str(name): agreement_from_json(one) for name, one in content.get("agreements", {}).items()},
        lengths=None if lengths is None else (int(lengths[0]), int(lengths[1])),
    )
