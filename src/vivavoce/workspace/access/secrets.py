"""Secrets of people and programs: passwords, random secrets, and how often one may be tried.

Passwords are slow to guess and stored as a text that says how it was made. Random secrets for sessions, programs and
one-time links are shown once, and stored only as a digest.

Five failures to sign in are free; then a wait begins that doubles with each further one, up to fifteen minutes.
Failures are counted for the name and for the address, and the longer wait holds; who has signed in from an address
before waits only for failures of the own name there, so that a stranger at the same address keeps no colleague out.
An attempt that is refused because of the wait is not checked and must not be noted: waiting ends even when somebody
keeps knocking. Note an attempt as failed before the password is checked, and as a success after: then attempts made
at the same time count, too.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import math
import re
import secrets
import string
import unicodedata
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from vivavoce.errors import DataError, Fault, UsageError, plural
from vivavoce.messages import say

SCHEME = "scrypt"
SALT_BYTES = 16
HASH_BYTES = 32
MIN_CHARACTERS = 10
# Longer ones add no safety, and a whole book must not keep the server busy.
MAX_CHARACTERS = 1_000
# Bounds of what a stored text may ask for: a damaged row must not take all memory.
MAX_MEMORY = 256 * 1024**2
MAX_ROUNDS = 64
_WORDS = """
    password passwort passw0rd kennwort geheim secret letmein welcome willkommen qwerty qwertz qwertyuiop qwertzuiop
    asdfghjkl yxcvbnm zxcvbnm iloveyou ichliebedich administrator admin changeme default login master monkey dragon
    football baseball basketball superman batman pokemon princess sunshine starwars trustno whatever computer internet
    freedom michael jennifer charlie schalke dortmund deutschland hallo hello abc abcdef abcdefg abcdefgh
    passwordpassword adminadmin testtest test qazwsx qazwsxedc qweasdzxc qwerasdfzxcv user username vivavoce viva
"""
_OTHERS = """
    1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4t5 1qaz2wsx3edc 123qweasdzxc 1234qwerasdf 123456789a a123456789 1231231231
    123123123123 1122334455 11223344556677 12341234123 123412341234 1357924680 3141592654 31415926535 0147258369
    1472583690 7894561230
