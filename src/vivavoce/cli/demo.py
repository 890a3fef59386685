"""`viva demo`: the three exams on shipped material, with nothing to prepare."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console

from vivavoce.cli.dialogues.material import DEFAULT_RATER, DEMO, INVENTED, Log, flag_invented
from vivavoce.cli.dialogues.options import LogReading
from vivavoce.cli.dialogues.scoring import write_lines
from vivavoce.cli.shared.completion import complete_choices
from vivavoce.cli.shared.failures import resumable, tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import Output, option
from vivavoce.cli.shared.progress import Report, progress_bar
from vivavoce.cli.shared.results import check_targets, publish, write_content, write_page
from vivavoce.errors import FileError, UsageError, VivaError, nearest, plural
from vivavoce.languages import Use, name_languages

if TYPE_CHECKING:
    from vivavoce.dialogues.scored import ScoredDialogue
    from vivavoce.intents import IntentsResult

LANGUAGES = name_languages(Use.DEMO)
OUT = Path("demo-output")
SHOWN_PROBLEMS = 3
SUITE = "flight"
TALK = (
    "Hi there!",
    "How long does it take until I hear back from you?",
    "I want a nurse job in Kiel",
    "no, in Reading",
    "Do you pay for training while I work?",
    "Könnt ihr meinen Hund mitversichern?",
)
MAX_BYTES = 16 * 1024**2
NO_FINDING = f"{INVENTED} They show what a report looks like, but say nothing about a bot or about the score."


@dataclass(frozen=True, slots=True)
class DemoReport:
    """One exam of the demo: its files, and how the terminal shows it."""

    name: str
    title: str
    headline: str
    html: Path | None
    json: Path
    show: Callable[[Console], None]
    language: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the files and the headline."""
        language = {"language": self.language} if self.language else {}
        html = {"html": str(self.html)} if self.html else {}
        return {"name": self.name, **language, "headline": self.headline, **html, "json": str(self.json)}


