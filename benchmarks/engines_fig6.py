"""Figure 6 of the nex-cv paper for engines of others: accuracy and carefulness in the three settings.

    python benchmarks/engines_fig6.py DATA.csv [--rasa URL] [--retries 5] [--figure PATH.svg] [CLASSIFIER ...]

Engines of others (nlp.js, Rasa) are trained and asked through nex-cv's four methods alone. Rasa is a server that was
started with `rasa run --enable-api` and holds no model of anybody else.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any, cast

from vivavoce import PAPER_SETTINGS, Dataset, examine_intents, plugins, read_dataset
from vivavoce.classifiers import FourMethodClassifier

NAMES = ("all_intents", "create_intent", "delete_intent", "classify")
# The paper's carefulness counts guesses that were held back; an engine that falls back makes none, so what it
# declined of the questions without a topic stands beside it.
METRICS = ("accuracy", "carefulness", "negative_rejection")


class FourMethods:
    """An engine as nex-cv knows it: nothing but the four methods is left."""

    def __init__(self, engine: Any) -> None:
        for name in NAMES:
            setattr(self, name, getattr(engine, name))


def measure(data: Dataset, name: str, retries: int) -> list[dict[str, Any]]:
    """Return a row for each setting and metric."""
    kind, option = plugins.split_name(name)
    is_remote = kind in ("nlpjs", "rasa")
    engine = plugins.build(plugins.CLASSIFIERS, kind, option) if is_remote else None
    classifier = FourMethodClassifier(cast("Any", FourMethods(engine)), name) if is_remote else name
    result = examine_intents(data, classifier, settings=PAPER_SETTINGS, retries=retries, seed=0, workers=1)
    rows = []
    for setting in result.to_json()["settings"]:
        for metric in METRICS:
            rows.append(
                {"classifier": kind, "k": setting["k"], "p": setting["p"], "metric": metric, **setting[metric]}
            )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table: each metric in each setting with its interval, and its range over the settings."""
    settings = sorted({(row["k"], row["p"]) for row in rows})
    heads = " | ".join(f"{metric} ({k}, {p:g})" for metric in METRICS for k, p in settings)
    print(f"| classifier | {heads} | {' | '.join(f'{metric}, range' for metric in METRICS)} |")
    print("|---" * (1 + len(METRICS) * (len(settings) + 1)) + "|")
    for name in dict.fromkeys(row["classifier"] for row in rows):
        own = {(row["metric"], row["k"], row["p"]): row for row in rows if row["classifier"] == name}
        cells = [_write(own[metric, k, p]) for metric in METRICS for k, p in settings]
        ranges = []
        for metric in METRICS:
            values = [row["value"] for row in own.values() if row["metric"] == metric and row["value"] is not None]
            ranges.append(f"{min(values):.2f} to {max(values):.2f}" if values else "n/a")
        print(f"| {name} | {' | '.join([*cells, *ranges])} |")


def _write(rate: dict[str, Any]) -> str:
    return "n/a" if rate["value"] is None else f"{rate['value']:.2f} ({rate['low']:.2f}-{rate['high']:.2f})"


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the figure: a panel for each metric, a line for each classifier over the settings."""
    import altair as alt
    import vl_convert

    values = [{**row, "setting": f"({row['k']}, {row['p']:g})"} for row in rows if row["value"] is not None]
    base = alt.Chart({"values": values}).encode(y=alt.Y("classifier:N", title=None, sort=None))
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), title=None)
    span = base.mark_rule(size=4, opacity=0.4).encode(
        x=alt.X("min(value):Q", scale=alt.Scale(domain=[0, 1]), title=None), x2="max(value):Q"
    )
    dots = base.mark_point(filled=True, size=70).encode(x=x, shape=alt.Shape("setting:N", title="(k, p)"))
    chart = (span + dots).properties(width=240).facet(column=alt.Column("metric:N", title=None))
    path.write_text(vl_convert.vegalite_to_svg(chart.to_json()), encoding="utf-8")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("classifiers", nargs="*", default=["linear", "tfidf", "nlpjs"])
    parser.add_argument("--rasa", help="address of a Rasa server")
    parser.add_argument("--retries", type=int, default=5)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    data = read_dataset(options.data)
    names = [*options.classifiers, *([f"rasa:{options.rasa}"] if options.rasa else [])]
    rows: list[dict[str, Any]] = []
    for name in names:
        rows += measure(data, name, options.retries)
        print(f"{name} done", flush=True)
    print(f"\n{options.data.stem}: {len(data.examples)} examples, {options.retries} rounds in each setting\n")
    show(rows)
    if options.figure:
        draw(rows, options.figure)


if __name__ == "__main__":
    main()
