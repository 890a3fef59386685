"""What a run leaves behind: findings, reports and charts as documents, and material as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from vivavoce.errors import DataError
from vivavoce.jobs.exams.protocol import Document
from vivavoce.records import Dataset, Example

if TYPE_CHECKING:
    from vivavoce.reports.shared.figures import Figure

__all__ = [
    "canonical_json",
    "dataset_from_bytes",
    "dataset_to_bytes",
    "figure_documents",
    "html_document",
    "json_document",
    "page_spec",
]

JSON, HTML, SVG = "application/json", "text/html", "image/svg+xml"


def canonical_json(value: object) -> bytes:
    """Return the one JSON form of a value: sorted keys, no spaces, ASCII alone."""
    # ASCII, because a message may hold half a character, which no other encoding can write.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def json_document(name: str, value: object) -> Document:
    """Return a document that machines read."""
    return Document(name, JSON, canonical_json(value))


def html_document(name: str, page: str) -> Document:
    """Return a page."""
    return Document(name, HTML, page.encode("utf-8", "replace"))


def figure_documents(figures: Mapping[str, Figure]) -> Iterator[Document]:
    """Yield each figure twice: as a specification that a browser draws, and drawn.

    The specification also says what the figure is called and how it is read.
    """
    from vivavoce.reports.shared.svg import to_svg

    for name, figure in figures.items():
        told = {"title": figure.title, "meaning": figure.meaning}
        yield json_document(f"charts/{name}.json", {**page_spec(figure.chart.to_dict()), "usermeta": told})
        yield Document(f"charts/{name}.svg", SVG, to_svg(figure.chart).encode("utf-8", "replace"))


def page_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the specification of a chart as a page wants it: as wide as its place, where the chart can stretch.

    A chart whose width follows from its columns, or that consists of several, keeps its own size.
    """
    if "facet" in spec or not isinstance(spec.get("width"), int | float):
        return {**spec, "autosize": {"type": "pad"}}
    return {**spec, "width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}


# --- training data -----------------------------------------------------------------------------------------------


def dataset_to_bytes(data: Dataset) -> bytes:
    """Return training data as canonical JSON: the same data give the same bytes."""
    examples = [
        {
            "text": one.text,
            "intent": one.intent,
            "created": None if one.created is None else one.created.isoformat(),
            "language": one.language,
            "split": one.split,
            "answer": one.answer,
            "row": one.row,
            # Left out where there is none, so that data without ids have the bytes, and the hash, they always had.
            **({} if one.id is None else {"id": one.id}),
        }
        for one in data.examples
    ]
    return canonical_json({"source": data.source, "notes": list(data.notes), "examples": examples})


def dataset_from_bytes(content: bytes) -> Dataset:
    """Return the training data that were written; DataError where the bytes hold none."""
    try:
        plain = json.loads(content)
        examples = tuple(_example(one) for one in plain["examples"])
        return Dataset(examples, plain["source"], tuple(plain["notes"]))
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"these bytes hold no training data ({type(error).__name__}: {error})",
            remedy="write them with dataset_to_bytes",
        ) from None


def _example(plain: Mapping[str, Any]) -> Example:
    created = plain["created"]
    return Example(**{**plain, "created": None if created is None else datetime.fromisoformat(created)})
