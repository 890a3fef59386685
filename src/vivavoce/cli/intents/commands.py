"""`viva intents`: can anyone learn these topics from this training data?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.shared.completion import complete_classifier, complete_material
from vivavoce.cli.shared.failures import kept_in
from vivavoce.cli.shared.gates import blind_gates, exam_gates, require_blind
from vivavoce.cli.shared.material import EVERY_INTENT, engine_of, read_material, settings_in_force
from vivavoce.cli.shared.options import (
    EXAM,
    GATES,
    OUTPUT,
    Division,
    Engine,
    FailUnder,
    File,
    Output,
    Patience,
    Playback,
    Reading,
    Record,
    Scoring,
    Splitting,
    Traffic,
    grouped,
    option,
)
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import check_folder, check_targets, conclude, deliver
from vivavoce.errors import UsageError
from vivavoce.records import AUTO

if TYPE_CHECKING:
    from vivavoce.intents import Setting
    from vivavoce.records import Dataset
    from vivavoce.settings import Settings

TrainingFile = Annotated[
    str,
    typer.Argument(
        metavar="TRAIN",
        help="File of the training examples; or one file for both, divided by its column `split`.",
        autocompletion=complete_material,
    ),
]
TestFile = Annotated[
    str | None,
    typer.Argument(
        metavar="TEST",
        help="File of the messages kept aside.",
        show_default=False,
        autocompletion=complete_material,
    ),
]
Predictions = Annotated[
    Path | None, option("--predictions", "PATH", "Write every guess as CSV: text, intent, guess, confidence.", OUTPUT)
]
SeveralClassifiers = Annotated[
    list[str],
    option(
        "--classifier -c",
        "NAME",
        "Classifier, as `kind` or `kind:option`; at least two, see `viva classifiers`.",
        EXAM,
        complete=complete_classifier,
    ),
]
Pairs = Annotated[
    int,
    option("--pairs", "N", "How many confused pairs the JSON holds, besides those that are problems.", OUTPUT, low=0),
]
RecordFolder = Annotated[
    Path | None,
    option(
        "--record",
        "FOLDER",
        "Keep finished retries in this folder; the same command goes on where it was stopped.",
        GATES,
    ),
]

# As `examine_intents` has it: that is not imported to print help.
MOST_PAIRS = 20

app = typer.Typer(
    name="intents",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Examine training data: can anyone learn these topics from these examples?

    Exit codes: 0 fine · 1 a gate of yours was not met (`--fail-under`, `--strict`) · 2 the input or the call is
    wrong · 3 the work could not be completed and can be resumed (`--record`).

    For example:

        viva intents check faq.csv

        viva intents examine faq.csv --html report.html
    """,
)


@app.command()
@grouped
def check(
    file: File,
    *,
    strict: Annotated[bool, option("--strict", "", "Exit with 1 when there are errors.", GATES)] = False,
    output: Output,
    reading: Reading,
) -> None:
    """Find what a person can put right before any exam: contradictions, repeats, tiny topics, damaged text.

    Exit codes: 0 fine · 1 there are errors, and `--strict` is given · 2 the file cannot be read.

    For example:

        viva intents check faq.csv

        viva intents check export.xlsx --sheet FAQ --text-column question --intent-column topic

        viva intents check faq.csv --strict --quiet
    """
    check_targets({"--json": output.json_path, "--html": output.html}, [file])
    data = read_material(file, reading, settings_in_force(reading))
    from vivavoce.intents import check as find_problems
    from vivavoce.reports.intents.html import render_check
    from vivavoce.reports.intents.tables import show_check

    found = find_problems(data, now=datetime.now(UTC))
    _deliver(output, found, partial(render_check, source=data.source), show_check)
    if strict and any(problem.severity == "error" for problem in found.problems):
        raise typer.Exit(1)


