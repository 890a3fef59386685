"""Every error says what, where and what to do next, also on the other side of a process border."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce import errors
from vivavoce.errors import MAX_SHOWN_FAULTS, BotError, DataError, Fault, VivaError, nearest
from vivavoce.records import Status

EXIT_CODES = {
    "VivaError": 3,
    "InputError": 2,
    "FileError": 2,
    "EmptyFileError": 2,
    "DataError": 2,
    "UsageError": 2,
    "AbsentError": 2,
    "StaleError": 2,
    "AccessError": 2,
    "MissingPartError": 2,
    "GateError": 1,
    "WorkError": 3,
    "StoreError": 3,
    "ClassifierError": 3,
    "BotError": 3,
}
words = st.text(max_size=12)
faults = st.lists(st.builds(Fault, words, words), max_size=45)


def tree(kind: type[VivaError] = VivaError) -> Iterator[type[VivaError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from tree(child)


KINDS = tuple(tree())


def fail(error: VivaError) -> None:
    raise error


def test_every_kind_has_the_exit_code_of_the_interface() -> None:
    assert {kind.__name__: kind.exit_code for kind in KINDS} == EXIT_CODES


def test_the_tree_drawn_at_the_top_is_the_tree_of_the_code() -> None:
    drawn = re.findall(r"^.*?(\w+Error)\s{2,}", errors.__doc__ or "", re.MULTILINE)
    assert drawn == [kind.__name__ for kind in KINDS]


@given(st.sampled_from(KINDS), words, words, words, faults)
def test_an_error_survives_pickling(
    kind: type[VivaError], what: str, where: str, remedy: str, all_: list[Fault]
) -> None:
    error = kind(what, where=where, remedy=remedy, faults=all_)
    twin = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(twin) is kind
    assert (twin.what, twin.where, twin.remedy, twin.faults) == (what, where, remedy, tuple(all_))
    assert str(twin) == str(error)
    assert twin.args == error.args


@given(st.sampled_from(Status), st.none() | st.floats(0, 1e6))
def test_the_status_of_a_bot_survives_pickling(status: Status, retry_after: float | None) -> None:
    error = BotError("not now", status=status, retry_after=retry_after, where="staging")
    twin = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (twin.status, twin.retry_after, str(twin)) == (status, retry_after, str(error))


def test_an_error_comes_whole_out_of_another_process() -> None:
    error = DataError("wrong rows", where="a.csv", remedy="correct them", faults=[Fault("empty", "row 3")])
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, pytest.raises(DataError) as caught:
        pool.submit(fail, error).result()
    assert caught.value.faults == error.faults
    assert str(caught.value) == str(error)


@given(st.integers(0, 60))
def test_at_most_twenty_faults_are_shown_and_the_rest_is_counted(n: int) -> None:
    error = DataError("wrong rows", faults=[Fault(f"fault {number}.", f"row {number}") for number in range(n)])
    lines = [line for line in str(error).splitlines() if line.startswith("  - row")]
    assert lines == [f"  - row {number}: fault {number}." for number in range(min(n, MAX_SHOWN_FAULTS))]
    assert len(error.faults) == n
    rest = n - MAX_SHOWN_FAULTS
    assert (f"  - ... and {rest} more" in str(error)) == (rest > 0)
    assert ("more" in str(error)) == (rest > 0)


def test_what_where_and_remedy_are_all_said_in_this_order() -> None:
    error = VivaError("it broke", where="data.csv", remedy="mend it", faults=[Fault("no place")])
    assert str(error) == "data.csv: it broke\n  - no place\nWhat to do: mend it"
    assert str(VivaError("it broke")) == "it broke"


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("acuracy", " Did you mean 'accuracy'?"),
        ("f1macro", " Did you mean 'f1_macro'?"),
        ("accuracy", " Did you mean 'accuracy'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_the_nearest_name_is_offered_and_a_far_one_is_not(typed: str, hint: str) -> None:
    assert nearest(typed, ["accuracy", "f1_macro", "aurc"]) == hint


def test_nothing_is_near_when_nothing_is_known() -> None:
    assert nearest("accuracy", []) == ""
