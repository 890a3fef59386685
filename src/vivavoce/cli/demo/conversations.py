"""The second half of `viva demo`: the flight suite held with three local engines."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from vivavoce.cli.shared.progress import Report
from vivavoce.cli.shared.results import write_content, write_page

if TYPE_CHECKING:
    from vivavoce.conversations import ConversationsResult

SUITE = "flight"


@dataclass(frozen=True, slots=True)
class DemoTalks:
    """The conversations of the demo and the files that they left."""

    result: ConversationsResult
    folder: Path
    html: Path
    json: Path

    def to_json(self) -> dict[str, object]:
        """Return where the findings are, and their first sentence."""
        from vivavoce.reports.conversations.wording import headline

        return {"name": SUITE, "headline": headline(self.result), "html": str(self.html), "json": str(self.json)}

    def show(self, console: Console) -> None:
        """Show how the engines did."""
        from vivavoce.conversations import RunRecord
        from vivavoce.reports.conversations.tables import show_conversations
        from vivavoce.reports.shared.layout import heading

        console.print(heading("Booking a flight: the same conversations with three engines"))
        with RunRecord.open(self.folder) as record:
            show_conversations(console, self.result, record)


def hold_demo(out: Path, progress: Report) -> DemoTalks:
    """Hold the flight suite with the local engines and write the report."""
    from vivavoce.agents import ENGINES
    from vivavoce.conversations import RunRecord, examine_conversations, result_to_json
    from vivavoce.reports.conversations.html import render_conversations

    folder = out / f"{SUITE}-run"
    # The folder of the demo is the demo's own: a second demo begins anew.
    shutil.rmtree(folder, ignore_errors=True)
    result = examine_conversations(SUITE, tuple(ENGINES), record=folder, progress=progress)
    talks = DemoTalks(result, folder, out / f"{SUITE}.html", out / f"{SUITE}.json")
    with RunRecord.open(folder) as record:
        write_page(talks.html, render_conversations(result, record))
    write_content(talks.json, result_to_json(result))
    return talks
