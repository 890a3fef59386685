"""Programs written for Node: is Node here, and packages of its registry in a folder of our own.

A package is installed once, in its exact version, without running any of its scripts. It is put together in a
folder beside its place and then renamed, so that it is there whole or not at all, also when two install at once.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import MissingPartError, WorkError
from vivavoce.text.weights import staging_folder, viva_home

Say = Callable[[str], None]

INSTALL_SECONDS = 600.0
MIN_NODE = 18
_REMEDY = f"install Node {MIN_NODE} or newer with npm (nodejs.org, or your system's package manager)"
NPM_OPTIONS = ("--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", "--loglevel=error")


@dataclass(frozen=True, slots=True)
class NodePackage:
    """A package of the Node registry: which bot needs it, its name there, its exact version, its size on disk."""

    bot: str
    name: str
    version: str
    megabytes: int

    @property
    def pinned(self) -> str:
        """The name with the version, as npm takes it."""
        return f"{self.name}@{self.version}"


def need_node() -> str:
    """Return the path of Node; say how to get it where it is missing or too old."""
    node = _need_program("node")
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=True)  # noqa: S603
        version = int(answer.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise MissingPartError(f"Node failed to run: {error}", where=node, remedy=_REMEDY) from error
    if version < MIN_NODE:
        raise MissingPartError(f"Node {version} is too old", where=node, remedy=_REMEDY)
    return node


def package_folder(package: NodePackage) -> Path:
    """Return the folder where a package belongs, whether it is there or not."""
    return viva_home() / "engines" / package.bot


def find_package(package: NodePackage) -> Path | None:
    """Return the folder of an installed package, or None where it is absent, cut off or another version."""
    folder = package_folder(package)
    return folder if _installed_version(folder, package) == package.version else None


def need_package(package: NodePackage) -> Path:
    """Return the folder of an installed package; say how to install it where it is missing."""
    need_node()
    folder = find_package(package)
    if folder is None:
        raise MissingPartError(
            f"{package.pinned} is not installed",
            where=str(package_folder(package)),
            remedy=f"run `viva bots start {package.bot}` once (it installs about {package.megabytes} MB)",
        )
    return folder


def install_package(package: NodePackage, say: Say | None = None) -> Path:
    """Install a package unless it is already here; return its folder."""
    need_node()
    npm = _need_program("npm")
    folder = find_package(package)
    if folder is not None:
        return folder
    if say is not None:
        say(f"installing {package.pinned} (about {package.megabytes} MB)")
    with staging_folder(package_folder(package).parent) as staging:
        _run_npm(npm, package, staging)
        # Rename the finished folder to its place; of two that finish at once the first one stays.
        folder = package_folder(package)
        try:
            os.rename(staging, folder)
        except OSError:
            if find_package(package) is None:
                # What is there is not the package but another version, or half of one.
                with suppress(OSError):
                    aside = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
                    os.rename(folder, aside / "old")
                    shutil.rmtree(aside, ignore_errors=True)
                with suppress(OSError):  # somebody else may have been quicker
                    os.rename(staging, folder)
        if find_package(package) is None:
            raise _not_installed(package, f"cannot write to {folder}")
        return folder


def _run_npm(npm: str, package: NodePackage, staging: Path) -> None:
    manifest = {"name": f"vivavoce-{package.bot}", "private": True, "dependencies": {package.name: package.version}}
    (staging / "package.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    command = [npm, "install", *NPM_OPTIONS, "--prefix", str(staging)]
    try:
        result = subprocess.run(  # noqa: S603
            command, cwd=staging, capture_output=True, timeout=INSTALL_SECONDS, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _not_installed(package, f"npm did not finish within {INSTALL_SECONDS:g} seconds") from error
    except OSError as error:
        raise _not_installed(package, f"cannot start npm: {error.strerror}") from error
    if result.returncode != 0:
        output = (result.stderr or result.stdout).decode("utf-8", "replace")
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower() and "complete log" not in line]
        raise _not_installed(package, "; ".join((errors or lines or ["npm gave no reason"])[:3])[:400])
    if _installed_version(staging, package) != package.version:
        raise _not_installed(package, "npm installed a different version")


def _installed_version(folder: Path, package: NodePackage) -> str | None:
    manifest = folder / "node_modules" / package.name / "package.json"
    try:
        version = json.loads(manifest.read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return version if isinstance(version, str) else None


def _need_program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise MissingPartError(f"the program `{name}` is not installed", remedy=_REMEDY)
    return path


def _not_installed(package: NodePackage, why: str) -> WorkError:
    again = f"run `viva bots start {package.bot}` again"
    return WorkError(
        f"could not install {package.pinned}: {why}",
        where=str(package_folder(package)),
        remedy=f"check the network and npm's settings (proxy, registry), then {again}",
    )
