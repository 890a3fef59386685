"""What the pages of an exam share: how far it is, how to get its numbers again, its findings as lists and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.answers import page, table_file, words_of
from vivavoce.web.figures import Drawn, drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import ListView
from vivavoce.web.progress import ProgressView, RunHead, progress_view, tab_title
from vivavoce.web.rendering import Link
from vivavoce.workspace.exams import runs


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsView(ListView):
    """A list of findings, with the figures beside it."""

    head: RunHead
    tabs: tuple[Link, ...]
    caption: str
    figures: tuple[Drawn, ...] = ()
    outcomes: tuple[Link, ...] = ()
    meaning: str = ""
    nothing: str = ""
    undrawn: str = ""


def run_lead(words: Words, run: Run) -> str:
    """Return what an exam found in one sentence, or that it is not done."""
    return words.said(run.headline) or words.gettext("The result appears here as soon as the run is done.")


def scope_title(words: Words, scope: str) -> str:
    """Return a setting such as `0,0.15` by what the bot has to face in it."""
    k, _, p = scope.partition(",")
    if k not in ("", "0"):
        return words.gettext("Topics under %(k)s examples unknown", k=k)
    return words.gettext("All topics known") if p in ("", "0") else words.gettext("Smallest topics unknown")


def progress_left(words: Words, store: Store, project: Project, run: Run) -> ProgressView | None:
    """Return how far an exam is; None where it is done and nothing in it failed."""
    if run.state is RunState.DONE and not run.failed:
        return None
    return progress_view(words, project, runs.progress_of(store, run))


def design_facts(words: Words, run: Run) -> tuple[tuple[str, str], ...]:
    """Return what is needed to get the same numbers again, whatever engines were examined."""
    writer, options = Writer(words), run.options
    return (
        (words.gettext("Threshold"), writer.number(float(options.get("threshold", 0)), 2)),
        *_traffic_facts(words, writer, options.get("out_of_scope_share")),
        (words.gettext("Retries"), writer.number(int(options.get("retries", 0)))),
        (words.gettext("Share held back for tests"), writer.share(float(options.get("test_fraction", 0)))),
        (words.gettext("Seed"), str(run.seed)),
        (words.gettext("Data hash"), run.data_hash[:16]),
        (words.gettext("Version"), f"vivavoce {run.code_version}"),
    )


def _traffic_facts(words: Words, writer: Writer, share: float | None) -> tuple[tuple[str, str], ...]:
    if share is None:
        return ()
    return ((words.gettext("Share of out-of-scope questions in live traffic"), writer.share(share)),)


def figures_of(store: Store, project: Project, run: Run, *names: str) -> tuple[Drawn, ...]:
    """Return the figures of a run that there are."""
    found = (drawn(store, project, run, name) for name in names)
    return tuple(one for one in found if one is not None)


def findings_page(request: Request, view: FindingsView, project: Project, title: str) -> Response:
    """Return a list of findings as a page."""
    whole = f"{title}: {tab_title(words_of(request), view.head.run)}"
    return page(request, "exams/intents_findings.html", whole, view=view, project=project, section="intents")


def findings_file(
    project: Project, run: Run, name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> Response:
    """Return a list of findings as a file; `name` ends in .csv or .xlsx."""
    stem, _, kind = name.rpartition(".")
    return table_file(f"{project.slug}-{run.number}-{stem}", kind, columns, rows)
