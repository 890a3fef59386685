"""A judge: anything that can be talked to, asked to mark dialogues by the rubric; its answers can be kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace

from vivavoce.bots.asking import Answered, AskingPolicy, call_patiently
from vivavoce.bots.pace import Allowance, Pace
from vivavoce.bots.protocol import Bot, Limits
from vivavoce.bots.redaction import Redactor, excerpt
from vivavoce.bots.sessions import new_session
from vivavoce.dialogues.dialogue import HIGHEST, Dialogue
from vivavoce.dialogues.raters.answers import Verdict, read_verdict
from vivavoce.dialogues.raters.judge_record import AnswerKey, JudgeRecord
from vivavoce.dialogues.raters.loops import run_to_end
from vivavoce.dialogues.raters.options import RaterOptions
from vivavoce.dialogues.raters.rubric import VERSION, Question, fingerprint, write_question
from vivavoce.dialogues.result import Cause, Origin, Reason, Score, TurnEffect
from vivavoce.errors import BotError, plural
from vivavoce.messages import Message, say
from vivavoce.records import Reply, Status

__all__ = ["JudgeRater"]

# So many questions in a row without an answer end the asking: the judge is down, or the key is wrong.
GIVE_UP_AFTER = 10
CLOSE_SECONDS = 5.0
# What statuses mean where the bot at the other end is the judge.
_MEANINGS = {
    Status.EMPTY: say("the judge answered with nothing"),
    Status.TIMEOUT: say("the judge did not answer in time"),
    Status.UNREACHABLE: say("no connection to the judge"),
    Status.CLOSED: say("the judge closed the connection before it answered"),
    Status.RATE_LIMITED: say("the judge asked for fewer messages (429) until the tries were used up"),
    Status.SERVER_ERROR: say("the judge reported a failure of its own (5xx)"),
    Status.REFUSED: say("the judge refused the request (4xx)"),
}
SILENT = "nothing was said in this talk"


class JudgeRater:
    """Marks dialogues by asking a judge about each; the bot must have been told the rubric.

    Answers are kept for as long as the rater lives, and beyond that in the record if there is one. The cap `most`
    holds for all calls together.
    """

    def __init__(self, bot: Bot, model: str, *, name: str, options: RaterOptions | None = None) -> None:
        options = options or RaterOptions()
        self._bot, self._model, self._name = bot, model, name
        self._most, self._progress = options.most, options.progress
        limits = _limits(bot.facts.limits, options)
        self._allowance = Allowance(options.most)
        # A judge that takes minutes may be faster the next time; a dialogue without a rating is lost.
        self._policy = AskingPolicy(limits, Pace(limits), options.seed, self._allowance, repeats_timeouts=True)
        self._record = JudgeRecord(options.record) if options.record is not None else None
        self._answers: dict[AnswerKey, str] = self._record.read() if self._record else {}

    @property
    def name(self) -> str:
        """How it is called in reports."""
        return self._name

    @property
    def origin(self) -> Origin | None:
        """None: nobody has measured it."""
        return None

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Ask about each dialogue that has no answer yet, several at once, and return all scores."""
        keys = [self._key(dialogue) for dialogue in dialogues]
        open_ones = {
            key: dialogue
            for key, dialogue in zip(keys, dialogues, strict=True)
            if key not in self._answers and _has_words(dialogue)
        }
        failures = run_to_end(self._ask_all(open_ones)) if open_ones else {}
        return [self._score(dialogue, key, failures) for dialogue, key in zip(dialogues, keys, strict=True)]

    def _key(self, dialogue: Dialogue) -> AnswerKey:
        return AnswerKey(self._model, VERSION, fingerprint(dialogue))

    # --- asking --------------------------------------------------------------------------------------------------

    async def _ask_all(self, open_ones: Mapping[AnswerKey, Dialogue]) -> dict[AnswerKey, str]:
        run = _Run(iter(open_ones.items()), len(open_ones))
        with ExitStack() as stack:
            if self._record is not None:
                stack.enter_context(self._record)
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(self._policy.limits.at_once, run.total)):
                        group.create_task(self._work(run))
            except ExceptionGroup as errors:
                raise errors.exceptions[0] from errors
            finally:
                await self._close()
        return run.failures

    async def _work(self, run: _Run) -> None:
        for key, dialogue in run.left:
            stopped = run.given_up or self._capped()
            if stopped:
                run.failures[key] = stopped
                continue
            question = write_question(dialogue)
            if self._allowance.take(1):
                self._keep(key, dialogue, await self._ask(question.text, key.dialogue), run)
            else:
                run.failures[key] = self._capped()
            run.done += 1
            if self._progress is not None:
                self._progress(run.done, run.total)

    def _capped(self) -> str:
        if self._allowance.left != 0:
            return ""
        cap = plural(self._most or 0, "message")
        return f"not asked: the cap of {cap} was reached; raise it, and keep a record so that nothing is asked twice"

    async def _ask(self, question: str, label: str) -> Answered:
        """Ask one question in a conversation of its own; never raises for what a judge does."""

        async def once() -> Answered:
            try:
                reply = await (await self._bot.open(new_session())).say(question)
            except BotError as error:
                raise _about_judge(error) from error
            except Exception as error:
                if isinstance(error, TimeoutError):
                    raise
                # The words of an unforeseen error may hold a secret; its kind does not.
                raise BotError(f"the connector failed: {type(error).__name__}", status=Status.FAILED) from error
            if not reply.text.strip():
                return Answered(Status.EMPTY, reply, error=f"the judge said nothing{_ending(reply.raw)}")
            return Answered(Status.OK, reply)

        return await call_patiently(once, self._policy, self._policy.limits.timeout_s, label)

    def _keep(self, key: AnswerKey, dialogue: Dialogue, asked: Answered, run: _Run) -> None:
        reply = asked.reply or Reply()
        if self._record is not None:
            more = {
                "id": dialogue.id,
                "judge": self._bot.facts.about,
                "attempts": asked.attempts,
                "error": asked.error,
                "raw": reply.raw,
            }
            self._record.write(key, asked.status, reply.text if asked.status is Status.OK else "", **more)
        if asked.status is Status.OK:
            self._answers[key] = reply.text
        else:
            run.failures[key] = f"the judge gave no mark: {asked.error}"
        run.note(asked)

    async def _close(self) -> None:
        # What a judge does when we leave says nothing about its marks.
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._bot.close()

    # --- scores --------------------------------------------------------------------------------------------------

    def _score(self, dialogue: Dialogue, key: AnswerKey, failures: Mapping[AnswerKey, str]) -> Score:
        if not _has_words(dialogue):
            return Score(dialogue.id, None, refusal=SILENT, cause=Cause.TALK)
        question = write_question(dialogue)
        content = self._answers.get(key)
        if content is None:
            why = failures[key]
            return Score(dialogue.id, None, warnings=question.warnings, refusal=why, cause=Cause.UNANSWERED)
        verdict = read_verdict(content)
        if verdict is None:
            told = f'the answer of the judge holds no single mark from 1 to 5: "{excerpt(content, Redactor())}"'
            return Score(dialogue.id, None, warnings=question.warnings, refusal=told, cause=Cause.ANSWER)
        return _marked(dialogue, verdict, question)


