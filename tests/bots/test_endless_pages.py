"""Error pages without end: what is quoted of them is short and found at once."""

from __future__ import annotations

import pytest

from vivavoce.bots import entry_variables
from vivavoce.bots.redaction import MAX_EXCERPT, Redactor, excerpt
from vivavoce.bots.shapes import MAX_BYTES


@pytest.mark.parametrize("piece", ["<script ", "<style></styl", "<", "<a <b", "</script   "])
def test_a_page_of_tags_without_end_is_quoted_like_any_other(piece: str) -> None:
    # Looking for the end of each tag up to the end of the text would not come back within the time of a test run.
    assert len(excerpt(piece * (MAX_BYTES // len(piece)), Redactor())) <= MAX_EXCERPT


def test_a_page_is_quoted_after_its_scripts_and_styles() -> None:
    page = f"<html><style>{'a {b: c} ' * 1_000}</style><script>x < 1</script><p>Please wait</p></html>"
    assert excerpt(page, Redactor()) == "Please wait"


def test_a_secret_at_the_place_where_a_page_is_cut_is_struck_out_first() -> None:
    secret = "-".join(["s3cr3t", "of", "the", "bot"])
    for lead in range(19_980, 20_010):
        page = "<style>" + "x" * (lead - 15) + "</style>" + secret
        assert secret[:4] not in excerpt(page, Redactor([secret]))


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "http", "url": "https://bot.example.org", "body": r'{"a": "\u0024{HOME_KEY}"}'},
        {"kind": "http", "open": {"url": "https://bot.example.org", "body": r'{"a": ["$\u007bHOME_KEY}"]}'}},
        {"kind": "openai", "api_key": "", "extra": r'{"user": "\u0024{HOME_KEY}"}'},
    ],
)
def test_a_variable_that_is_written_with_escapes_is_seen(entry: dict[str, object]) -> None:
    assert entry_variables(entry) == ("HOME_KEY",)
