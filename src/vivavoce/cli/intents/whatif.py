"""`viva intents whatif`: what an edit of the training data would bring."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from vivavoce.cli.intents.work import Task, Work
from vivavoce.cli.shared.options import (
    EXAM,
    OUTPUT,
    READING,
    Engine,
    File,
    Output,
    Patience,
    Reading,
    Scoring,
    declare,
    option_group,
    setting,
)
from vivavoce.errors import Fault, UsageError

if TYPE_CHECKING:
    from vivavoce.intents.whatif import Edit
    from vivavoce.records import Dataset

EDIT = "Edits"
MAX_ROWS = 100_000


@option_group
class Edits:
    """What is edited; several edits are made one after the other."""

    merge: tuple[str, str] | None = declare("A B", "Merge topic A into topic B.", EDIT)
    move: tuple[str, str] | None = declare(
        "ROWS TOPIC", "Move rows such as `3,7,12-15` to a topic, which may be new.", EDIT
    )
    split_topic: str | None = declare("TOPIC", "Split a topic into its two clusters.", EDIT, flags="--split")
    drop_intent: str | None = declare("TOPIC", "Drop a topic; its questions become out of scope.", EDIT)
    out_of_scope_rows: str | None = declare("ROWS", "Put rows such as `3,7,12-15` out of scope.", EDIT)
    add: tuple[str, Path] | None = declare(
        "TOPIC FILE", "Add the examples of a text file, one on each line, to a topic.", EDIT
    )
    rename: tuple[str, str] | None = declare("A NAME", "Give topic A another name.", EDIT)


@option_group
class PartReading(Reading):
    """How a file is read by a command that has another use for `--split`."""

    split: str | None = declare("NAME", "Use only rows with this value of `split`.", READING, flags="--only-split")


@option_group
class Rounds:
    """How often the data are divided, and on how many cores."""

    retries: Annotated[int | None, setting("retries", EXAM, "N")] = None
    test_fraction: Annotated[float | None, setting("test_fraction", EXAM, "0..1")] = None
    workers: Annotated[int | None, setting("workers", EXAM, "N")] = None


@option_group
class ForecastOutput(Output):
    """Where a forecast goes."""

    verbose: bool = declare("", "Show all questions that change.", OUTPUT, flags="--verbose -v", value=False)


def whatif(
    file: File,
    *,
    edits: Edits,
    engine: Engine,
    rounds: Rounds,
    scoring: Scoring,
    patience: Patience,
    output: ForecastOutput,
    reading: PartReading,
) -> None:
    """Forecast what an edit would change. The file is not modified.

    The data are examined before and after the edit on the same splits, which are not those of
    `viva intents examine`: a pair picked because it looked bad there would look better on any other splits.
    Rows have the numbers that other commands show. For a quick look: `--retries 5`.

    For example:

        viva intents whatif faq.csv --merge "Pay again" Pay
        viva intents whatif faq.csv --move 3,7,12-15 Holidays --json -
        viva intents whatif faq.csv --split Benefits --retries 5
        viva intents whatif faq.csv --drop-intent Smalltalk
        viva intents whatif faq.csv --out-of-scope-rows 40-44
    """
    work = Work.begin(file, Task(engine, patience, output, reading), rounds, scoring)
    from vivavoce.intents.whatif import forecast
    from vivavoce.reports.intents.whatif import show_forecast

    wanted = tuple(_build_edits(edits, work.data))
    if not wanted:
        raise UsageError("no edit given", remedy="use --merge, --move, --split, --drop-intent or another edit")
    names = ("retries", "threshold", "test_fraction", "seed", "workers")
    result = work.run(forecast, *names, edit=wanted)
    work.finish(result, lambda screen: show_forecast(screen, result, verbose=output.verbose))


def _build_edits(edits: Edits, data: Dataset) -> Iterator[Edit]:
    from vivavoce.intents import whatif

    moved = parse_rows({"--move": edits.move and edits.move[0], "--out-of-scope-rows": edits.out_of_scope_rows})
    if edits.merge:
        yield whatif.MergeTopics(*edits.merge)
    if edits.move:
        yield whatif.MoveExamples(moved["--move"], edits.move[1])
    if edits.split_topic is not None:
        yield whatif.propose_split(data, edits.split_topic)
    if edits.drop_intent is not None:
        yield whatif.RetireTopic(edits.drop_intent)
    if edits.out_of_scope_rows is not None:
        yield whatif.MarkOutOfScope(moved["--out-of-scope-rows"])
    if edits.add:
        yield whatif.AddExamples(edits.add[0], _read_lines(edits.add[1]))
    if edits.rename:
        yield whatif.RenameTopic(*edits.rename)


def parse_rows(texts: dict[str, str | None]) -> dict[str, tuple[int, ...]]:
    """Read row numbers such as `3,7,12-15` by option; name every part that is none."""
    rows: dict[str, tuple[int, ...]] = {}
    faults = []
    for flag, text in texts.items():
        numbers: list[int] = []
        for part in [] if text is None else text.split(","):
            first, _, last = part.strip().partition("-")
            span = [int(end) if end.isdecimal() else -1 for end in (first, last or first)]
            if not 0 <= span[0] <= span[1] <= span[0] + MAX_ROWS:
                faults.append(Fault(f"'{part.strip()}' is not a row or a range of rows", flag))
            else:
                numbers += range(span[0], span[1] + 1)
        rows[flag] = tuple(dict.fromkeys(numbers))
    if faults:
        raise UsageError("these rows cannot be read", faults=faults, remedy="write for example 3,7,12-15")
    return rows


def _read_lines(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the examples: {error}", where=f"--add {path}") from error
    return tuple(line.strip() for line in lines if line.strip())
