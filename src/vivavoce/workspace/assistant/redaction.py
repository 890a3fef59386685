"""Personal data in what visitors write: mail addresses, phone numbers and bank accounts are not stored.

Names are not found by patterns, so they stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MAIL, PHONE, ACCOUNT = "[mail]", "[phone]", "[account]"
_MAIL = re.compile(r"[A-Za-z0-9._+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_ACCOUNT = re.compile(r"\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?\b")
# Digits with signs between them, not within a word or a longer number; Chinese has no blanks around them.
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?:\+|\(0)?\d(?:[ ./()-]{0,3}\d){6,14}(?![A-Za-z0-9_])")
_DIAL = re.compile(r"\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
_MOBILE_CHINA = re.compile(r"1[3-9]\d{9}")
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}")
# A national number begins with a 0 and has at least so many digits with it.
MIN_NATIONAL, MIN_INTERNATIONAL = 9, 8


def redact(text: str) -> str:
    """Return a text with a word in brackets in place of each mail address, bank account and phone number."""
    text = _MAIL.sub(MAIL, text)
    text = _ACCOUNT.sub(lambda match: ACCOUNT if _is_account(match[0]) else match[0], text)
    return _NUMBER.sub(lambda match: PHONE if _is_phone(match[0]) else match[0], text)


def redact_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the assistant remembers of a talk, with the unclear message redacted."""
    return {name: redact(value) if name == "question" else value for name, value in state.items()}


def _is_account(text: str) -> bool:
    """Tell whether the check digits are right."""
    plain = text.replace(" ", "").upper()
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _is_phone(text: str) -> bool:
    if _DATE.match(text):
        return False
    digits = re.sub(r"\D", "", text)
    if text.startswith("+") or digits.startswith("00"):
        return len(digits) >= MIN_INTERNATIONAL
    if digits.startswith("0"):
        return len(digits) >= MIN_NATIONAL
    return bool(_DIAL.fullmatch(text) or _MOBILE_CHINA.fullmatch(digits))
