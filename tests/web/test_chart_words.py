"""Charts are drawn in German when they are shown: our words, never those of a project."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.dialogues.result import Score, TurnEffect
from vivavoce.messages import add_messages, say
from vivavoce.reports.dialogues.charts import effects_chart
from vivavoce.reports.shared.svg import spec_to_svg
from vivavoce.web.figures import draw, translate_spec
from vivavoce.web.language import Words

GERMAN = Words("de")
SPEC = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "description": say("Outcomes of each bot's turns."),
    "width": "container",
    "config": {"font": "Arial"},
    "data": {"values": [{"bot": "right", "what": say("right"), "turns": 2}]},
    "mark": {"type": "bar"},
    "encoding": {
        "color": {"field": "what", "type": "nominal", "scale": {"domain": [say("right")], "range": ["#2a78b8"]}},
        "tooltip": [{"field": "bot"}, {"field": "what"}],
        "x": {"field": "turns", "type": "quantitative", "title": say("score"), "axis": {"format": ".1f"}},
        "y": {"field": "bot", "type": "nominal", "title": None, "scale": {"domain": ["right"]}},
    },
    "usermeta": {"title": "x", "width": 200},
}
STORED = json.loads(json.dumps(add_messages(SPEC)))


def texts_of(svg: str) -> list[str | None]:
    return [node.text for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


def test_the_words_of_a_picture_are_german_and_names_stay() -> None:
    drawn = draw(GERMAN, STORED)
    shown = texts_of(drawn)
    assert {"richtig", "right", "Wertung"} <= set(shown)
    assert "1,0" in shown
    assert 'aria-label="Ergebnisse der Schritte jedes Bots."' in drawn
    assert "Outcomes of" not in drawn


def test_a_live_chart_is_made_of_german_words_and_numbers() -> None:
    before = json.dumps(STORED)
    told = translate_spec(GERMAN, STORED)
    assert told["data"]["values"] == [{"bot": "right", "what": "richtig", "turns": 2}]
    assert told["encoding"]["color"]["scale"]["domain"] == ["richtig"]
    assert told["encoding"]["x"]["title"] == "Wertung"
    assert told["encoding"]["y"]["scale"]["domain"] == ["right"]
    assert [one["title"] for one in told["encoding"]["tooltip"]] == ["Bot", "was"]
    assert told["config"]["locale"]["number"]["decimal"] == ","
    assert json.dumps(STORED) == before
    assert translate_spec(GERMAN, SPEC) == told


def test_an_english_reader_gets_the_chart_as_it_was_drawn_and_an_old_one_stays_english() -> None:
    assert translate_spec(Words("en"), STORED) == json.loads(json.dumps(SPEC))
    old = {name: part for name, part in STORED.items() if name != "messages"}
    assert translate_spec(GERMAN, old)["encoding"]["x"]["title"] == "score"


def draw_effects(turns: tuple[Utterance, ...], effects: dict[int, float]) -> tuple[dict[str, Any], str]:
    moved = tuple(TurnEffect(number, "?", effect) for number, effect in effects.items())
    spec = translate_spec(GERMAN, effects_chart(Dialogue("talk", turns), Score("talk", 3.0, turns=moved)).to_dict())
    return spec, spec_to_svg(spec)


def test_the_picture_of_a_talk_names_speakers_messages_and_points() -> None:
    turns = (Utterance("Iris", "Hi", is_bot=True), Utterance("<Ann>", "Hi"), Utterance("", "Bye", is_bot=False))
    _, drawn = draw_effects(turns, {1: 0.1, 2: -0.4, 3: 0.0})
    assert "&lt;Ann&gt;" in drawn
    shown = texts_of(drawn)
    assert {"+0,2", "−0,4", "0", "1", "3", "Bot", "Person", "<Ann>", "Nachricht", "Wirkung in Punkten"} <= set(shown)


def test_a_long_talk_is_drawn_by_its_strongest_messages() -> None:
    spec, _ = draw_effects((), {number: number / 100 for number in range(1, 301)})
    numbers = [row["number"] for rows in spec["datasets"].values() for row in rows if "number" in row]
    assert len(numbers) == 60
    assert min(numbers) == 241
