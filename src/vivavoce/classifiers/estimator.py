"""Any scikit-learn classifier, as an object or by its name."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any
from urllib.parse import unquote

import numpy as np

from vivavoce import plugins
from vivavoce.classifiers.logistic import softmax
from vivavoce.classifiers.protocol import Probabilities
from vivavoce.errors import UsageError, nearest
from vivavoce.records import Guess
from vivavoce.text.words import words

_EXAMPLE = "write --classifier sklearn:sklearn.svm.LinearSVC or sklearn:sklearn.svm.LinearSVC?C=10"
_WORDS_OF_VALUES = {"true": True, "false": False, "none": None}
_DENSE_COLUMNS = 2000


class EstimatorClassifier:
    """Trains a fresh clone of a scikit-learn classifier each time.

    An estimator that reads text itself (a pipeline that starts with a vectoriser) gets the texts; any other
    gets the TF-IDF of words (1-2) and characters (2-5) in front, or, if it cannot read sparse columns, that
    of the 2,000 most frequent words. `vectoriser` replaces it; "passthrough" hands over the texts themselves.
    Every `random_state` left at None becomes 0 in the clone, so that an exam can be repeated.

    The confidence is that of `predict_proba`; else the softmax of `decision_function`, which ranks guesses
    but is not calibrated (a threshold means something else for another estimator); else 1. The object has
    `probabilities` only if the estimator has `predict_proba`.
    """

    probabilities: Callable[[Sequence[str]], Probabilities]

    # May be copied and trained on several splits side by side.
    parallel = True

    def __init__(self, estimator: Any, vectoriser: Any = None, name: str | None = None) -> None:
        missing = [method for method in ("fit", "predict", "get_params") if not hasattr(estimator, method)]
        if isinstance(estimator, type) or missing:
            problem = "is a class, not an object" if isinstance(estimator, type) else f"lacks {', '.join(missing)}"
            raise UsageError(
                f"the estimator {_class_name(estimator)} {problem}", remedy="use a scikit-learn classifier instance"
            )
        steps = getattr(estimator, "steps", None)
        self.name = name or _class_name(steps[-1][1] if steps else estimator)
        self._pipeline = _add_vectoriser(estimator, vectoriser)
        self._fitted: Any = None
        if hasattr(self._pipeline, "predict_proba"):
            self.probabilities = self._probabilities

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train a clone on these examples alone."""
        self._fitted = None
        from sklearn.base import clone
        from sklearn.dummy import DummyClassifier

        # Most estimators refuse to train on a single topic, and an exam can hand them one.
        fresh = clone(self._pipeline) if len(set(intents)) > 1 else DummyClassifier(strategy="prior")
        seeds = [
            name
            for name, value in fresh.get_params(deep=True).items()
            if value is None and name.rpartition("__")[2] == "random_state"
        ]
        self._fitted = fresh.set_params(**dict.fromkeys(seeds, 0)).fit(list(texts), list(intents))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the estimator's choice for each text."""
        if not len(texts):
            return []
        fitted = self._get_fitted()
        if hasattr(fitted, "predict_proba"):
            return self._probabilities(texts).guesses()
        labels = [str(label) for label in fitted.predict(list(texts))]
        confidences = _measure_confidence(fitted, texts, labels)
        return [Guess(label, confidence) for label, confidence in zip(labels, confidences, strict=True)]

    def _probabilities(self, texts: Sequence[str]) -> Probabilities:
        fitted = self._get_fitted()
        intents = tuple(map(str, fitted.classes_))
        if not len(texts):
            return Probabilities(intents, np.zeros((0, len(intents))))
        return Probabilities(intents, np.asarray(fitted.predict_proba(list(texts)), dtype=np.float64))

    def _get_fitted(self) -> Any:
        if self._fitted is None:
            raise UsageError(f"the classifier '{self.name}' is not trained", remedy="call fit first")
        return self._fitted


@plugins.declare(plugins.Declaration(needs_option=True))
def from_option(option: str = "") -> EstimatorClassifier:
    """Any scikit-learn estimator, as `sklearn.module.Name?parameter=value&...`."""
    path, _, query = option.strip().partition("?")
    if not path:
        raise UsageError("no estimator given", remedy=_EXAMPLE)
    kind = _find_class(path)
    parameters = _read_parameters(kind, query)
    try:
        estimator = kind(**parameters)
        # It checks its parameters now, not in the middle of an exam.
        if (check := getattr(estimator, "_validate_params", None)) is not None:
            check()
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path}: {error}", remedy="fix the parameter") from error
    return EstimatorClassifier(estimator, name=option.strip())


