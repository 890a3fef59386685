from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import DataError
from vivavoce.workspace.access.secrets import (
    API_TOKEN_PATTERN,
    MAX_CHARACTERS,
    USUAL,
    Cost,
    bearer_token,
    check_password,
    digest_of,
    hash_password,
    is_api_token,
    new_api_token,
    new_secret,
    password_faults,
    rehash_needed,
)

pytestmark = pytest.mark.slow

CHEAP = Cost(n=2, r=1, p=1)


# Passwords


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_only_the_same_password_opens(password: str, other: str) -> None:
    stored = hash_password(password, CHEAP)
    assert check_password(password, stored)
    assert check_password(other, stored) == check_password(password, hash_password(other, CHEAP))
    assert not check_password(password + "x", stored)


def test_an_accent_typed_in_two_ways_is_one_password() -> None:
    assert check_password("cafe\u0301 am Eck", hash_password("caf\u00e9 am Eck", CHEAP))


def test_the_stored_text_tells_how_it_was_made_and_nothing_of_the_password() -> None:
    first, second = (hash_password("correct horse battery", CHEAP) for _ in range(2))
    assert re.fullmatch(r"scrypt\$2\$1\$1\$[\w+/=]+\$[\w+/=]+", first)
    assert first != second
    assert "horse" not in first


def test_the_usual_cost_takes_memory_and_works() -> None:
    assert USUAL.memory >= 32 * 1024**2
    assert check_password("a usual password", hash_password("a usual password"))


def test_a_text_made_at_another_cost_still_opens_and_is_to_be_renewed() -> None:
    stored = hash_password("an old password", CHEAP)
    assert check_password("an old password", stored)
    assert rehash_needed(stored)
    assert not rehash_needed(stored, CHEAP)


@pytest.mark.parametrize("stored", [None, ""])
def test_nobody_costs_as_much_as_somebody(stored: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    work: list[dict[str, object]] = []
    real = hashlib.scrypt

    def counted(password: bytes, **options: object) -> bytes:
        work.append({key: value for key, value in options.items() if key != "salt"})
        return real(password, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(hashlib, "scrypt", counted)
    assert not check_password("some password", stored, CHEAP)
    assert not check_password("some password", hash_password("another password", CHEAP), CHEAP)
    assert work[0] == work[1] == work[2]


def test_the_password_that_fits_nobody_does_not_exist() -> None:
    # The work for an unknown name is compared with zeros: no password may ever count as right there.
    assert not any(check_password(text, None, CHEAP) for text in ("", "\0", "0" * 32))


@pytest.mark.parametrize(
    "stored",
    [
        "plain text",
        "scrypt$2$1$1$AAAA",
        "md5$2$1$1$AAAA$AAAA",
        "scrypt$3$1$1$AAAA$" + "A" * 43 + "=",  # not a power of two
        "scrypt$4194304$8$1$AAAA$" + "A" * 43 + "=",  # more memory than there is
        "scrypt$2$1$99999999$AAAA$" + "A" * 43 + "=",  # more time than there is
        "scrypt$2$1$1$****$" + "A" * 43 + "=",
        "scrypt$2$1$1$AAAA$AAAA",
        "scrypt$-2$1$1$AAAA$" + "A" * 43 + "=",
        "scrypt$٢$1$1$AAAA$" + "A" * 43 + "=",
    ],
)
def test_a_damaged_text_is_an_error_that_does_not_show_it(stored: str) -> None:
    with pytest.raises(DataError) as caught:
        check_password("whatever it is", stored)
    assert stored not in str(caught.value)
    assert "new password" in caught.value.remedy


@pytest.mark.parametrize("password", ["tortoise on the roof", "Grüße aus Köln am Rhein", "xK7#pQ2!vL9z"])
def test_a_good_password_breaks_no_rule(password: str) -> None:
    assert password_faults(password, "anna@example.com") == ()


@pytest.mark.parametrize(
    "password",
    [
        "1234567890", "0987654321", "Password123!", "p@ssw0rd2024", "qwertyuiop", "QWERTZUIOP", "aaaaaaaaaaaa",
        "abababababab", "passwordpassword", "1q2w3e4r5t", "Willkommen1", "abcdefghijkl",
    ],
)  # fmt: skip
def test_what_everybody_tries_first_is_refused(password: str) -> None:
    assert ["too common" in fault.message for fault in password_faults(password)] == [True]


@pytest.mark.parametrize(
    "password", ["anna.schmidt", "ANNA.SCHMIDT@example.com", "anna.schmidt2024!", " Anna.Schmidt "]
)
def test_the_name_is_no_password(password: str) -> None:
    assert any(
        "must not be the login" in fault.message for fault in password_faults(password, "anna.schmidt@example.com")
    )


def test_every_broken_rule_is_told_at_once() -> None:
    assert len(password_faults("admin", "admin")) == 3
    assert len(password_faults("x y z " * 400)) == 1


@settings(deadline=None)
@given(st.text(max_size=9))
def test_nothing_short_passes(password: str) -> None:
    assert password_faults(password)


def test_a_book_is_no_password_even_if_its_beginning_is_the_right_one() -> None:
    stored = hash_password("p" * MAX_CHARACTERS, CHEAP)
    assert check_password("p" * MAX_CHARACTERS, stored)
    assert not check_password("p" * (MAX_CHARACTERS + 1), stored)


# Tokens


@pytest.mark.parametrize("new", [new_secret, new_api_token])
def test_secrets_differ_fit_their_digest_and_stay_out_of_logs(new: object) -> None:
    made = [new() for _ in range(50)]  # type: ignore[operator]
    assert len({secret.text for secret in made}) == 50
    for secret in made:
        assert digest_of(secret.text) == secret.digest
        assert secret.text not in repr(secret)
        assert re.fullmatch(r"[0-9A-Za-z_]{40,}", secret.text)
    assert digest_of(made[0].text) != made[1].digest


def test_the_digest_is_sha_256() -> None:
    assert digest_of("abc") == hashlib.sha256(b"abc").hexdigest()


@settings(deadline=None)
@given(st.text(), st.text())
def test_a_digest_fits_one_text_only(text: str, other: str) -> None:
    assert (digest_of(other) == digest_of(text)) == (text == other)
    assert digest_of(text) != other


def test_a_leaked_token_is_found_in_a_text() -> None:
    token = new_api_token().text
    assert re.findall(API_TOKEN_PATTERN, f'key = "{token}", not viva_short') == [token]


@settings(deadline=None)
@given(st.integers(5, 50), st.sampled_from("0aZ9"))
def test_a_mistyped_token_is_known_without_asking_the_store(place: int, sign: str) -> None:
    token = new_api_token().text
    changed = token[:place] + sign + token[place + 1 :]
    assert is_api_token(token)
    assert is_api_token(changed) == (changed == token)


@pytest.mark.parametrize(
    ("header", "token"),
    [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", None), ("Bearer", None), ("Bearer a b", None)],
)
def test_the_token_of_a_program_is_read_from_its_header(header: str, token: str | None) -> None:
    assert bearer_token(header) == token
    assert bearer_token(None) is None
