"""A rater that fits a log better than it ever did on unseen talks is asked whether it learnt from that log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vivavoce.dialogues.contamination import suspect_contamination, warn_of_contamination
from vivavoce.dialogues.result import Agreement, DialoguesResult, Origin, Passport
from vivavoce.records import Rate

EMPTY = Rate(None, None, None, 0)


def agreement(low: float | None, value: float | None, high: float | None) -> Agreement:
    return Agreement(100, Rate(value, low, high, 100), EMPTY, EMPTY, EMPTY)


def passport(local: Agreement, unseen: Agreement | None, kind: str = "overall") -> Passport:
    origin = None if unseen is None else Origin("talks", agreements={kind: unseen})
    return Passport("rater", origin, {"overall": local}, may_compare=False, verdict="")


UNSEEN = agreement(0.5, 0.55, 0.6)


def test_a_log_that_fits_too_well_is_told_with_both_numbers() -> None:
    said = suspect_contamination(passport(agreement(0.75, 0.8, 0.85), UNSEEN))
    assert "0.80" in said
    assert "0.55" in said


@pytest.mark.parametrize(
    "local",
    [agreement(0.5, 0.7, 0.9), agreement(0.1, 0.2, 0.3), agreement(None, 0.9, None), agreement(None, None, None)],
)
def test_what_could_be_chance_or_is_worse_is_not_suspected(local: Agreement) -> None:
    assert suspect_contamination(passport(local, UNSEEN)) == ""


def test_a_rater_that_nobody_measured_cannot_be_suspected() -> None:
    assert suspect_contamination(passport(agreement(0.8, 0.9, 0.95), None)) == ""


def test_only_the_same_kinds_of_talks_are_held_against_each_other() -> None:
    good = agreement(0.75, 0.8, 0.85)
    assert suspect_contamination(passport(good, UNSEEN, "human-bot")) == ""
    both = replace(passport(good, UNSEEN, "human-bot"), local={"overall": good, "human-bot": good})
    assert suspect_contamination(both)


def test_bots_are_not_compared_by_a_rater_that_may_know_the_talks() -> None:
    clean = replace(passport(agreement(0.5, 0.55, 0.6), UNSEEN), may_compare=True)
    known = replace(passport(agreement(0.75, 0.8, 0.85), UNSEEN), may_compare=True)
    assert warn_of_contamination(DialoguesResult((), (), clean)).passport == clean
    warned = warn_of_contamination(DialoguesResult((), (), known)).passport
    assert not warned.may_compare
    assert "0.80" in warned.verdict
