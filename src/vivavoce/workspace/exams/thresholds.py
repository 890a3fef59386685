"""The threshold of a project: what a finished exam says about every one, and the one that is chosen."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Run
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.exams.questions import Question, read_questions
from vivavoce.workspace.projects.projects import change_project

if TYPE_CHECKING:
    from vivavoce.intents.record import UnitResult
    from vivavoce.intents.threshold import Scored

_SCORED: Kept[Scored | None] = Kept(6)


def read_scored(store: Store, run: Run) -> Scored | None:
    """Return the questions of a finished run, each scored once; None where it kept none.

    They come from the first setting that asked out-of-scope questions, else from the first. Of a run whose rounds
    were not kept, each question has its mean confidence.
    """

    def read() -> Scored | None:
        with store.reading() as tx:
            questions = read_questions(tx, run)
            results = tx.units.results(run.id) if questions else {}
        settings = [f"{int(k)},{float(p):g}" for k, p in run.options.get("settings") or ()]
        rounds = [found for name in settings if (found := list(_list_rounds(results, name, len(questions))))]
        asked = next((found for found in rounds if any(each.negative.any() for each in found)), None)
        return _score(questions, asked or (rounds[0] if rounds else [])) if questions else None

    return _SCORED.get((run.id, run.version), read)


def adopt_threshold(store: Store, actor: Actor, project: Project, threshold: float, run: Run) -> Edit:
    """Make a threshold that of the project; the change can be undone."""
    why = say("from the confidence page of exam {number}", number=run.number)
    return change_project(
        store, actor, project, name=project.name, threshold=threshold, classifier=project.classifier, why=str(why)
    )


def _list_rounds(results: Mapping[str, bytes], setting: str, size: int) -> Iterator[UnitResult]:
    """Yield the rounds of a setting in order; `results` by their keys, such as `0,0.15/3`."""
    import numpy as np

    from vivavoce.intents.record import Answers, Timing, UnitKey, UnitResult
    from vivavoce.intents.splits import Setting

    names = [key.split("/") for key in results]
    numbers = sorted(int(rest[0]) for scope, *rest in names if scope == setting and len(rest) == 1)
    for number in numbers:
        content = results[f"{setting}/{number}"].partition(b"\n")[2]
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                test, negative, guess, sure = (arrays[name] for name in ("test", "negative", "guess", "confidence"))
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            continue
        if len(test) and int(test.max()) < size:
            key = UnitKey(Setting(), number - 1)
            yield UnitResult(key, test, negative.astype(bool), 0, 0, Answers(guess, sure), Timing(0, 0, ()))


def _score(questions: tuple[Question, ...], rounds: list[UnitResult]) -> Scored:
    import numpy as np

    from vivavoce.intents.material import Material
    from vivavoce.intents.threshold import NEVER, Scored, score_once
    from vivavoce.records import Dataset
    from vivavoce.text.duplicates import duplicate_groups

    texts, origins = [one.row.text for one in questions], [one.origin for one in questions]
    groups = np.asarray(duplicate_groups(texts), dtype=np.intp)
    if rounds:
        topics = tuple(sorted({name for name in origins if name is not None}))
        code = {name: place for place, name in enumerate(topics)}
        labels = np.array([-1 if name is None else code[name] for name in origins], dtype=np.intp)
        return score_once(rounds, Material(Dataset.of(texts, origins, out_of_scope=None), topics, labels, groups))
    first = np.sort(np.unique(groups, return_index=True)[1])
    chosen = [questions[place] for place in first]
    return Scored(
        np.array([NEVER if one.row.guess is None else one.row.confidence for one in chosen], dtype=np.float32),
        np.array([one.origin is not None and one.row.guess == one.origin for one in chosen], dtype=bool),
        np.array([one.origin is None for one in chosen], dtype=bool),
    )
