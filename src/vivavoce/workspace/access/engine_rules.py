"""Which engines and raters there are, who may choose which, and what an engine lacks here to run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from importlib.util import find_spec

from vivavoce import plugins
from vivavoce.errors import AccessError, MissingPartError, UsageError, VivaError, nearest
from vivavoce.jobs.exams.kinds import RATER, RATERS
from vivavoce.messages import join, say
from vivavoce.store.rows import Project, Role
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import server_rules

# Shorter than what the engines say themselves: no option can be given where these are shown.
_SUMMARIES = {
    "linear": say("Sentence vectors and words combined (default)"),
    "sif": say("Word vectors weighted by rarity, with logistic regression (as in the nex-cv paper)"),
    "tfidf": say("Words and characters (TF-IDF), naive Bayes and logistic regression"),
    "vectors": say("Sentence vectors with logistic regression only"),
}


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that can be chosen, and what it is in one sentence."""

    name: str
    summary: str


@cache
def known_engines() -> tuple[Engine, ...]:
    """Return the engines that are installed and can be used as they are, by name."""
    return tuple(
        Engine(plugin.name, _SUMMARIES.get(plugin.name, plugin.summary))
        for plugin in plugins.describe(plugins.CLASSIFIERS)
        if not _find_declaration(plugin.name).needs_option
    )


def engine_names(project: Project) -> tuple[str, ...]:
    """Return the names that can be chosen for a project: its own engine first."""
    return tuple(dict.fromkeys([project.classifier, *_offered()]))


def check_engine(actor: Actor, name: str) -> str:
    """Return the name of an engine, `kind` or `kind:option`, as it is kept; refuse what this person cannot choose.

    An option that names code or files of this machine is for admins, and only where whoever runs the server allows
    programs: whoever may write it can run anything here. What the option names is not loaded to find out.
    """
    kind, option = plugins.split_name(name)
    if kind not in plugins.available(plugins.CLASSIFIERS):
        raise _refusal(say("unknown classifier '{kind}'.{nearest}", kind=kind, nearest=nearest(kind, _offered())))
    declared = _find_declaration(kind)
    if declared.needs_option and not option:
        raise _refusal(say("the classifier '{kind}' needs an option", kind=kind))
    uses_machine = bool(option) and declared.reach is plugins.Reach.PROGRAM
    if uses_machine and not actor.role.covers(Role.ADMIN):
        raise AccessError(
            say(
                "the classifier '{name}' uses code or files on this machine, but {actor_name} is {role}",
                name=name,
                actor_name=actor.name,
                role=actor.role,
            ),
            where="classifier",
            remedy=say("choose a classifier from the list, or ask an admin"),
        )
    if uses_machine:
        require_programs(actor, f"the classifier '{name}'", "classifier")
    return f"{kind}:{option}" if option else kind


def require_programs(actor: Actor, what: str, where: str) -> None:
    """Refuse what uses code or files of this machine where whoever runs the server does not allow that.

    The product itself may: whoever can call it can run anything anyway.
    """
    if actor.user_id is not None and not server_rules().bot_programs:
        raise AccessError(
            say("{what} uses code or files on the server, which is not allowed here", what=what),
            where=where,
            remedy=say("choose one from the list, or ask your server admin to set `bot_programs`"),
        )


def _find_declaration(kind: str) -> plugins.Declaration:
    declared = plugins.find_declaration(plugins.CLASSIFIERS, kind)
    return declared if isinstance(declared, plugins.Declaration) else plugins.Declaration()


def _refusal(what: str) -> UsageError:
    return UsageError(what, where="classifier", remedy=say("choose one of {names}", names=", ".join(_offered())))


def _offered() -> tuple[str, ...]:
    return tuple(engine.name for engine in known_engines())


# The rater that comes with the product; others run code or ask a service, so only admins name them.
SHIPPED_RATER = str(RATER.default)


