"""One talk: what was said, what each message did to the score, and what people think of it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.messages import say
from vivavoce.reports.shared.views import make_table
from vivavoce.store.rows import RatingRow, ScoreRow
from vivavoce.web.figures import Drawn, translate_spec
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import MAX_PAGES, Listing, PageNumber
from vivavoce.web.pages.dialogues.effects import bars_of, effects_picture
from vivavoce.web.pages.dialogues.facts import told_facts
from vivavoce.web.pages.dialogues.ratings import read_opinion
from vivavoce.web.pages.dialogues.reasons import list_reasons
from vivavoce.web.pages.dialogues.views import (
    MESSAGES,
    QUALITIES,
    VERDICTS,
    effects_of,
    messages_of,
    rating_form,
    signed,
)
from vivavoce.web.parts import Column, Row, hidden_field, number_columns, text_columns
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReaderVisit, ReviewerVisit, Visit
from vivavoce.workspace.dialogues import dialogues, ratings
from vivavoce.workspace.dialogues.dialogues import Talk
from vivavoce.workspace.dialogues.overview import band_of, facts_of
from vivavoce.workspace.dialogues.ratings import Opinion

router = APIRouter(prefix="/p/{slug}/dialogues")
MAX_REASONS = 12
MAX_RATINGS = 200
TalkId = Annotated[str, Path(max_length=64)]


@router.get("/{talk}")
def show_talk(visit: ReaderVisit, talk: TalkId, page_number: PageNumber = 1) -> Response:
    """Show one talk."""
    return _talk_page(visit, talk, page_number)


@router.post("/{talk}/rate")
def rate(visit: ReviewerVisit, talk: TalkId, form: Form) -> Response:
    """Keep what a person thinks of the talk."""
    dialogue = dialogues.find_talk(visit.store, visit.project, talk)
    number = form.whole("page", 1, low=1, high=MAX_PAGES)
    typed = read_opinion(form, dialogue.row)
    before = ratings.opinion_of(dialogue.ratings, visit.actor).answers
    # Answers on other pages of a long talk were not sent along; they stay as they were.
    places = range((number - 1) * MESSAGES + 1, number * MESSAGES + 1)
    others = {place: verdict for place, verdict in before.items() if place not in places}
    opinion = Opinion(typed.quality, {**others, **typed.answers})
    try:
        form.check()
        ratings.rate_talk(visit.store, visit.actor, visit.project, talk, opinion)
    except InputError as error:
        return _talk_page(visit, talk, number, opinion, error)
    return visit.done(f"{visit.base}/dialogues/{talk}", visit.words.gettext("Rating saved."))


@router.post("/{talk}/take-back")
def take_back(visit: ReviewerVisit, talk: TalkId) -> Response:
    """Forget what a person thinks of the talk."""
    ratings.take_back(visit.store, visit.actor, visit.project, talk)
    return visit.done(f"{visit.base}/dialogues/{talk}", visit.words.gettext("Ratings removed."))


@router.get("/{talk}/chart.json")
def show_chart(visit: ReaderVisit, talk: TalkId) -> Response:
    """Return the chart of what each message did to the score."""
    dialogue = dialogues.find_talk(visit.store, visit.project, talk)
    if dialogue.score is None or not effects_of(dialogue.score.row):
        raise AbsentError(say("there is no chart for this dialogue"), remedy=say("score it first"))
    from vivavoce.dialogues.result import Score, TurnEffect
    from vivavoce.jobs.exams.documents import page_spec
    from vivavoce.reports.dialogues.charts import effects_chart

    effects = [TurnEffect(number, "", effect) for number, effect in effects_of(dialogue.score.row).items()]
    score = Score(dialogue.row.name, dialogue.score.row.score, turns=tuple(effects))
    spec = page_spec(effects_chart(dialogues.to_dialogue(dialogue.row), score).to_dict())
    return Response(json.dumps(translate_spec(visit.words, spec)), media_type="application/json")


def _talk_page(
    visit: Visit, talk: str, number: int, typed: Opinion | None = None, error: InputError | None = None
) -> Response:
    words, dialogue = visit.words, dialogues.find_talk(visit.store, visit.project, talk)
    base = f"{visit.base}/dialogues"
    path, own = f"{base}/{talk}", ratings.opinion_of(dialogue.ratings, visit.actor)
    opinion, score = typed or own, dialogue.score.row if dialogue.score else None
    listing, facts = Listing(path, page=number, size=MESSAGES), facts_of(dialogue.row)
    lead, about = _score_texts(words, score)
    title = dialogues.title_of(dialogue.row.turns) or words.gettext("(no text)")
    view = View(
        title=title,
        lead=lead,
        about=about,
        crumbs=(Link(words.gettext("Dialogues"), base),),
        facts=told_facts(words, facts, MESSAGES),
        score=_score_view(words, score),
        reasons=list_reasons(words, score, facts),
        warnings=score.detail.get("warnings", ()) if score else (),
        messages=messages_of(words, dialogue.row, opinion, listing.offset + 1, facts),
        pager=listing.pager(len(dialogue.row.turns)),
        form=rating_form(words, f"{path}/rate", str(opinion.quality or "")) if visit.who.may("reviewer") else None,
        hidden=(hidden_field("page", str(number)),),
        rated=own.given,
        undo=f"{path}/take-back",
        details=_details(words, dialogue),
        people_columns=text_columns(
            words.gettext("Who"), words.gettext("About"), words.gettext("Rating"), words.gettext("When")
        ),
        people=[_rating_row(words, rating, dialogue) for rating in dialogue.ratings[:MAX_RATINGS]],
        error=error,
        **_measured(words, dialogue, score, f"{path}/chart.json"),
    )
    return visit.page("dialogues/talk.html", title, view=view, status=400 if error else 200)


def _measured(words: Words, dialogue: Talk, score: ScoreRow | None, address: str) -> dict[str, object]:
    """Return what the rater measured, for experts: the effect of each message and of each group of features."""
    effects = effects_of(score)
    speakers = {place: str(turn.get("speaker", "")) for place, turn in enumerate(dialogue.row.turns, 1)}
    reasons = [one for one in (score.detail.get("reasons", ()) if score else ()) if one.get("effect") is not None]
    reasons.sort(key=lambda reason: -abs(reason["effect"]))
    return {
        "drawn": _draw_effects(words, dialogue, effects, address) if effects else None,
        "effect_columns": (
            *text_columns(words.gettext("Message"), words.gettext("Who")),
            *number_columns(words.gettext("Effect")),
        ),
        "effects": [
            Row((place, speakers.get(place, ""), signed(words, effect)))
            for place, effect in sorted(effects.items())[:MESSAGES]
        ],
        "measured": make_table(
            words.gettext("What the rater measured; each effect stands alone"),
            (words.gettext("What"), Column(words.gettext("Effect"), number=True)),
            [(words.said(reason["text"]), signed(words, reason["effect"])) for reason in reasons[:MAX_REASONS]],
        ),
    }


def _score_view(words: Words, score: ScoreRow | None) -> View | None:
    """Return the score as a number and a bar; None where there is none."""
    if score is None or score.score is None:
        return None
    band = band_of(score.score)
    tone = {"low": "bad", "middle": "hold", "high": "good"}[band]
    return View(value=Writer(words).number(score.score, 1), share=(score.score - 1) / 4, band=band, tone=tone)


def _score_texts(words: Words, score: ScoreRow | None) -> tuple[str, str]:
    """Return what the score says, and how far a person's rating may be from it."""
    number = Writer(words).number
    if score is None:
        return words.gettext("This dialogue has no score yet."), ""
    lead = words.gettext(
        "A person would probably rate this dialogue %(score)s out of 5.", score=number(score.score, 1)
    )
    if score.score is None:
        why = words.said(score.refusal or "") or words.gettext("n/a")
        lead = words.gettext("This dialogue gets no score: %(why)s", why=why)
    if score.low is None or score.high is None:
        return lead, ""
    return lead, words.gettext(
        "In 8 of 10 cases, a person's rating for such a dialogue is between %(low)s and %(high)s.",
        low=number(score.low, 1),
        high=number(score.high, 1),
    )


