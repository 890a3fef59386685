"""How many answers that need fixing 100 reviews find: `python benchmarks/assistant_queue.py`.

The visitors of the demo company write, and the reviewer knows what they meant. An answer needs fixing if a topic was
meant and another one, or none, was answered. Reviewed are the first cards of the inbox, or as many messages at
random. Nothing is learned in between. The gain depends on how much of the traffic is reviewed, so larger traffic is
simulated from public data: CLINC150 and BANKING77, with 30 % of CLINC150's out-of-scope questions. The share of
random checks was chosen on other draws of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from material import intents

from vivavoce.assistant import Answer, Assistant, Company, Stage, State
from vivavoce.assistant.material import COMPANIES, FOLDER, read_rows
from vivavoce.records import Dataset
from vivavoce.workspace.assistant.reviewing import EVERY_RANDOM
from vivavoce.workspace.assistant.talking import HARDLY, expected_gain

REVIEWS, ROUNDS, RANDOM_SHARE = 100, 200, 0.1
TOPICS, EXAMPLES, MESSAGES, OUTSIDE = 60, 10, 1_000, 0.3


@dataclass(frozen=True, slots=True)
class Asked:
    """A message that counts: its worth in the queue, its chance of a check, and whether its answer needs fixing."""

    gain: float
    answered: bool
    hardly: bool
    needs_fixing: bool


def ask_all(assistant: Assistant, messages: Iterable[tuple[str, str, str]]) -> list[Asked]:
    """Answer messages (text, what was meant, who wrote it); return those that reach the FAQ."""
    topics = set(assistant.company.answers)
    threshold = assistant.company.options.faq_threshold
    asked, states = [], dict[str, State]()
    for text, meant, who in messages:
        outcome = assistant.reply(states.get(who, State()), text)
        states[who] = outcome.state
        if outcome.stage in (Stage.FAQ, Stage.NONE):
            hardly = (outcome.confidence or 0.0) < threshold + HARDLY
            wrong = meant in topics and outcome.intent != meant
            asked.append(Asked(expected_gain(outcome), outcome.hand_over is None, hardly, wrong))
    return asked


def draw_public(name: str, seed: int) -> list[Asked]:
    """Train on some examples of a public data set, and ask others with out-of-scope questions."""
    draw, by_topic = Random(seed), dict[str, list[str]]()
    for text, topic in zip(*intents(name), strict=True):
        by_topic.setdefault(topic, []).append(text)
    by_topic.pop("oos", None)
    outside = [text for text, topic in zip(*intents("clinc150_full"), strict=True) if topic == "oos"]
    learned, live = [], []
    for topic in draw.sample(sorted(by_topic), TOPICS):
        texts = draw.sample(by_topic[topic], len(by_topic[topic]))
        learned += [(text, topic) for text in texts[:EXAMPLES]]
        live += [(text, topic) for text in texts[EXAMPLES:]]
    live = draw.sample(live, round(MESSAGES * (1 - OUTSIDE)))
    live += [(text, "oos") for text in draw.sample(outside, round(MESSAGES * OUTSIDE))]
    faq = {"en": Dataset.of(*zip(*learned, strict=True))}
    answers = {topic: {"en": Answer(topic)} for _, topic in learned}
    assistant = Assistant.build(Company(name, ("en",), faq, answers))
    return ask_all(assistant, [(text, topic, text) for text, topic in draw.sample(live, len(live))])


def compare(name: str, asked: list[Asked]) -> None:
    """Print the fixes that the queue and chance find."""
    draw, by_queue, by_chance = Random(1), [], []
    for _ in range(ROUNDS):
        checks, queue = [], []
        for each in asked:
            is_drawn = each.answered and draw.random() < RANDOM_SHARE * (2 if each.hardly else 1)
            if is_drawn:
                checks.append(each)
            elif each.hardly or not each.answered:
                queue.append(each)
        some = draw.sample(checks, min(len(checks), REVIEWS // EVERY_RANDOM))
        queue.sort(key=lambda each: -each.gain)
        chosen = [*queue[: REVIEWS - len(some)], *some]
        by_queue.append(sum(each.needs_fixing for each in chosen))
        by_chance.append(sum(each.needs_fixing for each in draw.sample(asked, len(chosen))))
    need = sum(each.needs_fixing for each in asked)
    fixes, usual = statistics.mean(by_queue), statistics.mean(by_chance)
    print(f"{name}: {len(asked)} messages count, {need} need fixing; fixes in {REVIEWS} reviews: ", end="")
    print(f"queue {fixes:.1f}, random {usual:.1f}, {fixes / usual:.2f}x (at most {min(need, REVIEWS) / usual:.2f}x)")


def main() -> None:
    """Compare both ways on the demo company's visitors and on larger traffic."""
    rows = read_rows(FOLDER / COMPANIES["demo"] / "visitors.csv", ("text", "intent", "who"))
    messages = [(row["text"], row["intent"], row["who"]) for _, row in rows]
    compare("demo", ask_all(Assistant.load("demo"), messages))
    for name in ("clinc150_full", "banking77"):
        for seed in (1, 2, 3):
            compare(f"{name} {seed}", draw_public(name, seed))


if __name__ == "__main__":
    main()
