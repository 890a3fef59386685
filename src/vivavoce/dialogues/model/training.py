"""Training a model from marked dialogues, with its passport: how it did on talks and bots that it had not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.agreement import groups_of, kind_of, measure_rows
from vivavoce.dialogues.dialogue import Dialogue, Kind, View, rated_views
from vivavoce.dialogues.fingerprint import fingerprint
from vivavoce.dialogues.model.equations import cross_fit, learn_equation, learn_guess, with_interval
from vivavoce.dialogues.model.model import OUTPUTS, Model
from vivavoce.dialogues.model.recipe import learn_parts
from vivavoce.dialogues.passport import usual_lengths
from vivavoce.dialogues.refusals import refuse
from vivavoce.dialogues.result import Agreement, Origin
from vivavoce.dialogues.splits import by_bot, grouped_folds, language_clusters
from vivavoce.errors import DataError, plural

Floats = NDArray[np.float64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
Progress = Callable[[str, int, int], None]

FOLDS = 5
LEAST_MARKS = 100
# A talk may have many marks; what differs between talks cannot be learned from a handful of them.
LEAST_TALKS = 20
PSEUDO_BOTS = 12
STAGE = "training"
METHOD = (
    "5-fold cross-validation by dialogue (by person where 10 or more are named); "
    "unseen bots: one left out at a time, or a twelfth of them"
)


@dataclass
class _Course:
    """Says how far the training is."""

    total: int
    progress: Progress | None = None
    done: int = field(default=0)

    def step(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(STAGE, self.done, self.total)


def train_model(
    dialogues: Sequence[Dialogue],
    *,
    learnt_from: str = "",
    licence: str = "",
    seed: int = 0,
    progress: Progress | None = None,
) -> Model:
    """Learn from dialogues that people marked; talks in which one side hardly spoke are left out."""
    views = _usable(dialogues)
    marks = np.array([view.quality for view in views], dtype=np.float64)
    human = np.array([view.dialogue.kind is Kind.HUMAN_HUMAN for view in views])
    folds, bots = grouped_folds(_groups(views), FOLDS, seed), bot_splits(views, seed)
    course = _Course(len(folds) + len(bots) + 1, progress)
    outputs = predict_splits(views, folds, seed, course.step)
    scores = {told: cross_fit(outputs, marks, human, folds, told=told) for told in (True, False)}
    guess = learn_guess(outputs, human)
    known = {True: human.astype(np.float64), False: guess.chance(outputs)}
    told, untold = (
        with_interval(learn_equation(outputs, marks, known[case]), scores[case], marks) for case in (True, False)
    )
    agreements = _agreements(views, scores[True], marks)
    if bots:
        unseen = _unseen(predict_splits(views, bots, seed, course.step), outputs, marks, known[True], bots)
        agreements["unseen-bot"] = _measured(views, unseen, marks, with_bot(views))
    parts = learn_parts(views, seed=seed)
    course.step()
    learned = frozenset(fingerprint(view.dialogue) for view in views)
    return Model(parts, told, untold, guess, _origin(views, learnt_from, licence, agreements), learned)


def _unseen(unseen: Floats, outputs: Floats, marks: Floats, human: Floats, bots: Sequence[Split]) -> Floats:
    """Return the marks of talks with bots left out; the equation too is learned without that bot."""
    found = np.full(len(marks), np.nan)
    for learning, testing in bots:
        equation = learn_equation(outputs[learning], marks[learning], human[learning])
        found[testing] = equation.apply(unseen[testing], human[testing])
    return found


def tested_on(model: Model, name: str, dialogues: Sequence[Dialogue]) -> Model:
    """Return the model with one line more in its passport: how it did on dialogues that it never learned from."""
    views = list(rated_views(dialogue for dialogue in dialogues if not refuse(dialogue)))
    marks = np.array([view.quality for view in views], dtype=np.float64)
    found = _measured(views, model.predict(views), marks, np.ones(len(views), dtype=bool))
    return replace(model, origin=replace(model.origin, agreements={**model.origin.agreements, name: found}))


def predict_splits(
    views: Sequence[View], splits: Sequence[Split], seed: int = 0, step: Callable[[], None] | None = None
) -> Floats:
    """Return the outputs of parts that were learned from the other side of each split; NaN for what none tests."""
    found = np.full((len(views), len(OUTPUTS)), np.nan)
    for learning, testing in splits:
        parts = learn_parts([views[row] for row in learning], seed=seed)
        found[testing] = parts.predict([parts.read(views[row]) for row in testing])
        if step is not None:
            step()
    return found


def bot_splits(views: Sequence[View], seed: int = 0) -> list[Split]:
    """Return splits that leave one bot out: by name where all are named, else by how the peer speaks.

    Of more than 12 bots a twelfth is left out at a time. A bot without which too little is left is not left out.
    """
    rows = np.flatnonzero(with_bot(views))
    if len(rows) < 2 * PSEUDO_BOTS:
        return []
    talks = [views[row] for row in rows.tolist()]
    named = all(view.dialogue.bot for view in talks)
    labels = by_bot(talks) if named else language_clusters(talks, n=PSEUDO_BOTS, seed=seed)
    if len(set(labels)) < 2:
        return []
    tests = [rows[testing] for _, testing in grouped_folds(labels, min(PSEUDO_BOTS, len(set(labels))), seed)]
    splits = [(np.setdiff1d(np.arange(len(views)), testing), testing) for testing in tests]
    return [split for split in splits if len({views[row].dialogue.id for row in split[0].tolist()}) >= LEAST_TALKS]


def with_bot(views: Sequence[View]) -> NDArray[np.bool_]:
    """Say of each view whether it is known to be of a talk with a bot."""
    return np.array([kind_of(view.dialogue) is Kind.HUMAN_BOT for view in views], dtype=bool)


def _groups(views: Sequence[View]) -> list[tuple[str, str]]:
    return groups_of([view.dialogue for view in views])


def _usable(dialogues: Sequence[Dialogue]) -> list[View]:
    """Return the marked views of all talks that would get a score; refuse what nothing can be learned from."""
    reasons = [refuse(dialogue) for dialogue in dialogues]
    views = list(rated_views(one for one, why in zip(dialogues, reasons, strict=True) if not why))
    if len(views) < LEAST_MARKS:
        common = [f"{count:,} talks: {why}" for why, count in Counter(filter(None, reasons)).most_common(3)]
        left = f" (left out: {'; '.join(common)})" if common else ""
        raise DataError(
            f"{plural(len(views), 'mark')} on talks that can be scored: too few to learn from{left}",
            remedy=f"collect {LEAST_MARKS} marks on {LEAST_TALKS} talks or more, or recalibrate the shipped model",
        )
    talks = len({view.dialogue.id for view in views})
    if talks < LEAST_TALKS:
        raise DataError(
            f"the marks are on {plural(talks, 'different talk')} only: too few to learn from",
            remedy=f"let people mark at least {LEAST_TALKS} talks, better {LEAST_MARKS}",
        )
    if len({view.quality for view in views}) < 2:
        raise DataError(
            "all marks are the same: there is nothing to learn from them",
            remedy="use marks that differ between good and bad talks",
        )
    return views


def _agreements(views: Sequence[View], scores: Floats, marks: Floats) -> dict[str, Agreement]:
    found = {"overall": _measured(views, scores, marks, np.ones(len(views), dtype=bool))}
    if with_bot(views).any():
        found["human-bot"] = _measured(views, scores, marks, with_bot(views))
    return found


def _measured(views: Sequence[View], scores: Floats, marks: Floats, rows: NDArray[np.bool_]) -> Agreement:
    rows = rows & ~np.isnan(scores)
    groups = _groups([view for view, wanted in zip(views, rows, strict=True) if wanted])
    return measure_rows(scores[rows].tolist(), marks[rows].tolist(), groups)


def _origin(views: Sequence[View], learnt_from: str, licence: str, agreements: dict[str, Agreement]) -> Origin:
    dialogues = list({view.dialogue.id: view.dialogue for view in views}.values())
    return Origin(
        learnt_from=learnt_from or "dialogues of the user",
        licence=licence,
        dialogues=len(dialogues),
        method=METHOD,
        agreements=agreements,
        lengths=usual_lengths(dialogues),
    )
