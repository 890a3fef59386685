"""The kinds of exams by their names; each is loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from vivavoce.errors import UsageError, nearest
from vivavoce.jobs.exams.protocol import Exam, Work

__all__ = ["EXAMS", "load_exam", "perform_work"]

_CLASSES = {
    "intents": "Intents",
    "conversations": "Conversations",
    "dialogues": "Dialogues",
    "engines": "Engines",
}


class _Exams(Mapping[str, Exam]):
    """All exams; asking for a name loads it, listing the names loads nothing."""

    def __getitem__(self, name: str) -> Exam:
        if name not in _CLASSES:
            raise KeyError(name)
        return _made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


EXAMS: Mapping[str, Exam] = _Exams()


def load_exam(name: str) -> Exam:
    """Return the exam of this name; UsageError where there is none."""
    if name not in _CLASSES:
        raise UsageError(
            f"there is no exam '{name}'.{nearest(name, list(_CLASSES))}",
            remedy=f"choose one of: {', '.join(_CLASSES)}",
        )
    return EXAMS[name]


@cache
def _made(name: str) -> Exam:
    made: Exam = getattr(import_module(f"vivavoce.jobs.exams.{name}"), _CLASSES[name])()
    return made


def perform_work(work: Work) -> bytes:
    """Do one unit wherever this runs: in a thread, in another process, on another machine."""
    return load_exam(work.kind).perform(work)
