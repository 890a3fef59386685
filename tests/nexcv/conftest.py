"""Reference engines and numbers for the drop-in."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from vivavoce.nexcv import APIClassifier

GOLDEN = Path(__file__).parent.parent / "golden" / "nexcv.json"
NUMBERS = json.loads(GOLDEN.read_text(encoding="utf-8"))


class Remembering(APIClassifier):
    """Keeps intents in a dict, as most wrappers' fakes do."""

    def __init__(self):
        self.intents = {}

    def all_intents(self):
        return self.intents

    def create_intent(self, intent, examples):
        self.intents[intent] = examples

    def delete_intent(self, intent):
        del self.intents[intent]


class JaccardClassifier(Remembering):
    """The nearest training text by shared words: exact arithmetic, many confidences of exactly 0.5."""

    table = None

    def create_intent(self, intent, examples):
        super().create_intent(intent, [words(text) for text in examples])
        self.table = None

    def delete_intent(self, intent):
        super().delete_intent(intent)
        self.table = None

    def classify(self, text):
        self.table = self.table or Table(self.intents)
        best, confidence = self.table.nearest(words(text))
        return [{"intent_id": best, "confidence": confidence}]


class Table:
    """Which words occur in which training text, ordered by intent: the first of equally near texts is taken."""

    def __init__(self, intents):
        known = [(intent, text) for intent in sorted(intents) for text in intents[intent]]
        self.owners = [intent for intent, _ in known]
        self.sizes = np.array([len(text) for _, text in known])
        self.columns = {word: column for column, word in enumerate(frozenset().union(*(text for _, text in known)))}
        self.holds = np.zeros((len(self.columns), len(known)), dtype=np.int64)
        for row, (_, text) in enumerate(known):
            self.holds[[self.columns[word] for word in text], row] = 1

    def nearest(self, asked):
        shared = self.holds[[self.columns[word] for word in asked if word in self.columns]].sum(axis=0)
        if not shared.any():
            return None, 0.0
        closeness = shared / (len(asked) + self.sizes - shared)
        row = int(closeness.argmax())
        return self.owners[row], float(closeness[row])


class LogisticClassifier(Remembering):
    """TF-IDF and logistic regression, rows ordered by label."""

    def fit(self, X, y):
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from threadpoolctl import threadpool_limits

        rows = sorted(zip(y, X, strict=True), key=lambda row: row[0])
        vectors = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        # This solver comes nearer to the one optimum there is than the default does, in a quarter of the time.
        self.model = make_pipeline(vectors, LogisticRegression(C=10, max_iter=1000, solver="newton-cg"))
        with threadpool_limits(1):  # two threads that wait for each other are slower than one
            self.model.fit([text for _, text in rows], [label for label, _ in rows])

    def classify(self, text):
        return self.classify_batch([text])[0]

    def classify_batch(self, texts):
        shares = self.model.predict_proba(texts)
        best = zip(shares.argmax(axis=1), shares.max(axis=1), strict=True)
        return [[{"intent_id": self.model.classes_[column], "confidence": share}] for column, share in best]


def words(text):
    return frozenset(re.findall(r"\w+", text.lower()))


@pytest.fixture(scope="session")
def engines():
    return {"jaccard": JaccardClassifier, "logistic": LogisticClassifier}


@pytest.fixture
def jaccard():
    return JaccardClassifier()


@pytest.fixture
def engine():
    """Make an engine that answers by a function of the text."""

    def answering(answer, **methods):
        body = {"classify": lambda self, text: answer(text), **methods}
        return type("Answering", (Remembering,), body)()

    return answering


@pytest.fixture
def five_fold():
    return NUMBERS["five_fold"]


@pytest.fixture(scope="session")
def banking(shared):
    """The two data sets of the reference numbers, checked against their fingerprints."""
    found = {}
    for name, expected in NUMBERS["data_hash"].items():
        rows = json.loads((shared / "data" / "golden" / f"{name}.json").read_text(encoding="utf-8"))
        found[name] = rows["X"], rows["y"]
        assert compact_hash([rows["X"], rows["y"]]) == expected
    return found


@pytest.fixture(scope="session")
def short_hash():
    return compact_hash


def compact_hash(value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def pytest_generate_tests(metafunc):
    """Give each test that asks for `exact_row`, `scikit_learn_row`, ... every row of that table."""
    for table in ("exact", "sequential", "scikit_learn", "jaccard"):
        if f"{table}_row" in metafunc.fixturenames:
            rows = NUMBERS[table]
            names = [
                "-".join(str(row.get(key, "")) for key in ("data", "setting", "seed", "threshold")) for row in rows
            ]
            metafunc.parametrize(f"{table}_row", rows, ids=names)
