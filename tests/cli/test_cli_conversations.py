"""`viva conversations`: hold, go on, count again, compare; each ending has its exit code."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from vivavoce.conversations import read_suite

pytestmark = pytest.mark.slow

SUITE = """
suite: small
language: en
scenarios:
  - id: greeting
    domain: shop
    level: basic
    turns:
      - {user: hello, expect: {reply: Hello.}}
  - id: visit
    domain: cafe
    level: medium
    turns:
      - {user: hello, expect: {reply: Hello.}}
      - {user: "when do you close, please", expect: {reply: at six}}
      - {user: bye, expect: {reply: Goodbye.}}
  - id: stranger
    domain: cafe
    level: medium
    turns:
      - {user: how far is the moon, expect: fallback}
"""
TURNS, TALKS = 5, 3
# Every message is written down, so that tests can tell what was said and how often.
BOT = '''
from pathlib import Path
from vivavoce.records import Reply

KNOWN = {"hello": "Hello.", "bye": "Goodbye.", "when do you close, please": "We close at six."}

def hear(text):
    with Path("heard.log").open("a") as log:
        log.write(text + "\\n")

def good(text):
    hear(text)
    return KNOWN[text] if text in KNOWN else Reply(("Sorry?",), fallback=True)

def bad(text):
    hear(text)
    return "Goodbye."

def broken(text):
    """Works once somebody has repaired it."""
    if not Path("repaired").exists():
        raise RuntimeError("the plug is out")
    return good(text)

def talking(text):
    """Talks to itself."""
    print("thinking ...")
    return good(text)
'''
GOOD, BAD, BROKEN = "good=python:bot.py:good", "bad=python:bot.py:bad", "broken=python:bot.py:broken"


@pytest.fixture(autouse=True)
def material(folder: Path) -> None:
    """Write a small suite and a bot that knows all its answers, and others that do not."""
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (folder / "bot.py").write_text(BOT, encoding="utf-8")


@pytest.fixture
def hold(viva):
    """Return a function that runs the small suite with the bots that are named."""

    def run(*words, bots=(GOOD,), record="record"):
        named = [word for bot in bots for word in ("--bot", bot)]
        return viva("conversations", "run", "suite.yaml", *named, "--record", record, *words)

    return run


@pytest.fixture
def heard(folder):
    """Return a function that tells what the bots were told."""
    log = folder / "heard.log"
    return lambda: log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def cell(content, bot, domain=None, level=None):
    return next(c for c in content["cells"] if (c["bot"], c["domain"], c["level"]) == (bot, domain, level))


# Holding conversations


def test_the_json_of_a_run_has_cells_comparisons_and_the_literal_numbers(hold):
    result = hold("--json", "-", bots=(GOOD, BAD))
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    assert {"kind", "seed", "data", "bots", "cells", "comparisons", "echo_literal", "failures"} <= set(content)
    overall = cell(content, "good")
    rates = ("fallback_rate", "fallback_in_scope", "fallback_out_of_scope", "comprehension_rate", "retention")
    assert {*rates, "accuracy", "precision", "recall", "f1", "conversations", "turns", "outcomes"} <= set(overall)
    assert {"mean", "p50", "p95", "p99"} <= set(overall["response_time_ms"])
    assert (overall["accuracy"]["value"], overall["accuracy"]["n"]) == (1.0, TURNS)
    assert (overall["conversations"], overall["turns"]) == (TALKS, TURNS)
    assert (overall["outcomes"]["right"], overall["outcomes"]["declined"]) == (4, 1)
    assert cell(content, "bad")["accuracy"]["value"] == pytest.approx(1 / TURNS)
    assert cell(content, "good", "cafe", "medium")["turns"] == 4
    assert {(one["a"], one["b"]) for one in content["comparisons"]} == {("good", "bad")}


def test_several_suites_are_one_run_with_every_domain_level_and_bot(viva, folder):
    chosen = ("--bot", "vectors", "--bot", "keywords", "--level", "basic", "--level", "medium", "--json", "-")
    result = viva("conversations", "run", "flight", "medical", *chosen)
    assert result.exit_code == 0, result.stderr
    content = json.loads(result.stdout)
    # A bot that runs an agent runs that of the suite: every domain has the numbers of its suite alone.
    for suite in ("flight", "medical"):
        domain = read_suite(suite).scenarios[0].domain or suite
        alone = json.loads(viva("conversations", "run", suite, *chosen).stdout)
        for bot, level in product(("vectors", "keywords"), ("basic", "medium")):
            same = ("turns", "outcomes", "accuracy", "f1", "fallback_rate")
            joined, own = cell(content, bot, domain, level), cell(alone, bot, alone["cells"][-1]["domain"], level)
            assert [joined[name] for name in same] == [own[name] for name in same]
    record = Path("viva-runs/flight-medical-1")
    assert (folder / record).is_dir()
    again = viva("conversations", "resume", str(record), "--json", "-")
    assert json.loads(again.stdout)["cells"] == content["cells"]


def test_of_several_suites_each_must_be_named_once_and_contribute(viva, plain):
    twice = viva("conversations", "run", "flight", "flight")
    assert twice.exit_code == 2
    assert "two suites have the name 'flight'" in plain(twice.stderr)
    domain = next(s.domain for s in read_suite("flight").scenarios)
    nothing = viva("conversations", "run", "flight", "medical", "--domain", domain)
    assert nothing.exit_code == 2
    assert "no scenario of 'medical' is chosen" in plain(nothing.stderr)
    unknown = viva("conversations", "run", "flight", "medical", "--level", "bassic")
    assert unknown.exit_code == 2
    assert "unknown level 'bassic'. Did you mean 'basic'?" in plain(unknown.stderr)


def test_a_run_is_shown_and_written_where_asked(hold, folder, plain):
    result = hold("--html", "r.html", "--junit", "r.xml", "--turns", "r.csv", "--markdown", "r.md", bots=(GOOD, BAD))
    assert result.exit_code == 0
    assert "good" in plain(result.stdout)
    assert "Run record: record" in plain(result.stderr)
    assert all(f"Written: r.{ending}" in result.stderr for ending in ("html", "xml", "csv", "md"))
    assert "how far is the moon" in (folder / "r.html").read_text(encoding="utf-8")
    root = ElementTree.parse(folder / "r.xml").getroot()  # noqa: S314 - our own file
    assert (root.get("tests"), root.get("failures")) == ("6", "3")
    with (folder / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == 1 + 2 * TURNS


def test_quiet_says_nothing_at_all(hold):
    result = hold("--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_what_a_bot_prints_does_not_get_into_the_json(hold):
    result = hold("--json", "-", bots=("python:bot.py:talking",))
    assert json.loads(result.stdout)["cells"][0]["accuracy"]["value"] == 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--level", "basic"), 1),
        (("--domain", "cafe"), 4),
        (("--scenario", "greeting", "--scenario", "stranger"), 2),
        (("--repeats", "3"), 3 * TURNS),
    ],
)
def test_only_what_was_chosen_is_said_and_as_often_as_asked(hold, heard, words, said):
    assert hold(*words, "--quiet").exit_code == 0
    assert len(heard()) == said


def test_repeats_are_counted_and_measure_stability(hold):
    overall = cell(json.loads(hold("--repeats", "3", "--json", "-").stdout), "good")
    assert (overall["conversations"], overall["turns"]) == (3 * TALKS, 3 * TURNS)
    assert overall["stability"]["value"] == 1.0
    assert overall["pass_hat_3"]["value"] == 1.0


def test_what_is_said_about_pressure_holds_for_every_bot(hold, folder):
    from vivavoce.conversations import RunRecord

    words = ("--rate", "500", "--concurrency", "3", "--timeout", "7", "--retries", "4", "--quiet")
    assert hold(*words, bots=(GOOD, BAD)).exit_code == 0
    with RunRecord.open(folder / "record") as record:
        limits = [bot.limits for bot in record.header.bots]
    assert [(one.per_second, one.at_once, one.timeout_s, one.retries) for one in limits] == [(500, 3, 7, 4)] * 2


def test_without_retries_every_message_is_sent_once(hold, folder):
    from vivavoce.conversations import RunRecord

    bots = ("scripted:failing=server_error",)
    assert hold("--retries", "0", "--quiet", bots=bots).exit_code == 3
    with RunRecord.open(folder / "record") as record:
        assert [[e.attempts for e in talk.exchanges] for talk in record.transcripts()] == [[1]] * TALKS


def test_a_shipped_suite_is_held_with_bots_that_run_its_agent(viva):
    words = ("--bot", "nearest", "--bot", "keywords", "--level", "basic", "--json", "-")
    result = viva("conversations", "run", "flight", *words)
    assert result.exit_code == 0, result.stderr
    content = json.loads(result.stdout)
    assert [bot["name"] for bot in content["bots"]] == ["nearest", "keywords"]
    assert all(cell(content, name)["intent_source"] == "bot" for name in ("nearest", "keywords"))


def test_a_suite_with_an_agent_beside_it_needs_no_bot_named(viva, folder, monkeypatch):
    agent = Path(__file__).parents[1] / "bots" / "small_agent.yaml"
    (folder / "there").mkdir()
    (folder / "there" / "agent.yaml").write_text(agent.read_text(encoding="utf-8"), encoding="utf-8")
    text = SUITE.replace("language: en", "language: en\nagent: agent.yaml")
    (folder / "there" / "suite.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("vivavoce.agents.ENGINES", ("nearest", "keywords"))
    result = viva("conversations", "run", "there/suite.yaml", "--json", "-")
    assert result.exit_code == 0, result.stderr
    assert [bot["name"] for bot in json.loads(result.stdout)["bots"]] == ["nearest", "keywords"]
    assert viva("conversations", "resume", "viva-runs/small-1", "--quiet").exit_code == 0


def test_each_run_gets_a_folder_of_its_own_where_none_is_named(viva, folder):
    for _ in range(2):
        assert viva("conversations", "run", "suite.yaml", "--bot", GOOD, "--quiet").exit_code == 0
    assert sorted(path.name for path in (folder / "viva-runs").iterdir()) == ["small-1", "small-2"]


# Exit codes


def test_a_gate_that_is_met_ends_with_0_and_one_that_is_missed_with_1(hold, viva, plain):
    assert hold("--fail-under", "accuracy=0.9", "--strict", "--quiet").exit_code == 0
    missed = hold("--fail-under", "accuracy=0.9", "--quiet", bots=(GOOD, BAD), record="second")
    assert missed.exit_code == 1
    assert "accuracy of bad is 0.200, under the limit of 0.9" in plain(missed.stderr)
    words = ("conversations", "score", "second", "--quiet", "--fail-under")
    assert viva(*words, "accuracy@good=0.9").exit_code == 0
    assert viva(*words, "accuracy@bad=0.9").exit_code == 1
    assert viva(*words, "wrong_answer_rate=0.5").exit_code == 1
    assert viva(*words, "wrong_answer_rate@good=0.5").exit_code == 0


def test_strict_ends_with_1_when_any_turn_failed(hold, plain):
    result = hold("--strict", "--quiet", bots=(BAD,))
    assert result.exit_code == 1
    assert "bad: 4 turns failed" in plain(result.stderr)


@pytest.mark.parametrize("gate", ["acuracy=0.9", "accuracy", "accuracy=much", "accuracy@god=0.9"])
def test_a_gate_that_cannot_be_read_is_refused_before_any_bot_is_asked(hold, heard, folder, gate):
    assert hold("--fail-under", gate).exit_code == 2
    assert not heard()
    assert not (folder / "record").exists()


def test_every_number_that_has_a_better_side_can_be_a_gate(hold, viva, plain):
    from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES

    hold("--quiet")
    shares = [measure for measure in CONVERSATION_MEASURES.values() if measure.kind != "milliseconds"]
    names = [measure.name for measure in shares if measure.better != "neither"]
    gates = [word for name in names for word in ("--fail-under", f"{name}=0.5")]
    result = viva("conversations", "score", "record", "--quiet", *gates)
    assert result.exit_code == 1
    assert "comprehension_rate of good is n/a" in plain(result.stderr)
    assert "accuracy of good" not in plain(result.stderr)


def test_all_faults_of_a_suite_are_told_at_once(viva, folder, plain):
    text = SUITE.replace("expect: {reply: Hello.}", "expekt: {reply: Hello.}").replace("level: basic", "level: basik")
    (folder / "wrong.yaml").write_text(text, encoding="utf-8")
    result = viva("conversations", "run", "wrong.yaml", "--bot", GOOD)
    assert result.exit_code == 2
    assert "Did you mean 'expect'?" in plain(result.stderr)
    assert "Did you mean 'basic'?" in plain(result.stderr)
    assert len([line for line in result.stderr.splitlines() if line.startswith("  - ")]) == 3


def test_scenarios_that_cannot_be_run_are_refused_with_every_fault(viva, folder, plain, heard):
    text = SUITE.replace("{reply: at six}", "{reply: {regex: '(six'}}").replace("{user: bye,", "{user: '{nobody}',")
    (folder / "wrong.yaml").write_text(text, encoding="utf-8")
    result = viva("conversations", "run", "wrong.yaml", "--bot", GOOD)
    assert result.exit_code == 2
    assert "nobody" in plain(result.stderr)
    assert "(six" in plain(result.stderr)
    assert not heard()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("suite.yml", "--bot", GOOD), "suite.yml: the file cannot be read"),
        (("fligth", "--bot", GOOD), "Did you mean 'flight'?"),
        (("suite.yaml", "--bot", "pyton:bot.py:good"), "Did you mean 'python'?"),
        (("suite.yaml", "--bot", "python:bot.py:god"), "Did you mean 'good'?"),
        (("suite.yaml", "--bot", GOOD, "--bot", GOOD), "2 bots have the name 'good'"),
        (("suite.yaml", "--bot", GOOD, "--level", "basik"), "Did you mean 'basic'?"),
        (("suite.yaml", "--bot", GOOD, "--domain", "caffe"), "Did you mean 'cafe'?"),
        (("suite.yaml", "--bot", GOOD, "--level", "basic", "--domain", "cafe"), "no scenario matches"),
        (("suite.yaml",), "choose bots with --bot"),
        (("suite.yaml", "--bot", GOOD, "--bots", "nowhere.yaml"), "nowhere.yaml"),
        (("suite.yaml", "--bot", GOOD, "--html", "suite.yaml"), "would overwrite"),
        (("suite.yaml", "--bot", GOOD, "--html", "no/folder.html"), "the folder no does not exist"),
        (("suite.yaml", "--bot", GOOD, "--turns", "turns.txt"), "turns.txt"),
        (("suite.yaml", "--bot", GOOD, "--record", "suite.yaml"), "suite.yaml"),
    ],
)
def test_a_call_that_is_wrong_ends_with_2_and_says_what_to_do(viva, plain, heard, words, hint):
    result = viva("conversations", "run", *words)
    assert result.exit_code == 2, result.stderr
    assert hint in plain(result.stderr)
    assert "What to do:" in result.stderr
    assert not heard()


def test_a_record_is_never_overwritten(hold, heard, plain):
    hold("--quiet")
    again = hold("--quiet")
    assert again.exit_code == 2
    assert "viva conversations resume record" in plain(again.stderr)
    assert len(heard()) == TURNS


# Going on


def test_a_bot_that_fails_ends_with_3_and_the_run_goes_on_when_it_is_repaired(hold, viva, folder, heard, plain):
    first = hold("--quiet", "--json", "first.json", bots=(BROKEN, GOOD))
    assert first.exit_code == 3
    told = plain(first.stderr)
    assert "3 conversations failed" in told
    assert "broken: RuntimeError: the plug is out (3 conversations)" in told
    assert "viva conversations resume record" in told
    content = json.loads((folder / "first.json").read_text(encoding="utf-8"))
    assert cell(content, "broken")["accuracy"] == {"value": None, "n": 0}
    assert cell(content, "good")["accuracy"]["value"] == 1.0
    (folder / "heard.log").unlink()
    (folder / "repaired").touch()
    second = viva("conversations", "resume", "record", "--json", "-")
    assert second.exit_code == 0
    assert len(heard()) == TURNS
    assert cell(json.loads(second.stdout), "broken")["accuracy"]["value"] == 1.0


def test_work_that_is_not_complete_outweighs_a_gate_that_is_missed(hold, plain):
    result = hold("--quiet", "--strict", bots=(BAD, "scripted:failing=refused"))
    assert result.exit_code == 3
    assert "Gate not met" in plain(result.stderr)


def test_a_cap_on_messages_ends_with_3_and_the_rest_can_be_held_later(hold, viva, heard, plain):
    first = hold("--max-messages", "4", "--quiet")
    assert first.exit_code == 3
    assert "the limit of 4 messages was reached" in plain(first.stderr)
    assert 0 < len(heard()) <= 4
    assert viva("conversations", "resume", "record", "--quiet").exit_code == 0
    assert len(heard()) == TURNS


def test_a_run_is_resumed_from_another_folder_or_told_where_it_was_begun(hold, viva, folder, plain, monkeypatch):
    (folder / "bots.yaml").write_text("bots:\n  mine: {kind: 'scripted:echo'}\n", encoding="utf-8")
    hold("--max-messages", "1", "--quiet", bots=("mine",), record="entry")
    hold("--max-messages", "1", "--quiet", record="module")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert viva("conversations", "resume", "../entry", "--quiet").exit_code == 0
    other = viva("conversations", "resume", "../module", "--quiet")
    assert other.exit_code == 2
    assert f"the run was started in {folder}" in plain(other.stderr)


@pytest.mark.parametrize("command", ["resume", "score", "report"])
def test_a_folder_without_a_record_is_refused(viva, plain, folder, command):
    (folder / "empty").mkdir()
    for name in ("empty", "nowhere"):
        result = viva("conversations", command, name)
        assert result.exit_code == 2
        assert "there is no run record here" in plain(result.stderr)


# Counting again


def test_the_same_record_gives_the_same_files_byte_for_byte(hold, viva, folder):
    assert hold("--repeats", "2", "--quiet", bots=(BAD, "scripted:flaky=0.5")).exit_code in (0, 3)
    names = ("r.html", "r.json", "r.xml", "r.md", "r.csv")

    def words(where):
        (folder / where).mkdir()
        options = ("--html", "--json", "--junit", "--markdown", "--turns")
        files = [word for option, name in zip(options, names, strict=True) for word in (option, f"{where}/{name}")]
        return ["conversations", "score", "record", "--quiet", *files]

    assert viva(*words("here")).exit_code in (0, 3)
    # Another process, whose sets have another order than here.
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    command = [sys.executable, "-m", "vivavoce.cli", *words("there")]
    subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    for name in names:
        assert (folder / "here" / name).read_bytes() == (folder / "there" / name).read_bytes(), name


def test_scoring_asks_no_bot_and_gives_what_the_run_gave(hold, viva, heard):
    first = json.loads(hold("--json", "-").stdout)
    said = len(heard())
    assert json.loads(viva("conversations", "score", "record", "--json", "-").stdout) == first
    assert len(heard()) == said


def test_a_report_goes_into_the_folder_of_the_run_or_where_asked(hold, viva, folder):
    hold("--quiet")
    assert viva("conversations", "report", "record", "--quiet").stderr == ""
    told = viva("conversations", "report", "record", "--out", "page.html", "--json", "-")
    assert json.loads(told.stdout)["kind"] == "conversations"
    page = (folder / "page.html").read_bytes()
    assert viva("conversations", "report", "record", "--html", "same.html").exit_code == 0
    assert (folder / "same.html").read_bytes() == page
    assert page == (folder / "record" / "report.html").read_bytes()
    assert b"when do you close, please" in page


def test_files_are_written_even_if_nobody_reads_the_terminal(hold, viva, folder, monkeypatch):
    def gone(*_, **__):
        raise BrokenPipeError

    hold("--quiet")
    monkeypatch.setattr("vivavoce.cli.conversations.results.Screen.print", gone)
    # The end of standard output is another test's; here it must stay open.
    monkeypatch.setattr("vivavoce.cli.shared.failures.os.dup2", lambda *_: None)
    monkeypatch.setattr("vivavoce.cli.shared.failures.sys", SimpleNamespace(stdout=sys.__stdout__))
    assert viva("conversations", "score", "record", "--html", "r.html", "--junit", "r.xml").exit_code == 141
    assert viva("conversations", "compare", "record", "record", "--html", "d.html").exit_code == 141
    assert all((folder / name).stat().st_size for name in ("r.html", "r.xml", "d.html"))


@pytest.mark.parametrize("share", [0.001, 0.02, 0.4, 0.9, 0.9999])
def test_a_record_that_was_cut_short_is_called_damaged(hold, viva, folder, plain, share):
    hold("--quiet")
    record = folder / "record" / "run.sqlite"
    content = record.read_bytes()
    record.write_bytes(content[: int(len(content) * share)])
    result = viva("conversations", "score", "record")
    assert result.exit_code == 2, result.stderr
    assert "the record is damaged" in plain(result.stderr)


def test_a_record_with_wrong_bytes_inside_is_called_damaged(hold, viva, folder, plain):
    hold("--quiet")
    record = folder / "record" / "run.sqlite"
    content = record.read_bytes()
    page = int.from_bytes(content[16:18], "big")
    record.write_bytes(content[:-page] + b"\xff" * page)
    result = viva("conversations", "score", "record")
    assert result.exit_code == 2, result.stderr
    assert "the record is damaged" in plain(result.stderr)


def test_a_database_of_another_kind_is_no_damaged_record(viva, folder, plain):
    (folder / "other").mkdir()
    with closing(sqlite3.connect(folder / "other" / "run.sqlite")) as database:
        database.execute("CREATE TABLE other (x)")
    result = viva("conversations", "score", "other")
    assert result.exit_code == 2
    assert "this is not a run record" in plain(result.stderr)


# Comparing, misspelling, checking


def test_two_runs_are_compared_turn_by_turn(hold, viva, folder, plain):
    hold("--quiet", bots=("bot=python:bot.py:good",), record="before")
    hold("--quiet", bots=("bot=python:bot.py:bad",), record="after")
    words = ("conversations", "compare", "before", "after")
    result = viva(*words, "--json", "-")
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    assert (len(content["regressed"]), len(content["improved"]), content["unchanged"]) == (4, 0, 1)
    strict = viva(*words, "--strict", "--html", "d.html", "--markdown", "d.md")
    assert strict.exit_code == 1
    assert "4 turns got worse" in plain(strict.stderr)
    assert all((folder / name).stat().st_size for name in ("d.html", "d.md"))
    assert viva("conversations", "compare", "after", "before", "--strict", "--quiet").exit_code == 0


def test_runs_without_a_common_bot_are_not_compared(hold, viva, plain):
    hold("--quiet", bots=(GOOD, BAD), record="before")
    hold("--quiet", bots=("scripted:echo", "scripted:wrong"), record="after")
    result = viva("conversations", "compare", "before", "after")
    assert result.exit_code == 2
    assert "no bot in common" in plain(result.stderr)


def test_misspelt_twins_are_the_same_for_the_same_seed_and_can_be_run(viva, folder, plain):
    def twins(out: str, *words: str):
        return viva("conversations", "add-typos", "suite.yaml", out, "--share", "1", *words)

    assert "misspelt" in plain(twins("one.yaml").stdout)
    content = json.loads(twins("two.yaml", "--json", "-").stdout)
    assert content["kind"] == "typos"
    twins("three.yaml", "--seed", "9", "--quiet")
    one, two, three = ((folder / f"{name}.yaml").read_text(encoding="utf-8") for name in ("one", "two", "three"))
    assert one == two != three
    result = viva("conversations", "run", "one.yaml", "--bot", GOOD, "--json", "-")
    assert result.exit_code == 0, result.stderr
    overall = cell(json.loads(result.stdout), "good")
    assert overall["comprehension_rate"]["n"] > 0
    assert overall["clean_twin_rate"]["value"] == 1.0


def test_misspelt_twins_replace_no_file_unless_forced(viva, folder, plain):
    (folder / "out.yaml").write_text("mine", encoding="utf-8")
    words = ("conversations", "add-typos", "suite.yaml", "out.yaml", "--quiet")
    refused = viva(*words)
    assert (refused.exit_code, (folder / "out.yaml").read_text(encoding="utf-8")) == (2, "mine")
    assert "--force" in plain(refused.stderr)
    assert viva(*words, "--force").exit_code == 0
    assert "misspelt" in (folder / "out.yaml").read_text(encoding="utf-8")


def test_misspelt_twins_never_replace_the_suite_they_come_from(viva, folder, plain):
    result = viva("conversations", "add-typos", "suite.yaml", "suite.yaml")
    assert result.exit_code == 2
    assert "would overwrite" in plain(result.stderr)
    assert (folder / "suite.yaml").read_text(encoding="utf-8") == SUITE


def test_check_tells_the_size_and_what_is_wrong(viva, folder, plain, heard):
    fine = viva("conversations", "check", "suite.yaml", "--bot", GOOD, "--json", "-")
    content = json.loads(fine.stdout)
    assert (fine.exit_code, content["kind"], content["turns"]) == (0, "conversations-check", TURNS)
    assert not heard()
    (folder / "wrong.yaml").write_text(SUITE.replace("{user: bye,", "{user: '{nobody}',"), encoding="utf-8")
    shown = viva("conversations", "check", "wrong.yaml")
    assert shown.exit_code == 2
    assert "nobody" in plain(shown.stdout)
    assert "1 error in these scenarios" in plain(shown.stderr)
    assert "nobody" not in shown.stderr
    quiet = viva("conversations", "check", "wrong.yaml", "--strict", "--quiet")
    assert (quiet.exit_code, quiet.stdout) == (2, "")
    assert "nobody" in quiet.stderr
    told = viva("conversations", "check", "wrong.yaml", "--json", "-")
    assert (told.exit_code, json.loads(told.stdout)["problems"][0]["severity"]) == (2, "error")


def test_a_strict_check_ends_with_1_when_there_are_warnings(viva, folder, plain):
    assert viva("conversations", "check", "suite.yaml").exit_code == 0
    strict = viva("conversations", "check", "suite.yaml", "--strict")
    assert strict.exit_code == 1
    assert "Gate not met: suite.yaml: 1 warning" in plain(strict.stderr)
    typos = "".join(f"      - {{user: helo, kind: typo, expect: {{reply: Hello.}}, id: m{n}}}\n" for n in range(10))
    (folder / "fine.yaml").write_text(SUITE + typos, encoding="utf-8")
    assert viva("conversations", "check", "fine.yaml", "--strict").exit_code == 0


def test_scenarios_that_expect_nothing_are_neither_checked_as_fine_nor_run(viva, folder, plain, heard):
    (folder / "s.csv").write_text("scenario,level,user,expect_topc\na,basic,hello,greet\n", encoding="utf-8")
    checked = viva("conversations", "check", "s.csv")
    assert checked.exit_code == 2
    assert "Did you mean 'expect_topic'?" in plain(checked.stdout)
    ran = viva("conversations", "run", "s.csv", "--bot", GOOD)
    assert ran.exit_code == 2
    assert "no turn expects anything" in plain(ran.stderr)
    assert not heard()


def test_a_sheet_as_a_spreadsheet_program_saves_it_is_read_with_its_encoding(viva, folder, plain):
    text = "scenario;level;user;good_replies\na;basic;hello;Hello.\nb;basic;Zürich?;Grüezi\n"
    (folder / "s.csv").write_bytes(text.encode("cp1252"))
    for words in (("check", "s.csv"), ("run", "s.csv", "--bot", GOOD), ("add-typos", "s.csv", "t.csv")):
        refused = viva("conversations", *words)
        assert (refused.exit_code, "--encoding cp1252" in plain(refused.stderr)) == (2, True)
        assert viva("conversations", *words, "--encoding", "cp1252").exit_code == 0
    assert "Zürich?" in (folder / "t.csv").read_text(encoding="utf-8")


def test_a_run_says_which_files_of_a_folder_were_passed_over(viva, folder, plain):
    (folder / "tests").mkdir()
    (folder / "tests" / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (folder / "tests" / "prices.csv").write_text("name,price\nx,1\n", encoding="utf-8")
    words = ("conversations", "run", "tests", "--bot", GOOD)
    told = "Note: prices.csv skipped: it has no columns scenario and user"
    assert told in plain(viva(*words, "--json", "-").stderr)
    assert viva(*words, "--quiet").stderr == ""
    assert "prices.csv skipped" in plain(viva("conversations", "check", "tests").stdout)
