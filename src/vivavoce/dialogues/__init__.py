"""The exam of dialogues: logged dialogues without a script, scored as a person would rating them.

Names are loaded when they are first used: reading a log must not wait for NumPy, nor a score for training.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.dialogues.agreement import RaterDifference, compare_raters, measure
    from vivavoce.dialogues.corpus.preprocessing import Prepared, prepare
    from vivavoce.dialogues.corpus.published import read_published
    from vivavoce.dialogues.corpus.reading import Corpus, read_dialogues, stream_dialogues
    from vivavoce.dialogues.corpus.stored import write_dialogues
    from vivavoce.dialogues.dialogue import Dialogue, Kind, Rating, Utterance, View, rated_views
    from vivavoce.dialogues.exam import examine_dialogues
    from vivavoce.dialogues.json_form import result_to_json, score_to_json
    from vivavoce.dialogues.model.model import Model
    from vivavoce.dialogues.model.training import train_model
    from vivavoce.dialogues.model.weights import load_weights, save_weights
    from vivavoce.dialogues.networks.reproduction import Reproduction, reproduce
    from vivavoce.dialogues.passport import follows, what_helps
    from vivavoce.dialogues.raters.protocol import Rater, RaterOptions, load_rater
    from vivavoce.dialogues.recalibration import recalibrate, recalibration_from_json, recalibration_to_json
    from vivavoce.dialogues.result import (
        Agreement,
        Concord,
        DialoguesResult,
        Drift,
        Follows,
        Help,
        Origin,
        Passport,
        Ranking,
        Recalibration,
        Score,
    )
    from vivavoce.dialogues.systems import Preference, rank_by_preferences, rank_systems

_HOMES = {
    name: module
    for module, names in {
        "agreement": "RaterDifference compare_raters measure",
        "corpus.preprocessing": "Prepared prepare",
        "corpus.published": "read_published",
        "corpus.reading": "Corpus read_dialogues stream_dialogues",
        "corpus.stored": "write_dialogues",
        "dialogue": "Dialogue Kind Rating Utterance View rated_views",
        "exam": "examine_dialogues",
        "json_form": "result_to_json score_to_json",
        "model.model": "Model",
        "model.training": "train_model",
        "model.weights": "load_weights save_weights",
        "networks.reproduction": "Reproduction reproduce",
        "passport": "follows what_helps",
        "raters.protocol": "Rater RaterOptions load_rater",
        "recalibration": "recalibrate recalibration_from_json recalibration_to_json",
        "result": "Agreement Concord DialoguesResult Drift Follows Help Origin Passport Ranking Recalibration Score",
        "systems": "Preference rank_by_preferences rank_systems",
    }.items()
    for name in names.split()
}

__all__ = [
    "Agreement",
    "Concord",
    "Corpus",
    "Dialogue",
    "DialoguesResult",
    "Drift",
    "Follows",
    "Help",
    "Kind",
    "Model",
    "Origin",
    "Passport",
    "Preference",
    "Prepared",
    "Ranking",
    "Rater",
    "RaterDifference",
    "RaterOptions",
    "Rating",
    "Recalibration",
    "Reproduction",
    "Score",
    "Utterance",
    "View",
    "compare_raters",
    "examine_dialogues",
    "follows",
    "load_rater",
    "load_weights",
    "measure",
    "prepare",
    "rank_by_preferences",
    "rank_systems",
    "rated_views",
    "read_dialogues",
    "read_published",
    "recalibrate",
    "recalibration_from_json",
    "recalibration_to_json",
    "reproduce",
    "result_to_json",
    "save_weights",
    "score_to_json",
    "stream_dialogues",
    "train_model",
    "what_helps",
    "write_dialogues",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"vivavoce.dialogues.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'vivavoce.dialogues' has no attribute '{name}'")
