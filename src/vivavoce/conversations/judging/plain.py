"""Texts made comparable: the same words in another dress (tags, quotes, dashes, case) become the same text."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from vivavoce.conversations.judging.markdown import unmark

# Only real tags go: `<name>` may be a placeholder that a bot forgot to fill, and a tester wants to find it.
_BLOCKS = "article|blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|table|tbody|td|th|thead|tr|ul"
_INLINE = (
    "a|abbr|audio|b|big|break|button|center|cite|code|del|em|emphasis|font|i|img|ins|kbd|label|mark|prosody|q|s|"
    "say-as|small|span|speak|strike|strong|sub|sup|tt|u|video|voice"
)
_BLOCK = re.compile(rf"</?(?:{_BLOCKS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_OR_COMMENT = re.compile(rf"{_BLOCK.pattern}|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ´`′＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘－", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)

_BETWEEN_NUMBERS = re.compile(r"(?<=\d)[ \t]*\n\s*(?=\d)")
# "30. Juni", "e.g. Rome" and "Dr. Who" do not end a sentence.
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?<![\d.]\.)(?<![\s.(]\w\.)(?<!\b(?:Dr|Mr|Nr|No|St|ca|vs)\.)\s+(?=[^a-z\s])|(?<=[。！？])"
)


@lru_cache(maxsize=4096)
def tidy(text: str) -> str:
    """Return a text without tags and in one way of writing: Unicode NFKC, straight quotes, single blanks."""
    if text.isascii() and not ("<" in text or "&" in text or "`" in text):
        return " ".join(text.split())
    # Beyond the last end of a comment none is looked for: each beginning would be followed up to the end of the text.
    commented, end, rest = text.rpartition("-->")
    blocks_gone = _BLOCK_OR_COMMENT.sub(" ", commented + end) + _BLOCK.sub(" ", rest)
    bare = html.unescape(_TAG.sub("", blocks_gone))
    return " ".join(unicodedata.normalize("NFKC", bare.translate(_SIGNS)).split())


def bare(text: str) -> str:
    """Return a tidy text without Markdown: what a visitor reads."""
    return tidy(unmark(text))


def bare_lines(text: str) -> str:
    """Return a bare text in which a number that ends a line does not run into one that begins the next."""
    return tidy(_BETWEEN_NUMBERS.sub("; ", _BLOCK.sub("\n", unmark(text))))


def plain(text: str) -> str:
    """Return a tidy text with its case folded: what most kinds of match compare."""
    return unicodedata.normalize("NFKC", tidy(text).casefold())


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, bare; a line, a list item and a row of a table end one too."""
    lines = _BLOCK.sub("\n", unmark(text)).split("\n")
    return [sentence.strip() for line in lines for sentence in _SENTENCE_END.split(tidy(line)) if sentence.strip()]


def shorten(text: str, length: int = 60) -> str:
    """Return a text in quotes for a sentence, cut where it is long."""
    one_line = " ".join(text.split())
    return f'"{one_line}"' if len(one_line) <= length else f'"{one_line[: length - 3].rstrip()}..."'
