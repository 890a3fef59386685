"""Dialogues as plain text: `User: hi`, one message a line.

    # an id of its own, if wanted
    User: hi
    Bot: hello,
      this line goes on
    rating: 4

A line of dashes, a line `# id` or, where the file has neither, a blank line ends a dialogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.dialogues.corpus.entries import Entry, Findings, is_bot_by_name
from vivavoce.dialogues.corpus.values import UnreadableError, read_mark
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
TITLE = re.compile(r"#{1,6}\s+(\S.*?)\s*")
# Messengers write the time first: [12:03], 12:03, 2024-01-31 12:03:22 -, 31/01/24, 12:03 PM -
TIME = r"(?:\[[^\]]{1,40}\]\s*|\d{1,4}[\d/.:, T-]{3,25}(?:[AaPp][Mm])?\s*[-–]?\s+)?"
SPOKEN = re.compile(rf"{TIME}([^\s:#][^:]{{0,39}}?)\s*:(?:\s+(.*?))?\s*")
MARK = re.compile(r"(?:rating|quality|score)(?:\s+(?:by|from)\s+([^:]{1,40}?))?\s*:\s*(.*?)\s*", re.IGNORECASE)
MOST_WORDS = 4  # of a speaker's name; `He said to me and you: no` is a sentence


@dataclass(slots=True)
class _Block:
    """The lines of one dialogue with their numbers."""

    row: int
    name: str = ""
    lines: list[tuple[int, str]] = field(default_factory=list)


def read_transcripts(path: Path, options: ReadOptions) -> Iterator[Entry]:
    """Yield the dialogues of a text; without an id of its own a dialogue is called after the file."""
    lines = read_text(path, options).splitlines()
    blocks, remarks = _blocks(lines)
    yield Entry("", None, remarks=tuple(remarks))
    for number, block in enumerate(blocks, 1):
        name = block.name or (path.stem if len(blocks) == 1 else f"{path.stem}-{number}")
        found = Findings(f"line {block.row}")
        yield found.entry(_dialogue(name, block, found, options))


def find_spoken(line: str) -> tuple[str, str] | None:
    """Return speaker and text of a line, None if nobody begins to speak in it."""
    match = SPOKEN.fullmatch(line)
    if match is None or len(match[1].split()) > MOST_WORDS or MARK.fullmatch(line):
        return None
    return match[1], match[2] or ""


def _blocks(lines: Sequence[str]) -> tuple[list[_Block], list[str]]:
    if any(RULE.fullmatch(line) or TITLE.fullmatch(line) for line in lines):
        return _cut(lines, at_blanks=False), []
    blocks = _cut(lines, at_blanks=True)
    if len(blocks) > 1 and all(_voices(block) <= 1 for block in blocks):
        whole = _cut(lines, at_blanks=False)
        return whole, ["a blank line follows each message: the file is read as one dialogue; part several with ---"]
    return blocks, []


def _voices(block: _Block) -> int:
    return sum(find_spoken(line) is not None for _, line in block.lines)


def _cut(lines: Sequence[str], *, at_blanks: bool) -> list[_Block]:
    blocks = [_Block(1)]
    for number, line in enumerate(lines, 1):
        title = TITLE.fullmatch(line)
        if title or RULE.fullmatch(line) or (at_blanks and not line.strip()):
            if blocks[-1].lines or (title and blocks[-1].name):
                blocks.append(_Block(number))
            blocks[-1].name = title[1] if title else blocks[-1].name
        elif line.strip():
            blocks[-1].row = blocks[-1].row if blocks[-1].lines or blocks[-1].name else number
            blocks[-1].lines.append((number, line))
        if title:
            blocks[-1].row = number
    return [block for block in blocks if block.lines or block.name]


def _dialogue(name: str, block: _Block, found: Findings, options: ReadOptions) -> Dialogue:
    turns: list[Utterance] = []
    ratings: dict[str, Rating] = {}
    for number, line in block.lines:
        said = None if line[:1].isspace() and turns else find_spoken(line.strip())
        if said:
            turns.append(Utterance(said[0], said[1], is_bot_by_name(said[0], options.bot)))
        elif mark := MARK.fullmatch(line):
            _rate(mark, number, ratings, found)
        elif turns:
            turns[-1] = _continued(turns[-1], line.strip())
        else:
            found.fault(
                say("nobody is named as the speaker: write `Name: what was said`"),
                say("line {number}", number=number),
            )
    return Dialogue(name, tuple(turns), tuple(ratings.values()), row=block.row)


def _continued(turn: Utterance, line: str) -> Utterance:
    return Utterance(turn.speaker, f"{turn.text}\n{line}" if turn.text else line, turn.is_bot, turn.thumb)


def _rate(mark: re.Match[str], number: int, ratings: dict[str, Rating], found: Findings) -> None:
    rater = (mark[1] or "").strip()
    try:
        rating = Rating(rater, read_mark(mark[2]))
    except UnreadableError as error:
        found.fault(error.args[0], say("line {number}", number=number))
        return
    if rater in ratings:
        found.fault(
            say("a second rating: name the raters, for instance `rating by Ann: 4`"),
            say("line {number}", number=number),
        )
    ratings[rater] = rating
