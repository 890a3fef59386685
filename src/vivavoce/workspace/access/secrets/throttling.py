"""How long to wait before the next attempt to sign in: a rule over past attempts, wherever they are kept.

Five failures are free; then a wait begins that doubles with each further one, up to fifteen minutes. Failures are
counted for the name and for the address, and the longer wait holds; who has signed in from an address before waits
only for failures of the own name there, so that a stranger at the same address keeps no colleague out. An attempt
that is refused because of the wait is not checked and must not be noted: waiting ends even when somebody keeps
knocking. Note an attempt as failed before the password is checked, and as a success after: then attempts made at the
same time count, too.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
from collections.abc import Iterable
from dataclasses import dataclass

from vivavoce.errors import plural

FREE_FAILURES = 5
FIRST_WAIT = 15.0
LONGEST_WAIT = 15 * 60.0
FORGET_AFTER = 24 * 3600.0
# A sign-in that went well is remembered longer: it makes an address a known one.
FORGET_SUCCESS_AFTER = 60 * 24 * 3600.0
# Attempts may be noted a little later than they were made, and by machines whose clocks differ.
CLOCKS_APART = 60.0
MAX_LOGIN_CHARACTERS = 320


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to sign in: keys of name and address, when (seconds), and whether it went well.

    Names are kept as digests: people type their password into the wrong field, and any name may be tried.
    """

    login: str
    address: str
    at: float
    succeeded: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """The verdict on the next attempt: how many seconds it has to wait, 0 for not at all."""

    seconds: int = 0

    @property
    def allowed(self) -> bool:
        """Tell whether the attempt may be made now."""
        return self.seconds == 0

    def __str__(self) -> str:
        if self.allowed:
            return "You can sign in now."
        if self.seconds < 60:
            return f"Too many failed attempts. Try again in {plural(self.seconds, 'second')}."
        return f"Too many failed attempts. Try again in {plural(-(-self.seconds // 60), 'minute')}."


def waiting_time(attempts: Iterable[Attempt], login: str, address: str, now: float) -> Wait:
    """Return how long the next attempt for this name from this address has to wait.

    Only past attempts with the same `login_key` or the same `address_key` matter: a store may hand over just these.
    """
    who, place = login_key(login), address_key(address)
    past = sorted(kept_attempts(attempts, now), key=lambda attempt: attempt.at)
    own = [attempt for attempt in past if attempt.login == who]
    here = [attempt for attempt in own if attempt.address == place]
    if any(attempt.succeeded for attempt in here):
        # Somebody who has signed in from here before: strangers elsewhere cannot lock them out.
        ends = [_end_of_wait(_since_success(here))]
    else:
        # A success forgives failures of the same name only: an account of one's own must not buy guesses at others.
        by_name: dict[str, list[Attempt]] = {}
        for attempt in past:
            if attempt.address == place:
                by_name.setdefault(attempt.login, []).append(attempt)
        failures = sorted(at for attempts in by_name.values() for at in _since_success(attempts))
        ends = [_end_of_wait(_since_success(own)), _end_of_wait(failures)]
    seconds = min(max(0.0, max(ends) - now), LONGEST_WAIT)
    return Wait(int(-(-seconds // 1)))


def kept_attempts(attempts: Iterable[Attempt], now: float) -> tuple[Attempt, ...]:
    """Return the attempts that still count: not those that are too old, nor those of a clock that was set back."""
    lifetimes = {True: FORGET_SUCCESS_AFTER, False: FORGET_AFTER}
    return tuple(each for each in attempts if -CLOCKS_APART < now - each.at < lifetimes[each.succeeded])


def login_key(login: str) -> str:
    """Return what a name is counted under, in whatever letters it was typed."""
    plain = login[:MAX_LOGIN_CHARACTERS].strip().casefold()
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def address_key(address: str) -> str:
    """Return what an address is counted under: of IPv6 the network, as one visitor has all addresses in it."""
    try:
        parsed = ipaddress.ip_address(address.strip().partition("%")[0])
    except ValueError:
        return address.strip()[:MAX_LOGIN_CHARACTERS]
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), 64), strict=False))


def _since_success(past: list[Attempt]) -> list[float]:
    last = max((place for place, attempt in enumerate(past, 1) if attempt.succeeded), default=0)
    return [attempt.at for attempt in past[last:]]


def _end_of_wait(failures: list[float]) -> float:
    beyond = len(failures) - FREE_FAILURES
    if beyond < 0:
        return -math.inf
    doublings = min(beyond, 30)  # far beyond the longest wait, and no number that overflows
    return failures[-1] + min(FIRST_WAIT * 2.0**doublings, LONGEST_WAIT)
