"""The page of one topic, or of what is out of scope: answer, examples with what became of each, history."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.store.rows import Project
from vivavoce.web.forms import MAX_WHY
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing
from vivavoce.web.pages.topics.choosing import Ticked, target_field, ticking
from vivavoce.web.pages.topics.edits import shown_edits
from vivavoce.web.parts import Field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.topics.examples import VERDICTS, JudgedExample, JudgedPage, Verdict, list_judged
from vivavoce.workspace.topics.history import topic_edits
from vivavoce.workspace.topics.names import OUT_OF_SCOPE
from vivavoce.workspace.topics.overview import Flag, TopicLine, TopicState, topic_state
from vivavoce.workspace.topics.topics import topic_names

HISTORY = 10
NOTHING_TICKED = Ticked()
FLAG_TITLES: Mapping[Flag, str] = {
    "wrong": gettext_noop("often wrong"),
    "few": gettext_noop("few examples"),
    "magnet": gettext_noop("attracts other questions"),
    "twin": gettext_noop("similar name"),
    "silent": gettext_noop("no answer"),
    "changed": gettext_noop("changed since the exam"),
}
FLAG_MEANINGS: Mapping[Flag, str] = {
    "wrong": gettext_noop("More than a third of its examples were answered from other topics in the last exam."),
    "few": gettext_noop("It has fewer than five examples, too few to learn it reliably."),
    "magnet": gettext_noop("More than a third of the answers given from this topic belong to other topics."),
    "twin": gettext_noop("Another topic has nearly the same name. If they mean the same, merge them."),
    "silent": gettext_noop("It has no answer in any language."),
    "changed": gettext_noop("It changed after the last exam, so its results may differ now."),
}
# How a flag looks: its tone and its icon.
FLAG_LOOKS: Mapping[Flag, tuple[str, str]] = {
    "wrong": ("bad", "cross"),
    "few": ("hold", "warn"),
    "magnet": ("bad", "swap"),
    "twin": ("hold", "swap"),
    "silent": ("neutral", "edit"),
    "changed": ("neutral", "clock"),
}
VERDICT_TITLES: Mapping[Verdict, str] = {
    "wrong": gettext_noop("wrong"),
    "deferred": gettext_noop("declined"),
    "untested": gettext_noop("not tested"),
    "right": gettext_noop("right"),
}
# How a verdict looks: the tone and icon of its chip.
VERDICT_LOOKS: Mapping[Verdict, tuple[str, str]] = {
    "wrong": ("loud", "cross"),
    "deferred": ("hold", "person"),
    "untested": ("neutral", ""),
    "right": ("quiet", "check"),
}


def topic_page(
    visit: Visit,
    topic_id: str | None,
    *,
    search: str = "",
    show: str = "",
    number: int = 1,
    typed: str = "",
    ticked: Ticked = NOTHING_TICKED,
    why: str = "",
    error: InputError | None = None,
) -> Response:
    """Return the page of a topic (None: out of scope), with what was ticked and typed in a form that was refused."""
    words, state = visit.words, None if topic_id is None else topic_state(*visit.here, topic_id)
    search, show, number = search or ticked.search, show or ticked.flag, max(number, ticked.page)
    listing = Listing(topic_path(visit.project, topic_id), {"q": search, "show": show}, page=number)
    page = list_judged(
        *visit.here, topic_id, search=search, verdict=verdict_of(show), limit=listing.size, offset=listing.offset
    )
    pager, names = listing.pager(page.total), topic_names(*visit.here)
    view = View(
        lead=_describe(visit, state, page),
        path=listing.path,
        base=visit.base,
        back=topic_id or "",
        state=state,
        measures=MEASURES,
        flags=shown_flags(words, state.line) if state else (),
        twins=[Link(names[key], topic_path(visit.project, key)) for key in (state.line.twins if state else ())],
        neighbours=_neighbours(visit.project, state, names),
        merge_twins=f"{visit.base}/topics/merge?topic={topic_id}&topic={state.line.twins[0]}"
        if state and state.line.twins
        else "",
        examples=[_shown_example(visit, one, names) for one in page.examples],
        seg=_verdict_links(visit, listing, page),
        filters=(Field("q", words.gettext("Search examples"), "search", search, key="f"),),
        show=show,
        pager=pager,
        moving=(
            target_field(visit, topic_id or OUT_OF_SCOPE),
            Field("reason", words.gettext("Reason"), value=why, most=MAX_WHY),
        ),
        ticking=ticking(words, pager, len(page.examples), search=search, flag=show),
        ticked=frozenset(ticked.ids),
        adding=_adding_fields(words, typed),
        edits=shown_edits(visit.project, topic_edits(visit.store, topic_id, limit=HISTORY)) if topic_id else (),
        error=error,
    )
    title = state.line.topic.name if state else words.gettext("Out-of-scope questions")
    return visit.page("topics/topic.html", title, view=view, status=400 if error else 200)


def topic_path(project: Project, topic_id: str | None) -> str:
    """Return the address of a topic (None: out of scope)."""
    return f"/p/{project.slug}/topics/{topic_id or 'out-of-scope'}"


def verdict_of(name: str) -> Verdict | None:
    """Return the verdict that an address or a form names."""
    return next((verdict for verdict in VERDICTS if verdict == name), None)


def shown_flags(words: Words, line: TopicLine) -> list[View]:
    """Return what to look at in a topic, as chips."""
    return [
        View(
            name=flag,
            title=words.gettext(FLAG_TITLES[flag]),
            meaning=words.gettext(FLAG_MEANINGS[flag]),
            tone=FLAG_LOOKS[flag][0],
            sign=FLAG_LOOKS[flag][1],
        )
        for flag in line.flags
    ]


def count_examples(visit: Visit, n: int) -> str:
    """Return a number of examples in words."""
    return visit.words.ngettext("%(count)s example", "%(count)s examples", n, count=visit.write.number(n))


def _adding_fields(words: Words, typed: str) -> tuple[Field, ...]:
    help_text = words.gettext(
        "One message per line, as visitors write them. To send a line to another topic, add a tab and the topic name."
    )
    return (
        Field("text", words.gettext("New examples"), "textarea", typed, help=help_text, required=True, rows=4),
        Field("why", words.gettext("Reason"), most=MAX_WHY),
    )


def _verdict_links(visit: Visit, listing: Listing, page: JudgedPage) -> list[View]:
    """Return the choice of examples by what became of them; none where no exam has tested any."""
    words = visit.words
    if not set(page.counts) - {"untested"}:
        return []
    every = View(
        title=words.gettext("all"),
        count=sum(page.counts.values()),
        href=listing.address(show=""),
        current=not listing.chosen["show"],
        sign="",
    )
    return [
        every,
        *(
            View(
                title=words.gettext(VERDICT_TITLES[verdict]),
                count=page.counts[verdict],
                href=listing.address(show=verdict),
                current=listing.chosen["show"] == verdict,
                sign=VERDICT_LOOKS[verdict][1],
            )
            for verdict in VERDICTS
            if page.counts.get(verdict)
        ),
    ]


def _shown_example(visit: Visit, one: JudgedExample, names: Mapping[str, str]) -> View:
    """Return an example with its verdict, where it went, and how sure the classifier was."""
    words, outcome, (tone, sign) = visit.words, one.outcome, VERDICT_LOOKS[one.verdict]
    note, went = "", ""
    if outcome:
        share = visit.write.share(outcome.confidence)
        if one.verdict == "wrong" and outcome.guess:
            went = next((key for key, name in names.items() if name == outcome.guess), "")
            note = words.gettext("went to %(topic)s, %(share)s sure", topic=outcome.guess, share=share)
        elif one.verdict == "deferred":
            note = words.gettext("only %(share)s sure", share=share)
    return View(
        row=one.row,
        verdict=one.verdict,
        title=words.gettext(VERDICT_TITLES[one.verdict]),
        tone=tone,
        sign=sign,
        note=note,
        went=topic_path(visit.project, went) if went else "",
    )


def _neighbours(project: Project, state: TopicState | None, names: Mapping[str, str]) -> list[View]:
    """Return the topics that this one is confused with, each with the way to it."""
    if state is None or state.findings is None:
        return []
    ids = {name: key for key, name in names.items()}
    return [
        View(name=name, overlap=overlap, href=topic_path(project, ids[name]) if name in ids else "")
        for name, overlap in state.findings.neighbours
    ]


def _describe(visit: Visit, state: TopicState | None, page: JudgedPage) -> str:
    words, number = visit.words, visit.write.number
    if state is None:
        total = sum(page.counts.values())
        return words.ngettext(
            "%(count)s message that the bot should decline.",
            "%(count)s messages that the bot should decline.",
            total,
            count=number(total),
        )
    line, size = state.line, count_examples(visit, state.line.size)
    if not line.asked:
        return words.gettext("%(size)s, not examined yet.", size=size)
    counts = {name: number(getattr(line, name)) for name in ("right", "deferred", "wrong")}
    if line.asked == line.size:
        return words.gettext(
            "%(size)s: %(right)s right, %(deferred)s declined, %(wrong)s wrong.", size=size, **counts
        )
    return words.gettext(
        "%(size)s. In the last exam, of %(asked)s tested: %(right)s right, %(deferred)s declined, %(wrong)s wrong.",
        size=size,
        asked=count_examples(visit, line.asked),
        **counts,
    )
