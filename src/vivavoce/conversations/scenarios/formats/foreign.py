"""Files of other tools, given where scenarios are read: which tool they belong to, and what can be done with them."""

from __future__ import annotations

from vivavoce.files.formats import Format, Kind, SourceFile
from vivavoce.messages import say

# A suite with a fault is a suite, whatever else it holds.
OWN = frozenset({"scenarios", "suite", "level"})
READ = say("scenarios can be YAML, CSV or XLSX in the vivavoce format, Botium scripts or Rasa tests")

_SHEET = "put its cases into a sheet with the columns scenario, level, user and good_replies (docs/scenarios.md)"
_PROMPTFOO = f"{_SHEET}: the variable with the question becomes user, the values of `contains` become good_replies"
_DEEPEVAL = (
    f"{_SHEET}: `input` becomes user, `expected_output` becomes good_replies with `similar` in the column match"
)
_LEX_TESTS = (
    f"{_SHEET}: `Conversation #` becomes scenario, `Input` becomes user, `Expected "
    "Output Intent` becomes expect_topic"
)
_CX_TESTS = (
    f"{_SHEET}: each test case becomes a scenario, user inputs become user, text responses become good_replies"
)
_PAIRS = f"{_SHEET}: the input becomes user, the output becomes good_replies"
_TRAINING = (
    "it describes an agent, not conversations with it: put its example messages into a table with the columns text "
    "and intent and test them with `viva intents examine`; scenarios need a separate file"
)
_EXAMPLES = "test it with `viva intents examine`; scenarios need a separate file"
_RASA = "use the project's test stories (`stories:` with `user` texts) or end-to-end tests (`test_cases:`)"
_LOG = (
    "a log has no expectations: score it with `viva dialogues score`, or put the replies the bot "
    "should have given into a sheet with the columns scenario, level, user and good_replies"
)


def _tool(
    summary: str, remedy: str, *keys: str, names: tuple[str, ...] = (), extensions: tuple[str, ...] = ()
) -> Format:
    """Return the format of another tool.

    Each of `keys` is one way to know it: keys of an object or columns of a table that must all be there, and after a
    bar those of which one must be. `names`: parts of file names that must all be found in an archive or a folder.
    """
    shapes = [tuple(frozenset(part.split(", ")) for part in shape.split(" | ")) for shape in keys]

    def sniff(file: SourceFile) -> bool:
        if file.ends_in(extensions):
            return True
        if OWN & file.keys and "prompts" not in file.keys:
            return False
        if names and all(any(part in f"/{name}" for name in file.names) for part in names):
            return True
        return any(shape[0] <= file.keys and (not shape[1:] or shape[1] & file.keys) for shape in shapes)

    name = summary.partition(" ")[2].replace(" ", "-").lower()
    return Format(name, Kind.SCENARIOS, summary, extensions, sniff=sniff, remedy=remedy)


# The first that fits is named, so the particular come before the general.
OTHER_TOOLS = (
    _tool(
        "a promptfoo configuration",
        _PROMPTFOO,
        "prompts | providers, targets, tests, scenarios",
        "redteam | targets, providers, purpose",
    ),
    _tool("a promptfoo test list", _PROMPTFOO, "__expected", "vars | assert, description, metadata, options"),
    _tool(
        "a DeepEval dataset",
        _DEEPEVAL,
        "input | expected_output, actual_output, retrieval_context, expected_tools",
        "scenario, expected_outcome",
    ),
    _tool("a Bot Framework transcript", _LOG, "type, from, recipient, conversation", extensions=(".transcript",)),
    _tool("an Amazon Lex test set", _LEX_TESTS, "conversation #, source, input"),
    _tool(
        "an Amazon Lex bot export",
        _TRAINING,
        "metadata, resource",
        "metaData",
        names=("/Manifest.json", "/BotLocales/"),
    ),
    _tool("a set of Dialogflow CX test cases", _CX_TESTS, "testCaseConversationTurns", "testCases"),
    _tool("a Dialogflow CX agent export", _TRAINING, names=("/agent.json", "/flows/")),
    _tool("a Dialogflow ES agent export", _TRAINING, names=("/agent.json", "/intents/")),
    _tool("a LUIS app", _TRAINING, "luis_schema_version"),
    _tool("a CLU project", _TRAINING, "projectFileVersion, assets"),
    _tool("a Watson Assistant skill", _TRAINING, "intents, dialog_nodes", "workspace, skill_id"),
    _tool("a Rasa training data file", _RASA, "nlu", "rules"),
    _tool("a Rasa flows file", _RASA, "flows"),
    _tool("a Rasa domain", _RASA, "responses", "intents | actions, slots, session_config"),
    _tool("a Rasa configuration", _RASA, "pipeline | policies, recipe, language"),
    _tool("a LangSmith dataset", _PAIRS, "inputs, outputs"),
    _tool("an inspect_ai dataset", _PAIRS, "input, target"),
    _tool("an OpenAI evals dataset", _PAIRS, "input, ideal"),
    _tool("a dialogue log", _LOG, "messages", "sender_id, events"),
    _tool("a list of examples with their topics", _EXAMPLES, "text | intent, topic, label, category"),
)
