"""Which engines there are, and who may choose which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from vivavoce import plugins
from vivavoce.errors import AccessError, UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.rows import Project, Role
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import server_rules

# Shorter than what the engines say themselves: no option can be given where these are shown.
_SUMMARIES = {
    "linear": say("Sentence vectors and words, joined (the default)"),
    "sif": say("Word vectors weighed by rarity, with logistic regression (the nex-cv paper's own)"),
    "tfidf": say("Words and letters (TF-IDF), naive Bayes and logistic regression"),
    "vectors": say("Sentence vectors with logistic regression alone"),
}


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that can be chosen, and what it is in one sentence."""

    name: str
    summary: str


@cache
def known_engines() -> tuple[Engine, ...]:
    """Return the engines that are installed and can be used as they are, by name."""
    found = plugins.describe(plugins.CLASSIFIERS)
    return tuple(
        Engine(one.name, _SUMMARIES.get(one.name, one.summary))
        for one in found
        if not _declared(one.name).needs_option
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
        raise _refusal(say("there is no engine '{kind}'.{nearest}", kind=kind, nearest=nearest(kind, _offered())))
    declared = _declared(kind)
    if declared.needs_option and not option:
        raise _refusal(say("the engine '{kind}' is nothing without an option", kind=kind))
    uses_machine = bool(option) and declared.reach is plugins.Reach.PROGRAM
    if uses_machine and not actor.role.covers(Role.ADMIN):
        raise AccessError(
            say(
                "the engine '{name}' uses code or files of this machine, and {actor_name} is {role}",
                name=name,
                actor_name=actor.name,
                role=actor.role,
            ),
            where="classifier",
            remedy=say("choose an engine from the list, or ask an admin"),
        )
    if uses_machine:
        require_programs(actor, f"the engine '{name}'", "classifier")
    return f"{kind}:{option}" if option else kind


def require_programs(actor: Actor, what: str, where: str) -> None:
    """Refuse what uses code or files of this machine where whoever runs the server does not allow that.

    The product itself may: whoever can call it can run anything anyway.
    """
    if actor.user_id is not None and not server_rules().bot_programs:
        raise AccessError(
            say("{what} uses code or files of the machine of the server, which is not allowed here", what=what),
            where=where,
            remedy=say("choose one from the list, or let whoever runs the server set `bot_programs`"),
        )


def _declared(kind: str) -> plugins.Declaration:
    declared = plugins.find_declaration(plugins.CLASSIFIERS, kind)
    return declared if isinstance(declared, plugins.Declaration) else plugins.Declaration()


def _refusal(what: str) -> UsageError:
    return UsageError(what, where="classifier", remedy=say("choose one of {names}", names=", ".join(_offered())))


def _offered() -> tuple[str, ...]:
    return tuple(one.name for one in known_engines())
