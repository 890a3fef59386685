"""Assistants by name: shipped ones, folders, and what plug-ins add, such as the projects of a workspace.

A plug-in of the group `vivavoce.assistants` is a function that takes a name and returns an `Assistant`, or None where
it knows none of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

from vivavoce import plugins
from vivavoce.assistant.assistant import Assistant
from vivavoce.assistant.material import COMPANIES
from vivavoce.errors import UsageError, nearest

Find = Callable[[str], Assistant | None]


def load_assistant(name: str) -> Assistant:
    """Return the assistant of a name; the first plug-in that knows it has it."""
    for plugin in plugins.in_order(plugins.ASSISTANTS):
        assistant = cast("Find", plugins.load(plugins.ASSISTANTS, plugin))(name)
        if assistant is not None:
            return assistant
    raise UsageError(
        f"there is no assistant '{name}'.{nearest(name, [*COMPANIES])}",
        remedy=f"name a shipped one ({', '.join(COMPANIES)}), a project, or a folder with faq_en.csv and answers.csv",
    )


def find_shipped(name: str) -> Assistant | None:
    """Return a shipped assistant: the invented company of the demo."""
    return Assistant.load(name) if name in COMPANIES else None


def find_folder(name: str) -> Assistant | None:
    """Return the assistant of a folder with the files of a company."""
    return Assistant.load(Path(name)) if Path(name).is_dir() else None
