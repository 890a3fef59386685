"""Words that turn a meaning round: negations, prefixes that negate, and pairs of opposites."""

from __future__ import annotations

NEGATIONS = frozenset(
    word
    for words in (
        # English; contractions in -n't are found by their end, here are those written without the apostrophe.
        "no not never none nobody nothing nowhere neither nor cannot without unable hardly",
        "aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt",
        # German
        "nicht nichts nie niemals niemand niemanden niemandem nirgends nirgendwo nein weder ohne kaum",
        "kein keine keinen keinem keiner keines keinerlei keinesfalls keineswegs",
        # French
        "ne pas jamais aucun aucune rien non sans",
    )
    for word in words.split()
)
NEGATING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "miss")
OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pairs in (
        "yes/no open/closed accept/reject accepted/rejected approve/decline approved/declined arrive/depart",
        "arrival/departure always/never more/less before/after valid/expired enabled/disabled allowed/forbidden",
        "success/failure succeeded/failed increase/decrease cheapest/dearest am/pm",
        "ja/nein offen/geschlossen angenommen/abgelehnt genehmigt/abgelehnt ankunft/abflug immer/nie mehr/weniger",
        "vor/nach gültig/abgelaufen erlaubt/verboten morgens/abends",
    )
    for pair in pairs.split()
)
