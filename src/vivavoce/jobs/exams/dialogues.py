"""The dialogues exam in units: a few dozen talks each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from vivavoce.dialogues.corpus.stored import dialogue_json, read_stored
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.json_form import result_to_json, score_to_json, scores_from_json
from vivavoce.dialogues.raters.protocol import Rater
from vivavoce.dialogues.raters.registry import load_rater
from vivavoce.dialogues.result import Cause, DialoguesResult, Score
from vivavoce.errors import WorkError
from vivavoce.jobs.exams.bookkeeping import NOT_DONE, find_unit, reasons_of, remarks_on
from vivavoce.jobs.exams.documents import canonical_json, figure_documents, html_document, json_document
from vivavoce.jobs.exams.kinds import DIALOGUES
from vivavoce.jobs.exams.protocol import (
    Conclusion,
    Document,
    Exam,
    Finished,
    Json,
    Measure,
    Options,
    UnitPlan,
    Work,
)
from vivavoce.kept import Kept
from vivavoce.messages import noted, restore_messages, say

__all__ = ["Dialogues", "dialogues_from_bytes", "dialogues_to_bytes"]

# Talks in a unit: few enough for progress that moves, enough to rate them in batches.
CHUNK = 64


@dataclass(frozen=True, slots=True)
class Log:
    """The talks of a run in order."""

    dialogues: tuple[Dialogue, ...]

    def chunks(self) -> dict[str, tuple[Dialogue, ...]]:
        """Return the talks of each unit by its key."""
        starts = range(0, len(self.dialogues), CHUNK)
        return {str(place): self.dialogues[start : start + CHUNK] for place, start in enumerate(starts, 1)}


_LOGS: Kept[Log] = Kept(4)
_RATERS: Kept[Rater] = Kept(4)


class Dialogues(Exam):
    """Scores for logged talks; the material is JSON Lines as `dialogues_to_bytes` writes them."""

    kind = DIALOGUES

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return a unit for every few dozen talks."""
        self.check(options)
        sizes = [(key, len(talks)) for key, talks in _log(material).chunks().items()]
        ends = {key: place * CHUNK + size for place, (key, size) in enumerate(sizes)}
        return tuple(UnitPlan(key, f"talks {ends[key] - size + 1:,} to {ends[key]:,}") for key, size in sizes)

    def perform(self, work: Work) -> bytes:
        """Score the talks of one unit."""
        from vivavoce.dialogues.exam import rate_in_chunks

        checked = self.check(work.options)
        log = _log(work.material)
        rater = _RATERS.get((work.run, checked["rater"]), lambda: load_rater(checked["rater"]))
        talks = find_unit(log.chunks(), work.key)
        return canonical_json([noted(_score_json(score)) for score in rate_in_chunks(rater, talks)])

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        """Say what the scores mean, as an exam in one go would."""
        from vivavoce.dialogues.exam import conclude
        from vivavoce.reports.dialogues import wording

        checked = self.check(options)
        log = _log(material)
        scores = _gather(log, finished)
        rater, seed, source = load_rater(checked["rater"]), checked["seed"], checked["source"]
        result = conclude(log.dialogues, scores, rater, seed=seed, source=source)
        findings = result_to_json(result)
        return Conclusion(
            headline=wording.headline(result),
            measures=tuple(_measures(result)),
            documents=tuple(_documents(result, findings)),
            scores=tuple(findings["scores"]),
            warnings=(*wording.remarks(result), *remarks_on(finished, log.chunks())),
        )


# --- material ----------------------------------------------------------------------------------------------------


def dialogues_to_bytes(dialogues: Iterable[Dialogue]) -> bytes:
    """Return talks as JSON Lines, one a line; the same talks give the same bytes."""
    return b"".join(canonical_json(dialogue_json(dialogue)) + b"\n" for dialogue in dialogues)


def dialogues_from_bytes(content: bytes) -> tuple[Dialogue, ...]:
    """Return the talks that were written; DataError with every fault where they cannot be read."""
    return read_stored(content)


def _log(material: bytes) -> Log:
    return _LOGS.get(sha256(material).digest(), lambda: Log(read_stored(material)))


# --- scores ------------------------------------------------------------------------------------------------------


def _score_json(score: Score) -> dict[str, Json]:
    """Return all of a score; the form of results leaves out what no reader of them needs."""
    return score_to_json(score) | {
        "refusal": score.refusal,
        "learned": score.learned,
        "cause": None if score.cause is None else str(score.cause),
    }


def _gather(log: Log, finished: Finished) -> list[Score]:
    """Return one score for each talk in order; a talk whose unit was not done has none and says why."""
    reasons = reasons_of(finished)
    chunks = log.chunks()
    if not any(key in finished.results for key in chunks):
        first = next(iter(reasons.values()), "")
        what = (
            say("no talk was scored; the first time: {reason}", reason=first) if first else say("no talk was scored")
        )
        raise WorkError(what, remedy=say("let the run go on, or let the failed units be tried again"))
    scores: list[Score] = []
    for key, talks in chunks.items():
        if key in finished.results:
            scores += scores_from_json([restore_messages(plain) for plain in json.loads(finished.results[key])])
        else:
            why = say("not scored: {reason}", reason=reasons.get(key, NOT_DONE))
            scores += [Score(talk.id, None, refusal=why, cause=Cause.UNANSWERED) for talk in talks]
    return scores


# --- the conclusion ----------------------------------------------------------------------------------------------


def _measures(result: DialoguesResult) -> Iterator[Measure]:
    from vivavoce.dialogues.agreement import OVERALL
    from vivavoce.dialogues.scored import group_by_bot, mean_score, rank_scored

    scored = rank_scored(result)
    yield Measure("", "score", mean_score(scored))
    for bot, of_bot in group_by_bot(scored).items():
        yield Measure(bot, "score", mean_score(of_bot))
    for kind, agreement in result.passport.local.items():
        scope = "" if kind == OVERALL else kind
        for name in ("pearson", "spearman", "kendall", "mse"):
            yield Measure(scope, name, getattr(agreement, name))


def _documents(result: DialoguesResult, findings: Mapping[str, Any]) -> Iterator[Document]:
    from vivavoce.reports.dialogues.charts import dialogues_figures
    from vivavoce.reports.dialogues.html import render_dialogues

    yield json_document("findings.json", findings)
    yield html_document("report.html", render_dialogues(result))
    yield from figure_documents(dialogues_figures(result))
