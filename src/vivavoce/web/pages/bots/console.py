"""The console beside the form of a bot: a message, the JSON that came back, and what vivavoce reads in it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from vivavoce.bots import runs_programs
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.access.bot_rules import BotRules, Entry
from vivavoce.workspace.bots import console

_ROLES: Mapping[str, str] = dict(
    zip(
        console.ROLES,
        (gettext_noop("Reply"), gettext_noop("Topic"), gettext_noop("Confidence"), gettext_noop("Not understood")),
        strict=True,
    )
)
_ENGINES = {"nlpjs": "nlp.js", "rivescript": "RiveScript", "chatterbot": "ChatterBot"}


def show_console(visit: Visit, attempt: console.Attempt | None, entry: Entry, message: str, role: str) -> View:
    """Return what the console shows of an attempt; nothing before the first."""
    words = visit.words
    raw = json.dumps(attempt.raw, ensure_ascii=False) if attempt and attempt.raw is not None else ""
    return View(
        message=Field("message", words.gettext("Message"), "textarea", message, rows=2, most=2_000),
        tried=attempt is not None,
        trouble=attempt.trouble if attempt else "",
        reads=_list_readings(words, attempt) if attempt else (),
        lines=console.list_lines(attempt.raw) if raw and attempt else (),
        raw=raw if len(raw) <= console.MAX_RAW else "",
        picks=bool(raw) and len(raw) <= console.MAX_RAW and console.can_pick(entry),
        roles=[(name, words.gettext(title), name == role) for name, title in _ROLES.items()],
    )


def _list_readings(words: Words, attempt: console.Attempt) -> list[tuple[str, str]]:
    """Return what was read in an answer, each with what it is."""
    rows = [(words.gettext("Greeting"), attempt.greeting)]
    reply = attempt.reply
    if reply is not None:
        yes, no = words.gettext("yes"), words.gettext("no")
        rows += [
            (words.gettext("Reply"), reply.text),
            (words.gettext("Topic"), reply.intent or ""),
            (words.gettext("Confidence"), "" if reply.confidence is None else f"{reply.confidence:g}"),
            (words.gettext("Not understood"), {True: yes, False: no, None: ""}[reply.fallback]),
            (words.gettext("Slots"), ", ".join(f"{name}: {value}" for name, value in reply.slots.items())),
            (words.gettext("Buttons"), ", ".join(reply.buttons)),
            (words.gettext("Actions"), ", ".join(map(str, reply.actions))),
        ]
    return [(title, text) for title, text in rows if text]


def engines_here(rules: BotRules) -> list[tuple[str, str]]:
    """Return the engines that this server may start, with their names."""
    return [
        (engine, _ENGINES[engine])
        for engine in console.ENGINES
        if rules.bot_programs or not runs_programs(engine, {"kind": engine, "agent": "recruiting"})
    ]
