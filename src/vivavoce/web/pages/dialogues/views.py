"""Talks as pages show them: messages with what each did to the score, and marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Project, ScoreRow
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Choice, Field, Tone, named_choices
from vivavoce.web.rendering import Link
from vivavoce.workspace.dialogues.dialogues import list_bots
from vivavoce.workspace.dialogues.ratings import Opinion, Verdict, answers_of

SECTION = "dialogues"
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


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `effect`: by how much it moved the score; `judged`: it is an answer that can be judged."""

    number: int
    visitor: bool
    who: str
    text: str
    effect: str
    tone: Tone
    judged: bool
    verdict: str


@dataclass(frozen=True, slots=True)
class RatingForm:
    """The form in which a person rates a talk; without `action` nothing can be rated here."""

    action: str
    qualities: tuple[Choice, ...]
    verdicts: tuple[Choice, ...]
    quality: str


def base_path(project: Project) -> str:
    """Return the address below which all that concerns talks lives."""
    return f"/p/{project.slug}/dialogues"


def section_tabs(words: Words, project: Project, current: str, reviewer: bool) -> tuple[Link, ...]:
    """Return the ways through all that concerns talks."""
    base = base_path(project)
    named = (
        ("", words.gettext("Talks")),
        ("/batches", words.gettext("Batches")),
        ("/rate", words.gettext("Rate")),
        ("/agreement", words.gettext("Agreement")),
    )
    return tuple(
        Link(title, f"{base}{path}", path == current) for path, title in named if reviewer or path != "/rate"
    )


def bot_field(words: Words, store: Store, project: Project, bot: str) -> Field:
    """Return the field that narrows talks down to those of one bot."""
    bots = named_choices(list_bots(store, project), words.gettext("all bots"))
    return Field("bot", words.gettext("Bot"), "select", bot, choices=bots)


def rating_form(words: Words, action: str, quality: str = "") -> RatingForm:
    """Return the form in which a person rates."""
    return RatingForm(
        action,
        tuple(Choice(str(mark), words.gettext(title)) for mark, title in QUALITIES.items()),
        tuple(Choice(verdict, words.gettext(title)) for verdict, title in VERDICTS.items()),
        quality,
    )


def messages_of(
    words: Words, row: DialogueRow, opinion: Opinion, score: ScoreRow | None = None, first: int = 1
) -> tuple[Message, ...]:
    """Return the messages of one page of a talk; without a score none tells what it did to it."""
    effects, judged = effects_of(score), set(answers_of(row))
    known = any(turn.get("is_bot") for turn in row.turns)
    shown = list(enumerate(row.turns, 1))[first - 1 : first - 1 + MESSAGES]
    return tuple(
        _message(words, number, turn, effects.get(number), number in judged, opinion.answers.get(number), known)
        for number, turn in shown
    )


def effects_of(score: ScoreRow | None) -> dict[int, float]:
    """Return how far each message moved the score, by its number."""
    told = score.detail.get("turns", ()) if score else ()
    return {int(one["number"]): float(one["effect"]) for one in told if one.get("effect") is not None}


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


def _message(  # noqa: PLR0917
    words: Words,
    number: int,
    turn: Mapping[str, object],
    effect: float | None,
    judged: bool,
    verdict: str | None,
    known: bool,
) -> Message:
    is_bot = turn.get("is_bot")
    visitor = is_bot is False or (is_bot is None and (known or number % 2 == 1))
    tone: Tone = "neutral" if effect is None or abs(effect) < FAINT else "good" if effect > 0 else "bad"
    told = "" if effect is None else words.gettext("%(effect)s points", effect=signed(words, effect))
    speaker, text = str(turn.get("speaker", "")), str(turn.get("text", ""))
    return Message(number, visitor, speaker, text, told, tone, judged, verdict or "")
