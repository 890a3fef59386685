"""Dialogues in the two shapes in which ConvAI published them: 2017 and 2018.

2017: `dialogId`, `users` (`id`, `userType`), `thread` (`userId`, `text`, `evaluation`: 0 none, 1 bad, 2 good) and
`evaluation`, a list of ratings. A rating names the participant who was *rated*, so the other one gave it; 0 means
that nobody gave it.

2018: `dialog` (`sender`, `text`, and in most files `sender_class` and `evaluation_score`: 1 good, 0 bad),
`eval_score` and `profile_match` by the person, in most files `dialog_id` or `participant1_id`, `participant2_id`.
Files that do not say who is a bot call the person `participant1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vivavoce.dialogues.corpus.entries import UnreadableError, kind_of, read_name, read_rating
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.messages import say

Item = Mapping[str, Any]

USED_2017 = frozenset({"dialogId", "users", "thread", "evaluation"})
USED_2018 = frozenset({"dialog_id", "dialog", "eval_score", "profile_match", "participant1_id", "participant2_id"})
THUMBS_2017: Mapping[object, bool | None] = {None: None, 0: None, 1: False, 2: True}
THUMBS_2018: Mapping[object, bool | None] = {None: None, "": None, 0: False, 1: True}
PERSON, BOT = "user", "bot"


def is_convai2017(item: Item) -> bool:
    """Say whether an object has the shape of 2017."""
    return isinstance(item.get("users"), list) and isinstance(item.get("thread"), list)


def is_convai2018(item: Item) -> bool:
    """Say whether an object has the shape of 2018."""
    return isinstance(item.get("dialog"), list) and "eval_score" in item


def read_2017(item: Item, row: int) -> Dialogue:
    """Return a dialogue of 2017; UnreadableError where the file differs from the published one."""
    kinds = {read_name(_get(user, "id"), "user"): _get(user, "userType") for user in _list_items(item, "users")}
    turns = []
    for turn in _list_items(item, "thread"):
        speaker = read_name(_get(turn, "userId"), "userId")
        if speaker not in kinds:
            raise UnreadableError(say("'{speaker}' speaks but is not listed under users", speaker=speaker))
        thumb = _read_thumb(turn.get("evaluation"), THUMBS_2017)
        turns.append(Utterance(speaker, _read_text(turn), kinds[speaker] == "Bot", thumb))
    ratings = []
    for evaluation in _list_items(item, "evaluation") if item.get("evaluation") else ():
        rated = read_name(_get(evaluation, "userId"), "userId")
        others = [user for user in kinds if user != rated]
        if len(others) != 1 or rated not in kinds:
            raise UnreadableError(say("'{rated}' was evaluated but is not one of exactly two users", rated=rated))
        values = {name: value for name, value in evaluation.items() if name != "userId" and value not in (0, None)}
        if values:
            aspects = {name: _read_aspect(value, name) for name, value in values.items() if name != "quality"}
            ratings.append(Rating(others[0], read_rating(values.get("quality")), aspects))
    return Dialogue(read_name(_get(item, "dialogId"), "dialogId"), tuple(turns), tuple(ratings), row=row)


def read_2018(item: Item, row: int, name: str) -> Dialogue:
    """Return a dialogue of 2018; `name`: its id where the file gives it none."""
    sides = [item.get(f"participant{number}_id") or {} for number in (1, 2)]
    turns = []
    for turn in _list_items(item, "dialog"):
        sender = _get(turn, "sender")
        known = turn.get("sender_class") or (item.get(f"{sender}_id") or {}).get("class")
        is_bot = known == "Bot" if known else sender == "participant2"
        thumb = _read_thumb(turn.get("evaluation_score"), THUMBS_2018)
        turns.append(Utterance(BOT if is_bot else PERSON, _read_text(turn), is_bot, thumb))
    quality, match = read_rating(item.get("eval_score")), item.get("profile_match")
    aspects = {} if match in (None, "") else {"profile_match": _read_aspect(match, "profile_match", lowest=0)}
    bot, user = (
        next((side.get("user_id") for side in sides if side.get("class") == kind), None) for kind in ("Bot", "User")
    )
    ratings = (Rating(PERSON, quality, aspects),) if quality is not None or aspects else ()
    dialogue_id = read_name(item.get("dialog_id", name), "dialog_id")
    return Dialogue(dialogue_id, tuple(turns), ratings, bot=bot, user=user, row=row)


def _list_items(item: Item, name: str) -> list[Item]:
    values = item[name]
    if not isinstance(values, list):
        raise UnreadableError(say("'{name}' is {kind_of}, not a list", name=name, kind_of=kind_of(values)))
    if wrong := next((value for value in values if not isinstance(value, dict)), None):
        raise UnreadableError(say("'{name}' contains {kind_of}, not an object", name=name, kind_of=kind_of(wrong)))
    return values


def _get(item: Item, name: str) -> Any:
    if name not in item:
        raise UnreadableError(say("the key '{name}' is missing", name=name))
    return item[name]


def _read_thumb(value: object, known: Mapping[object, bool | None]) -> bool | None:
    if isinstance(value, bool) or not isinstance(value, int | str | None) or value not in known:
        raise UnreadableError(
            say("a message's evaluation is {value}, a value the published files do not use", value=repr(value))
        )
    return known[value]


def _read_aspect(value: object, name: str, lowest: int = 1) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not lowest <= value <= 5:
        raise UnreadableError(
            say("'{name}' is {value}, not a number from {lowest} to 5", name=name, value=repr(value), lowest=lowest)
        )
    return float(value)


def _read_text(turn: Item) -> str:
    text = _get(turn, "text")
    if not isinstance(text, str):
        raise UnreadableError(say("the text is {kind_of}", kind_of=kind_of(text)))
    if text.isascii():
        return text
    try:
        # Some published files hold each byte of a letter as one character: `\udcd0\udc9e` is a Cyrillic O.
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text
