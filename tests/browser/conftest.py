"""A real browser for the tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from opening import ARGUMENTS, DESK, absent
from shelves import Shelf, check_rules, thin_out

if TYPE_CHECKING:
    from halls import Hall


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = os.environ.get("VIVA_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        absent("there is no Chromium: install it, or name it in VIVA_BROWSER")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A furnished workspace on a real server, for all tests of this process."""
    from halls import furnished_folder, open_hall

    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with open_hall(furnished_folder(shared), tmp_path_factory.mktemp("hall")) as found:
        yield found


@pytest.fixture(scope="module")
def whole(browser: Any) -> Iterator[Shelf]:
    """Pages as they are. Who looks at them must not change them."""
    shelf = Shelf(browser, lambda page: None)
    yield shelf
    shelf.close()


@pytest.fixture(scope="module")
def thinned(browser: Any) -> Iterator[Shelf]:
    """Pages with one element of each shape."""
    shelf = Shelf(browser, thin_out)
    yield shelf
    shelf.close()


@pytest.fixture
def check_axe(whole: Shelf, thinned: Shelf) -> Callable[..., None]:
    """Return a function that lets axe look at an address: every rule on the whole page, contrast once for each shape.

    The rule of contrast takes many times longer than all others together, and longer with the square of the page.
    """

    def check(address: str, *, width: int = DESK, scheme: str = "light") -> None:
        check_rules(whole.show(address, width=width, scheme=scheme), contrast=False)
        check_rules(thinned.show(address, width=width, scheme=scheme), contrast=True)

    return check
