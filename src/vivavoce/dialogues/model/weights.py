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
from vivavoce.dialogues.model.forest import Forest
from vivavoce.dialogues.model.kernel import KernelModel, Scales
from vivavoce.dialogues.model.messages import COLUMNS
from vivavoce.dialogues.model.model import OUTPUTS, Equation, Guess, Model, Parts
from vivavoce.dialogues.model.terms import Terms
from vivavoce.dialogues.model.thumbs import NUMBERS, ROLES, ThumbModel
from vivavoce.dialogues.model.wording import WordingModel
from vivavoce.errors import DataError, FileError
from vivavoce.files.writing import write_bytes

Arrays = dict[str, NDArray[Any]]

FORMAT = "vivavoce dialogue model"
VERSION = 1
MOST_BYTES = 200_000_000
SHIPPED = Path(__file__).parent / "shipped.npz"
_TERMS = ("words", "thumb", "judge", "peer")
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
    arrays: Arrays = {}
    for name, own in terms.items():
        arrays[f"{name}.names"] = _encoded("\n".join(own.names))
        arrays[f"{name}.rarity"] = own.rarity.astype(np.float32)
    arrays |= {
        "thumb.weights": parts.thumbs.weights.astype(np.float32),
        "thumb.numbers": parts.thumbs.numbers.astype(np.float32),
        "judge.weights": parts.wording.judge_weights.astype(np.float32),
        "peer.weights": parts.wording.peer_weights.astype(np.float32),
        "forest.roots": parts.forest.roots,
        "forest.features": parts.forest.features,
        "forest.thresholds": parts.forest.thresholds,
        "forest.children": parts.forest.children,
        "forest.values": parts.forest.values,
        "scales.values": parts.scales.values.astype(np.float32),
        "scales.places": parts.scales.places,
        "kernel.talks": parts.kernel.talks,
        "kernel.weights": parts.kernel.weights,
        "learned": np.array(sorted(model.learned), dtype=np.uint64),
        "about": _encoded(json.dumps(_about(model), allow_nan=False)),
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    write_bytes(path, buffer.getvalue())


def load_weights(path: str | Path) -> Model:
    """Read a model; a file that is no model, or one of another version, is refused with what to do."""
    path = Path(path)
    try:
        return _built(_arrays(path))
    except OSError as error:
        raise FileError(
            f"the model cannot be read: {error.strerror or error}", where=str(path), remedy="check the path"
        ) from None
    except _DAMAGE as error:
        raise FileError(
            f"this is no dialogue model, or it is damaged ({_told(error)})",
            where=str(path),
            remedy="give a file made by `viva dialogues train`, or train it again",
        ) from None


def _arrays(path: Path) -> Arrays:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES:,} bytes")
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes unpacked")
    with np.load(path, allow_pickle=False) as members:
        return {name: members[name] for name in members.files}


def _about(model: Model) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "reads": _reads(),
        "thumb_intercept": model.parts.thumbs.intercept,
        "wording_intercept": model.parts.wording.intercept.tolist(),
        "kernel_intercept": model.parts.kernel.intercept.tolist(),
        "kernel_width": model.parts.kernel.width,
        "told": _equation_json(model.told),
        "untold": _equation_json(model.untold),
        "guess": [model.guess.intercept, model.guess.slope],
        "origin": to_json(model.origin),
    }


def _reads() -> dict[str, list[str]]:
    """Return what the numbers of a model mean, in order: one made for other features must not be used."""
    return {"columns": list(COLUMNS), "features": list(NAMES), "roles": list(ROLES), "numbers": list(NUMBERS)}


def _equation_json(equation: Equation) -> dict[str, Any]:
    return {
        "intercept": equation.intercept,
        "human": equation.human,
        **{name: getattr(equation, name).tolist() for name in ("weights", "scores", "lows", "highs")},
    }


def _equation(content: dict[str, Any]) -> Equation:
    arrays = [np.array(content[name], dtype=np.float64) for name in ("weights", "scores", "lows", "highs")]
    _expect(arrays[0].shape == (len(OUTPUTS),), "an equation has other outputs")
    steps = len(arrays[1])
    whole = steps > 0 and all(array.shape == (steps,) for array in arrays[1:])
    _expect(whole and bool((np.diff(arrays[1]) >= 0).all()), "an equation is broken")
    return Equation(float(content["intercept"]), float(content["human"]), *arrays)


