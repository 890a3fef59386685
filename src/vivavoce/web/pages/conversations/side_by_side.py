"""One conversation of a run with every bot side by side: what went wrong at a glance, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.conversations.scenario import Kind, ScriptTurn
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import InputError
from vivavoce.messages import join_and
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.store.rows import Run, TurnRow
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST, Listing, Number, PageNumber
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import expected_text, kind_title, outcome_mark, reply_notes, reply_text, talk_path
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.conversations.accepting import Origin, accept_reply, find_origin, is_accepted, may_accept
from vivavoce.workspace.conversations.conversations import KIND
from vivavoce.workspace.conversations.transcripts import Talk, find_talk
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations/{number}")
# Which turns are shown: all, those in which the bots came out differently, those that a bot got wrong.
ALL, DIFFERENT, WRONG = "", "differ", "wrong"
Shown = Annotated[str, Query(max_length=10)]
Repeat = Annotated[int, Query(ge=1, le=LARGEST)]


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


# --- turns with every bot -----------------------------------------------------------------------------------------

NOBODY: Mapping[str, str] = {}


def make_strip(words: Words, talk: Talk) -> Iterator[View]:
    """Yield a line for each bot: a mark for each turn, and how many were right."""
    for place, bot in enumerate(talk.bots):
        rows = talk.rows.get(bot, {})
        outcomes = {turn.number: rows[turn.number].outcome if turn.number in rows else "" for turn in talk.turns}
        marks = [(number, outcome_mark(words, outcome)) for number, outcome in outcomes.items()]
        right, counted = _count_right(rows.values())
        yield View(bot=bot, place=place, marks=marks, right=right, counted=counted)


def _count_right(rows: Iterable[TurnRow]) -> tuple[int, int]:
    outcomes = [TurnOutcome(row.outcome) for row in rows if row.outcome]
    checked = [outcome.passed for outcome in outcomes if outcome.counted]
    return sum(checked), len(checked)


def make_round(
    visit: Visit, talk: Talk, turn: ScriptTurn, origin: Origin | None = None, *, waiting: Mapping[str, str] = NOBODY
) -> View:
    """Return one message and what every bot said to it. `waiting`: what is said of bots that said nothing yet."""
    words = visit.words
    rows = {bot: talk.rows.get(bot, {}).get(turn.number) for bot in talk.bots}
    outcomes = [TurnOutcome(row.outcome) for row in rows.values() if row is not None and row.outcome]
    place = origin.places.get(turn.number) if origin else None
    edit = f"{visit.base}/scenarios/{origin.row.id}#turn-{place + 1}" if origin and place is not None else ""
    return View(
        number=turn.number,
        said=next((row.sent for row in rows.values() if row is not None), turn.text),
        kind="" if turn.kind is Kind.CLEAN else kind_title(words, str(turn.kind)),
        expected=expected_text(words, turn.expect),
        edit=edit,
        differs=len({outcome_mark(words, str(outcome)).tone for outcome in outcomes}) > 1,
        wrong=any(outcome.counted and not outcome.passed for outcome in outcomes),
        replies=[
            _show_reply(words, bot, at, row, origin, waiting.get(bot, ""))
            for at, (bot, row) in enumerate(rows.items())
        ],
    )


def _show_reply(  # noqa: PLR0917
    words: Words, bot: str, place: int, row: TurnRow | None, origin: Origin | None, waiting: str
) -> View:
    done = row is not None and is_accepted(origin, row)
    return View(
        bot=bot,
        place=place,
        text=reply_text(words, row) if row else "",
        waiting="" if row else waiting or words.gettext("(no reply yet)"),
        mark=outcome_mark(words, row.outcome if row else ""),
        why=" · ".join(reply_notes(words, row, timed=False)) if row else "",
        time=words.said(milliseconds_text(row.first_ms)) if row and row.first_ms is not None else "",
        fine=row is not None and origin is not None and not done and may_accept(row),
        done=done,
    )


def say_headline(words: Words, talk: Talk) -> str:
    """Say who did best in a conversation, and where everybody failed."""
    tallies = {bot: _count_right(talk.rows.get(bot, {}).values()) for bot in talk.bots}
    checked = {bot: tally for bot, tally in tallies.items() if tally[1]}
    if not checked:
        return words.gettext("No turn of this conversation was checked.")
    if all(right == counted for right, counted in checked.values()):
        return words.gettext("Every checked turn is right.")
    most = max(right / counted for right, counted in checked.values())
    best = [bot for bot, (right, counted) in checked.items() if right / counted == most]
    right, counted = checked[best[0]]
    score = words.ngettext(
        "%(bots)s gets %(right)s of %(counted)s turns right",
        "%(bots)s get %(right)s of %(counted)s turns right",
        len(best),
        bots=words.said(join_and(best)),
        right=right,
        counted=counted,
    )
    failed = _failed_by_all(talk, list(checked))
    if not failed or len(checked) < 2:
        return f"{score}."
    turns = ", ".join(map(str, failed))
    common = words.ngettext(
        "every bot fails at turn %(turns)s", "every bot fails at turns %(turns)s", len(failed), turns=turns
    )
    return f"{score}; {common}."


def _failed_by_all(talk: Talk, bots: Sequence[str]) -> list[int]:
    numbers = []
    for turn in talk.turns:
        rows = [talk.rows.get(bot, {}).get(turn.number) for bot in bots]
        outcomes = [TurnOutcome(row.outcome) for row in rows if row is not None and row.outcome]
        if len(outcomes) == len(bots) and all(outcome.counted and not outcome.passed for outcome in outcomes):
            numbers.append(turn.number)
    return numbers
