"""Training a model from marked dialogues, with its passport: how it did on talks and bots that it had not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.agreement import measure_rows
from vivavoce.dialogues.corpus.preprocessing import is_short
from vivavoce.dialogues.dialogue import Dialogue, Kind, View, rated_views
from vivavoce.dialogues.model.equations import cross_fit, learn_equation, learn_guess, with_interval
from vivavoce.dialogues.model.model import OUTPUTS, Model
from vivavoce.dialogues.model.recipe import learn_parts
from vivavoce.dialogues.passport import usual_lengths
from vivavoce.dialogues.result import Agreement, Origin
from vivavoce.dialogues.splits import HUMAN, by_bot, by_user, grouped_folds, language_clusters, left_out
from vivavoce.errors import DataError, plural

Floats = NDArray[np.float64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
Progress = Callable[[str, int, int], None]

FOLDS = 5
LEAST_MARKS = 100
PSEUDO_BOTS = 12
STAGE = "training"
METHOD = "5-fold cross-validation by dialogue (by person where known); unseen bots: one left out at a time"


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
    folds, bots = grouped_folds(by_user(views), FOLDS, seed), bot_splits(views, seed)
    course = _Course(len(folds) + len(bots) + 1, progress)
    outputs = predict_splits(views, folds, seed, course.step)
    scores = {told: cross_fit(outputs, marks, human, folds, told=told) for told in (True, False)}
    guess = learn_guess(outputs, human)
    known = {True: human.astype(np.float64), False: guess.chance(outputs)}
    told, untold = (
        with_interval(learn_equation(outputs, marks, known[case]), scores[case], marks) for case in (True, False)
    )
    agreements = _agreements(views, scores[True], marks, human)
    if bots:
        unseen = told.apply(predict_splits(views, bots, seed, course.step), known[True])
        agreements["unseen-bot"] = _measured(views, unseen, marks, ~human)
    parts = learn_parts(views, seed=seed)
    course.step()
    return Model(parts, told, untold, guess, _origin(views, learnt_from, licence, agreements))


def tested_on(model: Model, name: str, dialogues: Sequence[Dialogue]) -> Model:
    """Return the model with one line more in its passport: how it did on dialogues that it never learned from."""
    views = list(rated_views(dialogue for dialogue in dialogues if not is_short(dialogue)))
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
    """Return splits that leave one bot out: by name where all are named, else by how the peer speaks."""
    talks = [row for row, view in enumerate(views) if view.dialogue.kind is Kind.HUMAN_BOT]
    if len(talks) < 2 * PSEUDO_BOTS:
        return []
    named = all(views[row].dialogue.bot for row in talks)
    if named:
        labels = np.array([HUMAN] * len(views), dtype=object)
        labels[talks] = by_bot([views[row] for row in talks])
    else:
        labels = np.array(language_clusters(views, n=PSEUDO_BOTS, seed=seed), dtype=object)
    bots = set(labels) - {HUMAN}
    if len(bots) < 2:
        return []
    return [split for split in left_out(labels.tolist()) if labels[split[1][0]] != HUMAN]


def _usable(dialogues: Sequence[Dialogue]) -> list[View]:
    views = list(rated_views(dialogue for dialogue in dialogues if not is_short(dialogue)))
    if len(views) < LEAST_MARKS:
        raise DataError(
            f"{plural(len(views), 'mark')} on talks in which both sides spoke twice: too few to learn from",
            remedy=f"collect at least {LEAST_MARKS} marked dialogues, or recalibrate the shipped model (30 marks)",
        )
    if len({view.quality for view in views}) < 2:
        raise DataError(
            "all marks are the same: there is nothing to learn from them",
            remedy="use marks that differ between good and bad talks",
        )
    return views


def _agreements(
    views: Sequence[View], scores: Floats, marks: Floats, human: NDArray[np.bool_]
) -> dict[str, Agreement]:
    found = {"overall": _measured(views, scores, marks, np.ones(len(views), dtype=bool))}
    if (~human).any():
        found["human-bot"] = _measured(views, scores, marks, ~human)
    return found


def _measured(views: Sequence[View], scores: Floats, marks: Floats, rows: NDArray[np.bool_]) -> Agreement:
    rows = rows & ~np.isnan(scores)
    groups = [view.dialogue.id for view, wanted in zip(views, rows, strict=True) if wanted]
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
