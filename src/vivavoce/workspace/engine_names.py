"""Which engines can be chosen in a workspace: those that are installed, and none that runs code by its name."""

from __future__ import annotations

from vivavoce import plugins
from vivavoce.errors import UsageError, nearest

# Their option names a module to import: whoever may write it could run anything on the machine of the server.
RUN_CODE = frozenset({"python", "sklearn"})


def offered_engines() -> tuple[str, ...]:
    """Return the kinds of engines that can be chosen, by name."""
    return tuple(name for name in sorted(plugins.available(plugins.CLASSIFIERS)) if name not in RUN_CODE)


def check_engine(name: str) -> str:
    """Return the name of an engine, `kind` or `kind:option`; refuse what cannot be chosen here."""
    kind, option = plugins.split_name(name.strip())
    known = offered_engines()
    if kind in RUN_CODE:
        raise UsageError(
            f"the engine '{kind}' runs code of its own and cannot be chosen here",
            where="classifier",
            remedy=f"choose one of {', '.join(known)}, or examine it by `viva intents examine`",
        )
    if kind not in known:
        raise UsageError(
            f"there is no engine '{kind}'.{nearest(kind, known)}",
            where="classifier",
            remedy=f"choose one of {', '.join(known)}",
        )
    if option and ("/" in option or "\\" in option):
        raise UsageError(
            "an engine cannot name a file of the server here", where="classifier", remedy="leave the path out"
        )
    return name.strip()
