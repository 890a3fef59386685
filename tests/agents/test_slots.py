"""Values of slots in messages."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from agent_text import FERRY
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.agents import parse_agent
from vivavoce.agents.dates import day_in_words, find_days, find_times, resolve_day, within_time
from vivavoce.agents.slots import SlotFinder, Wanted, give_values

AGENT = parse_agent(FERRY)
FORGIVING = SlotFinder(AGENT)
STRICT = SlotFinder(AGENT, forgiving=False)
BOOK = AGENT.by_intent["book"]
TODAY = date(2019, 10, 9)


def values(
    text: str, *, asked: str | None = None, known: dict[str, str] | None = None, strict: bool = False
) -> dict[str, str]:
    message = (STRICT if strict else FORGIVING).find(text)
    return dict(give_values(message, Wanted(asked, BOOK.needs, BOOK.takes, known or {})).values)


# Lists


@pytest.mark.parametrize(
    "text",
    [
        "from Northholm to Eastwick",
        "Northholm to Eastwick",
        "Eastwick from Northholm",
        "to eastwick, leaving NORTHHOLM",
        "Northholm, Eastwick",
        "from the north holm harbour to Eastwick",
    ],
)
def test_two_slots_of_the_same_values_are_told_apart(text: str) -> None:
    assert values(text) == {"origin": "Northholm", "destination": "Eastwick"}


def test_a_value_without_a_cue_goes_to_what_was_asked_for_then_to_what_is_needed() -> None:
    assert values("Eastwick", asked="destination") == {"destination": "Eastwick"}
    assert values("Eastwick") == {"origin": "Eastwick"}
    assert values("Eastwick", known={"origin": "Northholm"}) == {"destination": "Eastwick"}


def test_a_correction_replaces_what_was_said_last() -> None:
    known = {"origin": "Northholm", "destination": "Eastwick"}
    assert values("actually Southend", known=known) == {"destination": "Southend"}
    assert values("no, from Southend", known=known) == {"origin": "Southend"}


def test_the_last_of_two_values_counts_where_the_first_is_taken_back() -> None:
    assert values("to Eastwick, sorry, to Southend")["destination"] == "Southend"
    assert values("not Eastwick but Southend", asked="destination") == {"destination": "Southend"}


def test_the_longest_words_win_and_whole_words_only() -> None:
    assert values("on the sun deck") == {"deck": "sun deck"}
    assert values("eastwicks") != values("preeastwickish")
    assert values("preeastwickish") == {}


@pytest.mark.parametrize("typed", ["Northolm", "nrothholm", "Northhlom", "norhtholm", "Nortrholm"])
def test_a_misspelt_value_is_found_by_forgiving_engines_only(typed: str) -> None:
    assert values(f"from {typed}") == {"origin": "Northholm"}
    assert values(f"from {typed}", strict=True) == {}


@pytest.mark.parametrize("word", ["weekend", "southern", "inside", "something", "east", "north", "sounded"])
def test_ordinary_words_are_not_taken_for_misspelt_values(word: str) -> None:
    assert not {"origin", "destination"} & set(values(f"from {word}"))


@given(st.text(max_size=80))
def test_any_text_can_be_searched(text: str) -> None:
    message = FORGIVING.find(text)
    assert all(0 <= m.start < m.end <= len(message.text) for m in message.mentions)
    ordered = sorted(message.mentions, key=lambda mention: mention.start)
    assert all(a.end <= b.start for a, b in pairwise(ordered))


# Numbers


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("3 people", "3"),
        ("for two", "2"),
        ("there are four of us", "4"),
        ("a couple of people", "2"),
        ("for 2 at 9pm on 5 May", "2"),
        ("for 3 days", None),
        ("on 5 May", None),
        ("at 5", None),
        ("line 4711", None),
        ("flight A4", None),
        ("7 people", None),
    ],
)
def test_a_number_counts_only_what_its_slot_counts(text: str, people: str | None) -> None:
    assert values(text).get("people") == people


def test_a_bare_number_answers_the_question_for_it() -> None:
    assert values("5", asked="people") == {"people": "5"}
    assert values("I think three", asked="people") == {"people": "3"}
    assert values("make it 3", known={"people": "2"}) == {"people": "3"}


def test_a_number_beyond_the_range_is_told_apart() -> None:
    taken = give_values(FORGIVING.find("for 9 people"), Wanted(takes=BOOK.takes))
    assert taken.outside == ("people",)
    assert not taken.values


@pytest.mark.parametrize("text", ["under 95 crowns", "95 crowns at most", "$95"])
def test_money_is_a_number_with_a_unit(text: str) -> None:
    assert values(text) == {"budget": "95"}


# Dates


@pytest.mark.parametrize(
    "text",
    [
        "12 October",
        "12 oct 2019",
        "October 12th",
        "oct. 12",
        "on Saturday, 12 October 2019",
        "saturday the 12th",
        "the 12th of October",
        "2019-10-12",
        "12/10",
        "10/12",
        "12/10/2019",
        "the 12th",
        "the twelfth",
        "twelfth of october",
        "on Saturday",
        "next sat",
        "in three days",
    ],
)
def test_a_day_is_found_however_it_is_written(text: str) -> None:
    mentions = list(find_days(text.lower(), "en"))
    assert [resolve_day(m, TODAY, date(2019, 10, 10), date(2019, 10, 17)) for m in mentions] == [date(2019, 10, 12)]


def test_the_ways_to_write_a_day_are_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    list(find_days("tomorrow", "en"))
    monkeypatch.setattr("vivavoce.agents.dates.language_of", lambda code: pytest.fail("built for each message"))
    assert len(list(find_days("tomorrow or on saturday", "en"))) == 2


@pytest.mark.parametrize(("text", "days"), [("today", 0), ("tomorrow", 1), ("the day after tomorrow", 2)])
def test_days_are_counted_from_today(text: str, days: int) -> None:
    assert [resolve_day(m, TODAY, None, None) for m in find_days(text, "en")] == [TODAY + timedelta(days=days)]


@pytest.mark.parametrize(
    "text",
    ["the first one", "38.5 degrees", "24/7", "may I come", "I sat in the sun", "32 October", "a second"],
)
def test_what_only_looks_like_a_day_is_none(text: str) -> None:
    days = [resolve_day(mention, TODAY, TODAY, TODAY + timedelta(days=9)) for mention in find_days(text, "en")]
    assert not [day for day in days if day and day.day in (1, 2, 38, 32)]


@pytest.mark.parametrize("text", ["12. oktober", "am 12.10.", "12.10.2019", "am samstag", "den zwölften oktober"])
def test_german_days_are_found(text: str) -> None:
    found = [resolve_day(m, TODAY, date(2019, 10, 10), date(2019, 10, 17)) for m in find_days(text, "de")]
    assert found == [date(2019, 10, 12)]


@given(st.dates(date(2019, 10, 10), date(2020, 9, 1)))
def test_a_day_written_in_words_is_read_back(day: date) -> None:
    for code in ("en", "de"):
        (mention,) = find_days(day_in_words(day, code).lower(), code)
        assert resolve_day(mention, TODAY, None, None) == day


def test_a_day_outside_the_range_is_told_apart() -> None:
    taken = give_values(FORGIVING.find("on 20 May"), Wanted(needs=BOOK.needs))
    assert taken.outside == ("day",)


def test_a_misspelt_month_or_weekday_is_forgiven() -> None:
    assert values("on 3 Mya") == {}
    assert values("tomorow") == {"day": "2024-05-02"}
    assert values("on wendesday") == {"day": "2024-05-08"}
    assert values("on wendesday", strict=True) == {}


# Times


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("9pm", "21:00"),
        ("at 9:30 am", "09:30"),
        ("21:00", "21:00"),
        ("12 am", "00:00"),
        ("12.15 p.m.", "12:15"),
        ("half past nine", "09:30"),
        ("quarter to ten", "09:45"),
        ("nine o'clock", "09:00"),
        ("at noon", "12:00"),
        ("tomorrow evening", "evening"),
        ("at 7", "07:00"),
    ],
)
def test_a_time_is_found_however_it_is_written(text: str, time: str) -> None:
    assert [mention.value for mention in find_times(text, "en")] == [time]


@pytest.mark.parametrize("text", ["good morning", "25:00", "at 7 dollars", "38.5", "13 pm", "at 5/6"])
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert not list(find_times(text, "en"))


def test_german_times_are_found() -> None:
    assert [m.value for m in find_times("um 9 uhr oder 21.30 uhr, lieber abends", "de")] == [
        "21:30",
        "09:00",
        "abends",
    ]


def test_a_time_of_a_table_lies_in_a_part_of_the_day() -> None:
    assert within_time("19:30", "evening", "en")
    assert not within_time("08:00", "evening", "en")
    assert within_time("08:00", "08:00", "en")


# The rest of the message


@pytest.mark.parametrize("text", ["Eastwick", "to Eastwick please", "no, I meant the 5th", "what about Southend?"])
def test_a_message_of_values_and_small_words_is_bare(text: str) -> None:
    assert FORGIVING.find(text).bare


@pytest.mark.parametrize("text", ["what is the weather in Eastwick", "can I bring a suitcase to Southend"])
def test_a_message_with_a_matter_of_its_own_is_not_bare(text: str) -> None:
    assert not FORGIVING.find(text).bare


@pytest.mark.parametrize("text", ["I'll have that one", "the cheapest one please", "is there a later one?"])
def test_one_that_points_at_something_counts_nothing(text: str) -> None:
    assert values(text, asked="people") == {}
    assert values("one", asked="people") == {"people": "1"}
