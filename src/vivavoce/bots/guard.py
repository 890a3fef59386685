"""Where connections to bots may go: anywhere, as on the command line, or to public addresses alone.

An application that people reach over a network must not be led into the network that it stands in: by an address of
a bot, by a name that leads there, or by a name that leads elsewhere the second time it is asked for. So names are
asked for once, every address found is looked at, and the connection is made to an address that was looked at.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from vivavoce.errors import Fault, UsageError
from vivavoce.messages import say

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

REMEDY = "use the bot's public address; your server admin can allow internal networks with the setting `private_bots`"
# Public by their numbers, yet answered by the host of a virtual machine with what concerns that machine alone.
_METADATA = frozenset(map(ip_address, ("168.63.129.16", "169.254.169.254", "100.100.100.200", "fd00:ec2::254")))
# Set aside for other ends than reaching a host; not every Python knows all of them.
_SET_ASIDE = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "64:ff9b:1::/48", "3fff::/20", "5f00::/16")))
# IPv6 ways to an IPv4 address: whoever translates them reaches the address in their last four bytes.
_TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("::/96"))
_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
_KINDS: tuple[tuple[str, Callable[[Address], bool]], ...] = (
    (say("a cloud metadata address"), lambda address: address in _METADATA),
    (say("an unspecified address"), lambda address: address.is_unspecified),
    (say("a loopback address"), lambda address: address.is_loopback),
    (say("a link-local address"), lambda address: address.is_link_local),
    (say("a multicast address"), lambda address: address.is_multicast),
    (say("a private address"), lambda address: address.is_private or getattr(address, "is_site_local", False)),
    (
        say("a reserved address"),
        lambda address: address.is_reserved or any(address in network for network in _SET_ASIDE),
    ),
    (say("an address that is not public"), lambda address: not address.is_global),
)


class AddressRefused(Exception):  # noqa: N818 - it is caught and told as a BotError
    """A connection that is not made, and what its address is."""

    def __init__(self, host: str, kind: str) -> None:
        # The address itself stays unsaid: a stranger must not learn which names a network knows.
        self.what = say("connection to {host} blocked: it resolves to {kind}", host=host, kind=kind)
        super().__init__(self.what)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Which addresses may be connected to: all, or with `public_only` public ones and those of `allowed` networks."""

    public_only: bool = False
    allowed: tuple[Network, ...] = ()

    def refusal(self, address: str) -> str:
        """Say what an address is to which no connection may be made; nothing where it may."""
        number: Address = ip_address(address)
        while self.public_only and not any(number in network for network in self.allowed):
            inner = _find_inner(number)
            if inner is None:
                return next((kind for kind, is_so in _KINDS if is_so(number)), "")
            number = inner
        return ""


ANYWHERE = Addresses()
_in_force: ContextVar[Addresses] = ContextVar("vivavoce_addresses", default=ANYWHERE)


def addresses() -> Addresses:
    """Return what is in force here."""
    return _in_force.get()


@contextmanager
def limited_to(policy: Addresses) -> Iterator[None]:
    """Let connections go where `policy` says, in this task and in those that it starts."""
    before = _in_force.set(policy)
    try:
        yield
    finally:
        _in_force.reset(before)


@contextmanager
def public_only(allowed: Sequence[str] = ()) -> Iterator[None]:
    """Let connections go to public addresses alone, and to the networks that are allowed."""
    with limited_to(public_addresses(allowed)):
        yield


def public_addresses(allowed: Sequence[str] = ()) -> Addresses:
    """Return the policy of public addresses alone, with networks such as `10.1.0.0/16` that are allowed too."""
    networks: list[Network] = []
    faults: list[Fault] = []
    for written in allowed:
        try:
            networks.append(ip_network(written.strip(), strict=False))
        except ValueError:
            faults.append(Fault(say("'{written}' is not a valid address or network", written=written)))
    if faults:
        remedy = say("enter networks like 10.1.0.0/16 or fd00::/8")
        raise UsageError(say("these networks are invalid"), faults=faults, remedy=remedy)
    return Addresses(True, tuple(networks))


def ascii_host(host: str) -> str:
    """Return a host name as the network knows it: `bücher.example` is `xn--bcher-kva.example`."""
    if host.isascii():
        return host
    from yarl import URL  # comes with aiohttp; most addresses do without it

    return URL.build(scheme="http", host=host).raw_host or host


def refused_host(url: str, policy: Addresses) -> str:
    """Say why the bot of an address would be refused, as far as that is known without asking for a name."""
    if not policy.public_only:
        return ""
    host = ascii_host(urlsplit(url).hostname or "").rstrip(".").lower()
    if _is_local_name(host):
        # Which number the name has here is not asked: it is left to the connection where one of them is allowed.
        refusals = [policy.refusal(own) for own in ("127.0.0.1", "::1")]
        return refusals[0] if all(refusals) else ""
    address = _read_number(host)
    return policy.refusal(address) if address else ""


async def find_addresses(host: str, port: int, policy: Addresses) -> list[str]:
    """Return the addresses of a host, each of them allowed; AddressRefused where one is not."""
    rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    numbers = list(dict.fromkeys(str(place[0]) for *_, place in rows))
    for number in numbers:
        if kind := policy.refusal(number):
            raise AddressRefused(host, kind)
    return numbers


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine itself, as far as that is known without asking for a name."""
    name = host.rstrip(".").lower()
    number = _read_number(name)
    return _is_local_name(name) or bool(number and ip_address(number).is_loopback)


def _is_local_name(name: str) -> bool:
    return name in _LOCAL_NAMES or name.endswith(".localhost")


def _find_inner(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 one stands for."""
    if isinstance(address, IPv4Address):
        return None
    if any(address in network for network in _TRANSLATED) and int(address) > 1:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _read_number(host: str) -> str:
    """Return the address that a host is written as, also in old forms: 2130706433, 0x7f.1, 0177.0.0.1."""
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, ValueError):
        return ""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. Never shown: it may hold secrets."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)

    def add_headers(self, **headers: str) -> Request:
        """Return the request with these headers too; an underscore in a name is a hyphen."""
        own = {name.replace("_", "-"): text for name, text in headers.items()}
        return replace(self, headers={**self.headers, **own})


def check_address(url: str, *, where: str = "") -> None:
    """Refuse what is no http(s) address, a host name that cannot exist, and an address that holds a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(
            say("the bot's address must start with http:// or https://"),
            where=where,
            remedy=say("enter the full address, for example https://bot.example.org/chat"),
        )
    try:
        ascii_host(parts.hostname or "")
    except ValueError:
        raise UsageError(
            say("'{hostname}' is not a valid host name", hostname=parts.hostname),
            where=where,
            remedy=say("check the spelling of the address"),
        ) from None
    if "@" in parts.netloc:
        raise UsageError(
            say("the bot's address contains a user name or password"),
            where=where,
            remedy=say(
                'remove it and set `headers: {Authorization: "Basic ${NAME}"}` in the bot\'s entry in bots.yaml'
            ),
        )


def shown_address(url: str) -> str:
    """Return an address as it may be recorded: without user, password, query and fragment."""
    return re.sub(r"(?<=://)[^/?#]*@", "", re.split(r"[?#]", url, maxsplit=1)[0])
