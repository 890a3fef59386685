"""Matching replies: each kind of match, placeholders, and guards over near matches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.conversations.judging import likeness
from vivavoce.conversations.judging.gaps import TYPED
from vivavoce.conversations.judging.likeness import count_negations, find_difference
from vivavoce.conversations.judging.matching import TOO_SLOW, Matched, capture, check_pattern, kind_of, match_reply
from vivavoce.conversations.judging.plain import plain, tidy
from vivavoce.conversations.scenario import Match, Pattern

PAGE = Path(__file__).resolve().parents[2] / "docs" / "matching.md"
LITERAL = (Match.EXACT, Match.CONTAINS, Match.SUBSTRING, Match.WILDCARD)


class WordsEncoder:
    """Vectors of the words that a text holds: the same words in any order are the same vector."""

    name = "words-of-a-test"
    dimension = 64

    def encode(self, texts: Sequence[str], progress: object = None) -> np.ndarray:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row[sum(map(ord, word)) % self.dimension] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_HOME", str(tmp_path))


def match(
    kind: Match | str | None,
    text: str,
    *reply: str,
    values: Mapping[str, str] | None = None,
    minimum: float | None = None,
    names: Sequence[str] = (),
) -> Matched:
    pattern = Pattern(text, None if kind is None else Match(kind), minimum)
    return match_reply(
        pattern, reply, default=Match.CONTAINS, values=values or {}, encoder=WordsEncoder(), names=names
    )


def documented() -> list[tuple[str, ...]]:
    section = PAGE.read_text(encoding="utf-8").split("<!-- begin: matches -->")[1].split("<!-- end: matches -->")[0]
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \| `(.+?)` \| (\w+) \|$", section, re.MULTILINE)
    return [tuple(cell.replace("\\|", "|") for cell in row) for row in rows]


@pytest.mark.parametrize(("kind", "text", "reply", "fits"), documented())
def test_the_examples_of_the_documentation_hold(kind: str, text: str, reply: str, fits: str) -> None:
    found = match(kind, text, reply)
    assert ("yes" if found.passed else "look" if found.needs_look else "no") == fits
    assert found.kind == kind
    assert found.why


def test_every_kind_is_documented_and_has_an_example() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{kind}`" in page for kind in Match)
    # The meaning that vectors see depends on the weights; it is tested with words of our own below.
    assert {row[0] for row in documented()} == {*Match} - {Match.SIMILAR}
    assert len(documented()) == 32


# Literal texts


@given(st.text(alphabet="aB üß.*({9", min_size=1, max_size=12).filter(str.strip), st.sampled_from(LITERAL))
def test_a_text_fits_itself_in_any_case(text: str, kind: Match) -> None:
    assert match(kind, text, text).passed
    assert match(kind, text, text.upper()).passed


@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from([*LITERAL, Match.REGEX, Match.FUZZY]))
def test_matching_never_fails_and_gives_the_same_twice(text: str, reply: str, kind: Match) -> None:
    assert match(kind, text, reply) == match(kind, text, reply)


@given(
    st.lists(st.sampled_from(["ok", "book", "no", "token"]), min_size=1, max_size=5), st.sampled_from(["ok", "no"])
)
def test_contains_means_whole_words(words: list[str], word: str) -> None:
    assert match("contains", word, " ".join(words)).passed == (word in words)


@pytest.mark.parametrize(
    ("text", "reply", "passed"),
    [
        ("(yes)", "well (yes).", True),
        ("?!", "what?!", True),
        ("größe", "Die GRÖSSE passt", True),
        ("größe", "Übergröße", False),
        ("größe", "größer", False),
        ("ok", "请说ok吗", True),
        ("서울", "서울에서 출발", True),
        ("geht", "wie geht's?", True),
        ("200", "1,200", False),
        ("200", "200, please", True),
        ("9", "at 9.", True),
        ("<name>", "Hello <name>", True),
        ("<name>", "Hello", False),
        ("a b", "a<br/>b", True),
        ("9pm", "<b>9</b>pm", True),
        ("50 %", "50\u00a0%", True),
        ("fish & chips", "Fish &amp; Chips", True),
    ],
)
def test_whole_words_with_signs_umlauts_and_other_scripts(text: str, reply: str, passed: bool) -> None:
    assert match("contains", text, reply).passed is passed


def test_any_bubble_or_all_of_them_together_may_fit() -> None:
    assert match("exact", "Which date?", "Sure.", "Which date?").passed
    assert match("contains", "sure. which", "Sure.", "Which date?").passed
    assert match("wildcard", "sure*date?", "Sure.", "Which date?").passed
    assert not match("exact", "Which date?", "Sure. Which date?").passed


def test_a_star_makes_a_wildcard_unless_another_kind_is_named() -> None:
    assert kind_of(Pattern("a*"), Match.EXACT) is Match.WILDCARD
    assert kind_of(Pattern("a*", Match.CONTAINS), Match.EXACT) is Match.CONTAINS
    assert kind_of(Pattern("a*"), Match.REGEX) is Match.REGEX
    assert kind_of(Pattern("a"), Match.EXACT) is Match.EXACT
    assert match(None, "a*", "a b").kind == "wildcard"


def test_a_short_substring_that_is_found_is_remarked_on() -> None:
    assert "part of another word" in match("substring", "ok", "book").why
    assert "part of another word" not in match("substring", "book", "booking").why


def test_an_empty_reply_or_text_never_fits() -> None:
    assert not match("wildcard", "*").passed
    assert not match("wildcard", "*", " ").passed
    assert not match("contains", " ", "hello").passed
    assert not match("contains", "<b></b>", "hello").passed


# Regular expressions


def test_an_expression_that_runs_out_of_time_does_not_fit_and_says_so() -> None:
    found = match("regex", "(a|aa)+$", "a" * 60 + "!")
    assert not found.passed
    assert found.why == TOO_SLOW


def test_an_expression_sees_the_tidy_text_and_the_text_as_it_came() -> None:
    assert match("regex", "it's", "It’s").passed
    assert match("regex", "It’s", "It’s").passed
    assert match("regex", "^b$", "<i>b</i>").passed
    assert match("regex", r"\p{Lu}x{2}", "Axx").passed


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        (Pattern("(a", Match.REGEX), "is invalid"),
        (Pattern("  "), "empty"),
        (Pattern("<br>"), "tags"),
        (Pattern("a", Match.FUZZY, 1.5), "at most 1"),
        (Pattern("a", Match.EXACT, 0.5), "does not apply"),
    ],
)
def test_a_wrong_pattern_is_found_before_it_is_used(pattern: Pattern, fault: str) -> None:
    assert fault in (check_pattern(pattern) or "")


@pytest.mark.parametrize(
    "pattern", [Pattern("AUD {number}", Match.REGEX), Pattern("a"), Pattern("*"), Pattern("a", Match.SIMILAR, 0.8)]
)
def test_a_right_pattern_has_no_fault(pattern: Pattern) -> None:
    assert check_pattern(pattern) is None


# Placeholders


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [
        ("number", "3|1,200|-4.5|+3|1.200,50|0,5", "three|x|3a|1.2.3.4"),
        (
            "date",
            "2026-06-22|22.06.2026|6/22/2026|22/6/26|June 22nd, 2026|22. Juni 2026|Thursday, 22 June|3.4.|"
            "5 Mar|1st of May|2026年6月22日",
            "today|Monday|42.06.2026|2026|22|May",
        ),
        ("time", "9pm|21:00|9.30 Uhr|9 o'clock|9:30 a.m.|noon|14h30|Mitternacht", "9|25:00|9:75|morning"),
        ("money", "$300|AUD 300.50|300 €|1.200,50 EUR|A$5|5 dollars|US$ 5|£3", "300|dollars|AUD"),
    ],
)
def test_typed_placeholders_know_the_usual_writings(name: str, yes: str, no: str) -> None:
    assert [text for text in yes.split("|") if not match("exact", f"{{{name}}}", text).passed] == []
    assert [text for text in no.split("|") if match("exact", f"{{{name}}}", text).passed] == []


def test_values_fill_placeholders_before_types_do() -> None:
    assert match("contains", "{fare} total", "300 total", values={"fare": "300"}).passed
    assert not match("contains", "{number} seats", "14 seats", values={"number": "15"}).passed
    assert match("regex", "^{fare}$", "3.50", values={"fare": "3.50"}).passed
    assert not match("regex", "^{fare}$", "3x50", values={"fare": "3.50"}).passed
    assert match("wildcard", "*{star}", "a *", values={"star": "*"}).passed
    assert not match("wildcard", "*{star}", "a b", values={"star": "*"}).passed


def test_a_name_without_a_value_is_taken_as_written_and_mentioned() -> None:
    found = match("contains", "{fare} total", "300 total")
    assert not found.passed
    assert "{fare} has no value" in found.why
    assert match("contains", "{fare}", "Your {fare} is ready").passed


@pytest.mark.parametrize("name", TYPED)
def test_types_have_no_groups_of_their_own(name: str) -> None:
    assert capture(Pattern(f"{{{name}}} (x)", Match.REGEX), ["none"]) is None
    assert capture(Pattern(f"(?:{{{name}}})?(x)", Match.REGEX), ["x"]) == "x"


def test_what_is_saved_is_the_first_group_or_the_whole_match() -> None:
    assert capture(Pattern("AUD ([0-9]+)", Match.REGEX), ["Hello", "It is aud 300."]) == "300"
    assert capture(Pattern("ref [A-Z]+", Match.REGEX), ["Your Ref ABC."]) == "Ref ABC"
    assert capture(Pattern("AUD {number}"), ["It is Aud 300."]) == "Aud 300"
    assert capture(Pattern("AUD ([0-9]+)", Match.REGEX), ["nothing"]) is None
    assert capture(Pattern("near", Match.FUZZY), ["near"]) is None
    assert capture(Pattern("(a)?b", Match.REGEX), ["b"]) == "b"


# Near matches


def test_fuzzy_is_measured_by_letters_against_its_minimum() -> None:
    near = match("fuzzy", "your flight is booked", "Your flight is boked")
    assert near.passed
    assert near.score == pytest.approx(20 / 21)
    assert not match("fuzzy", "your flight is booked", "Your flight is boked", minimum=0.99).passed


def test_similar_is_measured_by_vectors() -> None:
    assert match("similar", "which date do you fly", "do you fly which date").passed
    far = match("similar", "which date do you fly", "nothing of this kind at all")
    assert not far.passed
    assert not far.needs_look


def test_similar_without_vectors_needs_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "find_encoder", lambda encoder, texts: None)
    found = match("similar", "which date", "which date")
    assert not found.passed
    assert found.needs_look
    assert found.why == "sentence vectors are not installed"


@pytest.mark.parametrize("kind", ["fuzzy", "similar"])
@pytest.mark.parametrize(
    ("text", "reply", "guard"),
    [
        ("Yes you can change the booking here", "Yes you can not change the booking here", "negation"),
        ("Your visa is available from us now", "Your visa is unavailable from us now", "negation"),
        ("We booked 2 seats for you all", "We booked 3 seats for you all", "numbers"),
        ("We fly to Sydney with all of you", "We fly to Perth with all of you", "names"),
        ("The office is open on this very day", "The office is closed on this very day", "opposite"),
        ("Ich habe den Flug nach Berlin gebucht", "Ich habe den Flug nach Bremen gebucht", "names"),
        ("Sie können den Termin noch absagen", "Sie können den Termin nicht absagen", "negation"),
    ],
)
def test_guards_hold_back_what_only_looks_alike(kind: str, text: str, reply: str, guard: str) -> None:
    found = match(kind, text, reply, minimum=0.5)
    assert not found.passed
    assert found.needs_look
    assert guard in found.why


def test_a_known_value_is_a_name_in_any_case() -> None:
    assert not match("fuzzy", "one seat in economy class for you", "one seat in business class for you", minimum=0.5,
                     names=["economy"]).passed  # fmt: skip
    assert match(
        "fuzzy", "one seat in economy class for you", "one seat in economi class for you", minimum=0.5
    ).passed


def test_a_clean_bubble_is_found_beside_one_that_is_held_back() -> None:
    assert match("fuzzy", "you can fly today", "you can't fly today", "you can fly todai").passed


def test_placeholders_count_in_near_matches_too() -> None:
    assert match("fuzzy", "the fare is {money} today", "The fare is AUD 300 today").passed
    assert "no money" in match("fuzzy", "the fare is {money} today", "the fare is open today").why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No, you can't", "You cannot"),
        ("Two tickets for you", "2 tickets for you"),
        ("One ticket", "1 ticket"),
        ("It costs 1,200.00", "It costs 1.200,00"),
        ("Flights to Sydney are open", "Sydney: flights to Sydney are open"),
        ("See room no. 5", "See room 5"),
        ("An welchem Tag möchten Sie reisen?", "Wann möchten Sie reisen?"),
    ],
)
def test_the_same_thing_in_other_words_passes_the_guards(one: str, other: str) -> None:
    assert find_difference(one, other) == ""
    assert find_difference(other, one) == ""


@given(st.text(max_size=40))
def test_a_text_never_differs_from_itself(text: str) -> None:
    assert find_difference(text, text) == ""


@pytest.mark.parametrize(
    "text", ["I don't", "I don’t", "dont", "I cannot", "never", "keine Ahnung", "geht nicht", "ohne mich", "我不要"]
)
def test_negation_is_known_in_several_writings(text: str) -> None:
    assert count_negations(text) == 1


@given(st.text(max_size=40))
def test_tidying_leaves_no_double_blank_and_folds_case(text: str) -> None:
    assert "  " not in tidy(text)
    assert plain(text) == plain(text).strip()


# Long replies

FACT = "you get a refund within 30 days"
CHAT = "Thanks for asking us about this matter, dear customer. {} Do tell me whether anything else is open!"


def test_similar_finds_what_was_expected_in_a_sentence_of_a_long_reply() -> None:
    long = CHAT.format("You get a **refund** within *thirty* days.")
    assert match("similar", FACT, long).passed
    assert match("similar", "you get a refund within {number} days", CHAT.format("You get a refund within 5 days."),
                 minimum=0.7).passed  # fmt: skip
    assert match("similar", f"{FACT} and we send it on to your bank",
                 CHAT.format("You get a refund within 30 days. And we send it on to your bank.")).passed  # fmt: skip
    assert not match("similar", FACT, CHAT.format("Nothing of this kind was ever heard of here.")).passed


@pytest.mark.parametrize(
    ("sentence", "guard"),
    [
        ("You get a refund within 14 days.", "numbers"),
        ("You never get a refund within 30 days.", "negation"),
        ("You get a refund within 30 days. You get no refund within 30 days.", "in another sentence, the negation"),
        ("You get a refund within 30 days. Or you get a refund within 14 days.", "in another sentence, the numbers"),
    ],
)
def test_guards_hold_for_the_sentences_of_a_long_reply_too(sentence: str, guard: str) -> None:
    found = match("similar", FACT, CHAT.format(sentence))
    assert not found.passed
    assert found.needs_look
    assert guard in found.why


def test_a_sentence_about_another_name_contradicts_nothing() -> None:
    both = "Refunds to Visa take 5 days here. Refunds to Paypal take 9 days here."
    assert match("similar", "refunds to Visa take 5 days here", CHAT.format(both)).passed
