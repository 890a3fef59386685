"""Two worker processes of a real Dask cluster find what this process finds, to the last byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unit_running import conclude, document, perform_in, small_dataset

from vivavoce.jobs.exams.documents import dataset_to_bytes

MATERIAL = dataset_to_bytes(small_dataset())


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder: Path = tmp_path_factory.mktemp("dask")
    with pytest.MonkeyPatch.context() as patch:
        # What Dask keeps, it keeps here; the workers inherit it.
        patch.setenv("DASK_CONFIG", str(folder))
        patch.setenv("DASK_TEMPORARY_DIRECTORY", str(folder))
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
                local_directory=str(folder),
                host="127.0.0.1",
            ) as local,
            distributed.Client(local) as client,
        ):
            yield client


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("intents", {"classifier": "linear", "retries": 3}),
        ("engines", {"classifiers": ["linear", "tfidf"], "retries": 2, "settings": [[0, 0], [5, 0]]}),
    ],
)
def test_a_cluster_gives_the_same_bytes(cluster: Any, kind: str, options: dict[str, Any]) -> None:
    with cluster.get_executor(pure=False) as executor:
        away = conclude(kind, MATERIAL, options, perform_in(executor), run=f"away {kind}")
    here = conclude(kind, MATERIAL, options)
    assert document(away).content == document(here).content
    assert (away.headline, away.measures, away.outcomes) == (here.headline, here.measures, here.outcomes)
