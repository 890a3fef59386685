"""The exam of the two stages end to end: what became of each question, and which stage was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from vivavoce.assistant.assistant import Assistant
from vivavoce.assistant.language import detect_language
from vivavoce.assistant.material import general_answers
from vivavoce.assistant.talk import Stage, State
from vivavoce.codec import to_json
from vivavoce.records import Example, Rate
from vivavoce.statistics import wilson


class Verdict(StrEnum):
    """What became of a question, and whose mistake it was.

    `general_took`: the general intents answered what is not theirs; `general_wrong`: with the wrong one of theirs;
    `general_missed`: they were not sure of one of theirs. The same for the FAQ.
    """

    RIGHT = "right"
    GENERAL_TOOK = "general_took"
    GENERAL_WRONG = "general_wrong"
    GENERAL_MISSED = "general_missed"
    FAQ_TOOK = "faq_took"
    FAQ_WRONG = "faq_wrong"
    FAQ_MISSED = "faq_missed"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A question that was misunderstood. `intent` None: it belongs to no topic; `guess` None: handed over."""

    text: str
    language: str
    intent: str | None
    guess: str | None
    confidence: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class LanguageFindings:
    """The findings in one language, or in `all` of them.

    `general` and `faq`: the share of the questions of each stage that it recognised rightly. `general_unseen`: the
    same without messages that are training examples word for word, as short ones often are. `handed_over`: the share
    of all others that went to a person. `right`: the share of all questions. `detected`: the share whose language is
    recognised without any context.
    """

    language: str
    questions: int
    right: Rate
    general: Rate
    general_unseen: Rate
    faq: Rate
    handed_over: Rate
    detected: Rate
    verdicts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StageExam:
    """The result of the exam: all languages together first, then each."""

    assistant: str
    stages: tuple[Stage, ...]
    thresholds: Mapping[str, float]
    findings: tuple[LanguageFindings, ...]
    mistakes: tuple[Mistake, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return dict(to_json(self))


def examine_stages(
    assistant: Assistant, questions: Sequence[Example], *, stages: Sequence[Stage] = (Stage.GENERAL, Stage.FAQ)
) -> StageExam:
    """Ask an assistant questions whose intent is known (None: it belongs to nobody) and say which stage was wrong.

    `stages`: those that are asked, in this order; with the general one alone every other question should be handed
    over. A question without a language is taken to be in the one that is detected.
    """
    options = replace(assistant.company.options, order=tuple(stages))
    asked = assistant.with_options(options)
    rows = [_ask(asked, question) for question in questions]
    languages = dict.fromkeys(row.mistake.language for row in rows)
    groups = [("all", rows), *((code, [row for row in rows if row.mistake.language == code]) for code in languages)]
    understander = asked.understander
    return StageExam(
        assistant.company.name,
        tuple(stages),
        {stage.value: understander.threshold(stage) for stage in stages},
        tuple(_find(name, group) for name, group in groups if name == "all" or len(languages) > 1),
        tuple(row.mistake for row in rows if row.mistake.verdict is not Verdict.RIGHT),
    )


class _Row(NamedTuple):
    """What became of a question: where it belongs, whether its language was recognised, whether it was learnt."""

    mistake: Mistake
    belongs: Stage
    is_detected: bool
    is_learnt: bool


def _ask(assistant: Assistant, question: Example) -> _Row:
    detected = detect_language(question.text, first=assistant.company.languages[0])
    language = question.language or detected
    outcome = assistant.reply(State(language=language), question.text)
    belongs = _place(assistant, question.intent)
    # The job search belongs to the general intents, whoever noticed that it is meant.
    decided = Stage.GENERAL if outcome.stage is Stage.FLOW else outcome.stage
    verdict = _judge(belongs, question.intent, decided, outcome.intent)
    row = Mistake(question.text, language, question.intent, outcome.intent, outcome.confidence, verdict)
    return _Row(row, belongs, detected == language, assistant.understander.is_phrase(question.text, language))


def _place(assistant: Assistant, intent: str | None) -> Stage:
    if intent in general_answers():
        return Stage.GENERAL
    return Stage.NONE if intent is None or Stage.FAQ not in assistant.company.options.order else Stage.FAQ


def _judge(belongs: Stage, intent: str | None, decided: Stage, guess: str | None) -> Verdict:
    if decided is belongs and (decided is Stage.NONE or guess == intent):
        return Verdict.RIGHT
    if decided is belongs:
        return Verdict.GENERAL_WRONG if decided is Stage.GENERAL else Verdict.FAQ_WRONG
    if decided is Stage.GENERAL:
        return Verdict.GENERAL_TOOK
    if decided is Stage.FAQ:
        return Verdict.FAQ_TOOK
    return Verdict.GENERAL_MISSED if belongs is Stage.GENERAL else Verdict.FAQ_MISSED


def _find(language: str, rows: Sequence[_Row]) -> LanguageFindings:
    shares = {
        stage: _share([row for row in rows if row.belongs is stage])
        for stage in (Stage.GENERAL, Stage.FAQ, Stage.NONE)
    }
    counts = Counter(row.mistake.verdict.value for row in rows)
    return LanguageFindings(
        language,
        len(rows),
        _share(rows),
        shares[Stage.GENERAL],
        _share([row for row in rows if row.belongs is Stage.GENERAL and not row.is_learnt]),
        shares[Stage.FAQ],
        shares[Stage.NONE],
        wilson(sum(row.is_detected for row in rows), len(rows)),
        {verdict.value: counts[verdict.value] for verdict in Verdict},
    )


def _share(rows: Sequence[_Row]) -> Rate:
    return wilson(sum(row.mistake.verdict is Verdict.RIGHT for row in rows), len(rows))
