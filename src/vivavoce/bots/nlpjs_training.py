"""nlp.js as something that is trained: topics are kept here, and each training starts its server anew."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.agents import Agent, Topic
from vivavoce.bots.classifier import BotClassifier
from vivavoce.bots.names import NameRule
from vivavoce.bots.nlpjs import NLPJS, THRESHOLD, NlpjsEngine, need_package
from vivavoce.bots.platform import Platform
from vivavoce.bots.protocol import BotFacts, Limits, Nature
from vivavoce.bots.training import Progress, RemoteIntent, silent
from vivavoce.errors import UsageError
from vivavoce.plugins import Declaration, Reach, declare
from vivavoce.records import Guess

# Nothing is shared with others here, so names need no mark of ours and no topic is anybody else's.
PLATFORM = Platform("nlp.js", credentials="", rights="", place="", names=NameRule(prefix=""))


class NlpjsTrainee:
    """nlp.js in a process of its own. It lives until `stop`, or as long as this process."""

    platform = PLATFORM
    may_erase = True

    def __init__(self, language: str = "en", *, threshold: float = THRESHOLD) -> None:
        self._language, self._threshold = language, threshold
        self._topics: dict[str, tuple[str, ...]] = {}
        self._engine: NlpjsEngine | None = None
        about = f"nlp.js ({NLPJS.pinned})"
        limits = Limits(at_once=4, timeout_s=120.0)
        self.facts = BotFacts("nlpjs", about, reports_intent=True, nature=Nature.NLU, limits=limits)

    async def list_intents(self) -> tuple[RemoteIntent, ...]:
        """Return the topics."""
        return tuple(RemoteIntent(name, name) for name in self._topics)

    async def create_intent(self, name: str, examples: Sequence[str], replies: Sequence[str] = ()) -> None:
        """Create a topic; it is known after `train`."""
        self._topics[name] = tuple(dict.fromkeys(examples))

    async def delete_intent(self, intent: RemoteIntent) -> None:
        """Delete a topic; it is forgotten with `train`."""
        self._topics.pop(intent.name, None)

    async def train(self, progress: Progress = silent) -> None:
        """Start nlp.js with the topics of now."""
        self.stop()
        topics = tuple(Topic(name, phrases) for name, phrases in self._topics.items())
        if topics:
            agent = Agent("exam", topics, language=self._language)
            self._engine = NlpjsEngine(agent, threshold=self._threshold)
            await self._engine.server.reach()

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the topics of a message, best first; none where nlp.js falls back."""
        guesses = await self._engine.understand(text) if self._engine is not None else ()
        return guesses if guesses and guesses[0].confidence >= self._threshold else ()

    async def close(self) -> None:
        """Keep nlp.js running: training takes longer than a question."""

    def stop(self) -> None:
        """End the process."""
        if self._engine is not None:
            self._engine.server.stop()
            self._engine = None


@declare(Declaration(Reach.PROGRAM))
def classifier(option: str = "") -> BotClassifier:
    """nlp.js (Node), trained in its own process; option: a language, such as nlpjs:de."""
    if option and not option.isalpha():
        raise UsageError(f"'{option}' is not a language of nlp.js", remedy="write its code, such as nlpjs:de")
    need_package(NLPJS)
    return BotClassifier(NlpjsTrainee(option or "en"), f"nlpjs:{option}" if option else "nlpjs")
