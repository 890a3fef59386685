"""`viva demo`: the whole exam on shipped material, with nothing to prepare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from vivavoce.cli.demo.conversations import DemoTalks, hold_demo
from vivavoce.cli.demo.dialogues import DemoScores, score_demo
from vivavoce.cli.shared.completion import complete_choices
from vivavoce.cli.shared.failures import kept_in, tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.progress import Report, progress_bar
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content, write_page
from vivavoce.errors import FileError, UsageError, VivaError, nearest, plural
from vivavoce.languages import Use, name_languages

if TYPE_CHECKING:
    from vivavoce.intents import IntentsResult

LANGUAGES = name_languages(Use.DEMO)
OUT = Path("demo-output")
SHOWN_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """One exam of the demo and the files that it left."""

    language: str
    result: IntentsResult
    html: Path
    json: Path


def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the reports; made if need be.")] = OUT,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="en|de",
            help="Examine the material of one language only.",
            autocompletion=complete_choices(tuple(LANGUAGES)),
        ),
    ] = None,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Run the exams on shipped material: questions of applicants, a flight desk tried by three engines, scored talks.

    Takes about a minute. The sentence vectors (84 MB) are fetched once; without a network the exams go on with words
    and letters alone and say so.

    For example:

        viva demo

        viva demo --language de --out /tmp/demo

        viva demo --quiet --json -
    """
    check_targets({"--json": json_path})
    _prepare(out)
    settings_in_force()
    hidden = quiet or json_path == "-"
    with kept_in(None), progress_bar(quiet) as progress:
        _get_vectors(progress)
        shown = [_examined(name, out, progress) for name in _languages(language)]
        others = [] if language == "de" else _others(out, progress)
    if json_path:
        reports = [*[_report_json(one) for one in shown], *[other.to_json() for other in others]]
        write_content(json_path, {**head("demo"), "seed": 0, "reports": reports})
    if not hidden:
        _show(Screen(), shown, others)


def _languages(wanted: str | None) -> list[str]:
    if wanted is not None and wanted not in LANGUAGES:
        raise UsageError(
            f"there is no demo in '{wanted}'.{nearest(wanted, list(LANGUAGES))}",
            remedy=f"choose one of: {', '.join(LANGUAGES)}",
        )
    return [wanted] if wanted else list(LANGUAGES)


def _prepare(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"the folder cannot be made: {error.strerror}", where=str(out), remedy="give another one with --out"
        ) from error


def _get_vectors(progress: Report) -> None:
    """Fetch the sentence vectors if they are absent; without them the exam is only less exact."""
    from vivavoce.text import find_weights, get_weights

    if find_weights():
        return
    try:
        get_weights(lambda done, total: progress("fetching sentence vectors", done, total))
    except VivaError as error:
        tell(f"Note: {error.what}. The exam goes on with words and letters; `viva models get` tries again.")


def _examined(language: str, out: Path, progress: Report) -> Shown:
    from vivavoce import demo
    from vivavoce.intents import examine_intents
    from vivavoce.reports.intents.html import render_result

    name = f"recruiting-{language}"
    result = examine_intents(
        demo.load(name),
        progress=lambda stage, done, total: progress(f"{LANGUAGES[language]}: {stage}", done, total),
    )
    shown = Shown(language, result, out / f"{name}.html", out / f"{name}.json")
    write_page(shown.html, render_result(result))
    write_content(shown.json, result.to_json())
    return shown


def _others(out: Path, progress: Report) -> list[DemoTalks | DemoScores]:
    """Hold the two exams that have material in English only."""
    return [hold_demo(out, progress), score_demo(out, progress)]


def _report_json(shown: Shown) -> dict[str, object]:
    from vivavoce.reports.intents import wording

    return {
        "name": shown.result.data.source,
        "language": shown.language,
        "headline": wording.headline(shown.result),
        "html": str(shown.html),
        "json": str(shown.json),
    }


def _show(console: Console, shown: list[Shown], others: Sequence[DemoTalks | DemoScores]) -> None:
    from vivavoce.reports.shared.layout import block, heading

    for one in shown:
        _show_one(console, one)
    for other in others:
        other.show(console)
    console.print(heading("Where to look"))
    pages = [(LANGUAGES[one.language], one.html) for one in shown]
    for name, html in [*pages, *zip(("Flights", "Dialogues"), (other.html for other in others), strict=False)]:
        console.print(f"{name}: {html}", markup=False, highlight=False, soft_wrap=True)
    own = "viva intents examine FILE --html report.html"
    console.print(block(f"Open the page in a browser. For your own file: {own}"))
    if others:
        console.print(block("For your own bot: viva conversations run flight --bot http:http://localhost:5005/talk"))
        console.print(block("For your own logs: viva dialogues score FILE --html report.html"))


def _show_one(console: Console, one: Shown) -> None:
    from vivavoce.reports.intents import problem_wording, wording
    from vivavoce.reports.shared.layout import block, bullets, heading

    data, result = one.result.data, one.result
    size = f"{plural(data.rows, 'example')} in {plural(data.topics, 'topic')}"
    console.print(heading(f"Recruiting questions, {LANGUAGES[one.language]} ({size})"))
    console.print(block(wording.headline(result), "bold"))
    console.print(block(wording.strangers_sentence(result)))
    console.print(block(problem_wording.verdict(result)))
    first = result.problems[:SHOWN_PROBLEMS]
    console.print(
        bullets(f"{problem_wording.problem_sentence(p)} {problem_wording.problem_advice(p)}" for p in first)
    )
    vectors = [note.message for note in result.warnings if note.kind in ("vectors", "no_vectors")]
    for message in vectors:
        console.print(block(message, "dim"))
