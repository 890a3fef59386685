"""Several suites in one plan: each conversation is judged by the word of its own suite."""

from __future__ import annotations

from dataclasses import replace

from vivavoce.bots.protocol import BotFacts, Fallback
from vivavoce.conversations import Suite, expand
from vivavoce.conversations.record_form import header_from_text, header_to_text
from vivavoce.conversations.running.runner import RunOptions, make_header
from vivavoce.conversations.scenario import Plan
from vivavoce.conversations.scenarios.formats.yaml_reading import parse_yaml_suite
from vivavoce.conversations.scenarios.joining import find_own_name, join_facts, join_plans, name_domain

SHOP = """
suite: shop
notice: Invented prices.
fallback: {replies: [no idea]}
scenarios:
  - id: hello
    level: basic
    domain: sales
    turns: [{user: hello, id: first, expect: {reply: hi}}]
  - id: twin
    level: basic
    domain: sales
    turns: [{user: helo, kind: typo, twin_of: hello/first, expect: same}]
"""
CLINIC = """
suite: clinic
defaults: {match: exact}
scenarios:
  - id: hello
    level: medium
    turns: [{user: good morning, expect: {reply: morning}}]
"""


def read(text: str) -> Suite:
    return parse_yaml_suite(text, source="test")


def join(*texts: str) -> Plan:
    return join_plans([expand(name_domain(read(text))) for text in texts])


def test_a_single_suite_is_planned_as_it_is() -> None:
    assert join_plans([expand(read(SHOP))]) == expand(read(SHOP))


def test_names_that_two_suites_have_are_told_apart_and_twins_follow() -> None:
    plan = join(SHOP, CLINIC)
    assert [script.id for script in plan.scripts] == ["shop: hello", "twin", "clinic: hello"]
    assert plan.scripts[1].turns[0].twin == ("shop: hello", 1)
    assert find_own_name("clinic", plan.scripts[2].scenario) == "hello"
    assert plan.suite == "shop + clinic"


def test_a_suite_without_domains_is_a_domain() -> None:
    assert [script.domain for script in join(SHOP, CLINIC).scripts] == ["sales", "sales", "clinic"]


def test_each_conversation_keeps_the_rules_of_its_suite() -> None:
    plan = join(SHOP, CLINIC)
    shop, clinic = plan.of(plan.scripts[0]), plan.of(plan.scripts[2])
    assert (str(shop.defaults.match), shop.fallback.replies) == ("contains", ("no idea",))
    assert (str(clinic.defaults.match), clinic.fallback.replies) == ("exact", ())
    assert plan.notice == "Invented prices."


def test_a_record_keeps_a_plan_of_several_suites() -> None:
    header = make_header(join(SHOP, CLINIC), [BotFacts("parrot")], RunOptions())
    assert header_from_text(header_to_text(header)) == header


def test_the_hash_follows_the_suites() -> None:
    assert join(SHOP, CLINIC).hash != join(SHOP, CLINIC.replace("morning}", "evening}")).hash


def test_a_bot_of_two_agents_knows_what_both_know() -> None:
    one = BotFacts(
        "x", "agent 'a'", True, fallback=Fallback(replies=("sorry",)), intents=("book",), phrases={"book": ("a",)}
    )
    two = replace(
        one,
        about="agent 'b'",
        fallback=Fallback(replies=("pardon",)),
        intents=("book", "heal"),
        phrases={"book": ("b",)},
    )
    both = join_facts([one, two])
    assert both.about == "agent 'a'; agent 'b'"
    assert both.intents == ("book", "heal")
    assert both.phrases == {"book": ("a", "b")}
    assert both.fallback.replies == ("sorry", "pardon")
    assert join_facts([one, replace(two, intents=None)]).intents is None
    assert join_facts([one, one]) == one
