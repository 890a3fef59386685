"""Sentence models on this machine: all-MiniLM-L6-v2, and a user's own folder with `tokenizer.json` and a model.

The model is an ONNX file, or BERT-like safetensors. MiniLM runs in onnxruntime, or in NumPy where that is missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import DataError, Fault, FileError, MissingPartError, WorkError
from vivavoce.text.forward import (
    MINILM_SHAPE,
    BertShape,
    NumpyForward,
    Pooling,
    one_blas_thread,
    pool,
    prepare,
    read_tensors,
    unit_rows,
)
from vivavoce.text.vectors import MAX_TOKENS, Forward, SentenceEncoder, read_tokenizer
from vivavoce.text.weights import MODEL, MODEL_FILE, TOKENIZER_FILE, need_weights

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

ONNX_FILES = ("model.onnx", "onnx/model.onnx")
CONFIG_FILE = "config.json"
POOLING_FILE = "1_Pooling/config.json"
SENTENCE_FILE = "sentence_bert_config.json"
MODULES_FILE = "modules.json"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("sentence_embedding", "last_hidden_state")
BERT_KINDS = ("bert", "roberta", "xlm-roberta", "camembert")
ACTIVATIONS = ("gelu", "relu")
EXPORT = "export the model to ONNX with the output `last_hidden_state` or `sentence_embedding`"


def load_local(path: Path, threads: int) -> SentenceEncoder:
    """Return the encoder of the model in this folder (or of this .onnx file and the folder around it)."""
    folder = path
    if not path.is_dir():
        # Exporters put the graph into a folder `onnx` below the tokenizer.
        folder = path.parent.parent if path.parent.name == "onnx" else path.parent
    candidates = [path] if path.is_file() else [folder / name for name in (*ONNX_FILES, MODEL_FILE)]
    model = next((candidate for candidate in candidates if candidate.is_file()), None)
    if model is None:
        raise FileError(
            "no model in this folder",
            where=str(folder),
            remedy=f"it needs {TOKENIZER_FILE}, {CONFIG_FILE} and one of {', '.join((*ONNX_FILES, MODEL_FILE))}",
        )
    if not (folder / TOKENIZER_FILE).is_file():
        raise FileError(f"{TOKENIZER_FILE} is missing", where=str(folder), remedy="put it next to the model")
    forward: Forward = _load_onnx(model, folder) if model.suffix == ".onnx" else _load_bert(model, folder)
    # The length the model was made for, within the positions it has.
    config = _read_json(folder / CONFIG_FILE)
    length = int(_read_json(folder / SENTENCE_FILE).get("max_seq_length") or MAX_TOKENS)
    length = min(length, int(config.get("max_position_embeddings", length)) - _find_first_position(config))
    tokenizer = read_tokenizer(folder, length)
    ids = np.array([tokenizer.encode("a").ids], dtype=np.int64)
    dimension = forward(ids, np.ones_like(ids)).shape[1]
    source = str(path.resolve())
    return SentenceEncoder(
        _name_model(model, folder), dimension, tokenizer, forward, threads, source, guard=one_blas_thread
    )


def _name_model(model: Path, folder: Path) -> str:
    """Name the model by its content, so that cached vectors never outlive a change of the files."""
    digest = hashlib.sha256()
    names = (TOKENIZER_FILE, CONFIG_FILE, POOLING_FILE, SENTENCE_FILE)
    for path in (model, *(folder / name for name in names)):
        if path.is_file():
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return f"{folder.resolve().name}@{digest.hexdigest()[:12]}"


def _read_json(path: Path) -> Any:
    """Return the content of a JSON file, or an empty object where there is no such file."""
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as error:
        remedy = "download the file again"
        raise FileError(f"not valid JSON ({error})", where=str(path), remedy=remedy) from error


def _read_pooling(folder: Path) -> Pooling:
    return "cls" if _read_json(folder / POOLING_FILE).get("pooling_mode_cls_token") else "mean"


def _find_first_position(config: Any) -> int:
    is_bert = config.get("model_type", "bert") not in BERT_KINDS[1:]
    return 0 if is_bert else int(config.get("pad_token_id", 1)) + 1


def _load_bert(model: Path, folder: Path) -> NumpyForward:
    """Return the forward pass by config.json; refuse what `NumpyForward` does not know, all faults at once."""
    config = _read_json(folder / CONFIG_FILE)
    faults = _find_faults(config, _read_json(folder / MODULES_FILE))
    if faults:
        where = str(folder / CONFIG_FILE)
        raise DataError("this model cannot be run", where=where, faults=faults, remedy=EXPORT)
    shape = BertShape(
        layers=int(config["num_hidden_layers"]),
        hidden=int(config["hidden_size"]),
        heads=int(config["num_attention_heads"]),
        epsilon=float(config.get("layer_norm_eps", 1e-12)),
        activation=str(config.get("hidden_act", "gelu")),
        first_position=_find_first_position(config),
    )
    try:
        weights = prepare(read_tensors(model), shape)
    except KeyError as error:
        raise DataError(f"the weights are missing {error}", where=str(model), remedy=EXPORT) from error
    return NumpyForward(weights, shape, _read_pooling(folder))


def _find_faults(config: Any, modules: Any) -> list[Fault]:
    needed = ("num_hidden_layers", "hidden_size", "num_attention_heads")
    faults = [Fault(f"`{name}` is missing") for name in needed if name not in config]
    allowed = {
        "model_type": (BERT_KINDS, None),
        "hidden_act": (ACTIVATIONS, "gelu"),
        "position_embedding_type": (("absolute",), "absolute"),
    }
    for name, (known, default) in allowed.items():
        value = config.get(name, default)
        if value not in known:
            faults.append(Fault(f"`{name}` is {value!r}, not one of {', '.join(known)}"))
    if any("Dense" in str(module.get("type")) for module in modules or ()):
        faults.append(Fault("the model has a dense layer after pooling", MODULES_FILE))
    return faults


@dataclass(frozen=True)
class LocalOnnxForward:
    """Turns token ids into sentence vectors with a user's ONNX file."""

    session: Any
    inputs: tuple[str, ...]
    output: str
    pooling: Pooling

    def __call__(self, ids: Ids, mask: Ids) -> Floats:
        """Return one vector of length 1 for each row of ids."""
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            result = self.session.run([self.output], {name: inputs[name] for name in self.inputs})[0]
        except Exception as error:  # onnxruntime raises classes of its own, without a common root
            raise WorkError(f"the ONNX model failed: {error}", remedy=EXPORT) from error
        states = np.asarray(result, dtype=np.float32)
        return unit_rows(pool(states, mask, self.pooling) if states.ndim == 3 else states)


