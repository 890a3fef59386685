"""What can be talked to: connectors to bots, by name, each one small class."""

from vivavoce.bots.contract import Check, ContractReport, check_bot
from vivavoce.bots.declaration import BotOption, Connector, entry_facts
from vivavoce.bots.guard import public_only
from vivavoce.bots.protocol import Bot, BotContext, BotFacts, Conversation, Fallback, Limits, Nature
from vivavoce.bots.python import PythonBot
from vivavoce.bots.registry import (
    BotLine,
    entry_problems,
    entry_variables,
    list_bots,
    load_bots,
    load_entries,
    load_entry,
    runs_programs,
)
from vivavoce.bots.scripted import ScriptedBot
from vivavoce.errors import BotError
from vivavoce.plugins import Reach, declare
from vivavoce.records import Action, Reply, Status

__all__ = [
    "Action",
    "Bot",
    "BotContext",
    "BotError",
    "BotFacts",
    "BotLine",
    "BotOption",
    "Check",
    "Connector",
    "ContractReport",
    "Conversation",
    "Fallback",
    "Limits",
    "Nature",
    "PythonBot",
    "Reach",
    "Reply",
    "ScriptedBot",
    "Status",
    "check_bot",
    "declare",
    "entry_facts",
    "entry_problems",
    "entry_variables",
    "list_bots",
    "load_bots",
    "load_entries",
    "load_entry",
    "public_only",
    "runs_programs",
]
