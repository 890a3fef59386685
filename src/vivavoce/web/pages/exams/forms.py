"""The fields with which exams of training data are started: the same for one engine and for several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vivavoce.errors import Fault, InputError, UsageError
from vivavoce.settings import MOST_OUT_OF_SCOPE
from vivavoce.store.rows import Project
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Choice, Field

PRESETS = {
    "paper": gettext_noop("all three situations"),
    "known": gettext_noop("every topic is known (fastest)"),
    "strangers": gettext_noop("the smallest topics are unknown"),
    "own": gettext_noop("others, written under More choices"),
}
SETTINGS: Mapping[str, list[list[float]]] = {
    "paper": [[0, 0], [0, 0.15], [5, 0]],
    "known": [[0, 0]],
    "strangers": [[0, 0.15]],
}
MOST_RETRIES = 100
USUAL = {"retries": "10", "test_fraction": "0.2", "seed": "0", "preset": "paper", "leak_proof": "on"}
_PAIR = re.compile(r"(\d+)\s*,\s*(\d+(?:\.\d+)?)")
_OPTION = re.compile(r"'(\w+)'$")


@dataclass(frozen=True, slots=True)
class ExamForm:
    """The fields of a form: those everybody looks at, and those for a second look."""

    first: tuple[Field, ...]
    more: tuple[Field, ...]


def exam_form(words: Words, project: Project, values: Mapping[str, str], error: InputError | None) -> ExamForm:
    """Return the fields as they were filled in, or as they usually are."""
    said = {**USUAL, "threshold": f"{project.threshold:g}", **values}

    def field(name: str, label: str, kind: Any = "number", **more: Any) -> Field:
        return Field(name, label, kind, said.get(name, ""), error=fault_at(error, name), **more)

    return ExamForm(_first(words, field), _more(words, field))


def _first(words: Words, field: Callable[..., Field]) -> tuple[Field, ...]:
    presets = tuple(Choice(name, words.gettext(title)) for name, title in PRESETS.items())
    return (
        field(
            "preset",
            words.gettext("What the bot has to face"),
            "select",
            choices=presets,
            help=words.gettext(
                "Visitors also ask what no topic fits. All three: every topic is known; the smallest are unknown; "
                "those with under 5 examples are unknown."
            ),
        ),
        field(
            "retries",
            words.gettext("Retries"),
            help=words.gettext("How often all is done anew with other splits; more make intervals smaller."),
            low="1",
            high=str(MOST_RETRIES),
            required=True,
        ),
        field(
            "threshold",
            words.gettext("Threshold"),
            help=words.gettext("Least confidence, from 0 to 1, with which the bot answers."),
            low="0",
            high="1",
            step="any",
            required=True,
        ),
    )


def _more(words: Words, field: Callable[..., Field]) -> tuple[Field, ...]:
    return (
        field(
            "title", words.gettext("Title"), "text", most=200, help=words.gettext("What the run is called in lists.")
        ),
        field(
            "test_fraction",
            words.gettext("Share held back for tests"),
            low="0.01",
            high="0.9",
            step="any",
            required=True,
        ),
        field(
            "seed",
            words.gettext("Seed"),
            low="0",
            required=True,
            help=words.gettext("The same seed gives the same splits."),
        ),
        field(
            "settings",
            words.gettext("Other settings"),
            "text",
            help=words.gettext("Pairs k,p such as 0,0.15; 3,0: topics under k examples, or a share p, are unknown."),
        ),
        field(
            "leak_proof",
            words.gettext("Keep near-duplicates together"),
            "checkbox",
            help=words.gettext("A question is never tested when its twin was taught."),
        ),
    )


def share_field(words: Words, values: Mapping[str, str], error: InputError | None) -> Field:
    """Return the field of the live share of out-of-scope questions."""
    name = "out_of_scope_share"
    return Field(
        name,
        words.gettext("Share of out-of-scope questions in live traffic"),
        "number",
        values.get(name, ""),
        words.gettext("From 0 to 0.99. Numbers about all questions are weighted for it. Empty: as tested."),
        fault_at(error, name),
        low="0",
        high=str(MOST_OUT_OF_SCOPE),
        step="any",
    )


def read_share(form: Fields) -> float | None:
    """Return the live share of out-of-scope questions; None where the field is empty."""
    if not form.text("out_of_scope_share"):
        return None
    return form.number("out_of_scope_share", 0.0, low=0, high=MOST_OUT_OF_SCOPE)


def read_options(form: Fields) -> dict[str, Any]:
    """Return the options that a form asks for; its faults are collected."""
    preset = form.choice("preset", tuple(PRESETS), "paper")
    return {
        "settings": _pairs(form) if preset == "own" else SETTINGS.get(preset, SETTINGS["paper"]),
        "retries": form.whole("retries", 10, low=1, high=MOST_RETRIES),
        "threshold": form.number("threshold", 0.5, low=0, high=1),
        "test_fraction": form.number("test_fraction", 0.2, low=0.01, high=0.9),
        "seed": form.whole("seed", 0, low=0, high=2**31 - 1),
        "leak_proof": form.flag("leak_proof"),
    }


def typed_values(form: Fields) -> dict[str, str]:
    """Return what was typed, to be shown again."""
    names = ("preset", "retries", "threshold", "title", "test_fraction", "seed", "settings", "out_of_scope_share")
    return {name: form.text(name) for name in names} | {"leak_proof": "on" if form.flag("leak_proof") else ""}


def placed(error: InputError) -> InputError:
    """Return an error of an exam's options with each fault at the field of that option."""
    faults = [_placed(fault) for fault in error.faults]
    if not faults:
        return error
    return UsageError(error.what, where=error.where, faults=faults, remedy=error.remedy)


def _placed(fault: Fault) -> Fault:
    found = _OPTION.search(fault.where)
    return Fault(fault.message, found[1]) if found else fault


def _pairs(form: Fields) -> list[list[float]]:
    said = form.text("settings", most=200)
    found = [[int(k), float(p)] for k, p in _PAIR.findall(said)]
    if not found or _PAIR.sub("", said).strip("; \t"):
        form.faults.append(Fault("write pairs such as 0,0.15; 3,0", "settings"))
    return found or [[0, 0]]


def scope_title(words: Words, scope: str) -> str:
    """Return a setting such as `0,0.15` by what the bot has to face in it."""
    k, _, p = scope.partition(",")
    if k not in ("", "0"):
        return words.gettext("Topics under %(k)s examples unknown", k=k)
    return words.gettext("All topics known") if p in ("", "0") else words.gettext("Smallest topics unknown")
