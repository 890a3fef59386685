"""The findings of a dialogues exam in sentences: the same words in terminal, page and notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vivavoce import messages
from vivavoce.dialogues.dialogue import Utterance
from vivavoce.dialogues.following import LEAST_MARKS, follows_sentence, help_sentences, judged
from vivavoce.dialogues.passport import drift_sentence
from vivavoce.dialogues.result import (
    Agreement,
    DialoguesResult,
    Origin,
    Passport,
    Recalibration,
    Score,
)
from vivavoce.dialogues.scored import MIN_SCORES, ScoredDialogue, mean_score, pair_scores
from vivavoce.errors import plural
from vivavoce.messages import Message, join, join_and, say, say_count
from vivavoce.records import Rate
from vivavoce.reports.dialogues.meanings import range_text, title_of_test
from vivavoce.reports.shared.numbers import interval_text, rate_text, score_text, signed

OF_THIS_LOG = "of this log"
NOT_YET = say("You cannot compare bots with these scores yet.")
# What an agreement counts: a log has one mean mark for each talk, a rater learnt from every single mark.
Counted = Literal["talk", "mark"]
# The tests of an origin that are told in one sentence; its table has all of them.
_TOLD = {
    "overall": say("{rate} in all"),
    "human-bot": say("{rate} with bots"),
    "unseen-bot": say("{rate} with bots it had never met"),
}


# --- one dialogue ------------------------------------------------------------------------------------------------


def role_of(utterance: Utterance) -> str:
    """Return who speaks: bot or person where the log says so, else the speaker's name."""
    if utterance.is_bot is None:
        return utterance.speaker or "?"
    return say("bot") if utterance.is_bot else say("person")


def effects_of(talk: ScoredDialogue) -> dict[int, float]:
    """Return how far each message moved the score, by the number of the message."""
    return {turn.number: turn.effect for turn in talk.score.turns}


# --- the first sentences -----------------------------------------------------------------------------------------


def headline(result: DialoguesResult) -> str:
    """Return the sentence that a report begins with: may bots be compared with these scores?"""
    if not any(talk.value is not None for talk in pair_scores(result)):
        return _nothing(result)
    if result.passport.may_compare:
        return say("You can compare bots with these scores.")
    return NOT_YET


def _nothing(result: DialoguesResult) -> str:
    if not result.scores:
        return say("Nothing could be scored: there are no dialogues.")
    return say(
        "Nothing could be scored: {dialogues} read, none of them with a score.",
        dialogues=say_count(len(result.scores), "{n} dialogue", "{n} dialogues"),
    )


def because(result: DialoguesResult) -> str:
    """Say why bots may be compared or not, and what to do next."""
    verdict = result.passport.verdict
    # The headline says the rest of it.
    because = verdict.values.get("because") if isinstance(verdict, Message) else None
    return sentence(because if isinstance(because, str) else verdict)


def drift_warning(passport: Passport) -> str:
    """Warn of a log that is another kind of talk than what the rater learnt from; nothing where it is not."""
    return drift_sentence(passport.drift) if passport.drift is not None and passport.drift.differs else ""


def counts_sentence(result: DialoguesResult) -> str:
    """Say how many dialogues were read, scored, refused and marked by people."""
    total = len(result.scores)
    kept = sum(talk.value is not None for talk in pair_scores(result))
    marked = sum(dialogue.quality is not None for dialogue in result.dialogues)
    told = [f"{plural(total, 'dialogue')} read", f"{kept:,} scored"]
    told += [f"{total - kept:,} refused"] if total > kept else []
    told += [f"{marked:,} marked by people" if marked else "none marked by people"]
    return f"{', '.join(told)}."


def mean_sentence(talks: Sequence[ScoredDialogue]) -> str:
    """Say what the scores come to."""
    mean = mean_score(talks)
    if mean.value is None:
        return "There is no score."
    few = "" if mean.n >= MIN_SCORES else ", too few for an interval"
    return f"Mean score {rate_text(mean, 'score')}{few}, on a scale from 1 (bad) to 5 (good)."


def sentence(text: str) -> str:
    """Return a remark as a sentence: a capital first and a stop last."""
    return messages.sentence(text)


# --- its score -----------------------------------------------------------------------------------------------------


def score_line(talk: ScoredDialogue) -> str:
    """Return score and range of a talk, or that it has none."""
    if talk.value is None:
        return "no score"
    around = range_text(talk.score.low, talk.score.high)
    return score_text(talk.value) + (f" ({around})" if around else "")


