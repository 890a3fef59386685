"""How sure a number is: intervals, paired tests, resampling, agreement between raters.

Everything here is pure: counts and scores in, numbers out, and a seed where chance is needed. SciPy is
imported inside the functions that need it, because a command that only prints help should not wait for it.
"""

from vivavoce.statistics.agreement import RaterAgreement, agreement_of_raters
from vivavoce.statistics.bradley_terry import bradley_terry
from vivavoce.statistics.correlation import (
    Correlations,
    correlate,
    draw_weights,
    kendall,
    paired_correlation_difference,
    pearson,
    spearman,
)
from vivavoce.statistics.intervals import (
    Spread,
    bounded_rate,
    ratio_spread,
    stratified_variance,
    student,
    student_p,
    wilson,
    with_width,
)
from vivavoce.statistics.paired import PairedTest, compare_groups, holm, items_to_decide, mcnemar_exact, paired_test
from vivavoce.statistics.ranking import rank_auc
from vivavoce.statistics.resampling import resamples
from vivavoce.statistics.splits import mean_rate

__all__ = [
    "Correlations",
    "PairedTest",
    "RaterAgreement",
    "Spread",
    "agreement_of_raters",
    "bounded_rate",
    "bradley_terry",
    "compare_groups",
    "correlate",
    "draw_weights",
    "holm",
    "items_to_decide",
    "kendall",
    "mcnemar_exact",
    "mean_rate",
    "paired_correlation_difference",
    "paired_test",
    "pearson",
    "rank_auc",
    "ratio_spread",
    "resamples",
    "spearman",
    "stratified_variance",
    "student",
    "student_p",
    "wilson",
    "with_width",
]
