"""The exams that come with the product: what each is called, which options it has, and where its parts are.

Nothing here loads more than texts and numbers: forms, help and lists read it at every start.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vivavoce import plugins
from vivavoce.errors import VivaError
from vivavoce.jobs.exams.protocol import ExamKind
from vivavoce.messages import join, say
from vivavoce.options import Option, Preset, UnfitError
from vivavoce.settings import OPTIONS, PAPER

__all__ = ["CONVERSATIONS", "DIALOGUES", "ENGINES", "INTENTS", "PUBLIC_ONLY"]

RATERS = "vivavoce.raters"
# The option of a run whose bots may live at public addresses alone.
PUBLIC_ONLY = "public_only"
# What a server repeats in one run; more is a slip of the finger.
MAX_REPEATS = 100
MAX_SEED = 2**31 - 1
_SETTINGS = {option.name: option for option in OPTIONS}


def read_pairs(value: Any) -> list[list[Any]]:
    """Return the settings (k, p) of an intents exam, each once; UnfitError with all faults."""
    if not isinstance(value, list | tuple) or not value:
        raise UnfitError(say("must be a list of pairs such as [[0, 0.15], [5, 0]], not {value}", value=repr(value)))
    pairs: list[tuple[int, float]] = []
    wrong: list[str] = []
    for pair in value:
        try:
            pairs.append(_read_pair(pair))
        except UnfitError as error:
            wrong.append(error.what)
    if wrong:
        raise UnfitError(join("; ", wrong))
    return [list(pair) for pair in dict.fromkeys(pairs)]


def _read_pair(pair: Any) -> tuple[int, float]:
    from vivavoce.intents.splits import Setting

    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise UnfitError(say("{pair} is not a pair [k, p]", pair=repr(pair)))
    k, p = pair
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in pair):
        raise UnfitError(say("{pair} does not hold two numbers", pair=repr(pair)))
    try:
        setting = Setting(int(k) if k == int(k) else k, float(p))
    except (VivaError, ValueError, OverflowError) as error:
        raise UnfitError(error.what if isinstance(error, VivaError) else join(": ", (repr(pair), error))) from None
    return setting.k, setting.p


# --- topics: one classifier, or several on the same splits --------------------------------------------------------

# What a project offers to choose from, also for daily runs.
_OFFERED: dict[str, Any] = {"metavar": "NAME", "offered": True, "daily": True}
_OFFERED_LIST: dict[str, Any] = {"default": [], "several": True, **_OFFERED}

CLASSIFIER = replace(
    _SETTINGS["classifier"],
    plugins=plugins.CLASSIFIERS,
    label=say("Engine"),
    empty=say("engine of the project"),
    **_OFFERED,
)
CLASSIFIERS = Option(
    "classifiers",
    help=say("Classifiers, as `kind` or `kind:option`; two or more."),
    fewest=2,
    most=20,
    plugins=plugins.CLASSIFIERS,
    label=say("Engines"),
    flag="--classifier",
    **_OFFERED_LIST,
)
SEED = replace(
    _SETTINGS["seed"], high=MAX_SEED, label=say("Seed"), help=say("The same seed gives the same splits."), more=True
)
SPLITS = (
    Option(
        "settings",
        tuple,
        [list(pair) for pair in PAPER],
        say("Pairs k,p such as 0,0.15; 3,0: topics under k examples, or a share p, are unknown."),
        several=True,
        fewest=1,
        most=20,
        check=read_pairs,
        label=say("What the bot has to face"),
        flag="--setting",
        metavar="K,P",
        presets=(
            Preset("paper", say("all three situations"), [list(pair) for pair in PAPER]),
            Preset("known", say("every topic is known (fastest)"), [[0, 0]]),
            Preset("strangers", say("the smallest topics are unknown"), [[0, 0.15]]),
        ),
    ),
    replace(
        _SETTINGS["retries"],
        help=say("How often all is done anew with other splits; more make intervals smaller."),
        high=MAX_REPEATS,
        label=say("Retries"),
        metavar="N",
        daily=True,
    ),
    replace(
        _SETTINGS["threshold"],
        help=say("Least confidence, from 0 to 1, with which the bot answers."),
        label=say("Threshold"),
        metavar="0..1",
    ),
    replace(
        _SETTINGS["test_fraction"],
        help=say("Share of each topic's examples that is held back for testing."),
        low=0.01,
        high=0.9,
        open_ends=False,
        label=say("Share held back for tests"),
        metavar="0..1",
        more=True,
    ),
    _SETTINGS["partition"],
    _SETTINGS["singletons"],
    Option(
        "leak_proof",
        bool,
        True,
        say("A question is never tested when its twin was taught."),
        label=say("Keep near-duplicates together"),
        more=True,
    ),
    SEED,
)
SHARE = replace(
    _SETTINGS["out_of_scope_share"],
    help=say("From 0 to 0.99. Numbers about all questions are weighted for it. Empty: as tested."),
    label=say("Share of out-of-scope questions in live traffic"),
    metavar="0..1",
    more=True,
    daily=True,
)
# The project decides where a person does not; how topics of one example are treated is a matter of the local command.
CHOSEN_SPLITS = tuple(
    replace(option, default=None) if option.name == "threshold" else option
    for option in SPLITS
    if option.name not in ("partition", "singletons")
)

INTENTS = ExamKind(
    "intents",
    say("Intents"),
    say("Examine the topics: can anyone learn them from these examples?"),
    units="vivavoce.jobs.exams.intents:Intents",
    options=(CLASSIFIER, *SPLITS, SHARE),
    choices=(replace(CLASSIFIER, default=None), *CHOSEN_SPLITS, SHARE),
    project="vivavoce.workspace.exams.intents:IntentsInProject",
    pages="vivavoce.web.pages.exams.exam_pages:IntentsPages",
    place=1,
    daily_title="Daily intents exam",
    daily_hint=say("Ten retries every day are what the method was made for."),
    measures="vivavoce.reports.intents.meanings:MEASURES",
    watched=("automation_rate", "precision_answered", "negative_rejection"),
    alike=("settings",),
    questions=True,
    reader="vivavoce.intents.json_form:intents_result_from_json",
)
ENGINES = ExamKind(
    "engines",
    say("Engines"),
    say("Compare classifiers on the same splits."),
    units="vivavoce.jobs.exams.engines:Engines",
    options=(CLASSIFIERS, *SPLITS),
    choices=(replace(CLASSIFIERS, required=True), *CHOSEN_SPLITS),
    project="vivavoce.workspace.exams.engines:EnginesInProject",
    pages="vivavoce.web.pages.exams.exam_pages:EnginesPages",
    place=2,
    daily_title="Daily comparison of engines",
    measures="vivavoce.reports.intents.meanings:MEASURES",
    reader="vivavoce.intents.json_form:comparison_from_json",
)

# --- scripted conversations ---------------------------------------------------------------------------------------

REPEATS = Option(
    "repeats",
    int,
    1,
    say("How often each conversation is held. More show whether a bot answers the same every time."),
    low=1,
    label=say("Repeats"),
    metavar="N",
    daily=True,
)


def _limit(name: str, kind: type, low: float, help: str, **more: Any) -> Option:
    """Return an option that lowers what each bot allows."""
    texts = {"metavar": "N", "empty": "the bot's own limit", **more}
    return Option(name, kind, help=help, low=low, **texts)


CONVERSATIONS = ExamKind(
    "conversations",
    say("Conversations"),
    say("Hold scripted conversations with bots and see them side by side."),
    units="vivavoce.jobs.exams.conversations:Conversations",
    options=(
        REPEATS,
        _limit("concurrency", int, 1, "Conversations at once with each bot."),
        _limit("per_second", float, 0.001, "Messages a second to each bot, at most.", flag="--rate"),
        _limit(
            "timeout_s",
            float,
            0.001,
            "Time for one reply.",
            flag="--timeout",
            metavar="SECONDS",
            empty="the bot's own, 30",
        ),
        _limit("retries", int, 0, "Further tries after an error that may pass; 0: none.", empty="the bot's own, 2"),
        _limit(
            "max_messages",
            int,
            1,
            "Send no more messages than this in all; what is left can be resumed.",
            empty="no limit",
        ),
        Option("give_up_after", int, 10, low=1),
        SEED,
        Option(PUBLIC_ONLY, bool, False),
    ),
    choices=(
        Option(
            "suite", help=say("Id or name of the suite."), label=say("Suite"), required=True, reloads=True, **_OFFERED
        ),
        Option(
            "bots", help=say("Names of bots."), fewest=1, most=50, label=say("Bots"), flag="--bot", **_OFFERED_LIST
        ),
        Option(
            "domains",
            help=say("Only these domains; none: all."),
            label=say("Domains (none: all)"),
            flag="--domain",
            **_OFFERED_LIST,
        ),
        Option(
            "levels",
            help=say("Only these levels; none: all."),
            label=say("Levels (none: all)"),
            flag="--level",
            **_OFFERED_LIST,
        ),
        replace(REPEATS, high=MAX_REPEATS),
        Option(
            "at_once",
            int,
            help=say("At most, with each bot. Empty: as the bot allows; a lower limit of a bot always holds."),
            low=1,
            high=200,
            label=say("Conversations at once"),
            flag="--concurrency",
            metavar="N",
            more=True,
        ),
        Option(
            "per_second",
            float,
            help=say("At most, to each bot. Empty: as the bot allows."),
            low=0.001,
            high=1000,
            label=say("Messages per second"),
            flag="--rate",
            metavar="N",
            more=True,
        ),
        SEED,
    ),
    project="vivavoce.workspace.conversations.conversations:ConversationsInProject",
    pages="vivavoce.web.pages.exams.exam_pages:ConversationsPages",
    place=3,
    daily_title="Daily conversations",
    measures="vivavoce.reports.conversations.meanings:CONVERSATION_MEASURES",
    watched=("accuracy", "conversations_passed", "fallback_rate"),
    reader="vivavoce.conversations.json_form:conversations_result_from_json",
)

# --- logged dialogues ---------------------------------------------------------------------------------------------

RATER = Option(
    "rater",
    default="learned",
    help=say("Who scores, as `kind` or `kind:option`."),
    plugins=RATERS,
    label=say("Rater"),
    metavar="NAME",
)
DIALOGUES = ExamKind(
    "dialogues",
    say("Dialogues"),
    say("Score logged dialogues as a person would probably rate them."),
    units="vivavoce.jobs.exams.dialogues:Dialogues",
    options=(RATER, SEED, Option("source", default="memory")),
    choices=(
        Option(
            "batch", help=say("A batch of logged talks only."), label=say("Talks"), empty=say("all talks"), **_OFFERED
        ),
        RATER,
        SEED,
    ),
    project="vivavoce.workspace.dialogues.dialogues:DialoguesInProject",
    pages="vivavoce.web.pages.exams.exam_pages:DialoguesPages",
    place=4,
    daily_title="Daily scores of talks",
    measures="vivavoce.reports.dialogues.meanings:DIALOGUE_MEASURES",
    watched=("score",),
    alike=("source",),
    reader="vivavoce.dialogues.json_form:dialogues_result_from_json",
)
