"""`viva conversations`: the same scripted conversations held with several bots, side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from vivavoce.cli.conversations import results
from vivavoce.cli.conversations.material import (
    build_plan,
    describe_origin,
    find_new_folder,
    hold_all,
    load_chosen_bots,
    parse_pressure,
    read_scenarios,
    refuse_errors,
    refuse_existing,
    reload_bots,
    tell_unchecked,
)
from vivavoce.cli.conversations.options import (
    BotChoice,
    BotFile,
    Choice,
    DiffReports,
    Force,
    Pressure,
    Repeating,
    Reports,
    RunFolder,
    SuiteName,
    SuiteNames,
    TurnGates,
)
from vivavoce.cli.shared.failures import tell_notes
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import GATES, CommandGroup, Encoding, Output, argument, option
from vivavoce.cli.shared.results import check_targets, publish
from vivavoce.errors import GateError, plural

app = CommandGroup(
    "conversations",
    help="""Run the same scripted conversations with several bots and compare them.

    Exit codes: 0 success · 1 a quality gate failed (`--fail-under`, `--strict`) · 2 invalid input or options ·
    3 the work is incomplete and can be resumed (`viva conversations resume DIR`).

    For example:

        viva conversations run flight
        viva conversations run my-suite.yaml --bot staging --bot http:http://localhost:5005/talk --html report.html
    """,
)


@app.command()
def check(
    suite: SuiteName,
    *,
    bot_choice: BotChoice,
    choice: Choice,
    strict: Annotated[bool, option("--strict", "", "Exit with 1 if there are warnings.", GATES)] = False,
    output: Output,
) -> None:
    """Check scenarios before a run: show their faults, and how large and how long the run will be.

    With `--bot`, compares topics and slots with those of the bot, and messages with its training examples.
    Exits with 2 if there are errors, because a run would be rejected; with `--strict`, exits with 1 on warnings.

    For example:

        viva conversations check suite.yaml
        viva conversations check flight --bot vectors --strict
    """
    check_targets(output.targets, [suite])
    settings_in_force()
    material = read_scenarios(suite, choice)
    from vivavoce.conversations import check_suite
    from vivavoce.reports.conversations.tables import show_suite_check

    facts = [bot.facts for bot in load_chosen_bots(bot_choice, [material], seed=0)] if bot_choice.bot else []
    result = check_suite(material, facts)
    publish(output, "conversations-check", result.to_json(), lambda console: show_suite_check(console, result))
    results.conclude_check(result, material.source, listed=bool(output.json_path) or not output.quiet, strict=strict)


@app.command()
def run(
    suites: SuiteNames,
    *,
    bot_choice: BotChoice,
    choice: Choice,
    repeating: Repeating,
    pressure: Pressure,
    record: Annotated[
        Path | None,
        option("--record", "DIR", "New folder for the record of the run.", GATES, default="viva-runs/NAME-1, -2 ..."),
    ] = None,
    gates: TurnGates,
    reports: Reports,
) -> None:
    """Run the conversations with each bot; show the results and which differences are significant.

    Every exchange is recorded at once: after a crash or Ctrl-C, `viva conversations resume DIR` continues, and
    `viva conversations score DIR` computes the findings again without calling a bot.

    Several suites form one run. Each conversation keeps the rules and the agent of its suite; a suite without
    domains counts as one domain. The result shows every domain and level, like Table I of the ECHO paper.

    For example:

        viva conversations run flight
        viva conversations run flight medical --bot vectors --bot keywords --html table.html
        viva conversations run flight --bot vectors --bot nlpjs --level basic --repeats 3
        viva conversations run suite.yaml --bot staging --rate 5 --max-messages 500 --junit results.xml --strict
    """
    results.check_reports(reports, suites)
    settings = settings_in_force(repeating)
    limits = results.parse_turn_gates(gates.fail_under)
    materials = [read_scenarios(suite, choice) for suite in suites]
    for material in materials:
        tell_notes(material.notes, reports.quiet)
        refuse_errors(material)
    plan = build_plan(materials, choice, settings.seed)
    from vivavoce.conversations import RunOptions, begin_run

    bots = load_chosen_bots(bot_choice, materials, seed=settings.seed)
    facts = [bot.facts for bot in bots]
    results.require_names(limits, facts)
    tell_unchecked(plan, facts, reports.quiet)
    options = RunOptions(repeats=repeating.repeats, seed=settings.seed, **parse_pressure(pressure))
    folder = record or find_new_folder("-".join(material.name for material in materials))
    with begin_run(folder, plan, facts, options, describe_origin(bot_choice, materials)) as run_record:
        end = hold_all(run_record, bots, reports.quiet)
        results.hand_over(run_record, end, reports, limits, strict=gates.strict)


@app.command()
def resume(
    folder: RunFolder, *, bots: BotFile = None, pressure: Pressure, gates: TurnGates, reports: Reports
) -> None:
    """Resume a run: finished conversations stay; those that failed or were in progress run again.

    Options default to those of the run; `--max-messages` starts counting again.

    For example:

        viva conversations resume viva-runs/flight-1
        viva conversations resume viva-runs/flight-1 --rate 2 --max-messages 200
    """
    results.check_reports(reports)
    settings_in_force()
    limits = results.parse_turn_gates(gates.fail_under)
    from vivavoce.conversations import RunRecord, options_of

    with RunRecord.open(folder) as record:
        results.require_names(limits, record.header.bots)
        options = replace(options_of(record.header), **{"max_messages": None, **parse_pressure(pressure)})
        end = hold_all(record, reload_bots(record, bots), reports.quiet, options)
        results.hand_over(record, end, reports, limits, strict=gates.strict)


@app.command()
def score(folder: RunFolder, *, gates: TurnGates, reports: Reports) -> None:
    """Compute the findings of a run again from its record, without calling a bot.

    The same record always gives the same numbers, even if it is incomplete.

    For example:

        viva conversations score viva-runs/flight-1
        viva conversations score viva-runs/flight-1 --json - --fail-under accuracy=0.8
    """
    results.check_reports(reports)
    settings_in_force()
    limits = results.parse_turn_gates(gates.fail_under)
    from vivavoce.conversations import RunRecord

    with RunRecord.open(folder) as record:
        results.require_names(limits, record.header.bots)
        results.hand_over(record, None, reports, limits, strict=gates.strict)


@app.command()
def report(
    folder: RunFolder,
    *,
    out: Annotated[
        Path | None, option("--out --html -o", "PATH", "HTML file to write.", default="DIR/report.html")
    ] = None,
    output: Output,
) -> None:
    """Write the report of a run as one HTML file: table, charts, and the conversations side by side.

    The file works offline and on its own, so you can send it to anyone. It contains the bots' replies.

    For example:

        viva conversations report viva-runs/flight-1
        viva conversations report viva-runs/flight-1 --out flight.html
    """
    target = out or folder / "report.html"
    settings_in_force()
    from vivavoce.conversations import RunRecord

    with RunRecord.open(folder) as record:
        check_targets({"--out": target, **output.targets})
        results.hand_over(
            record, None, Reports(html=target, json_path=output.json_path, quiet=True), [], strict=False
        )
    output.tell(f"Written: {target}")


@app.command()
def compare(
    before: Annotated[Path, argument("BEFORE", "Folder of the earlier run.")],
    after: Annotated[Path, argument("AFTER", "Folder of the later run.")],
    *,
    strict: Annotated[bool, option("--strict", "", "Exit with 1 if any turn got worse.", GATES)] = False,
    reports: DiffReports,
) -> None:
    """Compare two runs turn by turn: what improved, got worse, is new or gone, and whether it may be chance.

    Compares bots of the same name; turns whose script was edited in between do not count.

    For example:

        viva conversations compare viva-runs/flight-1 viva-runs/flight-2
        viva conversations compare last-week today --markdown summary.md --strict
    """
    check_targets(reports.targets)
    settings_in_force()
    diff = results.publish_diff(before, after, reports)
    if strict and diff.regressed:
        raise GateError(
            f"{plural(len(diff.regressed), 'turn')} got worse",
            remedy="see the list above, or the JSON with --json PATH",
        )


@app.command("add-typos")
def add_typos(
    suite: SuiteName,
    out: Annotated[Path, argument("OUT", "File to write: YAML, CSV or XLSX.")],
    *,
    share: Annotated[
        float, option("--share", "0..1", "Share of the turns that get a misspelt twin.", low=0.01, high=1)
    ] = 1 / 3,
    budget: Annotated[float, option("--budget", "0..1", "Typos per letter.", low=0.001, high=0.5)] = 0.06,
    layout: Annotated[
        str | None, option("--layout", "qwerty|qwertz", "Keyboard layout.", default="by language")
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Random seed: the same seed gives the same typos.")] = 0,
    encoding: Encoding = None,
    force: Force = False,
    output: Output,
) -> None:
    """Add misspelt twins of conversations, so that the exam can show what typos cost.

    A twin is a copy of a conversation in which some messages contain typical typos; names, numbers and other values
    stay unchanged.

    For example:

        viva conversations add-typos suite.yaml suite-with-typos.yaml
        viva conversations add-typos suite.csv out.csv --share 0.5 --layout qwertz --seed 7
    """
    check_targets({"OUT": out, **output.targets}, [suite])
    refuse_existing(out, force)
    from vivavoce.conversations import add_typos as add
    from vivavoce.conversations import read_suite, write_suite
    from vivavoce.reports.conversations.tables import show_typos

    changed, summary = add(read_suite(suite, encoding=encoding), seed=seed, share=share, budget=budget, layout=layout)
    write_suite(changed, out)
    publish(output, "typos", summary.to_json(), lambda console: show_typos(console, summary))
    if output.speaks:
        output.tell(f"Written: {out}")
