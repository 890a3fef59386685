"""The findings of a dialogues exam in sentences: the same words in terminal, page and notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vivavoce.dialogues.dialogue import Utterance
from vivavoce.dialogues.passport import MIN_RATINGS, drift_sentence, find_agreement, follows_sentence, help_sentences
from vivavoce.dialogues.result import Agreement, DialoguesResult, Origin, Passport, Recalibration, Score
from vivavoce.dialogues.scored import MIN_SCORES, ScoredDialogue, mean_score, pair_scores
from vivavoce.errors import plural
from vivavoce.messages import Message, join, join_and, say, say_count, sentence
from vivavoce.reports.dialogues.meanings import range_text, title_of_test
from vivavoce.reports.shared.numbers import interval_text, rate_text, score_text, signed

OF_THIS_LOG = "of this log"
# A dialogue that scores less is one that a person would call a bad one.
LOW = 2.5
NOT_YET = say("You cannot compare bots with these scores yet.")
# What an agreement counts: a log has one mean rating per dialogue, a rater was trained on every single rating.
Counted = Literal["dialogue", "rating"]
# The tests of an origin that are told in one sentence; its table has all of them.
_TESTS = {
    "overall": say("{rate} overall"),
    "human-bot": say("{rate} with bots"),
    "unseen-bot": say("{rate} with unseen bots"),
}


def role_of(utterance: Utterance) -> str:
    """Return who speaks: bot or person where the log says so, else the speaker's name."""
    if utterance.is_bot is None:
        return utterance.speaker or "?"
    return say("bot") if utterance.is_bot else say("person")


def headline(result: DialoguesResult) -> str:
    """Return the first sentence of a report: how the dialogues score, or whether bots may be compared."""
    values = [row.value for row in pair_scores(result) if row.value is not None]
    if values and len({dialogue.bot for dialogue in result.dialogues if dialogue.bot}) < 2:
        return mean_headline(sum(values) / len(values), len(values), sum(value < LOW for value in values))
    if values:
        return say("You can compare bots with these scores.") if result.passport.may_compare else NOT_YET
    if not result.scores:
        return say("Nothing could be scored: there are no dialogues.")
    return say(
        "Nothing could be scored: {dialogues} read, none of them with a score.",
        dialogues=say_count(len(result.scores), "{n} dialogue", "{n} dialogues"),
    )


def mean_headline(mean: float, count: int, low: int) -> str:
    """Return how dialogues score on the whole: a sentence that makes sense with one bot."""
    scored = say_count(count, "{n} dialogue scores", "{n} dialogues score")
    values = {"scored": scored, "mean": mean, "low": low, "limit": LOW}
    return say("{scored} {mean:.1f} of 5 on average; {low:,} below {limit:.1f}.", **values)


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
    scored = sum(row.value is not None for row in pair_scores(result))
    rated = sum(dialogue.quality is not None for dialogue in result.dialogues)
    counts = [f"{plural(total, 'dialogue')} read", f"{scored:,} scored"]
    counts += [f"{total - scored:,} not scored"] if total > scored else []
    counts += [f"{rated:,} rated by people" if rated else "none rated by people"]
    return f"{', '.join(counts)}."


def mean_sentence(scored: Sequence[ScoredDialogue]) -> str:
    """Return the mean score with its interval."""
    mean = mean_score(scored)
    if mean.value is None:
        return "No scores."
    few = "" if mean.n >= MIN_SCORES else ", too few for an interval"
    return f"Mean score {rate_text(mean, 'score')}{few}, on a scale from 1 (bad) to 5 (good)."


def score_line(row: ScoredDialogue) -> str:
    """Return score and range of a dialogue, or that it has none."""
    if row.value is None:
        return "no score"
    interval = range_text(row.score.low, row.score.high)
    return score_text(row.value) + (f" ({interval})" if interval else "")


def dialogue_facts(row: ScoredDialogue) -> str:
    """Return what else is known of a dialogue: its bot, people's rating, scripted checks."""
    dialogue, mark = row.dialogue, row.dialogue.quality
    checks = {None: "", True: "checks passed", False: "checks failed"}[dialogue.passed]
    rating = f"people's rating {mark:.3g}" if mark is not None else ""
    size = say_count(len(dialogue.turns), "{n} message", "{n} messages")
    return ", ".join(filter(None, (f"bot {dialogue.bot}" if dialogue.bot else "", size, rating, checks)))


def reason_lines(score: Score) -> list[str]:
    """Return the reasons, the strongest first, each with its effect."""
    ordered = sorted(score.reasons, key=lambda reason: -abs(reason.effect))
    return [f"{signed(reason.effect)}: {reason.text}" for reason in ordered]


def range_sentence(score: Score) -> str:
    """Say how sure the score of one talk is."""
    if score.low is None or score.high is None:
        return ""
    return f"In 8 of 10 cases, a person's rating of such a dialogue is between {score.low:.1f} and {score.high:.1f}."


@dataclass(frozen=True, slots=True)
class Group:
    """What several dialogues have in common, and which they are."""

    text: str
    ids: tuple[str, ...]


def refusals(result: DialoguesResult) -> list[Group]:
    """Return why dialogues were refused, the most frequent reason first."""
    refused = [row.score for row in pair_scores(result) if row.value is None]
    return _group((score.refusal or "no reason given", score.id) for score in refused)


def cautions(result: DialoguesResult) -> list[Group]:
    """Return what scores are to be taken with care for, the most frequent first."""
    scores = [row.score for row in pair_scores(result) if row.value is not None]
    return _group((warning, score.id) for score in scores for warning in score.warnings)


