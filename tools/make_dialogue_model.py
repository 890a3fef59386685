"""Train the dialogue model that ships, on the July part of ConvAI 2017 (Apache-2.0); about two minutes.

    python tools/make_dialogue_model.py ../shared/data

The folder holds `convai2017`. The autumn part is only tested on, as talks of a later time with other bots.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from vivavoce.dialogues.corpus.preprocessing import prepare
from vivavoce.dialogues.corpus.published import read_convai2017
from vivavoce.dialogues.dialogue import Kind
from vivavoce.dialogues.model.training import add_test, train_model
from vivavoce.dialogues.model.weights import SHIPPED, save_weights

LEARNT_FROM = "ConvAI 2017, July: volunteers talked with bots or people about a Wikipedia paragraph, and gave 1 to 5"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    kept = prepare(read_convai2017(options.data)).kept
    july = [dialogue for dialogue in kept if dialogue.source == "july2017"]
    autumn = [dialogue for dialogue in kept if dialogue.source != "july2017"]
    start = time.perf_counter()
    model = train_model(july, learnt_from=LEARNT_FROM, licence="Apache-2.0", progress=_tell)
    print(f"trained in {time.perf_counter() - start:.0f} s")
    model = add_test(model, "later", autumn)
    model = add_test(model, "later-human-bot", [talk for talk in autumn if talk.kind is Kind.HUMAN_BOT])
    save_weights(model, options.out)
    for name, found in model.origin.agreements.items():
        print(f"{name:16} n {found.n:5}  Pearson {found.pearson.value:.3f}  Spearman {found.spearman.value:.3f}")
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.1f} MB")


def _tell(stage: str, done: int, total: int) -> None:
    print(f"{stage} {done} of {total}", flush=True)


if __name__ == "__main__":
    main()
