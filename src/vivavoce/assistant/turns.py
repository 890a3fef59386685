"""One turn of a talk: buttons, the job search, what both stages understood, hand-over. Pure functions of a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vivavoce.assistant import flow
from vivavoce.assistant.company import Answer
from vivavoce.assistant.entities import extract, is_covered
from vivavoce.assistant.material import general_answers, word
from vivavoce.assistant.talk import (
    LANGUAGES,
    Button,
    Choice,
    Entity,
    HandOver,
    Outcome,
    Search,
    Stage,
    State,
    Step,
)
from vivavoce.assistant.understanding import NOT_UNDERSTOOD, Understanding
from vivavoce.records import Action

if TYPE_CHECKING:
    from vivavoce.assistant.assistant import Assistant

# A general intent that is no more likely than this says nothing about jobs.
ABOUT_JOBS = 0.2
ASKING = (Step.PROFESSION, Step.PLACE, Step.ADDRESS)
LANGUAGE = "language:"
SHORT_WORDS = 9


@dataclass(frozen=True, eq=False)
class Turn:
    """A message in its talk."""

    assistant: Assistant
    state: State
    text: str
    understood: Understanding = NOT_UNDERSTOOD

    @property
    def language(self) -> str:
        """The language to answer in."""
        return self.state.language

    def say(self, *texts: str, state: State | None = None, **more: Any) -> Outcome:
        """Return an outcome with these texts; the state remembers them."""
        following = replace(state or self.state, unsure=0, question="", offered=())
        return self._conclude(following, texts, more)

    def say_unsure(self, *texts: str, offered: tuple[str, ...] = (), **more: Any) -> Outcome:
        """Return an outcome of a message that nobody was sure of."""
        following = replace(self.state, unsure=self.state.unsure + 1, question=self.text, offered=offered)
        return self._conclude(following, texts, {"offered": offered, **more})

    def _conclude(self, state: State, texts: tuple[str, ...], more: dict[str, Any]) -> Outcome:
        understood = self.understood
        facts = {"stage": understood.stage, "intent": understood.intent, "confidence": understood.confidence}
        guesses = {"general": understood.general, "faq": understood.faq}
        state = replace(state, last=texts, last_buttons=more.get("buttons", ()))
        return Outcome(state, self.language, texts, **{**facts, **guesses, "slots": flow.slots(state.search), **more})


def begin(assistant: Assistant, language: str) -> Outcome:
    """Return the first words of a talk."""
    turn = Turn(assistant, State(language=language), "")
    return turn.say(*_wording(turn, "greeting").texts, buttons=_usual_buttons(language), stage=Stage.GENERAL)


def answer(assistant: Assistant, state: State, text: str) -> Outcome:
    """Return the outcome of a message."""
    turn = Turn(assistant, state, text)
    if not text:
        return turn.say(word("empty", turn.language), buttons=_usual_buttons(turn.language))
    if text.startswith("/"):
        pressed = _press(turn, text[1:])
        if pressed is not None:
            return pressed
    address = flow.ADDRESS.search(text)
    if address and (state.search is None or state.search.step is not Step.ADDRESS) and len(text.split()) <= 6:
        noted = word("address_noted", turn.language, address=address[0])
        return turn.say(noted, stage=Stage.FLOW, actions=(Action("leave_address", {"address": address[0]}),))
    return _answer_shortly(turn) or _decide(_understand(turn))


def _understand(turn: Turn) -> Turn:
    understander = turn.assistant.understander
    return replace(turn, understood=understander.understand(turn.text, turn.language))


def _press(turn: Turn, name: str) -> Outcome | None:
    """Carry out a button; None where it is none."""
    if name.startswith(LANGUAGE) and name.removeprefix(LANGUAGE) in LANGUAGES:
        return begin(turn.assistant, name.removeprefix(LANGUAGE))
    if f"/{name}" == flow.NONE and turn.state.offered:
        choice = Choice(turn.state.question, None, turn.state.offered)
        return replace(_hand_over(replace(turn, text=turn.state.question)), chosen=choice)
    search = turn.state.search or Search(Step.PROFESSION)
    changed = _change_search(search, f"/{name}")
    if changed is not None:
        return _advance(turn, changed)
    if f"/{name}" == flow.MORE and search.step is Step.SHOWN:
        return _show(turn, flow.show(search, turn.assistant.openings, turn.language, _limit(turn)))
    is_known = name in general_answers() or name in turn.assistant.company.answers
    return _choose(turn, name) if is_known else None


def _change_search(search: Search, button: str) -> Search | None:
    if button == flow.ANYWHERE:
        return replace(search, place="", place_name="", anywhere=True)
    if button == flow.ANY_WORK:
        return replace(search, profession="", any_profession=True)
    return Search(Step.PROFESSION, subject=search.subject) if button == flow.CHANGE else None


def _choose(turn: Turn, intent: str) -> Outcome:
    """Answer what a button names; one of a "did you mean" is a label for the question."""
    state = turn.state
    choice = Choice(state.question, intent, state.offered) if intent in state.offered else None
    stage = Stage.GENERAL if intent in general_answers() else Stage.FAQ
    chosen = replace(turn, understood=Understanding(stage, intent, 1.0))
    outcome = _general(chosen) if stage is Stage.GENERAL else _faq(chosen)
    return replace(outcome, chosen=choice)


def _answer_shortly(turn: Turn) -> Outcome | None:
    """Answer what needs no classifier: values for the job search, numbers of openings, addresses."""
    search = turn.state.search
    if search and search.step is Step.ADDRESS and flow.ADDRESS.search(turn.text):
        return _show(turn, flow.subscribe(search, turn.text, turn.language))
    if search and search.step is Step.SHOWN and turn.text.strip(" .#").isdecimal():
        number = int(turn.text.strip(" .#"))
        reply = flow.show_one(search, number, turn.assistant.openings, turn.language)
        return _show(turn, reply) if reply else None
    if turn.assistant.understander.is_phrase(turn.text, turn.language):
        return None
    anything = flow.fill_any(search, turn.text) if search and search.step is not Step.ADDRESS else None
    if anything is not None:
        return _advance(turn, anything)
    # A longer message says more than names.
    entities = extract(turn.text, turn.language) if _is_short(turn.text) else ()
    if entities and is_covered(turn.text, entities, turn.language):
        return _advance(turn, flow.fill(search or _begin_search(turn), entities), entities)
    return None


def _is_short(text: str) -> bool:
    return len(text) <= flow.MAX_LETTERS and len(text.split()) <= SHORT_WORDS


def _decide(turn: Turn) -> Outcome:
    """Act on what the stages understood."""
    understood, offered = turn.understood, turn.state.offered
    if offered and understood.intent in ("yes", "no"):
        return _choose(turn, offered[0]) if understood.intent == "yes" else _press(turn, "none") or _hand_over(turn)
    if understood.stage is Stage.GENERAL:
        return _general(turn)
    if understood.stage is Stage.FAQ:
        return _faq(turn)
    return _go_on_searching(turn) or _ask_back(turn) or _hand_over(turn)


def _go_on_searching(turn: Turn) -> Outcome | None:
    """Take an unclear message for a part of the job search, if there is one or if it is about jobs."""
    search = turn.state.search
    likely = any(each.intent == "job_search" and each.confidence >= ABOUT_JOBS for each in turn.understood.general)
    entities = extract(turn.text, turn.language) if search or likely else ()
    if entities:
        return _advance(turn, flow.fill(search or _begin_search(turn), entities), entities)
    if search is None or search.step not in (Step.PROFESSION, Step.PLACE):
        return None
    filled = flow.fill_words(search, turn.text)
    if filled is not None:
        return _advance(turn, filled)
    if search.step is Step.PLACE and len(turn.text.split()) <= flow.LONGEST_ANSWER and "?" not in turn.text:
        asked = flow.advance(search, turn.assistant.openings, turn.language, _limit(turn))
        return _show(turn, replace(asked, texts=(word("unknown_place", turn.language, text=turn.text),)))
    return None


def _ask_back(turn: Turn) -> Outcome | None:
    """Offer the two likeliest topics where they are likely enough and can be answered."""
    bank = turn.assistant.company.answers
    likely = [each for each in turn.understood.faq[:2] if each.intent in bank]
    if len(likely) < 2 or sum(each.confidence for each in likely) < turn.assistant.company.options.choice_threshold:
        return None
    offered = tuple(str(each.intent) for each in likely)
    buttons = (
        *(Button(_title(turn, intent), f"/{intent}") for intent in offered),
        Button(word("button_none", turn.language), flow.NONE),
    )
    return turn.say_unsure(word("did_you_mean", turn.language), offered=offered, buttons=buttons)


def _hand_over(turn: Turn, reason: HandOver = HandOver.UNSURE) -> Outcome:
    """Say honestly that a person must answer."""
    name = "no_answer" if reason is HandOver.NO_ANSWER else "hand_over"
    own = _find_own_answer(turn, name)
    texts = (own.text,) if own else (word(name, turn.language),)
    return turn.say_unsure(*texts, hand_over=reason, buttons=(_search_button(turn.language),))


# The general intents


def _general(turn: Turn) -> Outcome:
    intent = str(turn.understood.intent)
    act = _ACTS.get(intent)
    outcome = act(turn) if act else None
    if outcome is not None:
        return outcome
    reply = _wording(turn, intent)
    return _resume(turn, turn.say(*reply.texts, buttons=reply.buttons, links=reply.links))


def _search_jobs(turn: Turn) -> Outcome:
    entities = extract(turn.text, turn.language)
    search = turn.state.search
    start = search if search and search.step is not Step.ADDRESS and entities else _begin_search(turn)
    return _advance(turn, flow.fill(start, entities), entities)


def _subscribe(turn: Turn) -> Outcome:
    search = turn.state.search or Search(Step.SHOWN, anywhere=True, any_profession=True)
    entities = extract(turn.text, turn.language)
    return _show(turn, flow.subscribe(flow.fill(search, entities), turn.text, turn.language), entities)


def _unsubscribe(turn: Turn) -> Outcome:
    reply = _wording(turn, "unsubscribe")
    return turn.say(*reply.texts, buttons=reply.buttons, links=reply.links, actions=(Action("unsubscribe"),))


def _stop(turn: Turn) -> Outcome | None:
    search = turn.state.search
    if search is None:
        return None
    state = replace(turn.state, search=None)
    texts: tuple[str, ...] = (word("cancelled", turn.language),)
    if not search.subject:
        return turn.say(*texts, state=state, buttons=_usual_buttons(turn.language))
    title = _title(turn, search.subject)
    back = word("back_to_topic", turn.language, title=title)
    return turn.say(*texts, back, state=state, buttons=(Button(title, f"/{search.subject}"),))


def _deny(turn: Turn) -> Outcome | None:
    search = turn.state.search
    if search is None or search.step not in ASKING:
        return None
    if search.step is Step.ADDRESS:
        state = replace(turn.state, search=replace(search, step=Step.SHOWN))
        return turn.say(*_wording(turn, "no").texts, state=state)
    return _stop(turn)


def _agree(turn: Turn) -> Outcome | None:
    search = turn.state.search
    if search is None or search.step is not Step.SHOWN:
        return None
    reply = flow.show(search, turn.assistant.openings, turn.language, _limit(turn))
    return _show(turn, reply) if reply.openings else None


def _repeat(turn: Turn) -> Outcome:
    last = turn.state.last or (word("nothing_to_repeat", turn.language),)
    outcome = turn.say(*_wording(turn, "repeat").texts, *last, buttons=turn.state.last_buttons)
    return replace(outcome, state=replace(outcome.state, last=last))


def _restart(turn: Turn) -> Outcome:
    reply = _wording(turn, "restart")
    return turn.say(*reply.texts, state=State(language=turn.language), buttons=_usual_buttons(turn.language))


def _ask_human(turn: Turn) -> Outcome:
    reply = _wording(turn, "contact_human")
    return turn.say(*reply.texts, buttons=reply.buttons, links=reply.links, hand_over=HandOver.ASKED)


def _greet(turn: Turn) -> Outcome:
    return _resume(turn, turn.say(*_wording(turn, "greeting").texts, buttons=_usual_buttons(turn.language)))


_ACTS: Mapping[str, Callable[[Turn], Outcome | None]] = {
    "job_search": _search_jobs,
    "subscribe": _subscribe,
    "unsubscribe": _unsubscribe,
    "stop": _stop,
    "no": _deny,
    "yes": _agree,
    "repeat": _repeat,
    "restart": _restart,
    "contact_human": _ask_human,
    "greeting": _greet,
}


@dataclass(frozen=True, slots=True)
class _Reply:
    texts: tuple[str, ...]
    buttons: tuple[Button, ...] = ()
    links: tuple[Any, ...] = ()


def _wording(turn: Turn, intent: str) -> _Reply:
    """Return what is said to a general intent: the company's own answer, else a shipped one, not twice the same."""
    own = _find_own_answer(turn, intent)
    if own is not None:
        return _Reply((own.text,), own.buttons, own.links)
    wordings = general_answers().get(intent, {}).get(turn.language) or (word("empty", turn.language),)
    fresh = [text for text in wordings if text not in turn.state.last]
    return _Reply(((fresh or wordings)[0],))


