"""Topics: the list with how each one stands, one topic with its examples, and what is out of scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from vivavoce.languages import Use, name_languages
from vivavoce.web.answers import TABLES, download, table_file
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, PageNumber, Search, Word
from vivavoce.web.pages.exams.intents import examine_view
from vivavoce.web.pages.topics.choosing import ticking
from vivavoce.web.pages.topics.topic_page import (
    FLAG_LOOKS,
    FLAG_TITLES,
    count_examples,
    shown_flags,
    topic_page,
    topic_path,
)
from vivavoce.web.parts import Field, hidden_field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.topics.datasets import COLUMNS, example_table, export_json
from vivavoce.workspace.topics.overview import (
    FLAGS,
    LIST_COLUMNS,
    Flag,
    TopicLine,
    TopicList,
    list_topics,
    topic_table,
)
from vivavoce.workspace.topics.topics import topic_names

router = APIRouter()
ROWS = 40
MAX_OWNERS = 12
FileKind = Literal["csv", "xlsx", "json"]


async def _asked_topics(
    *,
    q: Search = "",
    flag: Annotated[Flag | Literal[""], Query()] = "",
    owner: Word = "",
    language: Annotated[str, Query(max_length=20)] = "",
    sort: Annotated[str, Query(max_length=20)] = "name",
    page: PageNumber = 1,
) -> Listing:
    return Listing("", {"q": q, "flag": flag, "owner": owner, "language": language}, sort, page, ROWS)


TopicsAsked = Annotated[Listing, Depends(_asked_topics)]


@router.get("/p/{slug}/topics")
def show_topics(visit: ReaderVisit, asked: TopicsAsked) -> Response:
    """Show the topics of a project."""
    words, listing = visit.words, asked.at(f"{visit.base}/topics")
    page, chosen = _list(visit, asked, limit=ROWS, offset=asked.offset), asked.chosen
    pager, narrowing = listing.pager(page.total), {name: value for name, value in chosen.items() if name != "q"}
    names = topic_names(*visit.here) if page.counts.get("twin") else {}
    view = View(
        lead=_describe_list(visit, page),
        facts=_list_facts(visit, page),
        path=listing.path,
        found=page,
        rows=[_shown_line(visit, line, names) for line in page.lines],
        facets=list(_facets(visit, listing, page)),
        search=Field("q", words.gettext("Search names, descriptions and answers"), "search", chosen["q"], key="f"),
        carried=[hidden_field(name, value) for name, value in narrowing.items() if value],
        shown=_describe_shown(visit, page) if any(chosen.values()) else "",
        columns=_columns(words, listing),
        pager=pager,
        downloads=[
            *(Link(words.gettext("this list as %(kind)s", kind=kind.upper()), listing.file(kind)) for kind in TABLES),
            *(
                Link(words.gettext("all examples as %(kind)s", kind=kind.upper()), f"{listing.path}/export.{kind}")
                for kind in (*TABLES, "json")
            ),
        ],
        examine=None if page.run else examine_view(visit),
        ticking=ticking(words, pager, len(page.lines), search=chosen["q"], **narrowing),
    )
    return visit.page("topics/topics.html", words.gettext("Topics"), view=view)


def _columns(words: Words, listing: Listing) -> tuple[object, ...]:
    bar = words.gettext("How its examples did in the last exam.")
    return (
        listing.column(words.gettext("Topic"), "name"),
        listing.column(words.gettext("Examples"), "size", number=True, down=True),
        listing.column(words.gettext("In the last exam"), "wrong", down=True, meaning=bar),
        listing.column(words.gettext("What to look at"), "flags", down=True),
    )


def _shown_line(visit: Visit, line: TopicLine, names: Mapping[str, str]) -> View:
    """Return a row of the list; `twins` are topics of nearly the same name, `merge` the page that joins them."""
    twins = [names[key] for key in line.twins if key in names]
    chosen = "&".join(f"topic={key}" for key in (line.topic.id, *line.twins))
    return View(
        line=line,
        href=topic_path(visit.project, line.topic.id),
        flags=shown_flags(visit.words, line),
        twins=", ".join(twins),
        merge=f"{visit.base}/topics/merge?{chosen}" if twins else "",
    )


def _facets(visit: Visit, listing: Listing, page: TopicList) -> Iterator[View]:
    """Yield what the list can be narrowed down to, with counts; a choice that is made is taken back by a click."""
    words, titles = visit.words, name_languages(Use.PROJECTS)
    flags = [
        _choice(listing, ("flag", flag), words.gettext(FLAG_TITLES[flag]), page.counts[flag], FLAG_LOOKS[flag])
        for flag in FLAGS
        if page.counts.get(flag)
    ]
    most = sorted(page.owners.items(), key=lambda pair: -pair[1])[:MAX_OWNERS]
    owners = [_choice(listing, ("owner", name), name, count) for name, count in most]
    languages = [
        _choice(listing, ("language", code), words.said(titles.get(code, code)), count)
        for code, count in page.languages.items()
    ]
    if flags:
        yield View(title=words.gettext("What to look at"), choices=flags)
    if owners:
        yield View(title=words.gettext("Owner"), choices=owners)
    if len(visit.project.languages) > 1 and languages:
        yield View(title=words.gettext("Answer in"), choices=languages)


def _choice(
    listing: Listing, chosen: tuple[str, str], title: str, count: int, look: tuple[str, str] = ("", "")
) -> View:
    name, value = chosen
    current = listing.chosen[name] == value
    href = listing.address(**{name: "" if current else value})
    return View(title=title, count=count, href=href, current=current, tone=look[0], sign=look[1])


def _list(visit: Visit, asked: Listing, *, limit: int | None, offset: int = 0) -> TopicList:
    chosen = asked.chosen
    return list_topics(
        *visit.here,
        search=chosen["q"],
        flag=next((name for name in FLAGS if name == chosen["flag"]), None),
        owner=chosen["owner"],
        language=chosen["language"],
        sort=asked.sort,
        limit=limit,
        offset=offset,
    )


@router.get("/p/{slug}/topics.{kind}")
def export_list(visit: ReaderVisit, kind: str, asked: TopicsAsked) -> Response:
    """Return the list as it is shown, all pages of it."""
    return table_file(
        f"{visit.project.slug}-topics", kind, LIST_COLUMNS, topic_table(_list(visit, asked, limit=None))
    )


@router.get("/p/{slug}/topics/export.{kind}")
def export_examples(visit: ReaderVisit, kind: FileKind) -> Response:
    """Return all examples with their topics and answers, as an import reads them."""
    if kind == "json":
        return download(f"{visit.project.slug}.json", "application/json", export_json(*visit.here))
    return table_file(visit.project.slug, kind, COLUMNS, example_table(*visit.here))


@router.get("/p/{slug}/topics/out-of-scope")
def show_out_of_scope(visit: ReaderVisit, q: Search = "", show: Word = "", page_number: PageNumber = 1) -> Response:
    """Show the examples that belong to no topic."""
    return topic_page(visit, None, search=q, show=show, number=page_number)


@router.get("/p/{slug}/topics/{topic_id}")
def show_topic(
    visit: ReaderVisit, topic_id: str, q: Search = "", show: Word = "", page_number: PageNumber = 1
) -> Response:
    """Show one topic."""
    return topic_page(visit, topic_id, search=q, show=show, number=page_number)


def _describe_list(visit: Visit, page: TopicList) -> str:
    words, number = visit.words, visit.write.number
    if not page.topics:
        return words.gettext("This project has no topics yet.")
    size = words.gettext(
        "%(topics)s, %(examples)s",
        topics=words.ngettext("%(count)s topic", "%(count)s topics", page.topics, count=number(page.topics)),
        examples=count_examples(visit, page.examples),
    )
    if not page.flagged:
        return words.gettext("%(what)s; none needs attention.", what=size)
    return words.ngettext(
        "%(what)s; %(count)s needs attention.",
        "%(what)s; %(count)s need attention.",
        page.flagged,
        what=size,
        count=number(page.flagged),
    )


def _list_facts(visit: Visit, page: TopicList) -> list[object]:
    """Return what else there is to know: counted apart, since it often holds for all topics at once."""
    words, number = visit.words, visit.write.number
    facts: list[object] = []
    if silent := page.counts.get("silent"):
        facts.append(
            words.ngettext(
                "%(count)s topic has no answer", "%(count)s topics have no answer", silent, count=number(silent)
            )
        )
    if page.run and page.topics:
        facts.append(words.gettext("results from exam %(number)s", number=page.run.number))
        facts.append(visit.write.ago(page.run.created))
    elif page.topics:
        facts.append(words.gettext("not examined yet"))
    return facts


def _describe_shown(visit: Visit, page: TopicList) -> str:
    return visit.words.ngettext(
        "%(count)s of %(total)s topics shown.",
        "%(count)s of %(total)s topics shown.",
        page.total,
        count=visit.write.number(page.total),
        total=visit.write.number(page.topics),
    )
