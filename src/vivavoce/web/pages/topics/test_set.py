"""The test set: how large it is, and what comes into it. Its questions are shown to nobody who edits."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MAX_WHY, Fields, Form, fault_at
from vivavoce.web.parts import Field, Row, number_columns, text_columns
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.topics.test_set import (
    MAX_LINES,
    add_test_questions,
    drop_test_set,
    measure_test_set,
    set_aside,
)

router = APIRouter()
USUAL_SHARE = 10


@router.get("/p/{slug}/topics/test-set")
def show_test_set(visit: ReaderVisit) -> Response:
    """Show how many questions are set aside, by topic."""
    return _page(visit)


@router.post("/p/{slug}/topics/test-set")
def change_test_set(visit: EditorVisit, form: Form) -> Response:
    """Set examples aside, add questions, or delete the test set."""
    why, words = form.text("why", most=MAX_WHY), visit.words
    try:
        match form.text("do"):
            case "aside":
                share = form.number("share", USUAL_SHARE, low=1, high=50) / 100
                form.check()
                edit, text = set_aside(*visit.acting, share, why=why), words.gettext("Set aside.")
            case "add":
                lines = form.lines("texts", most=MAX_LINES)
                form.check()
                edit, text = (
                    add_test_questions(*visit.acting, lines, why=why),
                    words.gettext("Added to the test set."),
                )
            case "drop":
                edit, text = drop_test_set(*visit.acting, why=why), words.gettext("Test set deleted.")
            case _:
                raise UsageError(say("no action selected"), remedy=say("choose what to do"))
    except InputError as error:
        return _page(visit, form, error)
    return visit.done(f"{visit.base}/topics/test-set", text, edit)


def _page(visit: Visit, form: Fields | None = None, error: InputError | None = None) -> Response:
    words, size = visit.words, measure_test_set(*visit.here)
    typed = form.text("texts", most=1_000_000) if form else ""
    share = (form.text("share") if form else "") or str(USUAL_SHARE)
    view = View(
        title=words.ngettext(
            "%(num)s question is set aside for testing.", "%(num)s questions are set aside for testing.", size.total
        )
        if size.total
        else words.gettext("No questions are set aside for testing yet."),
        total=size.total,
        topics=f"{visit.base}/topics",
        columns=(*text_columns(words.gettext("Topic")), *number_columns(words.gettext("Test questions"))),
        rows=[Row((name or words.gettext("out of scope"), visit.write.number(n))) for name, n in size.topics.items()],
        share=Field(
            "share",
            words.gettext("Share of the examples, in %"),
            "number",
            share,
            words.gettext("Drawn at random from each topic; the bot no longer learns them."),
            fault_at(error, "share"),
            low="1",
            high="50",
            required=True,
        ),
        texts=Field(
            "texts",
            words.gettext("Real questions"),
            "textarea",
            typed,
            words.gettext("One per line: the message, a tab, its topic. Without a topic: out of scope."),
            fault_at(error, "texts"),
            required=True,
        ),
        may_edit=visit.who.may("editor"),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("topics/test_set.html", words.gettext("Test set"), view=view, status=status)
