"""What the confidence of a bot is worth, and what another threshold would do."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.store.rows import Run
from vivavoce.web.figures import drawn
from vivavoce.web.language import Words
from vivavoce.web.listing import Number
from vivavoce.web.pages.exams.findings import result_tabs
from vivavoce.web.parts import Row, number_columns, text_columns
from vivavoce.web.progress import run_head, tab_title
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.questions import AtThreshold, Guesses, count_at, count_everywhere, read_guesses

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
# The chart for a page and for a phone.
WIDTHS = (900, 270)
ThresholdAsked = Annotated[str, Query(alias="threshold", max_length=20)]
_PICTURES: Kept[Markup] = Kept(60)


@router.get("/curve")
def show_curve(visit: ReaderVisit, number: Number, threshold: ThresholdAsked = "") -> Response:
    """Show what the confidence of the bot is worth, and what it would do at a threshold."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    run, present = line.run, float(line.run.options.get("threshold", 0.0))
    tried, fault = _read_threshold(words, threshold, present)
    guesses = read_guesses(visit.store, run)
    result = intents.intents_result(visit.store, run)
    share, write = visit.write.share, visit.write.number
    view = View(
        head=run_head(words, visit.project, line),
        title=_title(visit, count_at(guesses, tried)),
        tabs=result_tabs(visit, run, "curve"),
        tried=f"{tried:g}",
        tried_text=write(tried, 2),
        present=write(present, 2),
        same=tried == present,
        fault=fault,
        rows=_compare_rows(visit, guesses, present, tried),
        asked=bool(guesses.asked),
        charts=[_chart(visit, run, guesses, (present, tried), width) for width in WIDTHS] if guesses.asked else [],
        steps=[_step_row(visit, count_at(guesses, step / 10)) for step in range(11)],
        step_columns=(
            *text_columns(words.gettext("Threshold")),
            *number_columns(
                words.gettext("Answered"), words.gettext("Correct answers"), words.gettext("Out of scope declined")
            ),
        ),
        next=f"{visit.base}/intents?threshold={tried:g}",
        calibration=drawn(visit.store, visit.project, run, "calibration"),
        calibration_columns=(
            *text_columns(words.gettext("Claimed confidence")),
            *number_columns(words.gettext("Actually right"), words.gettext("Questions")),
        ),
        calibration_rows=[
            Row((share(step.confidence), share(step.right), write(step.n)))
            for findings in result.settings[:1]
            for step in findings.bins
        ],
    )
    title = f"{words.gettext('Confidence')}: {tab_title(words, run)}"
    return visit.page("exams/intents_curve.html", title, view=view, status=400 if fault else 200)


def _read_threshold(words: Words, typed: str, present: float) -> tuple[float, str]:
    """Return the threshold to try, and what is wrong with what was typed."""
    if not typed.strip():
        return present, ""
    try:
        value = float(typed.replace(",", "."))
    except ValueError:
        value = -1.0
    if 0 <= value <= 1:
        return value, ""
    return present, words.gettext("Enter a number from 0 to 1.")


def _title(visit: Visit, found: AtThreshold) -> str:
    """Say what the bot does at a threshold."""
    words, write = visit.words, visit.write
    if found.answered.value is None:
        return words.gettext("This exam kept no questions to try a threshold with.")
    answered = write.hundred(found.answered.value)
    if found.correct.value is None:
        return words.gettext(
            "At a threshold of %(at)s, the bot answers nothing.", at=write.number(found.threshold, 2)
        )
    return words.gettext(
        "At a threshold of %(at)s, the bot answers %(answered)s of 100 questions; "
        "%(right)s of 100 answers are correct.",
        at=write.number(found.threshold, 2),
        answered=answered,
        right=write.hundred(found.correct.value),
    )


def _compare_rows(visit: Visit, guesses: Guesses, present: float, tried: float) -> list[View]:
    """Return each number at the threshold of the exam and at the one that is tried."""
    words = visit.words
    before, after = count_at(guesses, present), count_at(guesses, tried)
    names = (
        ("answered", words.gettext("Answered"), words.gettext("questions")),
        ("correct", words.gettext("Correct answers"), words.gettext("answers")),
        ("declined", words.gettext("Out of scope declined"), words.gettext("out-of-scope questions")),
    )
    return [
        View(
            title=title,
            of=of,
            before=_number(visit, getattr(before, name)),
            after=_number(visit, getattr(after, name)),
        )
        for name, title, of in names
    ]


def _number(visit: Visit, rate: Rate) -> View:
    write = visit.write
    count = "" if rate.value is None else write.of(round(rate.value * rate.n), rate.n)
    return View(text=write.share(rate.value), around=write.interval(rate), count=count, none=rate.value is None)


def _step_row(visit: Visit, found: AtThreshold) -> Row:
    share = visit.write.share
    rates = (found.answered, found.correct, found.declined)
    return Row((visit.write.number(found.threshold, 1), *(share(rate.value) for rate in rates)))


def _chart(visit: Visit, run: Run, guesses: Guesses, marks: tuple[float, float], width: int) -> Markup:
    """Return the curve over all thresholds as a picture."""
    from vivavoce.reports.intents.charts import threshold_chart
    from vivavoce.reports.shared.svg import spec_to_svg
    from vivavoce.web.figures import translate_spec

    words = visit.words

    def make() -> Markup:
        points = [(one.threshold, one.answered, one.correct, one.declined) for one in count_everywhere(guesses)]
        chart = threshold_chart(points, *marks, width=width)
        # Drawn by ourselves, with all texts in it escaped.
        return Markup(spec_to_svg(translate_spec(words, chart.to_dict(validate=False))))  # noqa: S704

    return _PICTURES.get((run.id, run.version, words.language, marks, width), make)
