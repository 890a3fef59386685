"""Help while a scenario is written: topics to choose from, answers to try, misspelt copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vivavoce.conversations import Scenario, Suite, add_typos, match_reply
from vivavoce.conversations.judging.evidence import accepting_pattern
from vivavoce.conversations.scenario import Expectation, Kind, Step, Turn
from vivavoce.conversations.scenarios.twins import protected
from vivavoce.errors import Fault, UsageError, VivaError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, SuiteRow
from vivavoce.text.typos import misspell


@dataclass(frozen=True, slots=True)
class OfferedTopic:
    """A topic and up to two phrases that visitors write about it."""

    name: str
    phrases: tuple[str, ...]


_OFFERED: Kept[tuple[OfferedTopic, ...]] = Kept(8)


def offered_topics(store: Store, project: Project, suite: SuiteRow) -> tuple[OfferedTopic, ...]:
    """Return the topics that can be chosen, by name."""
    with store.reading() as tx:
        key = (project.id, tx.edits.state(project.id), suite.agent)

        def read() -> tuple[OfferedTopic, ...]:
            from vivavoce.agents import read_agent

            of_agent = read_agent(suite.agent).topics if suite.agent is not None else ()
            topics = {topic.intent: OfferedTopic(topic.intent, topic.phrases[:2]) for topic in of_agent}
            topics |= {name: OfferedTopic(name, phrases) for name, phrases in tx.topics.phrases(project.id).items()}
            return tuple(sorted(topics.values(), key=lambda topic: topic.name.casefold()))

        return _OFFERED.get(key, read)


@dataclass(frozen=True, slots=True)
class Trial:
    """One expected text and what came of it. `rule`: any, all or none, as the scenario says."""

    rule: str
    text: str
    passed: bool
    why: str


@dataclass(frozen=True, slots=True)
class Tried:
    """All expected texts of a turn; `passed` None: none is expected, so that the words do not matter."""

    trials: tuple[Trial, ...]
    passed: bool | None


def try_answer(suite: Suite, scenario: Scenario, expect: Expectation, answer: str) -> Tried:
    """Hold an answer against the texts that a turn expects; lines are bubbles."""
    values: Mapping[str, str] = suite.rows.get(scenario.rows[0], {}) if scenario.rows else {}
    texts = [line for line in answer.splitlines() if line.strip()]
    trials: list[Trial] = []
    for rule, patterns in (("any", expect.any), ("all", expect.all), ("none", expect.none)):
        for pattern in patterns:
            match = match_reply(pattern, texts, default=suite.defaults.match, values=values)
            trials.append(Trial(rule, pattern.text, match.passed is not (rule == "none"), match.why))
    whole = (" ".join(texts),)
    for text in expect.accepted:
        match = match_reply(accepting_pattern(text), whole, default=suite.defaults.match, values=values)
        if match.passed:
            return Tried((Trial("accepted", text, True, say("this reply was accepted")),), True)
    if not trials:
        return Tried((), None)
    chosen = [trial.passed for trial in trials if trial.rule == "any"]
    others = [trial.passed for trial in trials if trial.rule != "any"]
    return Tried(tuple(trials), (any(chosen) or not chosen) and all(others))


UNCOUNTED = Expectation(counted=False)


def suggest_typo(suite: Suite, step: Step, *, seed: int = 0) -> str:
    """Return a message with typing mistakes, unlike those of other seeds; UsageError where nothing can be misspelt.

    What must stay as it is (values of slots, of rows and of lists) stays.
    """
    if not isinstance(step, Turn) or not isinstance(step.user, str) or not step.user.strip():
        raise UsageError(say("only typed messages can be misspelt"), remedy=say("choose another turn"))
    expect = step.expect
    if not expect.counted or expect.fallback or expect.same or step.kind is not Kind.CLEAN:
        raise UsageError(
            say("the correctly spelt message must expect something first"),
            remedy=say("enter what the bot should understand or reply"),
        )
    layout = "qwertz" if suite.language.lower().startswith("de") else "qwerty"
    misspelt = misspell(step.user, seed=seed, layout=layout, protect=protected(suite, step))
    if not misspelt.edits:
        raise UsageError(say("no letter in this message can be changed"), remedy=say("choose another turn"))
    return misspelt.text


def with_twins(suite: Suite, scenario: Scenario, texts: Mapping[int, str]) -> tuple[Scenario, tuple[Scenario, ...]]:
    """Return a scenario whose chosen turns can be named, and the copy of it in which they are misspelt.

    `texts`: the misspelt messages by the place of their clean turn. The other turns of the copy only lead up to
    them and are not counted a second time. Without texts there is no copy.
    """
    wanted = {at: text for at, text in texts.items() if text.strip()}
    if not wanted:
        return scenario, ()
    turns = tuple(
        step if at in wanted or not isinstance(step, Turn) else replace(step, expect=UNCOUNTED)
        for at, step in enumerate(scenario.turns)
    )
    alone = replace(suite, scenarios=(replace(scenario, turns=turns),))
    try:
        grown, _ = add_typos(alone, share=1.0)
    except VivaError as error:
        fault = Fault(
            say("cannot create a misspelt version: {what}", what=error.what),
            say("turn {wanted}", wanted=min(wanted) + 1),
        )
        raise UsageError(say("the scenario cannot be saved"), faults=[fault], remedy=error.remedy) from error
    named, copy = grown.scenarios
    # The turns keep the ids that they were given, so that twins can name them.
    with_ids = tuple(
        replace(step, id=other.id) if isinstance(step, Turn) and isinstance(other, Turn) else step
        for step, other in zip(scenario.turns, named.turns, strict=True)
    )
    return replace(scenario, turns=with_ids), (_fill(suite, named, copy, wanted),)


def _fill(suite: Suite, named: Scenario, copy: Scenario, texts: Mapping[int, str]) -> Scenario:
    """Return the copy with the messages as the person wants them, under a name that is free."""
    ids = {at: step.id for at, step in enumerate(named.turns) if isinstance(step, Turn)}
    wanted = {f"{named.id}/{ids.get(at, '')}": text for at, text in texts.items() if at < len(named.turns)}
    turns = tuple(
        replace(step, user=wanted[step.twin_of]) if isinstance(step, Turn) and step.twin_of in wanted else step
        for step in copy.turns
    )
    taken = {scenario.id for scenario in suite.scenarios}
    name, number = copy.id, 2
    while name in taken:
        name, number = f"{copy.id}{number}", number + 1
    return replace(copy, id=name, turns=turns)
