"""Reading language: sentence vectors, the weights behind them and their cache."""

from vivavoce.text.cache import VectorCache, encode_cached
from vivavoce.text.vectors import Encoder, encoder_available, load_encoder
from vivavoce.text.weights import find_weights, get_weights, viva_home

__all__ = [
    "Encoder",
    "VectorCache",
    "encode_cached",
    "encoder_available",
    "find_weights",
    "get_weights",
    "load_encoder",
    "viva_home",
]
