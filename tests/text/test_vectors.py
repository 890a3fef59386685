"""Sentences become vectors: the same by either engine, in any company, in any process."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from vivavoce.errors import DataError, FileError, UsageError
from vivavoce.text import Encoder, encoder_available, find_weights, get_weights, load_encoder
from vivavoce.text.forward import read_tensors
from vivavoce.text.local import load_minilm
from vivavoce.text.vectors import MAX_TOKENS, default_threads

pytestmark = pytest.mark.slow

TEXTS = [
    "How do I reset my password?",
    "I forgot my password",
    "What will the weather be like tomorrow?",
    "",
    "Où est mon colis ? 日本語 🙂 half a pair \ud83d",
    "word " * 2000,
    "I forgot my password",
]


@pytest.fixture(scope="session", autouse=True)
def _weights() -> None:
    """Real weights in the default place, fetched once."""
    if find_weights() is None:
        get_weights()


@pytest.fixture(scope="session", name="minilm")
def _minilm(_weights: None) -> Encoder:
    return load_encoder()


def test_both_engines_give_the_same_vectors() -> None:
    fast, plain = load_minilm(2, "onnxruntime"), load_minilm(1, "numpy")
    assert np.abs(fast.encode(TEXTS) - plain.encode(TEXTS)).max() < 1e-5
    assert fast.name == plain.name


def test_padding_does_not_change_a_vector_in_either_engine() -> None:
    ids = np.array([[101, 7592, 2088, 102]], dtype=np.int64)
    padded = np.pad(ids, ((0, 0), (0, 5)))
    for engine in ("onnxruntime", "numpy"):
        forward = load_minilm(1, engine).forward
        assert np.abs(forward(ids, np.ones_like(ids)) - forward(padded, (padded > 0).astype(np.int64))).max() < 1e-5


def test_rows_are_single_precision_of_length_one_in_order(minilm: Encoder) -> None:
    rows = minilm.encode(TEXTS)
    assert rows.shape == (len(TEXTS), minilm.dimension) == (7, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(rows[1], rows[6])
    np.testing.assert_allclose(minilm.encode(TEXTS[::-1])[::-1], rows, atol=1e-6)


def test_like_meaning_gives_like_vectors(minilm: Encoder) -> None:
    password, forgot, weather = minilm.encode(TEXTS[:3])
    assert password @ forgot > 0.7
    assert password @ weather < 0.2
    cat, mat, rain = minilm.encode(["The cat sits outside", "A cat is sitting outdoors", "It is raining in Paris"])
    assert cat @ mat > 0.8
    assert cat @ rain < 0.3


def test_a_sentence_has_the_same_vector_in_any_company(minilm: Encoder) -> None:
    texts = [f"{word} number {number}" for word in ("invoice", "refund for order") for number in range(60)]
    together = minilm.encode(texts)
    np.testing.assert_allclose(together[[0, 100]], minilm.encode([texts[0], texts[100]]), atol=1e-6)


def test_equal_texts_are_encoded_once_and_progress_reaches_the_end(minilm: Encoder) -> None:
    seen: list[tuple[int, int]] = []
    minilm.encode(["a", "b", "a", "a"], lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2, 2)


def test_no_texts_give_no_rows(minilm: Encoder) -> None:
    assert minilm.encode([]).shape == (0, 384)


def test_a_long_text_is_read_up_to_the_limit(minilm: Encoder) -> None:
    base = "alpha " * (MAX_TOKENS - 2)
    short, cut, other = minilm.encode(["alpha " * 100, base + "beta", base])
    np.testing.assert_allclose(cut, other, atol=1e-6)
    # More than the 128 tokens that the tokenizer file asks for.
    long = minilm.encode(["alpha " * 150 + "beta gamma delta " * 20])[0]
    assert long @ minilm.encode(["alpha " * 150])[0] < 0.999
    assert short @ other > 0.5


def test_an_encoder_is_loaded_once_and_travels_to_another_process(minilm: Encoder) -> None:
    assert load_encoder("minilm") is load_encoder("all-MiniLM-L6-v2") is minilm
    assert pickle.loads(pickle.dumps(minilm)) is minilm  # noqa: S301
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        elsewhere = pool.submit(minilm.encode, TEXTS[:3]).result()
        assert pool.submit(default_threads).result() == 1
    np.testing.assert_allclose(elsewhere, minilm.encode(TEXTS[:3]), atol=1e-6)


def test_an_unknown_name_is_refused_with_the_nearest_right_one() -> None:
    with pytest.raises(UsageError, match="Did you mean 'minilm'"):
        load_encoder("minlm")
    assert not encoder_available("minlm")
    assert encoder_available()


def test_an_encoder_is_not_available_without_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_HOME", str(tmp_path))
    assert not encoder_available()


def test_importing_the_package_is_light() -> None:
    code = (
        "import sys, vivavoce.text; from vivavoce.text import encoder_available; encoder_available();"
        "print(sorted({'onnxruntime', 'tokenizers', 'scipy', 'sklearn', 'torch'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# A model of the user's own


def _config(folder: Path, **changes: Any) -> None:
    config = {
        "model_type": "bert",
        "hidden_size": 384,
        "num_attention_heads": 12,
        "num_hidden_layers": 6,
        "max_position_embeddings": 512,
    }
    (folder / "config.json").write_text(json.dumps(config | changes))


@pytest.fixture(name="own")
def _own(tmp_path: Path) -> Path:
    """MiniLM as a user's own folder."""
    weights = find_weights()
    assert weights is not None
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).symlink_to(weights / name)
    _config(tmp_path)
    return tmp_path


