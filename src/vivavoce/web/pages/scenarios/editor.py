"""The form of a scenario: what it shows, what was typed, what its buttons do, and how it is saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.responses import Response

from vivavoce.conversations import Scenario, Suite
from vivavoce.conversations.scenario import Script, Turn
from vivavoce.conversations.scenarios.check import measure_script
from vivavoce.conversations.scenarios.expansion import expand_leniently
from vivavoce.conversations.scenarios.references import find_broken, usable_part
from vivavoce.errors import Fault, InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.rows import SuiteRow
from vivavoce.web.forms import Fields, fault_at
from vivavoce.web.option_forms import rules_of
from vivavoce.web.pages.scenarios.words import level_title
from vivavoce.web.parts import Choice, Piece, change_pieces
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.bots import chatting
from vivavoce.workspace.scenarios import drafts, scenarios
from vivavoce.workspace.scenarios.suites import read_head
from vivavoce.workspace.scenarios.writing_help import offered_topics, suggest_typo, try_answer, with_twins


@dataclass(frozen=True)
class Target:
    """Where a draft is saved, what it began as, and which bot is asked.

    `misspelt`: the misspelt versions that are wanted, by their clean message.
    """

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


def new_target(visit: Visit, suite: SuiteRow) -> Target:
    """Return where a new scenario of a suite is saved."""
    return Target(suite, f"{visit.base}/suites/{suite.id}/new")


def editor_page(visit: Visit, target: Target, draft: drafts.Draft, notes: Notes | None = None) -> Response:
    """Show a scenario in its form."""
    words, notes, head = visit.words, notes or Notes(), target.head
    topics = offered_topics(*visit.here, target.suite)
    rows = scenarios.list_scenarios(*visit.here, target.suite.id)
    script = _expand(head, drafts.scenario_of(draft))
    lead = words.gettext("New scenario in %(suite)s, not saved yet.", suite=target.suite.name)
    if target.scenario_id:
        lead = words.gettext(
            "%(turns)s in %(suite)s, version %(version)s.",
            turns=words.ngettext("%(num)s turn", "%(num)s turns", len(draft.turns)),
            suite=target.suite.name,
            version=target.version,
        )
    # The level of the draft is among the choices, whatever it is: a form must not change it unasked.
    levels = dict.fromkeys((*head.levels, *(row.level for row in rows), *([draft.level] if draft.level else [])))
    phrases = {topic.name: topic.phrases for topic in topics}
    view = View(
        lead=lead,
        target=target,
        draft=draft,
        kept=drafts.keep_head(draft.kept),
        locked=drafts.locked_head(draft),
        turns=[_turn_view(target, draft, place, phrases, notes.error) for place in range(len(draft.turns))],
        topics=topics,
        levels=[Choice(level, level_title(words, level)) for level in levels],
        domains=sorted({row.domain for row in rows if row.domain}),
        bots=chatting.list_partners(*visit.here),
        measured=measure_script(script) if script else None,
        notes=notes,
        name_fault=fault_at(notes.error, "name"),
        level_fault=fault_at(notes.error, "level"),
        editable=visit.who.may("editor"),
        crumbs=(
            Link(words.gettext("Scenarios"), f"{visit.base}/suites"),
            Link(target.suite.title or target.suite.name, f"{visit.base}/suites/{target.suite.id}"),
        ),
        nothing_expected=any(turn.said for turn in draft.turns)
        and scenarios.expects_nothing(drafts.scenario_of(draft)),
        too_long=len(draft.turns) > MAX_TURNS,
    )
    title = draft.title or draft.name or words.gettext("New scenario")
    return visit.page("scenarios/editor.html", title, view=view, status=notes.status)


def _turn_view(
    target: Target, draft: drafts.Draft, place: int, phrases: Mapping[str, tuple[str, ...]], error: InputError | None
) -> View:
    """Return one turn of the form. `phrases`: what visitors write about each topic."""
    scenario = drafts.scenario_of(draft)
    turn, step = draft.turns[place], scenario.turns[place]
    # An answer that is too long to be tried at once has a fault, and is shown all the same.
    short = len(turn.answer) <= MAX_LINES and len((*turn.any, *turn.all, *turn.none)) <= 3 * MAX_TEXTS
    tried = None
    if turn.answer and isinstance(step, Turn) and short:
        tried = try_answer(target.head, scenario, step.expect, turn.answer)
    name = step.id if isinstance(step, Turn) and step.id else f"t{place + 1}"
    locked = drafts.locked_parts(turn)
    return View(
        place=place,
        number=place + 1,
        draft=turn,
        kept=drafts.keep_step(turn.kept),
        topics=(*turn.topics, "") if turn.topics else ("",),
        phrases=[text for topic in turn.topics for text in phrases.get(topic, ())][:2],
        locked=[pair for pair in locked if pair[0] != "user"],
        said_locked=dict(locked).get("user", ""),
        tried=tried,
        faults=[fault.message for fault in (error.faults if error else ()) if _is_at(fault, place, name)],
        letters=letter_changes(turn.said, turn.misspelt) if turn.misspelt else (),
        slots="\n".join(f"{slot} = {value}" if value else f"{slot} =" for slot, value in turn.slots),
    )


def _is_at(fault: Fault, place: int, name: str) -> bool:
    """Tell whether a fault is in a field of a turn, or was found by the check under its id or number."""
    inner = fault.where.partition(" (line")[0].rpartition("/")[2]
    return fault.where.startswith(f"{place}-") or fault.where == f"turn {place + 1}" or inner == name


def letter_changes(before: str, after: str) -> tuple[Piece, ...]:
    """Return two texts as one run of pieces, by letters; very long ones are not compared."""
    from rapidfuzz.distance import Levenshtein

    if max(len(before), len(after)) > MAX_SAID:
        return change_pieces(before, after)
    pieces: list[Piece] = []
    # The search of difflib takes the cube of the length where letters repeat; this one never does.
    for step in Levenshtein.opcodes(before, after):
        gone, come = before[step.src_start : step.src_end], after[step.dest_start : step.dest_end]
        pieces += [Piece(gone)] if step.tag == "equal" else change_pieces(gone, come)
    return tuple(pieces)


def _expand(head: Suite, scenario: Scenario) -> Script | None:
    alone = replace(head, scenarios=(scenario,))
    return next(iter(expand_leniently(usable_part(alone, find_broken(alone))).plan.scripts), None)


def save_draft(visit: Visit, target: Target, draft: drafts.Draft) -> scenarios.Saved:
    """Save what a form holds, with the misspelt versions that were asked for."""
    texts = {place: turn.misspelt for place, turn in enumerate(draft.turns) if turn.misspelt}
    scenario, twins = with_twins(scenarios.suite_of(visit.store, target.suite), drafts.scenario_of(draft), texts)
    who = visit.acting
    if not target.scenario_id:
        return scenarios.create_scenario(*who, target.suite.id, scenario, twins=twins, why=target.why)
    return scenarios.save_scenario(
        *who, target.scenario_id, scenario, version=target.version, twins=twins, why=target.why
    )


# --- buttons -----------------------------------------------------------------------------------------------------


def press(visit: Visit, target: Target, draft: drafts.Draft, verb: str, place: int) -> tuple[drafts.Draft, Notes]:
    """Do what a button asks for short of saving."""
    moved = rearrange(draft, verb, place)
    if moved is not None:
        return moved[0], Notes(focus=moved[1])
    if verb == "check":
        return draft, _check(visit, target, draft)
    if verb == "try":
        return draft, Notes(focus=place)
    action = {"misspell": _misspell, "use": _use, "ask": _ask, "adopt": _adopt}.get(verb)
    if action is None:
        raise UsageError(say("there is no button '{verb}'", verb=verb), remedy=say("open the scenario again"))
    if not 0 <= place < len(draft.turns):
        raise UsageError(say("there is no turn {place}", place=place + 1), remedy=say("open the scenario again"))
    return action(visit, target, draft, place)


def _check(visit: Visit, target: Target, draft: drafts.Draft) -> Notes:
    words, suite = visit.words, scenarios.suite_of(visit.store, target.suite)
    before = draft.kept.id if draft.kept and target.scenario_id else ""
    known = [topic.name for topic in offered_topics(*visit.here, target.suite)]
    checked = scenarios.check_scenario(suite, drafts.scenario_of(draft), known=known, instead_of=before)
    if not checked.faults:
        return Notes(words.gettext("No problems found. You can save."), warnings=checked.warnings)
    error = UsageError(
        words.gettext("this must be corrected before saving"),
        faults=checked.faults,
        remedy=words.gettext("fix these places"),
    )
    return Notes(error=error, warnings=checked.warnings, status=400)


def _misspell(visit: Visit, target: Target, draft: drafts.Draft, place: int) -> tuple[drafts.Draft, Notes]:
    turn = draft.turns[place]
    step = drafts.step_of(turn)
    # Pressed again, the button makes other mistakes.
    for seed in range(1, 20):
        text = suggest_typo(target.head, step, seed=seed)
        if text != turn.misspelt:
            break
    return change_turn(draft, place, misspelt=text), Notes(focus=place)


def _use(visit: Visit, target: Target, draft: drafts.Draft, place: int) -> tuple[drafts.Draft, Notes]:
    turn = draft.turns[place]
    text = " ".join(turn.answer.split())
    if not text:
        raise UsageError(say("there is no answer to use"), remedy=say("paste one, or ask the bot"))
    return change_turn(draft, place, any=tuple(dict.fromkeys((*turn.any, text)))), Notes(focus=place)


def _adopt(visit: Visit, target: Target, draft: drafts.Draft, place: int) -> tuple[drafts.Draft, Notes]:
    """Ask the bot, and take what it says as a good answer, in one step."""
    asked, notes = _ask(visit, target, draft, place)
    return (asked, notes) if notes.error else _use(visit, target, asked, place)


def _ask(visit: Visit, target: Target, draft: drafts.Draft, place: int) -> tuple[drafts.Draft, Notes]:
    if not target.bot:
        raise UsageError(say("no bot selected"), remedy=say("choose one under 'Bot to ask'"))
    row = chatting.find_bot(*visit.here, target.bot)
    script = _expand(target.head, drafts.scenario_of(replace(draft, turns=draft.turns[: place + 1])))
    if script is None:
        raise UsageError(say("the scenario cannot run as it is"), remedy=say("press Check to see why"))
    partner = chatting.make_partner(row, target.suite, rules_of(visit.request))
    with chatting.PLACES.take(visit.who.user.id):
        heard = chatting.ask_bot(partner, [turn.text for turn in script.turns])
    if heard.trouble:
        remedy = visit.words.gettext("check the bot's page, or ask another bot")
        return draft, Notes(error=UsageError(heard.trouble, remedy=remedy), focus=place, status=400)
    return change_turn(draft, place, answer=heard.reply), Notes(focus=place)


# A form holds at most a thousand fields; longer scenarios are edited in a file.
MAX_TURNS = 60
MAX_SAID = 5_000
MAX_LINES = 20_000
# Each expected text is held against an answer while the page is made.
MAX_TEXTS = 200


def read_draft(form: Fields) -> drafts.Draft:
    """Return what was typed; faults are noted in the form."""
    count = form.whole("count", 0, low=0, high=MAX_TURNS)
    tags = (word.strip() for word in form.text("tags").split(","))
    return drafts.Draft(
        name=_clean(form, "name"),
        title=_clean(form, "title"),
        domain=_clean(form, "domain"),
        level=_clean(form, "level"),
        tags=tuple(word for word in tags if word),
        note=_lines(form, "note"),
        turns=tuple(_read_turn(form, place) for place in range(count)),
        kept=drafts.read_kept_scenario(form.text("kept", most=1_000_000)),
    )


def _read_turn(form: Fields, place: int) -> drafts.DraftTurn:
    def named(field: str) -> str:
        return f"{place}-{field}"

    return drafts.DraftTurn(
        kept=drafts.read_kept_step(form.text(named("kept"), most=1_000_000)),
        said=_lines(form, named("said"), most=MAX_SAID),
        topics=tuple(word.strip() for word in form.all(named("topic")) if word.strip()),
        fallback=form.flag(named("fallback")),
        any=_texts(form, named("any")),
        all=_texts(form, named("all")),
        none=_texts(form, named("none")),
        accepted=_texts(form, named("accepted")),
        slots=_read_slots(form, named("slots")),
        typo=form.flag(named("typo")),
        note=_lines(form, named("note")),
        misspelt=_lines(form, named("misspelt"), most=MAX_SAID),
        answer=_lines(form, named("answer"), most=MAX_LINES),
    )


def _read_slots(form: Fields, name: str) -> tuple[tuple[str, str], ...]:
    """Return pairs, one on each line; a line that is none is kept as a name, so that nothing typed is lost."""
    pairs = []
    for line in _texts(form, name):
        key, sign, value = line.partition("=")
        pairs.append((key.strip(), value.strip()))
        if not sign or not key.strip():
            form.faults.append(Fault(say("'{line}' is not a pair: write name = value", line=line), name))
    counted = Counter(key for key, _ in pairs)
    form.faults += [Fault(say("'{key}' appears twice", key=key), name) for key, n in counted.items() if n > 1]
    return tuple(pairs)


def _texts(form: Fields, name: str) -> tuple[str, ...]:
    return form.lines(name, most=MAX_TEXTS, most_letters=MAX_LINES)


def _lines(form: Fields, name: str, most: int = MAX_LINES) -> str:
    return "\n".join(_clean(form, name, most).splitlines()).strip()


def _clean(form: Fields, name: str, most: int = 200) -> str:
    try:
        return clean_text(form.text(name, most=most))
    except UsageError as error:
        form.faults.append(Fault(error.what, name))
        return ""


# --- buttons -----------------------------------------------------------------------------------------------------


def split_button(do: str) -> tuple[str, int]:
    """Return what a button asks for, and the turn that it stands at."""
    verb, _, place = do.partition(":")
    return verb, int(place) if place.isascii() and place.isdigit() and len(place) < 4 else 0


def rearrange(draft: drafts.Draft, verb: str, place: int) -> tuple[drafts.Draft, int] | None:
    """Return the draft after a button that moves, adds or deletes a turn, and the turn to look at next.

    None for other buttons.
    """
    turns = list(draft.turns)
    place = min(place, max(len(turns) - 1, 0))
    if verb == "add":
        if len(turns) >= MAX_TURNS:
            raise UsageError(
                say("the form supports at most {most_turns} turns", most_turns=MAX_TURNS),
                remedy=say("edit longer scenarios in a file"),
            )
        focus = place + 1 if turns else 0
        turns.insert(focus, drafts.DraftTurn())
    elif verb == "delete":
        del turns[place : place + 1]
        focus = max(place - 1, 0)
    elif verb in ("up", "down"):
        focus = max(place - 1, 0) if verb == "up" else max(min(place + 1, len(turns) - 1), place)
        if turns:
            turns.insert(focus, turns.pop(place))
    else:
        return None
    return replace(draft, turns=tuple(turns)), focus


def change_turn(draft: drafts.Draft, place: int, **changes: Any) -> drafts.Draft:
    """Return the draft with one turn changed."""
    turns = list(draft.turns)
    turns[place] = replace(turns[place], **changes)
    return replace(draft, turns=tuple(turns))
