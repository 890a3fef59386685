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

RATERS = "vivavoce.raters"
# The option of a run whose bots may live at public addresses alone.
PUBLIC_ONLY = "public_only"
# The option of a run that has several suites: their ids. A run of one suite has it in `suite_id`.
SUITES = "suites"
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
        raise UnfitError(say("{pair} does not contain two numbers", pair=repr(pair)))
    try:
        setting = Setting(int(k) if k == int(k) else k, float(p))
    except (VivaError, ValueError, OverflowError) as error:
        raise UnfitError(error.what if isinstance(error, VivaError) else join(": ", (repr(pair), error))) from None
    return setting.k, setting.p


# What a project offers to choose from, also for daily runs.
_OFFERED: dict[str, Any] = {"metavar": "NAME", "offered": True, "daily": True}
_OFFERED_LIST: dict[str, Any] = {"default": [], "several": True, **_OFFERED}

CLASSIFIER = replace(
    _SETTINGS["classifier"],
    plugins=plugins.CLASSIFIERS,
    label=say("Classifier"),
    empty=say("project's classifier"),
    **_OFFERED,
)
CLASSIFIERS = Option(
    "classifiers",
    help=say("Two or more classifiers, as `kind` or `kind:option`."),
    fewest=2,
    most=20,
    plugins=plugins.CLASSIFIERS,
    label=say("Classifiers"),
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
        say(
            "Pairs k,p such as 0,0.15; 3,0: topics with fewer than k examples, or the smallest "
            "topics up to a share p, are unknown."
        ),
        several=True,
        fewest=1,
        most=20,
        check=read_pairs,
        label=say("Test conditions"),
        flag="--setting",
        metavar="K,P",
        presets=(
            Preset("paper", say("all three conditions"), [list(pair) for pair in PAPER]),
            Preset("known", say("all topics known (fastest)"), [[0, 0]]),
            Preset("strangers", say("smallest topics unknown"), [[0, 0.15]]),
        ),
    ),
    replace(
        _SETTINGS["retries"],
        help=say("Number of cross-validation rounds, each with new splits; more rounds give narrower intervals."),
        high=MAX_REPEATS,
        label=say("Rounds"),
        metavar="N",
        daily=True,
    ),
    replace(
        _SETTINGS["threshold"],
        help=say("Minimum confidence, from 0 to 1, for the bot to answer."),
        label=say("Threshold"),
        metavar="0..1",
    ),
    replace(
        _SETTINGS["test_fraction"],
        help=say("Share of each topic's examples used for testing."),
        low=0.01,
        high=0.9,
        open_ends=False,
        label=say("Test share"),
        metavar="0..1",
        more=True,
    ),
    _SETTINGS["partition"],
    _SETTINGS["singletons"],
    Option(
        "leak_proof",
        bool,
        True,
        say("Never tests a question if a near-duplicate was in the training data."),
        label=say("Keep near-duplicates together"),
        more=True,
    ),
    SEED,
)
SHARE = replace(
    _SETTINGS["out_of_scope_share"],
    help=say("From 0 to 0.99. Weights the numbers about all questions. Empty: as tested."),
    label=say("Share of out-of-scope questions in live traffic"),
    metavar="0..1",
    more=True,
    daily=True,
)
BORROW = Option(
    "borrow",
    help=say("Language whose examples are also trained but never tested. The result says what they bring."),
    label=say("Borrow examples of a language"),
    empty=say("none"),
    more=True,
    **_OFFERED | {"metavar": "LANGUAGE"},
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
    say("Test whether a bot can learn your topics from their examples."),
    units="vivavoce.jobs.exams.intents:Intents",
    options=(CLASSIFIER, *SPLITS, SHARE, BORROW),
    choices=(replace(CLASSIFIER, default=None), *CHOSEN_SPLITS, SHARE, BORROW),
    project="vivavoce.workspace.exams.intents:IntentsInProject",
    pages="vivavoce.web.pages.exams.exam_pages:IntentsPages",
    place=1,
    daily_title="Daily intents exam",
    daily_hint=say("The method is designed for ten rounds every day."),
    measures="vivavoce.reports.intents.meanings:MEASURES",
    watched=("automation_rate", "precision_answered", "negative_rejection"),
    alike=("settings", "borrow"),
    questions=True,
    reader="vivavoce.intents.json_form:intents_result_from_json",
)
ENGINES = ExamKind(
    "engines",
    say("Classifiers"),
    say("Compare classifiers on the same splits."),
    units="vivavoce.jobs.exams.engines:Engines",
    options=(CLASSIFIERS, *SPLITS),
    choices=(replace(CLASSIFIERS, required=True), *CHOSEN_SPLITS),
    project="vivavoce.workspace.exams.intents:EnginesInProject",
    pages="vivavoce.web.pages.exams.exam_pages:EnginesPages",
    place=2,
    daily_title="Daily classifier comparison",
    measures="vivavoce.reports.intents.meanings:MEASURES",
    reader="vivavoce.intents.json_form:comparison_from_json",
)


