"""`viva intents`: results, files and exit codes."""

from __future__ import annotations

import csv
import errno
import json
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FEW = ("--retries", "3", "--setting", "0,0")
QUICK = ("--classifier", "tfidf", "--retries", "2", "--setting", "0,0")


def test_examine_shows_a_sentence_and_ends_well(viva, plain):
    result = viva("intents", "examine", "faq.csv", *QUICK)
    assert result.exit_code == 0
    assert "the bot would answer" in plain(result.stdout)


def test_json_to_standard_output_stands_there_alone(viva):
    result = viva("intents", "examine", "faq.csv", *QUICK, "--json", "-")
    content = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (content["kind"], content["seed"], content["classifier"]) == ("intents", 0, "tfidf")
    assert content["data"]["rows"] == 64
    assert {"value", "low", "high", "n"} == content["settings"][0]["accuracy"].keys()


def test_the_live_share_of_out_of_scope_questions_is_an_option_and_a_setting(viva, folder, monkeypatch):
    rows = (folder / "faq.csv").read_text(encoding="utf-8")
    strange = "".join(f"zebra{n} quartz{n},oos,train,2025-01-01\n" for n in range(9))
    (folder / "more.csv").write_text(rows + strange, encoding="utf-8")
    command = ("intents", "examine", "more.csv", *QUICK, "--json", "-")
    tested, weighed = (
        json.loads(viva(*command).stdout),
        json.loads(viva(*command, "--out-of-scope-share", "0.5").stdout),
    )
    first, second = tested["settings"][0], weighed["settings"][0]
    assert (tested["out_of_scope_share"], weighed["out_of_scope_share"]) == (None, 0.5)
    assert first["in_scope_accuracy"] == second["in_scope_accuracy"]
    assert first["accuracy"] != second["accuracy"]
    monkeypatch.setenv("VIVA_OUT_OF_SCOPE_SHARE", "0.5")
    assert json.loads(viva(*command).stdout)["settings"][0]["accuracy"] == second["accuracy"]
    assert viva(*command, "--out-of-scope-share", "1").exit_code == 2


def test_an_intent_with_a_usual_name_for_out_of_scope_is_no_topic_unless_it_is_wanted(viva, folder, plain):
    rows = (folder / "faq.csv").read_text(encoding="utf-8")
    (folder / "rasa.csv").write_text(rows + "what about the weather,nlu_fallback,train,2025-01-01\n" * 9, "utf-8")
    command = ("intents", "examine", "rasa.csv", *QUICK)
    facts = [
        json.loads(viva(*command, "--json", "-", *more).stdout)["data"] for more in ((), ("--out-of-scope", "-"))
    ]
    assert [(one["topics"], one["out_of_scope"]) for one in facts] == [(4, 9), (5, 0)]
    assert "'nlu_fallback'" in plain(viva(*command).stdout)
    assert "'nlu_fallback'" in plain(viva("intents", "check", "rasa.csv").stdout)


def test_the_json_holds_as_many_pairs_as_are_asked_for_and_every_problem(viva):
    none, usual = (
        json.loads(viva("intents", "examine", "faq.csv", *QUICK, *more, "--json", "-").stdout)
        for more in (("--pairs", "0"), ())
    )
    named = [set(one["topics"]) for one in none["problems"] if one["kind"] in ("pair", "twin_names")]
    assert [{pair["a"], pair["b"]} in named for pair in none["pairs"]] == [True] * len(named)
    assert len(none["pairs"]) < len(usual["pairs"])
    assert none["problems"] == usual["problems"]
    assert viva("intents", "examine", "faq.csv", "--pairs", "-1").exit_code == 2


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (("check", "faq.csv"), "intents-check"),
        (("blind", "faq.csv", "-c", "tfidf", "--train-split", "train", "--test-split", "test"), "intents-blind"),
        (("compare", "faq.csv", "-c", "tfidf", "-c", "python:fakes:Bot", *QUICK[2:]), "intents-comparison"),
        (("over-time", "faq.csv", "-c", "tfidf", "--min-test", "4"), "intents-over-time"),
    ],
)
def test_every_exam_has_a_table_a_page_and_json(viva, command, kind, folder):
    shown = viva("intents", *command, "--html", "page.html")
    written = viva("intents", *command, "--json", "-")
    assert (shown.exit_code, written.exit_code) == (0, 0), shown.stderr + written.stderr
    assert shown.stdout.strip()
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(written.stdout)["kind"] == kind


