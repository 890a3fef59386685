"""The child process in which ChatterBot lives: trained on pairs, asked over HTTP on this machine.

ChatterBot and spaCy, which it imports, take seconds to load and a hundred megabytes; in a process of their own they
neither slow down nor disturb the exam.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from vivavoce.bots.local_server import read_material
from vivavoce.bots.protocol import BotFacts, Limits
from vivavoce.bots.serving import run_server
from vivavoce.records import Reply


def build_chatterbot(pairs: Iterable[tuple[str, str]], folder: Path) -> Any:
    """Return a ChatterBot that knows these pairs and learns nothing more; its database is in the folder."""
    from chatterbot import ChatBot
    from chatterbot.tagging import LowercaseTagger
    from chatterbot.trainers import ListTrainer

    bot = ChatBot(
        "vivavoce",
        # The default tagger needs a language model that would have to be downloaded.
        tagger=LowercaseTagger,
        read_only=True,
        storage_adapter="chatterbot.storage.SQLStorageAdapter",
        database_uri=f"sqlite:///{folder / 'statements.sqlite3'}",
        logic_adapters=[{"import_path": "chatterbot.logic.BestMatch"}],
    )
    trainer = ListTrainer(bot, show_training_progress=False)
    for phrase, reply in pairs:
        trainer.train([phrase, reply])
    return bot


class _PairBot:
    """What is served: each message is answered by itself, ChatterBot keeps nothing of a conversation."""

    def __init__(self, bot: Any) -> None:
        self._bot = bot
        self.facts = BotFacts("chatterbot", limits=Limits(at_once=1))

    async def open(self, session: str) -> _PairBot:
        return self

    async def say(self, text: str) -> Reply:
        if not text.strip():
            return Reply(confidence=0.0)
        answer = self._bot.get_response(text)
        return Reply((str(answer.text),), confidence=float(answer.confidence))

    async def close(self) -> None:
        """Nothing is held."""


def _main() -> None:
    logging.disable(logging.WARNING)
    material = cast(dict[str, Any], read_material())
    with tempfile.TemporaryDirectory(prefix="vivavoce-chatterbot-") as folder:
        bot = build_chatterbot(material["pairs"], Path(folder))
        asyncio.run(run_server(_PairBot(bot)))


if __name__ == "__main__":
    _main()
