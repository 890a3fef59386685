"""What programs send as JSON: taken as it is meant. A field that nobody knows is refused, not passed over."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """The body of a request: text is text, a number a number, yes or no is `true` or `false`."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
