"""What can be talked to: connectors to bots, by name, each one small class."""

from vivavoce.bots.contract import Check, ContractReport, check_bot
from vivavoce.bots.protocol import Bot, BotContext, BotFacts, Fallback, Limits, Talk
from vivavoce.bots.registry import BotLine, list_bots, load_bots
from vivavoce.bots.scripted import ScriptedBot

__all__ = [
    "Bot",
    "BotContext",
    "BotFacts",
    "BotLine",
    "Check",
    "ContractReport",
    "Fallback",
    "Limits",
    "ScriptedBot",
    "Talk",
    "check_bot",
    "list_bots",
    "load_bots",
]