@app.command()
@grouped
def examine(
    file: File,
    *,
    engine: Engine,
    splitting: Splitting,
    scoring: Scoring,
    traffic: Traffic,
    patience: Patience,
    record: Record = None,
    fail_under: FailUnder = None,
    pairs: Pairs = MOST_PAIRS,
    output: Output,
    reading: Reading,
) -> None:
    """Cross-validate with plausible negative examples: how good can a bot be, and which topics clash?

    Small topics are kept out of training in turn, so that the bot meets questions that nothing fits.

    For example:

        viva intents examine faq.csv

        viva intents examine faq.csv --setting 0,0.15 --fail-under accuracy=0.7 --html report.html

        viva intents examine faq.csv --out-of-scope-share 0.3

        viva intents examine faq.csv --classifier python:mybot:Wrapper --record faq.record
    """
    check_targets({"--json": output.json_path, "--html": output.html, "--record": record}, [file])
    settings = settings_in_force(engine, splitting, scoring, traffic, patience, reading)
    wanted = _wanted(splitting)
    gates = exam_gates(fail_under, wanted)
    data = read_material(file, reading, settings)
    from vivavoce.intents import examine_intents
    from vivavoce.reports.intents.gates import require_gates
    from vivavoce.reports.intents.html import render_result
    from vivavoce.reports.intents.tables import show_result

    with kept_in(record), progress_bar(output.quiet) as progress:
        result = examine_intents(
            data,
            engine_of(settings.classifier, settings),
            settings=wanted,
            out_of_scope_share=settings.out_of_scope_share,
            pairs=pairs,
            record=record,
            progress=progress,
            **_design(settings),
        )
    _deliver(output, result, render_result, show_result)
    conclude(result.failures, record, lambda: require_gates(result, gates))


@app.command()
@grouped
def blind(
    train: TrainingFile,
    test: TestFile = None,
    *,
    predictions: Predictions = None,
    fail_under: FailUnder = None,
    engine: Engine,
    scoring: Scoring,
    patience: Patience,
    output: Output,
    reading: Reading,
    division: Division,
) -> None:
    """Train once and test once, on messages that were kept aside.

    The training data are one file and the test data another, or both are in one file with a column `split`.

    For example:

        viva intents blind train.csv test.csv

        viva intents blind all.csv --train-split train --test-split test --predictions guesses.csv

        viva intents blind train.csv test.csv --unknown-intents negative --fail-under oos_recall=0.6
    """
    targets = {"--json": output.json_path, "--html": output.html, "--predictions": predictions}
    check_targets(targets, [train, test])
    settings = settings_in_force(engine, scoring, patience, reading)
    gates = blind_gates(fail_under)
    parts = _two_parts((train, test), division, reading, settings)
    from vivavoce.files import write_predictions
    from vivavoce.intents.blind import examine_blind
    from vivavoce.reports.intents.blind import render_blind, show_blind

    with kept_in(None), progress_bar(output.quiet) as progress:
        result = examine_blind(
            *parts,
            engine_of(settings.classifier, settings),
            threshold=settings.threshold,
            seed=settings.seed,
            unknown=division.unknown_intents,  # type: ignore[arg-type]  # refused there unless it is one of the two
            progress=progress,
        )
    if predictions:
        named = {} if reading.out_of_scope in (AUTO, EVERY_INTENT) else {"out_of_scope": reading.out_of_scope}
        write_predictions(predictions, result.predictions, **named)
    _deliver(output, result, render_blind, show_blind)
    require_blind(result, gates)


