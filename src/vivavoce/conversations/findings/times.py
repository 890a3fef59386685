"""Response times of one cell: what people wait until the first bubble, and what is known beside the mean."""

from __future__ import annotations

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Flags, Floats
from vivavoce.conversations.findings.units import times_of_lines
from vivavoce.conversations.result import Times
from vivavoce.records import Rate, Status

Clock = tuple[Floats, Floats, Flags, Flags, Flags]


def clock_of(columns: Columns) -> Clock:
    """Return for each line: time to the first and to the last bubble, and whether it timed out, was retried, cold."""
    lines = columns.lines
    return (
        times_of_lines(columns),
        times_of_lines(columns, last=True),
        np.array([line.status == Status.TIMEOUT for line in lines], dtype=bool),
        np.array([line.attempts > 1 for line in lines], dtype=bool),
        np.array([line.cold for line in lines], dtype=bool),
    )


def times_in(clock: Clock, keep: Flags, mean: Rate) -> Times:
    """Return the times of the lines to keep; `mean` is the mean of conversation means, computed with its interval."""
    first, last, timeouts, retried, cold = (column[keep] for column in clock)
    first, last = first[~np.isnan(first)], last[~np.isnan(last)]
    p50, p95, p99 = np.percentile(first, (50, 95, 99)).tolist() if first.size else (None, None, None)
    return Times(
        mean=mean,
        pooled=float(first.mean()) if first.size else None,
        p50=p50,
        p95=p95,
        p99=p99,
        last=float(last.mean()) if last.size else None,
        turns=first.size,
        timeouts=int(timeouts.sum()),
        retried=int(retried.sum()),
        cold=int(cold.sum()),
    )
