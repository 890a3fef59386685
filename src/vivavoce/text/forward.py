"""A BERT-like sentence model in plain NumPy: reading its weights and running it.

The prepared weights of `prepare` feed both this forward pass and the graph in `minilm.onnx`, so the two
engines give the same vectors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import FileError

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Pooling = Literal["mean", "cls"]
PREFIXES = ("", "bert.", "roberta.", "model.", "0.auto_model.")


@dataclass(frozen=True, slots=True)
class BertShape:
    """What a BERT-like model looks like, apart from its weights."""

    layers: int = 6
    hidden: int = 384
    heads: int = 12
    epsilon: float = 1e-12
    activation: str = "gelu"
    # RoBERTa's family counts positions from the padding token on; BERT counts from zero.
    first_position: int = 0


MINILM_SHAPE = BertShape()


def read_tensors(path: Path) -> dict[str, Floats]:
    """Return the floating-point tensors of a safetensors file as float32, mapped from disk where possible."""
    try:
        raw = np.memmap(path, dtype=np.uint8, mode="r")
        start = 8 + int.from_bytes(raw[:8].tobytes(), "little")
        header = json.loads(raw[8:start].tobytes())
        header.pop("__metadata__", None)
        tensors = {name: _read_tensor(raw[start:], entry) for name, entry in header.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(
            f"this is not a readable safetensors file ({error})", where=str(path), remedy="download the file again"
        ) from error
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


def _read_tensor(data: NDArray[np.uint8], entry: Mapping[str, Any]) -> Floats | None:
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= data.size:
        raise ValueError("the file is truncated")
    raw, kind = data[begin:end], entry["dtype"]
    if kind == "F32":
        return raw.view("<f4").reshape(entry["shape"])
    if kind == "F16":
        return raw.view("<f2").astype(np.float32).reshape(entry["shape"])
    if kind == "BF16":  # the upper half of a float32
        return (raw.view("<u2").astype(np.uint32) << np.uint32(16)).view(np.float32).reshape(entry["shape"])
    return None


def prepare(tensors: Mapping[str, Floats], shape: BertShape) -> dict[str, Floats]:
    """Return the weights as the engines want them: right way round, query, key and value in one matrix.

    Raises KeyError with the name of the first tensor that is missing.
    """
    marker = "embeddings.word_embeddings.weight"
    prefix = next((prefix for prefix in PREFIXES if prefix + marker in tensors), "")
    named = {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}
    positions = named["embeddings.position_embeddings.weight"]
    weights = {
        "words": named[marker],
        # A sentence is always segment 0, so its row can be added to every position once.
        "positions": positions + named["embeddings.token_type_embeddings.weight"][0],
        **_norm(named, "embeddings.LayerNorm", "norm"),
    }
    for layer in range(shape.layers):
        weights |= _prepare_layer(named, layer, shape)
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in weights.items()}


def _prepare_layer(named: Mapping[str, Floats], layer: int, shape: BertShape) -> dict[str, Floats]:
    old, new = f"encoder.layer.{layer}", f"layer{layer}"
    attention = [f"{old}.attention.self.{part}" for part in ("query", "key", "value")]
    # The scale of the attention scores goes into the query once instead of into every score.
    scale = np.ones(3, dtype=np.float32)
    scale[0] = (shape.hidden // shape.heads) ** -0.5
    weights = [named[f"{part}.weight"].T * s for part, s in zip(attention, scale, strict=True)]
    biases = [named[f"{part}.bias"] * s for part, s in zip(attention, scale, strict=True)]
    return {
        f"{new}.attention.weight": np.concatenate(weights, axis=1),
        f"{new}.attention.bias": np.concatenate(biases),
        **_dense(named, f"{old}.attention.output.dense", f"{new}.mixed"),
        **_norm(named, f"{old}.attention.output.LayerNorm", f"{new}.mixed.norm"),
        **_dense(named, f"{old}.intermediate.dense", f"{new}.wide"),
        **_dense(named, f"{old}.output.dense", f"{new}.narrow"),
        **_norm(named, f"{old}.output.LayerNorm", f"{new}.narrow.norm"),
    }


def _dense(named: Mapping[str, Floats], old: str, new: str) -> dict[str, Floats]:
    return {f"{new}.weight": named[f"{old}.weight"].T, f"{new}.bias": named[f"{old}.bias"]}


def _norm(named: Mapping[str, Floats], old: str, new: str) -> dict[str, Floats]:
    return {f"{new}.scale": named[f"{old}.weight"], f"{new}.shift": named[f"{old}.bias"]}


@dataclass(frozen=True)
class NumpyForward:
    """Turns token ids into sentence vectors with NumPy alone (and SciPy's erf)."""

    weights: Mapping[str, Floats]
    shape: BertShape
    pooling: Pooling = "mean"

    def __call__(self, ids: Ids, mask: Ids) -> Floats:
        """Return one vector of length 1 for each row of ids."""
        first = self.shape.first_position
        positions = self.weights["positions"][first : first + ids.shape[1]]
        states = self._normalise(self.weights["words"][ids] + positions, "norm")
        bias = ((1 - mask) * np.float32(-1e4)).astype(np.float32)[:, None, None, :]
        for layer in range(self.shape.layers):
            states = self._layer(states, bias, f"layer{layer}")
        return unit_rows(pool(states, mask, self.pooling))

    def _layer(self, states: Floats, bias: Floats, name: str) -> Floats:
        mixed = self._dense(self._attention(states, bias, name), f"{name}.mixed")
        states = self._normalise(mixed + states, f"{name}.mixed.norm")
        wide = _activate(self._dense(states, f"{name}.wide"), self.shape.activation)
        return self._normalise(self._dense(wide, f"{name}.narrow") + states, f"{name}.narrow.norm")

    def _attention(self, states: Floats, bias: Floats, name: str) -> Floats:
        rows, length, hidden = states.shape
        joined = self._dense(states, f"{name}.attention")
        parts = joined.reshape(rows, length, 3, self.shape.heads, -1).transpose(2, 0, 3, 1, 4)
        query, key, value = parts[0], parts[1], parts[2]
        scores = query @ key.swapaxes(-1, -2) + bias
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(rows, length, hidden)
        return mixed

    def _dense(self, states: Floats, name: str) -> Floats:
        # One flat product is far faster than a stack of small ones.
        weight = self.weights[f"{name}.weight"]
        product = states.reshape(-1, states.shape[-1]) @ weight + self.weights[f"{name}.bias"]
        result: Floats = product.reshape(*states.shape[:-1], weight.shape[1])
        return result

    def _normalise(self, states: Floats, name: str) -> Floats:
        centred = states - states.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(self.shape.epsilon))
        result: Floats = centred / deviation * self.weights[f"{name}.scale"] + self.weights[f"{name}.shift"]
        return result


