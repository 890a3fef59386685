"""`viva dialogues evaluate`: how well scores follow people's marks, one rater or several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from vivavoce.cli.dialogues.endings import conclude_raters, tally_of
from vivavoce.cli.dialogues.material import INVENTED, Log, declared_invented
from vivavoce.cli.dialogues.notes import tell_notes, tell_written
from vivavoce.cli.dialogues.options import EvaluationReports
from vivavoce.cli.shared.progress import Report
from vivavoce.cli.shared.results import Screen, head, write_content, write_page
from vivavoce.errors import DataError, UsageError, plural

if TYPE_CHECKING:
    from vivavoce.dialogues import Corpus, DialoguesResult, Passport, Rater, RaterDifference, Recalibration
    from vivavoce.statistics import PairedTest

OVERALL = "overall"
MARKS_REMEDY = (
    'give marks from 1 to 5: `"ratings": [{"rater": "ana", "quality": 4}]` in JSON Lines, or a column `rating`'
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What each rater came to, the first one first, and how they differ."""

    results: tuple[DialoguesResult, ...]
    differences: tuple[RaterDifference, ...]

    @property
    def first(self) -> DialoguesResult:
        """The rater that was named first; the report is about it, and tells of the others."""
        return self.results[0]


def read_marked(log: Log) -> Corpus:
    """Read a log; refuse one in which nobody gave a mark, before any rater works."""
    corpus = log.read()
    if not any(dialogue.quality is not None for dialogue in corpus.dialogues):
        raise DataError(
            f"none of {plural(len(corpus.dialogues), 'dialogue')} has a mark, so scores cannot be held against any",
            where=log.name,
            remedy=MARKS_REMEDY,
        )
    return corpus


def check_saving(reports: EvaluationReports, raters: Sequence[str], corpus: Corpus | None = None) -> None:
    """Refuse to save a recalibration that cannot be learned, before any rater works."""
    if reports.save_calibration is None:
        return
    if len(raters) > 1:
        raise UsageError(
            "a recalibration belongs to one rater", where="--save-calibration", remedy="name one rater only"
        )
    if corpus is not None:
        from vivavoce.dialogues.recalibration import LEAST_MARKS

        marked = sum(dialogue.quality is not None for dialogue in corpus.dialogues)
        if marked < LEAST_MARKS:
            raise _too_few(marked, LEAST_MARKS, corpus.source)


def _too_few(marked: int, least: int, source: str) -> DataError:
    return DataError(
        f"a recalibration needs {least} marked dialogues with a score, here are {marked}",
        where=source,
        remedy="let people mark more talks, or leave out --save-calibration",
    )


def evaluate_raters(
    corpus: Corpus, raters: Sequence[Rater], *, seed: int, invented: bool, progress: Report
) -> Evaluation:
    """Score the log with each rater and compare them on the same talks."""
    from vivavoce.dialogues import compare_raters, examine_dialogues

    results = []
    for rater in raters:
        result = examine_dialogues(
            corpus.dialogues,
            rater,
            seed=seed,
            source=corpus.source,
            notes=corpus.notes,
            progress=_named(progress, rater.name if len(raters) > 1 else ""),
        )
        results.append(declared_invented(result) if invented else result)
    return Evaluation(tuple(results), compare_raters(results, seed=seed))


def _named(progress: Report, name: str) -> Report:
    return (lambda stage, done, total: progress(f"{name}: {stage}", done, total)) if name else progress


# --- what comes out ----------------------------------------------------------------------------------------------


def hand_over(found: Evaluation, reports: EvaluationReports) -> None:
    """Write and show what was asked for."""
    if reports.html:
        from vivavoce.reports.dialogues.html import render_dialogues

        notes = (*found.first.notes, *map(difference_sentence, found.differences))
        write_page(reports.html, render_dialogues(replace(found.first, notes=notes)))
    if reports.json_path:
        write_content(reports.json_path, evaluation_to_json(found))
    line = found.first.recalibration
    if reports.save_calibration and line is not None:
        from vivavoce.dialogues import recalibration_to_json

        write_content(reports.save_calibration, recalibration_to_json(line))
    if reports.speaks:
        _show(Screen(), found, saved=reports.save_calibration is not None)
        unwritten = [reports.save_calibration] if line is None else []
        tell_written([path for path in reports.targets.values() if path and path not in unwritten])
    else:
        tell_notes(found.first.notes, reports.quiet)


