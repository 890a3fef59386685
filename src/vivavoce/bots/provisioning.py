"""One agent file as a project on each platform: files to import there, or topics for a bot that can be trained.

Every platform gets the same: the topics with their phrases and what the agent replies to the first of them, and the
fallback. Slots and look-ups need code on every platform; they stay with the agent.
"""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.agents import Agent, answer_pairs
from vivavoce.bots.agent import AgentBot
from vivavoce.bots.dialogflow import PLATFORM as DIALOGFLOW
from vivavoce.bots.lex import PLATFORM as LEX
from vivavoce.bots.names import NameRule
from vivavoce.bots.rasa import PIPELINE, write_project
from vivavoce.bots.rasa import PLATFORM as RASA
from vivavoce.bots.training import NewIntent, Progress, Trainable, plan_clean_up, silent
from vivavoce.bots.watson import PLATFORM as WATSON
from vivavoce.errors import UsageError
from vivavoce.records import Guess

Files = Mapping[str, bytes]
_NAMESPACE = uuid.UUID("6f1f7f5e-3a58-4c52-9f0e-5a8a2a4d5c11")
_CLU_NAMES = NameRule(r"[:$&%*()+~#/?]", 50, prefix="")
# What the sample projects of each platform have, and its own documentation gives as the default.
_CLU_VERSION, _DIALOGFLOW_THRESHOLD, _LEX_THRESHOLD = "2022-10-01-preview", 0.3, 0.4


@dataclass(frozen=True)
class Project:
    """What every platform is given."""

    name: str
    language: str
    intents: tuple[NewIntent, ...]
    fallback: tuple[str, ...]


def read_project(agent: Agent, names: NameRule) -> Project:
    """Return an agent as every platform is given it, its topics named by the platform's rule."""
    rule, pairs = replace(names, prefix=""), dict(answer_pairs(agent))
    intents = tuple(
        NewIntent(rule.encode(topic.intent), topic.phrases, tuple(filter(None, (pairs.get(topic.phrases[0]),))))
        for topic in agent.topics
        if topic.phrases
    )
    return Project(agent.name, agent.language, intents, agent.fallback)


async def provision(bot: Trainable, agent: Agent, progress: Progress = silent) -> tuple[int, int]:
    """Replace what vivavoce created on a bot by an agent's topics; return how many were deleted and created.

    A bot with topics that vivavoce did not create is refused, unless its entry allows to delete them.
    """
    project = read_project(agent, NameRule())
    plan = await plan_clean_up(bot)
    if plan.keep:
        raise UsageError(
            f"the bot has {len(plan.keep)} topics that vivavoce did not create, such as '{plan.keep[0].name}'",
            where=bot.facts.name,
            remedy="use an empty bot, or allow their deletion with `training: {erase: yes}` in its entry",
        )
    for old in plan.delete:
        await bot.delete_intent(old)
    for new in project.intents:
        await bot.create_intent(new.written, new.examples, new.replies)
    await bot.train(progress)
    return len(plan.delete), len(project.intents)


class PlatformEngine:
    """A bot on a platform, trained on an agent, that understands for it."""

    forgiving = True
    # What the platform is not sure enough of, it does not guess.
    threshold = 0.0

    def __init__(self, bot: Trainable) -> None:
        self.bot = bot
        self.about = f"{bot.platform.title} ({bot.facts.about})"

    async def understand(self, text: str) -> tuple[Guess, ...]:
        """Return the topics of a message, best first; none where the platform falls back."""
        return await self.bot.classify(text)


class ProvisionedBot(AgentBot):
    """An agent that a platform understands for. Slots, flow and replies are the agent's, as fulfilment is."""

    def __init__(self, bot: Trainable, agent: Agent) -> None:
        super().__init__(bot.facts.name, agent, PlatformEngine(bot))
        self.facts = replace(self.facts, in_process=False, limits=bot.facts.limits)
        self._bot = bot

    async def close(self) -> None:
        """Close the connections to the platform."""
        await self._bot.close()