def demo(
    out: Annotated[Path, option("--out", "DIR", "Folder for the reports; created if necessary.")] = OUT,
    language: Annotated[
        str | None,
        option(
            "--language", "en|de", "Only the material of this language.", complete=complete_choices(tuple(LANGUAGES))
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """Run the exams on shipped material: applicants' questions, flight bookings with three engines, dialogues.

    Ends with a talk with the recruiting assistant.

    Takes about a minute. The sentence vectors (84 MB) are downloaded once; without a network the exams use words and
    letters alone and say so.

    For example:

        viva demo
        viva demo --language de --out /tmp/demo
        viva demo --quiet --json -
    """
    check_targets(output.targets)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"cannot create the folder: {error.strerror}", where=str(out), remedy="choose another one with --out"
        ) from error
    settings_in_force()
    if language is not None and language not in LANGUAGES:
        raise UsageError(
            f"there is no demo in the language '{language}'.{nearest(language, list(LANGUAGES))}",
            remedy=f"choose one of: {', '.join(LANGUAGES)}",
        )
    with resumable(None), progress_bar(output.quiet) as progress:
        _get_vectors(progress)
        reports = [examine(out, progress) for examine in list_exams(language)]
    content = {"seed": 0, "reports": [report.to_json() for report in reports]}
    publish(output, "demo", content, lambda console: _show(console, reports))


def list_exams(language: str | None) -> list[Callable[[Path, Report], DemoReport]]:
    """Return the parts of the demo: one language or all; all but the first are in English only."""
    others = [] if language == "de" else [hold_conversations, score_dialogues, talk_with_assistant]
    return [*(_examine_language(code) for code in ([language] if language else LANGUAGES)), *others]


def _get_vectors(progress: Report) -> None:
    """Download the sentence vectors if they are missing; without them the exam is only less exact."""
    from vivavoce.text import find_weights, get_weights

    if find_weights():
        return
    try:
        get_weights(lambda done, total: progress("downloading sentence vectors", done, total))
    except VivaError as error:
        tell(
            f"Note: {error.what}. The exam continues with words and characters; to try again, run `viva models get`."
        )


def _show(console: Console, reports: list[DemoReport]) -> None:
    from vivavoce.reports.shared.layout import block, heading

    for report in reports:
        report.show(console)
    console.print(heading("Reports"))
    for report in reports:
        console.print(f"{report.title}: {report.html or report.json}", markup=False, highlight=False, soft_wrap=True)
    own = "viva intents examine FILE --html report.html"
    console.print(block(f"Open the page in a browser. To test your own file: {own}"))
    if any(report.language is None for report in reports):
        console.print(
            block("To test your own bot: viva conversations run flight --bot http:http://localhost:5005/talk")
        )
        console.print(block("To score your own logs: viva dialogues score FILE --html report.html"))
        console.print(block("To talk with the assistant yourself: viva assistant chat"))


def _examine_language(language: str) -> Callable[[Path, Report], DemoReport]:
    def examine(out: Path, progress: Report) -> DemoReport:
        from vivavoce import demo
        from vivavoce.intents import examine_intents
        from vivavoce.reports.intents import wording
        from vivavoce.reports.intents.html import render_result

        name, title = f"recruiting-{language}", LANGUAGES[language]
        result = examine_intents(
            demo.load(name), progress=lambda stage, done, total: progress(f"{title}: {stage}", done, total)
        )
        html, json = out / f"{name}.html", out / f"{name}.json"
        write_page(html, render_result(result))
        write_content(json, result.to_json())
        headline = wording.headline(result)
        return DemoReport(
            result.data.source,
            title,
            headline,
            html,
            json,
            lambda console: show_intents(console, title, result),
            language,
        )

    return examine


def show_intents(console: Console, language: str, result: IntentsResult) -> None:
    """Show the intents exam of one language."""
    from vivavoce.reports.intents import problem_wording, wording
    from vivavoce.reports.shared.layout import block, bullets, heading

    size = f"{plural(result.data.rows, 'example')} in {plural(result.data.topics, 'topic')}"
    console.print(heading(f"Recruiting questions, {language} ({size})"))
    console.print(block(wording.headline(result), "bold"))
    console.print(block(wording.strangers_sentence(result)))
    console.print(block(problem_wording.verdict(result)))
    first = result.problems[:SHOWN_PROBLEMS]
    console.print(
        bullets(f"{problem_wording.problem_sentence(p)} {problem_wording.problem_advice(p)}" for p in first)
    )
    for note in result.warnings:
        if note.kind in ("vectors", "no_vectors"):
            console.print(block(note.message, "dim"))


def hold_conversations(out: Path, progress: Report) -> DemoReport:
    """Hold the flight suite with the local engines and write the report."""
    from vivavoce.agents import ENGINES
    from vivavoce.conversations import RunRecord, examine_conversations, result_to_json
    from vivavoce.reports.conversations.html import render_conversations
    from vivavoce.reports.conversations.tables import show_conversations
    from vivavoce.reports.conversations.wording import headline
    from vivavoce.reports.shared.layout import heading

    folder, html, json = out / f"{SUITE}-run", out / f"{SUITE}.html", out / f"{SUITE}.json"
    # The folder belongs to the demo: a second demo starts anew.
    shutil.rmtree(folder, ignore_errors=True)
    result = examine_conversations(SUITE, tuple(ENGINES), record=folder, progress=progress)
    with RunRecord.open(folder) as record:
        write_page(html, render_conversations(result, record))
    write_content(json, result_to_json(result))

    def show(console: Console) -> None:
        console.print(heading("Booking a flight: the same conversations with three engines"))
        with RunRecord.open(folder) as record:
            show_conversations(console, result, record)

    return DemoReport(SUITE, "Flights", headline(result), html, json, show)


def score_dialogues(out: Path, progress: Report) -> DemoReport:
    """Score the shipped dialogues and write the report."""
    from vivavoce.demo import dialogues_path
    from vivavoce.dialogues import examine_dialogues, load_rater
    from vivavoce.dialogues.scored import rank_scored
    from vivavoce.reports.dialogues import wording
    from vivavoce.reports.dialogues.html import render_dialogues
    from vivavoce.reports.shared.layout import block, bullets, heading

    log = Log(dialogues_path(), DEMO, None, LogReading(), MAX_BYTES, invented=True)
    corpus = log.read()
    scored = examine_dialogues(
        corpus.dialogues, load_rater(DEFAULT_RATER), source=DEMO, notes=corpus.notes, progress=progress
    )
    # A recalibration that is learned from invented ratings would move only invented dialogues.
    result = replace(flag_invented(scored, log), recalibration=None)
    html, lines = out / "dialogues.html", out / "dialogues.jsonl"
    write_page(html, render_dialogues(result))
    write_lines(lines, result)

    def show(console: Console) -> None:
        # Which dialogues to read, but not what invented ratings say about the score.
        ranked = rank_scored(result)
        console.print(heading("Forty unscripted dialogues: would a person call them good?"))
        console.print(block(NO_FINDING, "bold"))
        console.print(block(wording.mean_sentence(ranked)))
        ends = {row.dialogue.id: row for row in (*ranked[:2], *ranked[-1:])}.values()
        console.print(
            bullets(f"{row.dialogue.id}: {wording.score_line(row)}. {_first_reason(row)}".strip() for row in ends)
        )
        console.print(block(wording.origin_sentence(result.passport.origin), "dim"))

    headline = f"{wording.counts_sentence(result)} {NO_FINDING}"
    return DemoReport("dialogues", "Dialogues", headline, html, lines, show)


def talk_with_assistant(out: Path, progress: Report) -> DemoReport:
    """Hold one talk with the recruiting assistant of an invented company and write it down."""
    from vivavoce.assistant import State
    from vivavoce.assistant.finding import load_assistant
    from vivavoce.cli.assistant import describe_talk, show_outcome
    from vivavoce.reports.shared.layout import block, heading

    progress("training the assistant", 0, 1)
    assistant = load_assistant("demo")
    state, turns = State(), []
    for message in TALK:
        outcome = assistant.reply(state, message)
        state = outcome.state
        turns.append((message, outcome))
    progress("training the assistant", 1, 1)
    lines = out / "assistant.json"
    handed_over = sum(outcome.hand_over is not None for _, outcome in turns)
    headline = f"{len(turns) - handed_over} of {len(turns)} messages answered, {handed_over} handed over to a person."
    write_content(lines, describe_talk(turns))

    def show(console: Console) -> None:
        console.print(heading("A talk with the recruiting assistant of an invented company"))
        for message, outcome in turns:
            console.print(block(f"> {message}", "bold"))
            show_outcome(console, outcome)
        console.print(block(headline))

    return DemoReport("assistant", "Assistant", headline, None, lines, show)


def _first_reason(row: ScoredDialogue) -> str:
    from vivavoce.messages import sentence
    from vivavoce.reports.dialogues import wording
    from vivavoce.reports.shared.texts import clean

    lines = wording.reason_lines(row.score)
    return sentence(clean(lines[0])) if lines else ""