def conclude_evaluation(found: Evaluation, reports: EvaluationReports, record: Path | None) -> None:
    """End with the exit code that each rater deserves; a recalibration that could not be learned is an error too."""
    conclude_raters({each.passport.rater: tally_of(each) for each in found.results}, found.first.source, record)
    if reports.save_calibration and found.first.recalibration is None:
        from vivavoce.dialogues.recalibration import LEAST_MARKS

        raise _too_few(found.first.passport.local[OVERALL].n, LEAST_MARKS, found.first.source)


def evaluation_to_json(found: Evaluation) -> dict[str, Any]:
    """Return the agreement of the first rater, then all that is known of each, then how they differ."""
    from vivavoce.dialogues.comparison import difference_to_json

    first = found.first
    return {
        **head("dialogues-evaluation"),
        "source": first.source,
        "dialogues": len(first.dialogues),
        "marked": sum(dialogue.quality is not None for dialogue in first.dialogues),
        "notes": list(first.notes),
        "rater": first.passport.rater,
        **_agreements_json(first.passport),
        "raters": [_rater_json(result) for result in found.results],
        "differences": [difference_to_json(one) for one in found.differences],
    }


def _agreements_json(passport: Passport) -> dict[str, Any]:
    from vivavoce.dialogues.json_form import to_json, trust_to_json

    kinds = {name: to_json(agreement) for name, agreement in passport.local.items()}
    return {"overall": kinds.pop(OVERALL), "by_kind": kinds, **trust_to_json(passport)}


def _rater_json(result: DialoguesResult) -> dict[str, Any]:
    from vivavoce.dialogues import result_to_json

    whole = result_to_json(result)
    kept = {name: whole[name] for name in ("passport", "recalibration", "ranking", "queue", "problems")}
    return {"rater": result.passport.rater, **_agreements_json(result.passport), **kept}


def _show(console: Console, found: Evaluation, *, saved: bool) -> None:
    from vivavoce.reports.dialogues.tables import print_agreement, print_bots, print_dialogues
    from vivavoce.reports.shared.layout import block, bullets, heading

    if INVENTED in found.first.notes:
        console.print(block(INVENTED, "bold"))
    for result in found.results:
        console.print(heading(f"{result.passport.rater}: agreement with people"))
        print_agreement(console, result.passport.local)
        print_bots(console, result.passport)
    if found.differences:
        console.print(heading("Which rater follows people better?"))
        console.print(bullets(difference_sentence(one) for one in found.differences))
    print_dialogues(console, found.first)
    if saved and found.first.recalibration is not None:
        console.print(heading("The recalibration"))
        console.print(block(calibration_sentence(found.first.recalibration)))


def calibration_sentence(line: Recalibration) -> str:
    """Say what was learned, what it gains, and whether it will be used."""
    used = "It will move the scores." if line.adopted else "It is kept, but will leave the scores as they are."
    return f"{line.reason} {used}"


def difference_sentence(found: RaterDifference) -> str:
    """Say which of two raters follows people better, and whether that is sure."""
    where = "overall" if found.kind == OVERALL else f"{found.kind} talks"
    names = f"{found.first} and {found.second}, {where} ({plural(found.n, 'marked talk')} that both scored)"
    if found.pearson.difference is None:
        return f"{names}: too few, or too much alike, for a comparison."
    return f"{names}: {_verdict(found)}; {_told('Pearson', found.pearson)}, {_told('Spearman', found.spearman)}."


def _verdict(found: RaterDifference) -> str:
    low, high = found.pearson.low, found.pearson.high
    if low is None or high is None:
        return "too few talks to say which follows people better"
    if low > 0:
        return f"{found.first} follows people better"
    return f"{found.second} follows people better" if high < 0 else "too close to call"


def _told(name: str, test: PairedTest) -> str:
    if test.difference is None:
        return f"{name} n/a"
    around = "" if test.low is None or test.high is None else f" ({test.low:+.2f} to {test.high:+.2f})"
    return f"{name} differs by {test.difference:+.2f}{around}"
