"""The default sentence model, all-MiniLM-L6-v2: run by onnxruntime, or by NumPy where that is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vivavoce.text.forward import MINILM_SHAPE, NumpyForward, one_blas_thread, prepare, read_tensors
from vivavoce.text.vectors import SentenceEncoder, read_tokenizer
from vivavoce.text.weights import MODEL, MODEL_FILE, need_weights

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
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
