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
from vivavoce.intents.splits import Setting, Singletons, SplitPlan
from vivavoce.messages import join_and, say, say_count, sentence
from vivavoce.records import is_out_of_scope

FEW_NEGATIVES = 30
# From this gap between confidence and truth on, a confidence is no probability; fewer tests cannot show one.
MISCALIBRATED, ENOUGH_TESTS = 0.15, 100
FEW_EXAMPLES = 100
FEW_IN_A_TOPIC = 5
MAX_NAMES = 5
PLAIN = Setting(0, 0.0)
CONSISTENCY = say(
    "Cross-validation measures how consistent the training data are. Deleting hard examples raises "
    "it; only held-out messages from real users estimate quality in use."
)
_SINGLETONS = {
    Singletons.TRAIN: say("trained but never tested"),
    Singletons.TEST: say("tested but never trained, so always wrong"),
    Singletons.NEGATIVE: say("used as out-of-scope examples"),
    Singletons.DROP: say("left out"),
}


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
    uncounted = say("This round is not counted.")
    failed = [Note("failed", failure_text(failure) + " " + uncounted) for failure in run.failures]
    repeated = getattr(engine, "repeated", 0)
    again = say(
        "The classifier failed occasionally; {repeated:,} calls were retried and counted once.", repeated=repeated
    )
    if repeated == 1:
        again = say("The classifier failed occasionally; 1 call was retried and counted once.")
    return (
        *failed,
        *([Note("repeated", again)] if repeated else []),
        *_material_notes(material, findings),
        *_traffic_notes(findings, out_of_scope_share),
        *_calibration_notes(findings),
        *_lonely_notes(material, plans),
        *_setting_notes(findings),
        *_data_notes(material, plans, findings),
        *_inflation_notes(inflation),
        *(Note("excluded_row", note) for note in material.data.notes),
        *(
            Note("no_vectors" if note == NO_WEIGHTS else "vectors", sentence(note))
            for note in getattr(engine, "notes", ())
        ),
        Note("consistency", CONSISTENCY),
    )


def failure_text(failure: UnitFailure) -> str:
    """Say in one sentence which retry failed and why; what to do about it belongs to an error, not to a note."""
    lines = failure.reason.strip().splitlines() or ["no reason given"]
    where = str(failure.key)
    return f"{where[:1].upper()}{where[1:]}: {lines[0].rstrip(' .:;')}."


def _material_notes(material: Material, findings: Sequence[SettingFindings]) -> Iterator[Note]:
    data, facts = material.data, DataFacts.of(material.data)
    sizes = np.bincount(material.labels[material.labels >= 0], minlength=len(material.topics))
    large = [code for code, size in enumerate(sizes) if size > 1]
    untested = findings and not any(setting.counts.total for setting in findings)
    # Near-duplicates are the reason where each topic is a single group, which is on one side of a split.
    if untested and all(len(np.unique(material.groups[material.labels == code])) == 1 for code in large):
        names = [f"'{material.topics[code]}'" for code in large[:MAX_NAMES]]
        if len(large) > MAX_NAMES:
            names.append(say_count(len(large) - MAX_NAMES, "{n} more topic", "{n} more topics"))
        yield Note(
            "untestable",
            say("Nothing could be tested: all examples of {names} are near-duplicates.", names=join_and(names)),
        )
    if data.recognised:
        yield Note("recognised", data.recognition)
    for topic in filter(is_out_of_scope, data.sizes):
        message = say(
            "'{topic}' is tested as a topic. If its messages fit no topic, mark them as out of scope.", topic=topic
        )
        yield Note("perhaps_out_of_scope", message)
    total, median = int(sizes.sum()), float(np.median(sizes))
    if total < FEW_EXAMPLES or median < FEW_IN_A_TOPIC:
        message = say(
            "Only {examples} in {topics} (median {median:g} per topic): treat every number as a first impression.",
            examples=say_count(total, "{n} example", "{n} examples"),
            topics=say_count(len(sizes), "{n} topic", "{n} topics"),
            median=median,
        )
        yield Note("few_examples", message)
    if facts.dominated and facts.largest_share is not None:
        message = say(
            "'{largest_topic}' has {largest_share:.0f} % of the examples and dominates every "
            "number that weighs all questions equally: check the mean over topics too.",
            largest_topic=facts.largest_topic,
            largest_share=100 * facts.largest_share,
        )
        yield Note("largest_topic", message)


