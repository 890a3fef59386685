"""`viva classifiers`, `demo`, `doctor`, `models`, completion and the version."""

from __future__ import annotations

import json
from zlib import crc32

import numpy as np
import pytest

from vivavoce import demo
from vivavoce.cli.shared.completion import complete_classifier, complete_material
from vivavoce.errors import UsageError, WorkError
from vivavoce.records import Dataset
from vivavoce.text.vectors import _load
from vivavoce.version import __version__

pytestmark = pytest.mark.slow

FEW = 12


def content_of(result):
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_version_is_told(viva):
    assert viva("--version").stdout.strip() == f"viva {__version__}"


# --- classifiers -------------------------------------------------------------------------------------------


def test_classifiers_are_listed_with_what_they_lack(viva):
    entries = {entry["name"]: entry for entry in content_of(viva("classifiers", "--json", "-"))["classifiers"]}
    assert entries["tfidf"]["ready"]
    assert not entries["sif"]["ready"]
    assert "viva models get glove" in entries["sif"]["missing"]
    assert entries["python"]["option"]


def test_classifiers_are_shown_in_a_table(viva, plain):
    shown = plain(viva("classifiers").stdout)
    assert all(name in shown for name in ("tfidf", "linear", "vivavoce"))


@pytest.mark.parametrize("name", ["tfidf", "sklearn:sklearn.naive_bayes.MultinomialNB", "python:fakes:FourMethods"])
def test_a_classifier_that_keeps_the_rules_passes(viva, name):
    content = content_of(viva("classifiers", "check", name, "--json", "-"))
    assert content["passed"]
    assert content["violations"] == []


def test_a_classifier_that_does_not_forget_breaks_a_rule(viva, plain):
    result = viva("classifiers", "check", "python:fakes:Forgetful")
    assert result.exit_code == 1
    assert "leftovers" in plain(result.stdout)


def test_a_classifier_that_fails_ends_with_3(viva, folder):
    (folder / "down.py").write_text(
        "class Down:\n    name = 'down'\n    def fit(self, t, i): 1 / 0\n    def guess(self, t): return []\n",
        encoding="utf-8",
    )
    result = viva("classifiers", "check", "python:down:Down")
    assert result.exit_code == 3
    assert "ZeroDivisionError" in result.stderr


# --- demo --------------------------------------------------------------------------------------------------


@pytest.fixture
def few_topics(monkeypatch):
    """Leave only the first topics of the shipped material: where reports go does not depend on how many there are."""
    load = demo.load

    def load_few(name):
        data = load(name)
        kept = sorted({example.intent for example in data})[:FEW]
        return Dataset(tuple(example for example in data if example.intent in kept), data.source)

    monkeypatch.setattr(demo, "load", load_few)


