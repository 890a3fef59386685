"""The dialogues exam in units of a few dozen dialogues."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from vivavoce.dialogues.corpus.stored import dialogue_json, read_stored
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.json_form import result_to_json, score_to_json, scores_from_json
from vivavoce.dialogues.raters.protocol import Rater, load_rater
from vivavoce.dialogues.result import Cause, DialoguesResult, Score
from vivavoce.errors import WorkError
from vivavoce.jobs.exams.documents import (
    NOT_DONE,
    canonical_json,
    figure_documents,
    find_unit,
    html_document,
    json_document,
    reasons_of,
    remarks_on,
)
from vivavoce.jobs.exams.kinds import DIALOGUES
from vivavoce.jobs.exams.protocol import (
    Conclusion,
    Document,
    Exam,
    Finished,
    Json,
    Measure,
    Options,
    StageProgress,
    UnitPlan,
    Work,
)
from vivavoce.kept import Kept
from vivavoce.messages import add_messages, restore_messages, say, say_count

# Dialogues in a unit: few enough for progress that moves, enough to rate them in batches.
CHUNK = 64

Chunks = dict[str, tuple[Dialogue, ...]]
_CHUNKS: Kept[Chunks] = Kept(4)
_RATERS: Kept[Rater] = Kept(4)


class Dialogues(Exam):
    """Scores for logged dialogues; the material is JSON Lines as `dialogues_to_bytes` writes them."""

    kind = DIALOGUES

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        """Return a unit for every few dozen dialogues."""
        self.check(options)
        sizes = [(key, len(dialogues)) for key, dialogues in _read_chunks(material).items()]
        ends = {key: place * CHUNK + size for place, (key, size) in enumerate(sizes)}
        return tuple(UnitPlan(key, f"dialogues {ends[key] - size + 1:,} to {ends[key]:,}") for key, size in sizes)

    def perform(self, work: Work) -> bytes:
        """Score the dialogues of one unit."""
        from vivavoce.dialogues.exam import rate_in_chunks

        checked = self.check(work.options)
        rater = _RATERS.get((work.run, checked["rater"]), lambda: load_rater(checked["rater"]))
        dialogues = find_unit(_read_chunks(work.material), work.key)
        return canonical_json([add_messages(_score_to_json(score)) for score in rate_in_chunks(rater, dialogues)])

    def stage_facts(self, material: bytes, options: Options) -> dict[str, int]:
        """Return how many dialogues are scored."""
        return {"dialogues": material.count(b"\n")}

    def describe_stage(self, facts: Mapping[str, int], progress: StageProgress) -> str:
        """Say whether the rater is loaded, or dialogues are scored."""
        if progress.concluding:
            return say("comparing the scores")
        dialogues = say_count(facts["dialogues"], "{n:,} dialogue", "{n:,} dialogues")
        if not progress.begun:
            return say("loading the rater and reading {dialogues}", dialogues=dialogues)
        return say("scoring {dialogues}", dialogues=dialogues)

    def conclude(self, material: bytes, options: Options, finished: Finished, *, drawn: bool = True) -> Conclusion:
        """Say what the scores mean, as an exam in one go would; `drawn`: with report and charts."""
        from vivavoce.dialogues.exam import conclude
        from vivavoce.reports.dialogues import wording

        checked = self.check(options)
        chunks = _read_chunks(material)
        dialogues = tuple(dialogue for chunk in chunks.values() for dialogue in chunk)
        rater, seed, source = load_rater(checked["rater"]), checked["seed"], checked["source"]
        result = conclude(dialogues, _gather_scores(chunks, finished), rater, seed=seed, source=source)
        findings = result_to_json(result)
        return Conclusion(
            headline=wording.headline(result),
            measures=tuple(_list_measures(result)),
            documents=(json_document("findings.json", findings), *(_draw(result) if drawn else ())),
            scores=tuple(findings["scores"]),
            warnings=(*wording.remarks(result), *remarks_on(finished, chunks)),
        )

    def illustrate(self, findings: Mapping[str, Any], material: bytes, finished: Finished) -> Iterable[Document]:
        """Yield report and charts."""
        from vivavoce.dialogues.json_form import dialogues_result_from_json

        return _draw(dialogues_result_from_json(findings))


def dialogues_to_bytes(dialogues: Iterable[Dialogue]) -> bytes:
    """Return dialogues as JSON Lines; the same dialogues give the same bytes."""
    return b"".join(canonical_json(dialogue_json(dialogue)) + b"\n" for dialogue in dialogues)


def _read_chunks(material: bytes) -> Chunks:
    """Return the dialogues of each unit by its key."""

    def read() -> Chunks:
        dialogues = read_stored(material)
        starts = range(0, len(dialogues), CHUNK)
        return {str(place): dialogues[start : start + CHUNK] for place, start in enumerate(starts, 1)}

    return _CHUNKS.get(sha256(material).digest(), read)


def _score_to_json(score: Score) -> dict[str, Json]:
    """Return all of a score; the form of results leaves out what no reader of them needs."""
    return score_to_json(score) | {
        "refusal": score.refusal,
        "learned": score.learned,
        "cause": None if score.cause is None else str(score.cause),
    }


def _gather_scores(chunks: Chunks, finished: Finished) -> list[Score]:
    """Return one score for each dialogue in order; a dialogue whose unit was not done has none and says why."""
    reasons = reasons_of(finished)
    if not any(key in finished.results for key in chunks):
        first = next(iter(reasons.values()), "")
        what = say("no dialogue was scored")
        if first:
            what = say("no dialogue was scored; first reason: {reason}", reason=first)
        raise WorkError(what, remedy=say("resume the run, or retry the failed units"))
    scores: list[Score] = []
    for key, dialogues in chunks.items():
        if key in finished.results:
            scores += scores_from_json([restore_messages(plain) for plain in json.loads(finished.results[key])])
        else:
            why = say("not scored: {reason}", reason=reasons.get(key, NOT_DONE))
            scores += [Score(each.id, None, refusal=why, cause=Cause.UNANSWERED) for each in dialogues]
    return scores


def _list_measures(result: DialoguesResult) -> Iterator[Measure]:
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


def _draw(result: DialoguesResult) -> Iterator[Document]:
    from vivavoce.reports.dialogues.charts import dialogues_figures
    from vivavoce.reports.dialogues.html import render_dialogues

    yield html_document("report.html", render_dialogues(result))
    yield from figure_documents(dialogues_figures(result))