def _load_onnx(model: Path, folder: Path) -> LocalOnnxForward:
    try:
        import onnxruntime
    except ImportError as error:
        remedy = "run `pip install onnxruntime`"
        raise MissingPartError("an ONNX model needs `onnxruntime`", remedy=remedy) from error
    providers = ["CPUExecutionProvider"]
    try:
        session = onnxruntime.InferenceSession(str(model), session_options(), providers=providers)
    except Exception as error:  # see above
        raise FileError(f"onnxruntime cannot read it ({error})", where=str(model), remedy=EXPORT) from error
    inputs = tuple(value.name for value in session.get_inputs())
    outputs = [value.name for value in session.get_outputs()]
    output = next((name for name in OUTPUTS if name in outputs), "")
    faults = [Fault(f"unknown input `{name}`") for name in inputs if name not in INPUTS]
    if not output:
        faults.append(Fault(f"none of {', '.join(OUTPUTS)} in the outputs {', '.join(outputs)}"))
    if faults:
        raise DataError("this ONNX file is not a sentence model", where=str(model), faults=faults, remedy=EXPORT)
    return LocalOnnxForward(session, inputs, output, _read_pooling(folder))


Engine = Literal["onnxruntime", "numpy"]
GRAPH_FILE = "minilm.onnx"


def load_minilm(threads: int, engine: Engine | None = None) -> SentenceEncoder:
    """Return the encoder; `engine` defaults to onnxruntime where it is installed."""
    folder = need_weights()
    weights = prepare(read_tensors(folder / MODEL_FILE), MINILM_SHAPE)
    tokenizer = read_tokenizer(folder)
    if (engine or best_engine()) == "onnxruntime":
        return SentenceEncoder(MODEL, MINILM_SHAPE.hidden, tokenizer, OnnxForward.of(weights), threads)
    forward = NumpyForward(weights, MINILM_SHAPE)
    return SentenceEncoder(MODEL, MINILM_SHAPE.hidden, tokenizer, forward, threads, guard=one_blas_thread)


def best_engine() -> Engine:
    """Return the fastest engine that is installed."""
    return "onnxruntime" if find_spec("onnxruntime") else "numpy"


@dataclass(frozen=True)
class OnnxForward:
    """Turns token ids into sentence vectors with the graph in `minilm.onnx`."""

    session: Any
    # The session points into these arrays: they must live as long as it does.
    weights: Mapping[str, Any]

    @classmethod
    def of(cls, weights: Mapping[str, Floats]) -> OnnxForward:
        """Build the session: the graph of this package, fed with weights from memory."""
        import onnxruntime

        values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in weights.items()}
        options = session_options()
        options.add_external_initializers(list(values), list(values.values()))
        graph = files("vivavoce.text").joinpath(GRAPH_FILE).read_bytes()
        return cls(onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"]), values)

    def __call__(self, ids: Ids, mask: Ids) -> Floats:
        """Return one vector of length 1 for each row of ids."""
        rows: Floats = self.session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return rows


def session_options() -> Any:
    """Return options for one thread in a session: whole batches run side by side, which scales better.

    A session without a thread pool also survives a fork.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
