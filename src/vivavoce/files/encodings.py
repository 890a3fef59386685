"""How the letters of a text are written in its bytes: found out where nobody says it."""

from __future__ import annotations

import codecs

# The user leaves it to us.
GUESS = "auto"
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# One byte for each letter: older spreadsheets on Windows, on a Mac, and under DOS; the first of equals is taken.
ONE_BYTE = ("cp1252", "mac-roman", "cp850")
SAMPLE_BYTES = 2**20
LETTERS = frozenset("áàâäãåæçéèêëíìîïñóòôöõøœúùûüýÿßÁÀÂÄÃÅÆÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØŒÚÙÛÜÝ")
SIGNS = frozenset("„“”‘’‚‹›«»–—…€£§°·•©®™½²³´¿¡\u00a0")
APOSTROPHES = frozenset("’´‘")


def find_mark(data: bytes) -> str | None:
    """Return the encoding that the mark at the beginning of a text names."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if data.startswith(mark)), None)


def is_wide(data: bytes) -> bool:
    """Say whether a text without a mark has two bytes for each letter."""
    return data[:1000].count(b"\0") >= max(len(data[:1000]) // 3, 1)


def wide_order(data: bytes) -> str:
    """Return which order of two bytes a text without a mark has: the side with more zeros tells."""
    return "utf-16-be" if data[:1000:2].count(0) > data[1:1000:2].count(0) else "utf-16-le"


def guess_encoding(data: bytes, *, cut: bool = False) -> str:
    """Return the encoding in which the bytes read most like Western text; `cut`: it may end amid a letter."""
    if mark := find_mark(data):
        return mark
    if is_wide(data):
        return wide_order(data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if cut and error.start >= len(data) - 3:
            return "utf-8"
        return max(ONE_BYTE, key=lambda encoding: _rate(data, encoding))
    return "utf-8"


def _rate(data: bytes, encoding: str) -> float:
    """Rate how natural a text is: usual letters inside words, usual signs outside of them."""
    try:
        text = data[:SAMPLE_BYTES].decode(encoding)
    except UnicodeDecodeError:
        return float("-inf")
    rating = 0.0
    for place, letter in enumerate(text):
        if letter < "\x80":
            continue
        before, after = text[place - 1 : place] or " ", text[place + 1 : place + 2] or " "
        if letter in LETTERS:
            rating += -2 if letter.isupper() and before.islower() else 1
        elif letter in SIGNS:
            inside = before.isalpha() and after.isalpha() and letter not in APOSTROPHES
            rating += -2 if inside else 0.5
        else:
            rating -= 1
    return rating
