"""Misspelt versions of single messages: suggested, shown, and added as a copy of the scenario beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vivavoce.conversations import Scenario, Suite, add_typos
from vivavoce.conversations.scenario import Expectation, Kind, Step, Turn
from vivavoce.conversations.scenarios.twins import protected
from vivavoce.errors import Fault, UsageError, VivaError
from vivavoce.text.typos import misspell

UNCOUNTED = Expectation(counted=False)


def suggest_typo(suite: Suite, step: Step, *, seed: int = 0) -> str:
    """Return a message with typing mistakes, unlike those of other seeds; UsageError where nothing can be misspelt.

    What must stay as it is (values of slots, of rows and of lists) stays.
    """
    if not isinstance(step, Turn) or not isinstance(step.user, str) or not step.user.strip():
        raise UsageError("only a message that is typed can be misspelt", remedy="choose another turn")
    expect = step.expect
    if not expect.counted or expect.fallback or expect.same or step.kind is not Kind.CLEAN:
        raise UsageError(
            "a misspelt version needs something that the clean message expects",
            remedy="say first what the bot should understand or answer",
        )
    layout = "qwertz" if suite.language.lower().startswith("de") else "qwerty"
    found = misspell(step.user, seed=seed, layout=layout, protect=protected(suite, step))
    if not found.edits:
        raise UsageError("there is no letter in this message that may be changed", remedy="choose another turn")
    return found.text


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
        fault = Fault(f"no misspelt version can be made: {error.what}", f"turn {min(wanted) + 1}")
        raise UsageError("the scenario cannot be saved", faults=[fault], remedy=error.remedy) from error
    named, copy = grown.scenarios
    return _with_ids(scenario, named), (_filled(suite, named, copy, wanted),)


def _with_ids(scenario: Scenario, named: Scenario) -> Scenario:
    """Return the scenario with the ids that its turns were given, so that twins can name them."""
    pairs = zip(scenario.turns, named.turns, strict=True)
    turns = tuple(
        replace(step, id=other.id) if isinstance(step, Turn) and isinstance(other, Turn) else step
        for step, other in pairs
    )
    return replace(scenario, turns=turns)


def _filled(suite: Suite, named: Scenario, copy: Scenario, texts: Mapping[int, str]) -> Scenario:
    """Return the copy with the messages as the person wants them, under a name that is free."""
    ids = {at: step.id for at, step in enumerate(named.turns) if isinstance(step, Turn)}
    wanted = {f"{named.id}/{ids.get(at, '')}": text for at, text in texts.items() if at < len(named.turns)}
    turns = tuple(
        replace(step, user=wanted[step.twin_of]) if isinstance(step, Turn) and step.twin_of in wanted else step
        for step in copy.turns
    )
    taken = {one.id for one in suite.scenarios}
    name, number = copy.id, 2
    while name in taken:
        name, number = f"{copy.id}{number}", number + 1
    return replace(copy, id=name, turns=turns)
