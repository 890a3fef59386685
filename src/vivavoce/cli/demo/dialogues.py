"""The third part of `viva demo`: forty invented talks, scored by the model that ships."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from vivavoce.cli.dialogues.material import DEFAULT_RATER, DEMO, INVENTED, Log, declared_invented
from vivavoce.cli.dialogues.options import LogReading
from vivavoce.cli.dialogues.scoring import write_lines
from vivavoce.cli.shared.progress import Report
from vivavoce.cli.shared.results import write_page

if TYPE_CHECKING:
    from vivavoce.dialogues import DialoguesResult
    from vivavoce.dialogues.scored import ScoredDialogue

NAME = "dialogues"
MOST_BYTES = 16 * 1024**2
NO_FINDING = (
    f"{INVENTED} They show what a report looks like; nothing about a bot or about the score follows from them."
)


@dataclass(frozen=True, slots=True)
class DemoScores:
    """The scored talks of the demo and the files that they left."""

    result: DialoguesResult
    html: Path
    lines: Path

    def to_json(self) -> dict[str, object]:
        """Return where the scores are, and what they come to."""
        from vivavoce.reports.dialogues import wording

        said = f"{wording.counts_sentence(self.result)} {NO_FINDING}"
        return {"name": NAME, "headline": said, "html": str(self.html), "json": str(self.lines)}

    def show(self, console: Console) -> None:
        """Show what the scores come to and which talks to read; what invented marks say of the score stays out."""
        from vivavoce.dialogues.scored import rank_scored
        from vivavoce.reports.dialogues import wording
        from vivavoce.reports.shared.layout import block, bullets, heading

        talks = rank_scored(self.result)
        console.print(heading("Forty talks without a script: would a person call them good?"))
        console.print(block(NO_FINDING, "bold"))
        console.print(block(wording.mean_sentence(talks)))
        ends = {talk.dialogue.id: talk for talk in (*talks[:2], *talks[-1:])}.values()
        console.print(
            bullets(f"{one.dialogue.id}: {wording.score_line(one)}. {_first_reason(one)}".strip() for one in ends)
        )
        console.print(block(wording.origin_sentence(self.result.passport.origin), "dim"))


def _first_reason(talk: ScoredDialogue) -> str:
    from vivavoce.reports.dialogues import wording
    from vivavoce.reports.shared.texts import clean

    lines = wording.reason_lines(talk.score)
    return wording.sentence(clean(lines[0])) if lines else ""


def score_demo(out: Path, progress: Report) -> DemoScores:
    """Score the talks that ship and write the report."""
    from vivavoce.demo import dialogues_path
    from vivavoce.dialogues import examine_dialogues, load_rater
    from vivavoce.reports.dialogues.html import render_dialogues

    corpus = Log(dialogues_path(), DEMO, None, LogReading(), MOST_BYTES, invented=True).read()
    found = examine_dialogues(
        corpus.dialogues, load_rater(DEFAULT_RATER), source=DEMO, notes=corpus.notes, progress=progress
    )
    # A line that is learned from invented marks would move nothing but invented talks.
    result = replace(declared_invented(found), recalibration=None)
    scores = DemoScores(result, out / f"{NAME}.html", out / f"{NAME}.jsonl")
    write_page(scores.html, render_dialogues(result))
    write_lines(scores.lines, result)
    return scores
