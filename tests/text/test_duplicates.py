from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from vivavoce.text.duplicates import duplicate_groups, exact_groups, normalise, normalise_all, typo_pairs

pytestmark = pytest.mark.slow

# No stop word is among them: copies without stop words have tests of their own.
WORDS = (
    "card",
    "cart",
    "part",
    "ox",
    "lost",
    "payment",
    "paymnet",
    "payments",
    "transfer",
    "transfre",
    "trasfre",
    "id7",
)
some_texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=12)
any_texts = st.lists(st.text(max_size=12), max_size=8)


def together(*texts: str) -> bool:
    return len(set(duplicate_groups(texts).tolist())) == 1


def a_typo(left: str, right: str, shortest: int = 4) -> bool:
    if left.isalpha() and right.isalpha() and min(len(left), len(right)) >= shortest:
        return OSA.distance(left, right) <= (2 if min(len(left), len(right)) >= 8 else 1)
    return False


def near_by_definition(left: str, right: str) -> bool:
    """The definition as it is written, one pair at a time."""
    a, b = left.split(), right.split()
    if sorted(a) == sorted(b) or "".join(a) == "".join(b):
        return True
    common = []
    for word in list(a):
        if word in b:
            a.remove(word)
            b.remove(word)
            common.append(word)
    shortest = 5 if len(left.split()) == 1 else 4
    if len(a) == len(b) == 1:
        # Two mistakes may go through a word that both have: card for cart, and cart for part.
        chained = any(a_typo(a[0], word) and a_typo(word, b[0]) for word in common)
        return chained or a_typo(a[0], b[0], shortest)
    if len(a) == len(b) == 2:
        crossed = a_typo(a[0], b[1]) and a_typo(a[1], b[0])
        return crossed or (a_typo(a[0], b[0]) and a_typo(a[1], b[1]))
    return False


def closure(texts: list[str]) -> list[int]:
    group = list(range(len(texts)))
    for i, j in combinations(range(len(texts)), 2):
        if near_by_definition(texts[i], texts[j]):
            group = [group[i] if number == group[j] else number for number in group]
    return [group.index(number) for number in group]


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  Hello,   WORLD!! ", "hello world"),
        ("don't", "dont"),
        ("don’t", "dont"),
        ("e-mail", "e mail"),
        ("ﬁne Ｆｕｌｌ", "fine full"),
        ("STRASSE Straße", "strasse strasse"),
        ("café", "café"),
        ("cafe\u0301", "café"),
        ("我要取消订单。", "我要取消订单"),
        ("नमस्ते!", "नमस्ते"),
        ("great 👍🏽 ❤️", "great"),
        ("C++ or C# ?", "c++ or c#"),
        ("one + two # 3", "one two 3"),
        ("a\x1eb", "a b"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_normalising_takes_away_case_punctuation_and_pictures_but_no_letters(text: str, normal: str) -> None:
    assert normalise(text) == normal


def test_a_text_of_signs_alone_stays_itself() -> None:
    assert normalise("👍") != normalise("👎")
    assert normalise("?") != normalise("!")
    assert not together("👍", "👎")


@given(any_texts)
def test_normalising_many_equals_normalising_each(texts: list[str]) -> None:
    assert normalise_all(texts) == [normalise(text) for text in texts]


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "Zs")), max_size=20))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(some_texts)
@example(["card card cart", "card cart part"])
def test_groups_are_those_of_the_definition(texts: list[str]) -> None:
    first = {}
    groups = duplicate_groups(texts).tolist()
    found = [first.setdefault(number, index) for index, number in enumerate(groups)]
    assert found == closure(texts)


@given(any_texts)
def test_groups_are_numbered_from_zero_by_first_text_and_hold_the_exact_ones(texts: list[str]) -> None:
    near, exact = duplicate_groups(texts), exact_groups(texts)
    for groups in (near, exact):
        assert groups.dtype == np.int64
        assert list(dict.fromkeys(groups.tolist())) == list(range(len(set(groups.tolist()))))
    assert len(set(zip(exact.tolist(), near.tolist(), strict=True))) == len(set(exact.tolist()))


@given(some_texts, st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_order(texts: list[str], chance: random.Random) -> None:
    order = list(range(len(texts)))
    chance.shuffle(order)
    straight, shuffled = duplicate_groups(texts), duplicate_groups([texts[index] for index in order])
    for (i, a), (j, b) in combinations(list(enumerate(order)), 2):
        assert (shuffled[i] == shuffled[j]) == (straight[a] == straight[b])


@given(some_texts)
def test_case_and_punctuation_never_matter(texts: list[str]) -> None:
    loud = [f"  {text.upper().replace(' ', ' , ')}?! " for text in texts]
    assert duplicate_groups(loud).tolist() == duplicate_groups(texts).tolist()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("I lost my card!", "i lost my CARD"),
        ("e-mail address", "email address"),
        ("is it open", "it is open?"),
        ("where is my paymnet", "where is my payment"),
        ("transfre my mony now", "transfer my money now"),
        ("affirmitive", "affirmative"),
        ("hello", "hallo"),
        ("münchen haptbahnhof", "munchen hauptbahnhof"),
        ("привет как дела сегодня", "превет как дела сегодня"),
    ],
)
def test_near_duplicates_are_found(left: str, right: str) -> None:
    assert together(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("yes", "yep"),
        ("card", "cart"),  # alone, four letters say too little
        ("room 101 please", "room 102 please"),
        ("room 1 12", "room 11 2"),
        ("flight ba123", "flight ba124"),
        ("what is c++ for", "what is c# for"),
        ("pay the part", "pay the card"),  # two edits in a short word
        ("transfre my mony nwo", "transfer my money now"),  # three mistakes
        ("我要取消这个订单吗", "我要查询这个订单吗"),
        ("block my card", "block my old card"),
    ],
)
def test_texts_of_another_meaning_stay_apart(left: str, right: str) -> None:
    assert not together(left, right)


def test_a_common_neighbour_joins_two_texts_only_if_it_is_there() -> None:
    assert not together("pay the part", "pay the card")
    assert together("pay the part", "pay the card", "pay the cart")


def test_nothing_and_blanks_are_no_trouble() -> None:
    assert duplicate_groups([]).tolist() == []
    assert exact_groups([]).tolist() == []
    assert duplicate_groups(["", " ", "a", "\ud800"]).tolist() == [0, 0, 1, 2]
    assert [pair.tolist() for pair in typo_pairs([])] == [[], []]


@given(st.lists(st.text("abcd", min_size=3, max_size=10), max_size=12, unique=True))
def test_typing_mistakes_between_words_are_all_found(words: list[str]) -> None:
    left, right = typo_pairs(words)
    found = set(zip(left.tolist(), right.tolist(), strict=True))
    assert found == {(i, j) for i, j in combinations(range(len(words)), 2) if a_typo(words[i], words[j])}


def test_thousands_of_chance_texts_are_hardly_ever_duplicates() -> None:
    chance = random.Random(0)  # noqa: S311 - a fixed vocabulary, no secret
    vocabulary = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(6000)]
    texts = [" ".join(chance.choices(vocabulary, k=12)) for _ in range(10_000)]
    assert len(set(duplicate_groups(texts).tolist())) > 9_990
