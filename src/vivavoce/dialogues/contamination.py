"""Too good to be true: a rater that is measured on the talks it learnt from."""

from __future__ import annotations

from dataclasses import replace

from vivavoce.dialogues.passport import NOT_YET
from vivavoce.dialogues.result import DialoguesResult, Passport


def suspect_contamination(passport: Passport) -> str:
    """Say that scores fit these marks better than the rater ever did on unseen talks; empty where they do not.

    What a model learnt from is not kept in it, so this is a question and no proof: the lower end of the local
    correlation lies above the upper end of the one on talks that it had not seen.
    """
    known = passport.origin.agreements if passport.origin is not None else {}
    for name, local in passport.local.items():
        unseen = known.get(name)
        if unseen is None or local.pearson.low is None or unseen.pearson.high is None:
            continue
        if local.pearson.low > unseen.pearson.high:
            return (
                f"These scores follow the marks of this log better ({local.pearson.value:.2f}) than the rater did on "
                f"talks that it had not seen ({unseen.pearson.value:.2f}). If it learnt from these talks, what is "
                "shown here about its agreement means nothing."
            )
    return ""


def warn_of_contamination(result: DialoguesResult) -> DialoguesResult:
    """Return the result with the suspicion in its passport, if there is one; bots are not compared by it then."""
    said = suspect_contamination(result.passport)
    if not said:
        return result
    verdict = f"{NOT_YET}: measure it on talks that it surely did not learn from. {said}"
    passport = replace(result.passport, may_compare=False, verdict=verdict)
    ranking = None if result.ranking is None else replace(result.ranking, warning=verdict)
    return replace(result, passport=passport, ranking=ranking)
