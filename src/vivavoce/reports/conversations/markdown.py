"""A run in a few lines of Markdown, for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vivavoce.conversations.result import Cell, Change, ConversationsResult, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.conversations import verdicts, wording
from vivavoce.reports.conversations.changes import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.conversations.exchanges import gist, key_before, said_and_answered
from vivavoce.reports.conversations.meanings import MAIN, measure_of, number_of, outcome_name
from vivavoce.reports.conversations.tables import cells_by_level, shown_domains
from vivavoce.reports.shared.numbers import ENGLISH
from vivavoce.reports.shared.texts import shorten

PROBLEMS = 3
MOST_CHANGES = 20
MOST_TEXT = 160
_SPECIAL = re.compile(r"([\\`*_\[\]|~!])")


def render_summary(result: ConversationsResult) -> str:
    """Return the summary of a run."""
    lines = [f"### Conversations exam: {_plain(result.header.plan.suite)}", "", _plain(wording.headline(result)), ""]
    second = wording.second_sentence(result)
    lines += [_plain(second), ""] if second else []
    head = ["Bot", "Level", "Turns", *[measure_of(name).column for name in MAIN]]
    lines += [_row(head), _row(["---", "---", *["---:"] * (len(head) - 2)])]
    domain = shown_domains(result)[0]
    for bot in result.header.bots:
        lines += [_cell_row(cell) for cell in cells_by_level(result, bot.name, domain)]
    lines += ["", *[f"- {_plain(said)}" for said in verdicts.verdicts(result)], "", *_problems(result)]
    names = [bot.name for bot in result.header.bots]
    lines += [f"> {_plain(wording.sentence(note, names))}" for note in (*result.failures, *result.warnings)]
    return "\n".join(lines).rstrip() + "\n"


def _cell_row(cell: Cell) -> str:
    values = [write_rate(name, number_of(cell, name)) for name in MAIN]
    level = f"{cell.level or 'all levels'}{' (incomplete)' if cell.incomplete else ''}"
    return _row([cell.bot, level, f"{cell.counts.counted:,}", *values])


def _problems(result: ConversationsResult) -> Iterator[str]:
    for bot in result.header.bots:
        found, _ = wording.first_problems(result, bot.name, PROBLEMS)
        if found:
            yield f"**What to fix first in {_plain(bot.name)}**"
            yield ""
            said = [wording.sentence(problem.message) for problem in found]
            yield from (f"{place}. {_plain(message)}" for place, message in enumerate(said, 1))
            yield ""


def render_diff_summary(diff: RunDiff, before: RunRecord, after: RunRecord) -> str:
    """Return the comparison of two runs: what got worse first."""
    lines = [f"### Two runs of {_plain(diff.after.plan.suite)}", "", _plain(diff_headline(diff)), ""]
    lines += [f"- {_plain(course_sentence(comparison))}" for comparison in diff.comparisons]
    for title, changes in (("Got worse", diff.regressed), ("Improved", diff.improved)):
        if changes:
            lines += ["", f"**{title} ({len(changes)})**", "", _row(["Turn", "Visitor", "Before", "After"])]
            lines.append(_row(["---"] * 4))
            lines += [_change(diff, change, before, after) for change in changes[:MOST_CHANGES]]
            if len(changes) > MOST_CHANGES:
                lines += ["", f"{plural(len(changes) - MOST_CHANGES, 'turn')} more."]
    notes = diff_remarks(diff)
    lines += ["", *[f"> {_plain(note)}" for note in notes]] if notes else []
    return "\n".join(lines).rstrip() + "\n"


def _change(diff: RunDiff, change: Change, before: RunRecord, after: RunRecord) -> str:
    sent, now = said_and_answered(after.transcript(change.key), change.number)
    _, then = said_and_answered(before.transcript(key_before(diff, change)), change.number)
    then, now = (gist(text, after.header.plan.notice, MOST_TEXT) for text in (then, now))
    where = f"{change.key.bot}, {change.key.script}, turn {change.number}"
    told = [f"{outcome_name(outcome)}: {said}" for outcome, said in ((change.before, then), (change.after, now))]
    return _row([where, shorten(sent, MOST_TEXT), *told])


def write_rate(name: str, rate: Rate) -> str:
    """Return a value with its interval on one line."""
    value, around, _ = ENGLISH.parts(rate, measure_of(name))
    return f"{value} ({around})" if around else value


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell if set(cell) <= {'-', ':'} else _plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    """Keep a text on one line and as it is: no markup, no HTML, nobody called and no issue linked by it."""
    flat = shorten(text, 4 * MOST_TEXT)
    safe = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # GitHub reads @name and #12 in the finished text: a comment between the two parts them.
    return re.sub(r"([@#])(?=\w)", r"\1<!-- -->", _SPECIAL.sub(r"\\\1", safe))
