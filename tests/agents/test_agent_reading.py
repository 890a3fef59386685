"""Agent files: what is read, and every fault at once with its line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from agent_text import FERRY

from vivavoce.agents import SlotKind, parse_agent, read_agent
from vivavoce.errors import DataError, FileError, UsageError

SMALL = """
format: 1
agent: small
slots:
  city: {values: {Rome: [roma], Oslo: []}, ask: Which city?}
facts:
  hotels: [{city: Rome, name: Sole}]
topics:
  - intent: hotel
    phrases: [find a hotel]
    needs: [city]
    replies: [{find: {in: hotels, where: [city]}, each: "{name}", say: "{found}"}]
"""


def faults_of(text: str) -> list[str]:
    with pytest.raises(DataError) as caught:
        parse_agent(text)
    return [str(fault) for fault in caught.value.faults]


def test_everything_that_is_written_is_read() -> None:
    agent = parse_agent(FERRY)
    book = agent.by_intent["book"]
    assert (agent.name, agent.today, agent.fallback) == (
        "ferry",
        date(2024, 5, 1),
        ("Pardon?", "I only know ferries."),
    )
    assert agent.slots["destination"].values == agent.slots["origin"].values
    assert agent.slots["day"].kind is SlotKind.DATE
    assert agent.slots["day"].last == date(2024, 5, 12)
    assert book.needs == ("origin", "destination", "day")
    assert book.replies[0].find is not None
    assert book.replies[0].find.where[-1] == ("departs", "hour")
    assert book.replies[0].find.most == 2
    assert agent.by_intent["greet"].side
    assert not book.side
    assert agent.yes == "affirm"
    assert "booked" in agent.slot_names


def test_words_that_yaml_takes_for_flags_stay_words() -> None:
    assert (
        parse_agent(FERRY.replace('["yes", yes please', "[yes, yes please")).by_intent["affirm"].phrases[0] == "yes"
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("needs: [city]", "needs: [citty]", "unknown slot 'citty'. Did you mean 'city'?"),
        ("needs: [city]", "takes: [town]", "unknown slot 'town'"),
        ("where: [city]", "where: [town]", "unknown column 'town'"),
        ("in: hotels", "in: hotel", "the facts have no table 'hotel'. Did you mean 'hotels'?"),
        ('each: "{name}"', 'each: "{nam}"', "the placeholder {nam} has no value. Did you mean 'name'?"),
        ('say: "{found}"', 'say: "{where}"', "the placeholder {where} has no value"),
        ("phrases: [find a hotel]", "phrases: []", "the topic 'hotel' has no training phrases"),
        ("replies:", "reply:", "unknown key 'reply'. Did you mean 'replies'?"),
        ("agent: small", "agent: small\ntodday: 2024-01-01", "Did you mean 'today'?"),
        ("ask: Which city?", "default: Roma", "the default 'Roma' is not one of the values. Did you mean 'Rome'?"),
        (", ask: Which city?", "", "the slot 'city' is required but has no `ask`"),
        ("Oslo: []", "Oslo: [Roma]", "'Roma' means two values: 'Rome' and 'Oslo'"),
        ("format: 1", "format: 2", "this version reads `format: 1`"),
        ('say: "{found}"', 'say: "{found}", after: hottel', "unknown topic 'hottel'. Did you mean 'hotel'?"),
        ('say: "{found}"', 'say: "{found}", offer: hotel', "an offer needs a topic for yes"),
        ('say: "{found}"', 'say: "{found}", if: {city: Pisa}', "'Pisa' is not a value of 'city'"),
        ('say: "{found}"', 'say: "{found}", clear: [plan]', "unknown slot 'plan'"),
        (
            "values: {Rome: [roma], Oslo: []}",
            "kind: datum",
            "unknown slot kind 'datum'. Did you mean 'date'?",
        ),
        ("values: {Rome: [roma], Oslo: []}", "kind: date", "needs `today` in the agent"),
        ("values: {Rome: [roma], Oslo: []}", "values: town", "the slot 'town' to take values from does not exist"),
    ],
)
def test_each_fault_is_told_with_its_line_and_the_nearest_name(old: str, new: str, told: str) -> None:
    assert old in SMALL
    found = [fault for fault in faults_of(SMALL.replace(old, new)) if told in fault]
    assert found
    assert found[0].startswith("line ")


def test_the_line_is_that_of_the_fault() -> None:
    text = SMALL.replace("needs: [city]", "needs: [citty]")
    line = text.splitlines().index("    needs: [citty]") + 1
    assert any(fault.startswith(f"line {line}:") for fault in faults_of(text))


def test_all_faults_come_at_once() -> None:
    text = (
        SMALL.replace("needs: [city]", "needs: [x]").replace("in: hotels", "in: y").replace("format: 1", "format: 9")
    )
    told = "\n".join(faults_of(text))
    assert all(part in told for part in ("slot 'x'", "table 'y'", "format"))


def test_an_intent_or_a_phrase_in_two_topics_is_a_fault() -> None:
    again = "  - intent: hotel\n    phrases: [Find  a hotel]\n    replies: [x]\n"
    other = again.replace("intent: hotel", "intent: inn")
    assert any("the intent 'hotel' appears twice" in fault for fault in faults_of(SMALL + again))
    assert any("'hotel' and 'inn'" in fault for fault in faults_of(SMALL + other))


def test_a_table_may_lie_beside_the_agent_file(tmp_path: Path) -> None:
    (tmp_path / "hotels.csv").write_text("city,name\nRome,Sole\nOslo,Nord\n", encoding="utf-8")
    file = tmp_path / "agent.yaml"
    file.write_text(SMALL.replace("[{city: Rome, name: Sole}]", "{file: hotels.csv}"), encoding="utf-8")
    for named in (file, tmp_path):
        assert [row["name"] for row in read_agent(named).facts["hotels"].rows] == ["Sole", "Nord"]


@pytest.mark.parametrize("place", ["../secret.csv", "/etc/passwd", "missing.csv"])
def test_a_table_that_is_not_there_or_lies_elsewhere_is_a_fault(place: str) -> None:
    assert any("line 7" in f for f in faults_of(SMALL.replace("[{city: Rome, name: Sole}]", f"{{file: {place}}}")))


def test_an_agent_that_does_not_exist_says_which_there_are() -> None:
    with pytest.raises(UsageError, match="flight"):
        read_agent("fligt")
    with pytest.raises(FileError):
        read_agent("nowhere/agent.yaml")


@pytest.mark.parametrize("name", ["flight", "medical"])
def test_shipped_agents_are_without_fault(name: str) -> None:
    agent = read_agent(name)
    assert agent.name == name
    assert all(topic.keywords for topic in agent.topics)