def export_project(agent: Agent, platform: str) -> Files:
    """Return the files that a platform imports, by their names."""
    if platform not in EXPORTS:
        raise UsageError(
            f"projects for '{platform}' cannot be written", remedy=f"choose one of {', '.join(sorted(EXPORTS))}"
        )
    names, export = EXPORTS[platform]
    return export(read_project(agent, names))


def _export_rasa(project: Project) -> Files:
    import yaml

    whole = write_project(project.intents, project.language[:2], list(PIPELINE), fallback=project.fallback)
    parts = {
        "config.yml": ("recipe", "assistant_id", "language", "pipeline", "policies"),
        "domain.yml": ("version", "intents", "responses", "session_config"),
        "data/nlu.yml": ("version", "nlu"),
        "data/rules.yml": ("version", "rules"),
    }
    files = {
        name: yaml.safe_dump({key: whole[key] for key in keys}, allow_unicode=True, sort_keys=False).encode()
        for name, keys in parts.items()
    }
    return {**files, "credentials.yml": b"rest:\n", "endpoints.yml": b"{}\n"}


def _export_dialogflow(project: Project) -> Files:
    language = project.language[:2]
    files: dict[str, object] = {
        "package.json": {"version": "1.0.0"},
        "agent.json": {
            "description": "",
            "language": language,
            "mlMinConfidence": _DIALOGFLOW_THRESHOLD,
            "supportedLanguages": [],
            "onePlatformApiVersion": "v2",
        },
        "intents/Default Fallback Intent.json": _dialogflow_intent(
            "Default Fallback Intent", project.fallback, language, "input.unknown"
        ),
    }
    for intent in project.intents:
        files[f"intents/{intent.written}.json"] = _dialogflow_intent(intent.written, intent.replies, language)
        files[f"intents/{intent.written}_usersays_{language}.json"] = [
            {
                "id": _id(intent.written, text),
                "data": [{"text": text, "userDefined": False}],
                "isTemplate": False,
                "count": 0,
            }
            for text in intent.examples
        ]
    return {f"{project.name}.zip": _zip(files)}


def _dialogflow_intent(name: str, replies: Sequence[str], language: str, action: str = "") -> dict[str, Any]:
    message = {"type": 0, "lang": language, "speech": list(replies)}
    response = {"resetContexts": False, "action": action, "affectedContexts": [], "parameters": []}
    return {
        "id": _id(name),
        "name": name,
        "auto": not action,
        "contexts": [],
        "responses": [{**response, "messages": [message], "defaultResponsePlatforms": {}, "speech": []}],
        "priority": 500000,
        "webhookUsed": False,
        "webhookForSlotFilling": False,
        "fallbackIntent": bool(action),
        "events": [],
    }


def _export_lex(project: Project) -> Files:
    locale = {"en": "en_US", "de": "de_DE", "fr": "fr_FR", "es": "es_ES"}.get(project.language[:2], "en_US")
    place = f"{project.name}/BotLocales/{locale}"
    files: dict[str, object] = {
        "Manifest.json": {"metaData": {"schemaVersion": "1", "fileFormat": "LexJson", "resourceType": "BOT"}},
        f"{project.name}/Bot.json": {
            "name": project.name,
            "identifier": _id(project.name).replace("-", "")[:10].upper(),
            "version": "DRAFT",
            "description": None,
            "dataPrivacy": {"childDirected": False},
            "idleSessionTTLInSeconds": 300,
        },
        f"{place}/BotLocale.json": {
            "name": locale,
            "identifier": locale,
            "version": None,
            "description": None,
            "voiceSettings": None,
            "nluConfidenceThreshold": _LEX_THRESHOLD,
        },
    }
    fallback = NewIntent("FallbackIntent", (), project.fallback)
    for intent, signature in (*((each, None) for each in project.intents), (fallback, "AMAZON.FallbackIntent")):
        # Braces would name a slot.
        texts = [text.replace("{", "(").replace("}", ")") for text in intent.examples]
        files[f"{place}/Intents/{intent.written}/Intent.json"] = {
            "name": intent.written,
            "identifier": _id(intent.written).replace("-", "")[:10].upper() if not signature else "FALLBCKINT",
            "description": None,
            "parentIntentSignature": signature,
            "sampleUtterances": [{"utterance": text} for text in texts] or None,
            "intentClosingSetting": {"isActive": True, "closingResponse": _lex_messages(intent.replies)},
            "slotPriorities": [],
        }
    return {f"{project.name}.zip": _zip(files)}


