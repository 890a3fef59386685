"""`viva assistant`: talk with the recruiting assistant, examine its two stages, add lists of occupations."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Console
from rich.text import Text

from vivavoce.cli.shared.completion import complete_choices
from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import EXAM, CommandGroup, Output, argument, option
from vivavoce.cli.shared.results import check_targets, head, publish, tell_written, write_content
from vivavoce.errors import UsageError, nearest

if TYPE_CHECKING:
    from vivavoce.assistant import Outcome
    from vivavoce.assistant.exam import StageExam
    from vivavoce.records import Example, Rate

DEMO = "demo"
CODES = ("en", "de", "fr", "zh")
SHOWN_MISTAKES = 10

app = CommandGroup(
    "assistant",
    help="""The recruiting assistant: general intents, a company's FAQ, job search, hand-over to a person.

    Exit codes: 0 success · 2 invalid input or options.

    For example:

        viva assistant chat
        viva assistant chat my-company/ --explain
        viva assistant examine
        viva assistant occupations esco_de.csv --language de
    """,
)
Name = Annotated[str, argument("NAME", "Assistant: `demo`, or a folder with faq_en.csv, answers.csv, openings.csv.")]
Language = Annotated[
    str | None,
    option("--language", "|".join(CODES), "Language of messages that show none.", complete=complete_choices(CODES)),
]


@app.command()
def chat(
    name: Name = DEMO,
    *,
    language: Language = None,
    explain: Annotated[bool, option("--explain", "", "Show what each stage understood.")] = False,
    output: Output,
) -> None:
    r"""Talk with the assistant in the terminal; an empty line or Ctrl-D ends the talk.

    Nothing is sent to anyone: a hand-over is only said. Messages may also come from a file or a pipe.

    For example:

        viva assistant chat
        viva assistant chat --language de --explain
        printf 'hi\nI want a nurse job in Kiel\n' | viva assistant chat --json talk.json
    """
    _check_language(language)
    check_targets(output.targets, [])
    settings_in_force()
    from vivavoce.assistant import State
    from vivavoce.assistant.finding import load_assistant

    assistant = load_assistant(name)
    console = Console(highlight=False, quiet=not output.speaks)
    outcome = assistant.greet(language or "")
    show_outcome(console, outcome)
    turns = []
    state = State(language=language or "")
    buttons = {button.label.casefold(): button.send for button in outcome.buttons}
    for message in _read_messages():
        outcome = assistant.reply(state, buttons.get(message.casefold(), message))
        state = outcome.state
        buttons = {button.label.casefold(): button.send for button in outcome.buttons}
        if not sys.stdin.isatty():
            console.print(Text(f"> {message}", style="bold"))
        show_outcome(console, outcome, explain=explain)
        turns.append((message, outcome))
    if output.json_path:
        write_content(output.json_path, describe_talk(turns))
    tell_written(output)


def describe_talk(turns: Sequence[tuple[str, Outcome]]) -> dict[str, Any]:
    """Return a talk as JSON: each message, what it was taken for, and the reply."""
    described = [
        {"message": message, "stage": outcome.stage, "intent": outcome.intent, "reply": list(outcome.lines)}
        for message, outcome in turns
    ]
    return {**head("assistant-talk"), "turns": described}


def _read_messages() -> Iterator[str]:
    while True:
        try:
            message = input("> " if sys.stdin.isatty() else "").strip()
        except EOFError:
            return
        if not message and sys.stdin.isatty():
            return
        if message:
            yield message


def show_outcome(console: Console, outcome: Outcome, *, explain: bool = False) -> None:
    """Print what the assistant says, its buttons and, if wanted, why."""
    for line in outcome.lines:
        console.print(Text(line), soft_wrap=not console.is_terminal)
    if outcome.buttons:
        console.print(Text("  ".join(f"[{button.label}]" for button in outcome.buttons), style="cyan"))
    if explain:
        guesses = {"general": outcome.general, "faq": outcome.faq}
        parts = [f"language {outcome.language}", f"stage {outcome.stage}"]
        parts += [
            f"{stage} " + ", ".join(f"{guess.intent} {guess.confidence:.2f}" for guess in listed)
            for stage, listed in guesses.items()
            if listed
        ]
        parts += [f"{name}={value}" for name, value in outcome.slots.items()]
        parts += [f"hand-over: {outcome.hand_over}"] if outcome.hand_over else []
        console.print(Text(f"({'; '.join(parts)})", style="dim"), soft_wrap=not console.is_terminal)
    console.print()


@app.command()
def examine(
    file: Annotated[
        Path | None,
        argument("FILE", "Questions: CSV with `text`, `intent` (`oos`: nobody's) and perhaps `language`."),
    ] = None,
    *,
    assistant: Annotated[str, option("--assistant -a", "NAME", "Assistant to examine.", EXAM)] = DEMO,
    language: Language = None,
    general_only: Annotated[bool, option("--general-only", "", "Ask the general intents alone.", EXAM)] = False,
    output: Output,
) -> None:
    """Ask both stages questions whose intent is known: how many are right, and which stage was wrong?

    Without a file: the shipped test questions of the general intents, written apart from the training ones; the
    general intents are asked alone. With a file: both stages end to end.

    For example:

        viva assistant examine
        viva assistant examine --language zh --json -
        viva assistant examine visitors.csv --assistant my-company/
    """
    _check_language(language)
    check_targets(output.targets, [str(file)] if file else [])
    settings_in_force()
    from vivavoce.assistant import Stage
    from vivavoce.assistant.exam import examine_stages
    from vivavoce.assistant.finding import load_assistant
    from vivavoce.assistant.material import general_test, read_examples

    questions: list[Example] = []
    if file:
        questions += read_examples(file, language or "")
    else:
        for code in [language] if language else CODES:
            questions += general_test(code)
    stages = (Stage.GENERAL,) if general_only or not file else (Stage.GENERAL, Stage.FAQ)
    result = examine_stages(load_assistant(assistant), questions, stages=stages)
    publish(output, "assistant-exam", result.to_json(), lambda console: show_exam(console, result))


def _write(rate: Rate) -> str:
    from vivavoce.reports.shared.numbers import ENGLISH

    return f"{ENGLISH.share(rate.value)} ({ENGLISH.narrow(rate)})" if rate.n else "n/a"


def show_exam(console: Console, result: StageExam) -> None:
    """Print the findings as a table, and some mistakes."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, pad_edge=False)
    for title in ("Language", "Questions", "Right", "General", "Unseen", "FAQ", "Handed over", "Detected"):
        table.add_column(title)
    for row in result.findings:
        rates = (row.right, row.general, row.general_unseen, row.faq, row.handed_over, row.detected)
        table.add_row(row.language, str(row.questions), *map(_write, rates))
    console.print(table)
    wrong = {name: n for name, n in result.findings[0].verdicts.items() if n and name != "right"}
    console.print(f"\nMistakes by stage: {', '.join(f'{name} {n}' for name, n in wrong.items()) or 'none'}")
    for mistake in result.mistakes[:SHOWN_MISTAKES]:
        guess = mistake.guess or "handed over"
        console.print(Text(f"  {mistake.text}  ({mistake.language}; {mistake.intent or 'oos'} -> {guess})"))


