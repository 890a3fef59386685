"""Runs of conversations: what is chosen is held, and what was said can be looked at from every side."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from held_talks import PARROT, RULES, add_bot, add_shop, begin, choice, hold, work
from vivavoce.agents import ENGINES
from vivavoce.bots.guard import addresses
from vivavoce.conversations.scenarios.formats.yaml_reading import parse_yaml_suite
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import AbsentError, AccessError, InputError, UsageError
from vivavoce.jobs.exams.conversation_run import read_material
from vivavoce.outcomes import TurnOutcome
from vivavoce.store.database import Store, open_store
from vivavoce.store.repositories.results import TurnFilter
from vivavoce.store.rows import Project, Role, Run, RunState, UnitState
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations import conversations
from vivavoce.workspace.conversations.changes import changed_turns, compare_conversations, newest_pair
from vivavoce.workspace.conversations.choices import offer
from vivavoce.workspace.conversations.conversations import (
    TalkPlace,
    bot_progress,
    conversations_result,
    find_scenario,
    find_turns,
    junit_of,
    look_ahead,
    start_conversations,
    watch,
)
from vivavoce.workspace.conversations.transcripts import MAX_TURNS, find_talk, list_talks, list_turns, turn_choices
from vivavoce.workspace.exams import runs
from vivavoce.workspace.scenarios.suites import import_read_suite, import_suite

pytestmark = pytest.mark.slow

READER = Actor(None, "a reader", Role.READER)
ODD = "slash/and?odd#name"


@dataclass(frozen=True)
class Held:
    """A workspace with a run in which every talk was held twice; nothing in it is changed by the tests."""

    store: Store
    shop: Project
    run: Run


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def held(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        address = str(shutil.copy(template, tmp_path_factory.mktemp("held") / "workspace.db"))
    else:
        server, template = request.getfixturevalue("postgres"), request.getfixturevalue("postgres_template")
        address = server.take(template)
    store = open_store(address)
    shop = add_shop(store)
    yield Held(store, shop, hold(store, shop, repeats=2))
    store.close()
    if request.param != "sqlite":
        server.give_back(address, template)


@pytest.fixture
def small_shop(sqlite_store: Store) -> Project:
    return add_shop(sqlite_store)


# --- choosing ----------------------------------------------------------------------------------------------------


def test_the_size_that_is_said_before_is_the_size_of_the_run(sqlite_store: Store, small_shop: Project) -> None:
    for more in ({}, {"repeats": 3}, {"levels": ("medium",)}, {"domains": ("small_talk",)}, {"bots": ("mule",)}):
        chosen = choice(sqlite_store, small_shop, **more)
        said = look_ahead(sqlite_store, small_shop, chosen, RULES)
        run = start_conversations(sqlite_store, PRODUCT, small_shop, chosen, RULES)
        assert said.errors == ()
        assert run.total == said.size.talks
        with sqlite_store.reading() as tx:
            header = read_material(tx.runs.material(run.id)).header
        turns = sum(len(script.turns) for script in header.plan.scripts)
        assert said.size.total_messages == turns * len(header.bots) * header.repeats


def test_all_that_is_wrong_with_a_choice_is_said_at_once(sqlite_store: Store, small_shop: Project) -> None:
    chosen = choice(sqlite_store, small_shop, bots=("parot", "mule", "mule"), repeats=0, at_once=0)
    with pytest.raises(UsageError) as refused:
        start_conversations(sqlite_store, PRODUCT, small_shop, chosen, RULES)
    said = str(refused.value)
    for part in ("'parot'", "'parrot'", "selected twice", "repeats", "at_once"):
        assert part in said
    assert runs.list_runs(sqlite_store, small_shop).total == 0


def test_a_domain_that_the_suite_does_not_have_is_refused(sqlite_store: Store, small_shop: Project) -> None:
    with pytest.raises(InputError, match="sales"):
        begin(sqlite_store, small_shop, domains=("sale",))


def test_two_suites_are_one_run_with_the_numbers_of_both_domains(sqlite_store: Store, small_shop: Project) -> None:
    clinic = """
    suite: clinic
    scenarios:
      - {id: greeting, level: basic, turns: [{user: good morning, expect: {reply: morning}}]}
    """
    import_read_suite(sqlite_store, PRODUCT, small_shop, parse_yaml_suite(clinic, source="test"))
    run = hold(sqlite_store, small_shop, suite=("shop", "clinic"))
    result = conversations_result(sqlite_store, run)
    assert {cell.domain for cell in result.cells} == {"", "small_talk", "sales", "clinic"}
    assert result.cell("parrot", "clinic").rates["accuracy"].value == 1.0
    with sqlite_store.reading() as tx:
        found = [find_scenario(tx, run, name) for name in ("shop: greeting", "clinic: greeting", "prices", "gone")]
        suites = [tx.suites.get(row.suite_id).name if row else None for row in found]
    assert suites == ["shop", "clinic", "shop", None]
    again = hold(sqlite_store, small_shop, suite=("shop", "clinic"))
    assert newest_pair(sqlite_store, small_shop) == (run.number, again.number)
    diff = compare_conversations(sqlite_store, small_shop, run.number, again.number).diff
    assert (diff.improved, diff.regressed, diff.new, diff.gone) == ((), (), (), ())


def test_built_in_bots_know_the_subject_of_each_suite(sqlite_store: Store, small_shop: Project) -> None:
    for name in ("flight", "medical"):
        import_suite(sqlite_store, PRODUCT, small_shop, name)
    run = hold(sqlite_store, small_shop, suite=("flight", "medical"), bots=("keywords",), levels=("basic",))
    result = conversations_result(sqlite_store, run)
    assert {cell.domain for cell in result.cells} == {"", "flight_booking", "medical"}
    for domain in ("flight_booking", "medical"):
        assert result.cell("keywords", domain).rates["accuracy"].value > 0.4


def test_a_suite_of_which_nothing_is_chosen_is_refused(sqlite_store: Store, small_shop: Project) -> None:
    import_suite(sqlite_store, PRODUCT, small_shop, "flight")
    with pytest.raises(UsageError, match="no scenario of"):
        begin(sqlite_store, small_shop, suite=("shop", "flight"), domains=("sales",))
    with pytest.raises(UsageError, match="unknown domain 'mars'"):
        begin(sqlite_store, small_shop, suite=("shop", "flight"), domains=("mars",))


def test_only_editors_begin_runs(sqlite_store: Store, small_shop: Project) -> None:
    with pytest.raises(AccessError):
        start_conversations(sqlite_store, READER, small_shop, choice(sqlite_store, small_shop), RULES)


def test_an_agent_of_a_suite_gives_bots_unless_their_name_is_taken(sqlite_store: Store, small_shop: Project) -> None:
    import_suite(sqlite_store, PRODUCT, small_shop, "flight")
    add_bot(sqlite_store, small_shop, "nearest", dict(PARROT))
    found = offer(sqlite_store, small_shop, "flight")
    names = [bot.name for bot in found.bots]
    assert set(ENGINES) <= set(names)
    assert len(names) == len(set(names))
    assert {bot.name for bot in found.bots if bot.built_in} == {"vectors", "keywords"}
    assert not any(bot.built_in for bot in offer(sqlite_store, small_shop, "shop").bots)


def test_limits_of_a_run_lower_those_of_a_bot_and_never_raise_them(sqlite_store: Store, small_shop: Project) -> None:
    add_bot(sqlite_store, small_shop, "shy", {**PARROT, "limits": {"at_once": 2, "per_second": 5}})
    for at_once, per_second, expected in ((None, None, (2, 5)), (50, 90.0, (2, 5)), (1, 3.0, (1, 3))):
        run = begin(sqlite_store, small_shop, bots=("shy",), at_once=at_once, per_second=per_second)
        with sqlite_store.reading() as tx:
            limits = read_material(tx.runs.material(run.id)).header.bots[0].limits
        assert (limits.at_once, limits.per_second) == expected


def test_a_bot_at_a_private_address_is_refused_where_that_is_not_allowed(
    sqlite_store: Store, small_shop: Project
) -> None:
    add_bot(sqlite_store, small_shop, "inner", {"kind": "http:http://127.0.0.1:9/say"})
    add_bot(sqlite_store, small_shop, "near", {"kind": "http", "url": "http://localhost:9/say"})
    for name in ("inner", "near"):
        chosen = choice(sqlite_store, small_shop, bots=(name,))
        with pytest.raises(UsageError, match="loopback"):
            start_conversations(sqlite_store, PRODUCT, small_shop, chosen, BotRules())
        assert look_ahead(sqlite_store, small_shop, chosen, RULES).errors == ()


def test_a_worker_connects_only_where_the_run_allows_it(
    sqlite_store: Store, small_shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vivavoce.bots.scripted import ScriptedBot

    seen: list[bool] = []
    answer = ScriptedBot.answer
    monkeypatch.setattr(
        ScriptedBot, "answer", lambda bot, text: (seen.append(addresses().public_only), answer(bot, text))[1]
    )
    chosen = choice(sqlite_store, small_shop, bots=("parrot",))
    for rules in (BotRules(), RULES):
        start_conversations(sqlite_store, PRODUCT, small_shop, chosen, rules)
        work(sqlite_store)
    assert seen == [True] * 6 + [False] * 6


# --- watching ----------------------------------------------------------------------------------------------------


def test_progress_of_all_bots_together_is_that_of_the_run(sqlite_store: Store, small_shop: Project) -> None:
    store, shop = sqlite_store, small_shop
    waiting = begin(store, shop, repeats=2)
    assert [(one.bot, one.done, one.total) for one in bot_progress(store, waiting)] == [
        ("mule", 0, 6),
        ("parrot", 0, 6),
    ]
    assert watch(store, waiting).place is None
    work(store)
    done = runs.show_run(store, shop, waiting.number).run
    assert sum(one.done for one in bot_progress(store, done)) == done.done == done.total == 12


def test_any_talk_can_be_watched_with_every_bot(held: Held) -> None:
    store, run = held.store, held.run
    newest = watch(store, run)
    assert newest.place in newest.others
    assert set(newest.turns) == {"parrot", "mule"}
    for script, turns in (("greeting", 2), ("prices", 3), (ODD, 1)):
        found = watch(store, run, TalkPlace(script, 1))
        assert found.states == {"parrot": UnitState.DONE, "mule": UnitState.DONE}
        assert all([row.number for row in rows] == list(range(1, turns + 1)) for rows in found.turns.values())
    assert watch(store, run, TalkPlace("no\0where", 0)).turns == {}


# --- results -----------------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_turns(held: Held) -> None:
    store, run = held.store, held.run
    assert run.state is RunState.DONE
    result = conversations_result(store, run)
    for bot in ("parrot", "mule"):
        rows = list_turns(store, run, TurnFilter(bot=bot), limit=100).rows
        outcomes = [TurnOutcome(row.outcome) for row in rows]
        counted = [one for one in outcomes if one.counted]
        rate = result.cell(bot).rates["accuracy"]
        assert rate.n == len(counted) == 10
        assert rate.value == pytest.approx(sum(one.passed for one in counted) / len(counted))


def test_a_run_that_is_not_done_has_no_result(sqlite_store: Store, small_shop: Project) -> None:
    with pytest.raises(AbsentError, match="waiting"):
        conversations_result(sqlite_store, begin(sqlite_store, small_shop))


def test_junit_has_a_case_for_every_talk_and_fails_those_with_a_fault(held: Held) -> None:
    store, run = held.store, held.run
    cases = list(ET.fromstring(junit_of(store, run)).iter("testcase"))  # noqa: S314 - written by ourselves
    assert len(cases) == run.total
    failed = {
        case.attrib["name"]
        for case in cases
        if case.find("failure") is not None and "parrot" in case.attrib["classname"]
    }
    assert failed == {"greeting #1", "greeting #2", "prices #1", "prices #2"}


def test_examples_are_found_where_they_are_said_to_be(held: Held) -> None:
    store, run = held.store, held.run
    places = [
        (ConversationKey(*at), n) for *at, n in (("parrot", "greeting", 2), ("mule", ODD, 1), ("mule", "gone", 1))
    ]
    found = find_turns(store, run, places)
    assert {place: row.sent for place, row in found.items()} == {places[0]: "bye", places[1]: "is it <b>cheap</b>"}
    assert find_turns(store, run, []) == {}


# --- turns and talks ---------------------------------------------------------------------------------------------


def test_every_filter_keeps_what_it_names_and_nothing_else(held: Held) -> None:
    store, run = held.store, held.run
    everything = list_turns(store, run, limit=100)
    assert everything.total == len(everything.rows) == 24
    for name, values in turn_choices(store, run).items():
        found = {value: list_turns(store, run, replace(TurnFilter(), **{name: value}), limit=100) for value in values}
        assert all(getattr(row, name) == value for value, page in found.items() for row in page.rows)
        assert sum(page.total for page in found.values()) == everything.total
    assert list_turns(store, run, TurnFilter(search="WAHT")).total == 4
    assert list_turns(store, run, TurnFilter(search="100%_\0")).total == 0


def test_turns_are_sorted_both_ways(held: Held) -> None:
    store, run = held.store, held.run
    for sort, name in (("time", "first_ms"), ("bot", "bot"), ("outcome", "outcome"), ("scenario", "scenario")):
        up = [getattr(row, name) for row in list_turns(store, run, sort=sort, limit=100).rows]
        down = [getattr(row, name) for row in list_turns(store, run, sort=f"-{sort}", limit=100).rows]
        assert up == sorted(up)
        assert down == sorted(up, reverse=True)


def test_a_talk_shows_every_turn_with_every_bot(held: Held) -> None:
    store, run = held.store, held.run
    names = ["greeting", "prices", ODD]
    for place, name in enumerate(names):
        talk = find_talk(store, run, name)
        assert set(talk.bots) == {"parrot", "mule"}
        assert all(set(talk.rows[bot]) == {turn.number for turn in talk.turns} for bot in talk.bots)
        assert talk.previous == (names[place - 1] if place else "")
        assert talk.next == (names[place + 1] if place < 2 else "")
    for script, repeat in (("greting", 0), ("greeting", 2), ("greeting", -1)):
        with pytest.raises(AbsentError, match="greeting"):
            find_talk(store, run, script, repeat=repeat)


def test_a_long_talk_is_shown_in_pages(sqlite_store: Store) -> None:
    turns = "\n".join(f"      - {{user: message {n}, expect: {{reply: message}}}}" for n in range(MAX_TURNS + 10))
    suite = f"suite: long\nscenarios:\n  - id: long\n    level: basic\n    turns:\n{turns}\n"
    shop = add_shop(sqlite_store, "long", suite)
    run = begin(sqlite_store, shop)
    pages = [find_talk(sqlite_store, run, "long", page=page) for page in (1, 2, 3)]
    assert all(len(page.turns) * len(page.bots) <= MAX_TURNS for page in pages)
    assert [turn.number for page in pages for turn in page.turns] == list(range(1, MAX_TURNS + 11))
    assert {page.pages for page in pages} == {3}


def test_the_list_of_talks_counts_what_went_right(held: Held) -> None:
    store, run = held.store, held.run
    found = list_talks(store, run)
    assert found.total == 3
    right = {line.script.id: line.tallies["parrot"] for line in found.lines}
    assert {name: (one.right, one.counted) for name, one in right.items()} == {
        "greeting": (2, 4),
        "prices": (2, 4),
        ODD: (2, 2),
    }
    assert [line.script.id for line in list_talks(store, run, "sales", "", "ASKS").lines] == ["prices"]
    assert list_talks(store, run, limit=1, offset=2).lines[0].script.id == ODD


# --- two runs ----------------------------------------------------------------------------------------------------


def test_a_run_beside_itself_differs_in_nothing(held: Held) -> None:
    store, shop, a = held.store, held.shop, held.run
    b = hold(store, shop, repeats=2)
    found = compare_conversations(store, shop, a.number, b.number)
    assert (found.diff.improved, found.diff.regressed, found.diff.edited, found.diff.new) == ((), (), (), ())
    assert found.diff.unchanged == 20
    assert found.before == found.after
    with pytest.raises(UsageError, match="itself"):
        compare_conversations(store, shop, a.number, a.number)


def test_turns_that_a_changed_bot_gets_right_are_better_one_way_and_worse_the_other(
    sqlite_store: Store, small_shop: Project
) -> None:
    store, shop = sqlite_store, small_shop
    before = hold(store, shop, bots=("mule",))
    with store.writing() as tx:
        mule = tx.bots.by_name(shop.id, "mule")
        change = tx.edits.update("bots", mule.id, entry=dict(PARROT))
        tx.edits.apply(shop.id, None, "change", "The mule learns", [change])
    after = hold(store, shop, bots=("mule",))
    forth = compare_conversations(store, shop, before.number, after.number)
    back = compare_conversations(store, shop, after.number, before.number)
    places = {(one.key.script, one.number) for one in forth.diff.improved}
    assert places == {("greeting", 1), ("prices", 1), (ODD, 1)}
    assert {(one.key.script, one.number) for one in back.diff.regressed} == places
    assert forth.diff.regressed == back.diff.improved == ()
    for one in changed_turns(store, forth, forth.diff.improved):
        assert one.before is not None
        assert one.after is not None
        assert (one.before.reply, one.after.reply) == ("I cannot tell.", one.after.sent)


def test_runs_without_a_bot_in_common_are_refused(sqlite_store: Store, small_shop: Project) -> None:
    a, b = hold(sqlite_store, small_shop), begin(sqlite_store, small_shop)
    with pytest.raises(AbsentError):
        compare_conversations(sqlite_store, small_shop, a.number, b.number)
    with pytest.raises(AbsentError):
        compare_conversations(sqlite_store, small_shop, a.number, 99)


def test_a_title_is_made_of_the_suite_and_its_bots(sqlite_store: Store, small_shop: Project) -> None:
    assert begin(sqlite_store, small_shop).title.endswith(", The shop: mule, parrot")
    assert begin(sqlite_store, small_shop).title.endswith(", The shop: mule, parrot, nothing changed")
    assert begin(sqlite_store, small_shop, title="  My run ").title == "My run"
    assert conversations.KIND == "conversations"
