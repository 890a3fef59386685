"""What the entry of a bot may say in a workspace: no secret, no variable of the server, no way into its network.

On the command line whoever writes bots.yaml owns the machine. Here people add bots to a server that others run, so an
entry is looked at before it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from vivavoce import plugins
from vivavoce.bots import entry_problems, entry_variables, runs_programs
from vivavoce.bots.declaration import find_connector
from vivavoce.bots.guard import ANYWHERE, REMEDY, Addresses, public_addresses, refused_host
from vivavoce.bots.redaction import is_telling, sent_variables
from vivavoce.errors import Fault
from vivavoce.messages import say
from vivavoce.settings import load_settings

Entry = Mapping[str, object]
# What begins so was put into the environment for bots; everything else there is the server's own.
OWN_PREFIX = "BOT_"
# Their names tell of secrets, but what they hold is a number or says where something is found in an answer.
_HARMLESS = frozenset({"max_tokens", "max_completion_tokens", "reply", "values", "limits", "fallback"})
_FILLED_IN = re.compile(r"\$?\{[A-Za-z_]\w*\}")


@dataclass(frozen=True, slots=True)
class BotRules:
    """What whoever runs the server allows: bots at private addresses, programs, and further variables to be sent."""

    private_bots: bool = False
    bot_programs: bool = False
    variables: tuple[str, ...] = ()

    @property
    def addresses(self) -> Addresses:
        """Where connections may go."""
        return ANYWHERE if self.private_bots else public_addresses()

    def may_send(self, variable: str) -> bool:
        """Tell whether a bot may be sent the value of a variable of the environment."""
        return variable.startswith(OWN_PREFIX) or variable in self.variables


def server_rules() -> BotRules:
    """Return what the settings of this machine allow, for work that nobody asks for from a page."""
    settings = load_settings()
    names = (name.strip() for name in settings.bot_variables.split(","))
    return BotRules(settings.private_bots == "yes", settings.bot_programs == "yes", tuple(filter(None, names)))


def entry_faults(name: str, entry: Entry, rules: BotRules) -> tuple[Fault, ...]:
    """Return all that is wrong with an entry: as bots.yaml has it, and as this workspace allows it."""
    found = [*_secrets(entry), *_variables(entry, rules), *_addresses(entry, rules), *_programs(entry, rules)]
    # What makes the bot for a trial comes last, and only for an entry that may be made here.
    return tuple(found) or entry_problems(name, entry)


def kind_of(entry: Entry) -> str:
    """Return the kind of an entry without its option."""
    return str(entry.get("kind", "")).partition(":")[0].strip()


def option_of(entry: Entry) -> str:
    """Return the option of an entry: written by itself or after its kind."""
    said = entry.get("option")
    return str(said) if said else plugins.split_name(str(entry.get("kind") or "-"))[1]


def addresses_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the addresses that a bot is asked at, each with its key."""
    option = option_of(entry)
    declared = find_connector(kind_of(entry)).options or ()
    named = {one.name: one.value(entry) for one in declared if one.type == "address"}
    # Of a kind that declares nothing the usual keys are looked at.
    usual = {key: entry.get(key) for key in ("url", "base_url")} if not declared else {}
    # A model may be written with its address: `gpt@https://...`.
    written = option[option.find("http") :] if "://" in option and "http" in option else ""
    found = {**named, **usual, "option": written}
    yield from ((key, value) for key, value in found.items() if isinstance(value, str) and value)


def _secrets(entry: Entry) -> Iterator[Fault]:
    for key in dict.fromkeys((*_told(entry, ""), *_told_in_addresses(entry))):
        name, filled_in = f"{OWN_PREFIX}TOKEN", f"${{{OWN_PREFIX}TOKEN}}"
        yield Fault(
            say(
                "a secret is written out here: put it into a variable of the server's environment, for instance "
                "{name}, and write {filled_in} instead",
                name=name,
                filled_in=filled_in,
            ),
            key,
        )


def _told(value: object, path: str) -> Iterator[str]:
    """Yield the places where a value stands out in the open under a name that tells of a secret."""
    for key, item in value.items() if isinstance(value, Mapping) else ():
        place = f"{path}.{key}".lstrip(".")
        if str(key) in _HARMLESS:
            continue
        if isinstance(item, Mapping):
            yield from _told(item, place)
        elif is_telling(str(key)) and str(item or "").strip() and not _FILLED_IN.search(str(item)):
            yield place


def _told_in_addresses(entry: Entry) -> Iterator[str]:
    for key, address in addresses_of(entry):
        try:
            parts = urlsplit(address)
            query = parse_qsl(parts.query)
        except ValueError:
            continue  # what is no address is told elsewhere
        told = [value for name, value in query if is_telling(name)] + ([parts.password] if parts.password else [])
        if any(not _FILLED_IN.search(value) for value in told):
            yield key


def _variables(entry: Entry, rules: BotRules) -> Iterator[Fault]:
    for name in entry_variables(entry):
        if not rules.may_send(name):
            yield Fault(
                say(
                    "the variable {name} may not be sent to a bot: it may be a secret of the server itself. Use one "
                    "whose name begins with {own_prefix}, or let whoever runs the server list it under "
                    "`bot_variables`{text}",
                    name=name,
                    own_prefix=OWN_PREFIX,
                    text=say(", or write `api_key` yourself (empty: no key)") if name in _implied(entry) else "",
                ),
                _place_of(entry, name),
            )


def _implied(entry: Entry) -> tuple[str, ...]:
    written = sent_variables(entry)
    return tuple(name for name in entry_variables(entry) if name not in written)


def _place_of(entry: Entry, variable: str) -> str:
    """Return the key under which a variable stands."""
    holding = (str(key) for key, value in entry.items() if variable in sent_variables(value))
    return next(holding, "api_key")


def _addresses(entry: Entry, rules: BotRules) -> Iterator[Fault]:
    for key, address in addresses_of(entry):
        try:
            refused = refused_host(address, rules.addresses)
        except ValueError:
            continue  # what is no address is told elsewhere
        if refused:
            yield Fault(
                say("this is {refused}, and bots may not live there: {remedy}", refused=refused, remedy=REMEDY), key
            )


def _programs(entry: Entry, rules: BotRules) -> Iterator[Fault]:
    kind = kind_of(entry)
    if not kind or kind not in plugins.available(plugins.BOTS) or rules.bot_programs:
        return
    if runs_programs(str(entry.get("kind", "")), entry):
        yield Fault(
            say(
                "a bot of the kind '{kind}' like this one starts a program, imports code or reads files on the "
                "machine of the server, which is not allowed here. Give its public address with the kind http, "
                "choose a shipped agent, or let whoever runs the server set `bot_programs`",
                kind=kind,
            ),
            "kind",
        )