def _lex_messages(replies: Sequence[str]) -> dict[str, Any] | None:
    groups = [{"message": {"plainTextMessage": {"value": text[:1024]}}, "variations": []} for text in replies[:5]]
    return {"messageGroupsList": groups, "allowInterrupt": True} if groups else None


def _export_clu(project: Project) -> Files:
    language = {"en": "en-us"}.get(project.language[:2], project.language[:2])
    rows = [
        {"text": text[:500], "language": language, "intent": intent.written, "entities": [], "dataset": "Train"}
        for intent in project.intents
        for text in intent.examples
    ]
    return {
        f"{project.name}.json": _json(
            {
                "projectFileVersion": _CLU_VERSION,
                "stringIndexType": "Utf16CodeUnit",
                "metadata": {
                    "projectKind": "Conversation",
                    "settings": {"confidenceThreshold": 0.5},
                    "projectName": project.name,
                    "multilingual": False,
                    "description": "",
                    "language": language,
                },
                "assets": {
                    "projectKind": "Conversation",
                    "intents": [{"category": name} for name in ("None", *(each.written for each in project.intents))],
                    "entities": [],
                    "utterances": rows,
                },
            }
        )
    }


def _export_watson(project: Project) -> Files:
    nodes: list[dict[str, Any]] = []
    conditions = [(f"#{each.written}", each.replies) for each in project.intents] + [
        ("anything_else", project.fallback)
    ]
    for place, (condition, replies) in enumerate(conditions):
        values = [{"text": text} for text in replies or (condition.removeprefix("#"),)]
        nodes.append(
            {
                "type": "standard",
                "title": condition,
                "dialog_node": f"node_{place}",
                "previous_sibling": f"node_{place - 1}" if place else None,
                "conditions": condition,
                "output": {
                    "generic": [{"response_type": "text", "values": values, "selection_policy": "sequential"}]
                },
            }
        )
    intents = [
        {"intent": each.written, "examples": [{"text": text} for text in each.examples], "description": ""}
        for each in project.intents
    ]
    workspace = {"name": project.name, "language": project.language[:2], "intents": intents, "entities": []}
    more = {"metadata": {"api_version": {"major_version": "v2", "minor_version": "2018-11-08"}}}
    return {
        f"{project.name}.json": _json(
            {**workspace, "dialog_nodes": nodes, "counterexamples": [], **more, "description": ""}
        )
    }


def _export_nlpjs(project: Project) -> Files:
    language = project.language[:2]
    data = [
        {"intent": each.written, "utterances": list(each.examples), "answers": list(each.replies)}
        for each in project.intents
    ]
    data.append({"intent": "None", "utterances": [], "answers": list(project.fallback)})
    corpus = {"name": project.name, "locale": {"en": "en-US"}.get(language, language), "data": data}
    return {f"{project.name}.json": _json(corpus)}


EXPORTS: Mapping[str, tuple[NameRule, Callable[[Project], Files]]] = {
    "rasa": (RASA.names, _export_rasa),
    "dialogflow": (DIALOGFLOW.names, _export_dialogflow),
    "lex": (LEX.names, _export_lex),
    "clu": (_CLU_NAMES, _export_clu),
    "watson": (WATSON.names, _export_watson),
    "nlpjs": (NameRule(prefix=""), _export_nlpjs),
}


def _id(*names: str) -> str:
    """Return an identifier that is the same for the same names, so that two exports are equal."""
    return str(uuid.uuid5(_NAMESPACE, "/".join(names)))


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def _zip(files: Mapping[str, object]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), _json(value))
    return packed.getvalue()
