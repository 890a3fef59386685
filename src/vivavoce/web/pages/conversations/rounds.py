"""Turns of a conversation with every bot beside each other: the strip of verdicts, the rounds, and who did best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vivavoce.conversations.scenario import Kind, ScriptTurn
from vivavoce.messages import join_and
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.store.rows import TurnRow
from vivavoce.web.language import Words
from vivavoce.web.rendering import View
from vivavoce.web.talk_words import expected_text, kind_title, outcome_mark, reply_notes, reply_text
from vivavoce.web.visits import Visit
from vivavoce.workspace.conversations.accepting import Origin, is_accepted, may_accept
from vivavoce.workspace.conversations.transcripts import Talk

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
