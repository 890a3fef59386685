"""`viva intents judge`: how good is an engine whose answers you already have?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from vivavoce.cli.shared.gates import blind_gates, require_blind
from vivavoce.cli.shared.material import EVERY_INTENT, settings_in_force
from vivavoce.cli.shared.options import EXAM, READING, Encoding, FailUnder, Reports, Scoring, argument, option
from vivavoce.cli.shared.results import check_targets, publish_reports
from vivavoce.records import AUTO


def judge(
    file: Annotated[Path, argument("FILE", "Table with the columns `text`, `intent`, `guess` and `confidence`.")],
    *,
    name: Annotated[
        str | None, option("--name", "NAME", "Name of the engine. Default: that of the file.", EXAM)
    ] = None,
    out_of_scope: Annotated[
        str, option("--out-of-scope", "NAME", "Intent of out-of-scope messages; `-`: none.", READING)
    ] = AUTO,
    encoding: Encoding = None,
    scoring: Scoring,
    fail_under: FailUnder = None,
    reports: Reports,
) -> None:
    """Judge the answers of any engine, such as a platform's export: nothing is trained, no bot is called.

    An empty guess means that the engine declined. Without confidences, every guess counts as certain.

    For example:

        viva intents judge dialogflow.csv
        viva intents judge dialogflow.csv --threshold 0.3 --html dialogflow.html
        viva intents judge export.xlsx --fail-under accuracy=0.7
    """
    check_targets(reports.targets, [str(file)])
    settings, gates = settings_in_force(scoring), blind_gates(fail_under)
    from vivavoce.files import read_predictions
    from vivavoce.intents.blind import score_predictions
    from vivavoce.reports.intents.blind import render_blind, show_blind

    data, guesses = read_predictions(
        file,
        out_of_scope=None if out_of_scope == EVERY_INTENT else out_of_scope,
        encoding=encoding,
        max_rows=settings.max_rows,
    )
    result = score_predictions(data, guesses, settings.threshold, classifier=name or file.stem, seed=settings.seed)
    publish_reports(reports, result, render_blind, show_blind)
    require_blind(result, gates)
