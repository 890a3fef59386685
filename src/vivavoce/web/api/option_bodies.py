"""The bodies with which exams are started, made from the options that each exam defines."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, create_model

from vivavoce.jobs.exams.protocol import ExamKind
from vivavoce.options import Option
from vivavoce.web.api.bodies import Body, Text, Word

Fewest = Annotated[int, Field(ge=0, le=1000)]
Share = Annotated[float, Field(ge=0, le=1)]
# JSON knows lists alone.
Pair = Annotated[tuple[Fewest, Share], Field(strict=False)]
MAX_TITLE = 200


class StartBody(Body):
    """What every exam takes: a title. What is left out is as the project has it."""

    title: Annotated[Text, Field(max_length=MAX_TITLE)] = ""

    def chosen(self) -> dict[str, Any]:
        """Return the options as an exam takes them; what the project decides is left out."""
        values = self.model_dump(exclude={"title"}, exclude_none=True)
        for name, value in values.items():
            if isinstance(value, list):
                values[name] = [list(item) if isinstance(item, tuple) else item for item in value]
        return values


def start_body(name: str, about: str, kind: ExamKind) -> type[StartBody]:
    """Return the body that starts an exam."""
    fields: dict[str, Any] = {option.name: _field(option) for option in kind.chosen}
    return create_model(name, __base__=StartBody, __doc__=about, **fields)


def _field(option: Option) -> tuple[Any, Any]:
    kind: Any = Word if option.type is str else Pair if option.type is tuple else option.type
    if option.low is not None:
        kind = Annotated[kind, Field(ge=option.low, le=option.high)]
    if option.several:
        several = Annotated[list[kind], Field(min_length=option.fewest or None, max_length=option.most)]
        kind = kind | several if option.or_one else several
    elif option.default is None and not option.required:
        kind = kind | None
    if option.required or (option.fewest and not option.default):
        return kind, Field(description=option.help)
    default = [tuple(pair) for pair in option.default] if option.type is tuple else option.default
    return kind, Field(default=default, description=option.help)