def test_a_folder_of_bert_weights_gives_the_vectors_of_the_model(own: Path, minilm: Encoder) -> None:
    local = load_encoder(str(own))
    assert local.dimension == 384
    np.testing.assert_allclose(local.encode(TEXTS), minilm.encode(TEXTS), atol=1e-5)
    assert local.name.startswith(f"{own.name}@")


def test_the_name_of_an_own_model_follows_its_content(own: Path) -> None:
    first = load_encoder(str(own), threads=1).name
    (own / "1_Pooling").mkdir()
    (own / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    changed = load_encoder(str(own), threads=2)
    assert changed.name != first
    assert changed.encode(["a b"]).shape == (1, 384)


def test_what_cannot_be_run_is_refused_with_every_fault(own: Path) -> None:
    _config(own, model_type="gpt2", hidden_act="swish")
    with pytest.raises(DataError) as caught:
        load_encoder(str(own))
    assert len(caught.value.faults) == 2
    _config(own, num_hidden_layers=7)
    with pytest.raises(DataError, match=r"encoder\.layer\.6"):
        load_encoder(str(own))


def test_a_folder_without_model_or_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no model in this folder"):
        load_encoder(str(tmp_path))
    (tmp_path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(FileError, match=r"tokenizer\.json is missing"):
        load_encoder(str(tmp_path))
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(FileError, match="onnxruntime cannot read it"):
        load_encoder(str(tmp_path))


def _tiny_onnx(folder: Path, output: str) -> NDArray[np.float32]:
    """Write a model whose token states are rows of a table; return the table."""
    table = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "tokens"])
        for name in ("input_ids", "attention_mask")
    )
    result = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["rows", "tokens", 3])
    node = helper.make_node("Gather", ["table", "input_ids"], [output])
    graph = helper.make_graph([node], "tiny", [ids, mask], [result], [numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    words = {"?": 0, "a": 1, "b": 2, "c": 3, "d": 4}
    tokenizer = Tokenizer(WordLevel(words, unk_token="?"))  # noqa: S106 - no password
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return table


def test_an_onnx_file_is_pooled_by_the_mean(tmp_path: Path) -> None:
    table = _tiny_onnx(tmp_path, "last_hidden_state")
    rows = load_encoder(str(tmp_path)).encode(["a b c", "d"])
    expected = np.stack([table[1:4].mean(axis=0), table[4]])
    np.testing.assert_allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(load_encoder(str(tmp_path / "model.onnx")).encode(["a b c", "d"]), rows)


def test_an_onnx_file_with_other_outputs_is_refused(tmp_path: Path) -> None:
    _tiny_onnx(tmp_path, "logits")
    with pytest.raises(DataError, match="logits"):
        load_encoder(str(tmp_path))


def test_half_precision_weights_are_read(tmp_path: Path) -> None:
    numbers = np.array([[0.5, -2.0], [1.0, 3.0]], dtype=np.float32)
    brain = (numbers.view(np.uint32) >> 16).astype("<u2")
    parts = {"F32": numbers.tobytes(), "F16": numbers.astype("<f2").tobytes(), "BF16": brain.tobytes()}
    header, data = {}, b""
    for kind, raw in parts.items():
        header[kind] = {"dtype": kind, "shape": [2, 2], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps(header).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)
    tensors = read_tensors(path)
    for kind in parts:
        np.testing.assert_array_equal(tensors[kind], numbers)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FileError, match="the file is truncated"):
        read_tensors(path)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 100, (2).to_bytes(8, "little") + b"[]"])
def test_what_is_no_safetensors_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(FileError, match="not a readable safetensors file"):
        read_tensors(path)
