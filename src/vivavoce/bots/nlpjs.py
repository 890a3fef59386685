"""nlp.js: an independent engine for understanding, in a Node process of its own.

nlp.js says what a message means, or by its own fallback (`None`) that it does not know. Slots, flow and replies come
from the agent file, as fulfilment does behind a cloud platform: against the local engines only the understanding
differs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from vivavoce.agents import Agent, Dialogue
from vivavoce.bots.agent import AGENT, AgentBot, load_agent, read_threshold
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts
from vivavoce.bots.local_server import Launch, LocalServer
from vivavoce.bots.protocol import BotContext, Limits
from vivavoce.errors import BotError, MissingPartError, WorkError
from vivavoce.plugins import declare
from vivavoce.records import Guess, Status
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
            raise _explain_npm_failure(package, f"cannot write to {folder}")
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
        raise _explain_npm_failure(package, f"npm did not finish within {INSTALL_SECONDS:g} seconds") from error
    except OSError as error:
        raise _explain_npm_failure(package, f"cannot start npm: {error.strerror}") from error
    if result.returncode != 0:
        output = (result.stderr or result.stdout).decode("utf-8", "replace")
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower() and "complete log" not in line]
        raise _explain_npm_failure(package, "; ".join((errors or lines or ["npm gave no reason"])[:3])[:400])
    if _installed_version(staging, package) != package.version:
        raise _explain_npm_failure(package, "npm installed a different version")


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


def _explain_npm_failure(package: NodePackage, why: str) -> WorkError:
    again = f"run `viva bots start {package.bot}` again"
    return WorkError(
        f"could not install {package.pinned}: {why}",
        where=str(package_folder(package)),
        remedy=f"check the network and npm's settings (proxy, registry), then {again}",
    )


NLPJS = NodePackage("nlpjs", "node-nlp", "4.27.0", 120)
# The value that nlp.js itself has by default.
THRESHOLD = 0.5
SERVER = Path(__file__).with_name("nlpjs_server.js")
_OPTIONS = (AGENT, BotOption("threshold", "number", default=f"{THRESHOLD}"))


@declare(Connector(Reach.PROGRAM, _OPTIONS, option="agent"))
def from_option(option: str, context: BotContext) -> NlpjsBot:
    """nlp.js (Node) for understanding, an agent file for replies; option: agent."""
    need_package(NLPJS)
    threshold = read_threshold(context)
    engine = NlpjsEngine(load_agent(option, context), threshold=THRESHOLD if threshold is None else threshold)
    bot = NlpjsBot(context.name, engine)
    bot.facts = entry_facts(context, bot.facts)
    return bot


class NlpjsEngine:
    """nlp.js trained on the phrases of an agent, behind a server that is started when it is first asked."""

    forgiving = True
    about = f"nlp.js ({NLPJS.pinned})"

    def __init__(self, agent: Agent, *, threshold: float = THRESHOLD) -> None:
        self.agent = agent
        self.threshold = threshold
        # Names of topics are not the business of nlp.js, for which some have a meaning.
        self._names = {f"t{place}": topic.intent for place, topic in enumerate(agent.topics)}
        self.server = LocalServer(self._launch)

    async def understand(self, text: str) -> tuple[Guess, ...]:
        """Return the topics of a message, best first; none where nlp.js falls back although one is likely."""
        answer = await self.server.ask("/understand", {"text": text})
        ranking = answer.get("ranking")
        if not isinstance(ranking, list):
            raise BotError("nlp.js returned no ranking", status=Status.UNEXPECTED, where="nlpjs")
        rows = [(self._names.get(str(row["intent"])), float(str(row["score"]))) for row in ranking]
        known = [Guess(name, score) for name, score in rows if name is not None and score > 0]
        guesses = tuple(sorted(known, key=lambda guess: -guess.confidence))
        fell_back = answer.get("intent") == "None"
        return () if fell_back and guesses and guesses[0].confidence >= self.threshold else guesses

    def _launch(self) -> Launch:
        topics = {code: list(self.agent.by_intent[name].phrases) for code, name in self._names.items()}
        language = self.agent.language.partition("-")[0]
        material = {"language": language, "threshold": self.threshold, "topics": topics}
        command = (need_node(), str(SERVER), str(need_package(NLPJS)))
        return Launch("nlpjs", command, material, timeout_s=120.0)


class NlpjsBot(AgentBot):
    """An agent that nlp.js understands for."""

    def __init__(self, name: str, engine: NlpjsEngine) -> None:
        super().__init__(name, engine.agent, engine)
        self._server = engine.server
        # Its process is not ours, and a message takes it a millisecond: it may be asked and timed like any server.
        self.facts = replace(self.facts, in_process=False, limits=Limits(at_once=4, timeout_s=60.0))

    async def open(self, session: str) -> Dialogue:
        """Begin a conversation; nlp.js is started and trained before the first one."""
        await self._server.reach()
        return await super().open(session)

    async def close(self) -> None:
        """End the process of nlp.js."""
        await self._server.close()
