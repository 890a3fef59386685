"""The assistant: a state and a message in, an outcome out. It holds nothing of a talk and may serve many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vivavoce.assistant import material, turns
from vivavoce.assistant.company import Company, Options
from vivavoce.assistant.entities import extract
from vivavoce.assistant.language import detect_language
from vivavoce.assistant.openings import Openings, OpeningsInMemory
from vivavoce.assistant.talk import LANGUAGES, Outcome, State
from vivavoce.assistant.understanding import Understander
from vivavoce.records import Dataset

MAX_CHARACTERS = 2000
# What every part has to load something for.
PROBE = "a job as a nurse in Xanadu, 护士"


@dataclass(frozen=True, eq=False)
class Assistant:
    """An assistant that is ready to talk: immutable, so a server swaps a new one in between two messages."""

    company: Company
    openings: Openings
    understander: Understander = field(repr=False)

    @classmethod
    def build(
        cls, company: Company, openings: Openings | None = None, *, general: Mapping[str, Dataset] | None = None
    ) -> Assistant:
        """Make the assistant of a company; `prepare` trains it, otherwise the first message in a language does.

        `general`: examples of the general intents by language, where a workspace has its own.
        """
        return cls(company, openings or OpeningsInMemory(), Understander(company, general))

    @classmethod
    def load(cls, name: str | Path) -> Assistant:
        """Return the assistant of a shipped company (`demo`), or of a folder with its files."""
        is_folder = isinstance(name, Path) or Path(name).is_dir()
        company, openings = (
            material.read_company(Path(name), Path(name).name) if is_folder else material.load_company(str(name))
        )
        return cls.build(company, OpeningsInMemory(openings))

    def prepare(self, languages: tuple[str, ...] = LANGUAGES) -> Assistant:
        """Train what is not trained yet and load what is read once; return the assistant."""
        self.understander.prepare(languages)
        for language in languages:
            detect_language(PROBE, page=language)
            extract(PROBE, language)
        return self

    def greet(self, language: str = "") -> Outcome:
        """Return what is said before the visitor has written anything; `language` is that of the page."""
        spoken = language if language in LANGUAGES else self.company.languages[0]
        return turns.begin(self, spoken)

    def reply(self, state: State, message: str, *, page_language: str = "") -> Outcome:
        """Return the outcome of a message. Messages that begin with `/` are buttons: `/job_search`, `/salary`, ..."""
        language = self.detect_language(state, message, page_language=page_language)
        return turns.answer(self, replace(state, language=language), message.strip()[:MAX_CHARACTERS])

    def detect_language(self, state: State, message: str, *, page_language: str = "") -> str:
        """Return the language in which a message is answered."""
        text, first = message.strip()[:MAX_CHARACTERS], self.company.languages[0]
        if text.startswith("/"):
            return state.language or (page_language if page_language in LANGUAGES else "") or first
        return detect_language(text, talk=state.language, page=page_language, first=first)

    def with_options(self, options: Options) -> Assistant:
        """Return the same assistant with other stages or thresholds; nothing is trained again."""
        company = replace(self.company, options=options)
        return replace(self, company=company, understander=Understander(company, self.understander.general))

    def with_openings(self, openings: Openings) -> Assistant:
        """Return the same assistant with other openings."""
        return replace(self, openings=openings)
