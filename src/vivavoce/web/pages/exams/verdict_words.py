"""The verdict on two runs in words, the same on every page."""

from __future__ import annotations

from vivavoce.records import Rate
from vivavoce.reports.shared.numbers import Kind
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.rendering import View
from vivavoce.workspace.exams.naming import EditKind
from vivavoce.workspace.exams.verdicts import QuestionVerdict, Verdict

JUDGEMENTS: dict[Verdict, str] = {
    "better": gettext_noop("That is more than chance."),
    "worse": gettext_noop("That is more than chance."),
    "same": gettext_noop("That may be chance."),
}
# The verdict in a word or two, its colour and its sign.
CHIPS: dict[Verdict, tuple[str, str, str]] = {
    "better": (gettext_noop("really better"), "good", "up"),
    "worse": (gettext_noop("really worse"), "bad", "down"),
    "same": (gettext_noop("may be chance"), "neutral", "flat"),
    "unknown": (gettext_noop("cannot be compared"), "neutral", "info"),
}
EDITS: dict[EditKind, str] = {
    "merge": gettext_noop("Merging topics"),
    "move": gettext_noop("Moving examples"),
    "split": gettext_noop("Splitting topics"),
    "import": gettext_noop("Importing"),
    "undo": gettext_noop("Undoing edits"),
    "other": gettext_noop("Other edits"),
}


def verdict_sentence(words: Words, verdict: QuestionVerdict) -> str:
    """Say what became of the questions that two runs share, and whether that may be chance."""
    number = Writer(words).number
    if not verdict.shared:
        return words.gettext("The two runs share no questions, so they cannot be compared.")
    if not verdict.improved + verdict.broken:
        return words.gettext("All %(shared)s shared questions came out as before.", shared=number(verdict.shared))
    changed = words.gettext(
        "%(better)s of %(shared)s shared questions became right, %(worse)s no longer are.",
        better=number(verdict.improved),
        worse=number(verdict.broken),
        shared=number(verdict.shared),
    )
    return f"{changed} {words.gettext(JUDGEMENTS[verdict.verdict])}"


def verdict_chip(words: Words, verdict: Verdict) -> View:
    """Return a verdict as a chip: its words, colour and sign."""
    text, tone, sign = CHIPS[verdict]
    return View(text=words.gettext(text), tone=tone, sign=sign)


def write_gap(words: Words, gap: Rate, kind: Kind = "share", *, around: bool = True) -> str:
    """Write a difference with its sign, and with its interval: "+5.1 points (2.0 to 8.2)"."""
    writer = Writer(words)
    if gap.value is None:
        return words.gettext("n/a")
    factor, digits = (100, 1) if kind in ("share", "points") else (1, 2)
    value = writer.signed(factor * gap.value, digits)
    text = words.gettext("%(value)s points", value=value) if factor == 100 else value
    if not around or gap.low is None or gap.high is None:
        return text
    ends = (writer.signed(factor * end, digits) for end in (gap.low, gap.high))
    return f"{text} ({words.gettext('%(low)s to %(high)s', **dict(zip(('low', 'high'), ends, strict=True)))})"


def changes_note(words: Words, verdict: QuestionVerdict) -> str:
    """Say how many questions changed, beside a verdict."""
    return words.gettext(
        "%(better)s now right, %(worse)s no longer right",
        better=Writer(words).number(verdict.improved),
        worse=Writer(words).number(verdict.broken),
    )
