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
_HARMLESS = frozenset({"max_tokens", "max_completion_tokens", "reply", "values", "limits", "fallback", "token_url"})
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


def server_rules() -> BotRules:
    """Return what the settings of this machine allow, for work that nobody asks for from a page."""
    settings = load_settings()
    names = (name.strip() for name in settings.bot_variables.split(","))
    return BotRules(settings.private_bots == "yes", settings.bot_programs == "yes", tuple(filter(None, names)))


def entry_faults(name: str, entry: Entry, rules: BotRules) -> tuple[Fault, ...]:
    """Return all that is wrong with an entry: as bots.yaml has it, and as this workspace allows it."""
    faults = [
        *_find_secrets(entry),
        *_find_variables(entry, rules),
        *_find_addresses(entry, rules),
        *_find_programs(entry, rules),
    ]
    # What makes the bot for a trial comes last, and only for an entry that may be made here.
    return tuple(faults) or entry_problems(name, entry)


def kind_of(entry: Entry) -> str:
    """Return the kind of an entry without its option."""
    return str(entry.get("kind", "")).partition(":")[0].strip()


def option_of(entry: Entry) -> str:
    """Return the option of an entry: written by itself or after its kind."""
    option = entry.get("option")
    return str(option) if option else plugins.split_name(str(entry.get("kind") or "-"))[1]


def addresses_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the addresses that a bot is asked at, each with its key."""
    option = option_of(entry)
    declared = find_connector(kind_of(entry)).options or ()
    named = {key.name: key.value(entry) for key in declared if key.type == "address"}
    # Of a kind that declares nothing the usual keys are looked at.
    usual = {key: entry.get(key) for key in ("url", "base_url")} if not declared else {}
    # A model may be written with its address: `gpt@https://...`.
    written = option[option.find("http") :] if "://" in option and "http" in option else ""
    addresses = {**named, **usual, "option": written}
    yield from ((key, value) for key, value in addresses.items() if isinstance(value, str) and value)


def _find_secrets(entry: Entry) -> Iterator[Fault]:
    places = list(_places_of_secrets(entry, ""))
    for key, address in addresses_of(entry):
        try:
            parts = urlsplit(address)
            query = parse_qsl(parts.query)
        except ValueError:
            continue  # what is no address is told elsewhere
        values = [value for name, value in query if is_telling(name)] + ([parts.password] if parts.password else [])
        if any(not _FILLED_IN.search(value) for value in values):
            places.append(key)
    message = say(
        "this contains a secret in plain text: store it in an environment variable of the server, "
        "for example {name}, and write {filled_in} instead",
        name=f"{OWN_PREFIX}TOKEN",
        filled_in=f"${{{OWN_PREFIX}TOKEN}}",
    )
    yield from (Fault(message, place) for place in dict.fromkeys(places))


def _places_of_secrets(value: object, path: str) -> Iterator[str]:
    """Yield the places where a value is in the open under a name that tells of a secret."""
    for key, item in value.items() if isinstance(value, Mapping) else ():
        place = f"{path}.{key}".lstrip(".")
        if str(key) in _HARMLESS:
            continue
        if isinstance(item, Mapping):
            yield from _places_of_secrets(item, place)
        elif is_telling(str(key)) and str(item or "").strip() and not _FILLED_IN.search(str(item)):
            yield place


def _find_variables(entry: Entry, rules: BotRules) -> Iterator[Fault]:
    written = sent_variables(entry)
    for name in entry_variables(entry):
        if not (name.startswith(OWN_PREFIX) or name in rules.variables):
            yield Fault(
                say(
                    "the variable {name} cannot be sent to a bot because it may be one of the "
                    "server's secrets. Use a variable whose name starts with {own_prefix}, or ask "
                    "your server admin to add it to `bot_variables`{text}",
                    name=name,
                    own_prefix=OWN_PREFIX,
                    text="" if name in written else say(", or set `api_key` yourself (empty: no key)"),
                ),
                next((str(key) for key, value in entry.items() if name in sent_variables(value)), "api_key"),
            )


def _find_addresses(entry: Entry, rules: BotRules) -> Iterator[Fault]:
    for key, address in addresses_of(entry):
        try:
            refused = refused_host(address, rules.addresses)
        except ValueError:
            continue  # what is no address is told elsewhere
        if refused:
            yield Fault(
                say("this is {refused}, which is not allowed for bots: {remedy}", refused=refused, remedy=REMEDY), key
            )


def _find_programs(entry: Entry, rules: BotRules) -> Iterator[Fault]:
    kind = kind_of(entry)
    if not kind or kind not in plugins.available(plugins.BOTS) or rules.bot_programs:
        return
    if runs_programs(str(entry.get("kind", "")), entry):
        yield Fault(
            say(
                "bots of kind '{kind}' start a program, import code or read files on the server, "
                "which is not allowed here. Use its public address with kind http, choose a "
                "bundled agent, or ask your server admin to set `bot_programs`",
                kind=kind,
            ),
            "kind",
        )
