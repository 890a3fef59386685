"""A model as a file: plain arrays in an NPZ archive and one JSON text. Nothing in it is ever executed."""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.json_form import origin_from_json, to_json
from vivavoce.dialogues.model.features import NAMES
from vivavoce.dialogues.model.kernel import Forest, KernelModel, Scales
from vivavoce.dialogues.model.linear import NUMBERS, ROLES, ThumbModel, WordingModel
from vivavoce.dialogues.model.messages import COLUMNS
from vivavoce.dialogues.model.model import OUTPUTS, Equation, Guess, Model, Parts
from vivavoce.dialogues.model.terms import Terms
from vivavoce.errors import DataError, FileError
from vivavoce.files.writing import write_bytes

Arrays = dict[str, NDArray[Any]]

FORMAT = "vivavoce dialogue model"
VERSION = 1
MAX_BYTES = 200_000_000
SHIPPED = Path(__file__).parent / "shipped.npz"
_TERMS = ("words", "thumb", "judge", "peer")
_FOREST = ("roots", "features", "thresholds", "children", "values")
_EQUATION = ("weights", "scores", "lows", "highs")
# What the numbers of a model mean, in order: one made for other features must not be used.
_READS = {"columns": list(COLUMNS), "features": list(NAMES), "roles": list(ROLES), "numbers": list(NUMBERS)}
# What reading a file that somebody else wrote, or a disk has spoilt, can end in.
_DAMAGE = (
    ArithmeticError,
    AttributeError,
    DataError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


def save_weights(model: Model, path: str | Path) -> None:
    """Write a model; the file appears whole or not at all."""
    parts = model.parts
    terms = dict(zip(_TERMS, (parts.words, parts.thumbs.terms, parts.wording.judge, parts.wording.peer), strict=True))
    about = {
        "format": FORMAT,
        "version": VERSION,
        "reads": _READS,
        "thumb_intercept": parts.thumbs.intercept,
        "wording_intercept": parts.wording.intercept.tolist(),
        "kernel_intercept": parts.kernel.intercept.tolist(),
        "kernel_width": parts.kernel.width,
        "told": _write_equation(model.known),
        "untold": _write_equation(model.unknown),
        "guess": [model.guess.intercept, model.guess.slope],
        "origin": to_json(model.origin),
    }
    arrays: Arrays = {}
    for name, own in terms.items():
        arrays[f"{name}.names"] = _encode("\n".join(own.names))
        arrays[f"{name}.rarity"] = own.rarity.astype(np.float32)
    arrays |= {
        "thumb.weights": parts.thumbs.weights.astype(np.float32),
        "thumb.numbers": parts.thumbs.numbers.astype(np.float32),
        "judge.weights": parts.wording.judge_weights.astype(np.float32),
        "peer.weights": parts.wording.peer_weights.astype(np.float32),
        **{f"forest.{name}": getattr(parts.forest, name) for name in _FOREST},
        "scales.values": parts.scales.values.astype(np.float32),
        "scales.places": parts.scales.places,
        "kernel.talks": parts.kernel.examples,
        "kernel.weights": parts.kernel.weights,
        "learned": np.array(sorted(model.learned), dtype=np.uint64),
        "about": _encode(json.dumps(about, allow_nan=False)),
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    write_bytes(path, buffer.getvalue())


def load_weights(path: str | Path) -> Model:
    """Read a model; a file that is no model, or one of another version, is refused with what to do."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES:,} bytes")
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES:,} bytes unpacked")
        with np.load(path, allow_pickle=False) as members:
            return _read_model({name: members[name] for name in members.files})
    except OSError as error:
        raise FileError(
            f"cannot read the model: {error.strerror or error}", where=str(path), remedy="check the path"
        ) from None
    except _DAMAGE as error:
        reason = error.what if isinstance(error, DataError) else str(error) or type(error).__name__
        if isinstance(error, KeyError) and error.args:
            reason = f"{error.args[0]} is missing"
        raise FileError(
            f"this is not a dialogue model, or it is damaged ({reason})",
            where=str(path),
            remedy="use a file created by `viva dialogues train`, or train the model again",
        ) from None


def _write_equation(equation: Equation) -> dict[str, Any]:
    return {
        "intercept": equation.intercept,
        "human": equation.human,
        **{name: getattr(equation, name).tolist() for name in _EQUATION},
    }


def _read_equation(content: dict[str, Any]) -> Equation:
    arrays = [np.array(content[name], dtype=np.float64) for name in _EQUATION]
    _expect(arrays[0].shape == (len(OUTPUTS),), "an equation has different outputs")
    steps = len(arrays[1])
    whole = steps > 0 and all(array.shape == (steps,) for array in arrays[1:])
    _expect(whole and bool((np.diff(arrays[1]) >= 0).all()), "an equation is broken")
    return Equation(float(content["intercept"]), float(content["human"]), *arrays)


def _read_model(arrays: Arrays) -> Model:
    about = json.loads(_decode(arrays["about"]), parse_float=_parse_number, parse_constant=_parse_number)
    _expect(about.get("format") == FORMAT, "the file is of a different kind")
    _expect(about.get("version") == VERSION, f"version {about.get('version')} is not {VERSION}")
    _expect(about.get("reads") == _READS, "it was built for different features")
    _expect(
        all(np.isfinite(array).all() for name, array in arrays.items() if name != "forest.thresholds"),
        "some values are not numbers",
    )
    terms = {name: _read_terms(arrays, name) for name in _TERMS}
    wording = WordingModel(
        terms["judge"],
        terms["peer"],
        _check_table(arrays["judge.weights"], len(OUTPUTS), len(terms["judge"].names)),
        _check_table(arrays["peer.weights"], len(OUTPUTS), len(terms["peer"].names)),
        _check_outputs(about["wording_intercept"]),
    )
    thumbs = ThumbModel(
        terms["thumb"],
        _check_table(arrays["thumb.weights"], len(ROLES), len(terms["thumb"].names)),
        _check_table(arrays["thumb.numbers"][None], 1, len(NUMBERS))[0],
        float(about["thumb_intercept"]),
    )
    parts = Parts(
        terms["words"], thumbs, wording, _read_forest(arrays), _read_scales(arrays), _read_kernel(arrays, about)
    )
    origin = origin_from_json(about["origin"])
    guess = Guess(*map(float, about["guess"]))
    learned = frozenset(arrays["learned"].astype(np.uint64).tolist())
    return Model(parts, _read_equation(about["told"]), _read_equation(about["untold"]), guess, origin, learned)


def _read_terms(arrays: Arrays, name: str) -> Terms:
    text = _decode(arrays[f"{name}.names"])
    terms = Terms(tuple(text.split("\n")) if text else (), arrays[f"{name}.rarity"].astype(np.float64))
    _expect(terms.rarity.shape == (len(terms.names),), f"the terms of {name} are incomplete")
    return terms


def _read_forest(arrays: Arrays) -> Forest:
    roots, features, thresholds, children, values = (arrays[f"forest.{name}"] for name in _FOREST)
    nodes = len(children)
    rows = all(array.shape == (nodes,) for array in (features, thresholds, children)) and roots.ndim == 1
    _expect(rows and values.shape == (nodes, len(OUTPUTS)) and len(roots) > 0, "the forest is incomplete")
    _expect(
        all(array.dtype.kind == "i" for array in (roots, features, children)),
        "the forest contains values that are not whole numbers",
    )
    inside = bool((children >= 0).all() and (children < nodes).all() and (roots >= 0).all() and (roots < nodes).all())
    # A walk ends because every child lies behind its parent; a leaf is its own child and lets nobody pass.
    own = np.arange(nodes)
    forward = bool(((children > own) & (children < nodes - 1) | (children == own) & np.isposinf(thresholds)).all())
    asked = bool((features >= 0).all() and (features < len(NAMES)).all() and not np.isnan(thresholds).any())
    _expect(inside and forward and asked, "the forest has invalid links")
    return Forest(
        roots.astype(np.int32),
        features.astype(np.int16),
        thresholds.astype(np.float32),
        children.astype(np.int32),
        values.astype(np.float32),
    )


def _read_kernel(arrays: Arrays, about: dict[str, Any]) -> KernelModel:
    examples, weights = arrays["kernel.talks"].astype(np.float32), arrays["kernel.weights"].astype(np.float32)
    whole = examples.shape[1:] == (len(NAMES),) and weights.shape == (len(examples), len(OUTPUTS))
    _expect(whole, "the kernel is incomplete")
    return KernelModel(examples, weights, _check_outputs(about["kernel_intercept"]), float(about["kernel_width"]))


def _read_scales(arrays: Arrays) -> Scales:
    values, places = _check_table(arrays["scales.values"], len(NAMES)), arrays["scales.places"].astype(np.float64)
    ordered = bool((np.diff(values) >= 0).all() and (np.diff(places) >= 0).all())
    _expect(len(places) > 0 and places.shape == values.shape[1:] and ordered, "the scales are broken")
    return Scales(values, places)


def _check_outputs(numbers: Any) -> NDArray[np.float64]:
    outputs = np.array(numbers, dtype=np.float64)
    _expect(outputs.shape == (len(OUTPUTS),), "a part has different outputs")
    return outputs


def _check_table(array: NDArray[Any], rows: int, columns: int | None = None) -> NDArray[np.float64]:
    fits = array.ndim == 2 and array.shape[0] == rows and columns in (None, array.shape[1])
    _expect(fits, "a table has a different size")
    return np.ascontiguousarray(array, dtype=np.float64)


def _encode(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _decode(array: NDArray[Any]) -> str:
    return array.astype(np.uint8).tobytes().decode()


def _parse_number(text: str) -> float:
    number = float(text)
    _expect(math.isfinite(number), f"{text} is not a number")
    return number


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
