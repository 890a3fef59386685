"""Help without what only a Python developer reads: the types that Typer writes beside flags and arguments."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup


def hide_types(params: list[Any]) -> list[Any]:
    """Return the parameters of a command; an option keeps the name of its value, such as `FILE`."""
    for param in params:
        if isinstance(param, TyperArgument):
            # Typer lets options choose what stands there, but not arguments.
            vars(param)["display_type_rich"] = lambda ctx: None
        elif param.is_flag:
            param.metavar = ""
    return params


class PlainCommand(TyperCommand):
    """A command with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters without types."""
        return hide_types(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands with plain help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters without types."""
        return hide_types(super().get_params(ctx))
