"""nlp.js: an independent engine for understanding, in a Node process of its own.

nlp.js says what a message means, or by its own fallback (`None`) that it does not know. Slots, flow and replies come
from the agent file, as fulfilment does behind a cloud platform: against the local engines only the understanding
differs.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vivavoce.agents import Agent, Dialogue
from vivavoce.bots.agent import AGENT, AgentBot, load_agent, read_threshold
from vivavoce.bots.declaration import BotOption, Connector, Reach
from vivavoce.bots.entries import entry_facts
from vivavoce.bots.local_server import Launch, LocalServer
from vivavoce.bots.nodes import NodePackage, need_node, need_package
from vivavoce.bots.protocol import BotContext, Limits
from vivavoce.errors import BotError
from vivavoce.plugins import declare
from vivavoce.records import Guess, Status

NLPJS = NodePackage("nlpjs", "node-nlp", "4.27.0", 120)
# The value that nlp.js itself has by default.
THRESHOLD = 0.5
SERVER = Path(__file__).with_name("nlpjs_server.js")
_OPTIONS = (AGENT, BotOption("threshold", "number", default=f"{THRESHOLD}"))


@declare(Connector(Reach.PROGRAM, _OPTIONS, option="agent"))
def from_option(option: str, context: BotContext) -> NlpjsBot:
    """nlp.js (Node) understands, an agent file replies; the option names the agent."""
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
