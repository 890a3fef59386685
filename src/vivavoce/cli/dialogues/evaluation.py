"""`viva dialogues evaluate`: how well scores follow people's ratings, one rater or several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from vivavoce.cli.dialogues.endings import conclude_raters, count_scores
from vivavoce.cli.dialogues.material import INVENTED, Log, flag_invented
from vivavoce.cli.dialogues.options import EvaluationReports
from vivavoce.cli.shared.failures import tell, tell_notes
from vivavoce.cli.shared.progress import Report
from vivavoce.cli.shared.results import Screen, head, write_content, write_page
from vivavoce.errors import DataError, UsageError, plural

if TYPE_CHECKING:
    from vivavoce.dialogues import Corpus, DialoguesResult, Passport, Rater, RaterDifference
    from vivavoce.statistics import PairedTest

OVERALL = "overall"
RATINGS_REMEDY = (
    'add ratings from 1 to 5: `"ratings": [{"rater": "ana", "quality": 4}]` in JSON Lines, or a column `rating`'
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of each rater, and how they differ."""

    results: tuple[DialoguesResult, ...]
    differences: tuple[RaterDifference, ...]

    @property
    def first(self) -> DialoguesResult:
        """The result of the rater that was named first; the report is about it."""
        return self.results[0]


def read_rated(log: Log) -> Corpus:
    """Read a log; refuse one without ratings before any rater works."""
    corpus = log.read()
    if not any(dialogue.quality is not None for dialogue in corpus.dialogues):
        raise DataError(
            f"none of {plural(len(corpus.dialogues), 'dialogue')} has a rating, so there is nothing to compare "
            "scores with",
            where=log.name,
            remedy=RATINGS_REMEDY,
        )
    return corpus


def check_saving(reports: EvaluationReports, raters: Sequence[str], corpus: Corpus | None = None) -> None:
    """Refuse to save a recalibration that cannot be learned, before any rater works."""
    if reports.save_calibration is None:
        return
    if len(raters) > 1:
        raise UsageError(
            "a recalibration belongs to one rater", where="--save-calibration", remedy="choose only one rater"
        )
    if corpus is not None:
        _require_ratings(sum(dialogue.quality is not None for dialogue in corpus.dialogues), corpus.source)


def _require_ratings(count: int, source: str) -> None:
    from vivavoce.dialogues.recalibration import MIN_RATINGS

    if count < MIN_RATINGS:
        raise DataError(
            f"a recalibration needs {MIN_RATINGS} rated dialogues with a score, but there are {count}",
            where=source,
            remedy="have people rate more dialogues, or remove --save-calibration",
        )


def evaluate_raters(log: Log, corpus: Corpus, raters: Sequence[Rater], *, seed: int, progress: Report) -> Evaluation:
    """Score the log with each rater and compare them on the same dialogues."""
    from vivavoce.dialogues import compare_raters, examine_dialogues

    results = []
    for rater in raters:
        prefix = f"{rater.name}: " if len(raters) > 1 else ""

        def report(stage: str, done: int, total: int, prefix: str = prefix) -> None:
            progress(f"{prefix}{stage}", done, total)

        result = examine_dialogues(
            corpus.dialogues, rater, seed=seed, source=corpus.source, notes=corpus.notes, progress=report
        )
        results.append(flag_invented(result, log))
    return Evaluation(tuple(results), compare_raters(results, seed=seed))


def hand_over(evaluation: Evaluation, reports: EvaluationReports) -> None:
    """Write and show the evaluation."""
    first = evaluation.first
    if reports.html:
        from vivavoce.reports.dialogues.html import render_dialogues

        notes = (*first.notes, *map(difference_sentence, evaluation.differences))
        write_page(reports.html, render_dialogues(replace(first, notes=notes)))
    if reports.json_path:
        write_content(reports.json_path, evaluation_to_json(evaluation))
    line = first.recalibration
    if reports.save_calibration and line is not None:
        from vivavoce.dialogues import recalibration_to_json

        write_content(reports.save_calibration, recalibration_to_json(line))
    if not reports.speaks:
        tell_notes(first.notes, reports.quiet)
        return
    _show(Screen(), evaluation, saved=reports.save_calibration is not None)
    for path in filter(None, reports.targets.values()):
        if path != reports.save_calibration or line is not None:
            tell(f"Written: {path}")


