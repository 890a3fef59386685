"""One question of an intents exam as a row: what was asked, what came of it, and what its example is now."""

from __future__ import annotations

from vivavoce.outcomes import Outcome
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams.questions import CONFIRMED, QuestionLine

GOOD = (Outcome.RIGHT, Outcome.DECLINED, Outcome.DECLINED_NO_GUESS)
BAD = (Outcome.WRONG_INTENT, Outcome.OVERREACH)
ICONS = {Outcome.WRONG_INTENT: "cross", Outcome.OVERREACH: "warn"}


def outcome_look(kind: str) -> tuple[str, str]:
    """Return the tone and the icon of an outcome, or of a confirmed label."""
    if kind == CONFIRMED:
        return "info", "check"
    outcome = Outcome(kind)
    if outcome in GOOD:
        return "quiet", "check"
    return ("bad", ICONS[outcome]) if outcome in BAD else ("hold", "person")


def outcome_title(visit: Visit, kind: str) -> str:
    """Return what people call an outcome, or a confirmed label."""
    from vivavoce.reports.intents.wording import OUTCOME_TITLES

    words = visit.words
    return words.gettext("Label is right") if kind == CONFIRMED else words.said(OUTCOME_TITLES[Outcome(kind)])


def outcome_meaning(visit: Visit, kind: str) -> str:
    """Return what an outcome means, as a sentence."""
    if kind == CONFIRMED:
        return visit.words.gettext("Somebody looked at it: the example is filed correctly.")
    text = visit.words.said(Outcome(kind).meaning)
    return f"{text[:1].upper()}{text[1:]}."


def question_row(visit: Visit, line: QuestionLine) -> View:
    """Return a question as lists show it."""
    words, write, row = visit.words, visit.write, line.row
    tone, icon = outcome_look(row.outcome)
    counts = words.gettext(
        "Of its tests: %(right)s correct, %(deferred)s declined, %(wrong)s wrong",
        right=write.number(row.right),
        deferred=write.number(row.deferred),
        wrong=write.number(row.wrong),
    )
    held_out = row.intent is not None and line.question.origin is None
    return View(
        place=row.place,
        text=row.text,
        filed=row.intent or words.gettext("out of scope"),
        held_out=held_out,
        guess=row.guess or words.gettext("no guess"),
        outcome=outcome_title(visit, row.outcome),
        tone=tone,
        icon=icon,
        meaning=f"{outcome_meaning(visit, row.outcome)} {counts}.",
        bad=row.outcome in BAD and not line.confirmed,
        sure=row.confidence if row.guess is not None else None,
        confirmed=line.confirmed,
        changed=_describe_change(visit, line),
        can_change=line.can_change,
        topic=f"{visit.base}/topics/{line.topic_id}" if line.topic_id else "",
    )


def _describe_change(visit: Visit, line: QuestionLine) -> str:
    """Say what became of the example since the exam; nothing where it is as it was."""
    words = visit.words
    match line.status:
        case "moved":
            topic = line.topic or words.gettext("out of scope")
            return words.gettext("Moved to %(topic)s since", topic=topic)
        case "edited":
            return words.gettext("Edited since")
        case "deleted":
            return words.gettext("Deleted since")
        case "unknown":
            return words.gettext("Cannot be changed here: this exam kept no example ids")
        case _:
            return ""
