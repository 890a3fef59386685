"""A judge: anything that can be talked to, asked to rate dialogues by the rubric; its answers can be kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, NamedTuple

from vivavoce.bots.asking import Allowance, Answered, AskingPolicy, Pace, call_patiently, new_session
from vivavoce.bots.loops import run_to_end
from vivavoce.bots.protocol import Bot
from vivavoce.bots.redaction import Redactor, excerpt
from vivavoce.dialogues.dialogue import HIGHEST, Dialogue
from vivavoce.dialogues.raters.answers import read_verdict
from vivavoce.dialogues.raters.protocol import RaterOptions
from vivavoce.dialogues.raters.rubric import VERSION, fingerprint, write_question
from vivavoce.dialogues.result import Cause, Origin, Reason, Score, TurnEffect
from vivavoce.errors import BotError, DataError, Fault, FileError, WorkError, plural
from vivavoce.messages import Message, say
from vivavoce.records import Reply, Status

# This many questions in a row without an answer end the asking: the judge is down, or the key is wrong.
GIVE_UP_AFTER = 10
CLOSE_SECONDS = 5.0
# What statuses mean where the bot at the other end is the judge.
_MEANINGS = {
    Status.EMPTY: say("the judge sent an empty answer"),
    Status.TIMEOUT: say("the judge did not answer in time"),
    Status.UNREACHABLE: say("no connection to the judge"),
    Status.CLOSED: say("the judge closed the connection before answering"),
    Status.RATE_LIMITED: say("the judge kept limiting requests (429) until all retries were used"),
    Status.SERVER_ERROR: say("the judge reported a server error (5xx)"),
    Status.REFUSED: say("the judge rejected the request (4xx)"),
}
SILENT = "this dialogue has no messages"
FORMAT = "vivavoce-judge-1"
# How each line begins; what is left of one that was cut short is known by it.
_BEGINNING = json.dumps({"format": FORMAT})[:-1].encode()


class AnswerKey(NamedTuple):
    """What an answer is an answer to: who was asked, by which rubric, about which dialogue."""

    model: str
    rubric: str
    dialogue: str


class JudgeRecord:
    """A file of answers as they came, one JSON line each, written before the next is asked.

    It can be written only inside a `with` block.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None

    def read(self) -> dict[AnswerKey, str]:
        """Return the answers by what they answer; requests that failed are not among them."""
        lines = self._read_bytes().split(b"\n")
        tail = lines[-1]
        # Half a line was left by a process that was killed.
        if _parse_row(tail) is None and (tail.startswith(_BEGINNING) or _BEGINNING.startswith(tail)):
            lines.pop()
        rows = {number: _parse_row(line) for number, line in enumerate(lines, 1) if line.strip()}
        faults = [
            Fault("this is not a judge's answer", f"line {number}") for number, row in rows.items() if row is None
        ]
        if faults:
            remedy = "use a separate file for the record, or fix the lines"
            raise DataError("these lines are invalid", where=str(self.path), faults=faults, remedy=remedy)
        return {
            AnswerKey(row["model"], row["rubric"], row["dialogue"]): row["content"]
            for row in rows.values()
            if row is not None and row["status"] == Status.OK
        }

    def write(self, key: AnswerKey, status: Status, content: str, **more: object) -> None:
        """Add one answer and hand it to the system at once."""
        row = {"format": FORMAT, **key._asdict(), "status": str(status), "content": content, **more}
        assert self._file is not None, "a record must be opened before it is written"  # noqa: S101
        try:
            self._file.write(json.dumps(row).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise WorkError(
                f"cannot record the answer: {error.strerror or error}",
                where=str(self.path),
                remedy="free up disk space, then run again with the same record: nothing is asked twice",
            ) from error

    def __enter__(self) -> JudgeRecord:
        data = self._read_bytes()
        whole = data.rfind(b"\n") + 1
        try:
            self._file = self.path.open("ab")
            if _parse_row(data[whole:]) is not None:
                self._file.write(b"\n")
            else:
                # Half a line, left by a process that was killed, would spoil the next one.
                self._file.truncate(whole)
        except OSError as error:
            raise _refuse_record(self.path, error) from error
        return self

    def __exit__(self, *error: object) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _read_bytes(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise _refuse_record(self.path, error) from error


class JudgeRater:
    """Rates dialogues by asking a judge about each; the bot must know the rubric.

    Answers are kept for as long as the rater lives, and beyond that in the record if there is one. The cap `most`
    holds for all calls together.
    """

    def __init__(self, bot: Bot, model: str, *, name: str, options: RaterOptions | None = None) -> None:
        options = options or RaterOptions()
        self.name = name
        # Nobody has measured it.
        self.origin: Origin | None = None
        self._bot, self._model, self._most, self._progress = bot, model, options.most, options.progress
        changes = {"at_once": options.at_once, "timeout_s": options.timeout_s, "retries": options.retries}
        chosen: dict[str, Any] = {option: value for option, value in changes.items() if value is not None}
        limits = replace(bot.facts.limits, **chosen)
        self._allowance = Allowance(options.most)
        # A judge that takes minutes may be faster the next time; a dialogue without a rating is lost.
        self._policy = AskingPolicy(limits, Pace(limits), options.seed, self._allowance, repeats_timeouts=True)
        self._record = JudgeRecord(options.record) if options.record is not None else None
        self._answers: dict[AnswerKey, str] = self._record.read() if self._record else {}

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Ask about each dialogue that has no answer yet, several at once, and return all scores."""
        keys = [AnswerKey(self._model, VERSION, fingerprint(dialogue)) for dialogue in dialogues]
        unanswered = {
            key: dialogue
            for key, dialogue in zip(keys, dialogues, strict=True)
            if key not in self._answers and _has_words(dialogue)
        }
        failures = run_to_end(self._ask_all(unanswered)) if unanswered else {}
        return [self._score(dialogue, key, failures) for dialogue, key in zip(dialogues, keys, strict=True)]

    async def _ask_all(self, unanswered: Mapping[AnswerKey, Dialogue]) -> dict[AnswerKey, str]:
        run = _Run(iter(unanswered.items()), len(unanswered))
        with self._record or nullcontext():
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(self._policy.limits.at_once, run.total)):
                        group.create_task(self._work(run))
            except ExceptionGroup as errors:
                raise errors.exceptions[0] from errors
            finally:
                # What a judge does when we leave says nothing about its ratings.
                with suppress(Exception):
                    async with asyncio.timeout(CLOSE_SECONDS):
                        await self._bot.close()
        return run.failures

    async def _work(self, run: _Run) -> None:
        for key, dialogue in run.left:
            stop = run.given_up or self._say_capped()
            if stop:
                run.failures[key] = stop
                continue
            question = write_question(dialogue)
            if self._allowance.take(1):
                self._keep(key, dialogue, await self._ask(question.text, key.dialogue), run)
            else:
                run.failures[key] = self._say_capped()
            run.done += 1
            if self._progress is not None:
                self._progress(run.done, run.total)

    def _say_capped(self) -> str:
        if self._allowance.left != 0:
            return ""
        cap = plural(self._most or 0, "message")
        return f"not asked: the limit of {cap} was reached; raise it, and keep a record to avoid asking twice"

    async def _ask(self, question: str, label: str) -> Answered:
        """Ask one question in a new conversation; never raises for what a judge does."""

        async def once() -> Answered:
            try:
                reply = await (await self._bot.open(new_session())).say(question)
            except BotError as error:
                raise _reword(error) from error
            except Exception as error:
                if isinstance(error, TimeoutError):
                    raise
                # The words of an unforeseen error may hold a secret; its kind does not.
                raise BotError(f"the connector failed: {type(error).__name__}", status=Status.FAILED) from error
            if not reply.text.strip():
                return Answered(Status.EMPTY, reply, error=f"the judge returned nothing{_describe_ending(reply.raw)}")
            return Answered(Status.OK, reply)

        return await call_patiently(once, self._policy, self._policy.limits.timeout_s, label)

    def _keep(self, key: AnswerKey, dialogue: Dialogue, asked: Answered, run: _Run) -> None:
        reply = asked.reply or Reply()
        if self._record is not None:
            self._record.write(
                key,
                asked.status,
                reply.text if asked.status is Status.OK else "",
                id=dialogue.id,
                judge=self._bot.facts.about,
                attempts=asked.attempts,
                error=asked.error,
                raw=reply.raw,
            )
        if asked.status is Status.OK:
            self._answers[key] = reply.text
        else:
            run.failures[key] = f"the judge returned no score: {asked.error}"
        run.note(asked)

    def _score(self, dialogue: Dialogue, key: AnswerKey, failures: Mapping[AnswerKey, str]) -> Score:
        if not _has_words(dialogue):
            return Score(dialogue.id, None, refusal=SILENT, cause=Cause.TALK)
        warnings, content = write_question(dialogue).warnings, self._answers.get(key)
        if content is None:
            return Score(dialogue.id, None, warnings=warnings, refusal=failures[key], cause=Cause.UNANSWERED)
        verdict = read_verdict(content)
        if verdict is None:
            refusal = (
                "the answer of the judge does not contain exactly one score from 1 to 5: "
                f'"{excerpt(content, Redactor())}"'
            )
            return Score(dialogue.id, None, warnings=warnings, refusal=refusal, cause=Cause.ANSWER)
        # What is missing from the best rating is shared evenly by the turns that the judge named.
        missing, count = verdict.quality - HIGHEST, len(dialogue.turns)
        named = [number for number in verdict.turns if number <= count]
        unknown = [str(number) for number in verdict.turns if number > count]
        if unknown:
            warnings = (*warnings, f"the judge named turns that do not exist: {', '.join(unknown[:5])}")
        turns = tuple(
            TurnEffect(number, dialogue.turns[number - 1].speaker, missing / len(named)) for number in named
        )
        reasons = (Reason("judge", missing, verdict.why),) if verdict.why else ()
        return Score(dialogue.id, verdict.quality, turns=turns, reasons=reasons, warnings=warnings)


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
            self.given_up = (
                f"not asked: {self.in_a_row} questions in a row got no answer; the last error: {asked.error}"
            )


def _reword(error: BotError) -> BotError:
    """Return the error in words; here the bot at the other end is the judge."""
    what, meaning = error.what, _MEANINGS.get(Status(error.status))
    if meaning is not None and isinstance(what, Message) and "meaning" in what.values:
        what = Message(what.template, {**what.values, "meaning": meaning})
    return BotError(what, status=error.status, retry_after=error.retry_after)


def _describe_ending(raw: object) -> str:
    """Return why a model stopped without a word, where it says so."""
    try:
        reason = raw["choices"][0]["finish_reason"]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return ""
    if reason == "length":
        return ": its answer was cut off before it started; increase `max_tokens`"
    return f" (it stopped with '{reason}')"[:80] if isinstance(reason, str) else ""


def _has_words(dialogue: Dialogue) -> bool:
    return any(turn.text.strip() for turn in dialogue.turns)


def _parse_row(line: bytes) -> Mapping[str, str] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    keys = ("format", *AnswerKey._fields, "status", "content")
    is_whole = isinstance(row, dict) and all(isinstance(row.get(key), str) for key in keys)
    return row if is_whole and row["format"] == FORMAT else None


def _refuse_record(path: Path, error: OSError) -> FileError:
    return FileError(
        f"cannot use the record: {error.strerror or error}",
        where=str(path),
        remedy="check that the folder exists and that you can read and write there",
    )
