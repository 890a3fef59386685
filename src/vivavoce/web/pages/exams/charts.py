"""Charts of runs: the specification for the live chart, and the picture."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.web.figures import chart_file
from vivavoce.web.listing import Number
from vivavoce.web.visits import ReaderVisit
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/runs/{number:int}/charts")
MEDIA = {"json": "application/json", "svg": "image/svg+xml"}
# A picture opened by itself may only be looked at.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
ChartName = Annotated[str, Path(max_length=60, pattern=r"^[a-z0-9-]+$")]


@router.get("/{name}.{kind}")
def show_chart(visit: ReaderVisit, number: Number, name: ChartName, kind: str) -> Response:
    """Return a chart of a run as `json` or `svg`, with its words in the reader's language."""
    if kind not in MEDIA:
        raise AbsentError(say("nothing found at this address"), remedy=say("download the chart as .json or .svg"))
    run = runs.show_run(visit.store, visit.project, number).run
    content = chart_file(visit.store, run, name, kind, visit.words)
    policy = {"Content-Security-Policy": PICTURE_POLICY} if kind == "svg" else {}
    return Response(content, media_type=MEDIA[kind], headers=policy)
