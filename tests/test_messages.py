"""A message is its English text, and keeps what it was made of, wherever it goes."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import Fault, UsageError, without_remedy
from vivavoce.messages import (
    Message,
    add_messages,
    change_texts,
    join,
    join_and,
    message_from_json,
    message_to_json,
    restore_messages,
    say,
    say_count,
    sentence,
    values_named,
)

values = st.one_of(st.text(), st.integers(), st.floats(allow_nan=False))
messages = st.recursive(
    st.builds(lambda value: say("it is {value}", value=value), values),
    lambda inner: st.one_of(
        st.builds(lambda a, b: say("{a}, not {b}", a=a, b=b), inner, values),
        st.builds(lambda n: say_count(n, "{n} topic", "{n} topics"), st.integers(0)),
        st.builds(lambda parts: join(", ", parts), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (say("no {brackets} are read without values"), "no {brackets} are read without values"),
        (say("no bot is called '{name}'", name="ada"), "no bot is called 'ada'"),
        (say("{n:,} of {share:.0%} {{x}}", n=1200, share=0.5), "1,200 of 50% {x}"),
        (say_count(1, "{n} topic", "{n} topics"), "1 topic"),
        (say_count(1200, "{n} topic", "{n} topics"), "1,200 topics"),
        (say("{path} at {flag}", path=Path("a"), flag=True), "a at True"),
        (join_and(["a", "b", "c"]), "a, b and c"),
        (join_and(["a"]), "a"),
        (join_and([]), ""),
        (sentence("it works"), "It works."),
        (sentence(say("it works!")), "It works!"),
        (" " + say("a") + "; " + say("b"), " a; b"),
    ],
)
def test_a_message_is_its_english_text(message: Message, text: str) -> None:
    assert isinstance(message, Message)
    assert (message, str(message), hash(message)) == (text, text, hash(text))
    assert type(str(message)) is str


@given(messages)
def test_a_message_survives_copies_processes_and_files(message: Message) -> None:
    written = json.loads(json.dumps(message_to_json(message)))
    for other in (copy.deepcopy(message), pickle.loads(pickle.dumps(message)), message_from_json(written)):  # noqa: S301
        assert (other, other.template, other.plural, other.values) == (
            message, message.template, message.plural, message.values
        )  # fmt: skip


def test_the_values_of_a_message_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        say("{a}", a=1).values["a"] = 2  # type: ignore[index]


@given(st.lists(messages, max_size=4), st.text())
def test_a_document_lists_its_messages_and_gets_them_back(told: list[Message], plain: str) -> None:
    document = {"notes": list(told), "deep": [{"one": tuple(told)}], "name": plain}
    back = restore_messages(json.loads(json.dumps(add_messages(document))))
    assert "messages" not in back
    assert back["notes"] == told
    assert all(isinstance(one, Message) for one in back["notes"])
    assert len(add_messages(document).get("messages", [])) == len(set(told))


def test_a_document_of_an_older_release_is_read_as_it_is() -> None:
    assert restore_messages({"notes": ["a"]}) == {"notes": ["a"]}
    assert restore_messages(["a"]) == ["a"]


def test_values_are_found_by_name_and_texts_changed_within() -> None:
    inner = say("the topic '{topic}'", topic="what's new")
    message = say("{about} in {path}", about=inner, path="/x/y/a.csv")
    assert list(values_named(message, "topic")) == ["what's new"]
    assert list(values_named("the topic 'a'", "topic")) == []
    changed = change_texts(message, lambda text: text.replace("/x/y/", ""))
    assert changed == "the topic 'what's new' in a.csv"
    assert isinstance(changed, Message)


def test_an_error_is_one_message_with_and_without_its_remedy() -> None:
    error = UsageError(say("no {x}", x=1), where="here", remedy=say("do it"), faults=[Fault(say("bad"), "row 3")])
    assert str(error) == "here: no 1\n  - row 3: bad\nWhat to do: do it"
    assert without_remedy(error.as_message()) == "here: no 1\n  - row 3: bad"
    assert isinstance(pickle.loads(pickle.dumps(error)).what, Message)  # noqa: S301