@app.command()
@grouped
def compare(
    file: File,
    *,
    classifier: SeveralClassifiers,
    record: RecordFolder = None,
    splitting: Splitting,
    scoring: Scoring,
    patience: Patience,
    output: Output,
    reading: Reading,
) -> None:
    """Examine several classifiers on the same splits, and say which differences are real.

    A classifier that fails does not stop the others; the exit code is 3 then.

    For example:

        viva intents compare faq.csv --classifier linear --classifier tfidf

        viva intents compare recruiting-en -c linear -c tfidf -c python:mybot:Wrapper --record compared
    """
    check_targets({"--json": output.json_path, "--html": output.html}, [file])
    check_folder("--record", record)
    settings = settings_in_force(splitting, scoring, patience, reading)
    wanted = _wanted(splitting)
    data = read_material(file, reading, settings)
    from vivavoce.intents.comparison import compare_classifiers
    from vivavoce.reports.intents.comparison import render_comparison, show_comparison

    with kept_in(record), progress_bar(output.quiet) as progress:
        result = compare_classifiers(
            data,
            [engine_of(name, settings) for name in classifier],
            settings=wanted,
            record=record,
            progress=progress,
            **_design(settings),
        )
    _deliver(output, result, render_comparison, show_comparison)
    failed = [*result.failures, *(failure for one in result.classifiers for failure in one.failures)]
    conclude(failed, record, lambda: None)


@app.command("over-time")
@grouped
def over_time(
    file: File,
    *,
    engine: Engine,
    scoring: Scoring,
    patience: Patience,
    playback: Playback,
    output: Output,
    reading: Reading,
) -> None:
    """Play back the history of the examples by their column `created`: does training anew pay?

    Every period is tested by a model of all that came before it, and by the first model, left alone.

    For example:

        viva intents over-time recruiting-en

        viva intents over-time faq.csv --mode interleaved --periods 6 --html time.html
    """
    check_targets({"--json": output.json_path, "--html": output.html}, [file])
    settings = settings_in_force(engine, scoring, patience, reading)
    data = read_material(file, reading, settings)
    from vivavoce.intents.timeline import examine_over_time
    from vivavoce.reports.intents.timeline import render_timeline, show_timeline

    with kept_in(None), progress_bar(output.quiet) as progress:
        result = examine_over_time(
            data,
            engine_of(settings.classifier, settings),
            mode=playback.mode,  # type: ignore[arg-type]  # refused there unless it is one of the two
            periods=playback.periods,
            min_test=playback.min_test,
            undated=playback.undated,  # type: ignore[arg-type]  # likewise
            threshold=settings.threshold,
            seed=settings.seed,
            progress=progress,
        )
    _deliver(output, result, render_timeline, show_timeline)


def _deliver(output: Output, found: Any, render: Callable[[Any], str], show: Callable[..., None]) -> None:
    """Give out what was found as it was asked for: as JSON, as a report, in the terminal."""
    deliver(
        output,
        found.to_json(),
        lambda: render(found),
        lambda console: show(console, found, verbose=output.verbose),
    )


# --- from options to arguments -----------------------------------------------------------------------------


def _wanted(splitting: Splitting) -> tuple[Setting, ...]:
    """Return the settings to examine: those given, else those of the paper."""
    from vivavoce.intents import PAPER_SETTINGS, Setting

    given = tuple(Setting.parse(text) for text in splitting.setting or ())
    return tuple(dict.fromkeys(given)) or PAPER_SETTINGS


def _design(settings: Settings) -> dict[str, Any]:
    """Return the arguments by which an exam and a comparison divide the data."""
    names = ("retries", "threshold", "test_fraction", "partition", "singletons", "seed", "workers")
    return {name: getattr(settings, name) for name in names}


def _two_parts(
    files: tuple[str, str | None], division: Division, reading: Reading, settings: Settings
) -> tuple[Dataset, Dataset]:
    """Read training and test data from two files, or from one that is divided by its column `split`."""
    (train, test), splits = files, (division.train_split, division.test_split)
    if reading.split is not None:
        raise UsageError("a blind test has two parts", remedy="give --train-split and --test-split, not --split")
    if test is None and None in splits:
        raise UsageError(
            "there is nothing to test",
            remedy="give two files, or one file with --train-split NAME and --test-split NAME",
        )
    first = read_material(train, replace(reading, split=splits[0]), settings)
    return first, read_material(test or train, replace(reading, split=splits[1]), settings)
