"""A classifier of the user's own, named as `package.module:factory`."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from vivavoce import plugins
from vivavoce.classifiers.protocol import Classifier
from vivavoce.errors import UsageError, nearest

_EXAMPLE = "write --classifier python:package.module:factory"
_PROTOCOL = ("name", "fit", "guess")
_FOUR_METHODS = ("all_intents", "create_intent", "delete_intent", "classify")
_ESTIMATOR = ("fit", "predict", "get_params")


@plugins.declare(plugins.Declaration(needs_option=True))
def from_option(option: str = "") -> Classifier:
    """Your own, as `package.module:factory`: a function, a class or a ready object.

    The current folder is searched first. The factory (a function, a class, or a ready object) gives an object
    with `name`, `fit` and `guess`, or with nex-cv's `all_intents`, `create_intent`, `delete_intent` and
    `classify`, or a scikit-learn estimator.
    """
    module_name, colon, attribute = option.strip().partition(":")
    if not (module_name and colon and attribute):
        raise UsageError(f"'{option}' does not name a module and a factory", remedy=_EXAMPLE)
    with _current_folder_first():
        module = _module(module_name)
        made = _made(option, _attribute(module, attribute))
    return as_classifier(made, where=option)


def as_classifier(made: Any, *, where: str = "") -> Classifier:
    """Return the object as a classifier, wrapped where it has another known form; refuse other objects."""
    if not _missing(made, _PROTOCOL):
        classifier: Classifier = made
        return classifier
    if not _missing(made, _FOUR_METHODS):
        from vivavoce.classifiers.api import FourMethodClassifier

        wrapped: Classifier = FourMethodClassifier(made)
        return wrapped
    if not _missing(made, _ESTIMATOR):
        from vivavoce.classifiers.estimator import EstimatorClassifier

        return EstimatorClassifier(made)
    raise UsageError(
        f"a {type(made).__name__} is not a classifier: {_shortfall(made)}",
        where=where,
        remedy=f"return an object with {', '.join(_PROTOCOL)}, or with {', '.join(_FOUR_METHODS)}",
    )


def _shortfall(made: object) -> str:
    # Whichever form the object is nearer to is the one its author meant.
    lacking = min((_missing(made, form) for form in (_PROTOCOL, _FOUR_METHODS)), key=len)
    return f"it lacks {', '.join(lacking)}"


def _missing(made: object, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if not _has(made, name)]


def _has(made: object, name: str) -> bool:
    if name == "name":
        return isinstance(getattr(made, name, None), str)
    # A class has all methods of its objects and cannot run one of them.
    return not isinstance(made, type) and callable(getattr(made, name, None))


@contextmanager
def _current_folder_first() -> Iterator[None]:
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        # Kept at the end: worker processes must find the module again when the classifier is sent to them,
        # and a file of the user's must not hide an installed module that is imported later.
        if folder not in sys.path:
            sys.path.append(folder)


def _module(name: str) -> ModuleType:
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UsageError(
            f"the module '{name}' cannot be imported: {_line(error)}",
            where=_place(error),
            remedy="run the command in the folder of the module, or install it, and correct what it reports",
        ) from error


def _attribute(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [each for each in vars(found) if not each.startswith("_")] if hasattr(found, "__dict__") else []
            what = f"the module '{module.__name__}' has no '{name}'.{nearest(part, known)}"
            raise UsageError(what, where=str(module.__file__ or ""), remedy=_EXAMPLE)
        found = getattr(found, part)
    return found


def _made(option: str, factory: Any) -> Any:
    ready = not isinstance(factory, type) and not _missing(factory, ("fit",))
    if ready or not callable(factory):
        return factory
    try:
        return factory()
    except Exception as error:
        raise UsageError(
            f"the factory failed: {_line(error)}",
            where=_place(error) or option,
            remedy="the factory is called without arguments and returns the classifier",
        ) from error


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"


def _place(error: BaseException) -> str:
    """Return file and line of the user's code where it went wrong; nothing if it went wrong before that."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not _is_machinery(f.filename)]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else ""


def _is_machinery(filename: str) -> bool:
    return filename in (__file__, importlib.__file__) or filename.startswith("<")
