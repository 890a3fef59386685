"""Passwords: slow to guess, stored as a text that says how it was made, and never worth a stopwatch."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import DataError, Fault, UsageError
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
