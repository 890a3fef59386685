"""Whether somebody may let a run go on: the bots, engines and raters of it must be such as they may choose now."""

from __future__ import annotations

from dataclasses import replace

from vivavoce import plugins
from vivavoce.dialogues.raters.registry import RATERS
from vivavoce.errors import UsageError
from vivavoce.store.rows import Role, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import entry_faults, server_rules
from vivavoce.workspace.access.engine_rules import check_engine, require_programs

# The rater that comes with the product; others run code or ask a service, so only admins name them.
SHIPPED_RATER = "learned"


def check_allowed(tx: Transaction, actor: Actor, run: Run) -> None:
    """Refuse to go on with what this person could not begin: a run holds its choices as they were when it began."""
    if run.kind == "conversations":
        _check_bots(tx, run)
    elif run.kind == "dialogues":
        check_rater(actor, str(run.options.get("rater", SHIPPED_RATER)))
    else:
        for name in _engines(run):
            check_engine(actor, name)


def check_rater(actor: Actor, rater: str) -> None:
    """Refuse a rater that this person cannot choose; code and files of the machine only where they are allowed."""
    if rater == SHIPPED_RATER:
        return
    actor.require(Role.ADMIN)
    kind, option = plugins.split_name(rater)
    declared = plugins.find_declaration(RATERS, kind)
    if option and not (isinstance(declared, plugins.Declaration) and declared.reach is plugins.Reach.ADDRESS):
        require_programs(actor, f"the rater '{rater}'", "rater")


def _engines(run: Run) -> list[str]:
    one = run.options.get("classifier")
    return [str(name) for name in run.options.get("classifiers") or ([one] if one else [])]


def _check_bots(tx: Transaction, run: Run) -> None:
    """Refuse bots that the server no longer allows."""
    from vivavoce.jobs.exams.talks import read_material

    rules = server_rules()
    entries = read_material(tx.runs.material(run.id)).entries
    faults = [
        replace(fault, where=f"{name}, {fault.where.removeprefix(f'{name}, ')}")
        for name, entry in entries.items()
        for fault in entry_faults(name, entry, rules)
    ]
    if faults:
        raise UsageError(
            f"the bots of run {run.number} are not allowed as they are",
            faults=faults,
            remedy="correct the bots and begin a new run",
        )
