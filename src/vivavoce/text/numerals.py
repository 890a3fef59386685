"""Chinese numerals in a text, as digits."""

from __future__ import annotations

import re

_FROM_ZERO = ("零〇", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九")
_DIGITS = {character: value for value, characters in enumerate(_FROM_ZERO) for character in characters}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_NUMERAL = f"[{''.join((*_DIGITS, *_UNITS, *_MYRIADS))}]"
# Many words hold a numeral that counts nothing: it must stand before a measure, or after "weekday" or "ordinal".
_MEASURES = (
    "天|小时|小時|分钟|分鐘|秒|点|點|个|個|月|年|日|号|號|元|块|塊|岁|歲|次|周|週|星期"
    "|礼拜|人|位|名|件|张|張|本|页|楼|层|倍|公里|公斤|米"
)
_NUMBER = re.compile(f"(?:(?<=星期)|(?<=礼拜)|(?<=周)|(?<=第)){_NUMERAL}+|{_NUMERAL}+(?={_MEASURES})")
# "One" is too often no number: 一个, 一次, 一点.
_NO_NUMBER = "一"
_ORDINAL = re.compile("(?:星期|礼拜|周|第)$")


def convert_numerals(text: str) -> str:
    """Return a text with its Chinese numerals in digits; those that may count nothing stay as they are."""
    return _NUMBER.sub(_convert, text)


def _convert(match: re.Match[str]) -> str:
    if match[0] == _NO_NUMBER and not _ORDINAL.search(match.string[: match.start()]):
        return match[0]
    return str(read_numeral(match[0]))


def read_numeral(numeral: str) -> int:
    """Return the value of a numeral: 三十五 is 35, 二〇二六 is 2026."""
    if not set(numeral) & {*_UNITS, *_MYRIADS}:
        return int("".join(str(_DIGITS[character]) for character in numeral))
    total = part = digit = 0
    for character in numeral:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _UNITS:
            part += (digit or 1) * _UNITS[character]
            digit = 0
        else:
            total += (part + digit or 1) * _MYRIADS[character]
            part = digit = 0
    return total + part + digit
