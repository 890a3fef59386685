"""What the reader must know before trusting the numbers: one sentence each, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.material import Material
from vivavoce.intents.record import ExamRecord
from vivavoce.intents.result import Inflation, Note
from vivavoce.intents.runner import AnyClassifier
from vivavoce.intents.splits import Setting, Singletons, SplitPlan

FEW_NEGATIVES = 30
PLAIN = Setting(0, 0.0)
CONSISTENCY = (
    "Cross-validation measures how consistent the training data are. It can be raised by deleting hard examples; "
    "only messages of real users, kept aside, estimate the quality in use."
)


def notes_of(
    findings: Sequence[SettingFindings],
    material: Material,
    plans: Mapping[Setting, SplitPlan],
    run: ExamRecord,
    *,
    engine: AnyClassifier,
    inflation: Inflation | None,
) -> tuple[Note, ...]:
    """Return every warning of an exam, the gravest first."""
    return (
        *(Note("failed", f"{failure} This retry is not counted.") for failure in run.failures),
        *_engine_notes(engine),
        *_setting_notes(findings),
        *_data_notes(material, plans, findings),
        *_inflation_notes(inflation),
        *(Note("excluded_row", note) for note in material.data.notes),
        *(Note("vectors", note[:1].upper() + note[1:] + ".") for note in getattr(engine, "notes", ())),
        Note("consistency", CONSISTENCY),
    )


def _engine_notes(engine: AnyClassifier) -> Iterator[Note]:
    if repeated := getattr(engine, "repeated", 0):
        yield Note("repeated", f"The engine failed now and then; {repeated} calls were made again and counted once.")


def _setting_notes(findings: Sequence[SettingFindings]) -> Iterator[Note]:
    for one in findings:
        negatives = one.counts.negatives
        if one.setting != PLAIN and not one.low_topics:
            small = (
                f"no topic has fewer than {one.setting.k} examples" if one.setting.k else "no topic can be held out"
            )
            yield Note("same_setting", f"Setting {one.setting} equals {PLAIN}: {small}, so it makes no negatives.")
        elif one.low_topics and negatives < FEW_NEGATIVES:
            yield Note(
                "few_negatives",
                f"Setting {one.setting} has only {negatives} negative examples from {len(one.low_topics)} small "
                "topics: its rejection figures are rough.",
            )


def _data_notes(
    material: Material, plans: Mapping[Setting, SplitPlan], findings: Sequence[SettingFindings]
) -> Iterator[Note]:
    plan = next(iter(plans.values()))
    single = [material.topics[code] for code in plan.singletons]
    if single:
        yield Note(
            "singletons",
            f"{_listed('topic', single)} with one example: {_SINGLETONS[plan.design.singletons]}.",
        )
    if len(material.repeated):
        yield Note(
            "duplicates",
            f"{len(material.repeated)} of {len(material)} examples have a near-duplicate; "
            "near-duplicates were kept on one side of every split.",
        )
    if len(material.contradictory):
        yield Note(
            "contradictions",
            f"{len(material.contradictory)} examples have a near-duplicate under another topic: "
            "the bot cannot get both right. `viva intents check` lists them.",
        )
    excluded = max((one.n_excluded for one in findings), default=0)
    if excluded:
        yield Note("excluded", f"{excluded} tests were left out because their near-duplicate was in training.")


_SINGLETONS = {
    Singletons.TRAIN: "trained but never tested",
    Singletons.TEST: "tested without ever being trained, so always wrong",
    Singletons.NEGATIVE: "used as negative examples",
    Singletons.DROP: "left out",
}


def _listed(noun: str, names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
    return f"{len(names)} {noun}{'s' if len(names) > 1 else ''} ({shown})"


def _inflation_notes(inflation: Inflation | None) -> Iterator[Note]:
    if inflation is not None and inflation.difference > 0.001:
        yield Note(
            "inflation",
            f"Without keeping near-duplicates together the accuracy would look about "
            f"{100 * inflation.difference:.1f} points better than it is.",
        )
