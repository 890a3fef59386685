"""Charts of old are told in German when they are shown: our words, never those of a project."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from vivavoce.web.chart_words import retell_picture, retell_spec
from vivavoce.web.language import Words
from vivavoce.web.pages.dialogues.effects import Bar, bars_of, effects_picture

GERMAN = Words("de")
ENTRY = (
    '<g transform="translate({x},0)"><path class="background" d="M0,0h50v12h-50Z" opacity="1"/><g><g '
    'class="mark-symbol role-legend-symbol"><path d="M0"/></g><g class="mark-text role-legend-label">'
    "<text>{text}</text></g></g></g>"
)
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" aria-label="What became of the turns of each bot." width="393" '
    'height="135" viewBox="0 0 393 135"><title>What became of the turns of each bot.</title><g '
    'transform="translate(65,62)"><g class="mark-text role-axis-label"><text text-anchor="end">right</text><text '
    'text-anchor="end">a &lt;b&gt;</text></g><g class="mark-text role-axis-label"><text>0.1</text>'
    "<text>1,000</text></g>"
    '<g class="mark-text role-axis-title"><text>people\'s mark</text></g>'
    + "".join(ENTRY.format(x=x, text=text) for x, text in ((0, "right"), (40, "wrong topic"), (130, "no reply")))
    + "</g></svg>"
)
SPEC = {
    "description": "What became of the turns of each bot.",
    "config": {"font": "Arial"},
    "datasets": {"data-1": [{"bot": "right", "what": "right", "turns": 2}]},
    "encoding": {
        "color": {"field": "what", "scale": {"domain": ["right"], "range": ["#2a78b8"]}},
        "tooltip": [{"field": "bot"}, {"field": "what"}],
        "x": {"field": "turns", "title": "score"},
        "y": {"field": "bot", "title": None, "scale": {"domain": ["right"]}},
    },
}


def texts_of(svg: str) -> list[str | None]:
    return [node.text for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


def test_the_words_of_a_picture_are_german_and_names_stay() -> None:
    told = retell_picture("de", "outcomes", PICTURE)
    assert texts_of(told) == [
        "right", "a <b>", "0,1", "1.000", "Note der Menschen", "richtig", "falsches Thema", "keine Antwort"
    ]  # fmt: skip
    assert 'aria-label="Was aus den Wortwechseln jedes Bots wurde."' in told
    assert "What became" not in told


def test_longer_words_push_the_next_ones_aside_and_get_room_at_the_axis() -> None:
    told = retell_picture("de", "outcomes", PICTURE)
    places = [float(part.split(",", 1)[0]) for part in told.split("translate(")[2:]]
    assert places[0] == 0
    assert places[1] > 16 + 6 * len("richtig")
    assert places[2] - places[1] > 16 + 6 * len("falsches Thema")
    long = PICTURE.replace(">right<", ">Smallest topics unknown<", 1)
    assert 'viewBox="-' in retell_picture("de", "settings", long)


def test_an_english_reader_gets_the_picture_and_the_chart_as_they_were_drawn() -> None:
    assert retell_picture("en", "outcomes", PICTURE) is PICTURE
    assert retell_spec(Words("en"), "outcomes", SPEC) is SPEC


def test_a_live_chart_is_made_of_german_words_and_numbers() -> None:
    before = json.dumps(SPEC)
    told = retell_spec(GERMAN, "outcomes", SPEC)
    assert told["datasets"]["data-1"] == [{"bot": "right", "what": "richtig", "turns": 2}]
    assert told["encoding"]["color"]["scale"]["domain"] == ["richtig"]
    assert told["encoding"]["x"]["title"] == "Wertung"
    assert told["encoding"]["y"]["scale"]["domain"] == ["right"]
    assert [one["title"] for one in told["encoding"]["tooltip"]] == ["Bot", "was"]
    assert told["config"]["locale"]["number"]["decimal"] == ","
    assert json.dumps(SPEC) == before


def test_the_picture_of_a_talk_names_speakers_messages_and_points() -> None:
    turns = [{"speaker": "Iris", "is_bot": True}, {"speaker": "<Ann>", "is_bot": None}, {"is_bot": False}]
    bars = bars_of(GERMAN, turns, {1: 0.1, 2: -0.4, 3: 0.0})
    assert bars == (Bar(1, "Bot", 0.1), Bar(2, "<Ann>", -0.4), Bar(3, "Person", 0.0))
    drawn = str(effects_picture(GERMAN, bars, "What"))
    assert "&lt;Ann&gt;" in drawn
    assert drawn.count('class="bar"') == 3
    shown = texts_of(drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '))
    assert {"+0,20", "−0,40", "0", "1", "3", "Bot", "Person", "Nachricht", "Wirkung in Punkten"} <= set(shown)


def test_a_long_talk_is_drawn_by_its_strongest_messages() -> None:
    bars = bars_of(GERMAN, [], {number: number / 100 for number in range(1, 301)})
    assert len(bars) == 60
    assert min(bar.number for bar in bars) == 241
    assert str(effects_picture(GERMAN, bars, "What")).count('class="bar"') == 60