def talk_facts(talk: ScoredDialogue) -> str:
    """Return what else is known of a talk: its bot, people's mark, scripted checks."""
    dialogue, mark = talk.dialogue, talk.dialogue.quality
    checks = {None: "", True: "checks passed", False: "checks failed"}[dialogue.passed]
    marked = f"people's mark {mark:.3g}" if mark is not None else ""
    said = say_count(len(dialogue.turns), "{n} message", "{n} messages")
    return ", ".join(part for part in (f"bot {dialogue.bot}" if dialogue.bot else "", said, marked, checks) if part)


def reason_lines(score: Score) -> list[str]:
    """Return the reasons, the strongest first, each with its effect."""
    ordered = sorted(score.reasons, key=lambda reason: -abs(reason.effect))
    return [f"{signed(reason.effect)}: {reason.text}" for reason in ordered]


def range_sentence(score: Score) -> str:
    """Say how sure the score of one talk is."""
    if score.low is None or score.high is None:
        return ""
    return f"In 8 of 10 cases a person's mark for such a talk lies between {score.low:.1f} and {score.high:.1f}."


# --- what was left out -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """What several dialogues have in common, and which they are."""

    text: str
    ids: tuple[str, ...]


def refusals(result: DialoguesResult) -> list[Group]:
    """Return why dialogues were refused, the most frequent reason first."""
    refused = [talk.score for talk in pair_scores(result) if talk.value is None]
    return _grouped((score.refusal or "no reason given", score.id) for score in refused)


def cautions(result: DialoguesResult) -> list[Group]:
    """Return what scores are to be taken with care for, the most frequent first."""
    kept = [talk.score for talk in pair_scores(result) if talk.value is not None]
    return _grouped((warning, score.id) for score in kept for warning in score.warnings)


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[Group]:
    found: dict[str, list[str]] = {}
    for text, name in pairs:
        found.setdefault(text, []).append(name)
    groups = [Group(text, tuple(ids)) for text, ids in found.items()]
    return sorted(groups, key=lambda group: -len(group.ids))


def some_names(names: Sequence[str], most: int = 5) -> str:
    """Return a few names and how many more there are."""
    shown = join(", ", names[:most])
    return shown if len(names) <= most else say("{shown} and {n:,} more", shown=shown, n=len(names) - most)


# --- trust -------------------------------------------------------------------------------------------------------


def origin_sentence(origin: Origin | None) -> str:
    """Say what the rater learnt from, and how well it follows people there."""
    return join(" ", [part for part in (learnt_sentence(origin), measured_sentence(origin)) if part])


def learnt_sentence(origin: Origin | None) -> str:
    """Say what the rater learnt from."""
    if origin is None:
        return say("Nobody has measured this rater against people's marks yet.")
    size = " (" + say_count(origin.dialogues, "{n} dialogue", "{n} dialogues") + ")" if origin.dialogues else ""
    licence = say(", licence {licence}", licence=origin.licence) if origin.licence else ""
    if not origin.learnt_from:
        return say("It does not say what it learnt from{size}.", size=size + licence)
    source, dialogues = origin.learnt_from, say_count(origin.dialogues, "{n} dialogue", "{n} dialogues")
    if not size and licence:
        return say("It learnt from {learnt_from}, licence {licence}.", learnt_from=source, licence=origin.licence)
    if not size:
        return say("It learnt from {learnt_from}.", learnt_from=source)
    if not licence:
        return say("It learnt from {learnt_from} ({dialogues}).", learnt_from=source, dialogues=dialogues)
    whole = say("It learnt from {learnt_from} ({size}), licence {licence}.")
    return say(whole, learnt_from=source, size=dialogues, licence=origin.licence)


def measured_sentence(origin: Origin | None) -> str:
    """Say how well a rater follows people on talks that it had not seen: in all, with bots, with bots never met."""
    if origin is None:
        return ""
    known = [name for name in _TOLD if name in origin.agreements] or list(origin.agreements)[: len(_TOLD)]
    rates = {name: origin.agreements[name].pearson for name in known}
    # The counts are of marks; that is said once.
    measured = [(name, rate) for name, rate in rates.items() if rate.value is not None]
    numbers = [
        (name, rate_text(rate, "score", "" if place else say("n = {n:,} marks", n=rate.n)))
        for place, (name, rate) in enumerate(measured)
    ]
    told = [
        say(_TOLD[name], rate=number) if name in _TOLD else number + " (" + title_of_test(name) + ")"
        for name, number in numbers
    ]
    if not told:
        return say("How far it follows people on talks that it had not seen is not known.")
    parts = join(", ", told)
    return say("On talks that it had not seen it follows people's marks (Pearson) by {parts}.", parts=parts)


