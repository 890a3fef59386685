"""A run in a few lines of Markdown, for a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vivavoce.conversations.result import Change, ConversationsResult, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.conversations import verdicts, wording
from vivavoce.reports.conversations.meanings import MAIN, measure_of, number_of, outcome_name
from vivavoce.reports.conversations.tables import cells_by_level, list_shown_domains
from vivavoce.reports.conversations.transcripts import find_texts, gist, key_before
from vivavoce.reports.conversations.wording import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.shared.numbers import ENGLISH
from vivavoce.reports.shared.texts import shorten

PROBLEMS = 3
MAX_CHANGES = 20
MAX_TEXT = 160
_SPECIAL = re.compile(r"([\\`*_\[\]|~!])")


def render_summary(result: ConversationsResult) -> str:
    """Return the summary of a run."""
    lines = [f"### Conversations exam: {_plain(result.header.plan.suite)}", "", _plain(wording.headline(result)), ""]
    second = wording.second_sentence(result)
    lines += [_plain(second), ""] if second else []
    head = ["Bot", "Level", "Turns", *[measure_of(name).column for name in MAIN]]
    lines += [_row(head), _row(["---", "---", *["---:"] * (len(head) - 2)])]
    domain = list_shown_domains(result)[0]
    for bot in result.header.bots:
        for cell in cells_by_level(result, bot.name, domain):
            values = [write_rate(name, number_of(cell, name)) for name in MAIN]
            level = f"{cell.level or 'all levels'}{' (incomplete)' if cell.incomplete else ''}"
            lines.append(_row([cell.bot, level, f"{cell.counts.counted:,}", *values]))
    lines += ["", *[f"- {_plain(verdict)}" for verdict in verdicts.verdicts(result)], ""]
    names = [bot.name for bot in result.header.bots]
    for name in names:
        problems, _ = wording.first_problems(result, name, PROBLEMS)
        if problems:
            lines += [f"**What to fix first in {_plain(name)}**", ""]
            messages = [wording.sentence(problem.message) for problem in problems]
            lines += [*(f"{place}. {_plain(message)}" for place, message in enumerate(messages, 1)), ""]
    lines += [f"> {_plain(wording.sentence(note, names))}" for note in (*result.failures, *result.warnings)]
    return "\n".join(lines).rstrip() + "\n"


def render_diff_summary(diff: RunDiff, before: RunRecord, after: RunRecord) -> str:
    """Return the comparison of two runs: what got worse first."""
    lines = [f"### Two runs of {_plain(diff.after.plan.suite)}", "", _plain(diff_headline(diff)), ""]
    lines += [f"- {_plain(course_sentence(comparison))}" for comparison in diff.comparisons]
    for title, changes in (("Got worse", diff.regressed), ("Improved", diff.improved)):
        if changes:
            lines += ["", f"**{title} ({len(changes)})**", "", _row(["Turn", "Visitor", "Before", "After"])]
            lines.append(_row(["---"] * 4))
            lines += [_change_row(diff, change, before, after) for change in changes[:MAX_CHANGES]]
            if len(changes) > MAX_CHANGES:
                lines += ["", f"{plural(len(changes) - MAX_CHANGES, 'turn')} more."]
    notes = diff_remarks(diff)
    lines += ["", *[f"> {_plain(note)}" for note in notes]] if notes else []
    return "\n".join(lines).rstrip() + "\n"


def _change_row(diff: RunDiff, change: Change, before: RunRecord, after: RunRecord) -> str:
    sent, now = find_texts(after.transcript(change.key), change.number)
    _, then = find_texts(before.transcript(key_before(diff, change)), change.number)
    then, now = (gist(text, after.header.plan.notice, MAX_TEXT) for text in (then, now))
    where = f"{change.key.bot}, {change.key.script}, turn {change.number}"
    replies = [f"{outcome_name(outcome)}: {text}" for outcome, text in ((change.before, then), (change.after, now))]
    return _row([where, shorten(sent, MAX_TEXT), *replies])


def write_rate(name: str, rate: Rate) -> str:
    """Return a value with its interval on one line."""
    value, around, _ = ENGLISH.parts(rate, measure_of(name))
    return f"{value} ({around})" if around else value


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell if set(cell) <= {'-', ':'} else _plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    """Return a text on one line without markup, HTML, mentions and links to issues."""
    flat = shorten(text, 4 * MAX_TEXT)
    safe = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # GitHub reads @name and #12 in the rendered text: a comment separates the two parts.
    return re.sub(r"([@#])(?=\w)", r"\1<!-- -->", _SPECIAL.sub(r"\\\1", safe))
