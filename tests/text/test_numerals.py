"""Chinese numerals as digits."""

from __future__ import annotations

import pytest

from vivavoce.conversations.judging.likeness import find_difference
from vivavoce.text.numerals import convert_numerals, read_numeral


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("三", 3), ("十", 10), ("十五", 15), ("二十", 20), ("三十五", 35), ("一百零八", 108), ("两千三百", 2300),
     ("三万五千", 35_000), ("一亿二千万", 120_000_000), ("二〇二六", 2026), ("零", 0)],
)  # fmt: skip
def test_numerals_are_read(numeral: str, value: int) -> None:
    assert read_numeral(numeral) == value


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("请等三十分钟", "请等30分钟"),
        ("星期一上午十点", "星期1上午10点"),
        ("十分感谢", "十分感谢"),
        ("一个人", "一个人"),
        ("万一下雨", "万一下雨"),
        ("一起去", "一起去"),
    ],
)
def test_only_numerals_that_count_something_are_converted(text: str, converted: str) -> None:
    assert convert_numerals(text) == converted


def test_a_reply_with_another_chinese_number_differs() -> None:
    assert "numbers differ" in find_difference("请等三天", "请等五天")
    assert "numbers differ" in find_difference("我们星期三见", "我们星期五见")
    assert not find_difference("请等三天", "请等3天")
    assert not find_difference("十分感谢您的耐心", "非常感谢您的耐心")