# The FAQ


def _faq(turn: Turn) -> Outcome:
    topic = str(turn.understood.intent)
    bank = turn.assistant.company.answers.get(topic, {})
    languages = (turn.language, *turn.assistant.company.languages, *bank)
    language = next((code for code in languages if code in bank), "")
    if not language:
        return _hand_over(turn, HandOver.NO_ANSWER)
    note = () if language == turn.language else (_name_language(turn.language, language),)
    state = replace(turn.state, topic=topic)
    bank_answer = bank[language]
    return _resume(
        turn, turn.say(*note, bank_answer.text, state=state, buttons=bank_answer.buttons, links=bank_answer.links)
    )


def _name_language(language: str, other: str) -> str:
    name = word(f"name_{other}", language) if other in LANGUAGES else other
    return word("other_language", language, language=name)


def _find_own_answer(turn: Turn, intent: str) -> Answer | None:
    """Return the company's own answer to a general intent, in the language of the talk."""
    return turn.assistant.company.answers.get(intent, {}).get(turn.language)


def _title(turn: Turn, topic: str) -> str:
    return turn.assistant.company.title(topic, turn.language)


# The job search


def _begin_search(turn: Turn) -> Search:
    return Search(Step.PROFESSION, subject=turn.state.topic)


def _advance(turn: Turn, search: Search, entities: tuple[Entity, ...] = ()) -> Outcome:
    return _show(turn, flow.advance(search, turn.assistant.openings, turn.language, _limit(turn)), entities)


