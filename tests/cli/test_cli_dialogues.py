"""`viva dialogues score`, `evaluate` and `explain`: each ending has its exit code, each file its content."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading
import tracemalloc
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from vivavoce.cli.dialogues.material import Log
from vivavoce.cli.dialogues.options import LogReading, ScoreReports
from vivavoce.cli.dialogues.scoring import Work, stream_scores
from vivavoce.cli.shared.completion import complete_log, complete_log_format, complete_rater
from vivavoce.dialogues import load_rater

pytestmark = pytest.mark.slow

LENGTH = ("--rater", "length")
RATERS = """
def turns(dialogue):
    return min(5.0, 1 + len(dialogue.turns) / 4)

def contrary(dialogue):
    return 6 - turns(dialogue)

def half(dialogue):
    return 1 + turns(dialogue) / 4

def rude(dialogue):
    raise OSError("the disk of the rater is full")

def shy(dialogue):
    return None

def leaving(dialogue):
    raise SystemExit(0)

def odd(dialogue):
    return 9 if dialogue.id == "long" else 3
"""


def talk(name, messages=8, *, bot="Ada", mark=None, words="a few words"):
    """Return a talk of so many messages, the person first."""
    turns = [
        {"speaker": bot if number % 2 else "Kim", "text": f"{words} {number}", "is_bot": bool(number % 2)}
        for number in range(messages)
    ]
    rated = {} if mark is None else {"ratings": [{"rater": "Kim", "quality": mark}]}
    return {"id": name, "bot": bot, "turns": turns, **rated}


def write_talks(path, talks):
    path.write_text("".join(json.dumps(one) + "\n" for one in talks), encoding="utf-8")


def marked_talks(count=40):
    """Return talks whose marks grow with their length, by two bots."""
    marks = [1 + 4 * (number % 9) / 8 for number in range(count)]
    return [
        talk(f"t{number}", 4 + 2 * (number % 9), bot="Ada" if number % 3 else "Bob", mark=mark)
        for number, mark in enumerate(marks)
    ]


@pytest.fixture(autouse=True)
def logs(folder):
    """Give a log of three talks, one of marked talks, and raters of the user's own."""
    write_talks(folder / "log.jsonl", [talk("long", 12), talk("short", 4), talk("silent", 1)])
    write_talks(folder / "marked.jsonl", marked_talks())
    (folder / "my_raters.py").write_text(RATERS, encoding="utf-8")
    yield
    sys.modules.pop("my_raters", None)


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


# --- score -------------------------------------------------------------------------------------------------------


def test_every_dialogue_becomes_one_line_in_its_order(viva):
    result = viva("dialogues", "score", "log.jsonl", *LENGTH, "--json", "-")
    assert result.exit_code == 0, result.stderr
    lines = lines_of(result.stdout)
    assert [line["id"] for line in lines] == ["long", "short", "silent"]
    assert all({"score", "low", "high", "turns", "warnings"} <= line.keys() for line in lines)
    assert lines[0]["score"] > lines[1]["score"]
    assert lines[2]["score"] is None
    assert lines[2]["refusal"]


def test_without_files_the_terminal_says_first_how_the_dialogues_of_one_bot_score(viva, plain):
    result = viva("dialogues", "score", "log.jsonl", *LENGTH)
    assert result.exit_code == 0
    assert plain(result.stdout).startswith("2 dialogues score ")
    assert "3 dialogues read, 2 scored, 1 not scored" in plain(result.stdout)


