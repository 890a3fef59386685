"""Which rows of a list are meant: those ticked on its page, or all that match its filter; and where they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Topic
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields
from vivavoce.web.language import Words
from vivavoce.web.listing import LARGEST
from vivavoce.web.parts import Choice, Field, Pager, hidden_field, named_choices
from vivavoce.workspace.topics.examples import matching_examples
from vivavoce.workspace.topics.names import OUT_OF_SCOPE, find_named
from vivavoce.workspace.topics.overview import FLAGS, matching_topics
from vivavoce.workspace.topics.topics import topic_names

# Beyond so many topics a list to choose from is longer than the page: then the name is written.
MOST_CHOICES = 250
MOST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class Ticked:
    """What was ticked on one page of a list.

    `everything`: all that match the filter (`here`, `search`, `flag`), of which the page said that there are `total`.
    """

    ids: tuple[str, ...] = ()
    everything: bool = False
    here: str = ""
    search: str = ""
    flag: str = ""
    total: int = 0
    page: int = 1

    def fields(self, name: str) -> tuple[Field, ...]:
        """Return what a form needs to mean the same rows."""
        here = hidden_field("from", self.here)
        if not self.everything:
            return (*(hidden_field(name, one) for one in self.ids), here)
        said = {"all": "on", "q": self.search, "flag": self.flag, "total": str(self.total)}
        return (*(hidden_field(key, value) for key, value in said.items()), here)


@dataclass(frozen=True, slots=True)
class Ticking:
    """What stands below a list with ticks: for which rows they hold, and the box that means all pages."""

    lead: str
    everything: Field
    fields: tuple[Field, ...]


def read_ticks(form: Fields, name: str) -> Ticked:
    """Return what a form says was ticked."""
    return Ticked(
        form.all(name),
        form.flag("all"),
        form.text("from", most=40),
        form.text("q", most=MOST_SEARCH),
        form.text("flag", most=20),
        form.whole("total", 0, low=0, high=LARGEST),
        form.whole("page", 1, low=1, high=LARGEST),
    )


def _asked(request: Request, name: str) -> Ticked:
    said: list[tuple[str, str | UploadFile]] = [*request.query_params.multi_items()]
    return read_ticks(Fields(FormData(said), 0), name)


async def _asked_topics(request: Request) -> Ticked:
    return _asked(request, "topic")


async def _asked_examples(request: Request) -> Ticked:
    return _asked(request, "example")


TickedTopics = Annotated[Ticked, Depends(_asked_topics)]
TickedExamples = Annotated[Ticked, Depends(_asked_examples)]


def chosen_examples(store: Store, project: Project, ticked: Ticked) -> tuple[str, ...]:
    """Return the ids of the examples that are meant."""
    if not ticked.everything:
        return ticked.ids
    return matching_examples(
        store, project, topic_id=ticked.here or None, search=ticked.search, expected=ticked.total
    )


def chosen_topics(store: Store, project: Project, ticked: Ticked) -> tuple[str, ...]:
    """Return the ids of the topics that are meant."""
    if not ticked.everything:
        return ticked.ids
    flag = next((one for one in FLAGS if one == ticked.flag), None)
    return matching_topics(store, project, search=ticked.search, flag=flag, expected=ticked.total)


def ticking(words: Words, pager: Pager, shown: int, *, search: str = "", flag: str = "") -> Ticking | None:
    """Return what stands below one page of a list; None where all of it is on the page."""
    if pager.pages < 2:
        return None
    write = Writer(words)
    lead = words.gettext(
        "Ticks hold for this page alone, which shows %(shown)s of %(total)s.",
        shown=write.number(shown),
        total=write.number(pager.total),
    )
    title = (
        words.gettext("all %(total)s that match the filter, on every page", total=write.number(pager.total))
        if search or flag
        else words.gettext("all %(total)s, on every page", total=write.number(pager.total))
    )
    said = {"q": search, "flag": flag, "total": str(pager.total), "page": str(pager.page)}
    fields = tuple(hidden_field(name, value) for name, value in said.items())
    return Ticking(lead, Field("all", title, "checkbox"), fields)


def target_field(words: Words, store: Store, project: Project, here: str = "") -> Field:
    """Return the field in which another topic is chosen, by its name."""
    names = {key: name for key, name in topic_names(store, project).items() if key != here}
    title = words.gettext("Move to")
    if len(names) > MOST_CHOICES:
        return Field("target", title, help=words.gettext("Write the name of a topic, or oos for out of scope."))
    stranger = () if here == OUT_OF_SCOPE else (Choice(OUT_OF_SCOPE, words.gettext("out of scope")),)
    offered = (no_choice(words), *named_choices(names.values()), *stranger)
    return Field("target", title, "select", choices=offered)


def no_choice(words: Words) -> Choice:
    """Return the first option of a list of topics: none, so that nothing is moved by a slip of the finger."""
    return Choice("", words.gettext("choose a topic"))


def find_target(store: Store, project: Project, name: str) -> Topic | None:
    """Return the topic that was chosen (None: out of scope); refuse where none was."""
    if not name:
        raise UsageError(
            say("no topic is chosen to move them to"),
            where="target",
            remedy=say("choose one from the list, then move again"),
        )
    return find_named(store, project, name)
