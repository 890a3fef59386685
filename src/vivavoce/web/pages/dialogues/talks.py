"""One talk: what was said, what each message did to the score, and what people think of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.dialogues.facts import Fact, FactKind
from vivavoce.dialogues.model.explaining import GROUPS, WORDING
from vivavoce.errors import AbsentError, InputError
from vivavoce.kept import Kept
from vivavoce.messages import say, sentence
from vivavoce.reports.dialogues.facts import FACTS
from vivavoce.reports.shared.views import make_table
from vivavoce.store.rows import RatingRow, ScoreRow
from vivavoce.web.figures import Drawn, translate_spec
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import MAX_PAGES, Listing, PageNumber
from vivavoce.web.pages.dialogues.ratings import read_opinion
from vivavoce.web.pages.dialogues.views import MESSAGES, QUALITIES, VERDICTS, fact_chip, messages_of, rating_form
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
# Smaller effects than this are no news.
FAINT = 0.05
# What the learned rater measures and the text shows: the fact is quoted in place of the number.
QUOTED = {
    "not knowing": (FactKind.FALLBACK,),
    "repetition": (FactKind.BOT_REPEATED, FactKind.REPEATED_QUESTION),
    "mood": (FactKind.ENDED_ANGRY, FactKind.THANKED),
}
TONES = {"low": "bad", "middle": "hold", "high": "good"}
_PICTURES: Kept[Markup] = Kept(60)
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
    if dialogue.score is None or not _effects_of(dialogue.score.row):
        raise AbsentError(say("there is no chart for this dialogue"), remedy=say("score it first"))
    from vivavoce.jobs.exams.documents import page_spec

    spec = translate_spec(visit.words, page_spec(_chart_spec(dialogue, dialogue.score.row)))
    return Response(json.dumps(spec), media_type="application/json")


def _effects_of(score: ScoreRow | None) -> dict[int, float]:
    """Return how far each message moved the score, by its number."""
    turns = score.detail.get("turns", ()) if score else ()
    return {int(turn["number"]): float(turn["effect"]) for turn in turns if turn.get("effect") is not None}


def _chart_spec(dialogue: Talk, row: ScoreRow) -> dict[str, Any]:
    from vivavoce.dialogues.result import Score, TurnEffect
    from vivavoce.reports.dialogues.charts import effects_chart

    effects = tuple(TurnEffect(number, "", effect) for number, effect in _effects_of(row).items())
    score = Score(dialogue.row.name, row.score, turns=effects)
    return effects_chart(dialogues.to_dialogue(dialogue.row), score).to_dict()


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
    band = "" if score is None or score.score is None else band_of(score.score)
    return visit.page(
        "dialogues/talk.html",
        title,
        title=title,
        lead=lead,
        about=about,
        crumbs=(Link(words.gettext("Dialogues"), base),),
        facts=list(_list_facts(words, facts)),
        score=View(value=visit.write.number(score.score, 1), share=(score.score - 1) / 4, band=band, tone=TONES[band])
        if score and score.score is not None
        else None,
        reasons=_list_reasons(words, score, facts),
        warnings=[sentence(warning) for warning in (score.detail.get("warnings", ()) if score else ())],
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
        **_list_effects(words, dialogue, score, f"{path}/chart.json"),
    )


def _list_facts(words: Words, facts: Sequence[Fact]) -> Iterator[View]:
    """Yield the facts of one dialogue with their quotes and the way to their messages."""
    ends = {fact.turn for fact in facts if fact.kind is FactKind.ENDED_AFTER_FALLBACK}
    for fact in facts:
        # An end after a fallback says it all.
        if fact.kind is not FactKind.FALLBACK or fact.turn not in ends:
            page = (fact.turn - 1) // MESSAGES + 1
            again = words.gettext("again, first in message %(number)s", number=fact.earlier) if fact.earlier else ""
            place = f"{f'?page={page}' if page > 1 else ''}#m{fact.turn}"
            chip = fact_chip(words, fact.kind)
            yield View(chip=chip, quote=fact.quote, turn=fact.turn, href=place, again=again)


def _list_effects(words: Words, dialogue: Talk, score: ScoreRow | None, address: str) -> dict[str, Any]:
    """Return what the rater measured, for experts: the effect of each message and of each group of features."""
    effects, signed = _effects_of(score), Writer(words).signed
    speakers = {place: str(turn.get("speaker", "")) for place, turn in enumerate(dialogue.row.turns, 1)}
    reasons = [own for own in (score.detail.get("reasons", ()) if score else ()) if own.get("effect") is not None]
    reasons.sort(key=lambda reason: -abs(reason["effect"]))
    return {
        "drawn": _draw_effects(words, dialogue, score, address) if score and effects else None,
        "effect_columns": (
            *text_columns(words.gettext("Message"), words.gettext("Who")),
            *number_columns(words.gettext("Effect")),
        ),
        "effects": [
            Row((place, speakers.get(place, ""), signed(effect)))
            for place, effect in sorted(effects.items())[:MESSAGES]
        ],
        "measured": make_table(
            words.gettext("What the rater measured; each effect is independent"),
            (words.gettext("What"), Column(words.gettext("Effect"), number=True)),
            [(words.said(reason["text"]), signed(reason["effect"])) for reason in reasons[:MAX_REASONS]],
        ),
    }


def _draw_effects(words: Words, dialogue: Talk, score: ScoreRow, address: str) -> Drawn:
    from vivavoce.reports.shared.svg import spec_to_svg

    def draw() -> Markup:
        # Drawn by ourselves, with all texts in it escaped.
        return Markup(spec_to_svg(translate_spec(words, _chart_spec(dialogue, score))))  # noqa: S704

    picture = _PICTURES.get((dialogue.row.id, words.language, tuple(_effects_of(score).items())), draw)
    meaning = words.gettext(
        "How many points each message moved the score: bars above the line raised it, bars below "
        "lowered it. Each bar is independent; they do not add up to the score."
    )
    return Drawn(words.gettext("What moved the score"), meaning, picture, address)


def _list_reasons(words: Words, score: ScoreRow | None, facts: Sequence[Fact]) -> list[View]:
    """Return the reasons that are facts of the text; an effect that contradicts them is left to the experts."""
    reasons = score.detail.get("reasons", ()) if score and score.score is not None else ()
    strong = [reason for reason in reasons if abs(reason.get("effect") or 0.0) >= FAINT]
    raises, lowers = words.gettext("raises the score"), words.gettext("lowers the score")
    return [
        View(word=raises if reason["effect"] > 0 else lowers, good=reason["effect"] > 0, text=text)
        for reason in sorted(strong, key=lambda reason: -abs(reason["effect"]))
        for text in _tell_reason(reason.get("name", ""), reason["text"], reason["effect"], facts)
    ]


def _tell_reason(name: str, text: str, effect: float, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield what can be said of one reason."""
    # Other raters give their reasons in words of their own.
    if name == "length" or (name not in GROUPS and name != WORDING):
        yield text
    for kind in QUOTED.get(name, ()):
        quote = next((fact.quote for fact in facts if fact.kind is kind), None)
        if quote is not None and (effect > 0) == (kind is FactKind.THANKED):
            yield say('{what}: "{quote}"', what=FACTS[kind].title, quote=quote)


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
