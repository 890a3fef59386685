"""What a judge wrote is read, or refused; never guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dialogues.raters.answers import MAX_WHY, Verdict, read_verdict

JSON = '{"quality": 4, "turns": [3, 7], "why": "It answered."}'
FULL = Verdict(4.0, (3, 7), "It answered.")


@given(st.floats(1, 5), st.lists(st.integers(1, 99), unique=True), st.text(st.characters(categories=["L"])))
def test_the_form_that_was_asked_for_is_read_as_it_is(mark: float, turns: list[int], why: str) -> None:
    written = json.dumps({"quality": mark, "turns": turns, "why": why})
    assert read_verdict(written) == Verdict(mark, tuple(turns), why[: MAX_WHY - 3] + "..." if len(why) > 500 else why)


@pytest.mark.parametrize(
    "content",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```",
        f"Here is my mark:\n{JSON}\nI hope this helps.",
        f"<think>Maybe a 2? {{'quality': 2}}</think>\n{JSON}",
        f'First I thought {{"quality": 2}}, but: {JSON}',
        f'{{"result": {JSON}}}',
        JSON.replace("quality", "Quality"),
        JSON.replace("[3, 7]", '["3", {"turn": 7}, 3, "seven", -1, true]'),
    ],
)
def test_an_object_is_found_wherever_it_stands(content: str) -> None:
    assert read_verdict(content) == FULL


@pytest.mark.parametrize(
    "content",
    [
        "4",
        " 4.0 ",
        "4.",
        "**4**",
        '"4"',
        "4,0",
        "4/5",
        "4 / 5",
        "4 out of 5",
        "Rating: 4",
        "rating = 4",
        "**Rating:** 4",
        "Quality: **4**",
        "The quality is 4.",
        "Rating: 4/5\n\nThe bot answered both questions.",
        "Score - 4",
        "I would say 4/5, so 4 out of 5.",
        '{"quality": "4/5"}',
        '{"rating": "4"}',
        '{"score": 4.0}',
        '{"quality": 4, "turns": [], "why": "The bot was cut o',
        "{'quality': 4}",
        "Score: 4/5",
        "maybe 4 out of 5",
        "Rating: 4. The bot answered 2 or 3 questions and failed in turn 5.",
        "In turns 2 and 3 the bot repeats itself, otherwise it is fine. 4/5",
        "It answers 3 of 4 questions, so I give 4/5.",
        "Rating: 4 - the bot needed 2 attempts.",
        "4/5 (that is, 4 out of 5)",
    ],
)
def test_a_lone_mark_is_read(content: str) -> None:
    assert read_verdict(content) == Verdict(4.0)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "I cannot rate this.",
        "0",
        "6",
        "-4",
        "8/10",
        "Rating: 8/10",
        "Rating: 10/10",
        "Rating: 4/10",
        "Rating: 4.5/10",
        "Rating: 4 out of 10",
        "Rating: 4-5",
        "Rating: 4 to 5",
        "Rating: -4",
        "Rating: 40%",
        "either 3/5 or 4/5",
        "Rating: 2 for help, rating: 5 for style",
        '{"quality": 7}',
        '{"quality": null}',
        '{"quality": true}',
        '{"quality": NaN}',
        '{"quality": [4]}',
        '{"quality": 1e999}',
        '{"quality": ' + "9" * 400 + "}",
        '{"mood": "fine"}',
        "In 2017 I had 4 turns",
        "maybe 4 or 3 out of 5",
        "3 or maybe 4 out of 5",
        "three or 4 out of 5",
        "4/5 or 3/5",
        "between 3 and 4",
        "between 3 and 4 out of 5",
        "Between 3/5 and 4/5",
        "3-4",
        "3-4/5",
        "3–4/5",
        "3 to 4 out of 5",
        "3 bis 4 von 5",
        "4, no, 3",
        "Rating: 4, no, 3",
        "Rating: 4. No, 3.",
        "Rating: 4 or 3",
        "Rating: 4, maybe 3",
        "Rating: 4 (or 3)",
        "Rating: 4... actually, make that a 3",
        "Score: 4/5, but it could be 5",
        "Rating: 3, 4",
        "Rating: 4. I would say 3/5.",
        "at least 4 out of 5",
        "I would not give it 4/5",
        "less than 4/5",
        '{"quality": "4 or 3 out of 5"}',
        '{"quality": "3-4"}',
        '{"quality": 4} Actually no: 3/5.',
        "{" * 5_000,
        '{"a":' * 5_000,
    ],
)
def test_what_holds_no_single_mark_is_not_read(content: str) -> None:
    assert read_verdict(content) is None


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_is_read_or_refused(content: str) -> None:
    verdict = read_verdict(content)
    assert verdict is None or 1 <= verdict.quality <= 5


def test_the_reason_is_one_short_line_that_steers_no_terminal() -> None:
    verdict = read_verdict(json.dumps({"quality": 3, "why": "bad\x1b[31m\nword \u202e" + "x" * 1000}))
    assert verdict is not None
    assert len(verdict.why) == MAX_WHY
    assert verdict.why.isprintable()
