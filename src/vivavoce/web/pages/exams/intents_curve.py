"""What the confidence of a bot is worth, and which threshold to choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.store.rows import Run
from vivavoce.web.figures import find_figure
from vivavoce.web.forms import Form
from vivavoce.web.listing import Number
from vivavoce.web.pages.exams.findings import result_tabs
from vivavoce.web.parts import Row, number_columns, text_columns
from vivavoce.web.progress import run_head, tab_title
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.thresholds import read_scored
from vivavoce.workspace.projects.projects import adopt_threshold

if TYPE_CHECKING:
    from vivavoce.intents.threshold import Advice, AtThreshold, Guarantee, Scored

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
# The chart for a page and for a phone.
WIDTHS = (900, 270)
Typed = Annotated[str, Query(max_length=20)]
_PICTURES: Kept[Markup] = Kept(60)
# From so many questions or answers on, a tile shows a share.
ENOUGH = 10


@dataclass(frozen=True, slots=True)
class Wish:
    """One number that a visitor may type: its default (None: none), its ends, and what it is multiplied with."""

    default: float | None
    low: float
    high: float
    scale: float = 1.0


WISHES = {
    "threshold": Wish(None, 0, 1),
    "cost": Wish(5.0, 0.1, 1000),
    "share": Wish(None, 0, 99, 100),
    "wrong": Wish(5.0, 0.1, 50, 100),
}


async def _read_typed(
    threshold: Typed = "", cost: Typed = "", share: Typed = "", wrong: Typed = ""
) -> dict[str, str]:
    return {"threshold": threshold, "cost": cost, "share": share, "wrong": wrong}


TypedWishes = Annotated[dict[str, str], Depends(_read_typed)]


@router.get("/curve")
def show_curve(visit: ReaderVisit, number: Number, typed: TypedWishes) -> Response:
    """Show what each threshold would do and which to choose, and what the confidence of the bot is worth."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    values, faults = _read_wishes(visit, typed)
    scored = read_scored(visit.store, line.run)
    if values["share"] and scored is not None and not scored.n_out:
        faults["share"] = words.gettext("This exam asked no out-of-scope questions.")
        values["share"] = None
    found = _advise(visit, scored, values) if scored is not None and scored.n_known else None
    if found is None:
        title = words.gettext("This exam kept no questions to try a threshold with.")
    else:
        title = _title(visit, found[1].today)
    view = View(
        head=run_head(words, visit.project, line),
        title=title,
        tabs=result_tabs(visit, line.run, "curve"),
        fields=_list_fields(visit, typed, values, faults),
        advice=None if found is None else _show_advice(visit, line.run, *found),
        calibration=find_figure(visit.store, visit.project, line.run, "calibration"),
        **_calibration(visit, line.run),
    )
    heading = f"{words.gettext('Confidence')}: {tab_title(words, line.run)}"
    return visit.page("exams/intents_curve.html", heading, view=view, status=400 if faults else 200)


@router.post("/curve")
def use_threshold(visit: EditorVisit, number: Number, form: Form) -> Response:
    """Make a threshold that of the project."""
    line = runs.show_run(visit.store, visit.project, number, intents.KIND)
    value = form.number("threshold", visit.project.threshold, low=0, high=1)
    form.check()
    edit = adopt_threshold(*visit.acting, value, line.run)
    kept = {name: form.text(name, most=20) for name in ("cost", "share", "wrong") if form.text(name, most=20)}
    text = visit.words.gettext(
        "The bot now answers from a threshold of %(value)s.", value=visit.write.number(value, 2)
    )
    query = f"?{urlencode(kept)}" if kept else ""
    return visit.done(f"{visit.base}/intents/{number}/curve{query}", text, edit)