"""
_COMMON_WORDS = frozenset(_WORDS.split())
_COMMON = frozenset(_OTHERS.split())
_RUNS = ("01234567890123456789", "98765432109876543210", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "qwertzuiop")
_LOOKALIKES = str.maketrans("013457@$!", "oleastasi")
_EDGES = string.digits + string.punctuation + " "

RULES = (
    say("Use at least {min_characters:d} characters.", min_characters=MIN_CHARACTERS),
    say("Use at most {max_characters:d} characters.", max_characters=MAX_CHARACTERS),
    say("The password must not be the login, with or without a number after it."),
    say("The password is too common, or repeats one or two characters."),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """How much work one guess is: memory grows with `n` times `r`, time with all three."""

    n: int = 2**15
    r: int = 8
    p: int = 3

    @property
    def memory(self) -> int:
        """Return the bytes that one check takes."""
        return 128 * self.r * (self.n + self.p + 2)


USUAL = Cost()


def hash_password(password: str, cost: Cost = USUAL) -> str:
    """Return the text to store: `scrypt$n$r$p$salt$hash`."""
    salt = secrets.token_bytes(SALT_BYTES)
    encoded = (b64encode(part).decode() for part in (salt, _derive(password, salt, cost)))
    return "$".join(map(str, (SCHEME, cost.n, cost.r, cost.p, *encoded)))


def check_password(password: str, stored: str | None, cost: Cost = USUAL) -> bool:
    """Tell whether a password is the stored one.

    `stored` is None for a name that nobody has, or for a person without a password: the same work is done and
    the answer is no, so that the time of an answer does not tell which names exist.
    """
    kept_cost, salt, kept = _read(stored) if stored else (cost, bytes(SALT_BYTES), None)
    digest = _derive(password[:MAX_CHARACTERS], salt, kept_cost)
    same = hmac.compare_digest(digest, kept or bytes(HASH_BYTES))
    return same and kept is not None and len(password) <= MAX_CHARACTERS


def rehash_needed(stored: str, cost: Cost = USUAL) -> bool:
    """Tell whether the text was made at another cost: after a good sign-in the password is at hand to renew it."""
    return _read(stored)[0] != cost


def password_faults(password: str, login: str = "") -> tuple[Fault, ...]:
    """Return every rule that a new password breaks, in words; nothing for a good one."""
    folded, core = password.strip().casefold(), _core(password)
    names = {_core(login), _core(login.partition("@")[0]), login.strip().casefold()} - {""}
    broken = (
        len(password) < MIN_CHARACTERS,
        len(password) > MAX_CHARACTERS,
        core in names or folded in names,
        len(set(folded)) <= 2
        or folded in _COMMON
        or any(folded in run for run in _RUNS)
        or not _COMMON_WORDS.isdisjoint((core, core.translate(_LOOKALIKES))),
    )
    return tuple(Fault(rule, "password") for rule, wrong in zip(RULES, broken, strict=True) if wrong)


def _derive(password: str, salt: bytes, cost: Cost) -> bytes:
    # Keyboards differ in how they build an accent: the same letters must be the same password.
    letters = unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(
        letters, salt=salt, n=cost.n, r=cost.r, p=cost.p, maxmem=cost.memory + 2**20, dklen=HASH_BYTES
    )


def _read(stored: str) -> tuple[Cost, bytes, bytes]:
    # The text itself is not shown: messages end up in logs.
    unreadable = DataError(
        say("the stored password cannot be read"), remedy=say("set a new password for this person")
    )
    try:
        scheme, *numbers, salt, digest = stored.split("$")
        if len(numbers) != 3 or not all(re.fullmatch(r"[1-9][0-9]{0,8}", text, re.ASCII) for text in numbers):
            raise unreadable
        cost, kept = Cost(*map(int, numbers)), b64decode(digest, validate=True)
        plain_salt = b64decode(salt, validate=True)
    except ValueError:
        raise unreadable from None
    power_of_two = cost.n > 1 and cost.n & (cost.n - 1) == 0
    sane = power_of_two and cost.memory <= MAX_MEMORY and cost.p <= MAX_ROUNDS
    if scheme != SCHEME or not sane or len(kept) != HASH_BYTES:
        raise unreadable
    return cost, plain_salt, kept


def _core(text: str) -> str:
    """Return what is left without the number or the sign that people put around a word."""
    return text.casefold().strip(_EDGES)


def new_password_faults(password: str, repeated: str, login: str) -> tuple[Fault, ...]:
    """Return what is wrong with a new password, each fault at its field."""
    unlike = () if password == repeated else (Fault(say("The passwords do not match."), "repeated"),)
    return (*password_faults(password, login), *unlike)


def refuse_faults(faults: Sequence[Fault]) -> None:
    """Refuse a form with all its faults at once; nothing happens where there are none."""
    if faults:
        raise UsageError(say("some fields are invalid"), faults=faults, remedy=say("correct them and try again"))


API_PREFIX = "viva_"
RANDOM_CHARACTERS = 40
CHECK_CHARACTERS = 6
# For scanners that look for leaked secrets; the last six characters are a checksum, see `is_api_token`.
API_TOKEN_PATTERN = rf"\b{API_PREFIX}[0-9A-Za-z]{{{RANDOM_CHARACTERS + CHECK_CHARACTERS}}}\b"
# Letters and digits only: a double click selects all of it, and it needs no quoting anywhere.
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_TOKEN = re.compile(API_TOKEN_PATTERN, re.ASCII)
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Secret:
    """A new secret: the text goes to its owner, the digest into the store."""

    text: str = field(repr=False)  # a secret must not end up in a log
    digest: str


def new_secret() -> Secret:
    """Return a secret for the cookie of one session, or for a link that works once."""
    return _secret(_random_text())


def new_api_token() -> Secret:
    """Return a token for a program; its beginning and its checksum make a leaked one easy to find."""
    body = API_PREFIX + _random_text()
    return _secret(body + _checksum(body))


def is_api_token(text: str) -> bool:
    """Tell whether a text can be a token of ours at all, before the store is asked."""
    return bool(_TOKEN.fullmatch(text)) and _checksum(text[:-CHECK_CHARACTERS]) == text[-CHECK_CHARACTERS:]


def digest_of(text: str) -> str:
    """Return what is stored of a secret.

    A fast digest is enough: nobody guesses 238 random bits, whatever a guess costs.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def bearer_token(authorization: str | None) -> str | None:
    """Return the token of an `Authorization: Bearer ...` header, or None."""
    match = _BEARER.fullmatch((authorization or "").strip())
    return match[1] if match else None


def _secret(text: str) -> Secret:
    return Secret(text, digest_of(text))


def _random_text() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(RANDOM_CHARACTERS))


def _checksum(text: str) -> str:
    number, signs = zlib.crc32(text.encode()), ""
    for _ in range(CHECK_CHARACTERS):
        number, place = divmod(number, len(_ALPHABET))
        signs = _ALPHABET[place] + signs
    return signs


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
