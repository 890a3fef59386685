"""Several suites as one plan: every conversation keeps the rules of its suite, and a bot the agent of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from vivavoce.bots.protocol import Bot, BotFacts, Conversation, Fallback
from vivavoce.conversations.scenario import FallbackRule, Plan, Script, Suite, SuiteRules
from vivavoce.conversations.scenarios.expansion import expand, hash_content, refuse_unknown, select_scenarios
from vivavoce.errors import UsageError
from vivavoce.messages import say

# Between the name of a suite and that of a scenario that another suite has too.
APART = ": "


def join_plans(plans: Sequence[Plan]) -> Plan:
    """Return the plan of several suites, as it is where there is only one.

    Names that several suites have are preceded by the name of the suite.
    """
    if len(plans) == 1:
        return plans[0]
    counts = Counter(name for plan in plans for name in {script.scenario for script in plan.scripts})
    shared = {name for name, count in counts.items() if count > 1}
    scripts = tuple(script for plan in plans for script in _name_apart(plan, shared))
    return Plan(
        " + ".join(plan.suite for plan in plans),
        ", ".join(dict.fromkeys(plan.language for plan in plans)),
        scripts,
        notice="\n".join(dict.fromkeys(plan.notice for plan in plans if plan.notice)),
        hash=hash_content([plan.hash for plan in plans]),
        rules={plan.suite: SuiteRules(plan.defaults, plan.fallback) for plan in plans},
        fallback=FallbackRule(
            _join(plan.fallback.intents for plan in plans), _join(plan.fallback.replies for plan in plans)
        ),
    )


def name_domain(suite: Suite) -> Suite:
    """Return a suite among several: scenarios without a domain are told from the others by its name."""
    scenarios = tuple(replace(scenario, domain=scenario.domain or suite.name) for scenario in suite.scenarios)
    return replace(suite, scenarios=scenarios)


def expand_suites(suites: Sequence[Suite], *, seed: int = 0, **chosen: Sequence[str]) -> Plan:
    """Return the conversations of several suites as one plan; `chosen` are the choices that `expand` takes.

    Each suite must contribute some, and each choice must be known to one of the suites.
    """
    if len(suites) == 1:
        return expand(suites[0], seed=seed, **chosen)  # type: ignore[arg-type]
    twice = [name for name, count in Counter(suite.name for suite in suites).items() if count > 1]
    if twice:
        raise UsageError(say("two suites have the name '{name}'", name=twice[0]), remedy=say("name each suite once"))
    named = [name_domain(suite) for suite in suites]
    refuse_unknown(named, chosen)
    plans = []
    for suite in named:
        scenarios = [scenario.id for scenario in select_scenarios(suite, chosen)]
        if not scenarios:
            raise UsageError(
                say("no scenario of '{suite}' is chosen", suite=suite.name),
                remedy=say("choose one of its domains and levels too, or leave the suite out"),
            )
        plans.append(expand(suite, scenarios=scenarios, seed=seed))
    return join_plans(plans)


class JoinedBot:
    """A bot that is another one in each suite, because it is made of the agent of the suite."""

    def __init__(self, by_suite: Mapping[str, Bot]) -> None:
        self.by_suite = by_suite
        self.facts = join_facts([bot.facts for bot in by_suite.values()])

    async def open(self, session: str) -> Conversation:
        """Begin a conversation as in the first suite."""
        return await next(iter(self.by_suite.values())).open(session)

    async def close(self) -> None:
        """Close the bot of each suite."""
        for bot in self.by_suite.values():
            await bot.close()


def find_own_name(suite: str, scenario: str) -> str:
    """Return what a scenario of a plan of several suites is called in its suite."""
    return scenario.removeprefix(f"{suite}{APART}")


def join_facts(facts: Sequence[BotFacts]) -> BotFacts:
    """Return what is known about a bot that was built once for each suite, from its agent."""
    first = facts[0]
    if all(other == first for other in facts):
        return first
    fallbacks = [bot.fallback for bot in facts]
    phrases = [bot.phrases for bot in facts if bot.phrases is not None]
    topics = {topic: _join(own.get(topic, ()) for own in phrases) for topic in _join(phrases)}
    return replace(
        first,
        about="; ".join(dict.fromkeys(bot.about for bot in facts)),
        reports_intent=all(bot.reports_intent for bot in facts),
        reports_actions=all(bot.reports_actions for bot in facts),
        fallback=Fallback(
            _join(fallback.intents for fallback in fallbacks),
            _join(fallback.replies for fallback in fallbacks),
            fallbacks[0].threshold,
        ),
        intents=_join_known([bot.intents for bot in facts]),
        slots=_join_known([bot.slots for bot in facts]),
        phrases=topics if len(phrases) == len(facts) else None,
    )


def _name_apart(plan: Plan, shared: set[str]) -> Iterable[Script]:
    renamed = {script.id: f"{plan.suite}{APART}{script.id}" for script in plan.scripts if script.scenario in shared}
    for script in plan.scripts:
        prefix = f"{plan.suite}{APART}" if script.scenario in shared else ""
        yield replace(
            script,
            id=prefix + script.id,
            scenario=prefix + script.scenario,
            turns=tuple(
                replace(turn, twin=(renamed.get(turn.twin[0], turn.twin[0]), turn.twin[1])) if turn.twin else turn
                for turn in script.turns
            ),
            suite=plan.suite,
        )


def _join(names: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in names for name in each))


def _join_known(names: Sequence[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return all names; None where those of one are not known."""
    known = [each for each in names if each is not None]
    return _join(known) if len(known) == len(names) else None
