"""A run of conversations while it is held: how far it is with each bot, and one talk side by side as it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, TurnRow, UnitState
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import go, page, part, unchanged, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import LARGEST, Number, Word
from vivavoce.web.parts import Progress, Turn
from vivavoce.web.progress import progress_view, run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import bot_turn
from vivavoce.workspace.conversations import conversations
from vivavoce.workspace.conversations.conversations import KIND, BotProgress, TalkPlace, Watched
from vivavoce.workspace.conversations.transcripts import material_of
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations")
STATES = {
    UnitState.WAITING: gettext_noop("Not begun yet."),
    UnitState.RUNNING: gettext_noop("The talk begins."),
    UnitState.DONE: gettext_noop("Nothing was said."),
    UnitState.FAILED: gettext_noop("The talk could not be held."),
    UnitState.CANCELLED: gettext_noop("Cancelled before it began."),
}
Repeat = Annotated[int, Query(ge=1, le=LARGEST)]


@router.get("/{number}/watch")
def show_watched(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: Number,
    script: Word = "",
    repeat: Repeat = 1,
    version: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> Response:
    """Return the talk that is watched; nothing when it has not changed."""
    run = runs.show_run(store, project, number, KIND).run
    if not run.state.open:
        # The page that asked has more to show now: being led elsewhere, it loads itself anew.
        return go(run_path(project, run))
    if run.version == version:
        return unchanged()
    view = watch_view(words_of(request), store, project, run, place_asked(script, repeat))
    return part(request, "conversations/watch.html", view=view, project=project)


def live_page(
    request: Request, store: Store, project: Project, line: runs.RunLine, place: TalkPlace | None
) -> Response:
    """Show a run that is going on, or that ended early."""
    words = words_of(request)
    found = runs.progress_of(store, line.run)
    view = View(
        head=run_head(words, project, line),
        lead=_lead(words, found),
        tabs=run_tabs(words, project, line.run, "result"),
        progress=progress_view(words, project, found),
        watch=watch_view(words, store, project, found.run, place),
    )
    return page(
        request,
        "conversations/live.html",
        words.ours(line.run.title),
        view=view,
        project=project,
        section="conversations",
    )


def place_asked(script: str, repeat: int) -> TalkPlace | None:
    """Return the talk that an address names; repeats count from 1 for people."""
    return TalkPlace(script, repeat - 1) if script else None


def run_tabs(words: Words, project: Project, run: Run, current: str) -> tuple[Link, ...]:
    """Return the pages of one run."""
    path = run_path(project, run)
    titles = {
        "result": (words.gettext("Live") if run.state.open else words.gettext("Result"), path),
        "talks": (words.gettext("Conversations"), f"{path}/talks"),
        "turns": (words.gettext("All turns"), f"{path}/turns"),
    }
    return tuple(Link(title, href, name == current) for name, (title, href) in titles.items())


def watch_view(words: Words, store: Store, project: Project, run: Run, place: TalkPlace | None) -> View:
    """Return the part that renews itself."""
    found, bots = conversations.watch(store, run, place), conversations.bot_progress(store, run)
    path = run_path(project, run)
    asked = f"?{_query(place)}" if place else ""
    return View(
        poll=f"{path}/watch{asked}" if run.state.open else "",
        version=run.version,
        bars=tuple(_bar(words, one) for one in bots),
        title=_title(words, store, run, found.place),
        columns=tuple(_columns(words, bots, found)),
        others=tuple(_others(words, path, run, store, found)),
        follow=Link(words.gettext("Follow the newest talk"), path) if place and run.state.open else None,
    )


def _query(place: TalkPlace) -> str:
    return urlencode({"script": place.script, "repeat": place.repeat + 1})


def _lead(words: Words, found: runs.RunProgress) -> str:
    run = found.run
    if run.state.open:
        return words.gettext("The conversations are being held; every turn appears here as it comes.")
    done, total = Writer(words).number(run.done), Writer(words).number(run.total)
    return words.ngettext(
        "The run ended early: %(done)s of %(total)s conversation was held.",
        "The run ended early: %(done)s of %(total)s conversations were held.",
        run.total,
        done=done,
        total=total,
    )


def _bar(words: Words, one: BotProgress) -> Progress:
    now = words.ngettext("%(num)s talk going on", "%(num)s talks going on", one.running) if one.running else ""
    over = one.done + one.failed
    return Progress(f"{one.bot} ({now})" if now else one.bot, over, one.total, one.failed, None, over == one.total)


def _title(words: Words, store: Store, run: Run, place: TalkPlace | None) -> str:
    if place is None:
        return words.gettext("Nothing has been said yet.")
    header = material_of(store, run).header
    named = next((one.title for one in header.plan.scripts if one.id == place.script), "") or place.script
    which = words.gettext("%(repeat)s of %(repeats)s", repeat=place.repeat + 1, repeats=header.repeats)
    return f"{named} ({which})" if header.repeats > 1 else named


def _columns(words: Words, bots: tuple[BotProgress, ...], found: Watched) -> Iterator[View]:
    for bot in bots if found.place else ():
        rows = found.turns.get(bot.bot, ())
        state = found.states.get(bot.bot, UnitState.WAITING)
        yield View(
            name=bot.bot, turns=tuple(_said(words, rows)), waiting="" if rows else words.gettext(STATES[state])
        )


def _said(words: Words, rows: tuple[TurnRow, ...]) -> Iterator[Turn]:
    for row in rows:
        yield Turn(row.sent, visitor=True)
        if row.status != "not_reached":
            yield bot_turn(words, row)


def _others(words: Words, path: str, run: Run, store: Store, found: Watched) -> Iterator[Link]:
    for place in found.others:
        yield Link(_title(words, store, run, place), f"{path}?{_query(place)}", place == found.place)
