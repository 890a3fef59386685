"""Times in the reader's zone: chosen on the account page, else that of the browser."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.local_time import ZONE_COOKIE, current_zone, use_zone, zone_names
from vivavoce.web.pages.projects.schedules import local_clock

MOMENT = datetime(2026, 1, 5, 22, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_utc() -> Iterator[None]:
    yield
    use_zone(None)


@pytest.mark.parametrize(
    ("cookie", "zone"),
    [
        (None, "UTC"),
        ("", "UTC"),
        ("Mars/Olympus", "UTC"),
        ("../../etc/passwd", "UTC"),
        ("auto:Europe/Berlin", "Europe/Berlin"),
        ("auto%3AAmerica%2FNew_York", "America/New_York"),
        ("Asia/Tokyo", "Asia/Tokyo"),
    ],
)
def test_a_cookie_names_the_zone_and_what_is_unknown_is_utc(cookie: str | None, zone: str) -> None:
    use_zone(cookie)
    assert current_zone().key == zone


@pytest.mark.parametrize(
    ("zone", "language", "written"),
    [
        ("UTC", "en", "5 January 2026, 22:30 UTC"),
        ("Europe/Berlin", "en", "5 January 2026, 23:30"),
        ("Europe/Berlin", "de", "5. Januar 2026, 23:30"),
        ("Asia/Tokyo", "de", "6. Januar 2026, 07:30"),
    ],
)
def test_times_are_written_in_the_zone_and_in_the_language(zone: str, language: str, written: str) -> None:
    use_zone(zone)
    write = Writer(Words(language))
    assert write.moment_words(MOMENT) == written
    assert 'datetime="2026-01-05T22:30:00Z"' in write.date(MOMENT), "machines read the exact time"


def test_a_weekday_is_that_of_the_reader() -> None:
    use_zone("Asia/Tokyo")
    assert Writer(Words("en")).near_day(MOMENT, datetime(2026, 1, 7, tzinfo=UTC), clock=True) == "Tuesday 07:30"


def test_the_time_of_a_daily_run_is_told_by_the_reader_s_clock_and_in_utc() -> None:
    assert local_clock(180) == "03:00 UTC"
    use_zone("Asia/Tokyo")
    assert local_clock(180) == "12:00 (03:00 UTC)"


def test_zones_to_choose_from_are_places() -> None:
    assert zone_names()[0] == "UTC"
    assert "Europe/Berlin" in zone_names()
    assert not any(name.startswith("Etc/") for name in zone_names())


def test_a_zone_is_chosen_on_the_account_page_and_given_back_to_the_browser(reader: TestClient) -> None:
    assert '<option value="browser" selected>' in reader.get("/account").text
    kept = reader.post("/preferences", data={"zone": "Asia/Tokyo", "next": "/account"})
    assert kept.headers["location"] == "/account"
    signed_in = reader.headers["cookie"]
    reader.headers["cookie"] = f"{signed_in}; {kept.headers['set-cookie'].partition(';')[0]}"
    page = reader.get("/account").text
    assert '<option value="Asia/Tokyo" selected>' in page
    assert "Times are in Asia/Tokyo." in page
    unknown = reader.post("/preferences", data={"zone": "Nowhere/Land", "next": "/account"})
    assert "set-cookie" not in unknown.headers, "an unknown zone changes nothing"
    back = reader.post("/preferences", data={"zone": "browser", "next": "/account"})
    assert back.headers["set-cookie"].startswith(f'{ZONE_COOKIE}="";')
    reader.headers["cookie"] = f"{signed_in}; {ZONE_COOKIE}=auto%3AEurope%2FBerlin"
    page = reader.get("/account").text
    assert "Times are in Europe/Berlin." in page
    assert '<option value="browser" selected>' in page, "what a script found out is no choice"
