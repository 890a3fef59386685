"""An agent file (topics, slots, replies, facts, flow) and the local engines that run it."""

from vivavoce.agents.agent import Agent, Slot, SlotKind, Table, Topic
from vivavoce.agents.dialogue import Dialogue, Flow, State, answer_pairs, describe_agent, respond
from vivavoce.agents.engines import ENGINES, Engine, train
from vivavoce.agents.reading import parse_agent, read_agent

__all__ = [
    "ENGINES",
    "Agent",
    "Dialogue",
    "Engine",
    "Flow",
    "Slot",
    "SlotKind",
    "State",
    "Table",
    "Topic",
    "answer_pairs",
    "describe_agent",
    "parse_agent",
    "read_agent",
    "respond",
    "train",
]
