"""The start of a scoring run."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import AccessError, InputError
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.listing import Word
from vivavoce.web.parts import Choice, Field
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.access.engine_rules import SHIPPED_RATER
from vivavoce.workspace.dialogues import dialogues
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues")


@router.get("/score")
def show_score(visit: EditorVisit, batch: Word = "") -> Response:
    """Show the form that starts an exam."""
    return _score_page(visit, {"batch": batch})


@router.post("/score")
def start_scoring(visit: EditorVisit, form: Form) -> Response:
    """Start an exam over a batch, or over all dialogues."""
    typed = {name: form.text(name, most=400) for name in ("batch", "title", "rater")}
    batch, rater = typed["batch"] or None, typed["rater"] or SHIPPED_RATER
    try:
        form.check()
        run = dialogues.begin_scoring(
            visit.store, visit.actor, visit.project, batch=batch, rater=rater, title=typed["title"]
        )
    except AccessError:
        raise
    except InputError as error:
        return _score_page(visit, typed, error)
    text = visit.words.gettext("Exam started. The results will appear here.")
    return visit.done(run_path(visit.project, run), text)


def _score_page(visit: Visit, typed: dict[str, str], error: InputError | None = None) -> Response:
    words, base = visit.words, f"{visit.base}/dialogues"
    batches = dialogues.list_batches(visit.store, visit.project)
    every = words.gettext("all dialogues (%(num)s)", num=visit.write.number(sum(batches.values())))
    choices = (Choice("", every), *(Choice(name, f"{name} ({n:,})") for name, n in batches.items()))
    experts = []
    fields = [
        Field("batch", words.gettext("Dialogues to score"), "select", typed.get("batch", ""), choices=choices),
        Field(
            "title",
            words.gettext("Title"),
            value=typed.get("title", ""),
            most=runs.MAX_TITLE,
            error=fault_at(error, "title"),
            help=words.gettext("Shown in lists. Default: the name of the batch."),
        ),
    ]
    if visit.who.may("admin"):
        from vivavoce.dialogues.raters.registry import list_raters

        help_text = words.gettext(
            "Default: the rater that comes with vivavoce. Other raters run code or call a service: %(names)s.",
            names=", ".join(rater.name for rater in list_raters()),
        )
        experts.append(Field("rater", words.gettext("Rater"), value=typed.get("rater", ""), help=help_text, most=400))
    lead = words.gettext("Each dialogue gets a score from 1 to 5: the rating a person would probably give it.")
    crumbs = (Link(words.gettext("Dialogues"), base),)
    view = View(
        lead=lead, crumbs=crumbs, action=f"{base}/score", back=base, fields=fields, experts=experts, error=error
    )
    title, status = words.gettext("Score dialogues"), 400 if error else 200
    return visit.page("dialogues/score.html", title, view=view, status=status)
