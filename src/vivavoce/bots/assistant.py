"""The recruiting assistant as a bot: `assistant:demo`, `assistant:FOLDER`, `assistant:PROJECT`."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.assistant import Assistant, Outcome, Stage, State
from vivavoce.assistant.finding import load_assistant
from vivavoce.assistant.material import COMPANIES
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts
from vivavoce.bots.protocol import BotContext, BotFacts, Limits, Nature
from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Guess, Reply
from vivavoce.version import __version__

LIMITS = Limits(at_once=8, retries=0)
COMPANY = BotOption(
    "assistant",
    "text",
    say("A shipped assistant (demo), a project or a folder."),
    reads_files=lambda value: value not in COMPANIES,
)


class AssistantBot:
    """An assistant as a bot; each conversation keeps its own state."""

    def __init__(self, name: str, assistant: Assistant) -> None:
        self._assistant = assistant
        company = assistant.company
        topics = tuple(dict.fromkeys(intent for data in company.faq.values() for intent in data.sizes))
        self.facts = BotFacts(
            name=name,
            about=f"recruiting assistant of '{company.name}'; vivavoce {__version__}",
            reports_intent=True,
            in_process=True,
            limits=LIMITS,
            intents=topics,
            slots=("profession", "place"),
            reports_actions=True,
            nature=Nature.NLU,
        )

    async def open(self, session: str) -> AssistantConversation:
        """Begin a conversation that knows nothing of the others."""
        return AssistantConversation(self._assistant)

    async def close(self) -> None:
        """Nothing is held."""


class AssistantConversation:
    """One conversation with the assistant."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant, self._state = assistant, State()

    async def say(self, text: str) -> Reply:
        """Answer a message; the label of a button that was shown presses it."""
        pressed: Mapping[str, str] = {button.label: button.send for button in self._state.last_buttons}
        outcome = self._assistant.reply(self._state, pressed.get(text.strip(), text))
        self._state = outcome.state
        return as_reply(outcome)

    async def close(self) -> None:
        """Nothing is held."""


def as_reply(outcome: Outcome) -> Reply:
    """Return an outcome as the reply of a bot: what is shown as text, what was understood, what was done."""
    is_sure = outcome.stage is not Stage.NONE
    best = max((*outcome.general, *outcome.faq), key=lambda guess: guess.confidence, default=Guess(None))
    return Reply(
        texts=outcome.lines,
        intent=outcome.intent,
        confidence=outcome.confidence,
        slots=outcome.slots,
        buttons=tuple(button.label for button in outcome.buttons),
        fallback=not is_sure,
        guess=None if is_sure or best.intent is None else best,
        actions=outcome.actions,
    )


@declare(Connector(Reach.PROCESS, (COMPANY,), option="assistant", limits=LIMITS))
def from_option(option: str, context: BotContext) -> AssistantBot:
    """Recruiting assistant of vivavoce; option: `demo`, a project or a folder."""
    name = option or str(context.entry.get("assistant") or "")
    if not name:
        remedy = say("write `assistant:demo`, or the name of a project or a folder")
        raise UsageError(say("the bot '{name}' needs an assistant", name=context.name), remedy=remedy)
    bot = AssistantBot(context.name, load_assistant(name).prepare())
    bot.facts = entry_facts(context, bot.facts)
    return bot
