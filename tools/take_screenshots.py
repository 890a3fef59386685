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
from importlib import import_module
from pathlib import Path
from typing import Any

from vivavoce.store.rows import Role
from vivavoce.web.answers import LANGUAGE_COOKIE

# The workspace and the browser are those of the tests of every page.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "browser"))
addresses, halls, journeys, opening = map(import_module, ("addresses", "halls", "journeys", "opening"))

LOOKS = (("light", opening.DESK), ("dark", opening.DESK), ("phone", opening.PHONE))
# Seen by those who are not signed in.
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
        with halls.open_hall(halls.furnished_folder(kept), Path(place)) as hall:
            count = take_all(hall, Wanted(given.folder, given.only, given.language))
    print(f"{count} pictures are in {given.folder}")


@dataclass(frozen=True)
class Wanted:
    """Where pictures go, of which pages, in which language."""

    folder: Path
    only: str
    language: str


def take_all(hall: Any, wanted: Wanted) -> int:
    """Take every page in every look; return how many pictures that made."""
    from playwright.sync_api import sync_playwright

    chosen = [address for address in addresses.every_address(hall.house).values() if wanted.only in address]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=opening.ARGUMENTS)
        taken = [_take(browser, hall, address, wanted) for address in chosen]
        browser.close()
    return sum(taken)


def _take(browser: Any, hall: Any, address: str, wanted: Wanted) -> int:
    """Take a page in every look; none where the address leads elsewhere or is a part of a page."""
    state = None if address in OUTSIDE else hall.states[Role.ADMIN]
    name = _short(re.sub(r"[^a-z0-9]+", "-", address.split("?", maxsplit=1)[0].lower()).strip("-") or "begin")
    with journeys.visiting(browser, hall.url, state) as page:
        page.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": wanted.language, "url": hall.url}])
        answer = page.request.get(address, max_redirects=0)
        media = answer.headers.get("content-type", "")
        if not media.startswith("text/html") or not addresses.is_whole_page(answer.text()):
            return 0
        page.goto(address)
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
