"""Which raters somebody may choose."""

from __future__ import annotations

from vivavoce import plugins
from vivavoce.jobs.exams.kinds import RATER, RATERS
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.engine_rules import require_programs

__all__ = ["RATERS", "SHIPPED_RATER", "check_rater"]

# The rater that comes with the product; others run code or ask a service, so only admins name them.
SHIPPED_RATER = str(RATER.default)


def check_rater(actor: Actor, rater: str) -> None:
    """Refuse a rater that this person cannot choose; code and files of the machine only where they are allowed."""
    if rater == SHIPPED_RATER:
        return
    actor.require(Role.ADMIN)
    kind, option = plugins.split_name(rater)
    declared = plugins.find_declaration(RATERS, kind)
    if option and not (isinstance(declared, plugins.Declaration) and declared.reach is plugins.Reach.ADDRESS):
        require_programs(actor, f"the rater '{rater}'", "rater")
