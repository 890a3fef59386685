"""`viva dialogues`: logged talks without a script, scored as a person would mark them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.conversations.material import refuse_existing
from vivavoce.cli.conversations.options import Force
from vivavoce.cli.dialogues.endings import Tally, conclude_scores, tally_of
from vivavoce.cli.dialogues.material import (
    calibration_at,
    check_calibration,
    declared_invented,
    find_dialogue,
    opened,
    rater_names,
    raters_of,
    stopped_at,
)
from vivavoce.cli.dialogues.notes import tell_notes, tell_written
from vivavoce.cli.dialogues.options import (
    CalibrationPath,
    Drawing,
    EvaluationReports,
    Judging,
    LogFile,
    LogReading,
    MinMean,
    RaterChoice,
    RaterChoices,
    ScoreReports,
    TalkId,
)
from vivavoce.cli.dialogues.training_options import Lessons, Repetition
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import READING, HtmlPath, JsonPath, Quiet, grouped
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content, write_page

if TYPE_CHECKING:
    from vivavoce.dialogues import DialoguesResult

app = typer.Typer(
    name="dialogues",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Score logged dialogues as a person would mark them, and say how far the score can be trusted.

    Exit codes: 0 fine · 1 a gate of yours was not met (`--min-mean`) · 2 the input or the call is wrong, or nothing
    could be scored · 3 the work could not be completed, such as when a judge did not answer; repeat it to go on.

    For example:

        viva dialogues score demo

        viva dialogues score log.jsonl --html report.html

        viva dialogues evaluate marked.csv --rater learned --rater length
    """,
)


@app.command()
@grouped
def score(
    file: LogFile,
    *,
    choice: RaterChoice,
    calibration: CalibrationPath = None,
    judging: Judging,
    reading: LogReading,
    drawing: Drawing,
    min_mean: MinMean = None,
    reports: ScoreReports,
) -> None:
    """Give every dialogue a score from 1 to 5 with its interval, or the reason why it gets none.

    Before any number it is said whether the scores may be used to compare bots. Logs of any size go through one by
    one with `--stream`, or when only JSON Lines are wanted.

    For example:

        viva dialogues score demo

        viva dialogues score log.jsonl --html report.html --csv scores.csv

        viva dialogues score huge.jsonl --stream --out scores.jsonl

        cat log.jsonl | viva dialogues score - --json - --min-mean 3
    """
    from vivavoce.cli.dialogues import scoring

    scoring.check_reports(reports, [file])
    names = rater_names(choice)
    settings = settings_in_force(reading, drawing)
    line, out = calibration_at(calibration), scoring.standard_output()
    with opened(file, reading, settings) as log, stopped_at(judging.record):
        with progress_bar(reports.quiet) as progress:
            (rater,) = raters_of(names, judging, settings.seed, progress)
            check_calibration(line, rater, calibration)
            work = scoring.Work(log, rater, line, settings.seed)
            found = scoring.carry_out(work, reports, out, progress)
        tally = found if isinstance(found, Tally) else scoring.hand_over(found, reports)
        conclude_scores(tally, log.name, min_mean, judging.record)


@app.command()
@grouped
def evaluate(
    file: LogFile,
    *,
    choice: RaterChoices,
    judging: Judging,
    reading: LogReading,
    drawing: Drawing,
    reports: EvaluationReports,
) -> None:
    """Hold scores against people's marks: correlations and squared error with intervals, overall and by kind of talk.

    With several raters each is measured the same way, and their differences on the same talks are told with
    intervals. From 30 marks on a recalibration can be saved, with what it gains on talks that it had not seen.

    For example:

        viva dialogues evaluate marked.jsonl

        viva dialogues evaluate marked.csv --rater learned --rater openai:gpt-4o-mini --record answers.jsonl

        viva dialogues evaluate marked.jsonl --save-calibration ours.json --html agreement.html
    """
    from vivavoce.cli.dialogues import evaluation

    check_targets(reports.targets, [file])
    names = rater_names(choice)
    evaluation.check_saving(reports, names)
    settings = settings_in_force(reading, drawing)
    with opened(file, reading, settings) as log, stopped_at(judging.record):
        with progress_bar(reports.quiet) as progress:
            raters = raters_of(names, judging, settings.seed, progress)
            corpus = evaluation.read_marked(log)
            evaluation.check_saving(reports, names, corpus)
            found = evaluation.evaluate_raters(
                corpus, raters, seed=settings.seed, invented=log.invented, progress=progress
            )
        evaluation.hand_over(found, reports)
        evaluation.conclude_evaluation(found, reports, judging.record)


