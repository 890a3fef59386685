"""`viva conversations`: the same scripted conversations held with several bots, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.conversations.material import (
    bots_of,
    hold_all,
    new_folder,
    options_again,
    origin_of,
    plan_of,
    pressure_of,
    read_scenarios,
    refuse_errors,
    refuse_existing,
    same_bots,
    tell_notes,
    tell_unchecked,
)
from vivavoce.cli.conversations.options import (
    BotFile,
    Choice,
    DiffReports,
    Encoding,
    Force,
    Pressure,
    Repeating,
    Reports,
    RunFolder,
    SuiteName,
    Talkers,
    TurnGates,
)
from vivavoce.cli.conversations.results import (
    check_reports,
    compared,
    conclude_check,
    hand_over,
    require_names,
    turn_gates,
)
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import GATES, JsonPath, Quiet, grouped
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import GateError, plural

app = typer.Typer(
    name="conversations",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Hold the same scripted conversations with several bots and compare them.

    Exit codes: 0 fine · 1 a gate of yours was not met (`--fail-under`, `--strict`) · 2 the input or the call is
    wrong · 3 the work could not be completed and can be resumed (`viva conversations resume DIR`).

    For example:

        viva conversations run flight

        viva conversations run my-suite.yaml --bot staging --bot http:http://localhost:5005/talk --html report.html
    """,
)


@app.command()
@grouped
def check(
    suite: SuiteName,
    *,
    talkers: Talkers,
    choice: Choice,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 when there are warnings.", rich_help_panel=GATES)
    ] = False,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Find what is wrong with scenarios before any bot is asked, and say how large a run would be.

    With `--bot` topics and slots are held against what the bot knows, and messages against its training phrases.
    Errors end with exit code 2, as a run would be refused; with `--strict` warnings end with 1.

    For example:

        viva conversations check suite.yaml

        viva conversations check flight --bot vectors --strict
    """
    check_targets({"--json": json_path}, [suite])
    settings_in_force()
    material = read_scenarios(suite, choice)
    from vivavoce.conversations import check_suite
    from vivavoce.reports.conversations.tables import show_suite_check

    facts = [bot.facts for bot in bots_of(talkers, material, seed=0)] if talkers.bot else []
    found = check_suite(material, facts)
    if json_path:
        write_content(json_path, {**head("conversations-check"), **found.to_json()})
    if not quiet and json_path != "-":
        show_suite_check(Screen(), found)
    conclude_check(found, material.source, listed=json_path is not None or not quiet, strict=strict)


@app.command()
@grouped
def run(
    suite: SuiteName,
    *,
    talkers: Talkers,
    choice: Choice,
    repeating: Repeating,
    pressure: Pressure,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record",
            metavar="DIR",
            help="Folder for the record of the run, new.",
            show_default="viva-runs/NAME-1, -2 ...",
            rich_help_panel=GATES,
        ),
    ] = None,
    gates: TurnGates,
    reports: Reports,
) -> None:
    """Hold the conversations with each bot, then say how each did and which differences are real.

    Every exchange is kept in the record at once: after a crash or Ctrl-C `viva conversations resume DIR` goes on,
    and `viva conversations score DIR` counts again without asking any bot.

    For example:

        viva conversations run flight

        viva conversations run flight --bot vectors --bot nlpjs --level basic --repeats 3

        viva conversations run suite.yaml --bot staging --rate 5 --max-messages 500 --junit results.xml --strict
    """
    check_reports(reports, [suite])
    settings = settings_in_force(repeating)
    limits = turn_gates(gates.fail_under)
    material = read_scenarios(suite, choice)
    tell_notes(material, reports.quiet)
    refuse_errors(material)
    plan = plan_of(material, choice, settings.seed)
    from vivavoce.conversations import RunOptions, begin_run

    bots = bots_of(talkers, material, seed=settings.seed)
    require_names(limits, [bot.facts for bot in bots])
    tell_unchecked(plan, [bot.facts for bot in bots], reports.quiet)
    options = RunOptions(repeats=repeating.repeats, seed=settings.seed, **pressure_of(pressure))
    folder = record or new_folder(material.name)
    with begin_run(folder, plan, [bot.facts for bot in bots], options, origin_of(talkers, material)) as opened:
        end = hold_all(opened, bots, reports.quiet)
        hand_over(opened, end, reports, limits, strict=gates.strict)


@app.command()
@grouped
def resume(
    folder: RunFolder,
    *,
    bots: BotFile = None,
    pressure: Pressure,
    gates: TurnGates,
    reports: Reports,
) -> None:
    """Go on with a run that was stopped: what is done stays, what failed or was in flight is held again.

    Bots are asked as hard as when the run began, unless said otherwise; a cap on messages counts anew.

    For example:

        viva conversations resume viva-runs/flight-1

        viva conversations resume viva-runs/flight-1 --rate 2 --max-messages 200
    """
    check_reports(reports)
    settings_in_force()
    limits = turn_gates(gates.fail_under)
    from vivavoce.conversations import RunRecord

    with RunRecord.open(folder) as opened:
        require_names(limits, opened.header.bots)
        end = hold_all(opened, same_bots(opened, bots), reports.quiet, options_again(opened, pressure))
        hand_over(opened, end, reports, limits, strict=gates.strict)


@app.command()
@grouped
def score(folder: RunFolder, *, gates: TurnGates, reports: Reports) -> None:
    """Count the findings of a run again from its record; no bot is asked.

    The same record always gives the same numbers, also while it is not complete.

    For example:

        viva conversations score viva-runs/flight-1

        viva conversations score viva-runs/flight-1 --json - --fail-under accuracy=0.8
    """
    check_reports(reports)
    settings_in_force()
    limits = turn_gates(gates.fail_under)
    from vivavoce.conversations import RunRecord

    with RunRecord.open(folder) as opened:
        require_names(limits, opened.header.bots)
        hand_over(opened, None, reports, limits, strict=gates.strict)


@app.command()
@grouped
def report(
    folder: RunFolder,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "--html", "-o", metavar="PATH", help="The page.", show_default="DIR/report.html"),
    ] = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Write the report of a run: table, charts, and the conversations side by side, in one file.

    The page needs no network and no other file, so it can be sent to anyone; it shows what the bots said.

    For example:

        viva conversations report viva-runs/flight-1

        viva conversations report viva-runs/flight-1 --out flight.html
    """
    target = out or folder / "report.html"
    settings_in_force()
    from vivavoce.conversations import RunRecord

    with RunRecord.open(folder) as opened:
        check_targets({"--out": target, "--json": json_path})
        hand_over(opened, None, Reports(html=target, json_path=json_path, quiet=True), [], strict=False)
    if not quiet:
        tell(f"Written: {target}")