def _read_wishes(visit: Visit, typed: dict[str, str]) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return the numbers that were typed, or their defaults, and what is wrong with them."""
    values: dict[str, float | None] = {}
    faults: dict[str, str] = {}
    for name, wish in WISHES.items():
        default = visit.project.threshold if name == "threshold" else wish.default
        values[name] = None if default is None else default / wish.scale
        text = typed[name].strip().replace(",", ".")
        if not text:
            continue
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if wish.low <= value <= wish.high:
            values[name] = value / wish.scale
        else:
            low, high = (
                visit.write.number(end, 0 if float(end).is_integer() else 1) for end in (wish.low, wish.high)
            )
            faults[name] = visit.words.gettext("Enter a number from %(low)s to %(high)s.", low=low, high=high)
    return values, faults


def _advise(visit: Visit, scored: Scored, values: dict[str, float | None]) -> tuple[AtThreshold, Advice]:
    """Return what the tried threshold does, and the advice."""
    from vivavoce.intents.threshold import advise, count_at

    costs, share = float(values["cost"] or 0), values["share"]
    tried = count_at(scored, float(values["threshold"] or 0), wrong_costs=costs, share=share)
    most = float(values["wrong"] or 0)
    return tried, advise(scored, visit.project.threshold, wrong_costs=costs, max_wrong=most, out_of_scope_share=share)


def _title(visit: Visit, today: AtThreshold) -> str:
    """Say what the bot does at today's threshold."""
    words, write = visit.words, visit.write
    at = write.number(today.threshold, 2)
    if today.wrong.value is None or today.answered.value is None:
        return words.gettext("At today's threshold of %(at)s, the bot answers nothing.", at=at)
    return words.gettext(
        "At today's threshold of %(at)s, the bot answers %(answered)s of 100 questions; "
        "%(wrong)s of 100 answers are wrong.",
        at=at,
        answered=write.hundred(today.answered.value),
        wrong=write.hundred(today.wrong.value),
    )


def _list_fields(
    visit: Visit, typed: dict[str, str], values: dict[str, float | None], faults: dict[str, str]
) -> list[View]:
    words = visit.words
    named = (
        ("threshold", words.gettext("Threshold"), words.gettext("How sure the bot must be to answer, from 0 to 1.")),
        ("cost", words.gettext("A wrong answer is as bad as"), words.gettext("hand-overs to a person")),
        (
            "share",
            words.gettext("Out-of-scope questions, in %"),
            words.gettext("Of live traffic; empty: as tested."),
        ),
        (
            "wrong",
            words.gettext("Guarantee: wrong at most, in %"),
            words.gettext("Of the answers, with 90 % confidence."),
        ),
    )
    fields = []
    for name, title, about in named:
        wish, value = WISHES[name], values[name]
        text = typed[name] if name in faults else "" if value is None else f"{value * wish.scale:g}"
        step = "0.01" if name == "threshold" else "any"
        fields.append(
            View(
                name=name,
                title=title,
                help=about,
                value=text,
                fault=faults.get(name, ""),
                low=f"{wish.low:g}",
                high=f"{wish.high:g}",
                step=step,
            )
        )
    return fields


def _show_advice(visit: Visit, run: Run, tried: AtThreshold, advice: Advice) -> View:
    words, write = visit.words, visit.write
    share = advice.out_of_scope_share
    return View(
        tried=write.number(tried.threshold, 2),
        tried_value=f"{tried.threshold:g}",
        in_use=tried.threshold == visit.project.threshold,
        tiles=_list_tiles(visit, tried, None if tried.threshold == advice.today.threshold else advice.today),
        choices=list(_list_choices(visit, advice)),
        charts=[_chart(visit, run, advice, tried, width) for width in WIDTHS],
        questions=write.number(advice.questions),
        out_of_scope=advice.out_of_scope,
        out_of_scope_text=write.number(advice.out_of_scope),
        share="" if share is None else write.share(share),
        columns=(
            *text_columns(words.gettext("Threshold")),
            *number_columns(
                words.gettext("Answered by the bot"),
                words.gettext("Wrong among answered"),
                words.gettext("Out of scope answered"),
                words.gettext("Cost of 100 questions"),
            ),
        ),
        rows=[_step_row(visit, point) for point in advice.curve[::5]],
    )


def _list_tiles(visit: Visit, point: AtThreshold, today: AtThreshold | None = None) -> list[View]:
    """Return the numbers of a threshold, with counts and intervals, beside those of today's."""
    words, write, cost = visit.words, visit.write, point.cost
    named = (
        (words.gettext("Answered by the bot"), "answered", point.n_answered),
        (words.gettext("Wrong among answered"), "wrong", point.n_wrong),
        (words.gettext("Out of scope answered"), "out_of_scope_answered", point.n_out),
    )
    tiles = [
        _tile(visit, name, getattr(point, key), count, None if today is None else getattr(today, key))
        for name, key, count in named
    ]
    price = View(
        name=words.gettext("Cost of 100 questions"),
        value=write.number(cost.value),
        around=write.between(cost.low, cost.high, 0, ""),
        unsure=False,
        before="" if today is None else _say_today(visit, write.number(today.cost.value)),
    )
    return [*tiles, price]


