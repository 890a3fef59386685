"""The page on which a scenario is written: what it shows, and what its buttons do short of saving."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fastapi import Request
from starlette.responses import Response

from vivavoce.conversations import Scenario, Suite
from vivavoce.conversations.scenario import Script, Turn
from vivavoce.conversations.scenarios.check import Measured, measure_script
from vivavoce.conversations.scenarios.expansion import expand_leniently
from vivavoce.conversations.scenarios.references import find_broken, usable_part
from vivavoce.errors import Fault, InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import BotRow, Project, ScenarioRow, SuiteRow
from vivavoce.web.access import Visitor, config_of, visitor_of
from vivavoce.web.answers import page, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.language import Words
from vivavoce.web.pages.scenarios.form import MOST_LINES, MOST_SAID, MOST_TEXTS, MOST_TURNS, change_turn, rearrange
from vivavoce.web.pages.scenarios.words import level_title
from vivavoce.web.parts import Choice, Piece, change_pieces
from vivavoce.workspace.bots.chatting import Heard, Reach, ask_bot, find_bot, list_partners, make_partner
from vivavoce.workspace.bots.places import PLACES
from vivavoce.workspace.scenarios.drafts import (
    Draft,
    DraftTurn,
    keep_head,
    keep_step,
    locked_head,
    locked_parts,
    step_of,
)
from vivavoce.workspace.scenarios.drafts import scenario_of as scenario_of_draft
from vivavoce.workspace.scenarios.scenarios import check_scenario, list_scenarios, suite_of
from vivavoce.workspace.scenarios.suites import read_head
from vivavoce.workspace.scenarios.writing_help import OfferedTopic, Tried, offered_topics, suggest_typo, try_answer


@dataclass(frozen=True)
class Desk:
    """All that stands around a draft: where it is saved, what it began as, which bot is asked.

    `misspelt`: the misspelt versions that are wanted, by their clean message.
    """

    project: Project
    suite: SuiteRow
    action: str
    version: int = 0
    scenario_id: str = ""
    bot: str = ""
    why: str = ""
    misspelt: Mapping[str, str] = field(default_factory=dict)

    @property
    def head(self) -> Suite:
        """The suite without its scenarios."""
        return replace(read_head(self.suite.head), name=self.suite.name)


@dataclass(frozen=True)
class Notes:
    """What is said about a draft besides what it says itself."""

    notice: str = ""
    error: InputError | None = None
    warnings: tuple[str, ...] = ()
    focus: int = -1
    status: int = 200


@dataclass(frozen=True)
class TurnView:
    """One turn of the form. `phrases`: what visitors write about the chosen topics."""

    place: int
    number: int
    draft: DraftTurn
    kept: str
    topics: tuple[str, ...]
    phrases: tuple[str, ...]
    locked: tuple[tuple[str, str], ...]
    said_locked: str
    tried: Tried | None
    faults: tuple[str, ...]

    @property
    def letters(self) -> tuple[Piece, ...]:
        """The message and its misspelt version in one run, letter by letter."""
        return letter_changes(self.draft.said, self.draft.misspelt)

    @property
    def slots(self) -> str:
        """The pairs as they are typed."""
        return "\n".join(f"{name} = {value}" if value else f"{name} =" for name, value in self.draft.slots)


@dataclass(frozen=True)
class EditorView:
    """A scenario being written."""

    lead: str
    desk: Desk
    draft: Draft
    kept: str
    locked: tuple[tuple[str, str], ...]
    turns: tuple[TurnView, ...]
    topics: tuple[OfferedTopic, ...]
    levels: tuple[Choice, ...]
    domains: tuple[str, ...]
    bots: tuple[BotRow, ...]
    measured: Measured | None
    notes: Notes
    editable: bool
    too_long: bool

    @property
    def name_fault(self) -> str:
        """What is wrong with the name."""
        return fault_at(self.notes.error, "name")

    @property
    def level_fault(self) -> str:
        """What is wrong with the level."""
        return fault_at(self.notes.error, "level")


def editor_page(request: Request, store: Store, desk: Desk, draft: Draft, notes: Notes | None = None) -> Response:
    """Show a scenario in its form."""
    words, told = words_of(request), notes or Notes()
    view = _view(request, store, desk, draft, told)
    title = draft.title or draft.name or words.gettext("A new scenario")
    return page(
        request,
        "scenarios/editor.html",
        title,
        view=view,
        project=desk.project,
        section="conversations",
        status=told.status,
    )


def _view(request: Request, store: Store, desk: Desk, draft: Draft, notes: Notes) -> EditorView:
    topics = offered_topics(store, desk.project, desk.suite)
    rows = list_scenarios(store, desk.project, desk.suite.id)
    scenario, who = scenario_of_draft(draft), visitor_of(request)
    measured = measure(desk.head, scenario)
    phrases = {topic.name: topic.phrases for topic in topics}
    return EditorView(
        lead=_lead(words_of(request), desk, draft),
        desk=desk,
        draft=draft,
        kept=keep_head(draft.kept),
        locked=locked_head(draft),
        turns=tuple(_turns(desk, draft, scenario, phrases, notes)),
        topics=topics,
        levels=tuple(Choice(one, level_title(words_of(request), one)) for one in _levels(desk, draft, rows)),
        domains=tuple(sorted({row.domain for row in rows if row.domain})),
        bots=list_partners(store, desk.project),
        measured=measured,
        notes=notes,
        editable=who is not None and who.may("editor"),
        too_long=len(draft.turns) > MOST_TURNS,
    )


def _levels(desk: Desk, draft: Draft, rows: Sequence[ScenarioRow]) -> tuple[str, ...]:
    # What a draft says is among the choices, whatever it is: a form must not change it unasked.
    said = [draft.level] if draft.level else []
    return tuple(dict.fromkeys((*desk.head.levels, *(row.level for row in rows), *said)))


def _lead(words: Words, desk: Desk, draft: Draft) -> str:
    counted = words.ngettext("%(num)s turn", "%(num)s turns", len(draft.turns))
    if not desk.scenario_id:
        return words.gettext("A new scenario for %(suite)s; it is not saved yet.", suite=desk.suite.name)
    return words.gettext(
        "%(turns)s in %(suite)s, version %(version)s.", turns=counted, suite=desk.suite.name, version=desk.version
    )


def _turns(
    desk: Desk, draft: Draft, scenario: Scenario, phrases: Mapping[str, tuple[str, ...]], notes: Notes
) -> list[TurnView]:
    found = []
    for place, turn in enumerate(draft.turns):
        step = scenario.turns[place]
        tried = None
        if turn.answer and isinstance(step, Turn) and _is_short(turn):
            tried = try_answer(desk.head, scenario, step.expect, turn.answer)
        examples = tuple(text for name in turn.topics for text in phrases.get(name, ()))
        said = dict(locked_parts(turn)).get("user", "")
        found.append(
            TurnView(
                place=place,
                number=place + 1,
                draft=turn,
                kept=keep_step(turn.kept),
                topics=(*turn.topics, "") if turn.topics else ("",),
                phrases=examples[:2],
                locked=tuple(pair for pair in locked_parts(turn) if pair[0] != "user"),
                said_locked=said,
                tried=tried,
                faults=_turn_faults(notes.error, place, step),
            )
        )
    return found


def _is_short(turn: DraftTurn) -> bool:
    """Tell whether an answer can be tried at once; what is too long has a fault, and is shown all the same."""
    return len(turn.answer) <= MOST_LINES and len((*turn.any, *turn.all, *turn.none)) <= 3 * MOST_TEXTS


def _turn_faults(error: InputError | None, place: int, step: object) -> tuple[str, ...]:
    """Return what is wrong with a turn: in one of its fields, or found by the check under its id or number."""
    if error is None:
        return ()
    name = step.id if isinstance(step, Turn) and step.id else f"t{place + 1}"
    return tuple(fault.message for fault in error.faults if _is_at(fault, place, name))


def _is_at(fault: Fault, place: int, name: str) -> bool:
    inner = fault.where.partition(" (line")[0].rpartition("/")[2]
    return fault.where.startswith(f"{place}-") or fault.where == f"turn {place + 1}" or inner == name


def letter_changes(before: str, after: str) -> tuple[Piece, ...]:
    """Return two texts as one run of pieces, by letters; very long ones are not compared."""
    from rapidfuzz.distance import Levenshtein

    if max(len(before), len(after)) > MOST_SAID:
        return change_pieces(before, after)
    pieces: list[Piece] = []
    # The search of difflib takes the cube of the length where letters repeat; this one never does.
    for step in Levenshtein.opcodes(before, after):
        gone, come = before[step.src_start : step.src_end], after[step.dest_start : step.dest_end]
        pieces += [Piece(gone)] if step.tag == "equal" else change_pieces(gone, come)
    return tuple(pieces)


def measure(head: Suite, scenario: Scenario) -> Measured | None:
    """Return how long and twisted a scenario is; None where it cannot be held as it is."""
    script = _script(head, scenario)
    return measure_script(script) if script else None


def _script(head: Suite, scenario: Scenario) -> Script | None:
    """Return how a scenario would be held; None where it cannot be held as it is."""
    alone = replace(head, scenarios=(scenario,))
    return next(iter(expand_leniently(usable_part(alone, find_broken(alone))).plan.scripts), None)


# --- buttons -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pressed:
    """A button of the form and all that it may need."""

    request: Request
    who: Visitor
    store: Store
    desk: Desk
    draft: Draft
    verb: str
    place: int


def press(pressed: Pressed) -> tuple[Draft, Notes]:
    """Do what a button asks for short of saving."""
    moved = rearrange(pressed.draft, pressed.verb, pressed.place)
    if moved is not None:
        return moved[0], Notes(focus=moved[1])
    action = _ACTIONS.get(pressed.verb)
    if action is None:
        raise UsageError(say("there is no button '{verb}'", verb=pressed.verb), remedy=say("open the scenario again"))
    return action(pressed)


def _check(pressed: Pressed) -> tuple[Draft, Notes]:
    suite = suite_of(pressed.store, pressed.desk.suite)
    before = pressed.draft.kept.id if pressed.draft.kept and pressed.desk.scenario_id else ""
    known = [topic.name for topic in offered_topics(pressed.store, pressed.desk.project, pressed.desk.suite)]
    scenario = scenario_of_draft(pressed.draft)
    checked = check_scenario(suite, scenario, known=known, instead_of=before)
    words = words_of(pressed.request)
    if checked.faults:
        error = UsageError(
            words.gettext("this must be corrected before it can be saved"),
            faults=checked.faults,
            remedy=words.gettext("correct these places"),
        )
        return pressed.draft, Notes(error=error, warnings=checked.warnings, status=400)
    return pressed.draft, Notes(words.gettext("Nothing stands in the way of saving."), warnings=checked.warnings)


def _misspell(pressed: Pressed) -> tuple[Draft, Notes]:
    turn = _turn_at(pressed)
    step = step_of(turn)
    # Pressed again, the button makes other mistakes.
    for seed in range(1, 20):
        text = suggest_typo(pressed.desk.head, step, seed=seed)
        if text != turn.misspelt:
            break
    draft = change_turn(pressed.draft, pressed.place, lambda one: replace(one, misspelt=text))
    return draft, Notes(focus=pressed.place)


def _try(pressed: Pressed) -> tuple[Draft, Notes]:
    return pressed.draft, Notes(focus=pressed.place)


def _use(pressed: Pressed) -> tuple[Draft, Notes]:
    turn = _turn_at(pressed)
    text = " ".join(turn.answer.split())
    if not text:
        raise UsageError(say("there is no answer to use"), remedy=say("paste one, or ask the bot"))
    draft = change_turn(
        pressed.draft, pressed.place, lambda one: replace(one, any=tuple(dict.fromkeys((*one.any, text))))
    )
    return draft, Notes(focus=pressed.place)


def _ask(pressed: Pressed) -> tuple[Draft, Notes]:
    words = words_of(pressed.request)
    _turn_at(pressed)
    heard = _ask_bot(pressed)
    if heard.trouble:
        error = UsageError(heard.trouble, remedy=words.gettext("look at the page of the bot, or ask another one"))
        return pressed.draft, Notes(error=error, focus=pressed.place, status=400)
    draft = change_turn(pressed.draft, pressed.place, lambda one: replace(one, answer=heard.reply))
    return draft, Notes(focus=pressed.place)


def _ask_bot(pressed: Pressed) -> Heard:
    desk = pressed.desk
    if not desk.bot:
        raise UsageError(say("no bot is chosen"), remedy=say("choose one under 'The bot that is asked'"))
    row = find_bot(pressed.store, desk.project, desk.bot)
    scenario = scenario_of_draft(replace(pressed.draft, turns=pressed.draft.turns[: pressed.place + 1]))
    script = _script(desk.head, scenario)
    if script is None:
        raise UsageError(say("the scenario cannot be held as it is"), remedy=say("press Check to see why"))
    partner = make_partner(row, desk.suite, reach_of(pressed.request))
    with PLACES.take(pressed.who.user.id):
        return ask_bot(partner, [turn.text for turn in script.turns])


def reach_of(request: Request) -> Reach:
    """Return what bots may do in this application."""
    config = config_of(request)
    return Reach(config.private_bots, config.bot_programs, config.bot_variables)


def _turn_at(pressed: Pressed) -> DraftTurn:
    if not 0 <= pressed.place < len(pressed.draft.turns):
        raise UsageError(
            say("there is no turn {place}", place=pressed.place + 1), remedy=say("open the scenario again")
        )
    return pressed.draft.turns[pressed.place]


_ACTIONS: Mapping[str, Callable[[Pressed], tuple[Draft, Notes]]] = {
    "check": _check,
    "misspell": _misspell,
    "try": _try,
    "use": _use,
    "ask": _ask,
}
