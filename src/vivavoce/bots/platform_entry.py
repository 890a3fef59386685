"""The entries of bots on platforms: their options, what the environment adds, and what they must hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from vivavoce.bots.declaration import BotOption, entry_facts, number
from vivavoce.bots.protocol import BotContext, BotFacts, Limits, Nature
from vivavoce.bots.redaction import variables_of
from vivavoce.errors import Fault, UsageError
from vivavoce.messages import say

_BOT, TRAINING = say("Bot"), say("Training")
TRAINING_OPTIONS = (
    BotOption(
        "training.timeout_s",
        "number",
        say("How long to wait until the platform has trained."),
        default="900",
        label=say("Training timeout in seconds"),
        group=TRAINING,
        low="0",
    ),
    BotOption(
        "training.erase",
        "flag",
        say("Allow an exam or a clean-up to delete topics that vivavoce did not create."),
        default="no",
        label=say("May existing topics be deleted?"),
        group=TRAINING,
    ),
    BotOption("training.poll_s", "number", low="0"),
)


def shown_option(name: str, label: str, help: str = "", **more: Any) -> BotOption:
    """Return an option of a bot on a platform that the form shows."""
    return BotOption(name, label=label, help=help, group=_BOT, **more)


def secret_option(name: str, label: str, variable: str) -> BotOption:
    """Return an option that holds a secret: the form takes the name of a variable."""
    help = say("The name of an environment variable on the server, never its value.")
    return shown_option(name, label, help, secret=True, variable=variable)


def waiting_options(settle_s: float, greeting_s: float) -> tuple[BotOption, BotOption]:
    """Return the options of a bot whose replies are collected: the pause that ends one, the wait for a greeting."""
    pause, help = say("Pause in seconds"), say("A pause of this length ends a reply.")
    greeting = say("Wait for a greeting, in seconds")
    return (
        shown_option("settle_s", pause, help, type="number", default=f"{settle_s:g}", low="0"),
        shown_option("greeting_s", greeting, type="number", default=f"{greeting_s:g}", low="0"),
    )


def check_seconds(context: BotContext, *names: str) -> None:
    """Refuse an entry in which one of these keys is no number of seconds."""
    for name in names:
        try:
            number(context.entry.get(name, 1), least=0)
        except ValueError as error:
            raise UsageError(f"{name}: {error}", where=context.name, remedy=say("enter a number")) from error


def read_platform_entry(option: str, key: str, context: BotContext, **variables: str) -> dict[str, Any]:
    """Return the entry of a bot: `option` is the value of `key`, `variables` hold the values of absent keys."""
    entry: dict[str, Any] = {**context.entry, **({key: option} if option else {})}
    return entry | {name: entry.get(name) or os.environ.get(variable) for name, variable in variables.items()}


def fill_from_environment(entry: dict[str, Any], variables: Mapping[str, str]) -> None:
    """Let an entry name the variables of a platform where it says nothing itself and they are set.

    A key that is there and empty stays empty: a server's own secrets are not for everyone who may write an entry.
    """
    for key, variable in variables.items():
        if key not in entry and os.environ.get(variable):
            entry[key] = f"${{{variable}}}"


def require_keys(where: str, entry: Mapping[str, Any], variables: Mapping[str, str]) -> None:
    """Refuse an entry without these keys, all at once; each may have a variable of the environment."""
    missing = [key for key in variables if not entry.get(key)]
    if missing:
        faults = [
            Fault(say("set `{key}` or the variable {variable}", key=key, variable=variables[key]))
            if variables[key]
            else Fault(say("set `{key}`", key=key))
            for key in missing
        ]
        what = say("these values are missing")
        raise UsageError(what, where=where, faults=faults, remedy=say("see docs/platforms"))


def require_variable(context: BotContext, entry: dict[str, Any], key: str, variable: str) -> None:
    """Let an entry take a secret from a variable of the environment; refuse one that is written out."""
    if not variables_of(entry.setdefault(key, f"${{{variable}}}")):
        what, remedy = (
            say("`{key}` must come from the environment", key=key),
            say("write `{key}: ${{NAME}}` and set NAME", key=key),
        )
        raise UsageError(what, where=context.name, remedy=remedy)


def platform_facts(context: BotContext, about: str, limits: Limits) -> BotFacts:
    """Return the facts of a bot on a platform that tells what it understands."""
    facts = BotFacts(context.name, about, reports_intent=True, reports_actions=True, nature=Nature.NLU, limits=limits)
    return entry_facts(context, facts)
