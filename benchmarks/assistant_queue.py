"""How many answers that need fixing 100 reviews find: `python benchmarks/assistant_queue.py`.

The demo company's visitors write what they wrote; whoever reviews knows what they meant. An answer needs fixing if
a topic of the company was meant and another one, or none, was answered. Reviewed are those of the inbox in its order
(every third a random check) or as many at random. Nothing is learned in between.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from random import Random

from vivavoce.assistant import Assistant, Stage, State
from vivavoce.assistant.material import COMPANIES, FOLDER, read_rows
from vivavoce.workspace.assistant.talking import HARDLY, expected_gain

REVIEWS, ROUNDS, EVERY_RANDOM = 100, 200, 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A message that counts: its worth in the queue, why it waits, and whether its answer needs fixing."""

    gain: float
    unsure: bool
    needs_fixing: bool


def ask_all() -> list[Asked]:
    """Answer all messages of the visitors that reach the FAQ."""
    assistant = Assistant.load("demo")
    topics = set(assistant.company.answers)
    threshold = assistant.company.options.faq_threshold
    asked, states = [], dict[str, State]()
    for _, row in read_rows(FOLDER / COMPANIES["demo"] / "visitors.csv", ("text", "intent", "who")):
        outcome = assistant.reply(states.get(row["who"], State()), row["text"])
        states[row["who"]] = outcome.state
        if outcome.stage in (Stage.FAQ, Stage.NONE):
            unsure = outcome.hand_over is not None or (outcome.confidence or 0.0) < threshold + HARDLY
            wrong = row["intent"] in topics and outcome.intent != row["intent"]
            asked.append(Asked(expected_gain(outcome), unsure, wrong))
    return asked


def main() -> None:
    """Print the fixes that both ways find."""
    asked, draw = ask_all(), Random(1)
    queued = sorted((one for one in asked if one.unsure), key=lambda one: -one.gain)
    rest = [one for one in asked if not one.unsure]
    by_queue, by_chance = [], []
    for _ in range(ROUNDS):
        checks = draw.sample(rest, min(len(rest), REVIEWS // EVERY_RANDOM))
        chosen = [*queued[: REVIEWS - len(checks)], *checks]
        by_queue.append(sum(one.needs_fixing for one in chosen))
        by_chance.append(sum(one.needs_fixing for one in draw.sample(asked, min(len(asked), len(chosen)))))
    queue, chance = statistics.mean(by_queue), statistics.mean(by_chance)
    print(f"{len(asked)} messages count, {sum(one.needs_fixing for one in asked)} need fixing")
    print(f"fixes in {len(chosen)} reviews: queue {queue:.1f}, random {chance:.1f}, {queue / chance:.2f}x")


if __name__ == "__main__":
    main()