@app.command()
def occupations(
    file: Annotated[
        Path | None, argument("FILE", "ESCO's CSV file of occupations, or a text with one a line.")
    ] = None,
    *,
    language: Annotated[
        str, option("--language", "|".join(CODES), "Language of the list.", complete=complete_choices(CODES))
    ] = "en",
    remove: Annotated[bool, option("--remove", "", "Remove your list of this language.")] = False,
    output: Output,
) -> None:
    """Add your own list of occupations to the shipped one; without a file, say what there is.

    In a text, `|` parts the names of one occupation, the usual one first. ESCO's tables have the columns
    `preferredLabel` and `altLabels`; if you use them, state: "This service uses the ESCO classification of the
    European Commission."

    For example:

        viva assistant occupations
        viva assistant occupations occupations_de.csv --language de
        viva assistant occupations --language de --remove
    """
    _check_language(language)
    check_targets(output.targets, [str(file)] if file else [])
    settings_in_force()
    from vivavoce.assistant.entities.own_lists import add_list, remove_list
    from vivavoce.assistant.entities.professions import own_list_path, read_lines

    if file and remove:
        raise UsageError("a file and --remove exclude each other", remedy="give one of them")
    if file:
        added = add_list(file, language)
        output.tell(f"{added.names:,} names of {added.occupations:,} occupations added: {added.path}")
    elif remove and not remove_list(language):
        tell(f"There was no list of your own for '{language}'.")
    known = {code: len(read_lines(code)) for code in CODES}
    own = {code: str(own_list_path(code)) for code in CODES if own_list_path(code).is_file()}

    def show(console: Console) -> None:
        for code, n in known.items():
            console.print(f"{code}: {n:,} occupations{f', among them yours: {own[code]}' if code in own else ''}")

    content = {"occupations": known, "own": own, **({"added": asdict(added)} if file else {})}
    publish(output, "assistant-occupations", content, show)


def _check_language(language: str | None) -> None:
    if language is not None and language not in CODES:
        raise UsageError(
            f"the assistant does not speak '{language}'.{nearest(language, CODES)}",
            remedy=f"choose one of: {', '.join(CODES)}",
        )
