"""What to fix, what it would bring, and whether it did: problems, forecasts, remedies, decisions, thresholds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.store.rows import Edit
from vivavoce.web.api.bodies import Body, Id, Line, Listed, Place, Text, Why, build, make_list
from vivavoce.web.api.runs import RunNumber
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.exams import decisions, intents, runs
from vivavoce.workspace.exams.decisions import KeptApart
from vivavoce.workspace.exams.project_exams import Problem, project_exam
from vivavoce.workspace.exams.remedies import USUAL_CLASSIFIER, Draft, RemedyKind, apply_draft, forecast_draft
from vivavoce.workspace.exams.thresholds import read_scored
from vivavoce.workspace.exams.track_record import Applied, read_track_record
from vivavoce.workspace.projects.projects import adopt_threshold
from vivavoce.workspace.topics import test_set
from vivavoce.workspace.topics.test_set import MAX_LINES
from vivavoce.workspace.topics.topics import AnswerChoice

router = APIRouter(tags=["improving"])
Ids = Annotated[list[Id], Field(max_length=1000)]


class MovedTo(Body):
    """Examples and the topic to move them to."""

    topic: Id
    examples: Annotated[list[Id], Field(min_length=1, max_length=1000)]


class Remedy(Body):
    """A remedy for a problem of topics.

    move: `moves` lists examples by their new topic. merge: the last of `topics` remains. out_of_scope, split: these
    `examples`; a split creates the topic `name`. add_examples: adds `texts` to the topic. retire: the topic.
    """

    kind: RemedyKind
    topics: Ids = Field(default_factory=list)
    examples: Ids = Field(default_factory=list)
    moves: Annotated[list[MovedTo], Field(max_length=50)] = Field(default_factory=list)
    texts: Annotated[list[Line], Field(max_length=200)] = Field(default_factory=list)
    name: Annotated[Text, Field(max_length=200)] = ""

    def draft(self) -> Draft:
        """Return the remedy; refuse one that lacks what it is made of."""
        parts: dict[RemedyKind, bool] = {
            "move": bool(self.moves),
            "merge": len(self.topics) > 1,
            "out_of_scope": bool(self.examples),
            "split": bool(self.topics and self.examples and self.name.strip()),
            "add_examples": bool(self.topics and self.texts),
            "retire": bool(self.topics),
        }
        if not parts[self.kind]:
            raise UsageError(
                say("the remedy '{kind}' is not complete", kind=self.kind),
                where=self.kind,
                remedy=say("give its topics, examples, texts or name, as the description says"),
            )
        moves = tuple((each.topic, tuple(each.examples)) for each in self.moves)
        texts = tuple(text.replace("\t", " ") for text in self.texts)
        return Draft(self.kind, tuple(self.topics), tuple(self.examples), moves, texts, self.name.strip())


class AskedForecast(Remedy):
    """A remedy to forecast; `full`: with all rounds of an exam, which takes longer than a preview."""

    full: bool = False


class AppliedRemedy(Remedy):
    """A remedy to apply; `answer`: for a merge, what to do with the other answers."""

    answer: AnswerChoice | None = None
    why: Why = ""


class EffectBody(BaseModel):
    """The effect of a remedy on a share: the difference with its range, and both values; null: nothing to count."""

    difference: float | None
    low: float | None
    high: float | None
    before: float | None
    after: float | None
    n: int


class ChangedBody(BaseModel):
    """A question that would become correct or break."""

    text: str
    intent_before: str | None
    intent: str | None
    guess_before: str | None
    guess: str | None


class ForecastBody(BaseModel):
    """The forecast of a remedy; `confidence`: of the ranges. `rounds`: a preview has fewer."""

    effects: dict[str, EffectBody]
    on_topics: dict[str, EffectBody]
    rounds: int
    confidence: float
    classifier: str
    threshold: float
    improved: list[ChangedBody]
    broken: list[ChangedBody]

    @classmethod
    def of(cls, forecast: Any) -> ForecastBody:
        """Return a forecast as the API gives it."""
        effects = {name: build(EffectBody, effect) for name, effect in forecast.effects.items()}
        own = {name: build(EffectBody, effect) for name, effect in forecast.on_topics.items()}
        improved, broken = (
            [build(ChangedBody, each) for each in some] for some in (forecast.improved, forecast.broken)
        )
        return build(cls, forecast, effects=effects, on_topics=own, improved=improved, broken=broken)


class AppliedBody(BaseModel):
    """The edit that applied a remedy, and its forecast."""

    edit: Edit
    forecast: ForecastBody | None


class PastBody(BaseModel):
    """The forecast of an applied remedy. `realised`: the change that the next exam measured; null: unknown.

    `noise`: how much of that chance can explain; `inside`: whether the two ranges overlap. `before`, `after`: the
    exams before and after the edit.
    """

    edit: str
    summary: str
    remedy: str
    difference: float
    low: float
    high: float
    rounds: int
    classifier: str
    threshold: float
    created: datetime
    before: int | None
    after: int | None
    realised: float | None
    noise: float
    inside: bool | None

    @classmethod
    def of(cls, applied: Applied) -> PastBody:
        """Return a forecast with its outcome."""
        edit, summary = applied.row.edit_id, str(applied.summary)
        return build(cls, applied, applied.past, applied.row, edit=edit, summary=summary)


class NewDecision(Body):
    """Topics to keep separate; `high`: list the problem again if it costs more of 1,000 messages."""

    topics: Annotated[list[Id], Field(min_length=2, max_length=10)]
    high: Annotated[float, Field(ge=0, le=1000)] = 0.0
    why: Why = ""


class PointBody(BaseModel):
    """What a bot does at a threshold; `cost`: of 100 messages, in hand-overs."""

    threshold: float
    answered: float | None
    wrong: float | None
    out_of_scope_answered: float | None
    cost: float
    n_answered: int
    n_wrong: int
    n_out: int

    @classmethod
    def of(cls, point: Any) -> PointBody:
        """Return a point of the curve."""
        shares = {name: getattr(point, name).value for name in ("answered", "wrong", "out_of_scope_answered")}
        return build(cls, point, cost=point.cost.value, **shares)


class AdviceBody(BaseModel):
    """The effect of the current threshold, the cheapest, and the lowest that meets the guarantee (null: none does).

    `bound`: the highest share of wrong answers at the guaranteed threshold, or where the search ended without one.
    """

    today: PointBody
    cheapest: PointBody
    guaranteed: PointBody | None
    bound: float
    questions: int
    out_of_scope: int
    curve: list[PointBody]


class NewThreshold(Body):
    """The new threshold of a project."""

    threshold: Annotated[float, Field(ge=0, le=1)]


@router.get("/projects/{slug}/intents/{number}/problems")
def list_intents_problems(visit: ReaderVisit, number: RunNumber) -> Listed[Problem]:
    """List what to fix, costliest first, without the topics that you keep separate on purpose."""
    run = runs.show_run(*visit.here, number, intents.KIND).run
    return make_list(project_exam(intents.KIND).problems(*visit.here, run))


@router.post("/projects/{slug}/forecasts/try")
def try_remedy(visit: ReaderVisit, body: AskedForecast) -> ForecastBody:
    """Forecast a remedy on the current examples; nothing changes."""
    return ForecastBody.of(forecast_draft(*visit.here, body.draft(), full=body.full))


@router.get("/projects/{slug}/forecasts")
def list_forecasts(visit: ReaderVisit) -> Listed[PastBody]:
    """List the forecasts of applied remedies, newest first, with what the next exam measured."""
    return make_list([PastBody.of(each) for each in read_track_record(*visit.here).forecasts])


@router.post("/projects/{slug}/remedies", status_code=201)
def apply_remedy(visit: EditorVisit, place: Place, body: AppliedRemedy) -> AppliedBody:
    """Apply a remedy; its last forecast is saved with the edit."""
    applied = apply_draft(*visit.acting, body.draft(), why=body.why, answer=body.answer)
    forecast = None if applied.forecast is None else ForecastBody.of(applied.forecast)
    return place(AppliedBody(edit=applied.edit, forecast=forecast), "edits", applied.edit.id)


@router.get("/projects/{slug}/decisions")
def list_decisions(visit: ReaderVisit) -> Listed[KeptApart]:
    """List the topics that you keep separate on purpose."""
    return make_list(decisions.list_kept_apart(*visit.here))


@router.post("/projects/{slug}/decisions", status_code=201)
def add_decision(visit: EditorVisit, place: Place, body: NewDecision) -> Edit:
    """Keep topics separate on purpose: their problem is hidden until it costs more. Returns the edit."""
    edit = decisions.keep_apart(*visit.acting, body.topics, body.high, why=body.why)
    return place(edit, "edits", edit.id)


@router.post("/projects/{slug}/decisions/{decision_id}/drop")
def drop_decision(visit: EditorVisit, decision_id: Id) -> Edit:
    """Withdraw the decision to keep topics separate; returns the edit."""
    return decisions.drop_decision(*visit.acting, decision_id)


@router.get("/projects/{slug}/intents/{number}/threshold")
def show_threshold(
    visit: ReaderVisit,
    number: RunNumber,
    cost: Annotated[
        float, Query(ge=0.1, le=1000, description="A wrong answer is as bad as so many hand-overs.")
    ] = 5.0,
    wrong: Annotated[float, Query(gt=0, lt=1, description="At most this share of the answers may be wrong.")] = 0.05,
    share: Annotated[
        float | None, Query(ge=0, lt=1, description="Share of out-of-scope messages in live traffic.")
    ] = None,
) -> AdviceBody:
    """Get the effect of each threshold, and which one to choose."""
    from vivavoce.intents.threshold import advise

    run = runs.show_run(*visit.here, number, intents.KIND).run
    scored = read_scored(visit.store, run)
    if scored is None or not scored.n_known:
        raise UsageError(say("this exam kept no questions to try a threshold with"), remedy=say("examine again"))
    advice = advise(scored, visit.project.threshold, wrong_costs=cost, max_wrong=wrong, out_of_scope_share=share)
    guaranteed = None if advice.guaranteed is None else PointBody.of(advice.guaranteed)
    return build(
        AdviceBody,
        advice,
        today=PointBody.of(advice.today),
        cheapest=PointBody.of(advice.cheapest),
        guaranteed=guaranteed,
        bound=advice.guarantee.bound,
        curve=[PointBody.of(point) for point in advice.curve],
    )


@router.put("/projects/{slug}/intents/{number}/threshold")
def change_threshold(visit: EditorVisit, number: RunNumber, body: NewThreshold) -> Edit:
    """Set the threshold of the project; returns the edit."""
    return adopt_threshold(*visit.acting, body.threshold, runs.show_run(*visit.here, number, intents.KIND).run)


class SetAside(Body):
    """The share of each topic's examples to move to the test set."""

    share: Annotated[float, Field(gt=0, le=0.5)] = 0.1
    why: Why = ""


