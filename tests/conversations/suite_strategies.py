"""Suites made up by chance, for the tests of the forms in which they are written."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from vivavoce.conversations.scenario import (
    LEVELS,
    Button,
    Defaults,
    Expectation,
    FallbackRule,
    Include,
    Kind,
    Match,
    OnMismatch,
    Pattern,
    Phrase,
    Scenario,
    Step,
    Suite,
    Turn,
)

ODD = [
    "yes",
    "no",
    "on",
    "9:30",
    "007",
    "2023-06-22",
    "~",
    "null",
    "1e3",
    "=1+1",
    "-5",
    "@me",
    "'=x",
    "a|b",
    "a\\|b",
    "x: y",
]
CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], include_characters="\n\t")
texts = st.text(CHARACTERS, max_size=20) | st.sampled_from(ODD)
names = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True) | st.sampled_from(["yes", "007", "über-1", "any"])
shares = st.floats(0, 1) | st.none()
amounts = st.integers(0, 10_000).map(float) | st.floats(0, 1e6) | st.none()
maps = st.dictionaries(names, texts, max_size=2)
name_lists = st.lists(names, max_size=2).map(tuple)
patterns = st.builds(Pattern, texts, st.none() | st.sampled_from(Match), shares)
pattern_lists = st.lists(patterns, max_size=3).map(tuple)
values = st.recursive(
    texts, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2), max_leaves=4
)
extras = st.dictionaries(names.map("x-{}".format), values, max_size=1)
expectations = st.builds(
    Expectation,
    counted=st.booleans(),
    fallback=st.booleans(),
    same=st.booleans(),
    intents=name_lists,
    min_confidence=shares,
    margin_over=shares,
    any=pattern_lists,
    all=pattern_lists,
    none=pattern_lists,
    order_any=st.booleans(),
    slots=maps,
    slots_after=maps,
    slot_names=name_lists,
    slot_values=st.lists(texts, max_size=2).map(tuple),
    buttons=name_lists,
    cards=name_lists,
    media=name_lists,
    action=st.none() | names,
    within_ms=amounts,
    answered=st.booleans(),
    optional=st.booleans(),
    extras=extras,
    accepted=st.lists(texts, max_size=2).map(tuple),
)
short_expectations = st.sampled_from(
    [Expectation(counted=False), Expectation(fallback=True), Expectation(same=True), Expectation()]
) | names.map(lambda name: Expectation(intents=(name,)))
said = texts | st.builds(Button, texts) | st.builds(Phrase, names, st.none() | st.integers(1, 9))
turns = st.builds(
    Turn,
    user=said,
    expect=short_expectations | expectations,
    id=st.just("") | names,
    kind=st.sampled_from(Kind),
    twin_of=st.none() | names,
    save=st.dictionaries(names, patterns, max_size=1),
    wait_s=amounts,
    pause_ms=amounts,
    note=texts,
    extras=extras,
)
steps = turns | st.builds(Include, names)
scenarios = st.builds(
    Scenario,
    id=names,
    level=st.sampled_from([*LEVELS, "expert"]),
    turns=st.lists(steps, max_size=3).map(tuple),
    title=texts,
    domain=st.just("") | names,
    tags=name_lists,
    rows=name_lists,
    on_mismatch=st.none() | st.sampled_from(OnMismatch),
    setup_slots=maps,
    note=texts,
    extras=extras,
)
suites = st.builds(
    Suite,
    name=names,
    scenarios=st.lists(scenarios, min_size=1, max_size=3, unique_by=lambda one: one.id).map(tuple),
    language=st.sampled_from(["en", "de"]),
    title=texts,
    notice=texts,
    agent=st.none() | names,
    defaults=st.builds(Defaults, st.sampled_from(Match), st.sampled_from(OnMismatch), amounts, amounts),
    fallback=st.builds(FallbackRule, name_lists, name_lists),
    lists=st.dictionaries(names, st.lists(texts, max_size=2).map(tuple), max_size=2),
    rows=st.dictionaries(
        names, st.dictionaries(names.filter(lambda name: name != "id"), texts, max_size=2), max_size=2
    ),
    parts=st.dictionaries(names, st.lists(steps, max_size=2).map(tuple), max_size=2),
    levels=st.just((*LEVELS, "expert")),
    extras=extras,
)


def bare(suite: Suite) -> Suite:
    """Return a suite without what depends on where it was written: lines, source and remarks."""
    return replace(
        suite,
        scenarios=tuple(replace(one, turns=_bare_steps(one.turns), line=None) for one in suite.scenarios),
        parts={name: _bare_steps(part) for name, part in suite.parts.items()},
        source="memory",
        notes=(),
    )


def _bare_steps(given: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(replace(step, line=None) if isinstance(step, Turn) else step for step in given)
