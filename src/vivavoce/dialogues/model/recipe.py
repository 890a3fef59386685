"""Learning the parts of the model from rated dialogues."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Kind, View
from vivavoce.dialogues.model.features import dialogue_features
from vivavoce.dialogues.model.kernel import from_sklearn, learn_kernel, learn_scales
from vivavoce.dialogues.model.linear import NUMBERS, ROLES, ThumbModel, WordingModel, message_numbers
from vivavoce.dialogues.model.messages import EncodedDialogue, encode_view, tokens_of
from vivavoce.dialogues.model.model import Parts
from vivavoce.dialogues.model.terms import Terms, learn_terms, terms_of
from vivavoce.dialogues.splits import by_dialogue, grouped_folds

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

INNER_FOLDS = 5
MIN_DIALOGUES = 2
MIN_THUMB_MESSAGES = 3
WORDING_PENALTY = 4.0
THUMB_PENALTY = 3.0
TREES = 150
MIN_IN_LEAF = 5
FEATURES_PER_QUESTION = 0.3
WIDTH = 0.001
SMOOTHING = 2.0


def learn_parts(views: Sequence[View], *, seed: int = 0) -> Parts:
    """Learn from rated views. The thumbs are predicted out of fold while the rest is learned."""
    from sklearn.ensemble import ExtraTreesRegressor

    words, seen = _learn_words(views)
    dialogues = [encode_view(view, seen) for view in views]
    thumbs = _gather_thumbs(views, dialogues)
    liked = _predict_thumbs(views, dialogues, thumbs, seed)
    features = np.vstack([dialogue_features(*pair) for pair in zip(dialogues, liked, strict=True)])
    targets = _make_targets(views)
    forest = ExtraTreesRegressor(
        n_estimators=TREES, min_samples_leaf=MIN_IN_LEAF, max_features=FEATURES_PER_QUESTION, random_state=seed
    ).fit(features, targets)
    scales = learn_scales(features)
    return Parts(
        words=words,
        thumbs=thumbs.learn(np.ones(len(thumbs.thumbs), dtype=bool)),
        wording=_learn_wording(dialogues, targets),
        forest=from_sklearn(list(forest.estimators_)),
        scales=scales,
        kernel=learn_kernel(scales.apply(features), targets, WIDTH, SMOOTHING),
    )


def _make_targets(views: Sequence[View]) -> Floats:
    """Return how far each rating is from the mean of its kind, and whether the peer was a person."""
    ratings = np.array([view.quality for view in views], dtype=np.float64)
    human = np.array([view.dialogue.kind is Kind.HUMAN_HUMAN for view in views])
    usual = np.zeros(len(ratings))
    for kind in (human, ~human):
        if kind.any():
            usual[kind] = ratings[kind].mean()
    return np.stack([ratings - usual, human.astype(np.float64)], axis=1)


def _learn_words(views: Sequence[View]) -> tuple[Terms, dict[str, float]]:
    """Return the words of at least two dialogues, and their rarity as a dialogue among these sees it.

    A dialogue knows its own words, so each of them counts one dialogue less: otherwise nothing that is learned
    from would look as strange as what comes later.
    """
    dialogues = {view.dialogue.id: view.dialogue for view in views}.values()
    texts = [[tokens_of(turn.text) for turn in dialogue.turns] for dialogue in dialogues]
    words = learn_terms(texts, MIN_DIALOGUES, split=list)
    total = len(texts) + 1
    others = {word: round(total / math.exp(rarity - 1)) - 2 for word, rarity in words.rarities.items()}
    seen = {word: math.log((total - 1) / (1 + count)) + 1 for word, count in others.items() if count >= MIN_DIALOGUES}
    return words, seen


@dataclass(frozen=True)
class _Thumbs:
    """All messages that got a thumb: their terms and numbers, the thumb (1 up, 0 down), and their dialogue."""

    terms: Terms
    table: csr_matrix = field(repr=False)
    thumbs: Floats = field(repr=False)
    groups: NDArray[np.str_] = field(repr=False)

    def learn(self, rows: NDArray[np.bool_]) -> ThumbModel:
        """Learn from some of the messages."""
        from sklearn.linear_model import Ridge

        if len(np.unique(self.thumbs[rows])) < 2:
            return ThumbModel(self.terms, np.zeros((len(ROLES), len(self.terms.names))), np.zeros(len(NUMBERS)))
        fitted = Ridge(alpha=THUMB_PENALTY).fit(self.table[rows], self.thumbs[rows])
        weights = fitted.coef_.astype(np.float32).astype(np.float64)
        cut = len(ROLES) * len(self.terms.names)
        return ThumbModel(self.terms, weights[:cut].reshape(len(ROLES), -1), weights[cut:], float(fitted.intercept_))


def _gather_thumbs(views: Sequence[View], dialogues: Sequence[EncodedDialogue]) -> _Thumbs:
    from scipy import sparse

    # Two views of one dialogue hold the same messages and thumbs: one of them is enough.
    first = list({view.dialogue.id: row for row, view in reversed(list(enumerate(views)))}.values())
    # A missing neighbour is the empty message after the last.
    messages = [[*dialogues[row].tokens, ()] for row in first]
    terms = learn_terms(([message] for dialogue in messages for message in dialogue), MIN_THUMB_MESSAGES)
    own = weigh_documents(terms, [[message] for dialogue in messages for message in dialogue])
    places: dict[str, list[Rows]] = {role: [] for role in ROLES}
    numbers, values, groups, start = [], [], [], 0
    for row in first:
        dialogue, turns = dialogues[row], views[row].dialogue.turns
        rows = np.array([place for place, turn in enumerate(turns) if turn.thumb is not None], dtype=np.intp)
        for role, neighbours in zip(ROLES, (range(len(turns)), dialogue.before, dialogue.after), strict=True):
            chosen = np.array(neighbours, dtype=np.intp)[rows]
            places[role].append(start + np.where(chosen < 0, len(turns), chosen))
        numbers.append(message_numbers(dialogue)[rows])
        values += [float(turns[place].thumb or 0) for place in rows]
        groups += [views[row].dialogue.id] * len(rows)
        start += len(turns) + 1
    tables = [own[np.concatenate(places[role])] for role in ROLES]
    table = sparse.hstack([*tables, sparse.csr_matrix(np.vstack(numbers))]).tocsr()
    return _Thumbs(terms, table, np.array(values, dtype=np.float64), np.array(groups, dtype=np.str_))


def _predict_thumbs(
    views: Sequence[View], dialogues: Sequence[EncodedDialogue], thumbs: _Thumbs, seed: int
) -> list[Floats]:
    """Return for each dialogue how its messages are liked, by models that have not seen the dialogue."""
    liked: list[Floats] = [np.zeros(0)] * len(dialogues)
    groups = by_dialogue(views)
    for _, testing in grouped_folds(groups, min(INNER_FOLDS, len(set(groups))), seed):
        model = thumbs.learn(~np.isin(thumbs.groups, [groups[row] for row in testing]))
        for row in testing:
            liked[row] = model.predict(dialogues[row])
    return liked


def _learn_wording(dialogues: Sequence[EncodedDialogue], targets: Floats) -> WordingModel:
    from scipy import sparse
    from sklearn.linear_model import Ridge

    sides = [
        [
            [tokens for tokens, peer in zip(dialogue.tokens, dialogue.peer, strict=True) if bool(peer) is is_peer]
            for dialogue in dialogues
        ]
        for is_peer in (False, True)
    ]
    terms = [learn_terms(documents, MIN_DIALOGUES) for documents in sides]
    if not any(own.names for own in terms):  # texts of another alphabet, or none
        empty = np.zeros((targets.shape[1], 0))
        return WordingModel(terms[0], terms[1], empty, empty, targets.mean(axis=0))
    tables = [weigh_documents(own, documents) for own, documents in zip(terms, sides, strict=True)]
    fitted = Ridge(alpha=WORDING_PENALTY).fit(sparse.hstack(tables).tocsr(), targets)
    weights = fitted.coef_.astype(np.float32).astype(np.float64)
    cut = len(terms[0].names)
    return WordingModel(terms[0], terms[1], weights[:, :cut], weights[:, cut:], np.asarray(fitted.intercept_))


def weigh_documents(terms: Terms, documents: Sequence[Sequence[Sequence[str]]]) -> csr_matrix:
    """Return one sparse row for each document, weighed as `terms.weigh` does it."""
    from scipy import sparse

    columns: list[int] = []
    counts: list[int] = []
    starts = [0]
    for document in documents:
        totals: Counter[int] = Counter()
        for message in document:
            totals.update(terms.count(terms_of(message)))
        columns += totals
        counts += totals.values()
        starts.append(len(columns))
    values = (1 + np.log(np.array(counts, dtype=np.float64))) * terms.rarity[columns]
    table = sparse.csr_matrix((values, columns, starts), shape=(len(documents), len(terms.names)))
    norms = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return sparse.diags(1 / np.where(norms > 0, norms, 1.0)).dot(table).tocsr()
