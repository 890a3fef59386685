"""Rasa 3: replies over the REST channel, what was understood and done from the tracker, training over its API."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts, flag
from vivavoce.bots.guard import Request, check_address, shown_address
from vivavoce.bots.names import NameRule
from vivavoce.bots.platform import Platform, PlatformError, Trouble
from vivavoce.bots.platform_entry import (
    TRAINING_OPTIONS,
    fill_from_environment,
    read_platform_entry,
    require_keys,
    secret_option,
    shown_option,
)
from vivavoce.bots.protocol import BotContext, BotFacts, Limits, Nature
from vivavoce.bots.redaction import variables_of
from vivavoce.bots.shapes import read_reply, read_slots
from vivavoce.bots.training import NewIntent, Progress, RemoteIntent, TrainableBot
from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Guess, Reply

URL, TOKEN = "RASA_URL", "RASA_TOKEN"
LIMITS = Limits(at_once=4, timeout_s=60.0)
FALLBACKS = ("nlu_fallback", "out_of_scope_fallback")
FALLBACK_ACTION = "action_default_fallback"
# What every turn does, and slots that are Rasa's own.
_ROUTINE = frozenset({"action_listen", "action_session_start", "action_extract_slots", "action_deactivate_loop"})
_INTERNAL = frozenset({"requested_slot", "session_started_metadata"})
# Where the examples of a topic are kept in the bot itself, so that another process can add to them.
_KEPT = "vivavoce_examples"
PIPELINE = (
    {"name": "WhitespaceTokenizer"},
    {"name": "CountVectorsFeaturizer"},
    {"name": "CountVectorsFeaturizer", "analyzer": "char_wb", "min_ngram": 1, "max_ngram": 4},
    {"name": "LogisticRegressionClassifier"},
    {"name": "FallbackClassifier", "threshold": 0.3},
)
PLATFORM = Platform(
    "Rasa",
    credentials=TOKEN,
    rights=say("the token that the server was started with (`--auth-token`)"),
    place="url",
    # A slash marks a retrieval intent.
    names=NameRule(refused=r"[/\s:{}\[\]\"'#&*!|>%@`,]", longest=200),
    # One call trains, which may take minutes.
    edits=Limits(at_once=1, timeout_s=3600.0, retries=3),
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option("url", say("Address"), say("For example http://localhost:5005"), type="address", required=True),
        secret_option("token", say("Token variable"), TOKEN),
        shown_option(
            "tracker",
            say("Read the tracker?"),
            say("Read topic, slots and actions from the tracker; Rasa must run with --enable-api."),
            type="flag",
            default="yes",
        ),
        BotOption("language", default="en"),
        BotOption("pipeline", "json"),
        *TRAINING_OPTIONS,
    ),
    option="url",
    limits=LIMITS,
    title="Rasa",
    position=16,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> RasaBot:
    """Rasa; option: address of its server."""
    entry = read_platform_entry(option, "url", context, url=URL)
    require_keys(context.name, entry, {"url": URL})
    url = str(entry["url"])
    if not variables_of(url):
        check_address(url, where=context.name)
    fill_from_environment(entry, {"token": TOKEN})
    pipeline = entry.get("pipeline")
    try:
        entry["pipeline"] = json.loads(pipeline) if isinstance(pipeline, str) else pipeline or list(PIPELINE)
    except ValueError as error:
        raise UsageError(f"pipeline: {error}", where=context.name, remedy=say("write a list in JSON")) from error
    tells = flag(entry.get("tracker", "yes"))
    facts = BotFacts(
        context.name,
        f"Rasa at {shown_address(url)}",
        reports_intent=tells,
        reports_actions=tells,
        nature=Nature.NLU,
        limits=LIMITS,
    )
    return RasaBot(entry, entry_facts(context, facts))


classifier = classifier_of("rasa", PLATFORM.title, "an address")


class RasaBot(TrainableBot):
    """A bot on a Rasa server."""

    platform = PLATFORM
    _model = ""

    def address(self, path: str, **query: str) -> str:
        """Return the address of a path on the server."""
        return f"{str(self.entry['url']).rstrip('/')}{path}{f'?{urlencode(query)}' if query else ''}"

    async def authorize(self, request: Request) -> Request:
        """Return the request with the token of the server, which Rasa takes in the address."""
        token = self.entry.get("token")
        if not token:
            return request
        mark = "&" if "?" in request.url else "?"
        return replace(request, url=f"{request.url}{mark}{urlencode({'token': token})}")

    # Talking

    async def reply(self, session: str, text: str) -> Reply:
        """Send a message of a conversation and read the reply, and what the tracker says of it."""
        began = time.perf_counter()
        body = {"sender": session, "message": text}
        bubbles = await self.call("POST", self.address("/webhooks/rest/webhook"), body)
        seconds = time.perf_counter() - began
        reply = read_reply(bubbles if isinstance(bubbles, list) else [])
        if self.facts.reports_intent or self.facts.reports_actions:
            reply = self._understand(reply, bubbles, await self._fetch_tracker(session))
        return replace(reply, seconds=seconds)

    async def _fetch_tracker(self, session: str) -> Any:
        path = f"/conversations/{quote(session, safe='')}/tracker"
        try:
            return await self.call("GET", self.address(path, include_events="AFTER_RESTART"))
        except PlatformError as error:
            if error.trouble != Trouble.MISSING:
                raise
            what = say("the tracker cannot be read")
            remedy = say("start Rasa with --enable-api, or set `tracker: no`")
            raise self.failure(what, trouble=Trouble.MISSING, remedy=remedy) from None

    def _understand(self, reply: Reply, bubbles: object, tracker: Any) -> Reply:
        """Return the reply with what the tracker says of this message."""
        latest = tracker.get("latest_message") or {}
        events = tracker.get("events") or []
        last = max((n for n, event in enumerate(events) if event.get("event") == "user"), default=-1)
        done = [str(e.get("name")) for e in events[last + 1 :] if e.get("event") == "action" and e.get("name")]
        intent, ranking = latest.get("intent") or {}, self._rank(latest)
        fell_back = intent.get("name") in FALLBACKS or FALLBACK_ACTION in done
        named = bool(intent.get("name")) and not fell_back
        entities = {e.get("entity"): e.get("value") for e in latest.get("entities") or [] if e.get("entity")}
        slots = {name: value for name, value in (tracker.get("slots") or {}).items() if name not in _INTERNAL}
        return replace(
            reply,
            intent=self.topic(str(intent["name"])) if named else None,
            confidence=intent.get("confidence") if named else None,
            slots=read_slots(entities) | read_slots({k: v for k, v in slots.items() if v is not None and v != []}),
            fallback=fell_back,
            guess=ranking[0] if fell_back and ranking else None,
            actions=tuple(Action(name) for name in done if name not in _ROUTINE),
            raw={"messages": bubbles, "latest_message": latest, "slots": slots, "actions": done},
        )

    def _rank(self, parsed: Mapping[str, Any]) -> tuple[Guess, ...]:
        rows = parsed.get("intent_ranking") or []
        return tuple(
            Guess(self.topic(row["name"]), row["confidence"]) for row in rows if row["name"] not in FALLBACKS
        )

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the intents of a message, best first; no conversation is touched."""
        parsed = await self.call("POST", self.address("/model/parse"), {"text": text})
        intent = (parsed.get("intent") or {}).get("name")
        return () if not intent or intent in FALLBACKS else self._rank(parsed)

    def find_trouble(self, answer: Any, payload: object) -> tuple[str, str]:
        """Return the trouble of an error and what Rasa says about it."""
        trouble, detail = super().find_trouble(answer, payload)
        reason = str(payload.get("reason", "")) if isinstance(payload, Mapping) else ""
        return (Trouble.NOT_TRAINED, detail) if answer.code == 409 and reason == "Conflict" else (trouble, detail)

    # Training: a new model of all topics, which the server then loads

    async def _fetch_domain(self) -> Mapping[str, Any]:
        try:
            domain = await self.call("GET", self.address("/domain"))
        except PlatformError as error:
            # No model is loaded.
            if error.trouble not in (Trouble.NOT_TRAINED, Trouble.EXISTS):
                raise
            return {}
        return domain if isinstance(domain, Mapping) else {}

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents of the loaded model, but for Rasa's own."""
        names = [
            name if isinstance(name, str) else next(iter(name))
            for name in (await self._fetch_domain()).get("intents", ())
        ]
        # Rasa adds intents of its own to every domain.
        usual = {"back", "restart", "session_start", "nlu_fallback", "out_of_scope"}
        return [self.remote(name, name) for name in names if name not in usual]

    async def apply(self, progress: Progress) -> None:
        """Train a model of all topics; the one in use stays until this is done."""
        topics = await self.patiently(self._collect)
        progress("training", 0, len(topics))
        self._model = await self.patiently(partial(self._train, topics)) if topics else ""

    async def _collect(self) -> list[NewIntent]:
        """Return all topics that the next model has, those of before with the examples that the domain keeps."""
        domain = await self._fetch_domain()
        topics: list[NewIntent] = []
        for intent in await self.fetch_intents():
            if intent.id in self._deleting or intent.name in self._creating:
                continue
            responses = (domain.get("responses") or {}).get(f"utter_{intent.id}") or [{}]
            examples = (responses[0].get("metadata") or {}).get(_KEPT)
            if not examples:
                raise self.failure(
                    say("vivavoce does not know the examples of the topic '{name}'", name=intent.name),
                    trouble=Trouble.FOREIGN,
                    remedy=say("give all topics at once, or use an empty Rasa project"),
                )
            texts = tuple(str(response.get("text", "")) for response in responses)
            topics.append(NewIntent(intent.id, tuple(examples), texts))
        return [*topics, *self._creating.values()]

    async def _train(self, topics: Sequence[NewIntent]) -> str:
        """Train a model and return the name of its file."""
        import yaml

        project = write_project(topics, str(self.entry.get("language") or "en"), self.entry["pipeline"])
        headers = {"Content-Type": "application/yaml", "Accept": "application/json"}
        # Not as JSON, which Rasa takes for a file of another platform.
        written = yaml.safe_dump(project, allow_unicode=True, sort_keys=False).encode()
        request = Request("POST", self.address("/model/train"), headers, written)
        answer = await self.requests.exchange(await self.authorize(request), skips_body=True)
        if not 200 <= answer.code < 300:
            raise self.refusal(answer)
        name = answer.headers.get("filename", "")
        if not name:
            raise self.failure(say("Rasa did not say which model it trained"), trouble=Trouble.FAILED)
        return name

    async def start_training(self) -> object:
        """Load the model that was trained; none where there are no topics."""
        if self._model:
            await self.call("PUT", self.address("/model"), {"model_file": f"models/{self._model}"})
        else:
            await self.call("DELETE", self.address("/model"))
        return self._model

    async def is_ready(self, job: object) -> bool:
        """Tell whether the model is in use."""
        if not job:
            return True
        status = await self.call("GET", self.address("/status"))
        return str(status.get("model_file", "")).endswith(str(job)) and not status.get("num_active_training_jobs")