def agreement_sentence(
    agreements: Mapping[str, Agreement], *, where: str = OF_THIS_LOG, counted: Counted = "talk"
) -> str:
    """Say how well the scores follow the marks; `where` the talks come from, `counted` what `n` stands for."""
    found = agreements.get("overall") or next(iter(agreements.values()), None)
    if found is None or not found.n:
        return say("None of these talks has both a score and a mark, so nobody knows how far the scores fit here.")
    talks, marks = say_count(found.n, "{n} talk", "{n} talks"), say_count(found.n, "{n} mark", "{n} marks")
    if found.pearson.value is None:
        several = talks if counted == "talk" else marks
        return say("{several} with score and mark: too few, or too much alike, for a correlation.", several=several)
    marked = say_count(found.n, "{n} marked talk", "{n} marked talks")
    some = marked if counted == "talk" else say("{marks} of talks", marks=marks)
    by = [_correlation(name, rate) for name, rate in (("Pearson", found.pearson), ("Spearman", found.spearman))]
    parts = join_and([one for one in by if one])
    if where == OF_THIS_LOG:
        return say(
            "On {some} of this log, scores and people's marks correlate by {parts}: 0 is chance, 1 is perfect.",
            some=some,
            parts=parts,
        )
    return f"On {some} {where}, scores and people's marks correlate by {parts}: 0 is chance, 1 is perfect."


def following_sentences(passport: Passport) -> list[str]:
    """Say how well the score follows the marks of this log, and what would help.

    Nothing where the verdict has said it, as it does of too few marks.
    """
    found = judged(passport.local)
    told = follows_sentence(found)
    if found is None or found.n < LEAST_MARKS or told in passport.verdict:
        return []
    return [told, *help_sentences(found, passport.people)]


def bots_apart(passport: Passport) -> Mapping[str, Agreement]:
    """Return the agreement of each bot where there are several: a single one is told with all talks."""
    return passport.bots if len(passport.bots) > 1 else {}


def people_sentence(passport: Passport) -> str:
    """Say how far people agree who marked the same talks; nothing where nobody did."""
    people = passport.people
    if people is None or people.alpha.value is None:
        return ""
    alpha = rate_text(people.alpha, "score")
    return say(
        "People who marked the same talks agree with an alpha of {alpha}: 0 is luck, 1 is perfect.", alpha=alpha
    )


def _correlation(name: str, rate: Rate) -> str:
    if rate.value is None:
        return ""
    parts = [part for part in (name, interval_text(rate, "score")) if part]
    return score_text(rate.value) + " (" + join(", ", parts) + ")"


def recalibration_sentence(found: Recalibration | None) -> str:
    """Say what a correction towards the user's own marks would bring or has brought."""
    if found is None:
        return say("Recalibration: too few of these talks are marked to learn a correction from them.")
    sign, height = "+" if found.intercept >= 0 else "-", abs(found.intercept)
    line = say("mark = {slope:.2f} x score {sign} {height:.2f}", slope=found.slope, sign=sign, height=height)
    sure = say("its gain is sure") if found.adopted else say("its gain is not sure")
    if found.level_only:
        level, unused = say("it corrects the level only"), say("not used: it would correct the level only")
        sure = level if found.adopted else unused
    gain = rate_text(found.gain, "score")
    told = say("Recalibration ({sure}): {line}, squared error saved: {gain}.", sure=sure, line=line, gain=gain)
    return join(" ", filter(None, (told, sentence(found.reason))))


# --- what else to know -------------------------------------------------------------------------------------------


def remarks(result: DialoguesResult) -> Iterator[str]:
    """Return all that a reader should know before trusting a score, but what stands at the top: `drift_warning`."""
    passport = result.passport
    warnings = (text for text in passport.warnings if text != drift_warning(passport))
    yield from (sentence(text) for text in (*warnings, *result.notes))
    for group in cautions(result):
        yield say(
            "{scores} with a warning: {sentence}",
            scores=say_count(len(group.ids), "{n} score", "{n} scores"),
            sentence=sentence(group.text),
        )