def _traffic_notes(findings: Sequence[SettingFindings], share: float | None) -> Iterator[Note]:
    """Say for which live traffic the mixed shares are weighed, or why they are not."""
    if share is None or not findings:
        return
    if all(setting.out_of_scope_share is None for setting in findings):
        message = say(
            "The out-of-scope share of {share:g} % could not be applied: no out-of-scope questions "
            "were tested. Add such messages to the data, or add the setting 0,0.15.",
            share=100 * share,
        )
        yield Note("traffic", message)
        return
    message = say(
        "Shares of all questions are weighted for traffic with {share:g} % out-of-scope questions.", share=100 * share
    )
    yield Note("traffic", message)
    for setting in findings:
        if setting.negatives_from is not None and setting.same_as is None:
            message = say(
                "Setting {setting} has no out-of-scope questions; those of setting "
                "{negatives_from} are used instead. Questions about held-out topics are harder to "
                "decline than most: add real out-of-scope messages to the data for a better "
                "estimate.",
                setting=setting.setting,
                negatives_from=setting.negatives_from,
            )
            yield Note("traffic", message)


def _calibration_notes(findings: Sequence[SettingFindings]) -> Iterator[Note]:
    """Say where a classifier's confidence is far from how often it is right."""
    bins = findings[0].bins if findings else ()
    total = sum(part.n for part in bins)
    if total < ENOUGH_TESTS:
        return
    gap = sum(abs(part.confidence - part.right) * part.n for part in bins) / total
    stated, right = (sum(getattr(part, name) * part.n for part in bins) / total for name in ("confidence", "right"))
    if gap >= MISCALIBRATED:
        message = say(
            "This classifier is badly calibrated: on average its confidence is {stated:.0f} %, and {right:.0f} % of "
            "its guesses are right. Choose its threshold by the curve, and do not compare its confidence with "
            "that of another classifier.",
            stated=100 * stated,
            right=100 * right,
        )
        yield Note("calibration", message)


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
            message = say(
                "Setting {setting} trains on fewer than 2 topics in {lonely:,} of {count:,} "
                "rounds: with nothing to tell apart, the result says little.",
                setting=setting,
                lonely=lonely,
                count=len(plan),
            )
            yield Note("one_topic", message)


def _setting_notes(findings: Sequence[SettingFindings]) -> Iterator[Note]:
    for setting in findings:
        negatives, k = setting.counts.negatives, setting.setting.k
        if setting.setting != PLAIN and not setting.low_topics:
            small = say("no topic has fewer than {k} examples", k=k) if k else say("no topic can be held out")
            message = say(
                "Setting {setting} equals {plain}: {small}, so it has no out-of-scope questions.",
                setting=setting.setting,
                plain=PLAIN,
                small=small,
            )
            yield Note("same_setting", message)
        elif setting.low_topics and negatives < FEW_NEGATIVES:
            message = say(
                "Setting {setting} has only {negative_examples} from {small_topics}: its decline "
                "rates are imprecise.",
                setting=setting.setting,
                negative_examples=say_count(negatives, "{n} out-of-scope example", "{n} out-of-scope examples"),
                small_topics=say_count(len(setting.low_topics), "{n} small topic", "{n} small topics"),
            )
            yield Note("few_negatives", message)


def _data_notes(
    material: Material, plans: Mapping[Setting, SplitPlan], findings: Sequence[SettingFindings]
) -> Iterator[Note]:
    plan = next(iter(plans.values()))
    single = [material.topics[code] for code in plan.singletons]
    if single:
        names = ", ".join(single[:MAX_NAMES])
        if len(single) > MAX_NAMES:
            names = say("{shown} and {n:,} more", shown=names, n=len(single) - MAX_NAMES)
        message = say(
            "{topics} ({names}) with one example: {used}.",
            topics=say_count(len(single), "{n} topic", "{n} topics"),
            names=names,
            used=_SINGLETONS[plan.design.singletons],
        )
        yield Note("singletons", message)
    if len(material.repeated):
        message = say(
            "{count:,} of {count2:,} examples have a near-duplicate; each split keeps "
            "near-duplicates on the same side.",
            count=len(material.repeated),
            count2=len(material),
        )
        yield Note("duplicates", message)
    if len(material.contradictory):
        message = say(
            "{count:,} examples have a near-duplicate in another topic: the bot cannot get both right.",
            count=len(material.contradictory),
        )
        yield Note("contradictions", message)
    excluded = max((setting.n_excluded for setting in findings), default=0)
    if excluded:
        message = say(
            "{excluded:,} tests were skipped because a near-duplicate was in the training data.", excluded=excluded
        )
        if excluded == 1:
            message = say("1 test was skipped because a near-duplicate was in the training data.")
        yield Note("excluded", message)


def _inflation_notes(inflation: Inflation | None) -> Iterator[Note]:
    if inflation is not None and inflation.difference > 0.001:
        low, high, interval = inflation.low, inflation.high, ""
        if low is not None and high is not None:
            interval = " (" + say("{low:.1f} to {high:.1f}", low=100 * low, high=100 * high) + ")"
        message = say(
            "If near-duplicates were not kept together, accuracy would look about {difference:.1f} "
            "points{range} better than it is.",
            difference=100 * inflation.difference,
            range=interval,
        )
        yield Note("inflation", message)
