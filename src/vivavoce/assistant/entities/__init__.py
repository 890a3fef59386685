"""Professions and places in a message, in English, German, French and Chinese."""

from vivavoce.assistant.entities.extraction import extract, is_covered, load_extractor
from vivavoce.assistant.entities.places import Place, find_place, place_named

__all__ = ["Place", "extract", "find_place", "is_covered", "load_extractor", "place_named"]