def write_project(
    intents: Sequence[NewIntent], language: str, pipeline: object, *, fallback: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a whole Rasa project: each topic with its examples, a reply and the rule that says it."""
    responses: dict[str, Any] = {}
    rules = []
    for intent in intents:
        replies = intent.replies or (PLATFORM.names.decode(intent.written),)
        rows: list[dict[str, Any]] = [{"text": text} for text in replies]
        rows[0]["metadata"] = {_KEPT: list(intent.examples)}
        responses[f"utter_{intent.written}"] = rows
        rules.append(_write_rule(intent.written, f"utter_{intent.written}"))
    responses["utter_viva_fallback"] = [{"text": text} for text in fallback or ("Sorry, I did not understand that.",)]
    rules.append(_write_rule("nlu_fallback", "utter_viva_fallback"))
    return {
        "version": "3.1",
        "recipe": "default.v1",
        "assistant_id": "vivavoce",
        "language": language,
        "pipeline": pipeline,
        "policies": [{"name": "RulePolicy"}],
        "intents": [intent.written for intent in intents],
        "nlu": [
            {"intent": intent.written, "examples": "".join(f"- {_write_example(text)}\n" for text in intent.examples)}
            for intent in intents
        ],
        "responses": responses,
        "rules": rules,
        "session_config": {"session_expiration_time": 60, "carry_over_slots_to_new_session": False},
    }


def _write_rule(intent: str, action: str) -> dict[str, Any]:
    return {"rule": f"say {action}", "steps": [{"intent": intent}, {"action": action}]}


def _write_example(text: str) -> str:
    """Return an example on one line; square brackets would mark an entity."""
    return " ".join(text.replace("[", "(").replace("]", ")").split())
