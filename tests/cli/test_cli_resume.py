"""Work that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

RETRIES = 12
COMMAND = (
    *("intents", "examine", "faq.csv", "-c", "python:fakes:Bot", "--setting", "0,0"),
    *("--retries", str(RETRIES), "--record", "exam.record", "--json", "-"),
)
PATIENCE = 120


def finished(record: Path) -> int:
    """Return how many retries a record holds at this moment."""
    if not record.exists():
        return 0
    with closing(sqlite3.connect(record, timeout=30)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM unit").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def started(folder: Path) -> subprocess.Popen[bytes]:
    """Start a slow exam and return once it has finished some retries."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vivavoce.cli", *COMMAND],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "FAKE_SECONDS": "0.3"},
        # Whoever runs the tests in the background may ignore Ctrl-C; the exam must not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    end = time.monotonic() + PATIENCE
    while finished(folder / "exam.record") < 2 and time.monotonic() < end:
        assert process.poll() is None, process.stderr.read().decode() if process.stderr else ""
        time.sleep(0.05)
    return process


def numbers(text: str) -> dict[str, object]:
    """Return a result without what differs from run to run."""
    content = json.loads(text)
    for setting in content["settings"]:
        setting.pop("timing")
    return dict(content)


def fits(folder: Path) -> int:
    return len((folder / "fits.log").read_text(encoding="utf-8").splitlines())


def test_a_killed_exam_repeats_only_what_was_not_finished(viva, folder):
    process = started(folder)
    process.kill()
    process.communicate()
    kept = finished(folder / "exam.record")
    assert 2 <= kept < RETRIES
    (folder / "fits.log").unlink()
    resumed = viva(*COMMAND)
    assert resumed.exit_code == 0
    # Three further trainings measure what near-duplicates would add, where there are any.
    units = finished(folder / "exam.record")
    assert fits(folder) == units - kept
    (folder / "exam.record").unlink()
    assert numbers(viva(*COMMAND).stdout) == numbers(resumed.stdout)


def test_ctrl_c_ends_with_130_and_says_where_the_work_is_kept(folder):
    process = started(folder)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    words = stderr.decode()
    assert process.returncode == 130
    assert "finished work is saved in exam.record" in words
    assert "Traceback" not in words
    assert stdout == b""


@pytest.mark.parametrize(("record", "said"), [(("--record", "x.record"), "x.record"), ((), "--record FILE")])
def test_whoever_stops_an_exam_is_told_how_to_go_on(viva, plain, record, said):
    result = viva("intents", "examine", "faq.csv", "-c", "python:fakes:Stopping", "--setting", "0,0", *record)
    assert result.exit_code == 130
    assert said in plain(result.stderr)


def test_a_record_of_another_exam_is_refused(viva, plain):
    first = ("intents", "examine", "faq.csv", "-c", "tfidf", "--retries", "2", "--setting", "0,0", "--record", "r")
    assert viva(*first, "--seed", "1").exit_code == 0
    other = viva(*first, "--seed", "2")
    assert other.exit_code == 2
    assert "a different exam" in plain(other.stderr)