def _show(turn: Turn, reply: flow.FlowReply, entities: tuple[Entity, ...] = ()) -> Outcome:
    """Turn what the flow says into an outcome: the flow decided, whatever was understood."""
    decided = turn.understood.intent or "job_search"
    flowing = replace(turn, understood=turn.understood._replace(stage=Stage.FLOW, intent=decided))
    more = {"openings": reply.openings, "total": reply.total, "entities": entities, "actions": reply.actions}
    state = replace(turn.state, search=reply.search)
    return flowing.say(*reply.texts, state=state, buttons=reply.buttons, links=reply.links, **more)


def _resume(turn: Turn, outcome: Outcome) -> Outcome:
    """After an answer in the middle of a job search, ask again for what is missing."""
    search = outcome.state.search
    if search is None or search.step not in ASKING:
        return outcome
    back = word("back_to_search", turn.language)
    if search.step is Step.ADDRESS:
        reply = flow.subscribe(replace(search, step=Step.SHOWN), "", turn.language)
    else:
        reply = flow.advance(search, turn.assistant.openings, turn.language, _limit(turn))
    texts = (*outcome.texts, back, *reply.texts)
    buttons = (*outcome.buttons, *reply.buttons)
    state = replace(outcome.state, search=reply.search, last=texts, last_buttons=buttons)
    return replace(outcome, state=state, texts=texts, buttons=buttons)


def _limit(turn: Turn) -> int:
    return turn.assistant.company.options.shown


def _search_button(language: str) -> Button:
    return Button(word("button_search", language), flow.JOB_SEARCH)


def _usual_buttons(language: str) -> tuple[Button, ...]:
    return (_search_button(language), Button(word("button_human", language), flow.HUMAN))
