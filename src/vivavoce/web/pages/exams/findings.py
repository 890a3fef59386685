"""What the pages of several exams share: the head of a result, verdicts in words, and pictures of dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.responses import Response

from vivavoce.errors import without_remedy
from vivavoce.jobs.exams.documents import canonical_json
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.reports.shared.numbers import Kind
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.answers import table_file
from vivavoce.web.cells import chip
from vivavoce.web.exam_pages import exam_title
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing
from vivavoce.web.parts import Column, Row, text_columns
from vivavoce.web.progress import ProgressView, badge_of, progress_view, run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.naming import EditKind
from vivavoce.workspace.exams.verdicts import QuestionVerdict, Verdict

if TYPE_CHECKING:
    from vivavoce.reports.shared.dots import Panel


def run_columns(words: Words) -> tuple[Column, ...]:
    """Return the heads of a table of runs."""
    return text_columns(
        words.gettext("Run"), words.gettext("Status"), words.gettext("Summary"), words.gettext("Started")
    )


def run_row(visit: Visit, line: runs.RunLine) -> Row:
    """Return one line of a table of runs."""
    words, write, run, badge = visit.words, visit.write, line.run, badge_of(visit.words, line.run)
    about = words.gettext(
        "%(exam)s, run %(number)s", exam=exam_title(words, run.kind), number=write.number(run.number)
    )
    name = Markup('<a href="{}" dir="auto">{}</a> <small>{}</small>').format(
        run_path(visit.project, run), words.ours(run.title), about
    )
    state = chip(badge.text, badge.tone)
    if run.state is RunState.RUNNING:
        state += f" {write.share((run.done + run.failed) / max(1, run.total))}"
    headline = words.said(run.headline or without_remedy(run.error))
    begun = Markup("{} <small>{}</small>").format(write.ago(run.created), line.who)
    return Row((name, state, headline, begun))


def run_lead(words: Words, run: Run) -> str:
    """Return what an exam found in one sentence, or that it is not done."""
    return words.said(run.headline) or words.gettext("The result appears here when the run is done.")


def scope_title(words: Words, scope: str) -> str:
    """Return a setting such as `0,0.15` by what the bot has to face in it."""
    k, _, p = scope.partition(",")
    if k not in ("", "0"):
        return words.gettext("Topics with fewer than %(k)s examples unknown", k=k)
    return words.gettext("All topics known") if p in ("", "0") else words.gettext("Smallest topics unknown")


def progress_left(visit: Visit, run: Run) -> ProgressView | None:
    """Return how far an exam is; None where it is done and nothing in it failed."""
    if run.state is RunState.DONE and not run.failed:
        return None
    return progress_view(visit.words, visit.project, runs.progress_of(visit.store, run))


def design_facts(words: Words, run: Run) -> tuple[tuple[str, str], ...]:
    """Return what is needed to get the same numbers again, whatever engines were examined."""
    writer, options = Writer(words), run.options
    share = options.get("out_of_scope_share")
    traffic = words.gettext("Share of out-of-scope questions in live traffic")
    return (
        (words.gettext("Threshold"), writer.number(float(options.get("threshold", 0)), 2)),
        *([] if share is None else [(traffic, writer.share(share))]),
        (words.gettext("Rounds"), writer.number(int(options.get("retries", 0)))),
        (words.gettext("Test share"), writer.share(float(options.get("test_fraction", 0)))),
        (words.gettext("Seed"), str(run.seed)),
        (words.gettext("Data hash"), run.data_hash[:16]),
        (words.gettext("Version"), f"vivavoce {run.code_version}"),
    )


def findings_page(
    visit: Visit, line: runs.RunLine, listing: Listing, total: int, *, title: str, tab: str, **parts: Any
) -> Response:
    """Return a list of findings as a page, with the figures beside it."""
    words, run = visit.words, line.run
    usual: dict[str, Any] = {"figures": (), "nothing": "", "undrawn": "", "heat": None}
    return visit.page(
        "exams/intents_findings.html",
        f"{title}: {tab_title(words, run)}",
        head=run_head(words, visit.project, line),
        tabs=result_tabs(visit, run, tab),
        path=listing.path,
        pager=listing.pager(total),
        downloads=listing.downloads(),
        **{**usual, **parts},
    )


def result_tabs(visit: Visit, run: Run, current: str) -> tuple[Link, ...]:
    """Return the pages of the result of an intents exam."""
    words = visit.words
    pages = (
        ("", words.gettext("Overview")),
        ("topics", words.gettext("Topics")),
        ("confusion", words.gettext("Confusion")),
        ("questions", words.gettext("Questions")),
        ("curve", words.gettext("Confidence")),
    )
    base = run_path(visit.project, run)
    return tuple(Link(title, f"{base}/{name}" if name else base, name == current) for name, title in pages)


def findings_file(
    project: Project, run: Run, name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> Response:
    """Return a list of findings as a file; `name` ends in .csv or .xlsx."""
    stem, _, kind = name.rpartition(".")
    return table_file(f"{project.slug}-{run.number}-{stem}", kind, columns, rows)


JUDGEMENTS: dict[Verdict, str] = {
    "better": gettext_noop("That is more than chance."),
    "worse": gettext_noop("That is more than chance."),
    "same": gettext_noop("That may be chance."),
}
# The verdict in a word or two, its colour and its sign.
CHIPS: dict[Verdict, tuple[str, str, str]] = {
    "better": (gettext_noop("really better"), "good", "up"),
    "worse": (gettext_noop("really worse"), "bad", "down"),
    "same": (gettext_noop("may be chance"), "neutral", "flat"),
    "unknown": (gettext_noop("cannot be compared"), "neutral", "info"),
}
EDITS: dict[EditKind, str] = {
    "merge": gettext_noop("Merging topics"),
    "move": gettext_noop("Moving examples"),
    "split": gettext_noop("Splitting topics"),
    "import": gettext_noop("Importing"),
    "undo": gettext_noop("Undoing edits"),
    "other": gettext_noop("Other edits"),
}


def verdict_sentence(words: Words, verdict: QuestionVerdict) -> str:
    """Say what became of the questions that two runs share, and whether that may be chance."""
    number = Writer(words).number
    if not verdict.shared:
        return words.gettext("The two runs share no questions, so they cannot be compared.")
    if not verdict.improved + verdict.broken:
        return words.gettext("All %(shared)s shared questions came out as before.", shared=number(verdict.shared))
    changed = words.gettext(
        "%(better)s of %(shared)s shared questions are now right, %(worse)s no longer are.",
        better=number(verdict.improved),
        worse=number(verdict.broken),
        shared=number(verdict.shared),
    )
    return f"{changed} {words.gettext(JUDGEMENTS[verdict.verdict])}"


def verdict_chip(words: Words, verdict: Verdict) -> View:
    """Return a verdict as a chip: its words, colour and sign."""
    text, tone, sign = CHIPS[verdict]
    return View(text=words.gettext(text), tone=tone, sign=sign)


def write_gap(words: Words, gap: Rate, kind: Kind = "share", *, around: bool = True) -> str:
    """Write a difference with its sign, and with its interval: "+5.1 points (2.0 to 8.2)"."""
    writer = Writer(words)
    if gap.value is None:
        return words.gettext("n/a")
    factor, digits = (100, 1) if kind in ("share", "points") else (1, 2)
    value = writer.signed(factor * gap.value, digits)
    text = words.gettext("%(value)s points", value=value) if factor == 100 else value
    if not around or gap.low is None or gap.high is None:
        return text
    low, high = (writer.signed(factor * end, digits) for end in (gap.low, gap.high))
    return f"{text} ({words.gettext('%(low)s to %(high)s', low=low, high=high)})"


def changes_note(words: Words, verdict: QuestionVerdict) -> str:
    """Say how many questions changed, beside a verdict."""
    return words.gettext(
        "%(better)s now right, %(worse)s no longer right",
        better=Writer(words).number(verdict.improved),
        worse=Writer(words).number(verdict.broken),
    )


# Names, then axes: as wide as a page, or as a phone.
WIDE, NARROW = 860, 330
_DRAWN: Kept[tuple[Markup, Markup]] = Kept(24)


def dots_figure(title: str, note: str, panels: Sequence[Panel], *, columns: int = 1) -> View:
    """Return panels of dots as a picture for a wide page and one for a phone, where they stand in one column."""
    label = "; ".join(
        f"{panel.title}: ".removeprefix(": ") + ", ".join(f"{dot.label} {dot.said}" for dot in panel.dots)
        for panel in panels
    )

    def draw() -> tuple[Markup, Markup]:
        from vivavoce.reports.shared.dots import dot_panels
        from vivavoce.reports.shared.svg import to_svg

        longest = max(len(dot.label) for panel in panels for dot in panel.dots)
        wide, narrow = (min(most, 12 + 7 * longest) for most in (300, 120))
        sizes = (((WIDE - wide) // columns - 30, columns, wide), (NARROW - narrow - 30, 1, narrow))
        # Drawn by ourselves, with all texts in it escaped.
        first, second = (
            Markup(to_svg(dot_panels(panels, width=width, columns=count, labels=names, description=label)))  # noqa: S704
            for width, count, names in sizes
        )
        return first, second

    content = [label, columns, [asdict(panel) for panel in panels]]
    wide, narrow = _DRAWN.get(sha256(canonical_json(content)).hexdigest(), draw)
    return View(title=title, note=note, wide=wide, narrow=narrow)
