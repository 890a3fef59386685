"""What a run leaves behind: findings, reports and charts as documents, and material as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from vivavoce.codec import from_json, shape, to_json
from vivavoce.errors import DataError, UsageError, nearest, plural, without_remedy
from vivavoce.jobs.exams.protocol import Document, Finished
from vivavoce.messages import add_messages, change_texts, restore_messages, say
from vivavoce.records import Dataset, Example

if TYPE_CHECKING:
    from vivavoce.reports.shared.charts import Figure


JSON, HTML, SVG = "application/json", "text/html", "image/svg+xml"


def canonical_json(value: object) -> bytes:
    """Return the one JSON form of a value: sorted keys, no spaces, ASCII alone."""
    # ASCII, because a message may hold half a character, which no other encoding can write.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def json_document(name: str, value: Mapping[str, Any]) -> Document:
    """Return a document that machines read; the messages in it are listed, so that they can be translated."""
    return Document(name, JSON, canonical_json(add_messages(value)))


def storable(text: str) -> str:
    """Return a text that every database takes: no half characters, none that ends a string."""

    def clean(value: str) -> str:
        return value.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "backslashreplace").decode()

    return change_texts(text, clean)


def html_document(name: str, page: str) -> Document:
    """Return a page."""
    return Document(name, HTML, page.encode("utf-8", "replace"))


def figure_documents(figures: Mapping[str, Figure]) -> Iterator[Document]:
    """Yield each figure twice: as a specification that a browser draws, and drawn.

    The specification also says what the figure is called, how it is read, and how wide it is drawn.
    """
    from vivavoce.reports.shared.svg import to_svg

    for name, figure in figures.items():
        spec = figure.chart.to_dict()
        about = {"title": figure.title, "meaning": figure.meaning, "width": spec.get("width")}
        yield json_document(f"charts/{name}.json", {**page_spec(spec), "usermeta": about})
        yield Document(f"charts/{name}.svg", SVG, to_svg(figure.chart).encode("utf-8", "replace"))


def page_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the specification of a chart as a page wants it: as wide as its place, where the chart can stretch.

    A chart whose width follows from its columns, or that consists of several, keeps its own size.
    """
    if "facet" in spec or not isinstance(spec.get("width"), int | float):
        return {**spec, "autosize": {"type": "pad"}}
    return {**spec, "width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}


def dataset_to_bytes(data: Dataset) -> bytes:
    """Return training data as canonical JSON: the same data give the same bytes."""
    return canonical_json(add_messages(to_json(data)))


def dataset_from_bytes(content: bytes) -> Dataset:
    """Return the training data that were written; DataError where the bytes hold none."""
    remedy = say("write them with dataset_to_bytes")
    try:
        plain = restore_messages(json.loads(content))
    except ValueError as error:
        raise DataError(say("these bytes contain no training data ({error})", error=error), remedy=remedy) from None
    return from_json(Dataset, plain, what="these bytes contain no training data: they", remedy=remedy)


# Left out where there is none, so that data without ids have the bytes, and the hash, they always had.
shape(Example, brief="id", lenient=True, trusted=True)
shape(Dataset, skip="recognised")


T = TypeVar("T")
NOT_DONE = say("not done")


def find_unit(units: Mapping[str, T], name: str) -> T:
    """Return the unit of this key; refuse one that the exam does not have."""
    if name not in units:
        raise UsageError(
            say("the exam has no unit '{name}'.{nearest}", name=name, nearest=nearest(name, list(units))),
            remedy=say("plan the run again and restart it"),
        )
    return units[name]


def reasons_of(finished: Finished) -> dict[str, str]:
    """Return why units failed, by their keys, without the advice."""
    return {failure.key: without_remedy(failure.reason) for failure in finished.failures}


def remarks_on(finished: Finished, keys: Iterable[str]) -> Iterator[str]:
    """Say which results belong to no unit of the plan: they were passed over."""
    strange = sorted(set(finished.results) - set(keys))
    if strange:
        what = f"{plural(len(strange), 'result')} of no unit of this exam skipped"
        yield f"{what}: {', '.join(strange[:5])}{', ...' if len(strange) > 5 else ''}."
