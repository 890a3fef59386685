"""The verdict on two intents exams in words, the same on every page."""

from __future__ import annotations

from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.workspace.exams.causes import EditKind
from vivavoce.workspace.exams.verdicts import QuestionVerdict, Verdict

JUDGEMENTS: dict[Verdict, str] = {
    "better": gettext_noop("That is better by more than chance."),
    "worse": gettext_noop("That is worse by more than chance."),
    "same": gettext_noop("That may be chance."),
}
EDITS: dict[EditKind, str] = {
    "merge": gettext_noop("Merging topics"),
    "move": gettext_noop("Moving examples"),
    "split": gettext_noop("Splitting topics"),
    "import": gettext_noop("Importing"),
    "undo": gettext_noop("Undoing edits"),
    "other": gettext_noop("Other edits"),
}


def verdict_sentence(words: Words, verdict: QuestionVerdict, a: int, b: int) -> str:
    """Say what became of the questions of run `a` in run `b`, and whether that may be chance."""
    if not verdict.shared:
        return words.gettext("Run %(a)s and run %(b)s share no question, so neither can be called better.", a=a, b=b)
    number = Writer(words).number
    changed = words.gettext(
        "From run %(a)s to %(b)s, %(better)s of %(shared)s shared questions became right; %(worse)s no longer are.",
        a=a,
        b=b,
        better=number(verdict.improved),
        worse=number(verdict.broken),
        shared=number(verdict.shared),
    )
    if not verdict.improved + verdict.broken:
        return changed
    return f"{changed} {words.gettext(JUDGEMENTS[verdict.verdict])}"


def changes_note(words: Words, verdict: QuestionVerdict) -> str:
    """Say how many questions changed, beside a verdict."""
    return words.gettext(
        "%(better)s became right, %(worse)s no longer are",
        better=Writer(words).number(verdict.improved),
        worse=Writer(words).number(verdict.broken),
    )