REPEATS = Option(
    "repeats",
    int,
    1,
    say("How often each conversation runs. Repeats show whether a bot gives the same answer every time."),
    low=1,
    label=say("Repeats"),
    metavar="N",
    daily=True,
)


def _limit(name: str, kind: type, low: float, help: str, **more: Any) -> Option:
    """Return an option that lowers what each bot allows."""
    texts = {"metavar": "N", "empty": "the bot's limit", **more}
    return Option(name, kind, help=help, low=low, **texts)


CONVERSATIONS = ExamKind(
    "conversations",
    say("Conversations"),
    say("Run scripted conversations with bots and compare them side by side."),
    units="vivavoce.jobs.exams.conversations:Conversations",
    options=(
        REPEATS,
        _limit("concurrency", int, 1, "Maximum simultaneous conversations per bot."),
        _limit("per_second", float, 0.001, "Maximum messages per second to each bot.", flag="--rate"),
        _limit(
            "timeout_s",
            float,
            0.001,
            "Reply timeout.",
            flag="--timeout",
            metavar="SECONDS",
            empty="the bot's timeout, 30",
        ),
        _limit("retries", int, 0, "Retries after a temporary error; 0: none.", empty="the bot's retries, 2"),
        _limit(
            "max_messages",
            int,
            1,
            "Maximum number of messages in total; you can resume the rest later.",
            empty="no limit",
        ),
        Option("give_up_after", int, 10, low=1),
        SEED,
        Option(PUBLIC_ONLY, bool, False),
        Option(SUITES, several=True),
    ),
    choices=(
        Option(
            "suite",
            help=say("Id or name of a suite, or a list of several."),
            label=say("Suites"),
            required=True,
            several=True,
            or_one=True,
            fewest=1,
            most=20,
            **_OFFERED,
        ),
        Option("bots", help=say("Bot names."), fewest=1, most=50, label=say("Bots"), flag="--bot", **_OFFERED_LIST),
        Option(
            "domains",
            help=say("Only these domains; empty: all."),
            label=say("Domains (empty: all)"),
            flag="--domain",
            **_OFFERED_LIST,
        ),
        Option(
            "levels",
            help=say("Only these levels; empty: all."),
            label=say("Levels (empty: all)"),
            flag="--level",
            **_OFFERED_LIST,
        ),
        replace(REPEATS, high=MAX_REPEATS),
        Option(
            "at_once",
            int,
            help=say("Maximum per bot. Empty: the bot's own limit. A bot's lower limit always applies."),
            low=1,
            high=200,
            label=say("Simultaneous conversations"),
            flag="--concurrency",
            metavar="N",
            more=True,
        ),
        Option(
            "per_second",
            float,
            help=say("Maximum per bot. Empty: the bot's own limit."),
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
    alike=(SUITES,),
    reader="vivavoce.conversations.json_form:conversations_result_from_json",
)


RATER = Option(
    "rater",
    default="learned",
    help=say("Rater, as `kind` or `kind:option`."),
    plugins=RATERS,
    label=say("Rater"),
    metavar="NAME",
)
DIALOGUES = ExamKind(
    "dialogues",
    say("Dialogues"),
    say("Predict how a person would rate logged dialogues."),
    units="vivavoce.jobs.exams.dialogues:Dialogues",
    options=(RATER, SEED, Option("source", default="memory")),
    choices=(
        Option(
            "batch",
            help=say("Only one batch of logged dialogues."),
            label=say("Dialogues"),
            empty=say("all dialogues"),
            **_OFFERED,
        ),
        RATER,
        SEED,
    ),
    project="vivavoce.workspace.dialogues.dialogues:DialoguesInProject",
    pages="vivavoce.web.pages.exams.exam_pages:DialoguesPages",
    place=4,
    daily_title="Daily dialogue scores",
    measures="vivavoce.reports.dialogues.meanings:DIALOGUE_MEASURES",
    watched=("score",),
    alike=("source",),
    reader="vivavoce.dialogues.json_form:dialogues_result_from_json",
)
