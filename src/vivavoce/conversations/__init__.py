"""The exam of conversations: scripted scenarios, held with one or several bots and judged turn by turn.

Names are loaded when they are first used: reading a suite must not wait for a runner, nor a runner for NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.conversations.check import SuiteCheck, check_suite
    from vivavoce.conversations.diff import diff_runs
    from vivavoce.conversations.exam import examine_conversations
    from vivavoce.conversations.expansion import expand
    from vivavoce.conversations.findings import find, make_lines
    from vivavoce.conversations.judging import judge
    from vivavoce.conversations.matching import match_reply
    from vivavoce.conversations.record import RunRecord
    from vivavoce.conversations.result import ConversationsResult, RunDiff
    from vivavoce.conversations.result_json import diff_to_json, result_to_json
    from vivavoce.conversations.runner import RunEnd, RunOptions, begin_run, hold_conversations, options_of
    from vivavoce.conversations.scenario import Plan, Scenario, Script, Suite
    from vivavoce.conversations.scoring import score_run
    from vivavoce.conversations.suites import read_suite, write_suite
    from vivavoce.conversations.twins import add_typos

_HOMES = {
    "ConversationsResult": "result",
    "Plan": "scenario",
    "RunDiff": "result",
    "RunEnd": "runner",
    "RunOptions": "runner",
    "RunRecord": "record",
    "Scenario": "scenario",
    "Script": "scenario",
    "Suite": "scenario",
    "SuiteCheck": "check",
    "add_typos": "twins",
    "begin_run": "runner",
    "check_suite": "check",
    "diff_runs": "diff",
    "diff_to_json": "result_json",
    "examine_conversations": "exam",
    "expand": "expansion",
    "find": "findings",
    "hold_conversations": "runner",
    "judge": "judging",
    "make_lines": "findings",
    "match_reply": "matching",
    "options_of": "runner",
    "read_suite": "suites",
    "result_to_json": "result_json",
    "score_run": "scoring",
    "write_suite": "suites",
}

__all__ = [
    "ConversationsResult",
    "Plan",
    "RunDiff",
    "RunEnd",
    "RunOptions",
    "RunRecord",
    "Scenario",
    "Script",
    "Suite",
    "SuiteCheck",
    "add_typos",
    "begin_run",
    "check_suite",
    "diff_runs",
    "diff_to_json",
    "examine_conversations",
    "expand",
    "find",
    "hold_conversations",
    "judge",
    "make_lines",
    "match_reply",
    "options_of",
    "read_suite",
    "result_to_json",
    "score_run",
    "write_suite",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"vivavoce.conversations.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'vivavoce.conversations' has no attribute '{name}'")
