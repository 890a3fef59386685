"""What the reader must know before trusting the numbers: one sentence each, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from vivavoce.classifiers.linear import NO_WEIGHTS
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.material import Material
from vivavoce.intents.record import ExamRecord, UnitFailure
from vivavoce.intents.result import DataFacts, Inflation, Note
from vivavoce.intents.runner import AnyEngine
from vivavoce.intents.splits import Rows, Setting, Singletons, SplitPlan
from vivavoce.messages import join_and, say, say_count, sentence
from vivavoce.records import Dataset, is_out_of_scope

FEW_NEGATIVES = 30
FEW_EXAMPLES = 100
FEW_IN_A_TOPIC = 5
PLAIN = Setting(0, 0.0)
CONSISTENCY = say(
    "Cross-validation measures how consistent the training data are. It can be raised by deleting hard examples; "
    "only messages of real users, kept aside, estimate the quality in use."
)


def notes_of(
    findings: Sequence[SettingFindings],
    material: Material,
    plans: Mapping[Setting, SplitPlan],
    run: ExamRecord,
    *,
    engine: AnyEngine,
    inflation: Inflation | None,
    out_of_scope_share: float | None = None,
) -> tuple[Note, ...]:
    """Return every warning of an exam, the gravest first."""
    return (
        *(
            Note("failed", failure_text(failure) + " " + say("This retry is not counted."))
            for failure in run.failures
        ),
        *_engine_notes(engine),
        *_untestable_notes(material, findings),
        *_scope_notes(material.data),
        *_size_notes(material),
        *_largest_notes(DataFacts.of(material.data)),
        *_traffic_notes(findings, out_of_scope_share),
        *_lonely_notes(material, plans),
        *_setting_notes(findings),
        *_data_notes(material, plans, findings),
        *_inflation_notes(inflation),
        *(Note("excluded_row", note) for note in material.data.notes),
        *_vector_notes(engine),
        Note("consistency", CONSISTENCY),
    )


def _vector_notes(engine: AnyEngine) -> Iterator[Note]:
    for note in getattr(engine, "notes", ()):
        yield Note("no_vectors" if note == NO_WEIGHTS else "vectors", sentence(note))


def failure_text(failure: UnitFailure) -> str:
    """Say in one sentence which retry failed and why; what to do about it belongs to an error, not to a note."""
    lines = failure.reason.strip().splitlines() or ["no reason was given"]
    where = str(failure.key)
    return f"{where[:1].upper()}{where[1:]}: {lines[0].rstrip(' .:;')}."


def _engine_notes(engine: AnyEngine) -> Iterator[Note]:
    if repeated := getattr(engine, "repeated", 0):
        told = say(
            "The engine failed now and then; {repeated:,} calls were made again and counted once.", repeated=repeated
        )
        if repeated == 1:
            told = say("The engine failed now and then; 1 call was made again and counted once.")
        yield Note("repeated", told)


def _untestable_notes(material: Material, findings: Sequence[SettingFindings]) -> Iterator[Note]:
    """Say why nothing was tested, where near-duplicates are the reason: a group stands on one side of a split."""
    if not findings or any(one.counts.total for one in findings):
        return
    large = [code for code, size in enumerate(_sizes(material)) if size > 1]
    if all(len(np.unique(material.groups[material.labels == code])) == 1 for code in large):
        names = _named([material.topics[code] for code in large])
        yield Note(
            "untestable", say("Nothing could be tested: all examples of {names} are near-duplicates.", names=names)
        )


def _scope_notes(data: Dataset) -> Iterator[Note]:
    """Name the intents that were taken for out-of-scope messages, and topics that are perhaps such messages."""
    if data.recognised:
        yield Note("recognised", data.recognition)
    for topic in filter(is_out_of_scope, data.sizes):
        yield Note(
            "perhaps_out_of_scope",
            say(
                "'{topic}' is examined as a topic. If no topic fits its messages, mark them as out of scope.",
                topic=topic,
            ),
        )


def _size_notes(material: Material) -> Iterator[Note]:
    sizes = _sizes(material)
    total, median = int(sizes.sum()), float(np.median(sizes))
    if total < FEW_EXAMPLES or median < FEW_IN_A_TOPIC:
        yield Note(
            "few_examples",
            say(
                "Only {examples} in {topics} (median {median:g} a topic): take every number as a first impression.",
                examples=say_count(total, "{n} example", "{n} examples"),
                topics=say_count(len(sizes), "{n} topic", "{n} topics"),
                median=median,
            ),
        )


def _largest_notes(data: DataFacts) -> Iterator[Note]:
    if data.dominated and data.largest_share is not None:
        yield Note(
            "largest_topic",
            say(
                "'{largest_topic}' holds {largest_share:.0f} % of the examples and dominates every number that "
                "counts all questions alike: look at the mean over topics too.",
                largest_topic=data.largest_topic,
                largest_share=100 * data.largest_share,
            ),
        )


def _traffic_notes(findings: Sequence[SettingFindings], share: float | None) -> Iterator[Note]:
    """Say for which live traffic the mixed shares are weighed, or why they are not."""
    if share is None or not findings:
        return
    if all(one.out_of_scope_share is None for one in findings):
        yield Note(
            "traffic",
            say(
                "An out-of-scope share of {share:g} % could not be taken into account: no out-of-scope question was "
                "tested. Add such messages to the data, or the setting 0,0.15.",
                share=100 * share,
            ),
        )
        return
    yield Note(
        "traffic",
        say(
            "Shares of all questions are weighted for traffic of which {share:g} % is out of scope.",
            share=100 * share,
        ),
    )
    for one in findings:
        if one.negatives_from is not None and one.same_as is None:
            yield Note(
                "traffic",
                say(
                    "Setting {setting} asks no out-of-scope question of its own; those of setting {negatives_from} "
                    "stand in. Questions of topics held out are harder to decline than most: real "
                    "out-of-scope messages in the data make this estimate better.",
                    setting=one.setting,
                    negatives_from=one.negatives_from,
                ),
            )


def _sizes(material: Material) -> Rows:
    return np.bincount(material.labels[material.labels >= 0], minlength=len(material.topics))


def _lonely_notes(material: Material, plans: Mapping[Setting, SplitPlan]) -> Iterator[Note]:
    """Name the settings in which a bot had nothing to tell apart."""
    for setting, plan in plans.items():
        if plan.is_plain and setting != PLAIN and PLAIN in plans:
            continue
        # Only small topics and topics with one example are ever missing from training: mostly too few to matter.
        if len(material.topics) - len(plan.low_topics()) - len(plan.singletons) >= 2:
            continue
        lonely = sum(len(np.unique(material.labels[split.train])) < 2 for split in plan)
        if lonely:
            yield Note(
                "one_topic",
                say(
                    "Setting {setting} trains fewer than 2 topics in {lonely:,} of {count:,} retries: a bot that has "
                    "nothing to tell apart shows little.",
                    setting=setting,
                    lonely=lonely,
                    count=len(plan),
                ),
            )


def _setting_notes(findings: Sequence[SettingFindings]) -> Iterator[Note]:
    for one in findings:
        negatives = one.counts.negatives
        if one.setting != PLAIN and not one.low_topics:
            fewer = say("no topic has fewer than {k} examples", k=one.setting.k)
            small = fewer if one.setting.k else say("no topic can be held out")
            yield Note(
                "same_setting",
                say(
                    "Setting {setting} equals {plain}: {small}, so it makes no negatives.",
                    setting=one.setting,
                    plain=PLAIN,
                    small=small,
                ),
            )
        elif one.low_topics and negatives < FEW_NEGATIVES:
            yield Note(
                "few_negatives",
                say(
                    "Setting {setting} has only {negative_examples} from {small_topics}: its rejection figures are "
                    "rough.",
                    setting=one.setting,
                    negative_examples=say_count(negatives, "{n} negative example", "{n} negative examples"),
                    small_topics=say_count(len(one.low_topics), "{n} small topic", "{n} small topics"),
                ),
            )


def _data_notes(
    material: Material, plans: Mapping[Setting, SplitPlan], findings: Sequence[SettingFindings]
) -> Iterator[Note]:
    plan = next(iter(plans.values()))
    single = [material.topics[code] for code in plan.singletons]
    if single:
        names, used = _listed(single), _SINGLETONS[plan.design.singletons]
        yield Note(
            "singletons",
            say(
                "{topics} ({names}) with one example: {used}.",
                topics=say_count(len(single), "{n} topic", "{n} topics"),
                names=names,
                used=used,
            ),
        )
    if len(material.repeated):
        yield Note(
            "duplicates",
            say(
                "{count:,} of {count2:,} examples have a near-duplicate; near-duplicates were kept on one side of "
                "every split.",
                count=len(material.repeated),
                count2=len(material),
            ),
        )
    if len(material.contradictory):
        yield Note(
            "contradictions",
            say(
                "{count:,} examples have a near-duplicate under another topic: the bot cannot get both right.",
                count=len(material.contradictory),
            ),
        )
    excluded = max((one.n_excluded for one in findings), default=0)
    if excluded:
        told = say(
            "{excluded:,} tests were left out because their near-duplicate was in training.", excluded=excluded
        )
        one = say("1 test was left out because its near-duplicate was in training.")
        yield Note("excluded", one if excluded == 1 else told)


_SINGLETONS = {
    Singletons.TRAIN: say("trained but never tested"),
    Singletons.TEST: say("tested without ever being trained, so always wrong"),
    Singletons.NEGATIVE: say("used as negative examples"),
    Singletons.DROP: say("left out"),
}


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else say("{shown} and {n:,} more", shown=shown, n=len(names) - most)


def _named(names: Sequence[str], most: int = 5) -> str:
    """Join names as in a sentence."""
    parts = [f"'{name}'" for name in names[:most]]
    parts += [say_count(len(names) - most, "{n} more topic", "{n} more topics")] if len(names) > most else []
    return join_and(parts)


def _inflation_notes(inflation: Inflation | None) -> Iterator[Note]:
    if inflation is not None and inflation.difference > 0.001:
        yield Note(
            "inflation",
            say(
                "Without keeping near-duplicates together the accuracy would look about {difference:.1f} "
                "points{range} better than it is.",
                difference=100 * inflation.difference,
                range=_range(inflation),
            ),
        )


def _range(inflation: Inflation) -> str:
    if inflation.low is None or inflation.high is None:
        return ""
    return " (" + say("{low:.1f} to {high:.1f}", low=100 * inflation.low, high=100 * inflation.high) + ")"
