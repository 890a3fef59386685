"""The answers to what is refused, as every route of the API documents them."""

from __future__ import annotations

from typing import Any

from vivavoce.web.failures import ErrorBody

_MEANINGS = {
    400: "The input is wrong; all faults at once.",
    401: "Nobody is signed in, or the key is not good.",
    403: "The person or the key may not do this.",
    404: "There is no such thing, or not any more.",
    409: "Somebody else changed it meanwhile.",
    413: "This is more than is taken at once.",
    422: "The request cannot be read.",
    429: "More is being asked of bots than is allowed at once; try again in half a minute.",
    501: "A part that is needed for this is not installed.",
    503: "The work could not be completed now; try again.",
}
_PLACE = "#/components/schemas/{model}"
_CONTENT = {"application/json": {"schema": {"$ref": _PLACE.format(model=ErrorBody.__name__)}}}
# By reference: given as a model, it would be worked out anew for every status of every route, which takes a second.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": meaning, "content": _CONTENT} for status, meaning in _MEANINGS.items()
}


def error_schemas() -> dict[str, Any]:
    """Return what the answers refer to, by name."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(ErrorBody).json_schema(mode="serialization", ref_template=_PLACE)
    return {**schema.pop("$defs"), ErrorBody.__name__: schema}
