"""Make `src/vivavoce/text/minilm.onnx`: the graph of all-MiniLM-L6-v2 without its weights.

Run it once after a change of the graph or of the names of the weights in `vivavoce.text.forward.prepare`:

    python tools/make_minilm_graph.py

The weights are marked external and given by name when the session is made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from vivavoce.text.forward import MINILM_SHAPE as SHAPE

OPSET = 20
WORDS, POSITIONS, WIDE = 30522, 512, 1536
TARGET = Path(__file__).parents[1] / "src" / "vivavoce" / "text" / "minilm.onnx"


class Graph:
    """Collects nodes and weights; every method returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def node(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a step."""
        name = name or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, name: str, value: Any, kind: type) -> str:
        """Add a value that is part of the graph."""
        self.weights.append(numpy_helper.from_array(np.array(value, dtype=kind), name))
        return name

    def weight(self, name: str, *dims: int) -> str:
        """Add a weight that is given later."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights")
        self.weights.append(tensor)
        return name

    def dense(self, states: str, name: str, wide: int, out: int) -> str:
        """Add a linear layer."""
        product = self.node("MatMul", states, self.weight(f"{name}.weight", wide, out))
        return self.node("Add", product, self.weight(f"{name}.bias", out))

    def norm(self, states: str, name: str) -> str:
        """Add a layer normalisation."""
        scale, shift = self.weight(f"{name}.scale", SHAPE.hidden), self.weight(f"{name}.shift", SHAPE.hidden)
        return self.node("LayerNormalization", states, scale, shift, axis=-1, epsilon=SHAPE.epsilon)


def embeddings(graph: Graph) -> str:
    length = graph.node("Shape", "input_ids", start=1, end=2)
    table = graph.weight("positions", POSITIONS, SHAPE.hidden)
    positions = graph.node("Slice", table, "zero", length, "zero")
    words = graph.node("Gather", graph.weight("words", WORDS, SHAPE.hidden), "input_ids")
    return graph.norm(graph.node("Add", words, positions), "norm")


def attention(graph: Graph, states: str, bias: str, name: str) -> str:
    joined = graph.dense(states, f"{name}.attention", SHAPE.hidden, 3 * SHAPE.hidden)
    parts = [f"{name}.query", f"{name}.key", f"{name}.value"]
    graph.nodes.append(helper.make_node("Split", [joined], parts, axis=-1, num_outputs=3))
    query, key, value = (graph.node("Reshape", part, "by_head") for part in parts)
    query, value = (graph.node("Transpose", part, perm=[0, 2, 1, 3]) for part in (query, value))
    key = graph.node("Transpose", key, perm=[0, 2, 3, 1])
    scores = graph.node("Add", graph.node("MatMul", query, key), bias)
    mixed = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    return graph.node("Reshape", graph.node("Transpose", mixed, perm=[0, 2, 1, 3]), "joined_heads")


def layer(graph: Graph, states: str, bias: str, name: str) -> str:
    mixed = graph.dense(attention(graph, states, bias, name), f"{name}.mixed", SHAPE.hidden, SHAPE.hidden)
    states = graph.norm(graph.node("Add", mixed, states), f"{name}.mixed.norm")
    wide = graph.node("Gelu", graph.dense(states, f"{name}.wide", SHAPE.hidden, WIDE))
    narrow = graph.dense(wide, f"{name}.narrow", WIDE, SHAPE.hidden)
    return graph.norm(graph.node("Add", narrow, states), f"{name}.narrow.norm")


def mean_of_tokens(graph: Graph, states: str, share: str) -> None:
    column = graph.node("Unsqueeze", share, "last")
    total = graph.node("ReduceSum", graph.node("Mul", states, column), "one", keepdims=0)
    mean = graph.node("Div", total, graph.node("ReduceSum", share, "one", keepdims=1))
    length = graph.node("ReduceL2", mean, "one", keepdims=1)
    graph.node("Div", mean, length, name="sentence_embedding")


def make() -> bytes:
    graph = Graph()
    for name, numbers in {"zero": [0], "one": [1], "last": [2], "heads": [1, 2]}.items():
        graph.constant(name, numbers, np.int64)
    graph.constant("by_head", [0, 0, SHAPE.heads, SHAPE.hidden // SHAPE.heads], np.int64)
    graph.constant("joined_heads", [0, 0, SHAPE.hidden], np.int64)
    share = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    absent = graph.node("Sub", graph.constant("unit", 1, np.float32), share)
    penalty = graph.node("Mul", absent, graph.constant("far", -1e4, np.float32))
    bias = graph.node("Unsqueeze", penalty, "heads")
    states = embeddings(graph)
    for index in range(SHAPE.layers):
        states = layer(graph, states, bias, f"layer{index}")
    mean_of_tokens(graph, states, share)
    return serialise(graph)


def serialise(graph: Graph) -> bytes:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    result = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["rows", SHAPE.hidden])
    body = helper.make_graph(graph.nodes, "minilm", inputs, [result], graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    model.producer_name = "vivavoce"
    return bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    content = make()
    TARGET.write_bytes(content)
    print(f"{TARGET.name}: {len(content)} bytes")
