"""What the tests of the command line share."""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

WORDS = {
    "salary": ("pay", "money", "salary", "wage", "bonus", "euros", "raise", "income"),
    "holiday": ("holiday", "vacation", "leave", "days off", "break", "summer off", "easter", "travel"),
    "parking": ("parking", "car", "garage", "bike rack", "charging", "vehicle", "lot", "permit"),
    "dress": ("clothes", "suit", "jeans", "tie", "shoes", "jacket", "shirt", "uniform"),
}
FRAMES = (
    ("how about {} in Hamburg", "is there {} at Leeds", "what of {} for students", "do you know about {} yet"),
    ("please tell me of {} again", "I would like {} explained", "my colleague wonders about {}", "{} for beginners?"),
)
FAKES = '''
import os, time
from pathlib import Path
from vivavoce.records import Guess

class Bot:
    name = "bot"
    def fit(self, texts, intents):
        with Path("fits.log").open("a") as log:
            log.write("fit\\n")
        time.sleep(float(os.environ.get("FAKE_SECONDS", "0")))
        self.known = dict(zip(texts, intents))
        self.first = sorted(set(intents))[0]
    def guess(self, texts):
        return [Guess(self.known.get(text, self.first), 0.8) for text in texts]

class Failing(Bot):
    """Fails once, in its second training."""
    name = "failing"
    trained = 0
    def fit(self, texts, intents):
        Failing.trained += 1
        if Failing.trained == 2:
            raise RuntimeError("the engine is down")
        super().fit(texts, intents)

class Printing(Bot):
    """Talks to itself."""
    name = "printing"
    def guess(self, texts):
        print("thinking ...")
        return super().guess(texts)

class Stopping(Bot):
    """Somebody presses Ctrl-C in the third training."""
    name = "stopping"
    trained = 0
    def fit(self, texts, intents):
        Stopping.trained += 1
        if Stopping.trained == 3:
            raise KeyboardInterrupt
        super().fit(texts, intents)

class FourMethods:
    def __init__(self): self.examples = {}
    def all_intents(self): return list(self.examples)
    def create_intent(self, intent, examples): self.examples[intent] = examples
    def delete_intent(self, intent): self.examples.pop(intent)
    def classify(self, text):
        words = set(text.split())
        best = max(self.examples, key=lambda i: max(len(words & set(e.split())) for e in self.examples[i]))
        shared = max(len(words & set(e.split())) for e in self.examples[best])
        return [{"intent_id": best, "confidence": min(1.0, shared / len(words))}]

class Forgetful(FourMethods):
    """Keeps what it should delete."""
    def fit(self, texts, intents):
        for text, intent in zip(texts, intents):
            self.examples.setdefault(intent + str(len(self.examples)), []).append(text)
'''
Viva = Callable[..., Result]


def write_csv(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def faq_rows() -> list[dict[str, str]]:
    """Return 64 examples of four topics over eight months."""
    return [
        {
            "text": frames[(number + len(intent)) % len(frames)].format(word),
            "intent": intent,
            "split": "test" if number == 7 else "train",
            "created": f"2025-{number + 1:02d}-1{place}",
        }
        for intent, words in WORDS.items()
        for number, word in enumerate(words)
        for place, frames in enumerate(FRAMES)
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder that has the file faq.csv, with no settings of the machine."""
    for name in [name for name in os.environ if name.startswith("VIVA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VIVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "faq.csv", faq_rows())
    (tmp_path / "fakes.py").write_text(FAKES, encoding="utf-8")
    yield tmp_path
    sys.modules.pop("fakes", None)


@pytest.fixture(scope="session", autouse=True)
def prepared() -> Iterator[None]:
    """Prepare the commands once, as a process does: to prepare all of them takes longer than most of them work."""
    with patch("typer.testing._get_command", cache(get_command)):
        yield


@pytest.fixture
def viva() -> Viva:
    """Return a function that runs a command as the shell would and gives its result."""
    from vivavoce.cli.app import app

    return lambda *words, **options: CliRunner().invoke(app, [str(word) for word in words], **options)


@pytest.fixture
def plain() -> Callable[[str], str]:
    """Return a function that takes colours and line breaks out of what was shown."""
    return lambda text: " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())
