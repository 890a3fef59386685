"""Talks as pages show them: messages with what each did to the score, and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from vivavoce.dialogues.facts import Fact, FactKind
from vivavoce.store.rows import DialogueRow, ScoreRow
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.pages.dialogues.facts import fact_chip
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.dialogues.dialogues import list_bots
from vivavoce.workspace.dialogues.ratings import Opinion, Verdict, answers_of

# More messages on one page weigh too much; the rest is a page further.
MESSAGES = 100
QUALITIES = {
    1: gettext_noop("very bad"),
    2: gettext_noop("bad"),
    3: gettext_noop("fair"),
    4: gettext_noop("good"),
    5: gettext_noop("very good"),
}
VERDICTS: Mapping[Verdict, str] = {
    "yes": gettext_noop("yes"),
    "no": gettext_noop("no"),
    "unsure": gettext_noop("can't tell"),
}
# Smaller effects than this are no news.
FAINT = 0.05


def section_tabs(visit: Visit, current: str) -> tuple[Link, ...]:
    """Return the links to the pages about dialogues."""
    words, reviewer = visit.words, visit.who.may("reviewer")
    pages = (
        ("", words.gettext("Dialogues")),
        ("/batches", words.gettext("Batches")),
        *([("/rate", words.gettext("Rate"))] if reviewer else []),
        ("/agreement", words.gettext("Agreement")),
    )
    return tuple(Link(title, f"{visit.base}/dialogues{path}", path == current) for path, title in pages)


def import_link(visit: Visit, key: str = "") -> Link:
    """Return the way to the import."""
    return Link(visit.words.gettext("Import dialogues"), f"{visit.base}/dialogues/add", key=key, icon="import")


def bot_field(visit: Visit, bot: str) -> Field:
    """Return the field that narrows talks down to those of one bot."""
    bots = named_choices(list_bots(visit.store, visit.project), visit.words.gettext("all bots"))
    return Field("bot", visit.words.gettext("Bot"), "select", bot, choices=bots)


def rating_form(words: Words, action: str, quality: str = "") -> View:
    """Return the form in which a person rates."""
    return View(
        action=action,
        qualities=tuple(Choice(str(mark), words.gettext(title)) for mark, title in QUALITIES.items()),
        verdicts=tuple(Choice(verdict, words.gettext(title)) for verdict, title in VERDICTS.items()),
        quality=quality,
    )


def messages_of(
    words: Words, row: DialogueRow, opinion: Opinion, first: int = 1, facts: Sequence[Fact] = ()
) -> list[View]:
    """Return the messages of one page of a dialogue, with what happened in each; `answer`: one that can be rated."""
    answers, chips = set(answers_of(row)), _chips_by_message(words, facts)
    known, messages = any(turn.get("is_bot") for turn in row.turns), []
    for number, turn in list(enumerate(row.turns, 1))[first - 1 : first - 1 + MESSAGES]:
        is_bot = turn.get("is_bot")
        message = View(
            number=number,
            visitor=is_bot is False or (is_bot is None and (known or number % 2 == 1)),
            who=str(turn.get("speaker", "")),
            text=str(turn.get("text", "")),
            facts=chips.get(number, ()),
            answer=number in answers,
            verdict=opinion.answers.get(number, ""),
        )
        messages.append(message)
    return messages


def _chips_by_message(words: Words, facts: Sequence[Fact]) -> dict[int, list[View]]:
    """Return the chips of each message; an end after a fallback is a fallback there."""
    chips: dict[int, list[View]] = {}
    for fact in facts:
        if fact.kind is not FactKind.ENDED_AFTER_FALLBACK:
            chips.setdefault(fact.turn, []).append(fact_chip(words, fact.kind))
    return chips


def effects_of(score: ScoreRow | None) -> dict[int, float]:
    """Return how far each message moved the score, by its number."""
    turns = score.detail.get("turns", ()) if score else ()
    return {int(turn["number"]): float(turn["effect"]) for turn in turns if turn.get("effect") is not None}


def signed(words: Words, effect: float) -> str:
    """Write an effect with its sign."""
    return Writer(words).signed(effect, 2)


def score_cell(words: Words, score: float | None, low: float | None, high: float | None, refusal: str = "") -> Markup:
    """Write a score and its range for a table."""
    writer = Writer(words)
    if score is None:
        return Markup('<span title="{}">{}</span>').format(words.said(refusal), writer.number(None))
    around = ""
    if low is not None and high is not None:
        around = words.gettext("%(low)s to %(high)s", low=writer.number(low, 1), high=writer.number(high, 1))
    small = Markup("<small>{}</small>").format(around) if around else ""
    return Markup('<span class="rate">{}{}</span>').format(writer.number(score, 2), small)


def mark_cell(words: Words, mark: float | None, marks: int) -> Markup:
    """Write the mean of people's marks and how many there are."""
    writer = Writer(words)
    if mark is None:
        return Markup('<span class="muted">{}</span>').format(writer.number(None))
    return Markup('<span class="rate">{}<small>n = {}</small></span>').format(
        writer.number(mark, 1), writer.number(marks)
    )
