"""Charts of a dialogues exam are drawn offline, follow the theme, and show what the result holds."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from dialogue_results import CASES, hostile, many, one

from vivavoce.dialogues.result import DialoguesResult
from vivavoce.records import Rate
from vivavoce.reports.dialogues import charts
from vivavoce.reports.shared.svg import AnyChart, to_svg

MAKERS: dict[str, Callable[[DialoguesResult], AnyChart | None]] = {
    "distribution": lambda r: charts.distribution_figure(r).chart,
    "agreement": lambda r: charts.agreement_figure(r).chart,
    "ranking": lambda r: charts.ranking_figure(r.ranking).chart if r.ranking else None,
    "turns": lambda r: charts.effects_chart(r.dialogues[0], r.scores[0]) if r.scores else None,
}


def values(chart: AnyChart) -> list[dict[str, Any]]:
    """Return all rows of data in a chart."""
    rows: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            held = node.get("values", ())
            rows.extend(row for row in held if isinstance(row, dict))
            for part in node.values():
                walk(part)
        elif isinstance(node, list):
            for part in node:
                walk(part)

    spec = chart.to_dict()
    for named in spec.pop("datasets", {}).values():
        rows.extend(named)
    walk(spec)
    return rows


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", MAKERS)
def test_a_dialogue_chart_is_well_formed_themed_and_labelled(name: str, case: str) -> None:
    chart = MAKERS[name](CASES[case]())
    if chart is None:
        assert case not in ("three bots", "hostile"), "these have everything to draw"
        return
    svg = to_svg(chart)
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert not re.findall(r'(?:fill|stroke)="#[0-9a-f]{3,8}"', svg), "a colour that does not follow the theme"
    assert not re.findall(r"(?:href|src)=|url\((?!#)|<script", svg)
    assert "NaN" not in svg


def test_each_message_has_a_bar_from_zero_to_its_effect() -> None:
    result = one()
    chart = charts.effects_chart(result.dialogues[0], result.scores[0])
    drawn = [(row["number"], row["effect"]) for row in values(chart) if "number" in row]
    assert dict(drawn) == {turn.number: turn.effect for turn in result.scores[0].turns}
    spec = chart.to_dict()
    bars = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "bar")
    low, high = bars["encoding"]["y"]["scale"]["domain"]
    assert low < min(effect for _, effect in drawn) <= max(effect for _, effect in drawn) < high
    assert low == -high, "what lowers and what raises is drawn to the same scale"


def test_bot_and_person_differ_in_shape_and_lightness_too() -> None:
    spec = charts.effects_chart(one().dialogues[0], one().scores[0]).to_dict()
    for channel in ("shape", "opacity"):
        layer = next(layer for layer in spec["layer"] if channel in layer["encoding"])
        assert layer["encoding"][channel]["scale"]["domain"] == ["person", "bot"]
        assert len(set(layer["encoding"][channel]["scale"]["range"][:2])) == 2


def test_every_scored_talk_is_counted_once_in_the_distribution() -> None:
    for result in (many(90), many(40, (None,))):
        total = sum(row["talks"] for row in values(charts.distribution_figure(result).chart))
        assert total == sum(score.score is not None for score in result.scores)


def test_each_bot_has_a_histogram_of_its_own() -> None:
    assert {row["bot"] for row in values(charts.distribution_figure(many(90)).chart)} == {"alpha", "beta", "gamma"}
    assert (
        len({row["bot"] for row in values(charts.distribution_figure(CASES["many bots"]()).chart)}) == charts.MAX_BOTS
    )


def test_many_marks_or_messages_are_thinned_out() -> None:
    crowd = values(charts.agreement_figure(many(3_000, marks=3_000)).chart)
    assert len(crowd) < charts.MAX_POINTS + 20
    result = hostile()
    rows = charts.effect_rows(result.dialogues[1], result.scores[1])
    assert len(rows) == charts.MAX_BARS
    assert [number for number, *_ in rows] == sorted(number for number, *_ in rows)
    kept = {number for number, *_ in rows}
    left = [abs(turn.effect) for turn in result.scores[1].turns if turn.number not in kept]
    assert max(left) <= min(abs(effect) for *_, effect in rows), "the strongest are drawn"


def test_a_bot_without_a_rank_is_left_to_the_table() -> None:
    ranking = many(90).ranking
    assert ranking is not None
    bare = replace(ranking.lines[-1], rank=None, low_rank=None, high_rank=None)
    shown = values(charts.ranking_figure(replace(ranking, lines=(*ranking.lines[:-1], bare))).chart)
    assert {row["bot"] for row in shown} == {"alpha", "beta"}
    none = tuple(replace(line, rank=None, low_rank=None, high_rank=None) for line in ranking.lines)
    assert len({row["bot"] for row in values(charts.ranking_figure(replace(ranking, lines=none)).chart)}) == 3


def test_the_diagonal_and_the_bins_stand_in_the_agreement_chart() -> None:
    rows = values(charts.agreement_figure(many(90)).chart)
    assert {"score": 1.0, "mark": 1.0} in rows
    assert {"score": 5.0, "mark": 5.0} in rows
    assert len([row for row in rows if "low" in row]) == 4, "one for each bin"


def test_a_bot_without_interval_keeps_its_dot() -> None:
    ranking = many(90).ranking
    assert ranking is not None
    bare = replace(ranking, lines=tuple(replace(line, mean=Rate(3.0, None, None, 2)) for line in ranking.lines))
    assert to_svg(charts.ranking_figure(bare).chart).count("<path") > 0


def test_shares_of_comparisons_are_drawn_as_shares() -> None:
    ranking = many(90).ranking
    assert ranking is not None
    lines = tuple(replace(line, mean=Rate(0.6, 0.4, 0.8, 20)) for line in ranking.lines)
    svg = to_svg(charts.ranking_figure(replace(ranking, lines=lines)).chart)
    assert "comparisons won" in svg
    assert "100%" in svg
