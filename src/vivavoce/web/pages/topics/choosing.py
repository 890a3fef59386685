"""Which rows of a list are meant: those ticked on its page, or all that match its filter; and where they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Topic
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST
from vivavoce.web.option_forms import query_fields
from vivavoce.web.parts import Choice, Field, Pager, hidden_field, named_choices
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.topics.examples import VERDICTS, matching_examples
from vivavoce.workspace.topics.names import OUT_OF_SCOPE, find_named
from vivavoce.workspace.topics.overview import FLAGS, matching_topics
from vivavoce.workspace.topics.topics import topic_names

# Beyond so many topics a list to choose from is longer than the page: then the name is written.
MAX_CHOICES = 250
MAX_SEARCH = 200


@dataclass(frozen=True, slots=True)
class Ticked:
    """What was ticked on one page of a list.

    `everything`: all that match the filter (`here`, `search`, `flag`, `owner`, `language`), of which the page said
    that there are `total`. `flag` is a flag of topics or a verdict of examples.
    """

    ids: tuple[str, ...] = ()
    everything: bool = False
    here: str = ""
    search: str = ""
    flag: str = ""
    total: int = 0
    page: int = 1
    owner: str = ""
    language: str = ""

    def fields(self, name: str) -> tuple[Field, ...]:
        """Return what a form needs to mean the same rows."""
        here = hidden_field("from", self.here)
        if not self.everything:
            return (*(hidden_field(name, value) for value in self.ids), here)
        filters = {"q": self.search, "flag": self.flag, "owner": self.owner, "language": self.language}
        carried = {"all": "on", **filters, "total": str(self.total)}
        return (*(hidden_field(key, value) for key, value in carried.items()), here)


def read_ticks(form: Fields, name: str) -> Ticked:
    """Return what a form says was ticked."""
    return Ticked(
        form.all(name),
        form.flag("all"),
        form.text("from", most=40),
        form.text("q", most=MAX_SEARCH),
        form.text("flag", most=20),
        form.whole("total", 0, low=0, high=LARGEST),
        form.whole("page", 1, low=1, high=LARGEST),
        form.text("owner", most=400),
        form.text("language", most=20),
    )


async def _ticked_topics(request: Request) -> Ticked:
    return read_ticks(query_fields(request), "topic")


async def _ticked_examples(request: Request) -> Ticked:
    return read_ticks(query_fields(request), "example")


TickedTopics = Annotated[Ticked, Depends(_ticked_topics)]
TickedExamples = Annotated[Ticked, Depends(_ticked_examples)]


def chosen_examples(visit: Visit, ticked: Ticked) -> tuple[str, ...]:
    """Return the ids of the examples that are meant."""
    if not ticked.everything:
        return ticked.ids
    return matching_examples(
        *visit.here,
        topic_id=ticked.here or None,
        search=ticked.search,
        expected=ticked.total,
        verdict=next((verdict for verdict in VERDICTS if verdict == ticked.flag), None),
    )


def chosen_topics(visit: Visit, ticked: Ticked) -> tuple[str, ...]:
    """Return the ids of the topics that are meant."""
    if not ticked.everything:
        return ticked.ids
    flag = next((name for name in FLAGS if name == ticked.flag), None)
    return matching_topics(
        *visit.here,
        search=ticked.search,
        flag=flag,
        expected=ticked.total,
        owner=ticked.owner,
        language=ticked.language,
    )


def ticking(words: Words, pager: Pager, shown: int, *, search: str = "", **chosen: str) -> View | None:
    """Return the part below one page of a list: for which rows ticks count, and the box that means all pages.

    None where all of the list is on the page.
    """
    if pager.pages < 2:
        return None
    number = Writer(words).number
    total = number(pager.total)
    lead = words.gettext(
        "Your selection applies to this page only, which shows %(shown)s of %(total)s.",
        shown=number(shown),
        total=total,
    )
    title = words.gettext("all %(total)s, on all pages", total=total)
    if search or any(chosen.values()):
        title = words.gettext("all %(total)s that match the filter, on all pages", total=total)
    carried = {"q": search, **chosen, "total": str(pager.total), "page": str(pager.page)}
    fields = [hidden_field(name, value) for name, value in carried.items()]
    return View(lead=lead, everything=Field("all", title, "checkbox"), fields=fields)


def target_field(visit: Visit, here: str = "") -> Field:
    """Return the field in which another topic is chosen, by its name."""
    words = visit.words
    names = {key: name for key, name in topic_names(*visit.here).items() if key != here}
    title = words.gettext("Move to")
    if len(names) > MAX_CHOICES:
        return Field("target", title, help=words.gettext("Enter a topic name, or oos for out of scope."))
    out_of_scope = () if here == OUT_OF_SCOPE else (Choice(OUT_OF_SCOPE, words.gettext("out of scope")),)
    choices = (no_choice(words), *named_choices(names.values()), *out_of_scope)
    return Field("target", title, "select", choices=choices)


def no_choice(words: Words) -> Choice:
    """Return the first option of a list of topics: none, so that nothing is moved by a slip of the finger."""
    return Choice("", words.gettext("choose a topic"))


def find_target(visit: Visit, name: str) -> Topic | None:
    """Return the topic that was chosen (None: out of scope); refuse where none was."""
    if not name:
        raise UsageError(
            say("no topic selected to move them to"),
            where="target",
            remedy=say("choose one from the list, then move again"),
        )
    return find_named(*visit.here, name)