def test_all_files_of_one_call_tell_the_same_scores(viva, folder):
    targets = ("--html", "page.html", "--csv", "rows.csv", "--summary", "all.json", "--out", "lines.jsonl")
    result = viva("dialogues", "score", "log.jsonl", *LENGTH, *targets, "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    lines = lines_of((folder / "lines.jsonl").read_text(encoding="utf-8"))
    with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    whole = json.loads((folder / "all.json").read_text(encoding="utf-8"))
    assert whole["scores"] == lines
    assert [row["score"] for row in rows] == ["" if s["score"] is None else f"{s['score']:.4f}" for s in lines]
    assert whole["passport"]["may_compare"] is False
    assert "<html" in (folder / "page.html").read_text(encoding="utf-8")


def test_streaming_gives_the_same_lines_as_reading_all(viva, folder, plain):
    viva("dialogues", "score", "marked.jsonl", *LENGTH, "--out", "whole.jsonl", "--html", "page.html")
    result = viva("dialogues", "score", "marked.jsonl", *LENGTH, "--stream", "--out", "streamed.jsonl")
    assert result.exit_code == 0, result.stderr
    assert (folder / "streamed.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()
    assert "Scored 40 dialogues, mean" in plain(result.stderr)
    assert result.stdout == ""


@pytest.mark.parametrize("words", [("--stream", "--out", "x.jsonl"), ("--stream", "--json", "-"), ("--json", "-")])
def test_a_stream_ends_with_what_is_known_of_its_rater_and_a_warning(viva, plain, words):
    from vivavoce.dialogues import load_rater
    from vivavoce.reports.dialogues.wording import origin_sentence

    result = viva("dialogues", "score", "marked.jsonl", *words)
    assert result.exit_code == 0, result.stderr
    said = " ".join(plain(result.stderr).split())
    assert " ".join(origin_sentence(load_rater("learned").origin).split()) in said
    assert "Do not compare bots with these scores until" in said
    assert "Do not compare" not in result.stdout


def test_a_quiet_stream_says_nothing(viva):
    result = viva("dialogues", "score", "marked.jsonl", *LENGTH, "--stream", "--out", "x.jsonl", "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_streamed_talks_that_are_invented_are_said_to_be(viva, plain):
    result = viva("dialogues", "score", "demo", *LENGTH, "--json", "-")
    assert "invented" in plain(result.stderr)


def test_json_lines_alone_are_streamed_without_being_told(viva, monkeypatch):
    def too_much(*_: object, **__: object) -> None:
        raise AssertionError("all dialogues were read at once")

    monkeypatch.setattr("vivavoce.dialogues.corpus.reading.read_dialogues", too_much)
    assert len(lines_of(viva("dialogues", "score", "marked.jsonl", *LENGTH, "--json", "-").stdout)) == 40
    assert viva("dialogues", "score", "marked.jsonl", *LENGTH, "--out", "lines.jsonl", "-q").exit_code == 0


def streamed(path):
    """Return how many dialogues of a log were scored one after the other, and the most memory that this took."""
    work = Work(Log(path, path.name, None, LogReading(), 10**9), load_rater("length"), None, 0)
    tracemalloc.start()
    try:
        reports = ScoreReports(json_path="out.jsonl", quiet=True)
        tally = stream_scores(work, reports, io.BytesIO(), lambda *told: None)
        return tally.scored, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_stream_of_thousands_of_dialogues_is_never_held_in_memory(folder):
    streamed(folder / "log.jsonl")  # what is imported on the way is not the log's
    write_talks(folder / "large.jsonl", [talk(f"t{number}", 6, words="word " * 100) for number in range(2000)])
    scored, most = streamed(folder / "large.jsonl")
    assert scored == 2000
    assert most < (folder / "large.jsonl").stat().st_size / 2


def test_dialogues_come_from_standard_input(viva, folder):
    given = (folder / "log.jsonl").read_text(encoding="utf-8")
    result = viva("dialogues", "score", "-", *LENGTH, "--json", "-", input=given)
    assert result.exit_code == 0, result.stderr
    assert [line["id"] for line in lines_of(result.stdout)] == ["long", "short", "silent"]


def test_faults_of_standard_input_are_told_by_its_lines(viva, plain):
    given = json.dumps(talk("one")) + "\n{oops\n"
    result = viva("dialogues", "score", "-", *LENGTH, input=given)
    assert result.exit_code == 2
    assert "standard input, line 2" in plain(result.stderr)
    assert "/viva-" not in result.stderr


def test_other_formats_come_from_standard_input_too(viva, plain):
    given = "User: hi there\nBot: hello\nUser: how are you\nBot: fine\n"
    result = viva("dialogues", "score", "-", *LENGTH, "--format", "text", input=given)
    assert result.exit_code == 0, result.stderr
    assert "1 dialogue read, 1 scored" in plain(result.stdout)


def test_the_shipped_talks_are_called_demo_and_said_to_be_invented(viva, plain):
    result = viva("dialogues", "score", "demo", *LENGTH)
    assert result.exit_code == 0, result.stderr
    assert "40 dialogues read" in plain(result.stdout)
    assert "invented" in plain(result.stdout)
    assert "You can compare bots" not in plain(result.stdout)


def test_a_file_called_demo_is_read_before_the_shipped_one(viva, plain, folder):
    write_talks(folder / "demo", [talk("mine")])
    assert "1 dialogue read" in plain(viva("dialogues", "score", "demo", *LENGTH, "--format", "jsonl").stdout)


@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_a_mean_under_the_gate_ends_with_1_after_the_files_are_written(viva, plain, folder, stream):
    result = viva("dialogues", "score", "log.jsonl", *LENGTH, "--min-mean", "4.9", "--out", "lines.jsonl", *stream)
    assert result.exit_code == 1
    assert "Gate not met: log.jsonl: the mean score is" in plain(result.stderr)
    assert (folder / "lines.jsonl").is_file()
    assert viva("dialogues", "score", "log.jsonl", *LENGTH, "--min-mean", "1").exit_code == 0


@pytest.mark.parametrize("stream", [(), ("--json", "-")])
def test_a_log_without_any_score_ends_with_2_and_says_why(viva, plain, folder, stream):
    write_talks(folder / "short.jsonl", [talk("a", 1), talk("b", 2)])
    result = viva("dialogues", "score", "short.jsonl", *LENGTH, *stream)
    assert result.exit_code == 2
    assert "nothing could be scored: 2 dialogues read" in plain(result.stderr)
    assert "fewer than two messages from each side (2 dialogues)" in plain(result.stderr)


CHINESE = ["今天天气怎么样", "很好谢谢你", "明天呢", "明天下雨"]


@pytest.mark.parametrize(
    ("rater", "said"),
    [
        ("learned", "reads only English in Latin script"),
        ("python:my_raters:rude", "fix the rater"),
        ("python:my_raters:leaving", "fix the rater"),
        ("python:my_raters:shy", "a Score whose `refusal` gives the reason"),
    ],
)
def test_what_to_do_about_a_log_without_any_score_follows_from_the_reason(viva, plain, folder, rater, said):
    turns = [{"speaker": "KA"[n % 2], "text": CHINESE[n % 4], "is_bot": bool(n % 2)} for n in range(8)]
    write_talks(folder / "own.jsonl", [{"id": "a", "turns": turns}])
    result = viva("dialogues", "score", "own.jsonl", "--rater", rater)
    assert result.exit_code == 2, result.stderr
    told = plain(result.stderr)
    assert said in told
    assert "two sides" not in told


def test_a_value_off_the_scale_costs_its_talk_and_not_the_run(viva):
    result = viva("dialogues", "score", "log.jsonl", "-r", "python:my_raters:odd", "--json", "-")
    assert result.exit_code == 0, result.stderr
    lines = lines_of(result.stdout)
    assert [line["score"] for line in lines] == [None, 3.0, 3.0]
    assert "python:my_raters:odd" in lines[0]["refusal"]
    assert "9 is not from 1 to 5" in lines[0]["refusal"]


def test_a_function_of_the_user_can_rate(viva):
    lines = lines_of(viva("dialogues", "score", "log.jsonl", "-r", "python:my_raters:turns", "--json", "-").stdout)
    assert [line["score"] for line in lines[:2]] == [4.0, 2.0]


def test_a_rater_that_fails_is_not_taken_for_a_full_disk_of_ours(viva, plain):
    result = viva("dialogues", "score", "log.jsonl", "-r", "python:my_raters:rude", "--stream", "--out", "x.jsonl")
    assert result.exit_code != 0
    assert "cannot write to the file" not in plain(result.stderr)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--stream",), "--out"),
        (("--stream", "--html", "a.html", "--out", "b.jsonl"), "--html needs all dialogues at once"),
        (("--stream", "--html", "a.html", "--csv", "c.csv", "--out", "b.jsonl"), "--html, --csv need all"),
        (("--json", "-", "--out", "b.jsonl"), "--json and --out are the same option"),
        (("--out", "no/where.jsonl"), "--out no/where.jsonl: the folder no does not exist"),
        (("--json", "no/where.jsonl"), "--json no/where.jsonl: the folder no does not exist"),
        (("--html", "log.jsonl"), "would overwrite"),
        (("--html", "-"), "only --json can write to standard output"),
        (("--csv", "no/where.csv"), "the folder no does not exist"),
        (("--rater", "lenght"), "Did you mean 'length'?"),
        (("--model", "a.npz", "--rater", "length"), "both set the rater"),
        (("--model", "missing.npz"), "missing.npz"),
        (("--rater", "length", "--at-once", "3"), "at_once"),
        (("--rater", "length", "--format", "jsnl"), "Did you mean 'jsonl'?"),
        (("--rater", "length", "--bot", "Adda"), "Did you mean 'Ada'?"),
        (("--rater", "length", "--calibration", "log.csv"), "the file does not exist"),
        (("--rater", "length", "--calibration", "my_raters.py"), "not valid JSON"),
        (("--min-mean", "7"), "--min-mean"),
    ],
)
def test_a_wrong_call_of_score_ends_with_2_and_says_what_to_do(viva, plain, words, said):
    result = viva("dialogues", "score", "log.jsonl", *words)
    assert result.exit_code == 2
    assert said in plain(result.stderr)
    assert "Traceback" not in result.stderr


# --- a judge -----------------------------------------------------------------------------------------------------


@pytest.fixture
def judge(monkeypatch):
    """Give the address of an endpoint that marks every talk with 4."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    answer = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": '{"quality": 4}'}}]}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *told):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"openai:tiny@http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


NOBODY = "openai:tiny@http://127.0.0.1:9/v1"


def test_a_capped_judge_ends_with_3_and_goes_on_from_its_record(viva, plain, folder, judge):
    write_talks(folder / "three.jsonl", [talk("a"), talk("b", 6), talk("c", 4)])
    call = ("dialogues", "score", "three.jsonl", "--rater", judge, "--record", "kept.jsonl", "--json", "-")
    first = viva(*call, "--max-messages", "2", "--at-once", "1")
    assert first.exit_code == 3
    assert "1 dialogue not scored by the judge" in plain(first.stderr)
    assert "kept.jsonl" in first.stderr
    again = viva(*call, "--max-messages", "1")
    assert again.exit_code == 0, again.stderr
    assert [line["score"] for line in lines_of(again.stdout)] == [4.0, 4.0, 4.0]


def test_a_judge_that_is_not_there_ends_with_3_and_is_not_the_fault_of_the_log(viva, plain):
    result = viva("dialogues", "score", "log.jsonl", "--rater", NOBODY, "--retries", "0", "--timeout", "2")
    assert result.exit_code == 3
    assert "not scored by the judge" in plain(result.stderr)


ALONE, BESIDE = ("--rater", NOBODY), ("--rater", "length", "--rater", NOBODY)


@pytest.mark.parametrize("raters", [ALONE, BESIDE])
def test_an_evaluation_without_its_judge_ends_with_3_after_all_is_written(viva, plain, folder, raters):
    write_talks(folder / "five.jsonl", marked_talks(5))
    words = ("--retries", "0", "--timeout", "2", "--html", "page.html", "--json", "found.json")
    result = viva("dialogues", "evaluate", "five.jsonl", *raters, *words)
    assert result.exit_code == 3
    assert "5 dialogues not scored by the judge" in plain(result.stderr)
    assert "agreement with people" in plain(result.stdout)
    assert (folder / "page.html").is_file()
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    assert len(found["raters"]) == raters.count("--rater")


def test_a_silent_judge_outweighs_a_recalibration_that_cannot_be_saved(viva, plain, folder):
    words = ("--retries", "0", "--timeout", "2", "--save-calibration", "line.json")
    result = viva("dialogues", "evaluate", "marked.jsonl", *ALONE, *words)
    assert result.exit_code == 3
    assert not (folder / "line.json").exists()


def test_an_explanation_without_its_judge_ends_with_3(viva, plain):
    words = ("--retries", "0", "--timeout", "2", "--json", "-")
    result = viva("dialogues", "explain", "log.jsonl", "long", *ALONE, *words)
    assert result.exit_code == 3
    assert json.loads(result.stdout)["dialogue"]["score"] is None


# --- evaluate ----------------------------------------------------------------------------------------------------


def evaluated(viva, *words):
    result = viva("dialogues", "evaluate", *words, "--json", "-")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_agreement_is_told_overall_and_by_kind_with_intervals(viva):
    found = evaluated(viva, "marked.jsonl", "--rater", "python:my_raters:turns")
    assert found["kind"] == "dialogues-evaluation"
    for part in (found["overall"], found["by_kind"]["human-bot"]):
        assert part["n"] == 40
        assert all(
            part[name]["low"] <= part[name]["value"] <= part[name]["high"] for name in ("pearson", "spearman", "mse")
        )
        assert part["kendall"]["value"] > 0.9
    (rater,) = found["raters"]
    assert [line["bot"] for line in rater["ranking"]["systems"]]
    assert found["differences"] == []


def test_agreement_is_told_in_one_word_and_bot_by_bot(viva, plain):
    result = viva("dialogues", "evaluate", "demo", "--json", "agreement.json")
    found = json.loads(Path("agreement.json").read_text(encoding="utf-8"))
    assert found["follows"] == found["by_kind"]["human-bot"]["follows"]
    assert found["follows"] in {"too_few", "alike", "weak", "moderate", "strong"}
    assert {bot: one["n"] for bot, one in found["by_bot"].items()} == {"Iris": 14, "Basil": 13, "Otto": 13}
    assert set(found["drift"]) == {"distance", "limit", "differs", "talks", "traits"}
    told = plain(result.stdout)
    assert "By bot; n/a below 10 rated dialogues." in told
    assert told.count("differ from those the rater was trained on") == 1


def test_raters_are_compared_on_the_same_talks(viva, plain):
    names = ("python:my_raters:turns", "python:my_raters:contrary")
    words = [word for name in names for word in ("--rater", name)]
    found = evaluated(viva, "marked.jsonl", *words)
    assert [rater["rater"] for rater in found["raters"]] == list(names)
    (difference,) = found["differences"]
    assert (difference["first"], difference["second"], difference["n"]) == (*names, 40)
    assert difference["pearson"]["low"] > 0
    shown = plain(viva("dialogues", "evaluate", "marked.jsonl", *words).stdout)
    assert "python:my_raters:turns agrees better with people" in shown


def test_the_page_tells_of_the_other_raters_too(viva, folder):
    words = ("--rater", "length", "--rater", "python:my_raters:contrary", "--html", "page.html", "--quiet")
    assert viva("dialogues", "evaluate", "marked.jsonl", *words).exit_code == 0
    assert "length agrees better with people" in (folder / "page.html").read_text(encoding="utf-8")


def test_a_saved_recalibration_moves_later_scores_towards_the_marks(viva, folder, plain):
    name = "python:my_raters:half"
    saved = viva("dialogues", "evaluate", "marked.jsonl", "-r", name, "--save-calibration", "line.json")
    assert saved.exit_code == 0, saved.stderr
    assert "It will adjust the scores." in plain(saved.stdout)
    call = ("dialogues", "score", "marked.jsonl", "-r", name, "--json", "-")
    before, after = lines_of(viva(*call).stdout), lines_of(viva(*call, "--calibration", "line.json").stdout)

    def error(lines):
        return sum((line["score"] - line["mark"]) ** 2 for line in lines)

    assert error(after) < error(before) / 2
    whole = viva(*call, "--calibration", "line.json", "--html", "page.html")
    assert lines_of(whole.stdout) == after


def test_a_recalibration_of_another_rater_is_refused(viva, plain):
    viva("dialogues", "evaluate", "marked.jsonl", "-r", "python:my_raters:half", "--save-calibration", "line.json")
    result = viva("dialogues", "score", "log.jsonl", *LENGTH, "--calibration", "line.json")
    assert result.exit_code == 2
    assert "learned for the rater python:my_raters:half" in plain(result.stderr)


def test_a_recalibration_without_sure_gain_is_saved_but_not_used(viva, plain):
    words = ("marked.jsonl", "-r", "python:my_raters:contrary", "--save-calibration", "line.json")
    assert viva("dialogues", "evaluate", *words).exit_code == 0
    with open("line.json", encoding="utf-8") as file:
        content = json.load(file)
    with open("line.json", "w", encoding="utf-8") as file:
        json.dump({**content, "adopted": False}, file)
    call = ("dialogues", "score", "marked.jsonl", "-r", "python:my_raters:contrary", "--json", "-")
    moved = viva(*call, "--calibration", "line.json")
    assert lines_of(moved.stdout) == lines_of(viva(*call).stdout)
    assert "The recalibration was not used" in plain(moved.stderr)


@pytest.mark.parametrize(
    ("talks", "words_and_said"),
    [
        (29, (("--save-calibration", "line.json"), "needs 30 rated dialogues")),
        (40, (("-r", "python:my_raters:turns", "--save-calibration", "line.json"), "belongs to one rater")),
        (40, (("-r", "length"), "used twice: length")),
        (0, ((), "none of 1 dialogue has a rating")),
    ],
)
def test_what_cannot_be_evaluated_ends_with_2(viva, plain, folder, talks, words_and_said):
    words, said = words_and_said
    write_talks(folder / "own.jsonl", marked_talks(talks) or [talk("a")])
    result = viva("dialogues", "evaluate", "own.jsonl", *LENGTH, *words)
    assert result.exit_code == 2
    assert said in plain(result.stderr)
    assert not (folder / "line.json").exists()


@pytest.mark.parametrize("beside", [(), LENGTH])
def test_a_rater_without_any_score_ends_an_evaluation_with_2(viva, plain, beside):
    result = viva("dialogues", "evaluate", "marked.jsonl", "--rater", "python:my_raters:rude", *beside)
    assert result.exit_code == 2
    assert "nothing could be scored: 40 dialogues read" in plain(result.stderr)
    assert "the disk of the rater is full" in plain(result.stderr)
    assert "agreement with people" in plain(result.stdout)


def test_invented_marks_are_never_a_finding(viva, plain):
    shown = plain(viva("dialogues", "evaluate", "demo", *LENGTH).stdout)
    assert shown.startswith("These dialogues and their ratings are invented")
    assert "You can compare bots" not in shown


# --- explain -----------------------------------------------------------------------------------------------------


def test_one_talk_is_explained_message_by_message(viva, plain, folder):
    result = viva("dialogues", "explain", "log.jsonl", "long", *LENGTH, "--html", "talk.html")
    assert result.exit_code == 0, result.stderr
    shown = plain(result.stdout)
    assert "the dialogue has 12 turns" in shown
    assert "a few words 11" in shown
    assert "a few words 11" in (folder / "talk.html").read_text(encoding="utf-8")


def test_an_explanation_can_be_read_by_programs(viva):
    result = viva("dialogues", "explain", "log.jsonl", "short", *LENGTH, "--json", "-")
    content = json.loads(result.stdout)
    assert (content["kind"], content["dialogue"]["id"]) == ("dialogues-explanation", "short")
    assert [reason["name"] for reason in content["dialogue"]["reasons"]] == ["turns", "words"]


def test_a_refused_talk_is_explained_by_its_refusal(viva, plain):
    result = viva("dialogues", "explain", "log.jsonl", "silent", *LENGTH)
    assert result.exit_code == 2
    assert "fewer than two messages" in plain(result.stdout)
    told = viva("dialogues", "explain", "log.jsonl", "silent", *LENGTH, "--json", "-")
    assert told.exit_code == 2
    assert "fewer than two messages" in json.loads(told.stdout)["dialogue"]["refusal"]


def test_an_unknown_talk_is_answered_with_the_nearest(viva, plain):
    result = viva("dialogues", "explain", "log.jsonl", "lon", *LENGTH)
    assert result.exit_code == 2
    assert "Did you mean 'long'?" in plain(result.stderr)


# --- the shell ---------------------------------------------------------------------------------------------------


def test_the_shell_offers_raters_formats_and_talks(folder):
    assert {"learned", "length", "openai", "python"} <= set(complete_rater(""))
    assert complete_log_format("js") == ["json", "jsonl"]
    assert complete_log("de") == ["demo"]
    assert complete_log("lo") == ["log.jsonl"]


def test_a_reader_that_leaves_early_is_no_missed_gate(folder):
    write_talks(folder / "many.jsonl", [talk(f"t{number}", 8) for number in range(2000)])
    command = [sys.executable, "-m", "vivavoce.cli", "dialogues", "score", "many.jsonl", *LENGTH, "--json", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        words = process.stderr.read().decode()
        assert process.wait() == 141, words
    assert "Traceback" not in words
