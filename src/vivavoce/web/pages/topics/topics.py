"""Topics: the list with how each one stands, one topic with its examples, and what is out of scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.measures import Measure
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import TABLES, download, page, table_file, words_of
from vivavoce.web.formats import Writer
from vivavoce.web.forms import MOST_WHY
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing, PageNumber, Search
from vivavoce.web.pages.topics.choosing import Ticked, Ticking, target_field, ticking
from vivavoce.web.pages.topics.edits import shown_edits
from vivavoce.web.parts import Choice, Column, Edit, Field, Pager
from vivavoce.web.rendering import Link
from vivavoce.workspace.topics.datasets import COLUMNS, example_table, export_json
from vivavoce.workspace.topics.examples import ExamplePage, list_examples
from vivavoce.workspace.topics.history import topic_edits
from vivavoce.workspace.topics.names import OUT_OF_SCOPE
from vivavoce.workspace.topics.overview import (
    FLAGS,
    LIST_COLUMNS,
    Flag,
    JudgedExample,
    TopicLine,
    TopicList,
    TopicState,
    judge_examples,
    list_topics,
    topic_state,
    topic_table,
)

router = APIRouter()
ROWS = 40
HISTORY = 10
FileKind = Literal["csv", "xlsx", "json"]
Sort = Annotated[str, Query(max_length=20)]
FLAG_TITLES: Mapping[Flag, str] = {
    "few": gettext_noop("few examples"),
    "magnet": gettext_noop("attracts others"),
    "silent": gettext_noop("no answer"),
    "changed": gettext_noop("changed since the exam"),
}
FLAG_MEANINGS: Mapping[Flag, str] = {
    "few": gettext_noop("It has fewer than five examples: nothing can learn it reliably."),
    "magnet": gettext_noop("More than a third of the answers that were given with it belong elsewhere."),
    "silent": gettext_noop("It has no answer in any language."),
    "changed": gettext_noop("It was changed after the last exam: its numbers may be different now."),
}


@dataclass(frozen=True, slots=True)
class FlagMark:
    """A flag as it is shown."""

    title: str
    meaning: str
    tone: Literal["bad", "neutral"]


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic in the list."""

    line: TopicLine
    href: str
    flags: tuple[FlagMark, ...]