class NewTestQuestions(Body):
    """Real questions and their topic; without a topic: out of scope."""

    texts: Annotated[list[Line], Field(min_length=1, max_length=MAX_LINES)]
    topic: Annotated[Text, Field(max_length=400)] = ""
    why: Why = ""


class SetBody(BaseModel):
    """The size of the test set by topic; its questions are never shown."""

    total: int
    topics: dict[str, int]
    out_of_scope: int


class SetScoreBody(BaseModel):
    """How the bot of an exam does on the current test set."""

    accuracy: Rate
    answered: Rate
    precision: Rate
    classifier: str


@router.get("/projects/{slug}/test-set")
def show_test_set(visit: ReaderVisit) -> SetBody:
    """Get the size of the test set."""
    size = test_set.measure_test_set(*visit.here)
    named = {name: n for name, n in size.topics.items() if name is not None}
    return SetBody(total=size.total, topics=named, out_of_scope=size.topics.get(None, 0))


@router.post("/projects/{slug}/test-set/aside", status_code=201)
def move_to_test_set(visit: EditorVisit, place: Place, body: SetAside) -> Edit:
    """Move a random share of each topic's examples to the test set; returns the edit."""
    edit = test_set.set_aside(*visit.acting, body.share, why=body.why)
    return place(edit, "edits", edit.id)


@router.post("/projects/{slug}/test-set", status_code=201)
def add_test_questions(visit: EditorVisit, place: Place, body: NewTestQuestions) -> Edit:
    """Add real questions to the test set; returns the edit."""
    topic = body.topic.strip()
    lines = [f"{text.replace(chr(9), ' ')}\t{topic}" for text in body.texts]
    edit = test_set.add_test_questions(*visit.acting, lines, why=body.why)
    return place(edit, "edits", edit.id)


@router.get("/projects/{slug}/intents/{number}/test-set")
def show_test_set_score(visit: ReaderVisit, number: RunNumber) -> SetScoreBody:
    """Score the bot of an exam on the current test set, which no edit of examples can influence."""
    run = runs.show_run(*visit.here, number, intents.KIND).run
    named = str(run.options.get("classifier", ""))
    classifier = named if named in intents.SECONDS_PER_THOUSAND else USUAL_CLASSIFIER
    score = test_set.score_test_set(*visit.here, run, classifier)
    if score is None:
        raise UsageError(say("the test set is empty"), remedy=say("set some questions aside"))
    return build(SetScoreBody, score)
