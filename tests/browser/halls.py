"""One furnished workspace for all tests of a session, on a server of each test process."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from furnishing import Furnished, furnish, remembered
from journeys import Server, served, signed_in, until

from vivavoce.jobs.processes import WorkerProcesses
from vivavoce.store.database import Store, open_store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Role

FILE, TOLD, LOCK = "workspace.db", "told.json", "begun"


@dataclass(frozen=True)
class Hall:
    """A furnished workspace with a server, and the state of a browser of each role."""

    house: Furnished
    server: Server
    states: dict[Role, dict[str, Any]]

    @property
    def store(self) -> Store:
        return self.house.store

    @property
    def url(self) -> str:
        return self.server.url


def furnished_folder(shared: Path) -> Path:
    """Furnish a workspace in a folder that several test processes share: the first does it, the others wait."""
    folder = shared / "furnished"
    folder.mkdir(exist_ok=True)
    try:
        os.close(os.open(folder / LOCK, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        until((folder / TOLD).is_file, "the workspace was not furnished")
        return folder
    _furnish(folder)
    return folder


def _furnish(folder: Path) -> None:
    store = create_store(folder / FILE)
    workers = WorkerProcesses(str(folder / FILE), options=["--slots", "1"])
    workers.start()
    try:
        told = furnish(store, until).told
    finally:
        workers.stop()
        store.close()
    # Under its name only when it is whole: others wait for it.
    (folder / "told").write_text(json.dumps(told), encoding="utf-8")
    (folder / "told").rename(folder / TOLD)


@contextmanager
def open_hall(furnished: Path, folder: Path) -> Iterator[Hall]:
    """Serve a copy of a furnished workspace."""
    shutil.copy(furnished / FILE, folder / FILE)
    store = open_store(folder / FILE)
    told = json.loads((furnished / TOLD).read_text(encoding="utf-8"))
    try:
        with served(folder / FILE, folder, options=("--processes", "1")) as server:
            house = remembered(store, told)
            states = {role: signed_in(store, user, server.url) for role, user in house.users.items()}
            yield Hall(house, server, states)
    finally:
        store.close()