@dataclass(frozen=True, slots=True)
class TopicsView:
    """The list of topics."""

    lead: str
    found: TopicList
    rows: tuple[TopicRow, ...]
    filters: tuple[Field, ...]
    columns: tuple[Column, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    path: str
    ticking: Ticking | None


@dataclass(frozen=True, slots=True)
class TopicView:
    """One topic with its examples, or those out of scope (`state` None)."""

    lead: str
    path: str
    base: str
    back: str
    state: TopicState | None
    measures: Mapping[str, Measure]
    flags: tuple[FlagMark, ...]
    examples: tuple[JudgedExample, ...]
    examined: Run | None
    filters: tuple[Field, ...]
    pager: Pager
    moving: tuple[Field, ...]
    ticking: Ticking | None
    ticked: frozenset[str]
    adding: tuple[Field, ...]
    edits: tuple[Edit, ...] = ()
    error: InputError | None = None


@router.get("/p/{slug}/topics")
def show_topics(
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    *,
    q: Search = "",
    flag: Annotated[Flag | Literal[""], Query()] = "",
    sort: Sort = "name",
    page_number: PageNumber = 1,
) -> Response:
    """Show the topics of a project."""
    words, path = words_of(request), f"/p/{project.slug}/topics"
    listing = Listing(path, {"q": q, "flag": flag}, sort, page_number, ROWS)
    found = list_topics(store, project, search=q, flag=flag or None, sort=sort, limit=ROWS, offset=listing.offset)
    view = TopicsView(
        _list_lead(words, found, narrowed=bool(q or flag)),
        found,
        tuple(TopicRow(line, f"{path}/{line.topic.id}", _marks(words, line)) for line in found.lines),
        _list_filters(words, q, flag),
        _list_columns(words, listing),
        listing.pager(found.total),
        _list_downloads(words, listing),
        path,
        ticking(words, listing.pager(found.total), len(found.lines), search=q, flag=flag),
    )
    return page(request, "topics/topics.html", words.gettext("Topics"), view=view, project=project, section="topics")


@router.get("/p/{slug}/topics.{kind}")
def export_list(
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    *,
    kind: str,
    q: Search = "",
    flag: Annotated[Flag | Literal[""], Query()] = "",
    sort: Sort = "name",
) -> Response:
    """Return the list as it is shown, all pages of it."""
    found = list_topics(store, project, search=q, flag=flag or None, sort=sort, limit=None)
    return table_file(f"{project.slug}-topics", kind, LIST_COLUMNS, topic_table(found))


@router.get("/p/{slug}/topics/export.{kind}")
def export_examples(who: Reader, store: InStore, project: ProjectInPath, kind: FileKind) -> Response:
    """Return all examples with their topics and answers, as an import reads them."""
    if kind == "json":
        return download(f"{project.slug}.json", "application/json", export_json(store, project))
    return table_file(project.slug, kind, COLUMNS, example_table(store, project))


@router.get("/p/{slug}/topics/out-of-scope")
def show_out_of_scope(
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    *,
    q: Search = "",
    page_number: PageNumber = 1,
) -> Response:
    """Show the examples that belong to no topic."""
    return topic_page(request, store, project, None, search=q, number=page_number)


@router.get("/p/{slug}/topics/{topic_id}")
def show_topic(
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    *,
    topic_id: str,
    q: Search = "",
    page_number: PageNumber = 1,
) -> Response:
    """Show one topic."""
    return topic_page(request, store, project, topic_id, search=q, number=page_number)


# --- one topic, also shown again where a form on it was refused ----------------------------------------------------


def topic_page(
    request: Request,
    store: Store,
    project: Project,
    topic_id: str | None,
    *,
    search: str = "",
    number: int = 1,
    typed: str = "",
    ticked: Ticked = Ticked(),  # noqa: B008 - frozen
    why: str = "",
    error: InputError | None = None,
) -> Response:
    """Return the page of a topic (None: out of scope), with what was ticked and typed in a form that was refused."""
    words = words_of(request)
    state = None if topic_id is None else topic_state(store, project, topic_id)
    topic = state.line.topic if state else None
    path = topic_path(project, topic_id)
    search, number = search or ticked.search, max(number, ticked.page)
    listing = Listing(path, {"q": search}, page=number)
    found = _found_examples(store, project, topic_id, search, listing)
    view = TopicView(
        _topic_lead(words, state, found.total),
        path,
        f"/p/{project.slug}",
        topic_id or "",
        state,
        MEASURES,
        _marks(words, state.line) if state else (),
        judge_examples(store, project, found.examples, topic),
        state.run if state else None,
        (Field("q", words.gettext("Search the examples"), "search", search, key="/"),),
        listing.pager(found.total),
        _moving(words, store, project, topic_id, why),
        ticking(words, listing.pager(found.total), len(found.examples), search=search),
        frozenset(ticked.ids),
        _adding(words, typed),
        shown_edits(project, topic_edits(store, topic_id, limit=HISTORY)) if topic_id else (),
        error,
    )
    title = topic.name if topic else words.gettext("Out of scope")
    status = 400 if error else 200
    return page(request, "topics/topic.html", title, view=view, project=project, section="topics", status=status)


def _found_examples(
    store: Store, project: Project, topic_id: str | None, search: str, listing: Listing
) -> ExamplePage:
    return list_examples(
        store,
        project,
        topic_id=topic_id,
        out_of_scope=topic_id is None,
        search=search,
        limit=listing.size,
        offset=listing.offset,
    )


def topic_path(project: Project, topic_id: str | None) -> str:
    """Return the address of a topic (None: out of scope)."""
    return f"/p/{project.slug}/topics/{topic_id or 'out-of-scope'}"


# --- the words of a page -----------------------------------------------------------------------------------------


def _list_lead(words: Words, found: TopicList, *, narrowed: bool) -> str:
    write = Writer(words)
    if not found.topics:
        return words.gettext("This project has no topics yet.")
    if narrowed:
        return words.ngettext(
            "%(count)s of %(total)s topics fits.",
            "%(count)s of %(total)s topics fit.",
            found.total,
            count=write.number(found.total),
            total=write.number(found.topics),
        )
    said = words.gettext(
        "%(topics)s with %(examples)s",
        topics=words.ngettext("%(count)s topic", "%(count)s topics", found.topics, count=write.number(found.topics)),
        examples=_examples_said(words, found.examples),
    )
    if not found.flagged:
        return words.gettext("%(what)s, and none needs a look.", what=said)
    return words.ngettext(
        "%(what)s; %(count)s of them needs a look.",
        "%(what)s; %(count)s of them need a look.",
        found.flagged,
        what=said,
        count=write.number(found.flagged),
    )


def _topic_lead(words: Words, state: TopicState | None, total: int) -> str:
    write = Writer(words)
    if state is None:
        return words.ngettext(
            "%(count)s message that no topic should answer.",
            "%(count)s messages that no topic should answer.",
            total,
            count=write.number(total),
        )
    line = state.line
    size = _examples_said(words, line.size)
    if not line.asked:
        return words.gettext("%(size)s, not examined yet.", size=size)
    counts = {
        "size": size,
        "right": write.number(line.right),
        "deferred": write.number(line.deferred),
        "wrong": write.number(line.wrong),
    }
    if line.asked == line.size:
        return words.gettext("%(size)s: %(right)s right, %(deferred)s deferred, %(wrong)s wrong.", **counts)
    return words.gettext(
        "%(size)s. In the last exam, of %(asked)s tested: %(right)s right, %(deferred)s deferred, %(wrong)s wrong.",
        asked=_examples_said(words, line.asked),
        **counts,
    )


def _examples_said(words: Words, n: int) -> str:
    return words.ngettext("%(count)s example", "%(count)s examples", n, count=Writer(words).number(n))


def _marks(words: Words, line: TopicLine) -> tuple[FlagMark, ...]:
    return tuple(
        FlagMark(
            words.gettext(FLAG_TITLES[flag]),
            words.gettext(FLAG_MEANINGS[flag]),
            "neutral" if flag == "changed" else "bad",
        )
        for flag in line.flags
    )


def _list_filters(words: Words, search: str, flag: str) -> tuple[Field, ...]:
    flags = (Choice("", words.gettext("all")), *(Choice(name, words.gettext(FLAG_TITLES[name])) for name in FLAGS))
    return (
        Field("q", words.gettext("Search names, descriptions and answers"), "search", search, key="/"),
        Field("flag", words.gettext("Show"), "select", flag, choices=flags),
    )


def _list_columns(words: Words, listing: Listing) -> tuple[Column, ...]:
    share = words.gettext("Of all questions of the last exam, the share that belongs to the topic.")
    bar = words.gettext("What became of its questions in the last exam, over all retries.")
    return (
        listing.column(words.gettext("Topic"), "name"),
        listing.column(words.gettext("Examples"), "size", number=True, down=True),
        listing.column(words.gettext("Share of questions"), "share", number=True, down=True, meaning=share),
        listing.column(words.gettext("Right, deferred, wrong"), "wrong", down=True, meaning=bar),
        listing.column(words.gettext("To look at"), "flags", down=True),
        listing.column(words.gettext("Owner"), "owner"),
    )


def _list_downloads(words: Words, listing: Listing) -> tuple[Link, ...]:
    this = (Link(words.gettext("this list as %(kind)s", kind=kind.upper()), listing.file(kind)) for kind in TABLES)
    everything = (
        Link(words.gettext("all examples as %(kind)s", kind=kind.upper()), f"{listing.path}/export.{kind}")
        for kind in (*TABLES, "json")
    )
    return (*this, *everything)


def _moving(words: Words, store: Store, project: Project, topic_id: str | None, why: str) -> tuple[Field, ...]:
    reason = Field("reason", words.gettext("Why"), value=why, most=MOST_WHY)
    return target_field(words, store, project, topic_id or OUT_OF_SCOPE), reason


def _adding(words: Words, typed: str) -> tuple[Field, ...]:
    help_text = words.gettext(
        "One message on each line, as visitors write them. A tab and the name of another topic send a line there."
    )
    title = words.gettext("New examples")
    why = Field("why", words.gettext("Why"), most=MOST_WHY)
    return (Field("text", title, "textarea", typed, help=help_text, required=True, rows=4), why)
