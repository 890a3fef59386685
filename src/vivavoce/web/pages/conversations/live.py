"""A run of conversations while it is held: how each bot fares, and one conversation with all of them in step."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.store.rows import Run, UnitState
from vivavoce.web.answers import answer_unchanged, go
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import LARGEST, Number, Word
from vivavoce.web.pages.conversations.side_by_side import Repeat, make_round, make_strip
from vivavoce.web.progress import progress_view, run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import talk_path
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.conversations import conversations
from vivavoce.workspace.conversations.conversations import KIND, BotProgress, TalkPlace, Watched
from vivavoce.workspace.conversations.transcripts import RunningScore, find_talk, material_of, running_scores
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations")
STATES = {
    UnitState.WAITING: gettext_noop("Not started yet."),
    UnitState.RUNNING: gettext_noop("Starting."),
    UnitState.DONE: gettext_noop("Nothing was said."),
    UnitState.FAILED: gettext_noop("The conversation failed."),
    UnitState.CANCELLED: gettext_noop("Cancelled before it started."),
}
# Under so many judged turns a share says next to nothing.
FEWEST = 10


@router.get("/{number}/watch")
def show_watched(
    visit: ReaderVisit,
    number: Number,
    script: Word = "",
    repeat: Repeat = 1,
    version: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> Response:
    """Return the talk that is watched; nothing when it has not changed."""
    run = runs.show_run(visit.store, visit.project, number, KIND).run
    if not run.state.open:
        # The page that asked has more to show now: being led elsewhere, it loads itself anew.
        return go(run_path(visit.project, run))
    if run.version == version:
        return answer_unchanged()
    view = watch_view(visit, run, place_asked(script, repeat))
    return visit.part("conversations/watch.html", view)


def live_page(visit: Visit, line: runs.RunLine, place: TalkPlace | None) -> Response:
    """Show a run that is going on, or that ended early."""
    words, write, progress = visit.words, visit.write, runs.progress_of(visit.store, line.run)
    run = progress.run
    lead = words.gettext("Conversations are in progress. Each turn appears here as it happens.")
    if not run.state.open:
        lead = words.ngettext(
            "The run ended early: %(done)s of %(total)s conversation held.",
            "The run ended early: %(done)s of %(total)s conversations held.",
            run.total,
            done=write.number(run.done),
            total=write.number(run.total),
        )
    view = View(
        head=run_head(words, visit.project, line),
        lead=lead,
        tabs=run_tabs(visit, line.run, "result"),
        progress=progress_view(words, visit.project, progress),
        watch=watch_view(visit, run, place),
    )
    return visit.page("conversations/live.html", words.ours(line.run.title), view=view)


def place_asked(script: str, repeat: int) -> TalkPlace | None:
    """Return the talk that an address names; repeats count from 1 for people."""
    return TalkPlace(script, repeat - 1) if script else None


def run_tabs(visit: Visit, run: Run, current: str) -> tuple[Link, ...]:
    """Return the pages of one run."""
    words = visit.words
    path = run_path(visit.project, run)
    titles = {
        "result": (words.gettext("Live") if run.state.open else words.gettext("Result"), path),
        "talks": (words.gettext("Conversations"), f"{path}/talks"),
        "turns": (words.gettext("All turns"), f"{path}/turns"),
    }
    return tuple(Link(title, href, name == current) for name, (title, href) in titles.items())


def watch_view(visit: Visit, run: Run, place: TalkPlace | None) -> View:
    """Return the part that renews itself."""
    words, path = visit.words, run_path(visit.project, run)
    watched, bots = conversations.watch(visit.store, run, place), conversations.bot_progress(visit.store, run)
    scores = running_scores(visit.store, run)

    def query(of: TalkPlace) -> str:
        return urlencode({"script": of.script, "repeat": of.repeat + 1})

    asked = f"?{query(place)}" if place else ""
    return View(
        poll=f"{path}/watch{asked}" if run.state.open else "",
        version=run.version,
        scores=[_score(words, at, bot, scores.get(bot.bot)) for at, bot in enumerate(bots)],
        title=_title(visit, run, watched.place),
        talk=_talk(visit, run, watched, watched.place) if watched.place else None,
        others=[
            Link(_title(visit, run, other), f"{path}?{query(other)}", other == watched.place)
            for other in watched.others
        ],
        follow=Link(words.gettext("Follow the latest conversation"), path) if place and run.state.open else None,
    )


def _score(words: Words, place: int, bot: BotProgress, score: RunningScore | None) -> View:
    """Return how far a bot is and how it fares; few turns are counted, more have a share with its interval."""
    write, over = Writer(words), bot.done + bot.failed
    right, around = "", words.gettext("no turn judged yet")
    if score is not None:
        of = words.gettext("%(part)s of %(whole)s", part=write.number(score.right), whole=write.number(score.rate.n))
        right, around = of, words.gettext("turns right")
        if score.rate.n >= FEWEST and score.rate.value is not None and score.rate.low is not None:
            around = words.gettext(
                "turns right: %(share)s (%(low)s to %(high)s)",
                share=write.share(score.rate.value),
                low=write.share(score.rate.low),
                high=write.share(score.rate.high),
            )
    return View(
        bot=bot.bot,
        place=place,
        right=right,
        around=around,
        over=over,
        total=bot.total,
        failed=bot.failed,
        running=bot.running,
    )


def _talk(visit: Visit, run: Run, watched: Watched, place: TalkPlace) -> View:
    """Return the conversation that is watched: all turns at a glance, and those that were said, the newest first."""
    talk = find_talk(visit.store, run, place.script, repeat=place.repeat)
    waiting = {
        bot: visit.words.gettext(STATES[watched.states.get(bot, UnitState.WAITING)])
        for bot in talk.bots
        if not talk.rows.get(bot)
    }
    reached = {number for rows in talk.rows.values() for number, row in rows.items() if row.status != "not_reached"}
    turns = [turn for turn in reversed(talk.turns) if turn.number in reached]
    return View(
        strip=list(make_strip(visit.words, talk)),
        numbers=[turn.number for turn in talk.turns],
        rounds=[make_round(visit, talk, turn, waiting=waiting) for turn in turns],
        href=talk_path(visit.project, run, talk.script.id, repeat=talk.repeat),
        waiting=[visit.words.gettext("%(bot)s: %(state)s", bot=bot, state=state) for bot, state in waiting.items()],
    )


def _title(visit: Visit, run: Run, place: TalkPlace | None) -> str:
    if place is None:
        return visit.words.gettext("No messages yet.")
    header = material_of(visit.store, run).header
    titles = (script.title for script in header.plan.scripts if script.id == place.script)
    title = next(titles, "") or place.script
    which = visit.words.gettext("%(repeat)s of %(repeats)s", repeat=place.repeat + 1, repeats=header.repeats)
    return f"{title} ({which})" if header.repeats > 1 else title
