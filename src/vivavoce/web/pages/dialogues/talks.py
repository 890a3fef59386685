"""One talk: what was said, what each message did to the score, and what people think of it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, RatingRow, ScoreRow
from vivavoce.web.access import InStore, ProjectInPath, Reader, Reviewer, Visitor
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.chart_words import translate_spec
from vivavoce.web.figures import Drawn
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import MOST_PAGES, Listing, PageNumber
from vivavoce.web.pages.dialogues.effects import bars_of, effects_picture
from vivavoce.web.pages.dialogues.ratings import read_opinion
from vivavoce.web.pages.dialogues.views import (
    MESSAGES,
    QUALITIES,
    SECTION,
    VERDICTS,
    base_path,
    effects_of,
    messages_of,
    rating_form,
    signed,
)
from vivavoce.web.parts import Column, Row, hidden_field, number_columns, text_columns
from vivavoce.web.rendering import View
from vivavoce.workspace.dialogues import dialogues, ratings
from vivavoce.workspace.dialogues.dialogues import Talk
from vivavoce.workspace.dialogues.ratings import Opinion

router = APIRouter(prefix="/p/{slug}/dialogues")
MOST_REASONS = 12
TalkId = Annotated[str, Path(max_length=64)]


@router.get("/{talk}")
def show_talk(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    talk: TalkId,
    page_number: PageNumber = 1,
) -> Response:
    """Show one talk."""
    return _talk_page(request, who, store, project, talk, page_number)


@router.post("/{talk}/rate")
def rate(  # noqa: PLR0917
    request: Request, who: Reviewer, store: InStore, project: ProjectInPath, talk: TalkId, form: Form
) -> Response:
    """Keep what a person thinks of the talk."""
    found = dialogues.find_talk(store, project, talk)
    number = form.whole("page", 1, low=1, high=MOST_PAGES)
    typed = read_opinion(form, found.row)
    before = ratings.opinion_of(found.ratings, who.actor).answers
    # Answers on other pages of a long talk were not sent along; they stay as they were.
    shown = range((number - 1) * MESSAGES + 1, number * MESSAGES + 1)
    others = {place: verdict for place, verdict in before.items() if place not in shown}
    opinion = Opinion(typed.quality, {**others, **typed.answers})
    try:
        form.check()
        ratings.rate_talk(store, who.actor, project, talk, opinion)
    except InputError as error:
        return _talk_page(request, who, store, project, talk, number, opinion, error)
    return done(_path(project, talk), words_of(request).gettext("Your marks are kept."))


@router.post("/{talk}/take-back")
def take_back(request: Request, who: Reviewer, store: InStore, project: ProjectInPath, talk: TalkId) -> Response:
    """Forget what a person thinks of the talk."""
    ratings.take_back(store, who.actor, project, talk)
    return done(_path(project, talk), words_of(request).gettext("Your marks are taken back."))


@router.get("/{talk}/chart.json")
def show_chart(request: Request, who: Reader, store: InStore, project: ProjectInPath, talk: TalkId) -> Response:
    """Return the chart of what each message did to the score."""
    found = dialogues.find_talk(store, project, talk)
    if found.score is None or not effects_of(found.score.row):
        raise AbsentError(say("there is no chart of this talk"), remedy=say("score it first"))
    from vivavoce.dialogues.result import Score, TurnEffect
    from vivavoce.jobs.exams.documents import page_spec
    from vivavoce.reports.dialogues.charts import turns_chart

    effects = [TurnEffect(number, "", effect) for number, effect in effects_of(found.score.row).items()]
    score = Score(found.row.name, found.score.row.score, turns=tuple(effects))
    spec = page_spec(turns_chart(dialogues.to_dialogue(found.row), score).to_dict())
    return Response(json.dumps(translate_spec(words_of(request), spec)), media_type="application/json")


# --- the page ----------------------------------------------------------------------------------------------------


def _talk_page(  # noqa: PLR0917
    request: Request,
    who: Visitor,
    store: Store,
    project: Project,
    talk: str,
    number: int,
    typed: Opinion | None = None,
    error: InputError | None = None,
) -> Response:
    words, found = words_of(request), dialogues.find_talk(store, project, talk)
    own = ratings.opinion_of(found.ratings, who.actor)
    opinion = typed or own
    score = found.score.row if found.score else None
    listing = Listing(_path(project, talk), page=number, size=MESSAGES)
    view = View(
        lead=_lead(words, score),
        about=_about(words, found),
        facts=tuple(_facts(words, found)),
        reasons=_reasons(words, score),
        warnings=tuple(score.detail.get("warnings", ())) if score else (),
        drawn=_drawn(words, project, found),
        effect_columns=_effect_columns(words),
        effects=_effect_rows(words, found),
        messages=messages_of(words, found.row, opinion, score, listing.offset + 1),
        pager=listing.pager(len(found.row.turns)),
        form=rating_form(words, f"{_path(project, talk)}/rate", str(opinion.quality or ""))
        if who.may("reviewer")
        else None,
        hidden=(hidden_field("page", str(number)),),
        rated=own.given,
        undo=f"{_path(project, talk)}/take-back",
        people_columns=_people_columns(words),
        people=_people(words, found),
        error=error,
    )
    title, status = found.row.name, 400 if error else 200
    return page(request, "dialogues/talk.html", title, view=view, project=project, section=SECTION, status=status)


def _path(project: Project, talk: str) -> str:
    return f"{base_path(project)}/{talk}"


def _lead(words: Words, score: ScoreRow | None) -> str:
    if score is None:
        return words.gettext("This talk has no score yet.")
    if score.score is None:
        return words.gettext(
            "This talk gets no score: %(why)s", why=words.said(score.refusal or "") or words.gettext("n/a")
        )
    return words.gettext(
        "A person would probably give this talk %(score)s of 5.", score=Writer(words).number(score.score, 1)
    )


def _about(words: Words, found: Talk) -> str:
    score = found.score.row if found.score else None
    if score is None or score.low is None or score.high is None:
        return ""
    low, high = (Writer(words).number(end, 1) for end in (score.low, score.high))
    return words.gettext(
        "In 8 of 10 cases a person's mark for such a talk lies between %(low)s and %(high)s.", low=low, high=high
    )


def _facts(words: Words, found: Talk) -> list[tuple[str, str]]:
    row, marks = found.row, [one.quality for one in found.ratings if one.turn == 0 and one.quality is not None]
    writer = Writer(words)
    checks = {True: words.gettext("all passed"), False: words.gettext("not all passed")}
    mean = f"{writer.number(sum(marks) / len(marks), 1)} (n = {len(marks)})" if marks else writer.number(None)
    facts = [
        (words.gettext("Bot"), row.bot or words.gettext("n/a")),
        (words.gettext("Batch"), row.batch),
        (words.gettext("Messages"), writer.number(len(row.turns))),
        (words.gettext("People's mark"), mean),
    ]
    facts += [(words.gettext("Scripted checks"), checks[row.passed])] if row.passed is not None else []
    facts += [(words.gettext("Scored in run"), str(found.score.run))] if found.score else []
    return facts


def _reasons(words: Words, score: ScoreRow | None) -> tuple[View, ...]:
    told = [one for one in (score.detail.get("reasons", ()) if score else ()) if one.get("effect") is not None]
    strongest = sorted(told, key=lambda one: -abs(one["effect"]))[:MOST_REASONS]
    return tuple(
        View(effect=signed(words, one["effect"]), text=one["text"], good=one["effect"] >= 0) for one in strongest
    )


def _drawn(words: Words, project: Project, found: Talk) -> Drawn | None:
    effects = effects_of(found.score.row if found.score else None)
    if not effects:
        return None
    meaning = words.gettext(
        "By how many points each message moved the score: above the line it raised it, below it lowered it. Each bar "
        "stands for itself; the bars do not add up to the score."
    )
    bars = bars_of(words, found.row.turns, effects)
    picture = effects_picture(words, bars, words.gettext("What each message did to the score"))
    title = words.gettext("What moved the score")
    return Drawn(title, meaning, picture, f"{_path(project, found.row.id)}/chart.json")


def _effect_columns(words: Words) -> tuple[Column, ...]:
    said = text_columns(words.gettext("Message"), words.gettext("Who"))
    return (*said, *number_columns(words.gettext("Effect")))


def _effect_rows(words: Words, found: Talk) -> tuple[Row, ...]:
    effects = sorted(effects_of(found.score.row if found.score else None).items())[:MESSAGES]
    speakers = {number: str(turn.get("speaker", "")) for number, turn in enumerate(found.row.turns, 1)}
    return tuple(Row((number, speakers.get(number, ""), signed(words, effect))) for number, effect in effects)


def _people_columns(words: Words) -> tuple[Column, ...]:
    return text_columns(words.gettext("Who"), words.gettext("About"), words.gettext("Said"), words.gettext("When"))


def _people(words: Words, found: Talk) -> tuple[Row, ...]:
    return tuple(_person(words, one, found.names.get(one.user_id or "", one.rater)) for one in found.ratings[:200])


def _person(words: Words, one: RatingRow, name: str) -> Row:
    about = words.gettext("message %(number)s", number=one.turn) if one.turn else words.gettext("the whole talk")
    if one.quality is not None:
        title = QUALITIES.get(round(one.quality), "")
        said = f"{Writer(words).number(one.quality, 0 if one.quality == round(one.quality) else 1)}"
        said += f", {words.gettext(title)}" if title else ""
    else:
        said = next((words.gettext(title) for verdict, title in VERDICTS.items() if verdict == one.verdict), "")
    return Row((name, about, said, Writer(words).ago(one.created)))
