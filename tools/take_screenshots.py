"""Take pictures of every page, in light, in dark and on a phone: `python tools/take_screenshots.py FOLDER`.

A small workspace is made, filled and served for as long as it takes. `--only TEXT` takes the pages alone whose
address holds the text; `--language de` takes them in German.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from addresses import every_address, shown_to_people  # noqa: E402
from halls import Hall, furnished_folder, open_hall  # noqa: E402
from journeys import visiting  # noqa: E402
from opening import ARGUMENTS, DESK, PHONE  # noqa: E402

from vivavoce.store.rows import Role  # noqa: E402

LOOKS = (("light", DESK), ("dark", DESK), ("phone", PHONE))
OUTSIDE = ("/sign-in",)


def main() -> None:
    """Take the pictures that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--only", default="", help="a part of the addresses that are wanted")
    parser.add_argument("--language", default="en", help="the language of the pages")
    parser.add_argument("--workspace", type=Path, help="a folder in which the workspace is kept for the next time")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="viva-") as place:
        kept = given.workspace or Path(place)
        kept.mkdir(parents=True, exist_ok=True)
        with open_hall(furnished_folder(kept), Path(place)) as hall:
            count = take_all(hall, Wanted(given.folder, given.only, given.language))
    print(f"{count} pictures are in {given.folder}")


@dataclass(frozen=True)
class Wanted:
    """Where pictures go, of which pages, in which language."""

    folder: Path
    only: str
    language: str


def take_all(hall: Hall, wanted: Wanted) -> int:
    """Take every page in every look; return how many pictures that made."""
    from playwright.sync_api import sync_playwright

    addresses = [address for _, address in shown_to_people(every_address(hall.house)) if wanted.only in address]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=ARGUMENTS)
        taken = [
            _take(browser, hall, address, wanted)
            for address in (*addresses, *(one for one in OUTSIDE if wanted.only in one))
        ]
        browser.close()
    return sum(taken)


def _take(browser: Any, hall: Hall, address: str, wanted: Wanted) -> int:
    """Take a page in every look; none where the address leads elsewhere or is a part of a page."""
    state = None if address in OUTSIDE else hall.states[Role.ADMIN]
    name = _short(re.sub(r"[^a-z0-9]+", "-", address.split("?", maxsplit=1)[0].lower()).strip("-") or "begin")
    with visiting(browser, hall.url, state, locale=wanted.language) as page:
        page.goto(address)
        if not page.url.startswith(hall.url + address) or not page.locator("main h1").count():
            return 0
        page.wait_for_load_state("networkidle")
        for look, width in LOOKS:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if look == "dark" else "light")
            page.screenshot(path=wanted.folder / f"{name}-{look}.png", full_page=True)
    return len(LOOKS)


def _short(name: str) -> str:
    """Leave out the ids, so that the same page has the same name every time."""
    return re.sub(r"-(?=\w*\d)\w{16,}", "-one", name)


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


if __name__ == "__main__":
    main()
