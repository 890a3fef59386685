"""A user's own classifier is found by its name, and what is wrong with it is said."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.classifiers.estimator import EstimatorClassifier
from vivavoce.classifiers.fakes import NullClassifier
from vivavoce.classifiers.python import as_classifier, from_option
from vivavoce.errors import UsageError
from vivavoce.records import NO_GUESS

MODULE = """
class Mine:
    name = "mine"
    def fit(self, texts, intents): self.intent = intents[0]
    def guess(self, texts):
        from vivavoce.records import Guess
        return [Guess(self.intent, 0.5) for _ in texts]

class Four:
    def __init__(self): self.known = {}
    def all_intents(self): return list(self.known)
    def create_intent(self, intent, examples): self.known[intent] = examples
    def delete_intent(self, intent): del self.known[intent]
    def classify(self, text):
        return [{"intent_id": i, "confidence": 1.0} for i, e in self.known.items() if text in e]

def make(): return Mine()
def four(): return Four()
def estimator():
    from sklearn.svm import LinearSVC
    return LinearSVC()
def needs(argument): return Mine()
def boom(): raise ValueError("no key\\nmore")
def nothing(): return None
def half():
    class Half:
        def create_intent(self): ...
        def delete_intent(self): ...
        def classify(self): ...
    return Half()
def almost():
    class Almost:
        def fit(self): ...
        def guess(self): ...
    return Almost()
ready = Mine()
class Inside:
    factory = staticmethod(make)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "own_bot.py").write_text(MODULE)
    yield tmp_path
    for name in ("own_bot", "broken"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("factory", ["make", "Mine", "ready", "Inside.factory"])
def test_a_function_a_class_or_an_object_is_a_factory(factory: str, folder: Path) -> None:
    classifier = from_option(f"own_bot:{factory}")
    classifier.fit(["x"], ["greet"])
    assert classifier.name == "mine"
    assert classifier.guess(["x"])[0].intent == "greet"


def test_an_object_with_the_four_methods_of_nexcv_is_wrapped(folder: Path) -> None:
    pytest.importorskip("vivavoce.classifiers.api")
    classifier = from_option("own_bot:four")
    classifier.fit(["hi", "bye"], ["greet", "part"])
    assert [guess.intent for guess in classifier.guess(["bye", "?"])] == ["part", None]


def test_an_estimator_is_wrapped(folder: Path) -> None:
    assert isinstance(from_option("own_bot:estimator"), EstimatorClassifier)


def test_the_current_folder_ends_up_last_on_the_path(folder: Path) -> None:
    before = list(sys.path)
    from_option("own_bot:make")
    assert sys.path == [*before, str(folder)]
    from_option("own_bot:make")
    assert sys.path == [*before, str(folder)]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("", "package.module:factory"),
        ("own_bot", "package.module:factory"),
        ("own_bot:", "package.module:factory"),
        ("own_bott:make", "ModuleNotFoundError: No module named 'own_bott'"),
        ("own_bot:maek", "Did you mean 'make'"),
        ("own_bot:Inside.nothing", "no 'Inside.nothing'"),
        ("own_bot:needs", "TypeError: .*argument"),
        ("own_bot:boom", r"own_bot.py, line 23: .*ValueError: no key\n"),
        ("own_bot:nothing", "NoneType is not a classifier"),
        ("own_bot:half", "Half is not a classifier: it lacks all_intents\n"),
        ("own_bot:almost", "Almost is not a classifier: it lacks name\n"),
        ("string:digits", "str is not a classifier"),
        (".own_bot:make", "cannot import"),
    ],
)
def test_what_is_wrong_is_said(option: str, message: str, folder: Path) -> None:
    with pytest.raises(UsageError, match=message):
        from_option(option)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import unheard_of_module", "broken.py, line 1: .*No module named 'unheard_of_module'"),
        ("\n\ndef x(:", "broken.py, line 3: .*SyntaxError"),
        ("1 / 0", "broken.py, line 1: .*ZeroDivisionError"),
    ],
)
def test_a_module_that_breaks_is_quoted_with_its_place(code: str, message: str, folder: Path) -> None:
    (folder / "broken.py").write_text(code)
    with pytest.raises(UsageError, match=message):
        from_option("broken:make")


def test_a_classifier_is_left_as_it_is_and_a_class_is_no_object() -> None:
    null = NullClassifier()
    assert as_classifier(null) is null
    assert null.guess(["x"]) == [NO_GUESS]
    with pytest.raises(UsageError, match="it lacks fit, guess"):
        as_classifier(NullClassifier)
