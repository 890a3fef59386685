"""What the pages of an exam share: how far it is, how to get its numbers again, its findings as lists and files."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.answers import table_file
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing
from vivavoce.web.progress import ProgressView, progress_view, run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams import runs


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
    visit: Visit, line: runs.RunLine, listing: Listing, total: int, *, title: str, tab: str, **parts: object
) -> Response:
    """Return a list of findings as a page, with the figures beside it."""
    words, run = visit.words, line.run
    usual = {"figures": (), "nothing": "", "undrawn": "", "heat": None}
    view = View(
        head=run_head(words, visit.project, line),
        tabs=result_tabs(visit, run, tab),
        path=listing.path,
        pager=listing.pager(total),
        downloads=listing.downloads(),
        **{**usual, **parts},
    )
    return visit.page("exams/intents_findings.html", f"{title}: {tab_title(words, run)}", view=view)


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