def _built(arrays: Arrays) -> Model:
    about = json.loads(_decoded(arrays["about"]), parse_float=_number, parse_constant=_number)
    _expect(about.get("format") == FORMAT, "the file is of another kind")
    _expect(about.get("version") == VERSION, f"version {about.get('version')} is not {VERSION}")
    _expect(about.get("reads") == _reads(), "it was made for other features")
    _expect(all(_finite(array) for name, array in arrays.items() if name != "forest.thresholds"), "not all numbers")
    terms = {name: _terms(arrays, name) for name in _TERMS}
    wording = WordingModel(
        terms["judge"],
        terms["peer"],
        _wide(arrays["judge.weights"], len(OUTPUTS), len(terms["judge"].names)),
        _wide(arrays["peer.weights"], len(OUTPUTS), len(terms["peer"].names)),
        _outputs(about["wording_intercept"]),
    )
    thumbs = ThumbModel(
        terms["thumb"],
        _wide(arrays["thumb.weights"], len(ROLES), len(terms["thumb"].names)),
        _wide(arrays["thumb.numbers"][None], 1, len(NUMBERS))[0],
        float(about["thumb_intercept"]),
    )
    parts = Parts(terms["words"], thumbs, wording, _forest(arrays), _scales(arrays), _kernel(arrays, about))
    origin = origin_from_json(about["origin"])
    guess = Guess(*map(float, about["guess"]))
    learned = frozenset(arrays["learned"].astype(np.uint64).tolist())
    return Model(parts, _equation(about["told"]), _equation(about["untold"]), guess, origin, learned)


def _terms(arrays: Arrays, name: str) -> Terms:
    text = _decoded(arrays[f"{name}.names"])
    terms = Terms(tuple(text.split("\n")) if text else (), arrays[f"{name}.rarity"].astype(np.float64))
    _expect(terms.rarity.shape == (len(terms.names),), f"the terms of {name} are incomplete")
    return terms


def _forest(arrays: Arrays) -> Forest:
    roots, features, thresholds, children, values = (
        arrays[f"forest.{name}"] for name in ("roots", "features", "thresholds", "children", "values")
    )
    nodes = len(children)
    rows = all(array.shape == (nodes,) for array in (features, thresholds, children)) and roots.ndim == 1
    _expect(rows and values.shape == (nodes, len(OUTPUTS)) and len(roots) > 0, "the forest is incomplete")
    _expect(all(array.dtype.kind == "i" for array in (roots, features, children)), "the forest has no whole numbers")
    inside = bool((children >= 0).all() and (children < nodes).all() and (roots >= 0).all() and (roots < nodes).all())
    # A walk ends because every child lies behind its parent; a leaf is its own child and lets nobody pass.
    own = np.arange(nodes)
    forward = bool(((children > own) & (children < nodes - 1) | (children == own) & np.isposinf(thresholds)).all())
    asked = bool((features >= 0).all() and (features < len(NAMES)).all() and not np.isnan(thresholds).any())
    _expect(inside and forward and asked, "the forest leads astray")
    return Forest(
        roots.astype(np.int32),
        features.astype(np.int16),
        thresholds.astype(np.float32),
        children.astype(np.int32),
        values.astype(np.float32),
    )


def _kernel(arrays: Arrays, about: dict[str, Any]) -> KernelModel:
    talks, weights = arrays["kernel.talks"].astype(np.float32), arrays["kernel.weights"].astype(np.float32)
    whole = talks.shape[1:] == (len(NAMES),) and weights.shape == (len(talks), len(OUTPUTS))
    _expect(whole, "the kernel is incomplete")
    return KernelModel(talks, weights, _outputs(about["kernel_intercept"]), float(about["kernel_width"]))


def _scales(arrays: Arrays) -> Scales:
    values, places = _wide(arrays["scales.values"], len(NAMES)), arrays["scales.places"].astype(np.float64)
    ordered = bool((np.diff(values) >= 0).all() and (np.diff(places) >= 0).all())
    _expect(len(places) > 0 and places.shape == values.shape[1:] and ordered, "the scales are broken")
    return Scales(values, places)


def _outputs(numbers: Any) -> NDArray[np.float64]:
    found = np.array(numbers, dtype=np.float64)
    _expect(found.shape == (len(OUTPUTS),), "a part has other outputs")
    return found


def _wide(array: NDArray[Any], rows: int, columns: int | None = None) -> NDArray[np.float64]:
    fits = array.ndim == 2 and array.shape[0] == rows and columns in (None, array.shape[1])
    _expect(fits, "a table has another size")
    return np.ascontiguousarray(array, dtype=np.float64)


def _encoded(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _decoded(array: NDArray[Any]) -> str:
    return array.astype(np.uint8).tobytes().decode()


def _number(text: str) -> float:
    number = float(text)
    _expect(math.isfinite(number), f"{text} is not a number")
    return number


def _finite(array: NDArray[Any]) -> bool:
    return bool(np.isfinite(array).all())


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _told(error: Exception) -> str:
    if isinstance(error, KeyError) and error.args:
        return f"{error.args[0]} is missing"
    return error.what if isinstance(error, DataError) else str(error) or type(error).__name__
