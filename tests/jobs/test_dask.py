"""A worker that computes on a Dask cluster finds what one that computes at home finds, to the last byte."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from workplace import QUICK, add_project, seen, start_intents

from pictures import undrawn
from vivavoce.errors import MissingPartError, WorkError
from vivavoce.jobs import executors
from vivavoce.jobs.worker import Worker
from vivavoce.store.database import Store
from vivavoce.store.rows import RunState


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a cluster of two processes."""
    folder: Path = tmp_path_factory.mktemp("dask")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_CONFIG", str(folder))
        patch.setenv("DASK_TEMPORARY_DIRECTORY", str(folder))
        distributed = pytest.importorskip("distributed")
        local: Any = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            # Any free port: the usual one may belong to another cluster, of which Dask would warn.
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address=None,
            local_directory=str(folder),
            host="127.0.0.1",
        )
        with local:
            yield local.scheduler_address


def test_a_cluster_finds_the_same_to_the_last_byte(
    sqlite_store: Store, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = add_project(sqlite_store)
    away = start_intents(sqlite_store, shop, retries=4)
    with monkeypatch.context() as patch:
        patch.setenv(executors.CLUSTER, scheduler)
        Worker(sqlite_store, rhythm=QUICK).drain()
    here = start_intents(sqlite_store, shop, retries=4)
    with undrawn(), ThreadPoolExecutor(1) as executor:
        Worker(sqlite_store, executor=executor, rhythm=QUICK).drain()
    assert (seen(sqlite_store, away).state, seen(sqlite_store, here).state) == (RunState.DONE, RunState.DONE)
    with sqlite_store.reading() as tx:
        found = [tx.documents.get(run.id, "findings.json") for run in (away, here)]
        assert tx.outcomes.compare(away.id, here.id).shared == tx.outcomes.count(away.id) > 0
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].content == found[1].content


def test_a_cluster_needs_its_extra(sqlite_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(executors.CLUSTER, "tcp://127.0.0.1:8786")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPartError, match=r"vivavoce\[cluster\]"):
        Worker(sqlite_store).drain()


def test_a_scheduler_that_does_not_answer_is_named(sqlite_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setenv(executors.CLUSTER, "tcp://127.0.0.1:9")
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 1)
    with pytest.raises(WorkError, match=r"tcp://127\.0\.0\.1:9"):
        Worker(sqlite_store).drain()