@app.command()
@grouped
def explain(
    file: LogFile,
    talk: TalkId,
    *,
    choice: RaterChoice,
    calibration: CalibrationPath = None,
    judging: Judging,
    reading: LogReading,
    html: HtmlPath = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Show one dialogue with what each message did to its score, and what moved the score in words.

    All dialogues of the file are read and checked, only this one is scored. Exit code 2: it gets no score, and the
    reason is shown.

    For example:

        viva dialogues explain demo demo-01

        viva dialogues explain log.jsonl 4711 --html talk.html
    """
    check_targets({"--json": json_path, "--html": html}, [file])
    names = rater_names(choice)
    settings = settings_in_force(reading)
    line = calibration_at(calibration)
    with opened(file, reading, settings) as log, stopped_at(judging.record), progress_bar(quiet) as progress:
        dialogue = find_dialogue(log, talk, lambda note: tell_notes([note], quiet))
        (rater,) = raters_of(names, judging, settings.seed, progress)
        check_calibration(line, rater, calibration)
        from vivavoce.dialogues import examine_dialogues

        found = examine_dialogues([dialogue], rater, source=log.name, recalibration=line)
    tell_notes(found.notes, quiet)
    _hand_over_talk(declared_invented(found) if log.invented else found, html, json_path, quiet)
    conclude_scores(tally_of(found), log.name, None, judging.record)


def _hand_over_talk(found: DialoguesResult, html: Path | None, json_path: str | None, quiet: bool) -> None:
    from vivavoce.dialogues import score_to_json
    from vivavoce.reports.dialogues.tables import print_explanation

    (dialogue,), (score,) = found.dialogues, found.scores
    if html:
        from vivavoce.reports.dialogues.html import render_dialogues

        write_page(html, render_dialogues(found))
    if json_path:
        write_content(json_path, {**head("dialogues-explanation"), "dialogue": score_to_json(score, dialogue)})
    if not quiet and json_path != "-":
        print_explanation(Screen(), dialogue, score)
        tell_written([path for path in (html, json_path) if path])


@app.command()
@grouped
def train(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Dialogues that people marked, in any format of `viva dialogues score`; with --published a public "
            "data set: its file, or the folder that holds it.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Model to write: `.npz`.", show_default=False)],
    *,
    lessons: Lessons,
    reading: LogReading,
    drawing: Drawing,
    force: Force = False,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Train a model of your own from dialogues that people marked, and print its passport.

    At least 100 marks on at least 20 talks are needed and some 500 are sensible; with 30 or more a recalibration of
    the shipped model is the better way (`viva dialogues evaluate --save-calibration`).

    For example:

        viva dialogues train marked.jsonl ours.npz

        viva dialogues train train_full.json july.npz --published convai2017
    """
    from vivavoce.cli.dialogues import training

    training.check_model_path(out)
    check_targets({"OUT": out, "--json": json_path}, [file])
    refuse_existing(out, force)
    settings = settings_in_force(reading, drawing)
    material = training.material_of(file, reading, lessons, settings)
    from vivavoce.dialogues import save_weights

    with progress_bar(quiet) as progress:
        model = training.learn(material, seed=settings.seed, progress=progress)
    save_weights(model, out)
    if json_path:
        write_content(json_path, training.model_to_json(out, model.origin, material))
    if not quiet and json_path != "-":
        training.show_model(out, model.origin, material)
        tell_written([out])


@app.command()
@grouped
def reproduce(
    *,
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="PLACE",
            help="ConvAI 2017 as published: `train_full.json`, or the folder that holds it or the two files of "
            "`data_1501534800.tar.gz`, or a folder with `convai2017` in it.",
            show_default=False,
            rich_help_panel=READING,
        ),
    ],
    repetition: Repetition,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Train the published networks again (GRU, BiGRU, hierarchical encoder) and set both tables beside ours.

    Two values are told of each: the best epoch seen on the test part, as published, and the honest one, whose epoch
    is chosen inside the training part. Needs the extra `train` (torch).

    For example:

        viva dialogues reproduce --data train_full.json

        viva dialogues reproduce --data data/convai2017 --quick --model hre --json -
    """
    from vivavoce.cli.dialogues import training
    from vivavoce.dialogues.networks.fitting import require_torch
    from vivavoce.text import viva_home

    check_targets({"--json": json_path})
    training.preset_name(repetition)
    training.networks_of(repetition)
    require_torch()
    settings_in_force()
    prepared, notes = training.read_prepared(data)
    with progress_bar(quiet) as progress:
        found = training.reproduced(prepared, repetition, viva_home(), progress)
    if json_path:
        write_content(json_path, training.reproduction_to_json(found, prepared, notes))
    if not quiet and json_path != "-":
        training.show_reproduction(Screen(), found, prepared, notes)
