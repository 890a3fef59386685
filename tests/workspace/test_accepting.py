"""A reply that somebody calls fine: kept with its turn, counted in later runs, refused where the turn is gone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from held_talks import add_shop, hold
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import AbsentError, AccessError, UsageError
from vivavoce.outcomes import TurnOutcome
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run, ScenarioRow
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.conversations.accepting import Origin, accept_reply, find_origin, is_accepted
from vivavoce.workspace.conversations.conversations import TurnPlace
from vivavoce.workspace.conversations.transcripts import Talk, find_talk
from vivavoce.workspace.scenarios.drafts import draft_of, scenario_of
from vivavoce.workspace.scenarios.scenarios import delete_scenario, open_scenario, save_scenario

pytestmark = pytest.mark.slow

SUITE = """
suite: shop
parts:
  opening:
    - {user: hello there, expect: {reply: hello}}
    - {user: how are you, expect: {reply: fine}}
rows:
  - {id: rome, city: Rome}
  - {id: nice, city: Nice}
scenarios:
  - id: goodbye
    level: basic
    turns:
      - include: opening
      - {user: bye, id: bye, expect: {reply: goodbye}}
  - id: misspelt
    level: basic
    turns:
      - {user: bey, kind: typo, twin_of: goodbye/bye, expect: same}
  - id: flights
    level: medium
    rows: [rome, nice]
    turns:
      - {user: 'to {city}', expect: {intent: book, reply: '{city} booked'}}
"""
BYE = (ConversationKey("parrot", "goodbye"), 3)


@pytest.fixture
def shop(sqlite_store: Store) -> Project:
    return add_shop(sqlite_store, suite=SUITE)


@pytest.fixture
def run(sqlite_store: Store, shop: Project) -> Run:
    return hold(sqlite_store, shop)


def talk_of(store: Store, run: Run, script: str) -> Talk:
    return find_talk(store, run, script)


def outcome_at(store: Store, run: Run, place: TurnPlace) -> TurnOutcome:
    key, number = place
    return TurnOutcome(talk_of(store, run, key.script).rows[key.bot][number].outcome)


def origin_of(store: Store, run: Run, script: str) -> Origin:
    origin = find_origin(store, run, talk_of(store, run, script).script)
    assert origin is not None
    return origin


def row_of(store: Store, run: Run, script: str) -> ScenarioRow:
    return origin_of(store, run, script).row


@pytest.mark.parametrize(
    "place", [BYE, (ConversationKey("parrot", "misspelt"), 1), (ConversationKey("mule", "flights[nice]"), 1)], ids=str
)
def test_an_accepted_reply_counts_from_the_next_run_on(
    sqlite_store: Store, shop: Project, run: Run, place: TurnPlace
) -> None:
    before = outcome_at(sqlite_store, run, place)
    assert before.counted
    assert not before.passed
    accept_reply(sqlite_store, PRODUCT, shop, run, place)
    assert outcome_at(sqlite_store, run, place) is before
    key, number = place
    reply = talk_of(sqlite_store, run, key.script).rows[key.bot][number]
    assert is_accepted(origin_of(sqlite_store, run, key.script), reply)
    assert outcome_at(sqlite_store, hold(sqlite_store, shop), place).passed


def test_an_acceptance_is_in_the_history_and_can_be_undone(sqlite_store: Store, shop: Project, run: Run) -> None:
    before = row_of(sqlite_store, run, "goodbye").text
    saved = accept_reply(sqlite_store, PRODUCT, shop, run, BYE)
    assert saved.edit.summary == "Reply accepted in goodbye, turn 3"
    with sqlite_store.writing() as tx:
        tx.edits.undo(saved.edit.id, None)
    assert row_of(sqlite_store, run, "goodbye").text == before


def test_two_replies_to_one_turn_can_be_accepted_and_one_only_once(
    sqlite_store: Store, shop: Project, run: Run
) -> None:
    accept_reply(sqlite_store, PRODUCT, shop, run, BYE)
    accept_reply(sqlite_store, PRODUCT, shop, run, (ConversationKey("mule", "goodbye"), 3))
    assert len(origin_of(sqlite_store, run, "goodbye").accepted[3]) == 2
    with pytest.raises(UsageError, match="already accepted"):
        accept_reply(sqlite_store, PRODUCT, shop, run, BYE)


def test_turns_of_a_part_are_found_at_the_step_that_includes_them(
    sqlite_store: Store, shop: Project, run: Run
) -> None:
    assert origin_of(sqlite_store, run, "goodbye").places == {1: 0, 2: 0, 3: 1}
    with pytest.raises(UsageError, match="part 'opening'"):
        accept_reply(sqlite_store, PRODUCT, shop, run, (ConversationKey("mule", "goodbye"), 1))


def test_a_turn_that_says_something_else_by_now_is_refused(sqlite_store: Store, shop: Project, run: Run) -> None:
    row = row_of(sqlite_store, run, "goodbye")
    opened = open_scenario(sqlite_store, shop, row.id).scenario
    include, bye = opened.turns
    changed = replace(opened, turns=(include, replace(bye, user="see you")))
    save_scenario(sqlite_store, PRODUCT, shop, row.id, changed, version=row.version)
    assert set(origin_of(sqlite_store, run, "goodbye").places) == {1, 2}
    with pytest.raises(UsageError, match="has changed since this run: turn 3"):
        accept_reply(sqlite_store, PRODUCT, shop, run, BYE)


def test_the_scenario_of_a_conversation_may_be_gone(sqlite_store: Store, shop: Project, run: Run) -> None:
    delete_scenario(sqlite_store, PRODUCT, shop, row_of(sqlite_store, run, "flights[rome]").id)
    assert find_origin(sqlite_store, run, talk_of(sqlite_store, run, "flights[rome]").script) is None
    with pytest.raises(AbsentError, match="was deleted"):
        accept_reply(sqlite_store, PRODUCT, shop, run, (ConversationKey("mule", "flights[rome]"), 1))


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ((BYE[0], 9), AbsentError),
        ((replace(BYE[0], bot="nobody"), 3), AbsentError),
        ((replace(BYE[0], script="nothing"), 3), AbsentError),
        ((replace(BYE[0], repeat=7), 3), AbsentError),
        ((ConversationKey("parrot", "goodbye"), 1), UsageError),
    ],
    ids=str,
)
def test_what_is_no_wrong_reply_cannot_be_accepted(
    sqlite_store: Store, shop: Project, run: Run, place: TurnPlace, error: type[Exception]
) -> None:
    with pytest.raises(error):
        accept_reply(sqlite_store, PRODUCT, shop, run, place)


def test_readers_accept_nothing(sqlite_store: Store, shop: Project, run: Run) -> None:
    with pytest.raises(AccessError):
        accept_reply(sqlite_store, Actor(None, "a reader", Role.READER), shop, run, BYE)


def test_the_editor_shows_accepted_replies_and_keeps_them(sqlite_store: Store, shop: Project, run: Run) -> None:
    accept_reply(sqlite_store, PRODUCT, shop, run, BYE)
    scenario = open_scenario(sqlite_store, shop, row_of(sqlite_store, run, "goodbye").id).scenario
    draft = draft_of(scenario)
    assert draft.turns[1].accepted == ("bye",)
    assert scenario_of(draft) == scenario
