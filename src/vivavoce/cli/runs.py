"""`viva runs`: start, watch, cancel and resume exams of a workspace, and download their results."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from functools import cache
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_group

from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import CommandGroup, JsonPath, Output, Quiet, argument, exam_option, option
from vivavoce.cli.shared.places import ProjectName, Workspace, find_project, open_current
from vivavoce.cli.shared.plain_help import PlainCommand, PlainGroup
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import check_targets, head, publish, write_content
from vivavoce.errors import UsageError, WorkError

if TYPE_CHECKING:
    from vivavoce.jobs.exams.protocol import ExamKind
    from vivavoce.store.database import Store
    from vivavoce.store.rows import Project, Run

app = CommandGroup(
    "runs",
    help="""Start exams of a workspace, watch them and download their results.

    Workers do the work: `viva serve` starts one, `viva worker` adds more. Runs continue after a restart.

    Exit codes: 0 success · 2 invalid input or options · 3 the run failed, or the database cannot be reached.

    For example:

        viva runs start intents jobs --wait
        viva runs list jobs
        viva runs fetch jobs 12 report.html
    """,
)
POLL_SECONDS = 0.5
FILES = {".html": "report.html", ".json": "findings.json"}

Wait = Annotated[bool, option("--wait", "", "Wait until the run has ended.")]
Number = Annotated[int, argument("RUN", "Number of the run.", min=1)]


class ExamCommands(PlainGroup):
    """One command for each installed exam, built from its options when first needed."""

    @property
    def commands(self) -> MutableMapping[str, Any]:
        """The commands by the names of the exams."""
        return _build_start_commands()

    @commands.setter
    def commands(self, _: MutableMapping[str, Any]) -> None:
        """Ignore what Typer sets: it knows no commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Accept options before the name of the exam."""
        name = next((word for word in args if word in self.commands), None)
        rest = [word for place, word in enumerate(args) if name is None or place != args.index(name)]
        return super().parse_args(ctx, rest if name is None else [name, *rest])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Refuse an exam that is not installed, with the nearest name."""
        from vivavoce.jobs.exams.registry import find_kind

        find_kind(args[0])
        return super().resolve_command(ctx, args)


app.add_typer(
    CommandGroup(
        "start",
        cls=ExamCommands,
        subcommand_metavar="EXAM PROJECT [OPTIONS]",
        help="""Start an exam on the current content of a project.

    Options default to those of the project. `viva runs start EXAM --help` lists the options of an exam.

    Exit codes: 0 success · 2 invalid input or options · 3 the run failed, or the database cannot be reached.

    For example:

        viva runs start intents jobs --wait
        viva runs start conversations jobs --suite flight --bot keywords --bot nearest --level basic
        viva runs start engines jobs --classifier linear --classifier tfidf --retries 5
    """,
        callback=lambda: None,
    )
)


@cache
def _build_start_commands() -> dict[str, Any]:
    from vivavoce.jobs.exams.registry import exam_kinds

    starts = typer.Typer(rich_markup_mode="markdown")
    for kind in exam_kinds():
        needed = "".join(f" {row.command_flag} {row.metavar}" for row in kind.chosen if row.required)
        example = f"For example:\n\n    viva runs start {kind.name} jobs{needed} --wait"
        # Typer takes the indentation, and with it the code, from an example that follows the first paragraph.
        help = f"{kind.summary}\n\nOptions default to those of the project.\n\n{example}"
        starts.command(kind.name, cls=PlainCommand, help=help)(_build_start_command(kind))
    return dict(get_group(starts).commands)


def _build_start_command(kind: ExamKind) -> Callable[..., None]:
    """Return the command that starts an exam, with the options that the exam defines."""

    def start(
        project: str, workspace: str | None, wait: bool, json_path: str | None, quiet: bool, **chosen: Any
    ) -> None:
        output = Output(json_path, quiet)
        store, row = _open(workspace, output, project)
        from vivavoce.intents.splits import Setting
        from vivavoce.workspace.access.actors import PRODUCT
        from vivavoce.workspace.exams.project_exams import start_exam

        options = {name: value for name, value in chosen.items() if value not in (None, [])}
        for name in (row.name for row in kind.chosen if row.type is tuple and row.name in options):
            settings = map(Setting.parse, options[name])
            options[name] = [[setting.k, setting.p] for setting in settings]
        run = start_exam(store, PRODUCT, row, kind.name, options)
        _finish(store, row, _watch(store, row, run, quiet) if wait else run, output)

    types: dict[str, Any] = {"project": ProjectName, "workspace": Workspace}
    for row in kind.chosen:
        value = str if row.type is tuple else row.type
        types[row.name] = Annotated[list[value] | None if row.several else value | None, exam_option(row)]  # type: ignore[valid-type]
    types |= {"wait": Wait, "json_path": JsonPath, "quiet": Quiet}
    usual = {"project": Parameter.empty, "wait": False, "quiet": False}
    start.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.KEYWORD_ONLY, default=usual.get(name), annotation=types[name]) for name in types]
    )
    start.__annotations__ = types
    return start


