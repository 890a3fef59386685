"""How alike the texts of topics are, whatever the engine: vectors first, words and letters where there are none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vivavoce.classifiers.bayes import NaiveBayes, count
from vivavoce.classifiers.lexical import projection, segmented
from vivavoce.intents.material import Material
from vivavoce.intents.runner import Progress
from vivavoce.text.languages.mixed import choose_reading, encode_texts

Matrix = NDArray[np.float32]
SKETCH = 1024


def text_vectors(material: Material, progress: Progress | None = None) -> Matrix:
    """Return one vector for each text: of its language's encoder, or of words and letters where there is none."""
    texts = material.data.texts
    reading = choose_reading(texts, material.data.languages)
    if reading.is_available:
        tell = None if progress is None else lambda done, total: progress("reading texts", done, total)
        return encode_texts(texts, reading, tell)
    counts = count(texts, segmented(texts, reading.usual))
    model = NaiveBayes.fit(counts, np.zeros(len(texts), dtype=np.intp), 1)
    # A random projection keeps the angles and makes the vectors dense.
    rows = np.asarray((model.features(counts) @ projection(counts.ids, SKETCH)).toarray(), dtype=np.float32)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))
