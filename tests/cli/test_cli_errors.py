"""What is wrong is said in words on standard error, with the exit code that scripts rely on."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

EXAMINE = ("intents", "examine", "faq.csv", "-c", "tfidf")
GIGABYTE = 1024**3


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("intents", "check", "fag.csv"), "Did you mean 'faq.csv'?"),
        (("intents", "check", "recruting-en"), "Did you mean 'recruiting-en'?"),
        (("intents", "check", "nowhere/faq.csv"), "does not exist"),
        (("intents", "check", "faq.csv", "--text-column", "txt"), "Did you mean 'text'?"),
        (("intents", "check", "faq.csv", "--split", "tset"), "Did you mean 'test'?"),
        (("intents", "check", "faq.csv", "--encoding", "utf-9"), "utf-9"),
        (("intents", "check", "faq.csv", "--format", "cvs"), "Did you mean 'csv'?"),
        (("intents", "check", "recruiting-en", "--split", "train"), "--split"),
        ((*EXAMINE, "--setting", "many"), "write K,P"),
        ((*EXAMINE, "--setting", "5,0.15"), "both K and P"),
        ((*EXAMINE, "--setting", "500,0"), "leaves no topic to test"),
        ((*EXAMINE, "--threshold", "7"), "threshold"),
        ((*EXAMINE, "--partition", "kfolt"), "Did you mean 'kfold'?"),
        ((*EXAMINE, "--fail-under", "acuracy=0.7"), "Did you mean 'accuracy'?"),
        ((*EXAMINE, "--fail-under", "accuracy@3,0=0.7"), "is not tested"),
        ((*EXAMINE, "--html", "-"), "only --json"),
        ((*EXAMINE, "--html", "no/where.html", "--json", "."), "the folder no does not exist"),
        ((*EXAMINE, "--record", "no/where.record"), "the folder no does not exist"),
        (("intents", "examine", "faq.csv", "-c", "tfdif"), "Did you mean 'tfidf'?"),
        (("intents", "compare", "faq.csv", "-c", "tfidf"), "at least two"),
        (("intents", "compare", "faq.csv", "-c", "tfidf", "-c", "linear", "--record", "faq.csv"), "not a folder"),
        (("intents", "blind", "faq.csv"), "--train-split"),
        (("intents", "blind", "faq.csv", "faq.csv", "--split", "train"), "--train-split"),
        (("intents", "blind", "faq.csv", "faq.csv", "--fail-under", "accuracy@0,0=1"), "no settings"),
        (("intents", "over-time", "faq.csv", "--mode", "backward"), "forward"),
        (("intents", "whatif", "faq.csv"), "--merge"),
        (("intents", "whatif", "faq.csv", "--move", "2,x", "salary"), "'x' is not a row"),
        (("intents", "whatif", "faq.csv", "--move", "999999", "salary"), "there is no such row"),
        (("intents", "whatif", "faq.csv", "--merge", "salaryx", "nothing like it"), "Did you mean 'salary'?"),
        (("intents", "whatif", "faq.csv", "--add", "salary", "absent.txt"), "cannot read the examples"),
        (("intents", "threshold", "faq.csv", "--wrong-costs", "0"), "more than 0 hand-overs"),
        (("intents", "threshold", "faq.csv", "--max-wrong", "5"), "above 0 and below 1"),
        (("intents", "threshold", "faq.csv", "--confidence", "90"), "above 0 and below 1"),
        (("intents", "examin", "faq.csv"), "examine"),
        (("intents", "examine"), "FILE"),
        (("classifiers", "check", "nothing"), "choose one of"),
        (("models", "path", "minilm"), "viva models get"),
        (("models", "path", "minilmm"), "Did you mean 'minilm'?"),
        (("models", "get", "glove", "--from", "x"), "sif:PATH"),
        (("demo", "--language", "fr"), "choose one of"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_to_do(viva, plain, command, said):
    result = viva(*command)
    assert result.exit_code == 2
    assert said in plain(result.stderr)
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_all_wrong_settings_are_told_at_once(viva, monkeypatch):
    monkeypatch.setenv("VIVA_RETRYS", "3")
    result = viva(*EXAMINE, "--threshold", "7", "--seed", "-1")
    assert result.exit_code == 2
    assert all(name in result.stderr for name in ("VIVA_RETRYS", "threshold", "seed"))


def test_a_gigabyte_is_refused_before_a_byte_is_read(viva, folder):
    with (folder / "huge.csv").open("wb") as file:
        file.truncate(GIGABYTE)
    # A child that cannot hold the file: reading it would end it with another code.
    code = (
        "import resource\n"
        "import vivavoce.files, vivavoce.intents\n"
        "from vivavoce.cli.app import app\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (400 * 1024**2, 400 * 1024**2))\n"
        "app(['intents', 'check', 'huge.csv'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--max-file-mb 1024" in done.stderr


def test_an_unexpected_error_ends_with_3_and_says_how_to_see_more(viva, plain, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("vivavoce.files.read_dataset", broken)
    result = viva("intents", "check", "faq.csv")
    assert result.exit_code == 3
    assert "ZeroDivisionError: by zero" in plain(result.stderr)
    assert "VIVA_DEBUG=1" in result.stderr
    assert "Traceback" not in result.stderr


def test_viva_debug_shows_the_traceback(viva, monkeypatch):
    monkeypatch.setenv("VIVA_DEBUG", "1")
    result = viva("intents", "check", "missing.csv")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr


def test_a_reader_that_leaves_early_is_no_missed_gate(folder):
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "vivavoce.cli", "intents", "check", "recruiting-en", "--verbose"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        words = process.stderr.read().decode()
        assert process.wait() == 141, words
    assert "Traceback" not in words


def test_json_goes_to_standard_output_and_nothing_to_standard_error_of_a_real_process(folder):
    command = [sys.executable, "-m", "vivavoce.cli", *EXAMINE, "--retries", "2", "--setting", "0,0", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["kind"] == "intents"