def test_a_threshold_is_chosen_by_cost_and_by_guarantee(viva, plain):
    command = ("intents", "threshold", "faq.csv", "-c", "tfidf")
    shown = viva(*command, "--wrong-costs", "3")
    assert shown.exit_code == 0
    assert plain(shown.stdout).strip().startswith("If a wrong answer is as bad as 3 hand-overs, use a threshold of")
    content = json.loads(viva(*command, "--max-wrong", "0.2", "--out-of-scope-share", "0.3", "--json", "-").stdout)
    assert (content["kind"], content["out_of_scope_share"]) == ("intents-threshold", 0.3)
    assert (content["guarantee"]["max_wrong"], content["guarantee"]["confidence"]) == (0.2, 0.9)
    assert len(content["curve"]) == 101
    assert content["chosen"]["cost"]["value"] == min(point["cost"]["value"] for point in content["curve"])


def test_verbose_shows_more(viva):
    for command in (
        ("examine", "faq.csv", *QUICK),
        ("blind", "faq.csv", "-c", "tfidf", "--train-split", "train", "--test-split", "test"),
        ("compare", "faq.csv", "-c", "tfidf", "-c", "python:fakes:Bot", *QUICK[2:]),
    ):
        short, long = viva("intents", *command), viva("intents", *command, "--verbose")
        assert (short.exit_code, long.exit_code) == (0, 0)
        assert len(long.stdout) > len(short.stdout)


def test_quiet_says_nothing(viva, folder):
    result = viva("intents", "examine", "faq.csv", *QUICK, "--quiet", "--json", "result.json")
    assert (result.exit_code, result.output) == (0, "")
    assert json.loads((folder / "result.json").read_text(encoding="utf-8"))["kind"] == "intents"


def test_a_missed_gate_ends_with_1_and_says_which(viva, plain):
    result = viva("intents", "examine", "faq.csv", *QUICK, "--fail-under", "accuracy=1", "--quiet")
    assert result.exit_code == 1
    assert "accuracy" in plain(result.stderr)
    assert "Gate not met" in result.stderr


def test_a_met_gate_ends_with_0(viva):
    assert viva("intents", "examine", "faq.csv", *QUICK, "--fail-under", "accuracy=0").exit_code == 0


def test_a_missed_gate_still_writes_the_json(viva, folder):
    result = viva("intents", "examine", "faq.csv", *QUICK, "--fail-under", "accuracy=1", "--json", "r.json")
    assert result.exit_code == 1
    assert (folder / "r.json").exists()


def test_a_failed_retry_ends_with_3_shows_the_others_and_says_how_to_go_on(viva, plain):
    command = ("intents", "examine", "faq.csv", "-c", "python:fakes:Failing", *FEW, "--attempts", "1")
    result = viva(*command, "--record", "kept.record")
    assert result.exit_code == 3
    assert "the bot would answer" in plain(result.stdout)
    assert "the engine is down" in plain(result.stderr)
    assert "kept.record" in plain(result.stderr)
    again = viva(*command, "--record", "kept.record")
    assert again.exit_code == 0


def test_a_call_that_fails_once_is_made_again_and_said(viva, plain):
    result = viva("intents", "examine", "faq.csv", "-c", "python:fakes:Failing", *FEW)
    assert result.exit_code == 0
    assert "retried and counted once" in plain(result.stdout)


def test_incomplete_work_outweighs_a_missed_gate_and_both_are_told(viva):
    result = viva(
        *("intents", "examine", "faq.csv", "-c", "python:fakes:Failing", *FEW, "--attempts", "1"),
        *("--fail-under", "accuracy=1", "--quiet"),
    )
    assert result.exit_code == 3
    assert "Gate not met" in result.stderr
    assert "the engine is down" in result.stderr


