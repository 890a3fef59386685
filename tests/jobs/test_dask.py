"""A worker that computes on a Dask cluster finds what one that computes at home finds, to the last byte."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from workplace import QUICK, add_project, seen, start_engines, start_intents

from pictures import undrawn
from vivavoce.errors import MissingPartError, WorkError
from vivavoce.jobs import executors
from vivavoce.jobs.worker import Worker
from vivavoce.store.database import Store
from vivavoce.store.rows import Run, RunState

pytestmark = pytest.mark.slow

# Sentence vectors are read by a network, words are counted: neither depends on where.
ENGINES = ("linear", "tfidf")


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
    away = [start_intents(sqlite_store, shop, retries=4), start_engines(sqlite_store, shop, ENGINES, retries=2)]
    with monkeypatch.context() as patch:
        patch.setenv(executors.CLUSTER, scheduler)
        Worker(sqlite_store, rhythm=QUICK).drain()
    here = [start_intents(sqlite_store, shop, retries=4), start_engines(sqlite_store, shop, ENGINES, retries=2)]
    with undrawn(), ThreadPoolExecutor(1) as executor:
        Worker(sqlite_store, executor=executor, rhythm=QUICK).drain()
    for one, other in zip(away, here, strict=True):
        assert findings(sqlite_store, one) == findings(sqlite_store, other)
    with sqlite_store.reading() as tx:
        there, own = ([replace(row, run_id="") for row in tx.outcomes.of_run(runs[0].id)] for runs in (away, here))
        assert there == own != []


def findings(store: Store, run: Run) -> tuple[object, ...]:
    """Return all that a run found, but for what was timed."""
    done = seen(store, run)
    assert done.state is RunState.DONE
    with store.reading() as tx:
        found = tx.documents.get(run.id, "findings.json")
        measures = [replace(row, run_id="") for row in tx.measures.of_run(run.id)]
        outcomes = [replace(row, run_id="") for row in tx.outcomes.of_run(run.id)]
    assert found is not None
    assert measures
    return done.headline, found.content, measures, outcomes


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
