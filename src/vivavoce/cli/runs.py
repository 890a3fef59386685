"""`viva runs`: exams of a workspace from the command line: begin, watch, end, go on, fetch what was found."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping, Sequence
from functools import cache
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet, exam_option
from vivavoce.cli.shared.places import Workspace, find_project, open_current
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import UsageError, WorkError

if TYPE_CHECKING:
    from vivavoce.jobs.exams.protocol import ExamKind
    from vivavoce.store.database import Store
    from vivavoce.store.rows import Project, Run

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
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it is over.")]
Number = Annotated[int, typer.Argument(metavar="RUN", min=1, help="Number of the run.", show_default=False)]


class ExamCommands(TyperGroup):
    """One command for each exam that is installed, made from its options when it is first needed."""

    @property
    def commands(self) -> MutableMapping[str, Any]:
        """The commands by the names of the exams."""
        return _start_commands()

    @commands.setter
    def commands(self, given: MutableMapping[str, Any]) -> None:
        """Leave them as they are: Typer knows of none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let options stand before the name of the exam, too."""
        name = next((word for word in args if word in self.commands), None)
        rest = [word for place, word in enumerate(args) if name is None or place != args.index(name)]
        return super().parse_args(ctx, rest if name is None else [name, *rest])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Refuse an exam that is not installed, with the nearest name."""
        from vivavoce.jobs.exams.registry import find_kind

        find_kind(args[0])
        return super().resolve_command(ctx, args)


app.add_typer(
    typer.Typer(
        name="start",
        cls=ExamCommands,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        subcommand_metavar="EXAM PROJECT [OPTIONS]",
        help="""Start an exam on the material of a project as it is now.

    What is not said is as the project has it. `viva runs start EXAM --help` lists the options of an exam.

    Exit codes: 0 fine · 2 the input or the call is wrong · 3 the run failed, or the database cannot be reached.

    For example:

        viva runs start intents jobs --wait

        viva runs start conversations jobs --suite flight --bot keywords --bot nearest --level basic

        viva runs start engines jobs --classifier linear --classifier tfidf --retries 5
    """,
        callback=lambda: None,
    )
)


@cache
def _start_commands() -> dict[str, Any]:
    from vivavoce.jobs.exams.registry import exam_kinds

    starts = typer.Typer(rich_markup_mode="markdown")
    for kind in exam_kinds():
        needed = "".join(f" {option.command_flag} {option.metavar}" for option in kind.chosen if option.required)
        example = f"For example:\n\n    viva runs start {kind.name} jobs{needed} --wait"
        # Typer takes the indentation, and with it the code, from an example that follows the first paragraph.
        help = f"{kind.summary}\n\nWhat is not said is as the project has it.\n\n{example}"
        starts.command(kind.name, help=help)(_start_command(kind))
    return dict(get_group(starts).commands)


def _start_command(kind: ExamKind) -> Callable[..., None]:
    """Return the command that starts an exam: its options are those that the exam defines."""

    def start(
        project: str, workspace: str | None, wait: bool, json_path: str | None, quiet: bool, **chosen: Any
    ) -> None:
        store, row = _open(workspace, json_path, project)
        from vivavoce.workspace.access.actors import PRODUCT
        from vivavoce.workspace.exams.project_exams import start_exam

        pairs = [option.name for option in kind.chosen if option.type is tuple and chosen[option.name]]
        said = {name: value for name, value in chosen.items() if value not in (None, [])}
        said.update({name: [_read_pair(text) for text in chosen[name]] for name in pairs})
        run = start_exam(store, PRODUCT, row, kind.name, said)
        _finish(store, row, _watched(store, row, run, quiet) if wait else run, json_path, quiet)

    types: dict[str, Any] = {"project": ProjectName, "workspace": Workspace}
    for option in kind.chosen:
        value = str if option.type is tuple else option.type
        types[option.name] = Annotated[list[value] | None if option.several else value | None, exam_option(option)]  # type: ignore[valid-type]
    types |= {"wait": Wait, "json_path": JsonPath, "quiet": Quiet}
    usual = {"project": Parameter.empty, "wait": False, "quiet": False}
    start.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.KEYWORD_ONLY, default=usual.get(name), annotation=types[name]) for name in types]
    )
    start.__annotations__ = types
    return start


def _read_pair(text: str) -> list[float]:
    from vivavoce.intents.splits import Setting

    setting = Setting.parse(text)
    return [setting.k, setting.p]


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
    store, found = _open(workspace, json_path, project)
    from vivavoce.workspace.exams.runs import list_runs

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
    store, found = _open(workspace, json_path, project)
    _finish(store, found, _watched(store, found, _run(store, found, number), quiet), json_path, quiet)


def _change_command(name: str, use: str, help: str) -> None:
    """Add a command that does something with a run."""

    @app.command(name, help=f"{help}\n\nFor example:\n\n    viva runs {name} jobs 12")
    def change(
        project: ProjectName,
        number: Number,
        workspace: Workspace = None,
        *,
        json_path: JsonPath = None,
        quiet: Quiet = False,
    ) -> None:
        store, row = _open(workspace, json_path, project)
        from vivavoce.workspace.access.actors import PRODUCT
        from vivavoce.workspace.exams import runs

        changed: Run = getattr(runs, use)(store, PRODUCT, row, number)
        _finish(store, row, changed, json_path, quiet)


_change_command(
    "cancel", "cancel_run", "End a run.\n\nWhat was done is kept, and `viva runs resume` goes on with it."
)
_change_command(
    "resume",
    "resume_run",
    "Go on with a run that was cancelled or failed.\n\nOnly what is missing is done; what was done is kept.",
)
_change_command(
    "retry", "retry_run", "Try again what failed in a run that is over.\n\nThe findings are made anew afterwards."
)


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
    store, found = _open(workspace, json_path, project)
    from vivavoce.files.writing import write_bytes
    from vivavoce.workspace.exams.runs import document

    run = _run(store, found, number)
    write_bytes(file, document(store, run, name))
    _finish(store, found, run, json_path, quiet=True)
    if not quiet:
        tell(f"Written: {file}")


# --- the work ----------------------------------------------------------------------------------------------------


def _open(workspace: str | None, json_path: str | None, project: str) -> tuple[Store, Project]:
    check_targets({"--json": json_path})
    settings_in_force()
    store = open_current(workspace)
    return store, find_project(store, project)


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
