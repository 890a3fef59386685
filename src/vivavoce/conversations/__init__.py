"""The exam of conversations: scripted scenarios, held with one or several bots and judged turn by turn.

Names are loaded when they are first used: reading a suite must not wait for a runner, nor a runner for NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.conversations.exam import examine_conversations, score_run
    from vivavoce.conversations.findings.comparison import diff_runs
    from vivavoce.conversations.findings.finding import find, make_lines
    from vivavoce.conversations.json_form import diff_to_json, result_to_json
    from vivavoce.conversations.judging.judge import judge
    from vivavoce.conversations.judging.matching import match_reply
    from vivavoce.conversations.result import ConversationsResult, RunDiff
    from vivavoce.conversations.running.record import RunRecord
    from vivavoce.conversations.running.runner import RunEnd, RunOptions, begin_run, hold_conversations, options_of
    from vivavoce.conversations.scenario import Plan, Scenario, Script, Suite
    from vivavoce.conversations.scenarios.check import SuiteCheck, check_suite
    from vivavoce.conversations.scenarios.expansion import expand
    from vivavoce.conversations.scenarios.suites import read_suite, write_suite
    from vivavoce.conversations.scenarios.twins import add_typos

_HOMES = {
    "exam": ("examine_conversations", "score_run"),
    "findings.comparison": ("diff_runs",),
    "findings.finding": ("find", "make_lines"),
    "json_form": ("diff_to_json", "result_to_json"),
    "judging.judge": ("judge",),
    "judging.matching": ("match_reply",),
    "result": ("ConversationsResult", "RunDiff"),
    "running.record": ("RunRecord",),
    "running.runner": ("RunEnd", "RunOptions", "begin_run", "hold_conversations", "options_of"),
    "scenario": ("Plan", "Scenario", "Script", "Suite"),
    "scenarios.check": ("SuiteCheck", "check_suite"),
    "scenarios.expansion": ("expand",),
    "scenarios.suites": ("read_suite", "write_suite"),
    "scenarios.twins": ("add_typos",),
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
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"vivavoce.conversations.{home}"), name)
    raise AttributeError(f"module 'vivavoce.conversations' has no attribute '{name}'")
