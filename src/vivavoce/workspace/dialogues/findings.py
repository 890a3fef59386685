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


_FINDINGS: Kept[TalksFound] = Kept(12)


def findings_of(store: Store, run: Run) -> TalksFound:
    """Return what a finished run found; read once in a process."""
    if run.state is not RunState.DONE:
        raise AbsentError(
            say("run {number} has no result: it is {state}", number=run.number, state=run.state),
            remedy=say("wait until it is done, or resume it"),
        )
    return _FINDINGS.get((run.id, run.version), lambda: _read(store, run))


def _read(store: Store, run: Run) -> TalksFound:
    from vivavoce.dialogues.json_form import dialogues_result_from_json

    data = restore_messages(json.loads(document(store, run, FINDINGS)))
    dialogues: list[Mapping[str, Any]] = data["scores"]
    with store.reading() as tx:
        means = [row for row in tx.measures.of_run(run.id) if row.scope == ALL and row.name == "score"]
    refused: dict[str, list[str]] = defaultdict(list)
    for dialogue in dialogues:
        if dialogue["score"] is None:
            refused[dialogue.get("refusal", "") or "no reason given"].append(dialogue["id"])
    most_first = sorted(refused.items(), key=lambda item: -len(item[1]))
    return TalksFound(
        # Thousands of dialogues with all their effects would stay in memory, and no page shows them.
        result=dialogues_result_from_json({**data, "scores": [], "people": []}),
        talks=len(dialogues),
        scored=sum(dialogue["score"] is not None for dialogue in dialogues),
        marked=sum(dialogue["mark"] is not None for dialogue in dialogues),
        mean=Rate(*(means[0].value, means[0].low, means[0].high, means[0].n) if means else (None, None, None, 0)),
        spread=_count_spread(dialogues),
        refused=tuple(Refused(reason, len(names), names[0]) for reason, names in most_first),
    )


def _count_spread(dialogues: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, ...]]:
    """Count the dialogues of all bots and of each in every half point; a single bot is all."""
    own: dict[str, list[float]] = defaultdict(list)
    for dialogue in dialogues:
        if dialogue["score"] is not None:
            own[ALL].append(dialogue["score"])
            if dialogue["bot"]:
                own[dialogue["bot"]].append(dialogue["score"])
    ordered = sorted(own.items(), key=lambda item: (item[0] != ALL, -len(item[1]), item[0]))
    return {bot: tuple(count_scores(values)) for bot, values in (ordered if len(ordered) > 2 else ordered[:1])}
