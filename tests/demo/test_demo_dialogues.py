"""The shipped talks: invented, said to be so, varied, and of use for showing how raters work."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import pytest
from rapidfuzz import fuzz

from vivavoce.demo import dialogues_path, shipped_dialogues
from vivavoce.errors import UsageError

Talk = dict[str, Any]
BOTS = {"Iris", "Otto", "Basil"}
# In percent. Any two English texts of this length share letters and small words enough for about 50.
ALIKE = 65


@cache
def talks() -> tuple[Talk, ...]:
    lines = dialogues_path().read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def said(talk: Talk, *, by_bot: bool) -> list[str]:
    return [turn["text"] for turn in talk["turns"] if turn["is_bot"] is by_bot]


def sentences(talk: Talk) -> set[str]:
    parts = (part for text in said(talk, by_bot=False) for part in re.split(r"[.!?]+", text))
    return {" ".join(re.findall(r"\w+", part.casefold())) for part in parts}


def marks(talk: Talk) -> list[float]:
    return [rating["quality"] for rating in talk["ratings"]]


def mean_mark(bot: str) -> float:
    own = [marks(talk)[0] for talk in talks() if talk["bot"] == bot]
    return sum(own) / len(own)


# --- shipping ----------------------------------------------------------------------------------------------------


def test_the_talks_ship_inside_the_package() -> None:
    folder = files("vivavoce.demo") / "dialogues"
    assert {"talks.jsonl", "README.md"} <= {entry.name for entry in folder.iterdir()}
    assert shipped_dialogues() == ("talks",)
    assert (folder / "talks.jsonl").read_bytes() == dialogues_path("talks").read_bytes()


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"unknown bundled dialogue file 'talk'.*talks"):
        dialogues_path("talk")


def test_the_readme_says_that_everything_is_invented() -> None:
    text = (dialogues_path().parent / "README.md").read_text(encoding="utf-8")
    assert "All of it is invented" in text
    assert "demonstration only" in text
    assert "no research value" in text
    assert {talk["source"] for talk in talks()} == {"invented for this demonstration"}


# --- form --------------------------------------------------------------------------------------------------------


def test_there_are_forty_talks_with_names_of_their_own() -> None:
    assert len(talks()) == 40
    assert len({talk["id"] for talk in talks()}) == 40


def test_every_message_has_text_and_a_known_speaker() -> None:
    for talk in talks():
        for turn in talk["turns"]:
            assert turn["text"].strip() == turn["text"] != ""
            assert turn["speaker"] == (talk["bot"] if turn["is_bot"] else talk["user"]), talk["id"]


def test_both_sides_speak_at_least_twice() -> None:
    for talk in talks():
        assert min(len(said(talk, by_bot=side)) for side in (True, False)) >= 2, talk["id"]


def test_each_of_the_three_bots_has_about_a_third() -> None:
    counts = Counter(talk["bot"] for talk in talks())
    assert set(counts) == BOTS
    assert min(counts.values()) >= 13


def test_most_talks_are_of_middle_length_and_some_are_short_or_long() -> None:
    lengths = [len(talk["turns"]) for talk in talks()]
    assert sum(8 <= length <= 16 for length in lengths) >= 30
    assert sum(length <= 6 for length in lengths) >= 3
    assert sum(length >= 20 for length in lengths) >= 3


# --- marks and checks --------------------------------------------------------------------------------------------


def test_marks_lie_on_the_scale_and_use_all_of_it() -> None:
    assert {mark for talk in talks() for mark in marks(talk)} == {1, 2, 3, 4, 5}


def test_the_person_marks_every_talk_and_a_reader_marks_some_within_a_point() -> None:
    seconds = [talk for talk in talks() if len(talk["ratings"]) == 2]
    assert [talk["ratings"][0]["rater"] for talk in talks()] == [talk["user"] for talk in talks()]
    assert {talk["ratings"][1]["rater"] for talk in seconds} == {"reader-1"}
    assert len(seconds) == 15
    assert {abs(marks(talk)[0] - marks(talk)[1]) for talk in seconds} == {0, 1}


def test_the_bots_differ_and_each_has_good_and_bad_talks() -> None:
    assert mean_mark("Iris") > mean_mark("Otto") > mean_mark("Basil")
    for bot in BOTS:
        own = [marks(talk)[0] for talk in talks() if talk["bot"] == bot]
        assert min(own) == 1, bot
        assert max(own) == 5, bot


def test_a_check_and_a_mark_do_not_always_agree() -> None:
    checked = [(talk["passed"], marks(talk)[0]) for talk in talks() if "passed" in talk]
    assert len(checked) == 24
    assert any(passed is True and mark <= 2 for passed, mark in checked)
    assert any(passed is False and mark >= 4 for passed, mark in checked)


# --- variety -----------------------------------------------------------------------------------------------------


def test_no_two_talks_share_a_longer_sentence_of_the_person() -> None:
    for one, other in combinations(talks(), 2):
        shared = {sentence for sentence in sentences(one) & sentences(other) if len(sentence.split()) > 5}
        assert not shared, (one["id"], other["id"])


@pytest.mark.parametrize("by_bot", [False, True])
def test_no_two_talks_follow_one_template(by_bot: bool) -> None:
    texts = {talk["id"]: " ".join(said(talk, by_bot=by_bot)) for talk in talks()}
    for one, other in combinations(texts, 2):
        assert fuzz.token_sort_ratio(texts[one], texts[other]) < ALIKE, (one, other)


def test_no_two_talks_begin_with_the_same_message() -> None:
    starts = [talk["turns"][0]["text"].casefold() for talk in talks()]
    assert len(set(starts)) == len(starts)


def test_the_bound_on_likeness_catches_a_talk_with_other_names() -> None:
    text = " ".join(said(talks()[0], by_bot=True))
    names = {"Iris": "Otto", "Tornby": "Quellhof", "August": "May", "28th": "3rd", "four": "nine"}
    other = re.sub("|".join(names), lambda found: names[found[0]], text)
    assert other != text
    assert fuzz.token_sort_ratio(text, other) > ALIKE


def test_the_weaker_the_bot_the_more_it_repeats_itself() -> None:
    repeats = Counter[str]()
    for talk in talks():
        spoken = re.split(r"(?<=[.!?])\s+", " ".join(said(talk, by_bot=True)))
        repeats[talk["bot"]] += len(spoken) - len(set(spoken))
    assert repeats["Basil"] >= 10
    assert repeats["Basil"] > repeats["Otto"] > repeats["Iris"]
