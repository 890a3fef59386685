"""Training a model from rated dialogues, with its passport: how it did on dialogues and bots that it had not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.agreement import groups_of, kind_of, measure_rows
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue, Kind, View, fingerprint, rated_views
from vivavoce.dialogues.model.model import OUTPUTS, Equation, Guess, Model
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
MIN_RATINGS = 100
# A dialogue may have many ratings; what differs between dialogues cannot be learned from a handful of them.
MIN_DIALOGUES = 20
PSEUDO_BOTS = 12
STAGE = "training"
METHOD = (
    "5-fold cross-validation by dialogue (by person where 10 or more are named); "
    "unseen bots: one left out at a time, or a twelfth of them"
)


def train_model(
    dialogues: Sequence[Dialogue],
    *,
    learnt_from: str = "",
    licence: str = "",
    seed: int = 0,
    progress: Progress | None = None,
) -> Model:
    """Learn from dialogues that people rated; dialogues in which one side hardly spoke are left out."""
    views = _select_views(dialogues)
    ratings = np.array([view.quality for view in views], dtype=np.float64)
    human = np.array([view.dialogue.kind is Kind.HUMAN_HUMAN for view in views])
    groups = groups_of([view.dialogue for view in views])
    folds, bots = grouped_folds(groups, FOLDS, seed), bot_splits(views, seed)
    steps = iter(range(1, len(folds) + len(bots) + 2))

    def report() -> None:
        done = next(steps)
        if progress is not None:
            progress(STAGE, done, len(folds) + len(bots) + 1)

    outputs = predict_splits(views, folds, seed, report)
    scores = {case: cross_fit(outputs, ratings, human, folds, is_known=case) for case in (True, False)}
    guess = learn_guess(outputs, human)
    known = {True: human.astype(np.float64), False: guess.chance(outputs)}
    known_peer, unknown_peer = (
        with_interval(learn_equation(outputs, ratings, known[case]), scores[case], ratings) for case in (True, False)
    )
    agreements = {"overall": _measure(views, scores[True], ratings)}
    has_bot = with_bot(views)
    if has_bot.any():
        agreements["human-bot"] = _measure(views, scores[True], ratings, has_bot)
    if bots:
        unseen, predicted = predict_splits(views, bots, seed, report), np.full(len(ratings), np.nan)
        for learning, testing in bots:
            # The equation too is learned without that bot.
            equation = learn_equation(outputs[learning], ratings[learning], known[True][learning])
            predicted[testing] = equation.apply(unseen[testing], known[True][testing])
        agreements["unseen-bot"] = _measure(views, predicted, ratings, has_bot)
    parts = learn_parts(views, seed=seed)
    report()
    own = list({view.dialogue.id: view.dialogue for view in views}.values())
    origin = Origin(
        learnt_from=learnt_from or "dialogues of the user",
        licence=licence,
        dialogues=len(own),
        method=METHOD,
        agreements=agreements,
        lengths=usual_lengths(own),
    )
    return Model(
        parts, known_peer, unknown_peer, guess, origin, frozenset(fingerprint(view.dialogue) for view in views)
    )


def add_test(model: Model, name: str, dialogues: Sequence[Dialogue]) -> Model:
    """Return the model with one line more in its passport: how it did on dialogues that it never learned from."""
    views = list(rated_views(dialogue for dialogue in dialogues if not refuse(dialogue)))
    ratings = np.array([view.quality for view in views], dtype=np.float64)
    agreement = _measure(views, model.predict(views), ratings)
    return replace(model, origin=replace(model.origin, agreements={**model.origin.agreements, name: agreement}))


def predict_splits(
    views: Sequence[View], splits: Sequence[Split], seed: int = 0, step: Callable[[], None] | None = None
) -> Floats:
    """Return the outputs of parts that were learned from the other side of each split; NaN for what none tests."""
    outputs = np.full((len(views), len(OUTPUTS)), np.nan)
    for learning, testing in splits:
        parts = learn_parts([views[row] for row in learning], seed=seed)
        outputs[testing] = parts.predict([parts.read(views[row]) for row in testing])
        if step is not None:
            step()
    return outputs


def bot_splits(views: Sequence[View], seed: int = 0) -> list[Split]:
    """Return splits that leave one bot out: by name where all are named, else by how the peer speaks.

    Of more than 12 bots a twelfth is left out at a time. A bot without which too little is left is not left out.
    """
    rows = np.flatnonzero(with_bot(views))
    if len(rows) < 2 * PSEUDO_BOTS:
        return []
    own = [views[row] for row in rows.tolist()]
    is_named = all(view.dialogue.bot for view in own)
    labels = by_bot(own) if is_named else language_clusters(own, n=PSEUDO_BOTS, seed=seed)
    if len(set(labels)) < 2:
        return []
    tests = [rows[testing] for _, testing in grouped_folds(labels, min(PSEUDO_BOTS, len(set(labels))), seed)]
    splits = [(np.setdiff1d(np.arange(len(views)), testing), testing) for testing in tests]
    return [split for split in splits if len({views[row].dialogue.id for row in split[0].tolist()}) >= MIN_DIALOGUES]


def with_bot(views: Sequence[View]) -> NDArray[np.bool_]:
    """Say of each view whether it is known to be of a dialogue with a bot."""
    return np.array([kind_of(view.dialogue) is Kind.HUMAN_BOT for view in views], dtype=bool)


def _select_views(dialogues: Sequence[Dialogue]) -> list[View]:
    """Return the rated views of all dialogues that would get a score; refuse what nothing can be learned from."""
    reasons = [refuse(dialogue) for dialogue in dialogues]
    views = list(rated_views(each for each, why in zip(dialogues, reasons, strict=True) if not why))
    if len(views) < MIN_RATINGS:
        common = [
            f"{plural(count, 'dialogue')}: {why}" for why, count in Counter(filter(None, reasons)).most_common(3)
        ]
        left = f" (skipped: {'; '.join(common)})" if common else ""
        raise DataError(
            f"{plural(len(views), 'rating')} on dialogues that can be scored: too few to train on{left}",
            remedy=f"collect {MIN_RATINGS} ratings on {MIN_DIALOGUES} dialogues or more, or recalibrate the bundled "
            "model",
        )
    rated = len({view.dialogue.id for view in views})
    if rated < MIN_DIALOGUES:
        raise DataError(
            f"the ratings cover only {plural(rated, 'different dialogue')}: too few to train on",
            remedy=f"have people rate at least {MIN_DIALOGUES} dialogues, ideally {MIN_RATINGS}",
        )
    if len({view.quality for view in views}) < 2:
        raise DataError(
            "all ratings are the same, so there is nothing to learn",
            remedy="use ratings that differ between good and bad dialogues",
        )
    return views


def _measure(
    views: Sequence[View], scores: Floats, ratings: Floats, chosen: NDArray[np.bool_] | bool = True
) -> Agreement:
    rows = chosen & ~np.isnan(scores)
    groups = groups_of([views[row].dialogue for row in np.flatnonzero(rows).tolist()])
    return measure_rows(scores[rows].tolist(), ratings[rows].tolist(), groups)


Flags = NDArray[np.bool_]

# The logit of a chance that nobody needs to doubt.
_CERTAIN = 20.0
# Eight of ten ratings lie between these.
SHARES = (0.1, 0.9)
# Scores for each step of the interval; fewer would make its ends jump.
_MIN_IN_STEP = 60
_MAX_STEPS = 12


def learn_guess(outputs: Floats, human: Flags) -> Guess:
    """Learn the chance of a person from the output `human`; where there is one kind only, that kind is certain."""
    if human.all() or not human.any():
        return Guess(_CERTAIN if human.all() else -_CERTAIN, 0.0)
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e3).fit(outputs[:, [OUTPUTS.index("human")]], human)
    return Guess(float(fitted.intercept_[0]), float(fitted.coef_[0, 0]))


def learn_equation(outputs: Floats, ratings: Floats, human: Floats) -> Equation:
    """Fit ratings by least squares; `human`: whether the peer was a person, or the chance of it."""
    # The shortest solution: where all peers are of one kind, nothing is added for the other.
    table = np.column_stack([np.ones(len(ratings)), human, outputs])
    solution = np.asarray(np.linalg.lstsq(table, ratings, rcond=1e-8)[0], dtype=np.float64)
    return Equation(float(solution[0]), float(solution[1]), solution[2:])


def cross_fit(outputs: Floats, ratings: Floats, human: Flags, folds: Sequence[Split], *, is_known: bool) -> Floats:
    """Return ratings of each fold by an equation learned from the outputs of the others."""
    scores = np.zeros(len(ratings))
    for learning, testing in folds:
        guess = learn_guess(outputs[learning], human[learning])
        known = human.astype(np.float64) if is_known else guess.chance(outputs)
        equation = learn_equation(outputs[learning], ratings[learning], known[learning])
        scores[testing] = equation.apply(outputs[testing], known[testing])
    return scores


def with_interval(equation: Equation, scores: Floats, ratings: Floats) -> Equation:
    """Learn where 8 of 10 ratings lie at each score, from scores of dialogues not learned from."""
    order = np.argsort(scores, kind="stable")
    steps = np.array_split(order, int(np.clip(len(order) // _MIN_IN_STEP, 1, _MAX_STEPS)))
    centres = np.array([scores[step].mean() for step in steps])
    gaps = np.array([np.quantile(ratings[step] - scores[step], SHARES) for step in steps])
    lows = np.clip(centres + gaps[:, 0], LOWEST, HIGHEST)
    highs = np.clip(centres + gaps[:, 1], LOWEST, HIGHEST)
    # A higher score never promises less.
    return replace(equation, scores=centres, lows=np.maximum.accumulate(lows), highs=np.maximum.accumulate(highs))