def _group(pairs: Iterable[tuple[str, str]]) -> list[Group]:
    names: dict[str, list[str]] = {}
    for text, name in pairs:
        names.setdefault(text, []).append(name)
    groups = [Group(text, tuple(ids)) for text, ids in names.items()]
    return sorted(groups, key=lambda group: -len(group.ids))


def some_names(names: Sequence[str], most: int = 5) -> str:
    """Return a few names and how many more there are."""
    first = join(", ", names[:most])
    return first if len(names) <= most else say("{shown} and {n:,} more", shown=first, n=len(names) - most)


def origin_sentence(origin: Origin | None) -> str:
    """Say what the rater learnt from, and how well it follows people there."""
    return join(" ", [part for part in (learnt_sentence(origin), origin_agreement(origin)) if part])


def learnt_sentence(origin: Origin | None) -> str:
    """Say what the rater learnt from."""
    if origin is None:
        return say("This rater is not validated against people's ratings.")
    licence = say(", licence {licence}", licence=origin.licence) if origin.licence else ""
    dialogues = say_count(origin.dialogues, "{n} dialogue", "{n} dialogues")
    details = (" (" + dialogues + ")" if origin.dialogues else "") + licence
    if not origin.learnt_from:
        return say("Its training data are unknown{size}.", size=details)
    return say("Trained on {learnt_from}{details}.", learnt_from=origin.learnt_from, details=details)


def origin_agreement(origin: Origin | None) -> str:
    """Say how well a rater follows people on talks that it had not seen: in all, with bots, with bots never met."""
    if origin is None:
        return ""
    known = [name for name in _TESTS if name in origin.agreements] or list(origin.agreements)[: len(_TESTS)]
    parts: list[str] = []
    for name, rate in ((name, origin.agreements[name].pearson) for name in known):
        if rate.value is not None:
            # The counts are of ratings; that is said once.
            number = rate_text(rate, "score", "" if parts else say("n = {n:,} ratings", n=rate.n))
            test = number + " (" + title_of_test(name) + ")"
            parts.append(say(_TESTS[name], rate=number) if name in _TESTS else test)
    if not parts:
        return say("Its agreement with people on unseen dialogues is unknown.")
    text = join(", ", parts)
    return say("On unseen dialogues, its correlation with people's ratings (Pearson) is {parts}.", parts=text)


def agreement_sentence(
    agreements: Mapping[str, Agreement], *, where: str = OF_THIS_LOG, counted: Counted = "dialogue"
) -> str:
    """Say how well the scores agree with the ratings; `where` the dialogues come from, `counted` what `n` counts."""
    agreement = agreements.get("overall") or next(iter(agreements.values()), None)
    if agreement is None or not agreement.n:
        return say(
            "None of these dialogues has both a score and a rating, so it is unknown how well the scores fit here."
        )
    ratings = say_count(agreement.n, "{n} rating", "{n} ratings")
    if agreement.pearson.value is None:
        several = say_count(agreement.n, "{n} dialogue", "{n} dialogues") if counted == "dialogue" else ratings
        return say("{several} with score and rating: too few, or too similar, for a correlation.", several=several)
    marked = say_count(agreement.n, "{n} rated dialogue", "{n} rated dialogues")
    some = marked if counted == "dialogue" else say("{marks} of dialogues", marks=ratings)
    correlations = []
    for name, rate in (("Pearson", agreement.pearson), ("Spearman", agreement.spearman)):
        if rate.value is not None:
            facts = join(", ", filter(None, (name, interval_text(rate, "score"))))
            correlations.append(score_text(rate.value) + " (" + facts + ")")
    parts = join_and(correlations)
    if where == OF_THIS_LOG:
        return say(
            "On {some} in this log, the correlation of scores and people's ratings is {parts}: 0 "
            "is chance, 1 is perfect.",
            some=some,
            parts=parts,
        )
    return f"On {some} {where}, the correlation of scores and people's ratings is {parts}: 0 is chance, 1 is perfect."


def following_sentences(passport: Passport) -> list[str]:
    """Say how well the score follows the marks of this log, and what would help.

    Nothing where the verdict has said it, as it does of too few marks.
    """
    agreement = find_agreement(passport.local)
    first = follows_sentence(agreement)
    if agreement is None or agreement.n < MIN_RATINGS or first in passport.verdict:
        return []
    return [first, *help_sentences(agreement, passport.people)]


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
        "Agreement between people who rated the same dialogues: alpha {alpha}, where 0 is chance and 1 is perfect.",
        alpha=alpha,
    )


def recalibration_sentence(recalibration: Recalibration | None) -> str:
    """Say what a correction towards the user's own marks would bring or has brought."""
    if recalibration is None:
        return say("Recalibration: too few of these dialogues are rated to learn a correction.")
    sign, height = "+" if recalibration.intercept >= 0 else "-", abs(recalibration.intercept)
    line = say(
        "rating = {slope:.2f} x score {sign} {height:.2f}", slope=recalibration.slope, sign=sign, height=height
    )
    sure = say("its gain is certain") if recalibration.adopted else say("its gain is uncertain")
    if recalibration.level_only:
        level, unused = say("it corrects only the level"), say("not used: it would correct only the level")
        sure = level if recalibration.adopted else unused
    gain = rate_text(recalibration.gain, "score")
    summary = say("Recalibration ({sure}): {line}, squared error saved: {gain}.", sure=sure, line=line, gain=gain)
    return join(" ", filter(None, (summary, sentence(recalibration.reason))))


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
