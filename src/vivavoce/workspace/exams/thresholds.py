"""What a finished exam says about every threshold."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import Run
from vivavoce.workspace.exams.questions import Question, read_questions

if TYPE_CHECKING:
    from vivavoce.intents.record import UnitResult
    from vivavoce.intents.splits import Setting
    from vivavoce.intents.threshold import Scored

_SCORED: Kept[Scored | None] = Kept(6)


def read_scored(store: Store, run: Run) -> Scored | None:
    """Return the questions of a finished run, each scored once; None where it kept none.

    They come from the first setting that asked out-of-scope questions, else from the first. Of a run whose rounds
    were not kept, each question has its mean confidence.
    """

    def read() -> Scored | None:
        with store.reading() as tx:
            rounds = list(_list_rounds(tx.units.results(run.id)))
            content = tx.runs.material(run.id) if rounds else b""
            questions = () if rounds else read_questions(tx, run)
        if rounds:
            return _score_rounds(rounds, content, run.options.get("borrow"))
        return _score_means(questions) if questions else None

    return _SCORED.get((run.id, run.version), read)


def _list_rounds(results: Mapping[str, bytes]) -> Iterator[UnitResult]:
    """Yield the rounds of the bot that were kept, in order; what else was kept is passed over."""
    from vivavoce.intents.record import decode_result
    from vivavoce.jobs.exams.preparation import Lesson

    for key, content in results.items():
        if key.startswith((f"{Lesson.OWN}/", f"{Lesson.BORROWED}/")):
            continue
        head, _, arrays = content.partition(b"\n")
        try:
            result = decode_result(json.loads(head)["unit"], arrays)
        except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
            continue
        if result.key.leak_proof:
            yield result


def _score_rounds(rounds: Sequence[UnitResult], content: bytes, borrow: str | None) -> Scored:
    from vivavoce.intents.borrowing import divide_by_language
    from vivavoce.intents.material import Material
    from vivavoce.intents.threshold import score_once

    data = dataset_from_bytes(content)
    material = Material.of(divide_by_language(data, borrow)[0] if borrow else data)
    by_setting: dict[Setting, list[UnitResult]] = {}
    for result in rounds:
        by_setting.setdefault(result.key.setting, []).append(result)
    scored = [score_once(results, material) for results in by_setting.values()]
    return next((each for each in scored if each.n_out), scored[0])


def _score_means(questions: Sequence[Question]) -> Scored:
    import numpy as np

    from vivavoce.intents.threshold import NEVER, Scored
    from vivavoce.text.duplicates import duplicate_groups

    groups = np.asarray(duplicate_groups([one.row.text for one in questions]), dtype=np.intp)
    chosen = [questions[place] for place in np.sort(np.unique(groups, return_index=True)[1])]
    return Scored(
        np.array([NEVER if one.row.guess is None else one.row.confidence for one in chosen], dtype=np.float32),
        np.array([one.origin is not None and one.row.guess == one.origin for one in chosen], dtype=bool),
        np.array([one.origin is None for one in chosen], dtype=bool),
    )
