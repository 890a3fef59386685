"""One conversation of a run with every bot side by side: what went wrong at a glance, and what to do about it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import InputError
from vivavoce.store.rows import Run
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, Number, PageNumber
from vivavoce.web.pages.conversations.live import Repeat
from vivavoce.web.pages.conversations.rounds import make_round, make_strip, say_headline
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import kind_title, talk_path
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.conversations.accepting import accept_reply, find_origin
from vivavoce.workspace.conversations.conversations import KIND
from vivavoce.workspace.conversations.transcripts import Talk, find_talk
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations/{number}")
# Which turns are shown: all, those in which the bots came out differently, those that a bot got wrong.
ALL, DIFFERENT, WRONG = "", "differ", "wrong"
Shown = Annotated[str, Query(max_length=10)]


@router.get("/talks/{script:path}")
def show_talk(
    visit: ReaderVisit,
    number: Number,
    script: str,
    *,
    repeat: Repeat = 1,
    page_number: PageNumber = 1,
    show: Shown = ALL,
) -> Response:
    """Show a conversation with every bot side by side."""
    run = runs.show_run(visit.store, visit.project, number, KIND).run
    talk = find_talk(visit.store, run, script, repeat=repeat - 1, page=page_number)
    return _talk_page(visit, run, talk, show)


@router.post("/accept")
def accept(visit: EditorVisit, number: Number, form: Form) -> Response:
    """Add a reply to those that its turn accepts, and lead back to the turn."""
    run = runs.show_run(visit.store, visit.project, number, KIND).run
    repeat, turn = form.whole("repeat", 0, low=0, high=LARGEST), form.whole("turn", 0, low=0, high=LARGEST)
    key = ConversationKey(form.text("bot"), form.text("script", most=1000), repeat)
    talk = find_talk(visit.store, run, key.script, repeat=repeat)
    show = form.text("show")
    try:
        form.check()
        saved = accept_reply(visit.store, visit.actor, visit.project, run, (key, turn))
    except InputError as error:
        return _talk_page(visit, run, talk, show, error)
    text = visit.words.gettext(
        "Reply accepted for turn %(number)s. This run keeps its verdict; the next run counts the reply as right.",
        number=turn,
    )
    return visit.done(_address(visit, run, talk, show=show, turn=turn), text, saved.edit)


def _talk_page(visit: Visit, run: Run, talk: Talk, show: str, error: InputError | None = None) -> Response:
    origin = find_origin(visit.store, run, talk.script)
    rounds = [make_round(visit, talk, turn, origin) for turn in talk.turns]
    chosen = {ALL: rounds, DIFFERENT: [r for r in rounds if r.differs], WRONG: [r for r in rounds if r.wrong]}
    if len(talk.bots) < 2:
        del chosen[DIFFERENT]
    current = show if show in chosen else ALL
    query = {"repeat": str(talk.repeat + 1), "show": current}
    view = View(
        head=_head(visit, run, talk),
        scenario=f"{visit.base}/scenarios/{origin.row.id}" if origin else "",
        strip=list(make_strip(visit.words, talk)),
        numbers=[turn.number for turn in talk.turns],
        filters=[
            View(
                title=_filter_title(visit.words, name),
                n=len(turns),
                href=_address(visit, run, talk, show=name),
                current=name == current,
            )
            for name, turns in chosen.items()
        ],
        rounds=chosen[current],
        show=current,
        repeat=talk.repeat,
        script=talk.script.id,
        accept=f"{run_path(visit.project, run)}/accept",
        editable=visit.who.may("editor"),
        pager=Listing(_address(visit, run, talk), query, page=talk.page, size=1).pager(talk.pages),
        error=error,
    )
    title, status = view.head.title, status_of(error) if error else 200
    return visit.page("conversations/talk.html", title, view=view, status=status)


def _head(visit: Visit, run: Run, talk: Talk) -> View:
    words, own, path = visit.words, talk.script, run_path(visit.project, run)

    def other(script: str, title: str) -> Link | None:
        return Link(title, talk_path(visit.project, run, script)) if script else None

    return View(
        crumbs=(Link(words.ours(run.title), path), Link(words.gettext("Conversations"), f"{path}/talks")),
        title=own.title or own.id,
        lead=say_headline(words, talk),
        level=kind_title(words, own.level),
        domain=own.domain.replace("_", " "),
        place=words.gettext("conversation %(place)s of %(total)s", place=talk.place, total=talk.total),
        repeats=[
            Link(words.gettext("Repeat %(number)s", number=n + 1), _address(visit, run, talk, n), n == talk.repeat)
            for n in range(talk.repeats if talk.repeats > 1 else 0)
        ],
        previous=other(talk.previous, words.gettext("Previous conversation")),
        next=other(talk.next, words.gettext("Next conversation")),
    )


def _address(visit: Visit, run: Run, talk: Talk, repeat: int | None = None, *, show: str = ALL, turn: int = 0) -> str:
    """Return the address of the conversation, with some of its turns."""
    path = talk_path(visit.project, run, talk.script.id, repeat=talk.repeat if repeat is None else repeat)
    query = f"{'&' if '?' in path else '?'}{urlencode({'show': show})}" if show else ""
    return f"{path}{query}{f'#turn-{turn}' if turn else ''}"


def _filter_title(words: Words, name: str) -> str:
    return {
        ALL: words.gettext("All turns"),
        DIFFERENT: words.gettext("Only turns where bots differ"),
        WRONG: words.gettext("Only wrong turns"),
    }[name]
