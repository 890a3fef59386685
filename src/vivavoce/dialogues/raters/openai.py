"""A language model as the judge, behind any endpoint that speaks OpenAI's chat protocol."""

from __future__ import annotations

from vivavoce import plugins
from vivavoce.bots import openai
from vivavoce.bots.declaration import entry_faults
from vivavoce.bots.loops import run_to_end
from vivavoce.bots.protocol import BotContext
from vivavoce.dialogues.raters.judge import JudgeRater
from vivavoce.dialogues.raters.protocol import RaterOptions
from vivavoce.dialogues.raters.rubric import RUBRIC
from vivavoce.errors import BotError, Fault, UsageError

MAX_TOKENS = 1024
# The rubric and the model are set elsewhere: an answer is known by them.
_RESERVED = ("system", "prompt_file", "model", "kind", "option")


@plugins.declare(plugins.Declaration(plugins.Reach.ADDRESS))
def from_option(option: str = "", options: RaterOptions | None = None) -> JudgeRater:
    """Ask a language model to judge by a rubric: `model` or `model@base_url`, with the key in OPENAI_API_KEY."""
    options = options or RaterOptions()
    # The address behind the model may hold a secret; a name is recorded.
    model = option.split("@http", 1)[0].strip()
    name = f"openai:{model}"
    if not model:
        raise UsageError("the model is missing", where=name, remedy="write `openai:MODEL` or `openai:MODEL@ADDRESS`")
    faults = [Fault(f"'{key}' cannot be set for a judge", key) for key in options.settings if key in _RESERVED]
    for steps, message in entry_faults(options.settings, openai.CONNECTOR.keys):
        faults.append(Fault(message, ".".join(steps)))
    if faults:
        raise UsageError("these settings are invalid", where=name, faults=faults, remedy="fix them")
    entry = {"max_tokens": MAX_TOKENS, **options.settings, "system": RUBRIC}
    bot = openai.from_option(option, BotContext(name, entry=entry, seed=options.seed))
    try:
        # Open a session and say nothing: what is missing in the environment shows before the first dialogue is read.
        run_to_end(bot.open("check"))
    except BotError as error:
        raise UsageError(error.what, where=name, remedy=error.remedy) from error
    return JudgeRater(bot, model, name=name, options=options)