@dataclass
class _Run:
    """One call in flight: what is left, what failed, and how many in a row."""

    left: Iterator[tuple[AnswerKey, Dialogue]]
    total: int
    done: int = 0
    failures: dict[AnswerKey, str] = field(default_factory=dict)
    in_a_row: int = 0
    given_up: str = ""

    def note(self, asked: Answered) -> None:
        """Count questions without an answer; one that is answered begins the count anew."""
        unanswered = asked.status.error or asked.status is Status.TIMEOUT
        self.in_a_row = self.in_a_row + 1 if unanswered else 0
        if self.in_a_row >= GIVE_UP_AFTER:
            self.given_up = f"not asked: {self.in_a_row} questions in a row got no answer; the last: {asked.error}"


def _about_judge(error: BotError) -> BotError:
    """Return the error in words; here the bot at the other end is the judge."""
    what, meaning = error.what, _MEANINGS.get(Status(error.status))
    if meaning is not None and isinstance(what, Message) and "meaning" in what.values:
        what = Message(what.template, {**what.values, "meaning": meaning})
    return BotError(what, status=error.status, retry_after=error.retry_after)


def _ending(raw: object) -> str:
    """Return why a model stopped without a word, where it says so."""
    try:
        reason = raw["choices"][0]["finish_reason"]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return ""
    if reason == "length":
        return ": its answer was cut off before it began, give it more `max_tokens`"
    return f" (it ended with '{reason}')"[:80] if isinstance(reason, str) else ""


def _limits(own: Limits, options: RaterOptions) -> Limits:
    said = {"at_once": options.at_once, "timeout_s": options.timeout_s, "retries": options.retries}
    return replace(own, **{name: value for name, value in said.items() if value is not None})  # type: ignore[arg-type]


def _has_words(dialogue: Dialogue) -> bool:
    return any(turn.text.strip() for turn in dialogue.turns)


def _marked(dialogue: Dialogue, verdict: Verdict, question: Question) -> Score:
    """Return the mark; what is missing from the best one is shared evenly by the turns that the judge named."""
    missing = verdict.quality - HIGHEST
    named = [number for number in verdict.turns if number <= len(dialogue.turns)]
    turns = tuple(TurnEffect(number, dialogue.turns[number - 1].speaker, missing / len(named)) for number in named)
    reasons = (Reason("judge", missing, verdict.why),) if verdict.why else ()
    strange = [str(number) for number in verdict.turns if number > len(dialogue.turns)]
    doubts = (f"the judge named turns that do not exist: {', '.join(strange[:5])}",) if strange else ()
    return Score(dialogue.id, verdict.quality, turns=turns, reasons=reasons, warnings=(*question.warnings, *doubts))
