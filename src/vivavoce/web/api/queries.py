"""What stands in the query of a request: a parameter that nobody knows is refused, not passed over."""

from __future__ import annotations

from collections import Counter

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from vivavoce.errors import Fault, UsageError, nearest
from vivavoce.messages import say


async def check_query(request: Request) -> None:
    """Refuse parameters that an operation does not take, and those that are given twice."""
    given = Counter(name for name, _ in request.query_params.multi_items())
    route = request.scope.get("route")
    if not given or not isinstance(route, APIRoute):
        return
    known = sorted(_names(route.dependant))
    faults = [
        Fault(say("this is no parameter here.{nearest}", nearest=nearest(name, known)), name)
        for name in given
        if name not in known
    ]
    faults += [
        Fault(say("this is given more than once"), name) for name, n in given.items() if n > 1 and name in known
    ]
    if faults:
        raise UsageError(
            say("the query of the address is wrong"), faults=faults, remedy=say("leave these parameters out")
        )


def _names(dependant: Dependant) -> set[str]:
    own = {field.alias for field in dependant.query_params}
    return own.union(*(_names(inner) for inner in dependant.dependencies))
