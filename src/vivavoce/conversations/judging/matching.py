"""Expected texts held against replies: the seven kinds of match, and what is saved from a reply.

A pattern may be met by any bubble alone or by all of them joined. Both sides are normalised first; the reply itself
is left as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from vivavoce.conversations.judging import gaps, likeness
from vivavoce.conversations.judging.plain import (
    as_digits,
    bare,
    bare_lines,
    language_of,
    may_be_rewritten,
    plain,
    shorten,
    tidy,
    unmark,
)
from vivavoce.conversations.scenario import Match, Pattern
from vivavoce.messages import say

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

REGEX_SECONDS = 0.2
MINIMUM = {Match.FUZZY: 0.85, Match.SIMILAR: 0.75}
SHORT = 4
TOO_SLOW = f"the regular expression timed out ({REGEX_SECONDS} s)"

# Letters and digits of scripts that part words by blanks. Chinese, Japanese, Thai and their like do not, and Korean
# hangs its particles on the word: there a text is simply contained.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"[^\W{_UNSPACED}]"
_IS_LETTER = regex.compile(_LETTER)
_DIGIT = regex.compile(r"\d")
# "can" is not found in "can't", nor "2" in "2.50".
_BEFORE_WORD = rf"(?<!{_LETTER})"
_AFTER_WORD = rf"(?!{_LETTER}|'t(?!{_LETTER}))"
_BEFORE_DIGIT = rf"(?<!{_LETTER}|\d[.,])"
_AFTER_DIGIT = rf"(?!{_LETTER}|[.,]\d)"


@dataclass(frozen=True, slots=True)
class Matched:
    """What came of holding one pattern against a reply. `score` is there for near matches only.

    `needs_look`: it is near, but a guard held it back or it could not be checked: a person should decide.
    """

    passed: bool
    kind: str
    score: float | None = None
    needs_look: bool = False
    why: str = ""


@dataclass(frozen=True)
class _Case:
    """One pattern with all that is needed to hold it against a reply."""

    pattern: Pattern
    kind: Match
    candidates: tuple[str, ...]
    values: Mapping[str, str]
    encoder: Encoder | None
    names: tuple[str, ...]


def match_reply(
    pattern: Pattern,
    reply_texts: Sequence[str],
    *,
    default: Match,
    values: Mapping[str, str],
    encoder: Encoder | None = None,
    names: Sequence[str] = (),
) -> Matched:
    """Hold an expected text against the bubbles of a reply.

    `values` fill `{name}` in the pattern; `names` are further values that a near match must not change.
    """
    kind = kind_of(pattern, default)
    candidates = _candidates(reply_texts)
    if not pattern.text.strip():
        return Matched(False, kind, why="the expected text is empty")
    if not candidates:
        return Matched(False, kind, why="the reply contains no text")
    known = (*names, *values.values())
    return _MATCHERS[kind](_Case(pattern, kind, candidates, values, encoder, known))


def kind_of(pattern: Pattern, default: Match) -> Match:
    """Return how a pattern is matched: as it says; else a `*` makes it a wildcard, unless expressions are usual."""
    if pattern.match is not None:
        return pattern.match
    return Match.WILDCARD if "*" in pattern.text and default is not Match.REGEX else default


def check_pattern(pattern: Pattern, default: Match = Match.CONTAINS) -> str | None:
    """Return what is wrong with a pattern, or None."""
    if not pattern.text.strip():
        return "the expected text is empty"
    if pattern.minimum is not None and not 0 < pattern.minimum <= 1:
        return f"min is {pattern.minimum:g}, but it must be above 0 and at most 1"
    kind = kind_of(pattern, default)
    if pattern.minimum is not None and kind not in MINIMUM:
        return f"min does not apply to {kind}, only to fuzzy and similar"
    if kind is not Match.REGEX:
        return None if plain(pattern.text) else "the expected text contains only tags"
    try:
        _compile(gaps.fill_expression(pattern.text, {}))
    except regex.error as error:
        return f"the regular expression {shorten(pattern.text)} is invalid: {error}"
    return None


def capture(
    pattern: Pattern,
    reply_texts: Sequence[str],
    *,
    default: Match = Match.CONTAINS,
    values: Mapping[str, str] | None = None,
) -> str | None:
    """Return what a pattern finds in a reply: the first group of a regular expression, else the whole match.

    Case is kept. None where nothing is found; a near match (`fuzzy`, `similar`) has no place to take from.
    """
    kind = kind_of(pattern, default)
    if kind in MINIMUM or not pattern.text.strip():
        return None
    known, candidates = values or {}, _candidates(reply_texts)
    if kind is Match.REGEX:
        match, _ = _find_expression(gaps.fill_expression(pattern.text, known), candidates)
    else:
        expression = _literal_expression(kind, gaps.split_pieces(pattern.text, known, tidy))
        match, _ = _find(expression, [*map(bare, candidates), *map(tidy, candidates)])
    if match is None:
        return None
    first = match[1] if match.re.groups else None
    return str(match[0] if first is None else first)


def _candidates(reply_texts: Sequence[str]) -> tuple[str, ...]:
    spoken = tuple(text for text in reply_texts if text.strip())
    return (*spoken, "\n".join(spoken)) if len(spoken) > 1 else spoken


@lru_cache(maxsize=1024)
def _compile(expression: str) -> regex.Pattern[str]:
    return regex.compile(expression, regex.IGNORECASE | regex.DOTALL)


def _find(expression: str, texts: Sequence[str]) -> tuple[regex.Match[str] | None, str]:
    """Return the first match in any of the texts, and why there is none."""
    for text in texts:
        try:
            match = _compile(expression).search(text, timeout=REGEX_SECONDS)
        except TimeoutError:
            return None, TOO_SLOW
        except regex.error as error:
            return None, f"the regular expression is invalid: {error}"
        if match is not None:
            return match, ""
    return None, ""


def _find_expression(expression: str, candidates: Sequence[str]) -> tuple[regex.Match[str] | None, str]:
    # An expression may name a star, a curly quote or a line break: these are found in the text as it came.
    return _find(expression, [*dict.fromkeys((*map(bare, candidates), *map(tidy, candidates), *candidates))])


def _literal_expression(kind: Match, pieces: list[gaps.Piece]) -> str:
    body = gaps.as_expression(pieces, stars=kind is Match.WILDCARD)
    if kind in (Match.EXACT, Match.WILDCARD):
        return rf"\A(?:{body})\Z"
    return f"{_edge(pieces, 0)}(?:{body}){_edge(pieces, -1)}" if kind is Match.CONTAINS else body


def _edge(pieces: list[gaps.Piece], place: int) -> str:
    """Return what must not stand beside the first (0) or last (-1) sign of a text of whole words."""
    if not pieces:
        return ""
    sign = pieces[place].text[place] if pieces[place].text else "0" if pieces[place].typed else " "
    if sign.isdigit():
        return _AFTER_DIGIT if place else _BEFORE_DIGIT
    if _IS_LETTER.match(sign):
        return _AFTER_WORD if place else _BEFORE_WORD
    return ""


def _match_literal(case: _Case) -> Matched:
    passed, trouble = False, ""
    for as_expected, as_replied in _readings(case):
        pieces = gaps.split_pieces(case.pattern.text, case.values, as_expected)
        if not any(piece.text or piece.typed for piece in pieces):
            return Matched(False, case.kind, why="the expected text is empty")
        passed, trouble = _holds(case.kind, pieces, [as_replied(text) for text in case.candidates])
        if passed:
            break
    return _report(case, passed, trouble)


def _holds(kind: Match, pieces: list[gaps.Piece], texts: Sequence[str]) -> tuple[bool, str]:
    """Tell whether any of the folded texts holds the pieces, and what kept it from being seen."""
    if gaps.has_no_gaps(kind, pieces):
        edges = (_edge(pieces, 0), _edge(pieces, -1)) if kind is Match.CONTAINS else ("", "")
        return gaps.holds_text(kind, "".join(piece.text for piece in pieces), texts, edges), ""
    match, trouble = _find(_literal_expression(kind, pieces), texts)
    return match is not None, trouble


def _readings(case: _Case) -> Iterator[tuple[Callable[[str], str], Callable[[str], str]]]:
    """Yield how the expected text and the reply are read: as written, without Markdown, with numbers in digits."""
    yield plain, plain
    # The star of a wildcard is no mark of Markdown.
    unmarked = plain if case.kind is Match.WILDCARD else _plain_bare
    if any(unmark(text) != text for text in (case.pattern.text, *case.candidates)):
        yield unmarked, _plain_bare
    expected = " ".join(piece.text for piece in gaps.split_pieces(case.pattern.text, case.values, plain))
    reply = _plain_bare(case.candidates[-1])
    if may_be_rewritten(expected) or (_DIGIT.search(expected) and may_be_rewritten(reply)):
        language = language_of(expected, reply)
        yield (
            lambda text: as_digits(unmarked(text), language),
            lambda text: as_digits(plain(bare_lines(text)), language),
        )


def _plain_bare(text: str) -> str:
    return plain(unmark(text))


def _match_expression(case: _Case) -> Matched:
    match, trouble = _find_expression(gaps.fill_expression(case.pattern.text, case.values), case.candidates)
    return _report(case, match is not None, trouble)


def _report(case: _Case, passed: bool, trouble: str) -> Matched:
    text = shorten(case.pattern.text)
    if passed:
        short = case.kind is Match.SUBSTRING and len(plain(case.pattern.text)) < SHORT
        note = say("; it is short and may be part of another word") if short else ""
        return Matched(True, case.kind, why=say("found {text} ({kind}){note}", text=text, kind=case.kind, note=note))
    names = gaps.list_unfilled(case.pattern.text, case.values)
    note = f" ({', '.join(f'{{{name}}}' for name in names)} has no value)" if names else ""
    return Matched(
        False, case.kind, why=trouble or say("did not find {text} ({kind})", text=text, kind=case.kind) + note
    )


def _match_fuzzy(case: _Case) -> Matched:
    pairs, lacking = likeness.pair_up(case.pattern.text, case.candidates, case.values)
    if not pairs:
        return Matched(False, case.kind, why=lacking)
    scores = [likeness.edit_similarity(*pair) for pair in pairs]
    return _report_near(case, *likeness.best_pair(pairs, scores, _minimum(case), case.names))


def _match_similar(case: _Case) -> Matched:
    encoder = likeness.find_encoder(case.encoder, (case.pattern.text, *case.candidates))
    if encoder is None:
        return Matched(False, case.kind, needs_look=True, why=likeness.NO_ENCODER)
    text, minimum = case.pattern.text, _minimum(case)
    pairs, lacking = likeness.pair_up(text, case.candidates, case.values)
    if not pairs:
        return Matched(False, case.kind, why=lacking)
    score, held_back = likeness.best_pair(pairs, likeness.meaning_similarity(pairs, encoder), minimum, case.names)
    if held_back or score < minimum:
        # A long reply says more than was expected: what was expected may stand in one of its sentences.
        pieces, reply = gaps.split_pieces(text, case.values, bare), case.candidates[-1]
        part, why = likeness.best_excerpt(pieces, reply, encoder, minimum, case.names)
        score, held_back = (part, why) if part >= minimum or part > score else (score, held_back)
    return _report_near(case, score, held_back)


def _minimum(case: _Case) -> float:
    return case.pattern.minimum or MINIMUM[case.kind]


def _report_near(case: _Case, score: float, held_back: str) -> Matched:
    minimum = _minimum(case)
    text = f"{shorten(case.pattern.text)} ({case.kind} {score:.2f}, needs {minimum:.2f})"
    if held_back:
        why = say("close to {said}, but {held_back}: needs a human check", said=text, held_back=held_back)
        return Matched(False, case.kind, score, True, why)
    passed = score >= minimum
    why = say("close to {said}", said=text) if passed else say("not close enough to {said}", said=text)
    return Matched(passed, case.kind, score, why=why)


_MATCHERS: Mapping[Match, Callable[[_Case], Matched]] = {
    **dict.fromkeys((Match.EXACT, Match.CONTAINS, Match.SUBSTRING, Match.WILDCARD), _match_literal),
    Match.REGEX: _match_expression,
    Match.FUZZY: _match_fuzzy,
    Match.SIMILAR: _match_similar,
}
