"""What must be known before a score is believed, in plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from vivavoce.dialogues.agreement import (
    LEAST_USERS,
    check_pairing,
    kind_of,
    measure_bots,
    measure_people,
    pair_up,
    value_of,
)
from vivavoce.dialogues.dialogue import Dialogue, Kind
from vivavoce.dialogues.following import (
    LEAST_MARKS,
    correlation_text,
    follows,
    follows_sentence,
    help_sentences,
)
from vivavoce.dialogues.raters.protocol import Comparing, Rater
from vivavoce.dialogues.result import Agreement, Concord, Drift, Follows, Origin, Passport, Score
from vivavoce.languages import Use, name_languages
from vivavoce.messages import join, say, say_count
from vivavoce.text.words import guess_language, words

# A score that was only met with one bot may know that bot's habits and not quality.
LEAST_BOTS = 2
# Above this share of the talks a difference from what the rater learnt from is worth a sentence.
TOLERATED_SHARE = 0.2
# Enough talks to tell a language; words below which one talk does not show its own.
SAMPLED_TALKS = 200
LEAST_WORDS = 10
# What differs between two kinds of talk, by the names of the model's groups of features.
TRAITS = {
    "liking": say("what kind of answers people like"),
    "repetition": say("how much is repeated"),
    "relevance": say("how answers take up what was said"),
    "questions": say("who asks questions"),
    "not knowing": say("how often somebody does not know or understand"),
    "mood": say("the mood"),
    "effort": say("how much the person writes"),
    "bot's length": say("how long the bot's messages are"),
    "length": say("how many messages a talk has"),
    "style": say("the style of writing"),
}
LANGUAGES = name_languages(Use.GUESSED)


def issue(
    rater: Rater,
    local: Mapping[str, Agreement],
    dialogues: Sequence[Dialogue],
    scores: Sequence[Score],
    *,
    seed: int = 0,
) -> Passport:
    """Return the passport of these scores; `local` is what `measure` found on the same dialogues."""
    check_pairing(dialogues, scores)
    people = measure_people(dialogues)
    may_compare, verdict = _judge(local.get(str(Kind.HUMAN_BOT)), dialogues, scores, people)
    drift = rater.compare(_new_talks(dialogues, scores)) if isinstance(rater, Comparing) else None
    warnings = (
        *_drift_warnings(drift),
        *_origin_warnings(rater.origin, dialogues),
        *_learned_warnings(scores),
        *_refusal_warnings(scores),
        *_mark_warnings(dialogues, scores),
    )
    bots = measure_bots(dialogues, scores, seed=seed)
    return Passport(rater.name, rater.origin, dict(local), may_compare, verdict, warnings, bots, people, drift)


def _new_talks(dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> list[Dialogue]:
    """Return the talks that got a score and that the rater did not learn from."""
    pairs = zip(dialogues, scores, strict=True)
    return [talk for talk, score in pairs if value_of(score) is not None and not score.learned]


def usual_lengths(dialogues: Iterable[Dialogue]) -> tuple[int, int] | None:
    """Return how many messages 9 of 10 dialogues have, from and to: the `lengths` of an origin."""
    lengths = sorted(len(dialogue.turns) for dialogue in dialogues)
    if not lengths:
        return None
    last = len(lengths) - 1
    return lengths[round(0.05 * last)], lengths[round(0.95 * last)]


# --- may bots be compared? ---------------------------------------------------------------------------------------


def _judge(
    found: Agreement | None, dialogues: Sequence[Dialogue], scores: Sequence[Score], people: Concord | None
) -> tuple[bool, str]:
    """Say whether bots may be compared, why, and what to do next: the first rule that is not met speaks."""
    n = found.n if found else 0
    if found is None or n < LEAST_MARKS:
        return False, _too_few(n, dialogues)
    named = [one.bot for one in pair_up(dialogues, scores, Kind.HUMAN_BOT).dialogues if one.bot]
    if any(one.bot for one in dialogues) and (hindrance := _unnamed(named, n)):
        return False, hindrance
    if follows(found) not in (Follows.MODERATE, Follows.STRONG):
        because = join(" ", [follows_sentence(found), *help_sentences(found, people)])
        return False, say("Do not compare bots with this score yet. {because}", because=because)
    because = say(
        "on your own {n:,} marked talks{among} it follows people's marks ({correlation_text}). Trust averages over "
        "many talks, not the score of a single one.",
        n=n,
        among=_among(named, n),
        correlation_text=correlation_text(found),
    )
    return True, say("Bots may be compared with this score: {because}", because=because)


def _not_yet(because: str) -> str:
    return say("Do not compare bots with this score yet: {because}", because=because)


def _unnamed(named: Sequence[str], n: int) -> str:
    """Say why bots that the log names cannot be told apart by these marked talks; nothing where they can."""
    if len(named) < LEAST_MARKS:
        have = say("only {count:,} of them name", count=len(named)) if len(named) > 1 else say("only 1 of them names")
        have = have if named else say("none of them names")
        return _not_yet(
            say(
                "{n:,} marked talks are with a bot, but {have} it. At least {least_marks} must, with at least "
                "{least_bots} bots: say in the log which bot a talk was with (`bot`), or let people mark more talks "
                "that say it.",
                n=n,
                have=have,
                least_marks=LEAST_MARKS,
                least_bots=LEAST_BOTS,
            )
        )
    if len(set(named)) < LEAST_BOTS:
        every = say("all {n:,} marked talks", n=n)
        every = every if len(named) == n else say("all {count:,} marked talks that name their bot", count=len(named))
        return _not_yet(
            say(
                "{every} are with one bot ({named}). Let people mark talks with at least {least_bots} bots, then "
                "score again.",
                every=every,
                named=named[0],
                least_bots=LEAST_BOTS,
            )
        )
    return ""


def _among(named: Sequence[str], n: int) -> str:
    bots = say_count(len(set(named)), "{n} bot", "{n} bots")
    if not named:
        return ""
    some = say("with a bot ({count:,} of them name it: {bots})", count=len(named), bots=bots)
    return " " + (say("with {bots}", bots=bots) if len(named) == n else some)


def _too_few(n: int, dialogues: Sequence[Dialogue]) -> str:
    have = say("no talk with a bot has both a score and a person's mark.")
    if n:
        have = say("only {n:,} talks with a bot have both a score and a person's mark.", n=n)
        have = have if n > 1 else say("only 1 talk with a bot has both a score and a person's mark.")
    unclear = sum(dialogue.quality is not None and kind_of(dialogue) is Kind.UNKNOWN for dialogue in dialogues)
    hint = say(
        "{unclear:,} marked talks do not count because the log does not say which side is a bot.", unclear=unclear
    )
    if unclear == 1:
        hint = say("1 marked talk does not count because the log does not say which side is a bot.")
    more = (
        say_count(LEAST_MARKS - n, "{n} more talk", "{n} more talks")
        if n
        else say_count(LEAST_MARKS, "{n} talk", "{n} talks")
    )
    todo = say(
        "Let people mark at least {more} from 1 to 5, with at least {least_bots} bots in all, then score again.",
        more=more,
        least_bots=LEAST_BOTS,
    )
    return _not_yet(join(" ", [have, *([hint] if unclear else []), todo]))


# --- warnings ----------------------------------------------------------------------------------------------------


def _origin_warnings(origin: Origin | None, dialogues: Sequence[Dialogue]) -> Iterable[str]:
    if origin is None:
        yield say("Nobody has measured this rater yet: only your own marks can tell how far to trust it.")
        return
    yield from _language_warnings(origin.language, dialogues)
    yield from _length_warnings(origin.lengths, dialogues)


def drift_sentence(drift: Drift) -> str:
    """Say that a log is another kind of talk than what the rater learnt from, and in what."""
    numbers = say("distance {distance:.2f}, usual is below {limit:.2f}", distance=drift.distance, limit=drift.limit)
    parts = join(", ", [TRAITS.get(name, name) for name in drift.traits])
    differing = say(", most in: {parts}", parts=parts) if parts else ""
    return say(
        "These talks are of another kind than those that the rater learnt from ({numbers}){differing}. "
        "Nobody has measured it on such talks: believe the scores only after marks of your own.",
        numbers=numbers,
        differing=differing,
    )


def _drift_warnings(drift: Drift | None) -> Iterable[str]:
    if drift is not None and drift.differs:
        yield drift_sentence(drift)


def _learned_warnings(scores: Sequence[Score]) -> Iterable[str]:
    learned = sum(score.learned for score in scores)
    if learned:
        yield say(
            "The rater learnt from {learned:,} of these {count:,} talks. They are left out of all figures about "
            "its agreement with people.",
            learned=learned,
            count=len(scores),
        )


def _language_warnings(learnt: str, dialogues: Sequence[Dialogue]) -> Iterable[str]:
    step = max(1, len(dialogues) // SAMPLED_TALKS)
    looked = [tongue for dialogue in dialogues[::step] if (tongue := _language(dialogue))]
    others = Counter(tongue for tongue in looked if tongue != learnt)
    if not others or others.total() <= TOLERATED_SHARE * len(looked):
        return
    named = LANGUAGES.get(others.most_common(1)[0][0], say("another language"))
    yield say(
        "About {total:.0%} of the talks are not in {languages}, the language of what this rater learnt from "
        "(mostly {named}): believe their scores only with marks of your own.",
        total=others.total() / len(looked),
        languages=LANGUAGES.get(learnt, learnt),
        named=named,
    )


def _language(dialogue: Dialogue) -> str | None:
    """Return the language of one talk, None where it has too few words to tell."""
    text = "\n".join(turn.text for turn in dialogue.turns[:50])[:5000]
    tongue = guess_language([text])
    # Chinese has no spaces: its words are not counted.
    return tongue if tongue == "zh" or len(words(text, "en")) >= LEAST_WORDS else None


def _length_warnings(lengths: tuple[int, int] | None, dialogues: Sequence[Dialogue]) -> Iterable[str]:
    if lengths is None or not dialogues:
        return
    outside = sum(not lengths[0] <= len(dialogue.turns) <= lengths[1] for dialogue in dialogues)
    if outside > TOLERATED_SHARE * len(dialogues):
        yield say(
            "{outside:.0%} of the talks are shorter than {lengths} or longer than {lengths2} messages, unlike "
            "most of what this rater learnt from: their scores are less sure.",
            outside=outside / len(dialogues),
            lengths=lengths[0],
            lengths2=lengths[1],
        )


def _refusal_warnings(scores: Sequence[Score]) -> Iterable[str]:
    refused = [score.refusal.rstrip(" .") for score in scores if value_of(score) is None]
    if refused:
        why, _ = Counter(refused).most_common(1)[0]
        because = say(", mostly because: {why}", why=why) if why else ""
        share = f"{len(refused) / len(scores):.0%}"
        yield say(
            "{count:,} of {talks} ({share}) got no score{because}.",
            count=len(refused),
            talks=say_count(len(scores), "{n} talk", "{n} talks"),
            share=share,
            because=because,
        )


def _mark_warnings(dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> Iterable[str]:
    marked = pair_up(dialogues, scores).dialogues
    people = {dialogue.user for dialogue in marked if dialogue.user}
    # One name for all is how many logs call the human side, not a person.
    if len(marked) >= LEAST_MARKS and 2 <= len(people) < LEAST_USERS:
        yield say(
            "The marks come from only {count} people: the intervals do not know how other people would mark.",
            count=len(people),
        )