@pytest.mark.usefixtures("few_topics")
def test_the_demo_writes_reports_and_says_where(viva, plain, folder, monkeypatch):
    def no_network(*_: object) -> None:
        raise WorkError("the weights could not be fetched")

    monkeypatch.setattr("vivavoce.text.get_weights", no_network)
    result = viva("demo", "--language", "de")
    assert result.exit_code == 0, result.stderr
    assert "the weights could not be fetched" in plain(result.stderr)
    assert "demo-output/recruiting-de.html" in plain(result.stdout)
    assert json.loads((folder / "demo-output" / "recruiting-de.json").read_text(encoding="utf-8"))["pairs"]
    assert "<html" in (folder / "demo-output" / "recruiting-de.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("few_topics")
def test_the_demo_in_json_names_its_files(viva, folder, monkeypatch):
    monkeypatch.setattr("vivavoce.text.get_weights", lambda *_: folder)
    content = content_of(viva("demo", "--language", "de", "--out", "there/now", "--json", "-", "--quiet"))
    (report,) = content["reports"]
    assert (report["language"], report["html"]) == ("de", "there/now/recruiting-de.html")


def test_a_demo_that_cannot_be_written_is_refused(viva, folder):
    result = viva("demo", "--out", "faq.csv")
    assert result.exit_code == 2
    assert "--out" in result.stderr


@pytest.mark.parametrize("name", demo.shipped())
def test_every_shipped_example_has_the_answer_of_its_topic(name):
    answers = {topic.intent: topic.answer for topic in demo.topics(name)}
    data = demo.load(name)
    assert data.source == name
    assert all(example.answer == answers[example.intent] for example in data)


def test_unknown_material_is_refused_with_the_nearest_name():
    with pytest.raises(UsageError, match="recruiting-en"):
        demo.load("recruting-en")


# --- doctor, models ----------------------------------------------------------------------------------------


def test_the_doctor_says_how_to_get_what_is_missing(viva):
    findings = {finding["name"]: finding for finding in content_of(viva("doctor", "--json", "-"))["findings"]}
    assert findings["vivavoce"]["detail"] == __version__
    assert findings["sentence vectors"]["remedy"] == "viva models get"
    missing = [finding for finding in findings.values() if finding["state"] == "missing"]
    assert all(finding["remedy"] for finding in missing)


def test_the_doctor_works_with_wrong_settings_and_names_them(viva, plain, monkeypatch):
    monkeypatch.setenv("VIVA_RETRYS", "3")
    result = viva("doctor")
    assert result.exit_code == 2
    assert "VIVA_RETRYS" in plain(result.stdout)


def test_the_home_of_the_settings_file_is_used(viva, folder, monkeypatch):
    monkeypatch.delenv("VIVA_HOME")
    (folder / "vivavoce.toml").write_text('[vivavoce]\nhome = "here"\n', encoding="utf-8")
    trained = folder / "here" / "models" / "languages" / "nl.npz"
    trained.parent.mkdir(parents=True)
    trained.write_bytes(b"")
    models = {model["name"]: model for model in content_of(viva("models", "list", "--json", "-"))["models"]}
    assert {name for name, model in models.items() if not model["present"]} == {"minilm", "glove"}
    assert {name for name, model in models.items() if "here/models" in model["path"]} == {"minilm", "glove", "nl"}
    monkeypatch.delenv("VIVA_HOME", raising=False)


def test_models_are_listed_with_the_languages_by_name(viva, plain):
    shown = plain(viva("models", "list").stdout)
    for name in ("minilm", "glove", "German", "French", "Chinese"):
        assert name in shown


def test_the_doctor_names_the_languages_that_have_vectors(viva):
    findings = {finding["name"]: finding for finding in content_of(viva("doctor", "--json", "-"))["findings"]}
    languages = findings["languages"]["detail"]
    assert languages.startswith("English (en), German (de), French (fr), Chinese (zh)")
    assert "viva models train-languages" in languages


@pytest.fixture
def pairs(folder):
    """Return a file of 1,200 pairs of sentences."""
    rows = [
        f"{subject} {verb} {number}\t{english} {action} {number}\n"
        for subject, english in {"Mein Hund": "My dog", "Meine Katze": "My cat", "Der Wagen": "The car"}.items()
        for verb, action in {"sieht": "sees", "findet": "finds", "sucht": "seeks", "hat": "has"}.items()
        for number in range(100)
    ]
    (folder / "pairs.tsv").write_text("".join(rows), encoding="utf-8")
    return folder / "pairs.tsv"


@pytest.fixture
def teacher(monkeypatch):
    """Put a small encoder in the place of the sentence model."""

    class Teacher:
        name, dimension = "teacher", 16

        def encode(self, texts, progress=None):
            rows = np.array([[hash_text(text, place) for place in range(16)] for text in texts], dtype=np.float32)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def hash_text(text, place):
        return 1 + crc32(f"{text} {place}".encode()) % 100

    monkeypatch.setattr("vivavoce.text.load_encoder", Teacher)


@pytest.mark.usefixtures("teacher")
def test_a_language_is_trained_and_then_listed(viva, folder, pairs):
    content = content_of(viva("models", "train-languages", "--pairs", pairs, "--language", "nl", "--json", "-"))
    assert content["pairs"] == 1200
    assert content["path"] == str(folder / "home" / "models" / "languages" / "nl.npz")
    assert len(content["sha256"]) == 64
    models = content_of(viva("models", "list", "--json", "-"))["models"]
    assert {model["name"]: model["title"] for model in models}["nl"] == "Dutch: sentence vectors"
    again = content_of(viva("models", "train-languages", "--pairs", pairs, "--language", "nl", "--json", "-"))
    assert again["sha256"] == content["sha256"]


@pytest.mark.usefixtures("teacher")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--pairs", "absent.tsv", "--language", "nl"), "cannot read the file"),
        (("--pairs", "faq.csv", "--language", "nl"), "row 1"),
        (("--pairs", "pairs.tsv", "--language", "en"), "not the code of a language"),
        (("--pairs", "pairs.tsv", "--language", "nl", "--leave-out", "most.csv"), "too few"),
        (("--pairs", "pairs.tsv", "--language", "nl", "--out", "absent/nl.npz"), "does not exist"),
        (("--pairs", "pairs.tsv", "--language", "nl", "--out", "pairs.tsv"), "overwrite"),
    ],
)
def test_training_that_cannot_work_is_refused_before_it_starts(viva, plain, pairs, words, said):
    texts = [line.partition("\t")[0] for line in pairs.read_text(encoding="utf-8").splitlines()[:900]]
    rows = ["text,intent", *(f"{text},a" for text in texts)]
    (pairs.parent / "most.csv").write_text("\n".join(rows), encoding="utf-8")
    result = viva("models", "train-languages", *words)
    assert result.exit_code == 2
    assert said in plain(result.stderr)
    assert not (pairs.parent / "home" / "models" / "languages").exists()


def test_training_needs_the_sentence_model(viva, plain, pairs, monkeypatch):
    # Another test of this process may have loaded it from its own home.
    monkeypatch.setattr("vivavoce.text.vectors._load", _load.__wrapped__)
    result = viva("models", "train-languages", "--pairs", pairs, "--language", "nl")
    assert result.exit_code == 2
    assert "viva models get" in plain(result.stderr)


# --- completion --------------------------------------------------------------------------------------------


def test_the_shell_offers_classifiers_shipped_material_and_files(folder):
    (folder / "recordings").mkdir()
    assert complete_classifier("tf") == ["tfidf"]
    assert complete_material("rec") == ["recruiting-de", "recruiting-en", "recordings/"]
    assert complete_material("fa") == ["fakes.py", "faq.csv"]


def test_completion_of_a_real_shell_names_the_classifiers(viva, monkeypatch):
    words = {"_VIVA_COMPLETE": "complete_bash", "COMP_WORDS": "viva classifiers check tf", "COMP_CWORD": "3"}
    from typer.testing import CliRunner

    from vivavoce.cli.app import app

    assert CliRunner().invoke(app, [], env=words, prog_name="viva").stdout.split() == ["tfidf"]