@app.command()
@grouped
def compare(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="Folder of the earlier run.", show_default=False)],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="Folder of the later run.", show_default=False)],
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 when any turn got worse.", rich_help_panel=GATES)
    ] = False,
    reports: DiffReports,
) -> None:
    """Compare two runs turn by turn: what improved, what got worse, what is new or gone, and whether it is chance.

    Bots of the same name are compared; turns whose script was edited in between count neither way.

    For example:

        viva conversations compare viva-runs/flight-1 viva-runs/flight-2

        viva conversations compare last-week today --markdown summary.md --strict
    """
    check_targets(reports.targets)
    settings_in_force()
    diff = compared(before, after, reports)
    if strict and diff.regressed:
        raise GateError(
            f"{plural(len(diff.regressed), 'turn')} got worse",
            remedy="see the list above, or the JSON with --json PATH",
        )


@app.command("add-typos")
@grouped
def add_typos(
    suite: SuiteName,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write: YAML, CSV or XLSX.", show_default=False)],
    *,
    share: Annotated[
        float,
        typer.Option("--share", metavar="0..1", min=0.01, max=1, help="Share of the turns that get a misspelt twin."),
    ] = 1 / 3,
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="0..1", min=0.001, max=0.5, help="Mistakes for each letter."),
    ] = 0.06,
    layout: Annotated[
        str | None,
        typer.Option("--layout", metavar="qwerty|qwertz", help="Keyboard.", show_default="by language"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Start of the random draws.")] = 0,
    encoding: Encoding = None,
    force: Force = False,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Add misspelt twins, so that the exam can tell what a slip of the finger costs.

    A twin is a copy of a conversation in which some messages are misspelt as people misspell; names, numbers and
    other values stay. The same seed gives the same mistakes.

    For example:

        viva conversations add-typos suite.yaml suite-with-typos.yaml

        viva conversations add-typos suite.csv out.csv --share 0.5 --layout qwertz --seed 7
    """
    check_targets({"OUT": out, "--json": json_path}, [suite])
    refuse_existing(out, force)
    from vivavoce.conversations import add_typos as add
    from vivavoce.conversations import read_suite, write_suite
    from vivavoce.reports.conversations.tables import show_typos

    made, told = add(read_suite(suite, encoding=encoding), seed=seed, share=share, budget=budget, layout=layout)
    write_suite(made, out)
    if json_path:
        write_content(json_path, {**head("typos"), **told.to_json()})
    if not quiet and json_path != "-":
        show_typos(Screen(), told)
        tell(f"Written: {out}")