def check_rater(actor: Actor, rater: str) -> None:
    """Refuse a rater that this person cannot choose; code and files of the machine only where they are allowed."""
    if rater == SHIPPED_RATER:
        return
    actor.require(Role.ADMIN)
    kind, option = plugins.split_name(rater)
    declared = plugins.find_declaration(RATERS, kind)
    if option and not (isinstance(declared, plugins.Declaration) and declared.reach is plugins.Reach.ADDRESS):
        require_programs(actor, f"the rater '{rater}'", "rater")


@dataclass(frozen=True, slots=True)
class OfferedEngine:
    """An engine and what it is; one that is not `ready` cannot be chosen, and `needs` says what it lacks here."""

    name: str
    summary: str
    ready: bool
    needs: str


def offered_engines() -> tuple[OfferedEngine, ...]:
    """Return the engines that are installed and can be used without an option, by name."""
    lacks = ((engine, missing_part(engine.name)) for engine in known_engines())
    return tuple(OfferedEngine(engine.name, engine.summary, not lack, lack) for engine, lack in lacks)


def missing_part(name: str) -> str:
    """Say what an engine lacks here and how to get it; nothing where it can run. No engine is made to find out."""
    kind, option = plugins.split_name(name)
    if option:
        # What an option names is loaded where the work is done, not to show a form.
        return ""
    try:
        _check_kind(kind)
    except MissingPartError as error:
        return join("; ", (error.what, error.remedy)) if error.remedy else error.what
    except VivaError:
        pass
    return ""


def ready_engines(project: Project) -> tuple[str, ...]:
    """Return the names that can be chosen for a project and run here."""
    return tuple(name for name in engine_names(project) if not missing_part(name))


def require_parts(name: str, where: str = "classifier") -> None:
    """Refuse an engine that cannot run here before a run is begun with it."""
    lack = missing_part(name)
    if lack:
        raise UsageError(
            lack, where=where, remedy=say("choose another classifier, or ask an admin to install what is missing")
        )


def _check_kind(kind: str) -> None:
    """Raise MissingPartError where an engine could not be made."""
    point = next((point for point in _points() if point.name == kind), None)
    if point is not None and (absent := ", ".join(_absent_packages(point))):
        raise MissingPartError(
            say("the classifier '{kind}' needs {absent}", kind=kind, absent=absent),
            remedy=say("pip install {absent}", absent=absent),
        )
    if (check := _CHECKS.get(kind)) is not None:
        check()


@cache
def _points() -> tuple[EntryPoint, ...]:
    """Return the engines that packages offer; reading the metadata of all packages is slow."""
    return tuple(entry_points(group=plugins.CLASSIFIERS))


@cache
def _absent_packages(point: EntryPoint) -> tuple[str, ...]:
    """Return what an engine lacks: looking for packages is slow, and none comes while the program runs."""
    own = point.module.partition(".")[0]
    absent = [own] if find_spec(own) is None else []
    # The packages that the extras at its entry point bring.
    for requirement in (point.dist and point.dist.requires) or []:
        extra = _EXTRA.search(requirement)
        if extra and extra[1] in point.extras:
            package = _NO_NAME.split(requirement, maxsplit=1)[0]
            try:
                distribution(package)
            except PackageNotFoundError:
                absent.append(package)
    return tuple(absent)


def _check_sentences() -> None:
    from vivavoce.text.vectors import encoder_available

    if not encoder_available():
        get = say("pip install tokenizers") if find_spec("tokenizers") is None else say("run `viva models get` once")
        raise MissingPartError(
            say("the classifier 'vectors' needs sentence vectors, which are not installed"), remedy=get
        )


def _check_words() -> None:
    from vivavoce.text.glove import find_glove
    from vivavoce.text.weights import viva_home

    if not os.environ.get("VIVA_WORD_VECTORS", "").strip() and find_glove(viva_home()) is None:
        raise MissingPartError(
            say("the classifier 'sif' needs word vectors, which are not installed"),
            remedy=say("run `viva models get glove` once"),
        )


# Engines whose parts are files: looked for, never read.
_CHECKS: Mapping[str, Callable[[], None]] = {"vectors": _check_sentences, "sif": _check_words}
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_NO_NAME = re.compile(r"[^\w.-]")