def conclude_evaluation(evaluation: Evaluation, reports: EvaluationReports, record: Path | None) -> None:
    """End with the exit code that each rater deserves; a recalibration that could not be learned is an error too."""
    first = evaluation.first
    conclude_raters({each.passport.rater: count_scores(each) for each in evaluation.results}, first.source, record)
    if reports.save_calibration and first.recalibration is None:
        _require_ratings(first.passport.local[OVERALL].n, first.source)


def evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the agreement of the first rater, then the findings of each, then how they differ."""
    from vivavoce.dialogues.json_form import to_json

    first = evaluation.first
    return {
        **head("dialogues-evaluation"),
        "source": first.source,
        "dialogues": len(first.dialogues),
        "marked": sum(dialogue.quality is not None for dialogue in first.dialogues),
        "notes": list(first.notes),
        "rater": first.passport.rater,
        **_agreements_json(first.passport),
        "raters": [_rater_json(result) for result in evaluation.results],
        "differences": [to_json(difference) for difference in evaluation.differences],
    }


def _agreements_json(passport: Passport) -> dict[str, Any]:
    from vivavoce.dialogues.json_form import to_json, trust_to_json

    kinds = {name: to_json(agreement) for name, agreement in passport.local.items()}
    return {"overall": kinds.pop(OVERALL), "by_kind": kinds, **trust_to_json(passport)}


def _rater_json(result: DialoguesResult) -> dict[str, Any]:
    from vivavoce.dialogues import result_to_json

    whole = result_to_json(result)
    shared = {name: whole[name] for name in ("passport", "recalibration", "ranking", "queue", "problems")}
    return {"rater": result.passport.rater, **_agreements_json(result.passport), **shared}


def _show(console: Console, evaluation: Evaluation, *, saved: bool) -> None:
    from vivavoce.reports.dialogues.tables import print_agreement, print_bots, print_dialogues
    from vivavoce.reports.shared.layout import block, bullets, heading

    first = evaluation.first
    if INVENTED in first.notes:
        console.print(block(INVENTED, "bold"))
    for result in evaluation.results:
        console.print(heading(f"{result.passport.rater}: agreement with people"))
        print_agreement(console, result.passport.local)
        print_bots(console, result.passport)
    if evaluation.differences:
        console.print(heading("Which rater agrees better with people?"))
        console.print(bullets(map(difference_sentence, evaluation.differences)))
    print_dialogues(console, first)
    line = first.recalibration
    if saved and line is not None:
        use = "It will adjust the scores." if line.adopted else "It is saved, but will not change the scores."
        console.print(heading("Recalibration"))
        console.print(block(f"{line.reason} {use}"))


def difference_sentence(difference: RaterDifference) -> str:
    """Say which of two raters follows people better, and whether that is significant."""
    first, second, pearson = difference.first, difference.second, difference.pearson
    where = "overall" if difference.kind == OVERALL else f"{difference.kind} dialogues"
    names = f"{first} and {second}, {where} ({plural(difference.n, 'rated dialogue')} scored by both)"
    if pearson.difference is None:
        return f"{names}: too few or too similar to compare."
    if pearson.low is None or pearson.high is None:
        verdict = "too few dialogues to show which agrees better with people"
    elif pearson.low > 0:
        verdict = f"{first} agrees better with people"
    else:
        verdict = f"{second} agrees better with people" if pearson.high < 0 else "too close to call"
    tests = (_describe_test("Pearson", pearson), _describe_test("Spearman", difference.spearman))
    return f"{names}: {verdict}; {', '.join(tests)}."


def _describe_test(name: str, test: PairedTest) -> str:
    if test.difference is None:
        return f"{name} n/a"
    interval = "" if test.low is None or test.high is None else f" ({test.low:+.2f} to {test.high:+.2f})"
    return f"{name} differs by {test.difference:+.2f}{interval}"
