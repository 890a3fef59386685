"""The cache saves work and is never in the way."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vivavoce.text import VectorCache, encode_cached

pytestmark = pytest.mark.slow


class CountingEncoder:
    """A stand-in for a model: a vector follows from the text, and every text it is given is remembered."""

    def __init__(self, name: str = "counting", dimension: int = 8, fail_after: int | None = None) -> None:
        self.name = name
        self.dimension = dimension
        self.fail_after = fail_after
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> NDArray[np.float32]:
        self.seen += texts
        if self.fail_after is not None and len(self.seen) > self.fail_after:
            raise KeyboardInterrupt
        rows = [np.random.default_rng(list(f"x{text}".encode("utf-8", "replace"))) for text in texts]
        return np.array([row.random(self.dimension, dtype=np.float32) for row in rows]).reshape(-1, self.dimension)


@pytest.fixture(name="cache")
def _cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "folder" / "vectors.sqlite3")


def test_hits_never_reach_the_encoder(cache: VectorCache) -> None:
    encoder = CountingEncoder()
    first = encode_cached(encoder, ["a", "b"], cache=cache)
    second = encode_cached(encoder, ["b", "c", "a"], cache=cache)
    assert sorted(encoder.seen) == ["a", "b", "c"]
    np.testing.assert_array_equal(second[[2, 0]], first)


def test_order_is_kept_and_equal_texts_are_encoded_once(cache: VectorCache) -> None:
    encoder = CountingEncoder()
    texts = ["b", "a much longer text", "b", "", "a", "b"]
    for _ in range(2):
        rows = encode_cached(encoder, texts, cache=cache)
        np.testing.assert_array_equal(rows, CountingEncoder().encode(texts))
    assert sorted(encoder.seen) == sorted(set(texts))


def test_no_texts_give_no_rows(cache: VectorCache) -> None:
    assert encode_cached(CountingEncoder(), [], cache=cache).shape == (0, 8)


def test_models_do_not_share_vectors_and_a_wrong_length_is_a_miss(cache: VectorCache) -> None:
    encode_cached(CountingEncoder("one"), ["a"], cache=cache)
    for other in (CountingEncoder("two"), CountingEncoder("one", dimension=4)):
        assert encode_cached(other, ["a"], cache=cache).shape == (1, other.dimension)
        assert other.seen == ["a"]


@pytest.mark.parametrize("text", ["", "日本語 🙂", "a\x00b", "half a pair \ud83d", "x" * 10_000])
def test_any_text_can_be_kept(cache: VectorCache, text: str) -> None:
    encoder = CountingEncoder()
    first = encode_cached(encoder, [text], cache=cache)
    np.testing.assert_array_equal(encode_cached(encoder, [text], cache=cache), first)
    assert encoder.seen == [text]


def test_a_killed_run_keeps_what_it_had(cache: VectorCache) -> None:
    texts = [f"text {number}" for number in range(2000)]
    with pytest.raises(KeyboardInterrupt):
        encode_cached(CountingEncoder(fail_after=1500), texts, cache=cache)
    assert cache.count() >= 1000
    after = CountingEncoder()
    encode_cached(after, texts, cache=cache)
    assert len(after.seen) <= 1000


def test_progress_starts_with_the_hits_and_ends_with_all(cache: VectorCache) -> None:
    texts = [f"text {number}" for number in range(1000)]
    encode_cached(CountingEncoder(), texts[:300], cache=cache)
    seen: list[tuple[int, int]] = []
    encode_cached(CountingEncoder(), texts, lambda done, total: seen.append((done, total)), cache)
    assert seen[0] == (300, 1000)
    assert seen[-1] == (1000, 1000)
    assert seen == sorted(seen)


@pytest.mark.parametrize("damage", ["no database", "cut off", "scrambled"])
def test_a_broken_file_is_set_aside_with_a_warning(
    cache: VectorCache, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"text {number}" for number in range(500)]
    encode_cached(CountingEncoder(), texts, cache=cache)
    _damage(cache.path, damage)
    with caplog.at_level(logging.WARNING):
        rows = encode_cached(CountingEncoder(), texts, cache=cache)
    np.testing.assert_array_equal(rows, CountingEncoder().encode(texts))
    assert "broken" in caplog.text
    assert cache.path.with_name("vectors.sqlite3.broken").exists()
    encoder = CountingEncoder()
    encode_cached(encoder, texts, cache=cache)
    assert encoder.seen == []


def _damage(path: Path, damage: str) -> None:
    content = path.read_bytes()
    half = len(content) // 2
    path.write_bytes(
        {
            "no database": b"this is no database " * 500,
            "cut off": content[:half],
            "scrambled": content[:4096] + b"\xff" * (len(content) - 4096),
        }[damage]
    )


def test_without_a_place_to_write_everything_is_encoded_and_one_warning_given(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    encoder = CountingEncoder()
    with caplog.at_level(logging.WARNING):
        rows = encode_cached(
            encoder, [str(n) for n in range(900)], cache=VectorCache(tmp_path / "file" / "v.sqlite3")
        )
    assert rows.shape == (900, 8)
    assert len(encoder.seen) == 900
    assert len(caplog.records) == 1


def test_a_locked_file_is_done_without(
    cache: VectorCache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    encode_cached(CountingEncoder(), ["a"], cache=cache)
    monkeypatch.setattr("vivavoce.text.cache.LOCK_SECONDS", 0.05)
    holder = sqlite3.connect(cache.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with caplog.at_level(logging.WARNING):
        assert encode_cached(CountingEncoder(), ["a", "b"], cache=cache).shape == (2, 8)
    holder.close()
    assert "locked" in caplog.text
    assert not cache.path.with_name("vectors.sqlite3.broken").exists()


def test_a_limit_of_zero_turns_the_cache_off(tmp_path: Path) -> None:
    off = VectorCache(tmp_path / "vectors.sqlite3", limit=0)
    encoder = CountingEncoder()
    encode_cached(encoder, ["a"], cache=off)
    encode_cached(encoder, ["a"], cache=off)
    assert encoder.seen == ["a", "a"]
    assert not off.path.exists()


def test_the_oldest_vectors_make_room_for_new_ones(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite3", limit=300_000)
    encoder = CountingEncoder(dimension=100)
    for start in range(0, 3000, 300):
        encode_cached(encoder, [f"text {number}" for number in range(start, start + 300)], cache=cache)
    assert cache.path.stat().st_size < 600_000
    assert 200 < cache.count() < 1000
    newest = CountingEncoder(dimension=100)
    encode_cached(newest, [f"text {number}" for number in range(2900, 3000)], cache=cache)
    assert newest.seen == []


def test_many_writers_at_once_lose_nothing(cache: VectorCache) -> None:
    def work(start: int) -> None:
        encode_cached(CountingEncoder(), [f"text {number}" for number in range(start, start + 200)], cache=cache)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(0, 1000, 100)))
    assert cache.count() == 1100


def test_eleven_thousand_hits_encode_nothing(cache: VectorCache) -> None:
    texts = [f"a sentence of the usual length, number {number}" for number in range(11_000)]
    cache.store("fast", texts, np.ones((len(texts), 384), dtype=np.float32))
    encoder = CountingEncoder("fast", dimension=384)
    rows = encode_cached(encoder, texts, cache=cache)
    assert encoder.seen == []
    assert rows.all()


def test_the_default_cache_lives_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_HOME", str(tmp_path))
    encode_cached(CountingEncoder(), ["a"])
    assert VectorCache().path == tmp_path / "cache" / "vectors.sqlite3"
    assert VectorCache().count() == 1
