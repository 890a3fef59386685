"""`viva runs`: exams of a workspace from the command line: begin, watch, end, go on, fetch what was found."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.places import Workspace, find_project, open_current
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import UsageError, WorkError, nearest
from vivavoce.settings import MOST_OUT_OF_SCOPE

if TYPE_CHECKING:
    from vivavoce.store.database import Store
    from vivavoce.store.rows import Project, Run
    from vivavoce.workspace.conversations.choices import Choice

app = typer.Typer(
    name="runs",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Begin exams of a workspace, watch them and fetch what they found.

    A run is done by the workers of the workspace (`viva serve` starts one, `viva worker` more), and goes on when
    they are started again.

    Exit codes: 0 fine · 2 the input or the call is wrong · 3 the run failed, or the database cannot be reached.

    For example:

        viva runs start intents jobs --wait

        viva runs list jobs

        viva runs fetch jobs 12 report.html
    """,
)
POLL_SECONDS = 0.5
FILES = {".html": "report.html", ".json": "findings.json"}

ProjectName = Annotated[str, typer.Argument(metavar="PROJECT", help="Short name of the project.", show_default=False)]
Number = Annotated[int, typer.Argument(metavar="RUN", min=1, help="Number of the run.", show_default=False)]


@app.command()
def start(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="EXAM", help="`intents`, `engines`, `conversations` or `dialogues`.", show_default=False
        ),
    ],
    project: ProjectName,
    workspace: Workspace = None,
    *,
    classifier: Annotated[
        list[str] | None,
        typer.Option("--classifier", metavar="NAME", help="Engine; for `engines` two or more. May be repeated."),
    ] = None,
    retries: Annotated[
        int | None, typer.Option("--retries", metavar="N", min=1, max=100, help="How often it is repeated.")
    ] = None,
    out_of_scope_share: Annotated[
        float | None,
        typer.Option(
            "--out-of-scope-share",
            metavar="0..1",
            min=0,
            max=MOST_OUT_OF_SCOPE,
            help="For `intents`: share of live questions that no topic fits.",
        ),
    ] = None,
    suite: Annotated[str, typer.Option("--suite", metavar="NAME", help="Suite of the conversations.")] = "",
    bot: Annotated[list[str] | None, typer.Option("--bot", metavar="NAME", help="A bot. May be repeated.")] = None,
    level: Annotated[list[str] | None, typer.Option("--level", metavar="NAME", help="A level only.")] = None,
    domain: Annotated[list[str] | None, typer.Option("--domain", metavar="NAME", help="A domain only.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", min=1, help="Times each talk is held.")] = 1,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="NAME", help="A batch of logged talks only.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is over.")] = False,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Begin an exam on the material of a project as it is now.

    What is not said is as the project has it.

    For example:

        viva runs start intents jobs --wait

        viva runs start conversations jobs --suite flight --bot keywords --bot nearest --level basic

        viva runs start engines jobs --classifier linear --classifier tfidf --retries 5
    """
    store = _opened(workspace, json_path)
    found = find_project(store, project)
    if kind == "conversations":
        from vivavoce.workspace.conversations.choices import Choice

        choice = Choice(suite, tuple(bot or ()), tuple(domain or ()), tuple(level or ()), repeats)
        run = _start_talks(store, found, choice)
    else:
        options = {"retries": retries, "out_of_scope_share": out_of_scope_share}
        run = _start(store, found, kind, classifiers=classifier or [], options=options, batch=batch)
    if wait:
        run = _watched(store, found, run, quiet)
    _finish(store, found, run, json_path, quiet)


@app.command("list")
def list_(
    project: ProjectName,
    workspace: Workspace = None,
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=200, help="How many at most.")] = 20,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """List the runs of a project, the newest first.

    Each with its state, how far it is, and the one sentence of what it found.

    For example:

        viva runs list jobs

        viva runs list jobs --limit 5 --json -
    """
    store = _opened(workspace, json_path)
    from vivavoce.workspace.exams.runs import list_runs

    found = find_project(store, project)
    lines = list_runs(store, found, limit=limit).lines
    store.close()
    if json_path:
        write_content(json_path, {**head("runs"), "project": found.slug, "runs": [_facts(one.run) for one in lines]})
    if not quiet and json_path != "-":
        _show([one.run for one in lines])


@app.command()
def wait(
    project: ProjectName,
    number: Number,
    workspace: Workspace = None,
    *,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Wait until a run is over, and say what it found.

    Whoever stops waiting does not stop the run.

    For example:

        viva runs wait jobs 12
    """
    store = _opened(workspace, json_path)
    found = find_project(store, project)
    _finish(store, found, _watched(store, found, _run(store, found, number), quiet), json_path, quiet)


