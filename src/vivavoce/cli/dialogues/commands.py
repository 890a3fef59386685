"""`viva dialogues`: logged dialogues without a script, scored as a person would rate them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from rich.console import Console

from vivavoce.cli.conversations.material import refuse_existing
from vivavoce.cli.conversations.options import Force
from vivavoce.cli.dialogues.endings import Tally, conclude_scores, count_scores
from vivavoce.cli.dialogues.material import (
    check_calibration,
    find_dialogue,
    flag_invented,
    list_absent_parts,
    load_raters,
    open_log,
    rater_names,
    read_calibration,
    read_published_part,
    resume_judging,
)
from vivavoce.cli.dialogues.options import (
    NETWORKS,
    CalibrationPath,
    DialogueId,
    Drawing,
    EvaluationReports,
    Judging,
    Lessons,
    LogFile,
    LogReading,
    MinMean,
    RaterChoice,
    RaterChoices,
    Repetition,
    ScoreReports,
)
from vivavoce.cli.shared.failures import tell, tell_notes
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import READING, CommandGroup, HtmlPath, Output, argument, option
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import check_targets, publish, write_page

app = CommandGroup(
    "dialogues",
    help="""Score logged dialogues as a person would rate them, and show how far the scores can be trusted.

    Exit codes: 0 success · 1 a quality gate failed (`--min-mean`) · 2 invalid input or options, or nothing could be
    scored · 3 the work is incomplete, for example because a judge did not answer; run the command again to resume.

    For example:

        viva dialogues score demo
        viva dialogues score log.jsonl --html report.html
        viva dialogues evaluate rated.csv --rater learned --rater length
    """,
)


@app.command()
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
    """Score every dialogue from 1 to 5 with an interval, or say why it gets no score.

    First it says whether the scores may be used to compare bots. With `--stream`, or if only JSON Lines are written,
    dialogues are scored one at a time, for logs of any size.

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
    line = read_calibration(calibration)
    # Standard output, before the progress bar keeps others from writing to it.
    sys.stdout.flush()
    out = sys.stdout.buffer
    with open_log(file, reading, settings) as log, resume_judging(judging.record):
        with progress_bar(reports.quiet) as progress:
            (rater,) = load_raters(names, judging, settings.seed, progress)
            check_calibration(line, rater, calibration)
            work = scoring.Work(log, rater, line, settings.seed)
            result = (
                scoring.stream_scores(work, reports, out, progress)
                if reports.streams
                else scoring.score_all(work, progress)
            )
        tally = result if isinstance(result, Tally) else scoring.hand_over(result, reports)
        conclude_scores(tally, log.name, min_mean, judging.record)


@app.command()
def evaluate(
    file: LogFile,
    *,
    choice: RaterChoices,
    judging: Judging,
    reading: LogReading,
    drawing: Drawing,
    reports: EvaluationReports,
) -> None:
    """Compare scores with people's ratings: correlations and squared error with intervals, overall and by kind.

    Several raters are measured the same way, and their differences on the same dialogues get intervals. With 30 or
    more ratings a recalibration can be saved, with its gain on dialogues that it had not seen.

    For example:

        viva dialogues evaluate rated.jsonl
        viva dialogues evaluate rated.csv --rater learned --rater openai:gpt-4o-mini --record answers.jsonl
        viva dialogues evaluate rated.jsonl --save-calibration ours.json --html agreement.html
    """
    from vivavoce.cli.dialogues import evaluation

    check_targets(reports.targets, [file])
    names = rater_names(choice)
    evaluation.check_saving(reports, names)
    settings = settings_in_force(reading, drawing)
    with open_log(file, reading, settings) as log, resume_judging(judging.record):
        with progress_bar(reports.quiet) as progress:
            raters = load_raters(names, judging, settings.seed, progress)
            corpus = evaluation.read_rated(log)
            evaluation.check_saving(reports, names, corpus)
            result = evaluation.evaluate_raters(log, corpus, raters, seed=settings.seed, progress=progress)
        evaluation.hand_over(result, reports)
        evaluation.conclude_evaluation(result, reports, judging.record)


