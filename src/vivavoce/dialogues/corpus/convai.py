"""Dialogues in the two shapes in which ConvAI published them: 2017 and 2018.

2017: `dialogId`, `users` (`id`, `userType`), `thread` (`userId`, `text`, `evaluation`: 0 none, 1 bad, 2 good) and
`evaluation`, a list of marks. A mark stands under the participant who was *rated*, so the other one gave it; 0 means
that nobody gave it.

2018: `dialog` (`sender`, `text`, and in most files `sender_class` and `evaluation_score`: 1 good, 0 bad),
`eval_score` and `profile_match` by the person, in most files `dialog_id` or `participant1_id`, `participant2_id`.
Files that do not say who is a bot call the person `participant1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vivavoce.dialogues.corpus.values import UnreadableError, kind_of, read_mark, read_name
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
    kinds = {read_name(_key(user, "id"), "user"): _key(user, "userType") for user in _objects(item["users"], "users")}
    turns = tuple(_turn_2017(turn, kinds) for turn in _objects(item["thread"], "thread"))
    ratings = tuple(_ratings_2017(_objects(item.get("evaluation") or [], "evaluation"), list(kinds)))
    return Dialogue(read_name(_key(item, "dialogId"), "dialogId"), turns, ratings, row=row)


def _turn_2017(turn: Item, kinds: Mapping[str, object]) -> Utterance:
    speaker = read_name(_key(turn, "userId"), "userId")
    if speaker not in kinds:
        raise UnreadableError(say("'{speaker}' speaks but is not among the users", speaker=speaker))
    thumb = _thumb(turn.get("evaluation"), THUMBS_2017)
    return Utterance(speaker, _text(turn), kinds[speaker] == "Bot", thumb)


def _ratings_2017(marks: list[Item], users: list[str]) -> Iterator[Rating]:
    for mark in marks:
        rated = read_name(_key(mark, "userId"), "userId")
        others = [user for user in users if user != rated]
        if len(others) != 1 or rated not in users:
            raise UnreadableError(say("'{rated}' was evaluated, but is not one of exactly two users", rated=rated))
        given = {name: value for name, value in mark.items() if name != "userId" and value not in (0, None)}
        if given:
            aspects = {name: _mark(value, name) for name, value in given.items() if name != "quality"}
            yield Rating(others[0], read_mark(given.get("quality")), aspects)


def read_2018(item: Item, row: int, name: str) -> Dialogue:
    """Return a dialogue of 2018; `name`: its id where the file gives it none."""
    turns = tuple(_turn_2018(turn, item) for turn in _objects(item["dialog"], "dialog"))
    quality, match = read_mark(item.get("eval_score")), item.get("profile_match")
    aspects = {} if match in (None, "") else {"profile_match": _mark(match, "profile_match", lowest=0)}
    rating = Rating(PERSON, quality, aspects)
    return Dialogue(
        read_name(item.get("dialog_id", name), "dialog_id"),
        turns,
        (rating,) if quality is not None or aspects else (),
        bot=_participant(item, "Bot"),
        user=_participant(item, "User"),
        row=row,
    )


def _turn_2018(turn: Item, item: Item) -> Utterance:
    sender = _key(turn, "sender")
    known = turn.get("sender_class") or (item.get(f"{sender}_id") or {}).get("class")
    is_bot = known == "Bot" if known else sender == "participant2"
    thumb = _thumb(turn.get("evaluation_score"), THUMBS_2018)
    return Utterance(BOT if is_bot else PERSON, _text(turn), is_bot, thumb)


def _participant(item: Item, kind: str) -> str | None:
    """Return the name of the bot or of the person, where the file has it."""
    sides = [item.get(f"participant{number}_id") or {} for number in (1, 2)]
    return next((side.get("user_id") for side in sides if side.get("class") == kind), None)


def _objects(values: object, name: str) -> list[Item]:
    if not isinstance(values, list):
        raise UnreadableError(say("'{name}' is {kind_of}, not a list", name=name, kind_of=kind_of(values)))
    if wrong := next((value for value in values if not isinstance(value, dict)), None):
        raise UnreadableError(say("'{name}' holds {kind_of}, not an object", name=name, kind_of=kind_of(wrong)))
    return values


def _key(item: Item, name: str) -> Any:
    if name not in item:
        raise UnreadableError(say("the key '{name}' is missing", name=name))
    return item[name]


def _thumb(value: object, known: Mapping[object, bool | None]) -> bool | None:
    if isinstance(value, bool) or not isinstance(value, int | str | None) or value not in known:
        raise UnreadableError(
            say("the evaluation of a message is {value}, which the published files do not have", value=repr(value))
        )
    return known[value]


def _mark(value: object, name: str, lowest: int = 1) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not lowest <= value <= 5:
        raise UnreadableError(
            say("'{name}' is {value}, not a number from {lowest} to 5", name=name, value=repr(value), lowest=lowest)
        )
    return float(value)


def _text(turn: Item) -> str:
    text = _key(turn, "text")
    if not isinstance(text, str):
        raise UnreadableError(say("the text is {kind_of}", kind_of=kind_of(text)))
    if text.isascii():
        return text
    try:
        # Some published files hold each byte of a letter as one character: `\udcd0\udc9e` is a Cyrillic O.
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text