@app.command()
def cancel(
    project: ProjectName,
    number: Number,
    workspace: Workspace = None,
    *,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """End a run.

    What was done is kept, and `viva runs resume` goes on with it.

    For example:

        viva runs cancel jobs 12
    """
    _change("cancel_run", workspace, project, number, json_path=json_path, quiet=quiet)


@app.command()
def resume(
    project: ProjectName,
    number: Number,
    workspace: Workspace = None,
    *,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Go on with a run that was cancelled or failed.

    Only what is missing is done; what was done is kept.

    For example:

        viva runs resume jobs 12
    """
    _change("resume_run", workspace, project, number, json_path=json_path, quiet=quiet)


@app.command()
def retry(
    project: ProjectName,
    number: Number,
    workspace: Workspace = None,
    *,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Try again what failed in a run that is over.

    The findings are made anew afterwards.

    For example:

        viva runs retry jobs 12
    """
    _change("retry_run", workspace, project, number, json_path=json_path, quiet=quiet)


@app.command()
def fetch(
    project: ProjectName,
    number: Number,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="`.html` for the report, `.json` for the findings.")],
    workspace: Workspace = None,
    *,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Write what a run found into a file.

    The report is a page of its own that needs no server; the findings are JSON.

    For example:

        viva runs fetch jobs 12 report.html

        viva runs fetch jobs 12 findings.json
    """
    check_targets({"FILE": file})
    name = FILES.get(file.suffix.lower())
    if name is None:
        raise UsageError(
            f"'{file.suffix}' is not a form of a result", where=str(file), remedy="end it in .html or .json"
        )
    store = _opened(workspace, json_path)
    from vivavoce.files.writing import write_bytes
    from vivavoce.workspace.exams.runs import document

    found = find_project(store, project)
    run = _run(store, found, number)
    write_bytes(file, document(store, run, name))
    _finish(store, found, run, json_path, quiet=True)
    if not quiet:
        tell(f"Written: {file}")


# --- the work ----------------------------------------------------------------------------------------------------


def _opened(workspace: str | None, json_path: str | None) -> Store:
    check_targets({"--json": json_path})
    settings_in_force()
    return open_current(workspace)


def _start(
    store: Store,
    project: Project,
    kind: str,
    *,
    classifiers: Sequence[str],
    options: Mapping[str, Any],
    batch: str | None,
) -> Run:
    from vivavoce.workspace.access.actors import PRODUCT
    from vivavoce.workspace.dialogues.dialogues import begin_scoring
    from vivavoce.workspace.exams.engines import start_engines
    from vivavoce.workspace.exams.intents import start_intents
    from vivavoce.workspace.exams.runs import KINDS

    given = {name: value for name, value in options.items() if value is not None}
    if kind == "intents":
        chosen = {"classifier": classifiers[-1]} if classifiers else {}
        return start_intents(store, PRODUCT, project, options={**chosen, **given})
    if "out_of_scope_share" in given:
        raise UsageError("--out-of-scope-share is for the intents exam", remedy="leave it out")
    if kind == "engines":
        return start_engines(store, PRODUCT, project, classifiers, options=given)
    if kind == "dialogues":
        return begin_scoring(store, PRODUCT, project, batch=batch)
    raise UsageError(f"there is no exam '{kind}'.{nearest(kind, KINDS)}", remedy=f"choose from {', '.join(KINDS)}")


def _start_talks(
    store: Store,
    project: Project,
    choice: Choice,
) -> Run:
    from vivavoce.workspace.access.actors import PRODUCT
    from vivavoce.workspace.access.bot_rules import server_rules
    from vivavoce.workspace.conversations.conversations import start_conversations
    from vivavoce.workspace.scenarios.suites import list_suites

    named = {line.suite.name: line.suite.id for line in list_suites(store, project)}
    suite = choice.suite
    if suite not in named:
        known = ", ".join(named) or "none yet: bring one in on the page Conversations"
        raise UsageError(f"there is no suite '{suite}'.{nearest(suite, list(named))}", remedy=f"suites: {known}")
    return start_conversations(store, PRODUCT, project, replace(choice, suite=named[suite]), server_rules())


def _run(store: Store, project: Project, number: int) -> Run:
    from vivavoce.workspace.exams.runs import show_run

    return show_run(store, project, number).run


def _watched(store: Store, project: Project, run: Run, quiet: bool) -> Run:
    with progress_bar(quiet) as report:
        while run.state.open:
            report(run.title, run.done + run.failed, run.total)
            time.sleep(POLL_SECONDS)
            run = _run(store, project, run.number)
    return run


def _change(
    use: str, workspace: str | None, project: str, number: int, *, json_path: str | None, quiet: bool
) -> None:
    store = _opened(workspace, json_path)
    from vivavoce.workspace.access.actors import PRODUCT
    from vivavoce.workspace.exams import runs

    found = find_project(store, project)
    changed: Run = getattr(runs, use)(store, PRODUCT, found, number)
    _finish(store, found, changed, json_path, quiet)


def _finish(store: Store, project: Project, run: Run, json_path: str | None, quiet: bool) -> None:
    store.close()
    if json_path:
        write_content(json_path, {**head("run"), "project": project.slug, "run": _facts(run)})
    if not quiet:
        tell(f"Run {run.number} ({run.title}): {run.state}. {run.headline}".rstrip())
    if run.state == "failed":
        raise WorkError(run.error or "the run failed", remedy=f"viva runs resume {project.slug} {run.number}")


def _facts(run: Run) -> dict[str, Any]:
    times = {name: getattr(run, name) for name in ("created", "started", "finished")}
    plain = ("number", "kind", "title", "total", "done", "failed", "headline", "error", "data_hash", "seed")
    return {
        **{name: getattr(run, name) for name in plain},
        "state": str(run.state),
        **{name: None if value is None else value.isoformat() for name, value in times.items()},
    }


def _show(runs: Sequence[Run]) -> None:
    from vivavoce.reports.shared.layout import numbers_table

    rows = [(f"{one.number} {one.kind}", str(one.state), f"{one.done}/{one.total}", one.headline) for one in runs]
    table = numbers_table(("Run", "State", "Done", "What was found"), rows, words=4)
    Screen().print(table if rows else "No run yet: viva runs start intents PROJECT")
