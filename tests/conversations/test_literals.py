"""Words without gaps are searched for, not turned into an expression; what is found is the same."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from vivavoce.conversations.judging import matching
from vivavoce.conversations.judging.gaps import split_pieces
from vivavoce.conversations.judging.matching import match_reply
from vivavoce.conversations.judging.plain import plain
from vivavoce.conversations.scenario import Match, Pattern

SIGNS = "ab1 .,'tı字-"


@given(st.text(SIGNS, min_size=1, max_size=6), st.text(SIGNS, max_size=12))
@example("can", "can't")
@example("2", "2.50")
@example("字", "漢字")
@example("ı", "i")
def test_searching_for_words_finds_what_an_expression_finds(text: str, reply: str) -> None:
    pieces = split_pieces(text, {}, plain)
    assume(pieces)
    for kind in (Match.CONTAINS, Match.EXACT, Match.SUBSTRING):
        found, _ = matching._find(matching._literal_expression(kind, pieces), [plain(reply)])
        assert matching._holds(kind, pieces, [plain(reply)]) == (found is not None, "")


def test_no_expression_is_built_for_each_expected_text() -> None:
    matching._compile.cache_clear()
    for number in range(50):
        reply = [f"Your order {number}!"]
        assert match_reply(Pattern(f"order {number}"), reply, default=Match.CONTAINS, values={}).passed
    assert matching._compile.cache_info().misses == 0
