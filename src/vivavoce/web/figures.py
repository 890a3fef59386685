"""Figures of runs as pages show them: the stored picture, with the address of its live version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from vivavoce.errors import AbsentError
from vivavoce.kept import Kept
from vivavoce.messages import restore_messages
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.web.chart_words import draw, translate_spec
from vivavoce.web.language import DEFAULT, Words
from vivavoce.workspace.exams.runs import document


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure: its title, how it is read, the picture, where its specification is, and that specification.

    A picture without a specification is in the reader's language already.
    """

    title: str
    meaning: str
    svg: Markup
    address: str
    spec: Mapping[str, Any] = field(default_factory=dict)
    key: tuple[object, ...] = ()

    def in_words(self, language: str) -> Markup:
        """Return the picture with its words in a language; one of an older release stays English."""
        if language == DEFAULT or "messages" not in self.spec:
            return self.svg
        # Drawn by ourselves, with all texts in it escaped.
        return _PICTURES.get((*self.key, language), lambda: Markup(draw(Words(language), self.spec)))  # noqa: S704


_KEPT: Kept[Drawn | None] = Kept(60)
_PICTURES: Kept[Markup] = Kept(240)


def drawn(store: Store, project: Project, run: Run, name: str) -> Drawn | None:
    """Return a figure of a run that is done; None where the run had no data for it."""
    address = f"/p/{project.slug}/runs/{run.number}/charts/{name}.json"
    key = (run.id, run.version, name)

    def read() -> Drawn | None:
        try:
            spec = json.loads(document(store, run, f"charts/{name}.json"))
            svg = document(store, run, f"charts/{name}.svg").decode()
        except AbsentError:
            return None
        about = restore_messages(spec).get("usermeta", {})
        # Written by ourselves when the run was concluded, with all texts in it escaped.
        return Drawn(about.get("title", name), about.get("meaning", ""), Markup(svg), address, spec, key)  # noqa: S704

    return _KEPT.get(key, read)


def chart_file(store: Store, run: Run, name: str, kind: str, words: Words) -> bytes:
    """Return the chart of a run as `json` or `svg`, with its words in the reader's language."""
    content = document(store, run, f"charts/{name}.{kind}")
    if words.language == DEFAULT:
        return content
    spec = json.loads(document(store, run, f"charts/{name}.json"))
    if kind == "json":
        return json.dumps(translate_spec(words, spec)).encode()
    return draw(words, spec).encode() if "messages" in spec else content