@app.command("list")
def list_(
    project: ProjectName,
    workspace: Workspace = None,
    *,
    limit: Annotated[int, option("--limit", "N", "Maximum number of runs.", low=1, high=200)] = 20,
    output: Output,
) -> None:
    """List the runs of a project, newest first.

    Shows the state and progress of each run, and its result in one sentence.

    For example:

        viva runs list jobs
        viva runs list jobs --limit 5 --json -
    """
    store, row = _open(workspace, output, project)
    from vivavoce.reports.shared.layout import numbers_table
    from vivavoce.workspace.exams.runs import list_runs

    runs = [line.run for line in list_runs(store, row, limit=limit).lines]
    store.close()
    rows = [(f"{run.number} {run.kind}", str(run.state), f"{run.done}/{run.total}", run.headline) for run in runs]
    table = numbers_table(("Run", "State", "Done", "Result"), rows, words=4)
    publish(
        output,
        "runs",
        {"project": row.slug, "runs": [_to_json(run) for run in runs]},
        lambda console: console.print(table if rows else "No runs yet. Start one: viva runs start intents PROJECT"),
    )


@app.command()
def wait(project: ProjectName, number: Number, workspace: Workspace = None, *, output: Output) -> None:
    """Wait until a run has ended, and print its result.

    Stopping the wait does not stop the run.

    For example:

        viva runs wait jobs 12
    """
    store, row = _open(workspace, output, project)
    _finish(store, row, _watch(store, row, _get_run(store, row, number), output.quiet), output)


def _add_change_command(name: str, use: str, help: str) -> None:
    """Add a command that changes a run."""

    @app.command(name, help=f"{help}\n\nFor example:\n\n    viva runs {name} jobs 12")
    def change(project: ProjectName, number: Number, workspace: Workspace = None, *, output: Output) -> None:
        store, row = _open(workspace, output, project)
        from vivavoce.workspace.access.actors import PRODUCT
        from vivavoce.workspace.exams import runs

        changed: Run = getattr(runs, use)(store, PRODUCT, row, number)
        _finish(store, row, changed, output)


_add_change_command("cancel", "cancel_run", "Cancel a run.\n\nFinished work is kept; `viva runs resume` continues.")
_add_change_command("resume", "resume_run", "Resume a cancelled or failed run.\n\nFinished work is not repeated.")
_add_change_command("retry", "retry_run", "Retry what failed in a finished run.\n\nThen recompute the findings.")


@app.command()
def fetch(
    project: ProjectName,
    number: Number,
    file: Annotated[Path, argument("FILE", "`.html` for the report, `.json` for the findings.")],
    workspace: Workspace = None,
    *,
    output: Output,
) -> None:
    """Save the result of a run to a file.

    The report is a single HTML page that needs no server; the findings are JSON.

    For example:

        viva runs fetch jobs 12 report.html
        viva runs fetch jobs 12 findings.json
    """
    check_targets({"FILE": file})
    name = FILES.get(file.suffix.lower())
    if name is None:
        raise UsageError(
            f"results cannot be saved as '{file.suffix}'", where=str(file), remedy="use the extension .html or .json"
        )
    store, row = _open(workspace, output, project)
    from vivavoce.files.writing import write_bytes
    from vivavoce.workspace.exams.runs import document

    run = _get_run(store, row, number)
    write_bytes(file, document(store, run, name))
    _finish(store, row, run, Output(output.json_path, quiet=True))
    output.tell(f"Written: {file}")


def _open(workspace: str | None, output: Output, project: str) -> tuple[Store, Project]:
    check_targets(output.targets)
    settings_in_force()
    store = open_current(workspace)
    return store, find_project(store, project)


def _get_run(store: Store, project: Project, number: int) -> Run:
    from vivavoce.workspace.exams.runs import show_run

    return show_run(store, project, number).run


def _watch(store: Store, project: Project, run: Run, quiet: bool) -> Run:
    with progress_bar(quiet) as report:
        while run.state.open:
            report(run.title, run.done + run.failed, run.total)
            time.sleep(POLL_SECONDS)
            run = _get_run(store, project, run.number)
    return run


def _finish(store: Store, project: Project, run: Run, output: Output) -> None:
    store.close()
    if output.json_path:
        write_content(output.json_path, {**head("run"), "project": project.slug, "run": _to_json(run)})
    output.tell(f"Run {run.number} ({run.title}): {run.state}. {run.headline}".rstrip())
    if run.state == "failed":
        raise WorkError(run.error or "the run failed", remedy=f"viva runs resume {project.slug} {run.number}")


def _to_json(run: Run) -> dict[str, Any]:
    times = {name: getattr(run, name) for name in ("created", "started", "finished")}
    plain = ("number", "kind", "title", "total", "done", "failed", "headline", "error", "data_hash", "seed")
    return {
        **{name: getattr(run, name) for name in plain},
        "state": str(run.state),
        **{name: None if value is None else value.isoformat() for name, value in times.items()},
    }
