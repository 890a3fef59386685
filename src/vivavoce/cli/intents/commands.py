"""`viva intents`: can anyone learn these topics from this training data?"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.intents.improve import improve
from vivavoce.cli.intents.judge import judge
from vivavoce.cli.intents.problems import problems
from vivavoce.cli.intents.selftest import selftest
from vivavoce.cli.intents.suspects import suspects
from vivavoce.cli.intents.whatif import whatif
from vivavoce.cli.shared.completion import complete_classifier, complete_material
from vivavoce.cli.shared.failures import resumable
from vivavoce.cli.shared.gates import blind_gates, exam_gates, require_blind
from vivavoce.cli.shared.material import EVERY_INTENT, load_engine, read_material, settings_in_force
from vivavoce.cli.shared.options import (
    EXAM,
    GATES,
    OUTPUT,
    CommandGroup,
    Division,
    Engine,
    FailUnder,
    File,
    Patience,
    Playback,
    Reading,
    Record,
    RecordFolder,
    Reports,
    Scoring,
    Splitting,
    Traffic,
    argument,
    option,
)
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import check_targets, conclude, publish_reports
from vivavoce.errors import UsageError
from vivavoce.records import AUTO

if TYPE_CHECKING:
    from vivavoce.intents import Setting
    from vivavoce.records import Dataset
    from vivavoce.settings import Settings

# The default of `examine_intents`, which is not imported to print help.
MAX_PAIRS = 20

app = CommandGroup(
    "intents",
    help="""Examine training data: can anyone learn these topics from these examples?

    Exit codes: 0 success · 1 a quality gate failed (`--fail-under`, `--strict`) · 2 invalid input or options ·
    3 the work is incomplete and can be resumed (`--record`).

    For example:

        viva intents check faq.csv
        viva intents examine faq.csv --html report.html
    """,
)


@app.command()
def check(
    file: File,
    *,
    strict: Annotated[bool, option("--strict", "", "Exit with 1 if there are errors.", GATES)] = False,
    reports: Reports,
    reading: Reading,
) -> None:
    """Find what to correct before an exam: contradictions, duplicates, tiny topics, damaged text.

    Exit codes: 0 success · 1 there are errors, and `--strict` is given · 2 the file cannot be read.

    For example:

        viva intents check faq.csv
        viva intents check export.xlsx --sheet FAQ --text-column question --intent-column topic
        viva intents check faq.csv --strict --quiet
    """
    check_targets(reports.targets, [file])
    data = read_material(file, reading, settings_in_force(reading))
    from vivavoce.intents import check as find_problems
    from vivavoce.reports.intents.html import render_check
    from vivavoce.reports.intents.tables import show_check

    result = find_problems(data, now=datetime.now(UTC))
    publish_reports(reports, result, partial(render_check, source=data.source), show_check)
    if strict and any(problem.severity == "error" for problem in result.problems):
        raise typer.Exit(1)


@app.command()
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
    pairs: Annotated[
        int, option("--pairs", "N", "Confused pairs in the JSON, besides those that are problems.", OUTPUT, low=0)
    ] = MAX_PAIRS,
    borrow: Annotated[
        str | None,
        option(
            "--borrow",
            "LANGUAGE",
            "Train on the examples of this language too, test only the others, and say what that brings.",
            EXAM,
        ),
    ] = None,
    reports: Reports,
    reading: Reading,
) -> None:
    """Cross-validate with plausible negatives: how good can a bot be, and which topics clash?

    Small topics take turns out of training, so that the bot gets questions that no topic covers.

    For example:

        viva intents examine faq.csv
        viva intents examine faq.csv --setting 0,0.15 --fail-under accuracy=0.7 --html report.html
        viva intents examine faq.csv --out-of-scope-share 0.3
        viva intents examine two-languages.csv --borrow en
        viva intents examine faq.csv --classifier python:mybot:Wrapper --record faq.record
    """
    check_targets({**reports.targets, "--record": record}, [file])
    settings = settings_in_force(engine, splitting, scoring, traffic, patience, reading)
    exam_settings = _parse_settings(splitting)
    gates = exam_gates(fail_under, exam_settings)
    data = read_material(file, reading, settings)
    from vivavoce.intents import examine_intents
    from vivavoce.reports.intents.gates import require_gates
    from vivavoce.reports.intents.html import render_result
    from vivavoce.reports.intents.tables import show_result

    with resumable(record), progress_bar(reports.quiet) as progress:
        result = examine_intents(
            data,
            load_engine(settings.classifier, settings),
            settings=exam_settings,
            out_of_scope_share=settings.out_of_scope_share,
            pairs=pairs,
            borrow=borrow,
            record=record,
            progress=progress,
            **_split_options(settings),
        )
    publish_reports(reports, result, render_result, show_result)
    conclude(result.failures, record, lambda: require_gates(result, gates))


@app.command()
def blind(
    train: Annotated[
        str, argument("TRAIN", "Training examples; or one file for both, with a column `split`.", complete_material)
    ],
    test: Annotated[str | None, argument("TEST", "Test messages.", complete_material)] = None,
    *,
    predictions: Annotated[
        Path | None,
        option("--predictions", "PATH", "Write every guess as CSV: text, intent, guess, confidence.", OUTPUT),
    ] = None,
    fail_under: FailUnder = None,
    engine: Engine,
    scoring: Scoring,
    patience: Patience,
    reports: Reports,
    reading: Reading,
    division: Division,
) -> None:
    """Train once and test once, on messages that training never saw.

    Pass two files, or one file with a column `split`.

    For example:

        viva intents blind train.csv test.csv
        viva intents blind all.csv --train-split train --test-split test --predictions guesses.csv
        viva intents blind train.csv test.csv --unknown-intents negative --fail-under oos_recall=0.6
    """
    check_targets({**reports.targets, "--predictions": predictions}, [train, test])
    settings = settings_in_force(engine, scoring, patience, reading)
    gates = blind_gates(fail_under)
    parts = _read_parts(train, test, division, reading, settings)
    from vivavoce.files import write_predictions
    from vivavoce.intents.blind import examine_blind
    from vivavoce.reports.intents.blind import render_blind, show_blind

    with resumable(None), progress_bar(reports.quiet) as progress:
        result = examine_blind(
            *parts,
            load_engine(settings.classifier, settings),
            threshold=settings.threshold,
            seed=settings.seed,
            unknown=division.unknown_intents,  # type: ignore[arg-type]  # refused there unless it is one of the two
            progress=progress,
        )
    if predictions:
        names = {} if reading.out_of_scope in (AUTO, EVERY_INTENT) else {"out_of_scope": reading.out_of_scope}
        write_predictions(predictions, result.predictions, **names)
    publish_reports(reports, result, render_blind, show_blind)
    require_blind(result, gates)


@app.command()
def compare(
    file: File,
    *,
    classifier: Annotated[
        list[str],
        option(
            "--classifier -c",
            "NAME",
            "Classifier, as `kind` or `kind:option`; two or more, see `viva classifiers`.",
            EXAM,
            complete=complete_classifier,
        ),
    ],
    record: RecordFolder = None,
    splitting: Splitting,
    scoring: Scoring,
    patience: Patience,
    reports: Reports,
    reading: Reading,
) -> None:
    """Examine several classifiers on the same splits, and show which differences are significant.

    A classifier that fails does not stop the others; the exit code is then 3.

    For example:

        viva intents compare faq.csv --classifier linear --classifier tfidf
        viva intents compare recruiting-en -c linear -c tfidf -c python:mybot:Wrapper --record compared
    """
    check_targets(reports.targets, [file])
    if record is not None and record.exists() and not record.is_dir():
        raise UsageError("this is a file, not a folder", where=f"--record {record}", remedy="use another name")
    settings = settings_in_force(splitting, scoring, patience, reading)
    exam_settings = _parse_settings(splitting)
    data = read_material(file, reading, settings)
    from vivavoce.intents.comparison import compare_classifiers
    from vivavoce.reports.intents.comparison import render_comparison, show_comparison

    with resumable(record), progress_bar(reports.quiet) as progress:
        result = compare_classifiers(
            data,
            [load_engine(name, settings) for name in classifier],
            settings=exam_settings,
            record=record,
            progress=progress,
            **_split_options(settings),
        )
    publish_reports(reports, result, render_comparison, show_comparison)
    failures = [*result.failures, *(failure for row in result.classifiers for failure in row.failures)]
    conclude(failures, record, lambda: None)


@app.command("over-time")
def over_time(
    file: File,
    *,
    engine: Engine,
    scoring: Scoring,
    patience: Patience,
    playback: Playback,
    reports: Reports,
    reading: Reading,
) -> None:
    """Replay the history of the examples by their column `created`: does retraining pay off?

    Two models are tested on every period: one trained on everything before it, and the first one.

    For example:

        viva intents over-time recruiting-en
        viva intents over-time faq.csv --mode interleaved --periods 6 --html time.html
    """
    check_targets(reports.targets, [file])
    settings = settings_in_force(engine, scoring, patience, reading)
    data = read_material(file, reading, settings)
    from vivavoce.intents.timeline import examine_over_time
    from vivavoce.reports.intents.timeline import render_timeline, show_timeline

    with resumable(None), progress_bar(reports.quiet) as progress:
        result = examine_over_time(
            data,
            load_engine(settings.classifier, settings),
            mode=playback.mode,  # type: ignore[arg-type]  # refused there unless it is one of the two
            periods=playback.periods,
            min_test=playback.min_test,
            undated=playback.undated,  # type: ignore[arg-type]  # likewise
            threshold=settings.threshold,
            seed=settings.seed,
            progress=progress,
        )
    publish_reports(reports, result, render_timeline, show_timeline)


app.command()(judge)
app.command()(whatif)
app.command()(problems)
app.command()(improve)
app.command()(suspects)
app.command()(selftest)


def _parse_settings(splitting: Splitting) -> tuple[Setting, ...]:
    """Return the settings (k, p) to examine; by default those of the paper."""
    from vivavoce.intents import PAPER_SETTINGS, Setting

    return tuple(dict.fromkeys(map(Setting.parse, splitting.setting or ()))) or PAPER_SETTINGS


def _split_options(settings: Settings) -> dict[str, Any]:
    """Return the arguments by which an exam and a comparison split the data."""
    names = ("retries", "threshold", "test_fraction", "partition", "singletons", "seed", "workers")
    return {name: getattr(settings, name) for name in names}


def _read_parts(
    train: str, test: str | None, division: Division, reading: Reading, settings: Settings
) -> tuple[Dataset, Dataset]:
    """Read training and test data from two files, or from one with a column `split`."""
    splits = (division.train_split, division.test_split)
    if reading.split is not None:
        raise UsageError("a blind test has two parts", remedy="use --train-split and --test-split, not --split")
    if test is None and None in splits:
        raise UsageError(
            "nothing to test",
            remedy="use two files, or one file with --train-split NAME and --test-split NAME",
        )
    first = read_material(train, replace(reading, split=splits[0]), settings)
    return first, read_material(test or train, replace(reading, split=splits[1]), settings)
