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
from vivavoce.classifiers.protocol import Floats, Probabilities
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
                f"the estimator {_class_name(estimator)} {problem}", remedy="give a scikit-learn classifier"
            )
        self.name = name or _class_name(_last(estimator))
        self._pipeline = _with_vectoriser(estimator, vectoriser)
        self._fitted: Any = None
        if hasattr(self._pipeline, "predict_proba"):
            self.probabilities = self._probabilities

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train a clone on these examples alone."""
        self._fitted = None
        fresh = _fresh(self._pipeline) if len(set(intents)) > 1 else _only_topic()
        self._fitted = fresh.fit(list(texts), list(intents))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the estimator's choice for each text."""
        if not len(texts):
            return []
        fitted = self._trained()
        if hasattr(fitted, "predict_proba"):
            return self._probabilities(texts).guesses()
        chosen = [str(label) for label in fitted.predict(list(texts))]
        return [Guess(label, trust) for label, trust in zip(chosen, _trust(fitted, texts, chosen), strict=True)]

    def _probabilities(self, texts: Sequence[str]) -> Probabilities:
        fitted = self._trained()
        intents = _intents(fitted)
        if not len(texts):
            return Probabilities(intents, np.zeros((0, len(intents))))
        return Probabilities(intents, np.asarray(fitted.predict_proba(list(texts)), dtype=np.float64))

    def _trained(self) -> Any:
        if self._fitted is None:
            raise UsageError(f"the classifier '{self.name}' is not trained", remedy="call fit first")
        return self._fitted


@plugins.declare(plugins.Declaration(needs_option=True))
def from_option(option: str = "") -> EstimatorClassifier:
    """Any scikit-learn estimator, as `sklearn.module.Name?parameter=value&...`."""
    path, _, query = option.strip().partition("?")
    if not path:
        raise UsageError("no estimator is named", remedy=_EXAMPLE)
    kind = _class_of(path)
    return EstimatorClassifier(_checked(kind, path, _parameters(kind, query)), name=option.strip())


# What stands in front of the estimator


def _with_vectoriser(estimator: Any, vectoriser: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    if vectoriser == "passthrough" or (vectoriser is None and _reads_text(estimator)):
        return estimator
    return make_pipeline(_default_vectoriser(estimator) if vectoriser is None else vectoriser, estimator)


def _reads_text(estimator: Any) -> bool:
    """Say whether the estimator, or whatever stands first inside it, is a vectoriser of text."""
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

    if isinstance(estimator, CountVectorizer | HashingVectorizer):
        return True
    inner = _first_inside(estimator)
    return bool(inner) and all(_reads_text(each) for each in inner)


def _first_inside(estimator: Any) -> list[Any]:
    """Return what sees the data first: a first step, the members of a union or vote, a wrapped estimator."""
    if hasattr(estimator, "steps"):
        return [step for _, step in estimator.steps if step not in (None, "passthrough")][:1]
    for attribute in ("transformer_list", "estimators"):
        members = getattr(estimator, attribute, None)
        if isinstance(members, list):
            return [member[1] for member in members if member[1] not in ("drop", "passthrough")]
    wrapped = getattr(estimator, "estimator", None)
    return [wrapped] if hasattr(wrapped, "fit") else []


def _default_vectoriser(estimator: Any) -> Any:
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


# Training and asking


def _fresh(pipeline: Any) -> Any:
    from sklearn.base import clone

    copy = clone(pipeline)
    seeds = [
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    return copy.set_params(**dict.fromkeys(seeds, 0))


def _only_topic() -> Any:
    # Most estimators refuse to train on a single topic, and an exam can hand them one.
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="prior")


def _intents(fitted: Any) -> tuple[str, ...]:
    return tuple(str(label) for label in fitted.classes_)


def _trust(fitted: Any, texts: Sequence[str], chosen: Sequence[str]) -> list[float]:
    sure = [1.0] * len(chosen)
    if not hasattr(fitted, "decision_function"):
        return sure
    scores = np.asarray(fitted.decision_function(list(texts)), dtype=np.float64)
    column = {intent: place for place, intent in enumerate(_intents(fitted))}
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros_like(scores), scores])
    if scores.shape[1] != len(column):  # one column for each pair of topics says nothing about one of them
        return sure
    shares = _softmax(scores)
    return [float(shares[row, column[label]]) for row, label in enumerate(chosen)]


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


# By name


def _class_of(path: str) -> type[Any]:
    module_name, _, name = path.rpartition(".")
    if not module_name.startswith("sklearn."):
        what = f"'{path}' is not a scikit-learn classifier.{_nearest_path(path)}"
        raise UsageError(what, remedy=f"{_EXAMPLE}; your own classes go through python:module:factory")
    try:
        kind = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        what = f"scikit-learn has no classifier '{path}'.{_nearest_path(path)}"
        raise UsageError(what, remedy=_EXAMPLE) from error
    if not _is_classifier(kind):
        what = f"'{path}' is not a classifier.{_nearest_path(path)}"
        raise UsageError(what, remedy=_EXAMPLE)
    return kind  # type: ignore[no-any-return]


def _is_classifier(kind: Any) -> bool:
    from sklearn.base import BaseEstimator, ClassifierMixin

    return isinstance(kind, type) and issubclass(kind, ClassifierMixin) and issubclass(kind, BaseEstimator)


def _nearest_path(path: str) -> str:
    from sklearn.utils import all_estimators

    public = {}
    for name, kind in all_estimators(type_filter="classifier"):
        parts = [part for part in kind.__module__.split(".") if not part.startswith("_")]
        public[name] = ".".join([*parts, name])
    alike = get_close_matches(path.rpartition(".")[2], list(public), n=1)
    return f" Did you mean '{public[alike[0]]}'?" if alike else ""


def _parameters(kind: type[Any], query: str) -> dict[str, Any]:
    known = sorted(kind._get_param_names())
    given: dict[str, Any] = {}
    for part in filter(None, query.split("&")):
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"'{part}' is not parameter=value", remedy=_EXAMPLE)
        if name in given:
            raise UsageError(f"the parameter '{name}' is given twice", remedy="keep one of them")
        if name not in known:
            what = f"{kind.__name__} has no parameter '{name}'.{nearest(name, known)}"
            raise UsageError(what, remedy=f"its parameters are {', '.join(known)}")
        given[name] = _value(unquote(value))
    return given


def _value(text: str) -> Any:
    if text.lower() in _WORDS_OF_VALUES:
        return _WORDS_OF_VALUES[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, TypeError, ValueError):
        return text


def _checked(kind: type[Any], path: str, parameters: dict[str, Any]) -> Any:
    """Build the estimator and have it check its parameters now, not in the middle of an exam."""
    try:
        estimator = kind(**parameters)
        check = getattr(estimator, "_validate_params", None)
        if check is not None:
            check()
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path}: {error}", remedy="correct the parameter") from error
    return estimator


def _last(estimator: Any) -> Any:
    return estimator.steps[-1][1] if getattr(estimator, "steps", None) else estimator


def _class_name(estimator: Any) -> str:
    return str(getattr(estimator, "__name__", type(estimator).__name__))
