"""`viva classifiers`: what can be examined, and whether it keeps the rules."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from vivavoce.cli.shared.completion import complete_classifier
from vivavoce.cli.shared.material import classifier_name, settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import ClassifierError, MissingPartError, UsageError, VivaError

if TYPE_CHECKING:
    from vivavoce.classifiers import Classifier
    from vivavoce.nexcv.contract import Trainable

RULES_BROKEN = 1
app = typer.Typer(name="classifiers", invoke_without_command=True, rich_markup_mode="markdown")


@dataclass(frozen=True, slots=True)
class Entry:
    """A classifier as the list shows it. `ready` with an `option` needs that option, not an installation."""

    name: str
    summary: str
    origin: str
    ready: bool
    missing: str = ""
    option: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found."""

    classifier: str
    violations: tuple[str, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether the classifier keeps the rules."""
        return not self.violations


@app.callback()
def classifiers(ctx: typer.Context, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """List what can be examined, or check a classifier of your own.

    Exit codes: 0 fine · 1 the checked classifier breaks a rule · 2 it does not exist or a part is missing ·
    3 it failed.

    For example:

        viva classifiers

        viva classifiers --json -

        viva classifiers check python:mybot:Wrapper
    """
    if ctx.invoked_subcommand is not None:
        return
    check_targets({"--json": json_path})
    settings_in_force()
    from vivavoce import plugins

    entries = listed()
    hidden = plugins.problems(plugins.CLASSIFIERS)
    if json_path:
        rows = [asdict(entry) for entry in entries]
        write_content(json_path, {**head("classifiers"), "classifiers": rows, "problems": list(hidden)})
    if not quiet and json_path != "-":
        _show(Screen(), entries, hidden)


@app.command()
def check(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Classifier, as `kind` or `kind:option`.", autocompletion=complete_classifier
        ),
    ],
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Train a classifier on eight texts, ask it, and train it anew: does it learn, answer and forget?

    It loses what it knew. Exit codes: 0 it keeps the rules · 1 it breaks one · 2 it does not exist or a part
    is missing · 3 it failed.

    For example:

        viva classifiers check linear

        viva classifiers check python:mybot:Wrapper

        viva classifiers check sklearn:sklearn.svm.LinearSVC --json -
    """
    check_targets({"--json": json_path})
    verdict = checked(classifier_name(name, settings_in_force()))
    if json_path:
        content = {field.name: getattr(verdict, field.name) for field in fields(verdict)}
        write_content(json_path, {**head("classifier-check"), "passed": verdict.passed, **content})
    if not quiet and json_path != "-":
        _show_verdict(Screen(), verdict)
    if not verdict.passed:
        raise typer.Exit(RULES_BROKEN)


# --- the list ----------------------------------------------------------------------------------------------


def listed() -> list[Entry]:
    """Return every classifier with what it lacks, if anything."""
    from vivavoce import plugins

    return [_entry(*row) for row in plugins.describe(plugins.CLASSIFIERS)]


def _entry(name: str, origin: str, summary: str) -> Entry:
    from vivavoce.intents.exam import load_classifier

    try:
        load_classifier(name)
    except UsageError as error:
        return Entry(name, summary, origin, True, option=error.remedy)
    except MissingPartError as error:
        return Entry(name, summary, origin, False, missing=f"{error.what}; {error.remedy}")
    except Exception as error:  # a plug-in may raise anything, and breaks no other
        return Entry(name, summary, origin, False, missing=f"{type(error).__name__}: {error}")
    return Entry(name, summary, origin, True)


def _show(console: Console, entries: Iterable[Entry], hidden: Sequence[str]) -> None:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, pad_edge=False)
    table.add_column("Name", no_wrap=True)
    table.add_column("What it is", overflow="fold", max_width=60)
    table.add_column("Ready", overflow="fold", max_width=50)
    table.add_column("From", overflow="fold")
    for entry in entries:
        table.add_row(Text(entry.name, style="bold"), Text(entry.summary), _ready(entry), Text(entry.origin))
    console.print(table)
    for sentence in hidden:
        console.print(Text(f"Note: {sentence}."))


def _ready(entry: Entry) -> Text:
    if not entry.ready:
        return Text(f"no: {entry.missing}", style="yellow")
    return Text(f"yes, with an option: {entry.option}" if entry.option else "yes")


# --- the check ---------------------------------------------------------------------------------------------


class _Rounds:
    """A classifier as the classic rounds ask it: one text at a time."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._intents: list[str] = []

    def fit(self, X: list[str], y: list[Any], /) -> None:
        self._classifier.fit(X, y)
        self._intents = sorted(set(y))

    def all_intents(self) -> list[str]:
        return self._intents

    def create_intent(self, intent: Any, examples: list[str], /) -> None:
        raise NotImplementedError

    def delete_intent(self, intent: Any, /) -> None:
        raise NotImplementedError

    def classify(self, text: str, /) -> list[dict[str, Any]]:
        guess = self._classifier.guess([text])[0]
        return [] if guess.intent is None else [{"intent_id": guess.intent, "confidence": guess.confidence}]


def checked(name: str) -> Verdict:
    """Check the classifier of this name with the classic rounds and the further ones."""
    from vivavoce.nexcv.contract import further_violations, round_violations

    title, engine = _trainable(name)
    begin = time.perf_counter()
    try:
        violations = [*round_violations(engine), *further_violations(engine)]
    except VivaError:
        raise
    except Exception as error:  # whatever the engine raises
        raise ClassifierError(
            f"'{name}' failed: {type(error).__name__}: {error}", remedy="correct it, and check it again"
        ) from error
    return Verdict(title, tuple(dict.fromkeys(violations)), time.perf_counter() - begin)


def _trainable(name: str) -> tuple[str, Trainable]:
    from vivavoce.classifiers import Classifier, FourMethodClassifier
    from vivavoce.intents.exam import load_classifier

    made = load_classifier(name)
    if isinstance(made, FourMethodClassifier) and hasattr(made.engine, "fit"):
        return made.name, cast("Trainable", made.engine)
    if not isinstance(made, Classifier):
        raise UsageError(f"'{name}' has no `fit` and `guess`, so only an exam can try it")
    return made.name, _Rounds(made)


def _show_verdict(console: Console, verdict: Verdict) -> None:
    if verdict.passed:
        console.print(Text(f"{verdict.classifier} learns, answers and forgets as an exam expects."))
        return
    count = len(verdict.violations)
    console.print(Text(f"{verdict.classifier} breaks {count} rule{'s' if count > 1 else ''}:"))
    for violation in verdict.violations:
        console.print(Text(f"  - {violation}"))
