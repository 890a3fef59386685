"""From judged turns to numbers: cells with intervals, comparisons, problems, the health of the test."""
