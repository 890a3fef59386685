"""The record of a run: it survives, it is read back exactly, one process writes it at a time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talkers import Talker, many

from vivavoce.bots.protocol import BotFacts, Fallback, Limits
from vivavoce.conversations.record_form import (
    MAX_RAW,
    exchange_from_text,
    exchange_to_text,
    header_from_text,
    header_to_text,
)
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.running.runner import RunOptions, begin_run
from vivavoce.conversations.transcript import RECORD_FILE, ConversationKey, Exchange, State
from vivavoce.errors import FileError, UsageError
from vivavoce.records import Guess, Reply, Status

# Halves of characters among them: bots send such things.
texts = st.text(st.characters(), max_size=20)
shares = st.none() | st.floats(0, 1)
replies = st.builds(
    Reply,
    texts=st.lists(texts, max_size=3).map(tuple),
    intent=st.none() | texts,
    confidence=shares,
    slots=st.dictionaries(texts, texts, max_size=2),
    buttons=st.lists(texts, max_size=2).map(tuple),
    fallback=st.none() | st.booleans(),
    guess=st.none() | st.builds(Guess, st.none() | texts, st.floats(0, 1)),
    seconds=shares,
    raw=st.none() | st.dictionaries(texts, st.integers() | texts, max_size=2),
)
exchanges = st.builds(
    Exchange,
    number=st.integers(1, 50),
    sent=texts,
    status=st.sampled_from(Status),
    reply=st.none() | replies,
    first_ms=st.none() | st.floats(0.001, 1e6),
    last_ms=st.none() | st.floats(0.001, 1e6),
    attempts=st.integers(1, 5),
    cold=st.booleans(),
    error=texts,
    replayed=st.booleans(),
    values=st.dictionaries(texts, texts, max_size=2),
)


@given(exchanges)
def test_an_exchange_is_read_back_as_it_was(exchange: Exchange) -> None:
    assert exchange_from_text(exchange.number, exchange_to_text(exchange)) == exchange


def test_a_huge_payload_is_cut_and_says_so() -> None:
    kept = exchange_from_text(1, exchange_to_text(Exchange(1, "hi", Status.OK, Reply(("x",), raw="y" * 10**6))))
    assert kept.reply is not None
    assert str(kept.reply.raw).endswith("(1,000,002 characters)")
    assert len(str(kept.reply.raw)) < MAX_RAW + 50


def test_the_head_of_a_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    facts = BotFacts(
        "b", "a bot", True, False, Limits(3, 2.5, 9.0, 0), Fallback(("none",), ("*sorry*",), 0.4), ("x",), ("s",),
        {"x": ("one", "two")},
    )  # fmt: skip
    with begin_run(tmp_path, many(3), [facts], RunOptions(repeats=2, seed=7, max_messages=5)) as record:
        assert header_from_text(header_to_text(record.header)) == record.header
    with RunRecord.open(tmp_path) as again:
        assert again.header == record.header
        assert again.header.bots == (facts,)


def test_half_a_character_is_kept(tmp_path: Path) -> None:
    key, broken = ConversationKey("talker", "talk-000"), "half \ud83d a smile"
    with begin_run(tmp_path, many(1), [Talker().facts], RunOptions()) as record:
        record.begin(key)
        record.add(key, Exchange(1, broken, Status.OK, Reply((broken,), raw=broken)))
        record.finish(key, State.ERRORED, broken)
        [talk] = record.transcripts()
    assert talk.exchanges[0].sent == broken
    assert talk.exchanges[0].reply == Reply((broken,), raw=broken)
    assert talk.note == "half \\ud83d a smile"


def test_what_fails_while_writing_is_told(tmp_path: Path) -> None:
    key = ConversationKey("talker", "talk-000")
    with begin_run(tmp_path, many(1), [Talker().facts], RunOptions()) as record:
        record.begin(key)
        record.add(key, Exchange(1, "hi", Status.OK))
        record.add(key, Exchange(1, "the same turn twice", Status.OK))
        with pytest.raises(sqlite3.IntegrityError):
            record.finish(key, State.DONE)


def test_a_record_is_not_begun_where_there_is_one(tmp_path: Path) -> None:
    begin_run(tmp_path, many(1), [Talker().facts], RunOptions()).close()
    with pytest.raises(UsageError, match="viva conversations resume"):
        begin_run(tmp_path, many(1), [Talker().facts], RunOptions())


def test_one_process_at_a_time_writes(tmp_path: Path) -> None:
    with begin_run(tmp_path, many(1), [Talker().facts], RunOptions()) as record, RunRecord.open(tmp_path) as other:
        record.claim()
        with pytest.raises(UsageError, match="another process"):
            other.claim()
        assert list(other.transcripts()) == []
    with RunRecord.open(tmp_path) as later:
        later.claim()


def test_a_conversation_in_flight_is_not_read_and_a_new_try_forgets_the_old(tmp_path: Path) -> None:
    key = ConversationKey("talker", "talk-000")
    with begin_run(tmp_path, many(1), [Talker().facts], RunOptions()) as record:
        record.begin(key)
        record.add(key, Exchange(1, "hi", Status.OK))
        assert list(record.transcripts()) == []
        record.begin(key)
        record.finish(key, State.DONE, "note")
        [talk] = record.transcripts()
    assert (talk.exchanges, talk.note) == ((), "note")


def test_rows_of_many_conversations_written_together_all_arrive(tmp_path: Path) -> None:
    with begin_run(tmp_path, many(50), [Talker().facts], RunOptions()) as record:
        keys = [ConversationKey("talker", f"talk-{n:03}") for n in range(50)]
        for before, key in zip([None, *keys], keys, strict=False):
            record.begin(key)
            record.add(key, Exchange(1, "hi", Status.OK))
            if before:
                record.add(before, Exchange(2, "and then", Status.OK))
                record.finish(before, State.DONE)
        assert [len(talk.exchanges) for talk in record.transcripts()] == [2] * 49
        assert [len(record.transcript(key).exchanges) for key in keys] == [2] * 49 + [1]


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no run record here"):
        RunRecord.open(tmp_path)
    (tmp_path / RECORD_FILE).write_text("hello, I am not a database, and long enough to be looked at" * 20)
    with pytest.raises(FileError, match="not a run record"):
        RunRecord.open(tmp_path)


def test_a_record_of_another_layout_is_refused(tmp_path: Path) -> None:
    begin_run(tmp_path, many(1), [Talker().facts], RunOptions()).close()
    database = sqlite3.connect(tmp_path / RECORD_FILE)
    with database:
        database.execute("UPDATE header SET layout = 99")
    database.close()
    with pytest.raises(FileError, match="another version"):
        RunRecord.open(tmp_path)
