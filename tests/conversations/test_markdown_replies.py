"""Replies of language models: Markdown is no part of what is said; a number is the same however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.conversations.judging.matching import Matched, capture, match_reply
from vivavoce.conversations.judging.plain import as_digits, find_numbers, number_words, split_sentences, unmark
from vivavoce.conversations.scenario import Match, Pattern

TABLE = "| Plan | Refund |\n|:---|---:|\n| Basic | 14 days |\n| Plus | **30** days |\n\nAnything else?"


def match(text: str, reply: str, kind: Match | None = None) -> Matched:
    return match_reply(Pattern(text, kind), [reply], default=Match.CONTAINS, values={})


# Markdown


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("30 days", "**30** days"),
        ("refund within 30 days", "You get a **refund** within *30 days*."),
        ("see our terms", "see our [terms](https://example.org/terms_(new) 'Terms')"),
        ("see our terms", "see our [terms][1]\n\n[1]: https://example.org"),
        ("the map here", "the ![map](map.png) here"),
        ("both at once", "***both*** at __once__"),
        ("new price", "~~old~~ _new_ price"),
        ("run viva demo now", "run `viva demo` now"),
        ("open settings click refund", "1. Open settings\n2. Click **Refund**"),
        ("keep it send it", "- Keep it\n* Send it"),
        ("refunds you have time", "## Refunds ##\n\nYou have time"),
        ("quoted text goes on", "> quoted text\n> goes on"),
        ("plus 30 days", TABLE),
        ("您的航班已预订", "您的**航班**已预订"),
        ("two URLs", "two **URL**s"),
        ("before after", "before\n\n---\n\nafter"),
        ("x = a*b*c end", "```python\nx = a*b*c\n```\nend"),
        ("5 * 3", r"5 \* 3"),
    ],
)
def test_what_markdown_dresses_up_is_found(text: str, reply: str) -> None:
    assert match(text, reply, Match.CONTAINS).passed


def test_every_kind_reads_a_reply_without_its_markdown() -> None:
    assert match("30 days", "**30** days", Match.EXACT).passed
    assert match("ee our term", "see our [terms](https://x/y)", Match.SUBSTRING).passed
    assert match("in * 30 days", "in **about** *30* days").passed
    assert match("^in 30 days$", "in **30** days", Match.REGEX).passed
    assert match("You get a refund in 30 days", "You **get** a *refund* in `30` days", Match.FUZZY).passed
    assert capture(Pattern(r"code (\S+)", Match.REGEX), ["Your code **AB12**"]) == "AB12"


def test_markdown_can_still_be_expected_as_it_is_written() -> None:
    assert match("**30** days", "**30** days", Match.EXACT).passed
    assert match("[terms](https://x/y)", "see our [terms](https://x/y)").passed
    assert match(r"\*\*30\*\*", "**30** days", Match.REGEX).passed


@pytest.mark.parametrize(
    "text",
    [
        "snake_case and a_b_c",
        "2*3*4 = 24",
        "2**3**4",
        "5 * 3 * 2",
        "https://example.org/_a_/b_c_d?e=*f*",
        "f(**kwargs, **options)",
        "array[0](x)",
        "sources [1] and [2]",
        "this | that",
        "30. Juni",
        "#1 choice",
        "the file <name> of {user}",
    ],
)
def test_what_only_looks_like_markdown_stays(text: str) -> None:
    assert unmark(text) == text


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("snakecase", "use snake_case"),
        ("234", "2*3*4"),
        ("30 days", "**14** days"),
        ("you can cancel", "you can **not** cancel"),
        ("1200", "| a | b |\n|---|---|\n| 1 | 200 |"),
        ("ab_c", "https://example.org/_a_b_c"),
    ],
)
def test_taking_off_markdown_makes_no_wrong_reply_right(text: str, reply: str) -> None:
    assert not match(text, reply).passed


def test_the_star_of_a_wildcard_is_no_markdown() -> None:
    assert match("*30* days", "about 30 working days").passed
    assert not match("*30* days", "30 days and more").passed


@given(st.text(alphabet="ab *_`~[]()#>|-\\\n1.", max_size=60))
def test_any_mix_of_marks_can_be_read_and_loses_no_letter(text: str) -> None:
    kept = sorted(sign for sign in unmark(text) if sign in "ab")
    assert set(kept) <= set(text)
    if "[" not in text and "```" not in text and "~~~" not in text:
        assert kept == sorted(sign for sign in text if sign in "ab")


def test_sentences_end_at_lines_and_full_stops_but_not_at_dates_and_short_forms() -> None:
    text = "Hi! It ends on 30. Juni, e.g. at Dr. Who's. Next one.\n- first item\n- second item<br>a line"
    expected = ["Hi!", "It ends on 30. Juni, e.g. at Dr. Who's.", "Next one.", "first item", "second item", "a line"]
    assert split_sentences(text) == expected


# Numbers


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("1200 EUR", "1,200 EUR"),
        ("1,200 EUR", "You pay 1200 EUR"),
        ("1200 EUR", "Das kostet Sie 1.200 EUR"),
        ("1200 euros", "Cela vous coûte 1 200 euros"),
        ("1200,50 EUR", "Das kostet Sie 1.200,50 EUR"),
        ("1200", "It is **1,200** for you"),
        ("30 days", "You have thirty days"),
        ("thirty days", "You have 30 days"),
        ("25-day trial", "a twenty-five-day trial"),
        ("between 30 and 40 days", "between thirty and forty days"),
        ("30 Tage", "Sie haben dreißig Tage Zeit"),
        ("21 Tage", "Das sind einundzwanzig Tage"),
        ("75 jours", "Vous avez soixante-quinze jours"),
        ("21 jours", "Vous avez vingt et un jours"),
        ("99 euros", "Cela fait quatre-vingt-dix-neuf euros pour vous"),
        ("35 días", "Usted tiene treinta y cinco días para devolverlo"),
        ("2 días", "Tarda dos días en llegar con el correo"),
        ("100 seats", "There are one hundred seats"),
    ],
)
def test_a_number_is_the_same_however_it_is_written(text: str, reply: str) -> None:
    assert match(text, reply).passed


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("12", "1,2"),
        ("1,2", "12"),
        ("1200", "1,2"),
        ("1200 kg", "This is 1.200 kg of it"),
        ("1200 kg", "Das sind 1,200 kg"),
        ("200", "1,200"),
        ("1200", "0,1200"),
        ("30 days", "fourteen days"),
        ("100 days", "two hundred days"),
        ("5", "two point five"),
        ("20", "on the twenty-first"),
        ("3 Uhr", "Es ist halb drei Uhr"),
        ("1200 EUR", "Sie haben Zimmer 1\n200 EUR sind zu zahlen"),
        ("1200", "Sie haben<ul><li>1</li><li>200</li></ul>"),
        ("1200", "| Sie haben | b |\n|---|---|\n| **1** | **200** |"),
        ("1", "no one knows"),
        ("11", "once you are there"),
        ("7", "until Sept you are free"),
        ("9", "Vous avez un vélo neuf"),
    ],
)
def test_other_numbers_and_words_that_are_no_numbers_do_not_match(text: str, reply: str) -> None:
    assert not match(text, reply).passed


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_all_numbers_from_2_to_100_have_a_word(language: str) -> None:
    known = set(number_words(language).values())
    assert known >= set(range(2, 101)) - ({9} if language == "fr" else set())
    assert all(as_digits(words, language) == str(number) for words, number in number_words(language).items())


def test_a_large_number_in_words_is_one_number_for_the_guards() -> None:
    assert list(find_numbers("two hundred seats and thirty more", "en")) == ["30", "two hundred"]