def _add_vectoriser(estimator: Any, vectoriser: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    if vectoriser == "passthrough" or (vectoriser is None and _reads_text(estimator)):
        return estimator
    return make_pipeline(_make_vectoriser(estimator) if vectoriser is None else vectoriser, estimator)


def _reads_text(estimator: Any) -> bool:
    """Say whether the estimator, or what comes first inside it, is a vectoriser of text."""
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

    if isinstance(estimator, CountVectorizer | HashingVectorizer):
        return True
    inner = _list_first(estimator)
    return bool(inner) and all(_reads_text(each) for each in inner)


def _list_first(estimator: Any) -> list[Any]:
    """Return what sees the data first: a first step, the members of a union or vote, a wrapped estimator."""
    if hasattr(estimator, "steps"):
        return [step for _, step in estimator.steps if step not in (None, "passthrough")][:1]
    for attribute in ("transformer_list", "estimators"):
        members = getattr(estimator, attribute, None)
        if isinstance(members, list):
            return [member[1] for member in members if member[1] not in ("drop", "passthrough")]
    wrapped = getattr(estimator, "estimator", None)
    return [wrapped] if hasattr(wrapped, "fit") else []


def _make_vectoriser(estimator: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.preprocessing import FunctionTransformer

    by_word = {"tokenizer": words, "token_pattern": None, "lowercase": False, "sublinear_tf": True}
    if not _reads_sparse(estimator):
        frequent = TfidfVectorizer(max_features=_DENSE_COLUMNS, **by_word)
        return make_pipeline(frequent, FunctionTransformer(_dense, accept_sparse=True))
    by_character = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    return make_union(TfidfVectorizer(ngram_range=(1, 2), **by_word), by_character)


def _reads_sparse(estimator: Any) -> bool:
    try:
        from sklearn.utils import get_tags
    except ImportError:  # before scikit-learn 1.6 estimators cannot be asked
        return True
    return bool(get_tags(estimator).input_tags.sparse)


def _dense(columns: Any) -> Any:
    return columns.toarray()


def _measure_confidence(fitted: Any, texts: Sequence[str], labels: Sequence[str]) -> list[float]:
    certain = [1.0] * len(labels)
    if not hasattr(fitted, "decision_function"):
        return certain
    scores = np.asarray(fitted.decision_function(list(texts)), dtype=np.float64)
    column = {str(intent): place for place, intent in enumerate(fitted.classes_)}
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros_like(scores), scores])
    if scores.shape[1] != len(column):  # one column for each pair of topics says nothing about one of them
        return certain
    shares = softmax(scores)
    return [float(shares[row, column[label]]) for row, label in enumerate(labels)]


def _find_class(path: str) -> type[Any]:
    module_name, _, name = path.rpartition(".")
    if not module_name.startswith("sklearn."):
        what = f"'{path}' is not a scikit-learn classifier.{_suggest_path(path)}"
        raise UsageError(what, remedy=f"{_EXAMPLE}; for your own classes, use python:module:factory")
    try:
        kind = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        what = f"scikit-learn has no classifier '{path}'.{_suggest_path(path)}"
        raise UsageError(what, remedy=_EXAMPLE) from error
    from sklearn.base import BaseEstimator, ClassifierMixin

    if not (isinstance(kind, type) and issubclass(kind, ClassifierMixin) and issubclass(kind, BaseEstimator)):
        what = f"'{path}' is not a classifier.{_suggest_path(path)}"
        raise UsageError(what, remedy=_EXAMPLE)
    return kind


def _suggest_path(path: str) -> str:
    from sklearn.utils import all_estimators

    public = {}
    for name, kind in all_estimators(type_filter="classifier"):
        parts = [part for part in kind.__module__.split(".") if not part.startswith("_")]
        public[name] = ".".join([*parts, name])
    alike = get_close_matches(path.rpartition(".")[2], list(public), n=1)
    return f" Did you mean '{public[alike[0]]}'?" if alike else ""


def _read_parameters(kind: type[Any], query: str) -> dict[str, Any]:
    known = sorted(kind._get_param_names())
    parameters: dict[str, Any] = {}
    for part in filter(None, query.split("&")):
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"'{part}' is not parameter=value", remedy=_EXAMPLE)
        if name in parameters:
            raise UsageError(f"the parameter '{name}' appears twice", remedy="keep one of them")
        if name not in known:
            what = f"{kind.__name__} has no parameter '{name}'.{nearest(name, known)}"
            raise UsageError(what, remedy=f"its parameters are {', '.join(known)}")
        parameters[name] = _parse_value(unquote(value))
    return parameters


def _parse_value(text: str) -> Any:
    if text.lower() in _WORDS_OF_VALUES:
        return _WORDS_OF_VALUES[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, TypeError, ValueError):
        return text


def _class_name(estimator: Any) -> str:
    return str(getattr(estimator, "__name__", type(estimator).__name__))
