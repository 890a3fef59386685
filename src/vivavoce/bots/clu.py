"""Microsoft CLU (conversational language understanding): it understands, says nothing, and takes projects whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from vivavoce.bots.asking import new_session
from vivavoce.bots.classifier import classifier_of
from vivavoce.bots.declaration import Connector, Reach
from vivavoce.bots.guard import Request
from vivavoce.bots.names import NameRule
from vivavoce.bots.platform import Platform, PlatformError, Trouble
from vivavoce.bots.platform_entry import (
    TRAINING_OPTIONS,
    fill_from_environment,
    platform_facts,
    read_platform_entry,
    require_keys,
    secret_option,
    shown_option,
)
from vivavoce.bots.protocol import BotContext, Limits
from vivavoce.bots.shapes import read_slots
from vivavoce.bots.training import ERASE, Progress, RemoteIntent, TrainableBot
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Action, Guess, Reply

if TYPE_CHECKING:
    from vivavoce.bots.client import Answer

# 1,000 predictions a minute.
LIMITS = Limits(at_once=8, per_second=16.0, timeout_s=30.0, retries=3)
KEY, ENDPOINT = "AZURE_CONVERSATIONS_KEY", "AZURE_CONVERSATIONS_ENDPOINT"
API = "2023-04-01"
NONE = "None"
# By this its projects are known: a project is always replaced as a whole.
OWN = "Made by vivavoce"
MODEL = "viva"
_ENDED, _FAILED = "succeeded", ("failed", "cancelled", "partiallyCompleted")
PLATFORM = Platform(
    "Microsoft CLU",
    domain=".azure.com",
    credentials=f"{KEY}, {ENDPOINT}",
    rights="Cognitive Services Language Reader to talk, Cognitive Services Language Owner to train",
    place="endpoint, project, deployment",
    names=NameRule(r"[:$&%*()+~#/?]", 50, prefix=""),
    # Ten posts a minute, a hundred questions about how far they are.
    edits=Limits(at_once=1, per_second=0.5, timeout_s=120.0, retries=6),
    longest_example=500,
    longest_message=1000,
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        shown_option(
            "endpoint",
            say("Address"),
            say("For example https://my-resource.cognitiveservices.azure.com"),
            type="address",
        ),
        secret_option("api_key", say("API key variable"), KEY),
        shown_option("project", say("Project"), required=True),
        shown_option("deployment", say("Deployment"), default="production"),
        shown_option("language", say("Language"), default="en"),
        *TRAINING_OPTIONS,
    ),
    option="project",
    limits=LIMITS,
    title="Microsoft CLU",
    position=14,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> CluBot:
    """Microsoft CLU; option: project."""
    entry = read_platform_entry(option, "project", context, endpoint=ENDPOINT)
    fill_from_environment(entry, {"api_key": KEY})
    require_keys(context.name, entry, {"endpoint": ENDPOINT, "api_key": KEY, "project": ""})
    about = f"Microsoft CLU, project {entry['project']} at {entry['endpoint']}"
    return CluBot(entry, platform_facts(context, about, LIMITS))


classifier = classifier_of("clu", PLATFORM.title, "a project")


class CluBot(TrainableBot):
    """A deployment of a project."""

    platform = PLATFORM

    async def authorize(self, request: Request) -> Request:
        """Return the request with the key."""
        return request.add_headers(Ocp_Apim_Subscription_Key=str(self.entry["api_key"]))

    def find_trouble(self, answer: Answer, payload: object) -> tuple[str, str]:
        """Return the trouble of an error: a deployment that is missing has not been trained yet."""
        trouble, detail = super().find_trouble(answer, payload)
        is_untrained = answer.code in (400, 404) and "deployment" in detail.lower()
        return (Trouble.NOT_TRAINED if is_untrained else trouble), detail

    def _url(self, path: str, **query: str) -> str:
        endpoint = str(self.entry["endpoint"]).rstrip("/")
        return f"{endpoint}/language/{path}?{urlencode({**query, 'api-version': API})}"

    def _project_url(self, path: str = "", **query: str) -> str:
        project = quote(str(self.entry["project"]), safe="")
        return self._url(f"authoring/analyze-conversations/projects/{project}{path}", **query)

    # Talking

    async def classify(self, text: str) -> tuple[Guess, ...]:
        """Return the intents of a message."""
        prediction = (await self._analyze(text, new_session()))["result"]["prediction"]
        return () if prediction["topIntent"] == NONE else tuple(self._read_guesses(prediction))

    async def _analyze(self, text: str, session: str) -> Any:
        item = {"id": session, "participantId": "visitor", "modality": "text", "language": self.language}
        place = {"projectName": self.entry["project"], "deploymentName": self._deployment, "verbose": True}
        body = {
            "kind": "Conversation",
            "analysisInput": {"conversationItem": {**item, "text": self.message(text)}},
            "parameters": place,
        }
        return await self.call("POST", self._url(":analyze-conversations"), body)

    @property
    def _deployment(self) -> str:
        return str(self.entry.get("deployment") or "production")

    def _read_guesses(self, prediction: Mapping[str, Any]) -> list[Guess]:
        rows = [row for row in prediction.get("intents", ()) if row["category"] != NONE]
        return [Guess(self.topic(row["category"]), row["confidenceScore"]) for row in rows]

    async def reply(self, session: str, text: str) -> Reply:
        """Send a message and read what was understood: CLU knows no conversations."""
        payload = await self._analyze(text, session)
        prediction = payload["result"]["prediction"]
        top, guesses = prediction["topIntent"], self._read_guesses(prediction)
        is_fallback = top == NONE
        entities = prediction.get("entities", ())
        slots = read_slots({row["category"]: row["text"] for row in entities})
        topic = None if is_fallback else self.topic(top)
        return Reply(
            intent=topic,
            confidence=next((guess.confidence for guess in guesses if guess.intent == topic), None),
            slots=slots,
            fallback=is_fallback,
            guess=guesses[0] if is_fallback and guesses else None,
            raw=payload,
            # It says nothing: what it tells the application to do is its reply.
            actions=(Action(topic or NONE, slots),),
        )

    # Training: a project is exported, changed and imported as a whole

    async def _find_project(self) -> Mapping[str, Any] | None:
        try:
            project: Mapping[str, Any] = await self.call("GET", self._project_url())
        except PlatformError as error:
            if error.trouble != Trouble.MISSING:
                raise
            return None
        return project

    async def _export(self) -> Mapping[str, Any]:
        """Return the intents and examples of the project as they are."""
        job = await self._begin("POST", self._project_url("/:export", stringIndexType="Utf16CodeUnit"))
        await self.wait_for(partial(self._has_ended, job))
        result = await self.call("GET", job)
        exported = await self.call("GET", self._here(str(result["resultUrl"])))
        assets: Mapping[str, Any] = exported["assets"]
        return assets

    async def list_intents(self) -> tuple[RemoteIntent, ...]:
        """Return the intents as they will be after `train`; an export is waited for."""
        left = [each for each in await self.fetch_intents() if each.id not in self._deleting]
        return (*left, *map(RemoteIntent, self._creating))

    async def fetch_intents(self) -> Sequence[RemoteIntent]:
        """Return the intents of the project, but for its fallback; they are ours where the project is."""
        project = await self.patiently(self._find_project)
        if project is None:
            return []
        own = str(project.get("description", "")).startswith(OWN)
        names = [row["category"] for row in (await self._export())["intents"]]
        return [RemoteIntent(self.topic(name), name, own) for name in names if name != NONE]

    async def apply(self, progress: Progress) -> None:
        """Import the project with all changes."""
        if not (self._creating or self._deleting):
            return
        project = await self.patiently(self._find_project)
        if project and not str(project.get("description", "")).startswith(OWN) and not self.may_erase:
            raise self.failure(
                say("vivavoce did not create the project '{name}'", name=self.entry["project"]),
                trouble=Trouble.FOREIGN,
                remedy=ERASE,
            )
        assets: Mapping[str, Any] = await self._export() if project else {}
        gone = {NONE, *self._deleting}
        utterances = [row for row in assets.get("utterances", ()) if row["intent"] not in gone]
        names = [row["category"] for row in assets.get("intents", ()) if row["category"] not in gone]
        for new in self._creating.values():
            names.append(new.written)
            utterances += [
                {"text": text, "language": self.language, "intent": new.written, "dataset": "Train", "entities": []}
                for text in new.examples
            ]
        progress("creating topics", 0, len(names))
        await self._import([*dict.fromkeys(names)], utterances, assets.get("entities", []))
        progress("creating topics", len(names), len(names))

    async def _import(self, names: Sequence[str], utterances: Sequence[object], entities: Sequence[object]) -> None:
        body = {
            "projectFileVersion": API,
            "stringIndexType": "Utf16CodeUnit",
            "metadata": {
                "projectKind": "Conversation",
                "projectName": self.entry["project"],
                "description": OWN,
                "language": self.language,
                "multilingual": False,
                "settings": {"confidenceThreshold": 0.0},
            },
            "assets": {
                "projectKind": "Conversation",
                "intents": [{"category": name} for name in names],
                "entities": entities,
                "utterances": utterances,
            },
        }
        job = await self._begin("POST", self._project_url("/:import"), body)
        await self.wait_for(partial(self._has_ended, job))

    async def start_training(self) -> object:
        """Begin the training: on all examples, none is set aside for Microsoft's own evaluation."""
        body = {
            "modelLabel": MODEL,
            # The other mode is for English only.
            "trainingMode": "standard" if self.language.lower().startswith("en") else "advanced",
            "evaluationOptions": {"kind": "percentage", "trainingSplitPercentage": 100, "testingSplitPercentage": 0},
        }
        return {"url": await self._job("POST", self._project_url("/:train"), body), "deploys": False}

    async def is_ready(self, job: Any) -> bool:
        """Tell whether the model is trained and deployed; begin to deploy it as soon as it is trained."""
        if not await self._has_ended(job["url"]):
            return False
        if not job["deploys"]:
            url = self._project_url(f"/deployments/{quote(self._deployment, safe='')}")
            job["url"] = await self._job("PUT", url, {"trainedModelLabel": MODEL})
            job["deploys"] = True
            return False
        return True

    async def _begin(self, method: str, url: str, body: object = None) -> str:
        return await self.patiently(partial(self._job, method, url, body))

    async def _job(self, method: str, url: str, body: object = None) -> str:
        """Begin something and return the address where it is said how far it is."""
        _, headers = await self.exchange(method, url, body)
        return self._here(headers["operation-location"])

    def _here(self, address: str) -> str:
        """Return an address on this endpoint: the key goes nowhere else."""
        parts = urlsplit(address)
        return f"{str(self.entry['endpoint']).rstrip('/')}{parts.path}?{parts.query}"

    async def _has_ended(self, job: str) -> bool:
        payload = await self.call("GET", job)
        if payload["status"] in _FAILED:
            detail = "; ".join(str(row.get("message")) for row in payload.get("errors") or ()) or payload["status"]
            raise self.build_failure(detail)
        return bool(payload["status"] == _ENDED)