def _tile(visit: Visit, name: str, rate: Rate, count: int, today: Rate | None) -> View:
    write = visit.write
    before = "" if today is None else _say_today(visit, write.share(today.value))
    if rate.value is None:
        return View(name=name, value=visit.words.gettext("n/a"), around="", unsure=False, before=before)
    around = f"{write.interval(rate)} · {write.of(count, rate.n)}"
    return View(name=name, value=write.share(rate.value), around=around, unsure=rate.n < ENOUGH, before=before)


def _say_today(visit: Visit, value: str) -> str:
    return visit.words.gettext("today: %(value)s", value=value)


def _list_choices(visit: Visit, advice: Advice) -> Iterator[View]:
    """Yield the thresholds to choose from: of least cost, with the guarantee, today's."""
    words, write = visit.words, visit.write
    costs = words.gettext("a wrong answer is as bad as %(n)s hand-overs", n=f"{advice.wrong_costs:g}")
    yield _choice(visit, words.gettext("Lowest cost"), costs, advice.cheapest)
    guarantee = advice.guarantee
    promise = words.gettext(
        "at most %(most)s of the answers are wrong, with %(sure)s confidence",
        most=write.percent(guarantee.max_wrong, 0 if round(1000 * guarantee.max_wrong) % 10 == 0 else 1),
        sure=write.share(guarantee.confidence),
    )
    title = words.gettext("Guarantee")
    if advice.guaranteed is None:
        yield View(title=title, about=promise, none=_explain_shortfall(visit, guarantee))
    else:
        yield _choice(visit, title, promise, advice.guaranteed)
    yield _choice(visit, words.gettext("Today"), words.gettext("the threshold of this project"), advice.today)


def _choice(visit: Visit, title: str, about: str, point: AtThreshold) -> View:
    return View(
        title=title,
        about=about,
        none="",
        value=f"{point.threshold:g}",
        text=visit.write.number(point.threshold, 2),
        numbers=_list_tiles(visit, point),
        in_use=point.threshold == visit.project.threshold,
    )


def _explain_shortfall(visit: Visit, guarantee: Guarantee) -> str:
    from vivavoce.intents.threshold import Shortfall

    words = visit.words
    if guarantee.shortfall is Shortfall.TOO_FEW:
        return words.gettext(
            "No threshold can promise this: it takes at least %(n)s answers without a mistake. Add examples, "
            "or allow more wrong answers.",
            n=visit.write.number(guarantee.needed),
        )
    return words.gettext(
        "No threshold can promise this: even among the most confident answers, up to %(share)s may be wrong.",
        share=visit.write.share(guarantee.bound),
    )


def _step_row(visit: Visit, point: AtThreshold) -> Row:
    write = visit.write
    rates = (point.answered, point.wrong, point.out_of_scope_answered)
    cells = (f"{write.share(rate.value)} {write.interval(rate)}".strip() for rate in rates)
    return Row((write.number(point.threshold, 2), *cells, write.number(point.cost.value)))


def _calibration(visit: Visit, run: Run) -> dict[str, object]:
    words, write = visit.words, visit.write
    result = intents.intents_result(visit.store, run)
    return {
        "calibration_columns": (
            *text_columns(words.gettext("Claimed confidence")),
            *number_columns(words.gettext("Actually right"), words.gettext("Questions")),
        ),
        "calibration_rows": [
            Row((write.share(step.confidence), write.share(step.right), write.number(step.n)))
            for findings in result.settings[:1]
            for step in findings.bins
        ],
    }


def _chart(visit: Visit, run: Run, advice: Advice, tried: AtThreshold, width: int) -> Markup:
    """Return the risk-coverage curve as a picture."""
    from vivavoce.reports.intents.charts import threshold_chart
    from vivavoce.reports.shared.svg import spec_to_svg
    from vivavoce.web.figures import translate_spec

    words, asked = visit.words, (advice.guarantee.max_wrong, advice.wrong_costs, advice.out_of_scope_share)
    marks = (tried.threshold, advice.today.threshold)

    def make() -> Markup:
        chart = threshold_chart(advice, tried, width=width)
        # Drawn by ourselves, with all texts in it escaped.
        return Markup(spec_to_svg(translate_spec(words, chart.to_dict(validate=False))))  # noqa: S704

    return _PICTURES.get((run.id, run.version, words.language, asked, marks, width), make)
