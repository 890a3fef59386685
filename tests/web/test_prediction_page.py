"""The answers of a platform, brought as a file, are judged on a page."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow

PAGE = "/p/jobs/engines/predictions"
ROWS = ["text,intent,guess,confidence"]
ROWS += [f"what is the salary of job {n},salary,{'salary' if n % 4 else 'holiday'},0.9" for n in range(40)]
ROWS += [f"how many holidays has month {n},holiday,holiday,0.8" for n in range(40)]
ROWS += [f"do you like animal {n},oos,,0" for n in range(20)]


def send(client: Any, content: str, **fields: str) -> Any:
    return client.post(PAGE, data=fields, files={"file": ("dialogflow.csv", content.encode(), "text/csv")})


def test_a_reader_sees_how_good_the_answers_are(reader: Any) -> None:
    answer = send(reader, "\n".join(ROWS), threshold="0.5")
    assert answer.status_code == 200
    # 70 of 80 questions about topics are right; 80 of 100 are answered; all 20 others are declined.
    assert "Of 100 messages like these, the bot would answer 80" in answer.text
    assert "dialogflow: 100 messages, 20 of them out of scope, threshold 0.5." in answer.text
    assert answer.text.index("salary") < answer.text.index(">holiday"), "the weakest topic first"


def test_the_threshold_is_the_one_that_was_typed(reader: Any) -> None:
    assert (
        "its confidence never reaches the threshold of 0.95" in send(reader, "\n".join(ROWS), threshold="0.95").text
    )


def test_faults_of_the_file_are_named_as_its_sender_names_it_and_what_was_typed_stays(reader: Any) -> None:
    answer = send(reader, "text,intent,guess,confidence\na b,x,x,high\n", name="Our Lex", threshold="0.4")
    assert answer.status_code == 400
    for part in ("dialogflow.csv", "row 2", "high", 'value="Our Lex"', 'value="0.4"'):
        assert part in answer.text
    assert "viva-" not in answer.text.partition("<form")[0]


def test_a_form_without_a_file_says_so(reader: Any) -> None:
    answer = reader.post(PAGE, data={"threshold": "0.5"}, files={"other": ("x", b"")})
    assert answer.status_code == 400
    assert "no file selected" in answer.text.lower()
