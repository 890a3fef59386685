"""The user's own classifier, named as `package.module:factory`."""

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
        factory = _find_attribute(_import_module(module_name), attribute)
        is_ready = not isinstance(factory, type) and not _list_missing(factory, ("fit",))
        try:
            target = factory if is_ready or not callable(factory) else factory()
        except Exception as error:
            raise UsageError(
                f"the factory failed: {_describe_error(error)}",
                where=_find_place(error) or option,
                remedy="the factory takes no arguments and returns the classifier",
            ) from error
    return as_classifier(target, where=option)


def as_classifier(target: Any, *, where: str = "") -> Classifier:
    """Return the object as a classifier, wrapped where it has another known form; refuse other objects."""
    if not _list_missing(target, _PROTOCOL):
        classifier: Classifier = target
        return classifier
    if not _list_missing(target, _FOUR_METHODS):
        from vivavoce.classifiers.api import FourMethodClassifier

        wrapped: Classifier = FourMethodClassifier(target)
        return wrapped
    if not _list_missing(target, _ESTIMATOR):
        from vivavoce.classifiers.estimator import EstimatorClassifier

        return EstimatorClassifier(target)
    # Whichever form the object is nearer to is the one its author meant.
    lacking = min((_list_missing(target, form) for form in (_PROTOCOL, _FOUR_METHODS)), key=len)
    raise UsageError(
        f"a {type(target).__name__} is not a classifier: it lacks {', '.join(lacking)}",
        where=where,
        remedy=f"return an object with {', '.join(_PROTOCOL)}, or with {', '.join(_FOUR_METHODS)}",
    )


def _list_missing(target: object, names: tuple[str, ...]) -> list[str]:
    # A class has all methods of its objects and cannot run one of them.
    has_methods = not isinstance(target, type)
    return [
        name
        for name in names
        if not (
            isinstance(getattr(target, name, None), str)
            if name == "name"
            else has_methods and callable(getattr(target, name, None))
        )
    ]


@contextmanager
def _current_folder_first() -> Iterator[None]:
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        # Kept at the end: worker processes must find the module again when the classifier is sent to them,
        # and a user's file must not hide an installed module that is imported later.
        if folder not in sys.path:
            sys.path.append(folder)


def _import_module(name: str) -> ModuleType:
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UsageError(
            f"cannot import the module '{name}': {_describe_error(error)}",
            where=_find_place(error),
            remedy=("run the command in the module's folder or install the module, and fix the errors it reports"),
        ) from error


def _find_attribute(module: ModuleType, name: str) -> Any:
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            known = [each for each in vars(value) if not each.startswith("_")] if hasattr(value, "__dict__") else []
            what = f"the module '{module.__name__}' has no '{name}'.{nearest(part, known)}"
            raise UsageError(what, where=str(module.__file__ or ""), remedy=_EXAMPLE)
        value = getattr(value, part)
    return value


def _describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"


def _find_place(error: BaseException) -> str:
    """Return file and line of the user's code where it went wrong; nothing if it went wrong before that."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename not in (__file__, importlib.__file__) and not frame.filename.startswith("<")
    ]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