@app.command()
def explain(
    file: LogFile,
    dialogue_id: DialogueId,
    *,
    choice: RaterChoice,
    calibration: CalibrationPath = None,
    judging: Judging,
    reading: LogReading,
    html: HtmlPath = None,
    output: Output,
) -> None:
    """Show one dialogue, the effect of each message on its score, and the reasons in words.

    All dialogues of the file are read and checked, only this one is scored. Exit code 2: it gets no score, and the
    reason is shown.

    For example:

        viva dialogues explain demo demo-01
        viva dialogues explain log.jsonl 4711 --html talk.html
    """
    check_targets({**output.targets, "--html": html}, [file])
    names = rater_names(choice)
    settings = settings_in_force(reading)
    line = read_calibration(calibration)
    from vivavoce.dialogues import examine_dialogues, score_to_json
    from vivavoce.reports.dialogues.tables import print_explanation

    with (
        open_log(file, reading, settings) as log,
        resume_judging(judging.record),
        progress_bar(output.quiet) as progress,
    ):
        dialogue = find_dialogue(log, dialogue_id, lambda note: tell_notes([note], output.quiet))
        (rater,) = load_raters(names, judging, settings.seed, progress)
        check_calibration(line, rater, calibration)
        result = examine_dialogues([dialogue], rater, source=log.name, recalibration=line)
    tell_notes(result.notes, output.quiet)
    (score,) = result.scores
    if html:
        from vivavoce.reports.dialogues.html import render_dialogues

        write_page(html, render_dialogues(flag_invented(result, log)))

    def show(console: Console) -> None:
        print_explanation(console, dialogue, score)
        for path in filter(None, (html, output.json_path)):
            tell(f"Written: {path}")

    publish(output, "dialogues-explanation", {"dialogue": score_to_json(score, dialogue)}, show)
    conclude_scores(count_scores(result), log.name, None, judging.record)


@app.command()
def train(
    file: Annotated[
        str,
        argument(
            "FILE",
            "Rated dialogues, in any format of `viva dialogues score`; with --published a public data set: its file, "
            "or the folder that holds it.",
        ),
    ],
    out: Annotated[Path, argument("OUT", "Model to write: `.npz`.")],
    *,
    lessons: Lessons,
    reading: LogReading,
    drawing: Drawing,
    force: Force = False,
    output: Output,
) -> None:
    """Train your own model from rated dialogues, and print its passport.

    Needs at least 100 ratings on at least 20 dialogues, better 500; with 30 or more ratings, recalibrating the
    shipped model works better (`viva dialogues evaluate --save-calibration`).

    For example:

        viva dialogues train rated.jsonl ours.npz
        viva dialogues train train_full.json july.npz --published convai2017
    """
    from vivavoce.cli.dialogues import training

    training.check_model_path(out)
    check_targets({"OUT": out, **output.targets}, [file])
    refuse_existing(out, force)
    settings = settings_in_force(reading, drawing)
    material = training.read_material(file, reading, lessons, settings)
    from vivavoce.dialogues import save_weights, train_model

    with progress_bar(output.quiet) as progress:
        model = train_model(
            material.dialogues,
            learnt_from=material.learnt_from,
            licence=material.licence,
            seed=settings.seed,
            progress=progress,
        )
    save_weights(model, out)

    def show(console: Console) -> None:
        training.show_model(console, out, model.origin, material)
        tell(f"Written: {out}")

    publish(output, "dialogues-model", training.model_to_json(out, model.origin, material), show)


@app.command()
def reproduce(
    *,
    data: Annotated[
        Path,
        option(
            "--data",
            "PLACE",
            "ConvAI 2017 as published: `train_full.json`, or the folder that holds it or the two files of "
            "`data_1501534800.tar.gz`, or a folder with `convai2017` in it.",
            READING,
        ),
    ],
    repetition: Repetition,
    output: Output,
) -> None:
    """Retrain the published networks (GRU, BiGRU, hierarchical encoder) and compare the results with both tables.

    Each network gets two values: the best epoch on the test part, as published, and the honest one, whose epoch
    is chosen inside the training part. Needs the extra `train` (torch).

    For example:

        viva dialogues reproduce --data train_full.json
        viva dialogues reproduce --data data/convai2017 --quick --model hre --json -
    """
    from vivavoce.cli.dialogues import training
    from vivavoce.dialogues import prepare
    from vivavoce.dialogues.networks.fitting import check_architectures, require_torch

    check_targets(output.targets)
    preset = training.parse_preset(repetition)
    networks = tuple(dict.fromkeys(repetition.network or NETWORKS))
    check_architectures(networks)
    require_torch()
    settings_in_force()
    prepared = prepare(read_published_part("convai2017", data, None))
    notes = list_absent_parts("convai2017", data)
    with progress_bar(output.quiet) as progress:
        result = training.train_networks(prepared, preset, networks, repetition, progress)
    publish(
        output,
        "dialogues-reproduction",
        training.reproduction_to_json(result, prepared, notes),
        lambda console: training.show_reproduction(console, result, prepared, notes),
    )
