"""What a run over talks found, without the single talks: these have rows of their own."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.dialogues.result import DialoguesResult
from vivavoce.dialogues.scored import count_scores
from vivavoce.errors import AbsentError
from vivavoce.kept import Kept
from vivavoce.messages import restore_messages, say
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Run, RunState
from vivavoce.workspace.exams.runs import FINDINGS, document

ALL = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why talks got no score, how many, and which came first."""

    reason: str
    count: int
    first: str


@dataclass(frozen=True, slots=True)
class TalksFound:
    """What a run found. `result` has no talks; `spread`: how many fall in each half point, of all ("") and by bot."""

    result: DialoguesResult
    talks: int
    scored: int
    marked: int
    mean: Rate
    spread: Mapping[str, tuple[int, ...]]
    refused: tuple[Refused, ...]


_FOUND: Kept[TalksFound] = Kept(12)


def findings_of(store: Store, run: Run) -> TalksFound:
    """Return what a finished run found; read once in a process."""
    if run.state is not RunState.DONE:
        raise AbsentError(
            say("run {number} has no result: it is {state}", number=run.number, state=run.state),
            remedy=say("wait until it is done, or let it go on"),
        )
    return _FOUND.get((run.id, run.version), lambda: _read(store, run))


def _read(store: Store, run: Run) -> TalksFound:
    from vivavoce.dialogues.json_form import dialogues_result_from_json

    data = restore_messages(json.loads(document(store, run, FINDINGS)))
    talks: list[Mapping[str, Any]] = data["scores"]
    # Thousands of talks with all their effects would stay in memory, and no page shows them.
    result = dialogues_result_from_json({**data, "scores": [], "people": []})
    return TalksFound(
        result=result,
        talks=len(talks),
        scored=sum(talk["score"] is not None for talk in talks),
        marked=sum(talk["mark"] is not None for talk in talks),
        mean=_mean(store, run),
        spread=_spread(talks),
        refused=_refused(talks),
    )


def _mean(store: Store, run: Run) -> Rate:
    with store.reading() as tx:
        found = [one for one in tx.measures.of_run(run.id) if one.scope == ALL and one.name == "score"]
    return Rate(found[0].value, found[0].low, found[0].high, found[0].n) if found else Rate(None, None, None, 0)


def _spread(talks: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, ...]]:
    """Count the talks of all bots and of each in every half point; a single bot is all."""
    own: dict[str, list[float]] = defaultdict(list)
    for talk in talks:
        if talk["score"] is not None:
            own[ALL].append(talk["score"])
            if talk["bot"]:
                own[talk["bot"]].append(talk["score"])
    ordered = sorted(own.items(), key=lambda item: (item[0] != ALL, -len(item[1]), item[0]))
    shown = ordered if len(ordered) > 2 else ordered[:1]
    return {bot: tuple(count_scores(values)) for bot, values in shown}


def _refused(talks: Iterable[Mapping[str, Any]]) -> tuple[Refused, ...]:
    names: dict[str, list[str]] = defaultdict(list)
    for talk in talks:
        if talk["score"] is None:
            names[talk.get("refusal", "") or "no reason was given"].append(talk["id"])
    ordered = sorted(names.items(), key=lambda item: -len(item[1]))
    return tuple(Refused(reason, len(own), own[0]) for reason, own in ordered)
