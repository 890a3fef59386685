"""Learning the parts of the model from marked talks. The only room that needs scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Kind, View
from vivavoce.dialogues.model.features import talk_features
from vivavoce.dialogues.model.forest import Forest, from_sklearn
from vivavoce.dialogues.model.kernel import learn_kernel, learn_scales
from vivavoce.dialogues.model.messages import Talk, read_talk, tokens_of
from vivavoce.dialogues.model.model import Parts
from vivavoce.dialogues.model.terms import Terms, learn_terms, terms_of
from vivavoce.dialogues.model.thumbs import NUMBERS, ROLES, ThumbModel, message_numbers
from vivavoce.dialogues.model.wording import WordingModel
from vivavoce.dialogues.splits import by_dialogue, grouped_folds

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

INNER_FOLDS = 5
LEAST_DIALOGUES = 2
LEAST_THUMB_MESSAGES = 3
WORDING_PENALTY = 4.0
THUMB_PENALTY = 3.0
TREES = 150
LEAST_IN_LEAF = 5
FEATURES_PER_QUESTION = 0.3
WIDTH = 0.001
SMOOTHING = 2.0


def learn_parts(views: Sequence[View], *, seed: int = 0) -> Parts:
    """Learn from marked views. The marks of thumbs are predicted out of fold while the rest is learned."""
    words, seen = _learn_words(views)
    talks = [read_talk(view, seen) for view in views]
    targets, thumbs = _targets(views), _gather_thumbs(views, talks)
    liked = _out_of_fold(views, talks, thumbs, seed)
    features = np.vstack([talk_features(*one) for one in zip(talks, liked, strict=True)])
    scales = learn_scales(features)
    return Parts(
        words=words,
        thumbs=thumbs.learn(np.ones(len(thumbs.given), dtype=bool)),
        wording=_learn_wording(talks, targets),
        forest=_learn_forest(features, targets, seed),
        scales=scales,
        kernel=learn_kernel(scales.apply(features), targets, WIDTH, SMOOTHING),
    )


def _targets(views: Sequence[View]) -> Floats:
    """Return how far each mark is from the mean of its kind, and whether the peer was a person."""
    marks = np.array([view.quality for view in views], dtype=np.float64)
    human = np.array([view.dialogue.kind is Kind.HUMAN_HUMAN for view in views])
    usual = np.zeros(len(marks))
    for kind in (human, ~human):
        if kind.any():
            usual[kind] = marks[kind].mean()
    return np.stack([marks - usual, human.astype(np.float64)], axis=1)


def _learn_words(views: Sequence[View]) -> tuple[Terms, dict[str, float]]:
    """Return the words of at least two dialogues, and their rarity as a dialogue among these sees it.

    A dialogue knows its own words, so each of them counts one dialogue less: otherwise nothing that is learned
    from would look as strange as what comes later.
    """
    dialogues = {view.dialogue.id: view.dialogue for view in views}.values()
    texts = [[tokens_of(turn.text) for turn in dialogue.turns] for dialogue in dialogues]
    words = learn_terms(texts, LEAST_DIALOGUES, split=list)
    total = len(texts) + 1
    others = {word: round(total / math.exp(rarity - 1)) - 2 for word, rarity in words.rarities.items()}
    seen = {
        word: math.log((total - 1) / (1 + count)) + 1 for word, count in others.items() if count >= LEAST_DIALOGUES
    }
    return words, seen


# --- thumbs --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Thumbs:
    """All messages that got a thumb: their terms and numbers, the thumb, and the dialogue that they stood in."""

    terms: Terms
    table: csr_matrix = field(repr=False)
    given: Floats = field(repr=False)
    groups: NDArray[np.str_] = field(repr=False)

    def learn(self, rows: NDArray[np.bool_]) -> ThumbModel:
        """Learn from some of the messages."""
        from sklearn.linear_model import Ridge

        if len(np.unique(self.given[rows])) < 2:
            return ThumbModel(self.terms, np.zeros((len(ROLES), len(self.terms.names))), np.zeros(len(NUMBERS)))
        fitted = Ridge(alpha=THUMB_PENALTY).fit(self.table[rows], self.given[rows])
        weights = fitted.coef_.astype(np.float32).astype(np.float64)
        cut = len(ROLES) * len(self.terms.names)
        return ThumbModel(self.terms, weights[:cut].reshape(len(ROLES), -1), weights[cut:], float(fitted.intercept_))


def _gather_thumbs(views: Sequence[View], talks: Sequence[Talk]) -> _Thumbs:
    from scipy import sparse

    # Two views of one dialogue hold the same messages and thumbs: one of them is enough.
    first = list({view.dialogue.id: row for row, view in reversed(list(enumerate(views)))}.values())
    messages = [[*talks[row].tokens, ()] for row in first]
    terms = learn_terms(([message] for talk in messages for message in talk), LEAST_THUMB_MESSAGES)
    own = weigh_documents(terms, [[message] for talk in messages for message in talk])
    starts = np.cumsum([0, *map(len, messages)])
    given = [_given(views[row]) for row in first]
    marked = [np.flatnonzero(~np.isnan(thumbs)) for thumbs in given]
    places = [
        np.concatenate(
            [
                start + _neighbours(talks[row], role)[rows]
                for start, row, rows in zip(starts, first, marked, strict=False)
            ]
        )
        for role in ROLES
    ]
    numbers = np.vstack([message_numbers(talks[row])[rows] for row, rows in zip(first, marked, strict=True)])
    return _Thumbs(
        terms,
        sparse.hstack([*(own[rows] for rows in places), sparse.csr_matrix(numbers)]).tocsr(),
        np.concatenate([thumbs[rows] for thumbs, rows in zip(given, marked, strict=True)]),
        np.repeat([views[row].dialogue.id for row in first], [len(rows) for rows in marked]),
    )


def _neighbours(talk: Talk, role: str) -> Rows:
    """Return for each message the one in this role; a missing one is the empty message after the last."""
    own = np.arange(len(talk.peer))
    found = {"own": own, "before": np.array(talk.before, dtype=np.intp), "after": np.array(talk.after, dtype=np.intp)}
    return np.where(found[role] < 0, len(own), found[role])


def _given(view: View) -> Floats:
    """Return the thumbs of a view: 1 up, 0 down, NaN none."""
    return np.array([np.nan if turn.thumb is None else float(turn.thumb) for turn in view.dialogue.turns])


def _out_of_fold(views: Sequence[View], talks: Sequence[Talk], thumbs: _Thumbs, seed: int) -> list[Floats]:
    """Return for each talk how its messages are liked, by models that have not seen the talk."""
    found: list[Floats] = [np.zeros(0)] * len(talks)
    groups = by_dialogue(views)
    for _, testing in grouped_folds(groups, min(INNER_FOLDS, len(set(groups))), seed):
        model = thumbs.learn(~np.isin(thumbs.groups, [views[row].dialogue.id for row in testing]))
        for row in testing:
            found[row] = model.predict(talks[row])
    return found


# --- wording, forest -----------------------------------------------------------------------------------


def _learn_wording(talks: Sequence[Talk], targets: Floats) -> WordingModel:
    from scipy import sparse
    from sklearn.linear_model import Ridge

    sides = [[_joined(talk, own) for talk in talks] for own in (False, True)]
    terms = [learn_terms(documents, LEAST_DIALOGUES) for documents in sides]
    if not any(own.names for own in terms):  # texts of another alphabet, or none
        empty = np.zeros((targets.shape[1], 0))
        return WordingModel(terms[0], terms[1], empty, empty, targets.mean(axis=0))
    tables = [weigh_documents(own, documents) for own, documents in zip(terms, sides, strict=True)]
    fitted = Ridge(alpha=WORDING_PENALTY).fit(sparse.hstack(tables).tocsr(), targets)
    weights = fitted.coef_.astype(np.float32).astype(np.float64)
    cut = len(terms[0].names)
    return WordingModel(terms[0], terms[1], weights[:, :cut], weights[:, cut:], np.asarray(fitted.intercept_))


def _joined(talk: Talk, own: bool) -> list[tuple[str, ...]]:
    return [tokens for tokens, peer in zip(talk.tokens, talk.peer, strict=True) if bool(peer) is own]


def weigh_documents(terms: Terms, documents: Sequence[Sequence[Sequence[str]]]) -> csr_matrix:
    """Return one sparse row for each document, weighed as `terms.weigh` does it."""
    from scipy import sparse

    columns: list[int] = []
    counts: list[int] = []
    starts = [0]
    for document in documents:
        found: dict[int, int] = {}
        for message in document:
            for number, count in terms.count(terms_of(message)).items():
                found[number] = found.get(number, 0) + count
        columns += found
        counts += found.values()
        starts.append(len(columns))
    values = (1 + np.log(np.array(counts, dtype=np.float64))) * terms.rarity[columns]
    table = sparse.csr_matrix((values, columns, starts), shape=(len(documents), len(terms.names)))
    norms = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return sparse.diags(1 / np.where(norms > 0, norms, 1.0)).dot(table).tocsr()


def _learn_forest(features: Floats, targets: Floats, seed: int) -> Forest:
    from sklearn.ensemble import ExtraTreesRegressor

    fitted = ExtraTreesRegressor(
        n_estimators=TREES,
        min_samples_leaf=LEAST_IN_LEAF,
        max_features=FEATURES_PER_QUESTION,
        random_state=seed,
    ).fit(features, targets)
    return from_sklearn(list(fitted.estimators_))