def _activate(states: Floats, activation: str) -> Floats:
    if activation == "relu":
        return np.maximum(states, np.float32(0))
    from scipy.special import erf  # heavy, and needed only here

    curve = np.asarray(erf(states * np.float32(0.5**0.5)), dtype=np.float32)
    result: Floats = states * (curve + np.float32(1)) * np.float32(0.5)
    return result


def one_blas_thread() -> AbstractContextManager[object]:
    """Keep matrix products to one thread: batches run side by side instead.

    On a busy machine the threads of BLAS wait for each other and the work takes ten times as long.
    """
    guard: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return guard


@lru_cache(maxsize=1)
def _blas() -> Any:
    # Looking for the libraries takes a while: once is enough. The package has no types.
    return import_module("threadpoolctl").ThreadpoolController()


def pool(states: Floats, mask: Ids, pooling: Pooling = "mean") -> Floats:
    """Return one row for each sentence: the mean of its tokens, or its first token."""
    if pooling == "cls":
        return states[:, 0]
    share = mask.astype(np.float32)[:, :, None]
    mean: Floats = (states * share).sum(axis=1) / np.maximum(share.sum(axis=1), np.float32(1))
    return mean


def unit_rows(rows: Floats) -> Floats:
    """Return the rows at length 1; a row of zeros stays as it is."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = (rows / np.maximum(length, 1e-12)).astype(np.float32, copy=False)
    return unit
