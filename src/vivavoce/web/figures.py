"""Figures of runs as pages show them: the stored picture, with the address of its live version."""

from __future__ import annotations

import json
from dataclasses import dataclass

from markupsafe import Markup

from vivavoce.errors import AbsentError
from vivavoce.kept import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.web.chart_words import retell_picture, retell_spec
from vivavoce.web.language import DEFAULT, Words
from vivavoce.workspace.exams.runs import document


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure: its title, how it is read, the picture, where its specification is, and the name of its chart.

    A picture without a name is told in the reader's language already.
    """

    title: str
    meaning: str
    svg: Markup
    address: str
    name: str = ""

    def in_words(self, language: str) -> Markup:
        """Return the picture with its words in a language."""
        # Only words of ours and escaped texts take the place of others.
        return Markup(retell_picture(language, self.name, str(self.svg))) if self.name else self.svg  # noqa: S704


_KEPT: Kept[Drawn | None] = Kept(60)


def drawn(store: Store, project: Project, run: Run, name: str) -> Drawn | None:
    """Return a figure of a run that is done; None where the run had no data for it."""
    address = f"/p/{project.slug}/runs/{run.number}/charts/{name}.json"
    return _KEPT.get((run.id, run.version, name), lambda: _made(store, run, name, address))


def _made(store: Store, run: Run, name: str, address: str) -> Drawn | None:
    try:
        spec = json.loads(document(store, run, f"charts/{name}.json"))
        svg = document(store, run, f"charts/{name}.svg").decode()
    except AbsentError:
        return None
    told = spec.get("usermeta", {})
    # Written by ourselves when the run was concluded, with all texts in it escaped.
    return Drawn(told.get("title", name), told.get("meaning", ""), Markup(svg), address, name)  # noqa: S704


def chart_file(store: Store, run: Run, name: str, kind: str, words: Words) -> bytes:
    """Return the chart of a run as `json` or `svg`, with its words in the reader's language."""
    content = document(store, run, f"charts/{name}.{kind}")
    if words.language == DEFAULT:
        return content
    if kind == "svg":
        return retell_picture(words.language, name, content.decode()).encode()
    return json.dumps(retell_spec(words, name, json.loads(content))).encode()
