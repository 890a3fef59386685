"""`viva classifiers`: list classifiers, and check that one keeps the rules."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console
from rich.text import Text

from vivavoce.cli.shared.completion import complete_classifier
from vivavoce.cli.shared.material import classifier_name, settings_in_force
from vivavoce.cli.shared.options import CommandGroup, JsonPath, Output, Quiet, argument
from vivavoce.cli.shared.progress import progress_bar
from vivavoce.cli.shared.results import check_targets, publish
from vivavoce.errors import ClassifierError, MissingPartError, UsageError, VivaError

if TYPE_CHECKING:
    from vivavoce.classifiers import Classifier
    from vivavoce.nexcv.classifiers import Trainable

RULES_BROKEN = 1
app = CommandGroup("classifiers", invoke_without_command=True, no_args_is_help=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the list. `ready` with an `option` needs that option, not an installation."""

    name: str
    summary: str
    origin: str
    ready: bool
    missing: str = ""
    option: str = ""


@app.callback()
def classifiers(ctx: typer.Context, json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """List the classifiers, or check your own.

    Exit codes: 0 success · 1 the checked classifier breaks a rule · 2 it does not exist or a part is missing ·
    3 it failed.

    For example:

        viva classifiers
        viva classifiers --json -
        viva classifiers check python:mybot:Wrapper
    """
    if ctx.invoked_subcommand is not None:
        return
    output = Output(json_path, quiet)
    check_targets(output.targets)
    settings_in_force()
    from vivavoce import plugins
    from vivavoce.reports.shared.layout import numbers_table

    entries = [_describe(*row) for row in plugins.describe(plugins.CLASSIFIERS)]
    problems = list(plugins.problems(plugins.CLASSIFIERS))

    def show(console: Console) -> None:
        rows = [
            (
                Text(entry.name, style="bold"),
                entry.summary,
                f"yes, with an option: {entry.option}"
                if entry.option
                else "yes"
                if entry.ready
                else Text(f"no: {entry.missing}", style="yellow"),
                entry.origin,
            )
            for entry in entries
        ]
        console.print(numbers_table(("Name", "Description", "Ready", "From"), rows, words=4))
        for problem in problems:
            console.print(Text(f"Note: {problem}."))

    publish(output, "classifiers", {"classifiers": [asdict(row) for row in entries], "problems": problems}, show)


def _describe(name: str, origin: str, summary: str) -> Entry:
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


@app.command()
def check(
    name: Annotated[str, argument("NAME", "Classifier, as `kind` or `kind:option`.", complete_classifier)],
    *,
    output: Output,
) -> None:
    """Train a classifier on eight texts, ask it, and train it again: does it learn, answer and forget?

    It loses what it knew. Exit codes: 0 it keeps the rules · 1 it breaks one · 2 it does not exist or a part
    is missing · 3 it failed.

    For example:

        viva classifiers check linear
        viva classifiers check python:mybot:Wrapper
        viva classifiers check sklearn:sklearn.svm.LinearSVC --json -
    """
    check_targets(output.targets)
    chosen = classifier_name(name, settings_in_force())
    with progress_bar(output.quiet) as progress:
        progress(f"checking {chosen}", 0, 1)
        title, violations, seconds = find_violations(chosen)

    def show(console: Console) -> None:
        if not violations:
            console.print(Text(f"{title} trains, answers and forgets as an exam expects."))
            return
        console.print(Text(f"{title} breaks {len(violations)} rule{'s' if len(violations) > 1 else ''}:"))
        for violation in violations:
            console.print(Text(f"  - {violation}"))

    content = {"passed": not violations, "classifier": title, "violations": violations, "seconds": seconds}
    publish(output, "classifier-check", content, show)
    if violations:
        raise typer.Exit(RULES_BROKEN)


def find_violations(name: str) -> tuple[str, list[str], float]:
    """Check a classifier with the classic rounds and further ones: its title, violated rules, and the seconds."""
    from vivavoce.classifiers import Classifier, FourMethodClassifier
    from vivavoce.intents.exam import load_classifier
    from vivavoce.nexcv.classifiers import further_violations, round_violations

    classifier = load_classifier(name)
    if isinstance(classifier, FourMethodClassifier) and hasattr(classifier.engine, "fit"):
        trainable = cast("Trainable", classifier.engine)
    elif isinstance(classifier, Classifier):
        trainable = _SingleTexts(classifier)
    else:
        raise UsageError(f"'{name}' has no `fit` and `guess`, so only an exam can test it")
    begin = time.perf_counter()
    try:
        violations = [*round_violations(trainable), *further_violations(trainable)]
    except VivaError:
        raise
    except Exception as error:  # whatever the engine raises
        raise ClassifierError(
            f"'{name}' failed: {type(error).__name__}: {error}", remedy="fix it and check it again"
        ) from error
    return classifier.name, list(dict.fromkeys(violations)), time.perf_counter() - begin


class _SingleTexts:
    """A classifier with the interface of nex-cv, which asks one text at a time."""

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
