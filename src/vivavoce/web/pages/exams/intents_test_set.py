"""What the bot of an exam does with the test set: the number that no edit can flatter."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import VivaError
from vivavoce.store.rows import Run
from vivavoce.web.listing import Number
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.comparing import changes_since
from vivavoce.workspace.exams.intents import SECONDS_PER_THOUSAND
from vivavoce.workspace.exams.remedies import USUAL_CLASSIFIER
from vivavoce.workspace.topics.test_set import SetScore, measure_test_set, score_test_set

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")


@router.get("/test-set")
def show_score(visit: ReaderVisit, number: Number) -> Response:
    """Show the number on the test set, and that of the exam before on the same questions: a part of the result."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    view = View(test_set=_score_view(visit, run), run=run.title, result=run_path(visit.project, run))
    if visit.request.headers.get("x-fragment"):
        return visit.part("exams/intents_test_set.html", view)
    title = visit.words.gettext("Test set")
    return visit.page("exams/intents_test_set_page.html", title, view=view)


def link_test_set(visit: Visit, run: Run) -> View:
    """Return the place of the number on the test set, which is worked out when somebody looks at it."""
    size = measure_test_set(*visit.here).total
    poll = f"{run_path(visit.project, run)}/test-set" if size else ""
    return View(poll=poll, manage=f"{visit.base}/topics/test-set", fault=None, rows=())


def _score_view(visit: Visit, run: Run) -> View:
    words, link = visit.words, link_test_set(visit, run)
    since = changes_since(visit.store, visit.project, run)
    exams = [(words.gettext("This exam"), run)]
    if since is not None:
        exams.append((words.gettext("The exam before, on the same questions"), since.before))
    try:
        scores = [(name, _score(visit, each)) for name, each in exams]
    except VivaError as error:
        return View(poll="", manage=link.manage, fault=error, rows=())
    return View(
        poll="",
        manage=link.manage,
        fault=None,
        rows=[_row(visit, name, score) for name, score in scores if score is not None],
        size=words.ngettext("%(num)s question", "%(num)s questions", measure_test_set(*visit.here).total),
    )


def _score(visit: Visit, run: Run) -> SetScore | None:
    named = str(run.options.get("classifier", ""))
    # An engine elsewhere is not trained for a look at a page.
    classifier = named if named in SECONDS_PER_THOUSAND else USUAL_CLASSIFIER
    return score_test_set(visit.store, visit.project, run, classifier)


def _row(visit: Visit, name: str, score: SetScore) -> View:
    write = visit.write
    rates = (score.accuracy, score.answered, score.precision)
    values = [(write.value(rate.value), write.interval(rate)) for rate in rates]
    return View(name=name, values=values, classifier=score.classifier)
