"""All dialogues of a project at a glance: filters, counts, groups, weeks."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from vivavoce.dialogues.facts import Fact, FactKind
from vivavoce.workspace.dialogues.overview import (
    NOTHING,
    Choice,
    Known,
    Line,
    band_of,
    choose,
    count_choices,
    group_by_fact,
    list_weeks,
    mean_score,
    sort_worst,
)


def line(name: str, *kinds: FactKind, score: float | None = None, day: int = 2, bot: str = "Iris") -> Line:
    facts = tuple(Fact(kind, 1, "words") for kind in kinds)
    at = datetime(2026, 3, day, 12, tzinfo=UTC)
    known = Known(name, name, name, "march", bot, 4, at, True, facts, frozenset(kinds))
    return Line(known, score, rated=False)


LINES = (
    line("a", FactKind.FALLBACK, score=1.5),
    line("b", FactKind.FALLBACK, FactKind.NO_ANSWER, score=2.0, day=9),
    line("c", FactKind.THANKED, score=4.0, day=9),
    line("d", FactKind.REPEATED_QUESTION, bot="Otto", day=15),
    line("e", bot="Otto", day=16),
)


def names(lines) -> list[str]:
    return [each.known.name for each in lines]


def test_filters_work_together() -> None:
    assert names(choose(LINES, Choice())) == ["a", "b", "c", "d", "e"]
    assert names(choose(LINES, Choice(fact="fallback", week="2026-03-09"))) == ["b"]
    assert names(choose(LINES, Choice(bot="Otto", band="none"))) == ["d", "e"]
    assert names(choose(LINES, Choice(fact="fallback", bot="Otto"))) == []


def test_thanks_alone_are_nothing_wrong() -> None:
    assert names(choose(LINES, Choice(fact=NOTHING))) == ["c", "e"]


def test_a_filter_counts_beside_the_others_but_not_beside_itself() -> None:
    counts = count_choices(LINES, Choice(bot="Iris", fact="thanked"), "bot")
    assert counts == {"Iris": 1}
    assert count_choices(LINES, Choice(bot="Iris"), "bot") == {"Iris": 3, "Otto": 2}


def test_groups_begin_with_the_most_frequent_and_end_with_the_rest() -> None:
    groups = group_by_fact(LINES)
    assert (groups[0].kind, groups[0].count) == (FactKind.FALLBACK, 2)
    assert (groups[-1].kind, groups[-1].count) == (None, 2)
    assert all(group.kind is not FactKind.THANKED for group in groups)
    assert groups[0].rate.value == pytest.approx(0.4)
    assert group_by_fact([]) == ()


def test_the_worst_come_first_and_those_without_a_score_last() -> None:
    assert names(sort_worst(LINES)) == ["a", "b", "c", "d", "e"]
    assert names(sort_worst(LINES[::-1])) == ["a", "b", "c", "d", "e"]


def test_weeks_begin_on_mondays_and_in_order() -> None:
    weeks = list_weeks(LINES)
    assert [(week.monday, week.count) for week in weeks] == [
        (date(2026, 3, 2), 1),
        (date(2026, 3, 9), 3),
        (date(2026, 3, 16), 1),
    ]
    assert weeks[1].fallbacks.value == pytest.approx(1 / 3)


def test_a_mean_of_few_scores_has_no_interval() -> None:
    few = mean_score(LINES)
    assert (few.value, few.low, few.n) == (pytest.approx(2.5), None, 3)
    many = mean_score(LINES[:3] * 5)
    assert many.low is not None
    assert many.high is not None
    assert many.low < 2.5 < many.high
    assert mean_score([]).value is None


def test_scores_fall_into_three_bands() -> None:
    assert [band_of(score) for score in (None, 1.0, 2.49, 2.5, 3.49, 3.5, 5.0)] == [
        "none", "low", "low", "middle", "middle", "high", "high",
    ]  # fmt: skip
