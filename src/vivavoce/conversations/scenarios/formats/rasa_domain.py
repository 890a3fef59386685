"""The domain of a Rasa project: what its `utter_` actions say, in one file or a folder of files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from vivavoce.files.yamls import as_list, as_mapping, read_yaml

Responses = Mapping[str, tuple[str, ...]]
NAMES = ("domain.yml", "domain.yaml", "domain")
# Tests are kept in folders of folders: so far up a domain is looked for.
FOLDERS_ABOVE = 4
_VARIABLE = re.compile(r"\{[^{}\s]+\}")


def find_domain(file: Path) -> Path | None:
    """Return the domain of a file of tests: `domain.yml` or the folder `domain`, beside it or above."""
    beside = file.resolve().parent
    for folder in (beside, *list(beside.parents)[:FOLDERS_ABOVE]):
        for name in NAMES:
            place = folder / name
            if place.is_file() or (place.is_dir() and _files(place)):
                return place
    return None


def read_responses(domain: Path) -> Responses:
    """Return the texts of each `utter_` action; values that Rasa puts in become wildcards."""
    texts: dict[str, tuple[str, ...]] = {}
    for file in _files(domain) if domain.is_dir() else [domain]:
        responses = as_mapping(as_mapping(read_yaml(file).value).get("responses"))
        texts |= {
            name: tuple(
                _VARIABLE.sub("*", str(text)).strip()
                for variant in as_list(variants)
                if (text := as_mapping(variant).get("text")) is not None
            )
            for name, variants in responses.items()
        }
    return texts


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".yml", ".yaml"))