def _draw_effects(words: Words, dialogue: Talk, effects: dict[int, float], address: str) -> Drawn:
    meaning = words.gettext(
        "How many points each message moved the score: bars above the line raised it, bars below "
        "lowered it. Each bar is independent; they do not add up to the score."
    )
    label = words.gettext("Effect of each message on the score")
    picture = effects_picture(words, bars_of(words, dialogue.row.turns, effects), label)
    return Drawn(words.gettext("What moved the score"), meaning, picture, address)


def _rating_row(words: Words, rating: RatingRow, dialogue: Talk) -> Row:
    number = rating.turn
    about = words.gettext("message %(number)s", number=number) if number else words.gettext("the whole dialogue")
    if rating.quality is None:
        text = next((words.gettext(title) for verdict, title in VERDICTS.items() if verdict == rating.verdict), "")
    else:
        whole, title = round(rating.quality), QUALITIES.get(round(rating.quality), "")
        text = Writer(words).number(rating.quality, 0 if rating.quality == whole else 1)
        text += f", {words.gettext(title)}" if title else ""
    name = dialogue.names.get(rating.user_id or "", rating.rater)
    return Row((name, about, text, Writer(words).ago(rating.created)))


def _details(words: Words, dialogue: Talk) -> list[tuple[str, str]]:
    """Return where the dialogue comes from."""
    row, writer = dialogue.row, Writer(words)
    ratings = [rating.quality for rating in dialogue.ratings if rating.turn == 0 and rating.quality is not None]
    checks = {True: words.gettext("all passed"), False: words.gettext("not all passed")}
    mean = f"{writer.number(sum(ratings) / len(ratings), 1)} (n = {len(ratings)})" if ratings else writer.number(None)
    details = [
        (words.gettext("Name"), row.name),
        (words.gettext("Bot"), row.bot or words.gettext("n/a")),
        (words.gettext("Batch"), row.batch),
        (words.gettext("Messages"), writer.number(len(row.turns))),
        (words.gettext("People's rating"), mean),
    ]
    details += [(words.gettext("Scripted checks"), checks[row.passed])] if row.passed is not None else []
    details += [(words.gettext("Scored in run"), str(dialogue.score.run))] if dialogue.score else []
    return details
