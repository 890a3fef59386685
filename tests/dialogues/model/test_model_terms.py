"""Words and pairs of words, weighed; the two linear models that stand on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_talks import view
from scipy import sparse
from sklearn.linear_model import Ridge

from vivavoce.dialogues.dialogue import View
from vivavoce.dialogues.model import recipe
from vivavoce.dialogues.model.linear import NUMBERS, ROLES, ThumbModel, WordingModel, message_numbers
from vivavoce.dialogues.model.messages import EncodedDialogue, encode_view
from vivavoce.dialogues.model.recipe import weigh_documents
from vivavoce.dialogues.model.terms import EDGE, Terms, count_rows, learn_terms, terms_of, weigh

WORDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "unknown"])
DOCUMENTS = st.lists(st.lists(st.lists(WORDS, max_size=6), max_size=4), max_size=6)


def learned(least: int = 1) -> Terms:
    return learn_terms([[["a", "b", "c"]], [["a", "b"], ["d"]], [["a"], ["e", "f", "a"]]], least)


def dense(terms: Terms, documents: list[list[list[str]]]) -> np.ndarray:
    """Weigh documents as scoring does it: the counts of all messages, added up."""
    rows = []
    for document in documents:
        met, counts = count_rows(terms, [terms_of(message) for message in document])
        row = np.zeros(len(terms.names))
        row[met] = weigh(counts.sum(axis=0, keepdims=True), terms.rarity[met])[0]
        rows.append(row)
    return np.array(rows).reshape(len(documents), len(terms.names))


def talks(views: list[View]) -> list[EncodedDialogue]:
    return [encode_view(one, {}) for one in views]


def test_a_message_is_its_words_its_pairs_and_its_edges() -> None:
    assert terms_of(["so", "what"]) == [EDGE, "so", "what", f"{EDGE} so", "so what", f"what {EDGE}"]
    assert terms_of([]) == []


def test_terms_of_too_few_documents_are_not_kept() -> None:
    assert {"a", "b", "a b", EDGE} <= set(learned(2).names)
    assert not {"c", "d", "e"} & set(learned(2).names)


def test_a_term_of_fewer_documents_is_rarer() -> None:
    rarity = learned().rarities
    assert rarity["a"] < rarity["b"] < rarity["c"]
    assert rarity["a"] == pytest.approx(1)


@given(st.lists(st.lists(st.integers(0, 50), min_size=4, max_size=4), min_size=1, max_size=5))
def test_weighed_rows_have_length_one_or_are_empty(counts: list[list[int]]) -> None:
    table = np.array(counts, dtype=float)
    norms = np.linalg.norm(weigh(table, np.array([1.0, 2.0, 3.0, 4.0])), axis=1)
    np.testing.assert_allclose(norms, (table.sum(axis=1) > 0).astype(float))


@given(DOCUMENTS)
def test_learning_and_scoring_weigh_a_document_alike(documents: list[list[list[str]]]) -> None:
    terms = learned()
    found = weigh_documents(terms, documents)
    assert sparse.issparse(found)
    np.testing.assert_allclose(found.toarray(), dense(terms, documents), atol=1e-12)


def test_no_known_term_is_no_term() -> None:
    met, counts = count_rows(learned(), [["strange"], []])
    assert met.size == 0
    assert counts.shape == (2, 0)


@settings(max_examples=30)
@given(st.lists(st.lists(WORDS, max_size=5), max_size=8), st.integers(0, 5))
def test_a_liking_is_the_product_of_the_three_roles_as_they_are_learned(messages: list[list[str]], seed: int) -> None:
    terms, chance = learned(), np.random.default_rng(seed)
    model = ThumbModel(
        terms, chance.normal(size=(len(ROLES), len(terms.names))), chance.normal(size=len(NUMBERS)), 0.3
    )
    talk = encode_view(view(*map(" ".join, messages)), {})
    own = weigh_documents(terms, [[message] for message in [*talk.tokens, ()]]).toarray()
    # A missing neighbour (-1) is the empty message after the last.
    roles = np.hstack([own[list(places)] for places in (range(len(messages)), talk.before, talk.after)])
    expected = 0.3 + roles @ model.weights.ravel() + message_numbers(talk) @ model.numbers
    np.testing.assert_allclose(model.predict(talk), expected, atol=1e-12)


def test_a_liking_learned_from_thumbs_is_what_ridge_predicts(planted_views: list[View]) -> None:
    read = talks(planted_views)
    thumbs = recipe._gather_thumbs(planted_views, read)
    fitted = Ridge(alpha=recipe.THUMB_PENALTY).fit(thumbs.table, thumbs.thumbs)
    model = thumbs.learn(np.ones(len(thumbs.thumbs), dtype=bool))
    found = {}
    for one, talk in zip(planted_views, read, strict=True):
        given = [place for place, turn in enumerate(one.dialogue.turns) if turn.thumb is not None]
        found[one.dialogue.id] = model.predict(talk)[given]
    order = list(dict.fromkeys(thumbs.groups.tolist()))
    expected = fitted.predict(thumbs.table)
    np.testing.assert_allclose(np.concatenate([found[name] for name in order]), expected, atol=1e-5)


def test_wording_is_what_ridge_predicts(planted_views: list[View]) -> None:
    read = talks(planted_views)
    targets = recipe._make_targets(planted_views)
    model = recipe._learn_wording(read, targets)
    sides = [
        [[tokens for tokens, peer in zip(talk.tokens, talk.peer, strict=True) if peer == own] for talk in read]
        for own in (False, True)
    ]
    table = sparse.hstack(
        [weigh_documents(terms, side) for terms, side in zip((model.judge, model.peer), sides, strict=True)]
    ).tocsr()
    expected = Ridge(alpha=recipe.WORDING_PENALTY).fit(table, targets).predict(table)
    found = np.vstack([model.predict(talk, np.ones((1, len(talk.peer)))) for talk in read])
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_wording_without_a_message_is_the_wording_of_the_others(planted_views: list[View]) -> None:
    model = recipe._learn_wording(talks(planted_views), recipe._make_targets(planted_views))
    whole, shorter = (
        encode_view(view(*texts), {})
        for texts in (("hi music", "rain", "books", "x y"), ("hi music", "rain", "books"))
    )
    masked = model.predict(whole, np.array([[1.0, 1.0, 1.0, 0.0]]))
    np.testing.assert_allclose(masked, model.predict(shorter, np.ones((1, 3))), atol=1e-12)


def test_texts_without_words_leave_wording_with_the_mean(planted_views: list[View]) -> None:
    strange = [encode_view(view("да", "нет", "да"), {}), encode_view(view("да", "нет"), {})]
    model = recipe._learn_wording(strange, np.array([[1.0, 0.0], [3.0, 1.0]]))
    assert isinstance(model, WordingModel)
    assert model.predict(strange[0], np.ones((1, 3))).tolist() == [[2.0, 0.5]]
