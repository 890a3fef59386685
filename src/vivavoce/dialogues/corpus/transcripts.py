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
from dataclasses import dataclass, field, replace
from pathlib import Path

from vivavoce.dialogues.corpus.entries import Entry, Findings, UnreadableError, is_bot_by_name, read_rating
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
TITLE = re.compile(r"#{1,6}\s+(\S.*?)\s*")
# Messengers write the time first: [12:03], 12:03, 2024-01-31 12:03:22 -, 31/01/24, 12:03 PM -
TIME = r"(?:\[[^\]]{1,40}\]\s*|\d{1,4}[\d/.:, T-]{3,25}(?:[AaPp][Mm])?\s*[-–]?\s+)?"
SPOKEN = re.compile(rf"{TIME}([^\s:#][^:]{{0,39}}?)\s*:(?:\s+(.*?))?\s*")
RATING = re.compile(r"(?:rating|quality|score)(?:\s+(?:by|from)\s+([^:]{1,40}?))?\s*:\s*(.*?)\s*", re.IGNORECASE)
MAX_WORDS = 4  # of a speaker's name; `He said to me and you: no` is a sentence


@dataclass(slots=True)
class _Block:
    """The lines of one dialogue with their numbers."""

    row: int
    name: str = ""
    lines: list[tuple[int, str]] = field(default_factory=list)


def read_transcripts(path: Path, options: ReadOptions) -> Iterator[Entry]:
    """Yield the dialogues of a text; a dialogue without an id is named after the file."""
    lines = read_text(path, options).splitlines()
    at_blanks = not any(RULE.fullmatch(line) or TITLE.fullmatch(line) for line in lines)
    blocks, remarks = _cut(lines, at_blanks=at_blanks), []
    counts = [sum(find_spoken(line) is not None for _, line in block.lines) for block in blocks]
    if at_blanks and len(blocks) > 1 and max(counts) <= 1:
        blocks = _cut(lines, at_blanks=False)
        remarks = [
            "a blank line follows each message, so the file is read as one dialogue; separate dialogues with ---"
        ]
    yield Entry("", None, remarks=tuple(remarks))
    for number, block in enumerate(blocks, 1):
        name = block.name or (path.stem if len(blocks) == 1 else f"{path.stem}-{number}")
        findings = Findings(f"line {block.row}")
        yield findings.entry(_read_dialogue(name, block, findings, options))


def find_spoken(line: str) -> tuple[str, str] | None:
    """Return speaker and text of a line, None if nobody begins to speak in it."""
    match = SPOKEN.fullmatch(line)
    if match is None or len(match[1].split()) > MAX_WORDS or RATING.fullmatch(line):
        return None
    return match[1], match[2] or ""


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


def _read_dialogue(name: str, block: _Block, findings: Findings, options: ReadOptions) -> Dialogue:
    turns: list[Utterance] = []
    ratings: dict[str, Rating] = {}
    for number, line in block.lines:
        place = say("line {number}", number=number)
        spoken = None if line[:1].isspace() and turns else find_spoken(line.strip())
        if spoken:
            turns.append(Utterance(*spoken, is_bot_by_name(spoken[0], options.bot)))
        elif match := RATING.fullmatch(line):
            rater = (match[1] or "").strip()
            try:
                rating = Rating(rater, read_rating(match[2]))
            except UnreadableError as error:
                findings.fault(error.args[0], place)
                continue
            if rater in ratings:
                findings.fault(say("second rating: name the raters, for example `rating by Ann: 4`"), place)
            ratings[rater] = rating
        elif turns:
            text = f"{turns[-1].text}\n{line.strip()}" if turns[-1].text else line.strip()
            turns[-1] = replace(turns[-1], text=text)
        else:
            findings.fault(say("the speaker is missing: write `Name: what was said`"), place)
    return Dialogue(name, tuple(turns), tuple(ratings.values()), row=block.row)