def test_an_engine_that_always_fails_ends_with_3(viva):
    result = viva(
        "intents", "compare", "faq.csv", "-c", "tfidf", "-c", "python:fakes:Failing", *QUICK[2:], "--attempts", "1"
    )
    assert result.exit_code == 3
    assert "tfidf" in result.stdout


def test_check_is_strict_only_on_request(viva, folder):
    rows = (folder / "faq.csv").read_text(encoding="utf-8")
    first = rows.splitlines()[1]
    (folder / "bad.csv").write_text(rows + first.replace(",salary,", ",holiday,") + "\n", encoding="utf-8")
    assert viva("intents", "check", "bad.csv").exit_code == 0
    assert viva("intents", "check", "bad.csv", "--strict").exit_code == 1
    assert viva("intents", "check", "faq.csv", "--strict").exit_code == 0


def test_predictions_are_a_table_with_one_row_for_each_message(viva, folder):
    result = viva(
        *("intents", "blind", "faq.csv", "-c", "tfidf", "--train-split", "train", "--test-split", "test"),
        *("--predictions", "guesses.csv"),
    )
    assert result.exit_code == 0
    with (folder / "guesses.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["text", "intent", "guess", "confidence"]
    assert len(rows) == 8
    assert all(0 <= float(row["confidence"]) <= 1 for row in rows)


def test_a_blind_test_of_two_files_equals_that_of_their_union(viva, folder):
    lines = (folder / "faq.csv").read_text(encoding="utf-8").splitlines()
    for part in ("train", "test"):
        kept = [lines[0], *(line for line in lines if f",{part}," in line)]
        (folder / f"{part}.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    joined = viva(
        *(
            "intents",
            "blind",
            "faq.csv",
            "-c",
            "tfidf",
            "--train-split",
            "train",
            "--test-split",
            "test",
            "--json",
            "-",
        )
    )
    apart = viva("intents", "blind", "train.csv", "test.csv", "-c", "tfidf", "--json", "-")
    assert json.loads(joined.stdout)["accuracy"] == json.loads(apart.stdout)["accuracy"]


def test_a_blind_test_knows_the_gate_oos_recall(viva, folder):
    rows = (folder / "faq.csv").read_text(encoding="utf-8")
    (folder / "more.csv").write_text(rows + "what about the weather,oos,test,2025-01-01\n", encoding="utf-8")
    command = ("intents", "blind", "more.csv", "-c", "tfidf", "--train-split", "train", "--test-split", "test")
    assert viva(*command, "--threshold", "0", "--fail-under", "oos_recall=0.5").exit_code == 1
    assert viva(*command, "--threshold", "1", "--fail-under", "oos_recall=0.5").exit_code == 0


def test_shipped_material_is_read_by_its_name(viva):
    result = viva("intents", "check", "recruiting-de", "--json", "-")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["data"]["rows"] > 400


def test_a_file_hides_shipped_material_of_the_same_name(viva, folder):
    (folder / "recruiting-de").write_bytes((folder / "faq.csv").read_bytes())
    result = viva("intents", "check", "recruiting-de", "--format", "csv", "--json", "-")
    assert json.loads(result.stdout)["data"]["rows"] == 64


def test_settings_come_from_option_environment_and_file_in_this_order(viva, folder, monkeypatch):
    def retries(*options: str) -> int:
        shown = viva("intents", "examine", "faq.csv", "-c", "tfidf", "--setting", "0,0", *options, "--json", "-")
        return int(json.loads(shown.stdout)["retries"])

    (folder / "vivavoce.toml").write_text("[vivavoce]\nretries = 4\n", encoding="utf-8")
    assert retries() == 4
    monkeypatch.setenv("VIVA_RETRIES", "3")
    assert retries() == 3
    assert retries("--retries", "2") == 2


def test_reading_options_reach_the_reader(viva, folder):
    text = "frage;thema\nlohn für müller;lohn\nwie hoch ist der lohn;lohn\nwo ist das büro;ort\nder ort;ort\n"
    (folder / "other.txt").write_bytes(text.encode("cp1252"))
    result = viva(
        *("intents", "check", "other.txt", "--format", "csv", "--encoding", "cp1252"),
        *("--text-column", "frage", "--intent-column", "thema", "--json", "-"),
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["sizes"] == {"lohn": 2, "ort": 2}


def test_a_page_is_written_whole_or_not_at_all(viva, folder: Path, monkeypatch):
    (folder / "page.html").write_text("the old page", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("vivavoce.files.writing.os.fsync", full)
    result = viva("intents", "check", "faq.csv", "--html", "page.html")
    assert result.exit_code == 2
    assert (folder / "page.html").read_text(encoding="utf-8") == "the old page"
    assert not list(folder.glob(".*.part"))


def test_what_an_engine_prints_stays_out_of_the_json(viva):
    result = viva("intents", "examine", "faq.csv", "-c", "python:fakes:Printing", *FEW, "--json", "-")
    assert json.loads(result.stdout)["kind"] == "intents"
    assert "thinking" in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("examine", "faq.csv", "--html", "faq.csv"),
        ("check", "faq.csv", "--json", "./faq.csv"),
        ("blind", "faq.csv", "faq.csv", "--predictions", "faq.csv"),
        ("check", "faq.csv", "--json", "out", "--html", "out"),
    ],
)
def test_no_output_overwrites_what_is_read_or_another_output(viva, folder, command):
    before = (folder / "faq.csv").read_bytes()
    result = viva("intents", *command)
    assert result.exit_code == 2
    assert "overwrite" in result.stderr or "same path" in result.stderr
    assert (folder / "faq.csv").read_bytes() == before


def test_suspects_are_listed_and_written(viva, plain):
    result = viva("intents", "suspects", "faq.csv", "--classifier", "tfidf", "--most", "3")
    assert result.exit_code == 0
    assert "example" in plain(result.stdout)
    content = json.loads(viva("intents", "suspects", "faq.csv", "-c", "tfidf", "--most", "3", "--json", "-").stdout)
    assert (content["kind"], content["data"]["rows"]) == ("intents-suspects", 64)
    assert len(content["suspects"]) == min(3, content["found"])
    assert viva("intents", "suspects", "faq.csv", "--most", "0").exit_code == 2


def test_problems_are_those_of_the_exam_in_its_order(viva, plain):
    command = ("faq.csv", "--classifier", "tfidf", "--json", "-")
    alone = json.loads(viva("intents", "problems", *command).stdout)
    exam = json.loads(viva("intents", "examine", *command).stdout)
    assert alone["kind"] == "intents-problems"
    assert alone["problems"] == exam["problems"][:10]
    costs = [problem["cost"] for problem in alone["problems"]]
    assert costs == sorted(costs, reverse=True)
    shown = viva("intents", "problems", "faq.csv", "--classifier", "tfidf", "--most", "1")
    assert shown.exit_code == 0
    assert "fix" in plain(shown.stdout)


def test_a_selftest_says_what_it_found(viva, plain):
    shown = viva("intents", "selftest", "recruiting-en", "--classifier", "tfidf", "--rounds", "2")
    assert shown.exit_code == 0, shown.stderr
    assert "vivavoce found" in plain(shown.stdout)
    assert "Topics cut in two" in plain(shown.stdout)
    assert viva("intents", "selftest", "recruiting-en", "--rounds", "0").exit_code == 2


def test_improve_shows_problems_with_their_remedies(viva, plain):
    shown = viva("intents", "improve", "recruiting-en", "--classifier", "tfidf", "--retries", "2", "--most", "2")
    assert shown.exit_code == 0, shown.stderr
    assert "1. " in plain(shown.stdout)
    content = json.loads(
        viva("intents", "improve", "recruiting-en", "-c", "tfidf", "--retries", "2", "--json", "-").stdout
    )
    assert content["kind"] == "intents-improve"
    assert len(content["proposals"]) == 3
