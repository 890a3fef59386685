"""The exams by their names, those of plug-ins among them; what runs them is loaded when it is first asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any

from vivavoce import plugins
from vivavoce.errors import MissingPartError, UsageError, nearest
from vivavoce.jobs.exams.protocol import Exam, ExamKind, Work
from vivavoce.messages import say

_log = logging.getLogger(__name__)


def exam_kinds() -> tuple[ExamKind, ...]:
    """Return the exams that are installed, those of the product first; one that is broken is left out."""
    return tuple(_kinds(plugins.available(plugins.EXAMS)).values())


def find_kind(name: str) -> ExamKind:
    """Return what is known of an exam; UsageError where there is none of this name."""
    known = _kinds(plugins.available(plugins.EXAMS))
    if name not in known:
        raise UsageError(
            say("unknown exam '{name}'.{nearest}", name=name, nearest=nearest(name, list(known))),
            remedy=say("choose one of: {names}", names=", ".join(known)),
        )
    return known[name]


@cache
def _kinds(names: tuple[str, ...]) -> dict[str, ExamKind]:
    kinds = []
    for name in names:
        try:
            kind = plugins.load(plugins.EXAMS, name)
            if not isinstance(kind, ExamKind):
                raise TypeError(f"it is a {type(kind).__name__}, not an ExamKind")
        except (MissingPartError, TypeError) as error:
            _log.warning("the exam '%s' is skipped: %s", name, error)
        else:
            kinds.append(kind)
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: (kind.place, kind.name))}


@cache
def load_part(where: str) -> Any:
    """Import a part of an exam that is named as `module:name`."""
    return resolve_name(where)


@cache
def _load(units: str) -> Exam:
    exam: Exam = load_part(units)()
    return exam


class _Exams(Mapping[str, Exam]):
    """All exams; asking for a name loads it, listing the names loads nothing."""

    def __getitem__(self, name: str) -> Exam:
        return _load({kind.name: kind.units for kind in exam_kinds()}[name])

    def __iter__(self) -> Iterator[str]:
        return (kind.name for kind in exam_kinds())

    def __len__(self) -> int:
        return len(exam_kinds())


EXAMS: Mapping[str, Exam] = _Exams()


def load_exam(name: str) -> Exam:
    """Return what runs the exam of this name; UsageError where there is none."""
    return _load(find_kind(name).units)


def perform_work(work: Work) -> bytes:
    """Do one unit wherever this runs: in a thread, in another process, on another machine."""
    return load_exam(work.kind).perform(work)
