"""Logs in JSON: our own shape, chat logs, Rasa trackers, and how they are refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.dialogues.corpus import reading
from vivavoce.dialogues.corpus.reading import Corpus, read_dialogues, stream_dialogues
from vivavoce.dialogues.corpus.stored import write_dialogues
from vivavoce.dialogues.dialogue import Dialogue, Kind, Rating, Utterance
from vivavoce.errors import DataError, FileError, InputError, UsageError

pytestmark = pytest.mark.slow

TURNS = [{"speaker": "Ann", "text": "hi"}, {"speaker": "bot", "text": "hello"}]
Save = Callable[..., Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write(*items: object, name: str = "log.jsonl") -> Path:
        path = tmp_path / name
        lines = [item if isinstance(item, str) else json.dumps(item) for item in items]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def talk(**more: object) -> dict[str, object]:
    return {"id": "a", "turns": TURNS} | more


def only(corpus: Corpus) -> Dialogue:
    (dialogue,) = corpus.dialogues
    return dialogue


def faults_of(path: Path, **options: object) -> list[str]:
    with pytest.raises(DataError) as caught:
        read_dialogues(path, **options)  # type: ignore[arg-type]
    return [str(fault) for fault in caught.value.faults]


# What is read


def test_a_line_of_the_own_shape_is_read_whole(save: Save) -> None:
    item = talk(
        ratings=[{"rater": "Ann", "quality": 4, "breadth": 2}], bot="v2", user="u1", passed=True, source="web"
    )
    read = only(read_dialogues(save(item)))
    turns = (Utterance("Ann", "hi"), Utterance("bot", "hello", True))
    rating = Rating("Ann", 4.0, {"breadth": 2.0})
    assert read == Dialogue("a", turns, (rating,), "web", "v2", "u1", True, 1)


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ({"Ann": {"quality": 3}, "Bob": {"quality": None}}, (Rating("Ann", 3.0), Rating("Bob", None))),
        ({"Ann": 2}, (Rating("Ann", 2.0),)),
        ({"rater": "Ann", "quality": 2}, (Rating("Ann", 2.0),)),
        (4.5, (Rating("", 4.5),)),
        ("4,5", (Rating("", 4.5),)),
        ([5, 1], (Rating("", 5.0), Rating("", 1.0))),
        ([{"rater": 7, "overall": "3 stars"}], (Rating("7", 3.0),)),
        ([{"rater": "Ann", "aspects": {"depth": 0.5}}], (Rating("Ann", None, {"depth": 0.5}),)),
        (None, ()),
        ([], ()),
    ],
)
def test_ratings_come_in_many_shapes(save: Save, ratings: object, expected: tuple[Rating, ...]) -> None:
    assert only(read_dialogues(save(talk(ratings=ratings)))).ratings == expected


def test_a_json_file_holds_a_list_or_one_or_lines(save: Save) -> None:
    items = [talk(), talk(id="b")]
    listed = read_dialogues(save(json.dumps(items), name="log.json"))
    wrapped = read_dialogues(save(json.dumps({"dialogues": items}), name="wrapped.json"))
    lines = read_dialogues(save(*items, name="lines.json"))
    assert listed.dialogues == wrapped.dialogues == lines.dialogues
    assert [each.id for each in listed.dialogues] == ["a", "b"]
    assert only(read_dialogues(save(json.dumps(talk(), indent=2), name="one.json"))).id == "a"


@pytest.mark.parametrize("name", ["log", "log.log", "log.dat", "log.txt"])
def test_an_ending_that_says_little_is_no_obstacle(save: Save, name: str) -> None:
    assert len(read_dialogues(save(talk(), talk(id="b"), name=name)).dialogues) == 2


def test_the_format_can_be_given(save: Save) -> None:
    path = save(talk(), name="log.csv")
    assert only(read_dialogues(path, format="jsonl")).id == "a"
    with pytest.raises(UsageError, match="Did you mean 'jsonl'"):
        read_dialogues(path, format="jsonll")


def test_chat_logs_are_read_without_instructions_and_tools(save: Save) -> None:
    messages = [
        {"role": "system", "content": "Be kind."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "what is this"}, {"type": "image_url", "image_url": {}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "{}", "tool_call_id": "1"},
        {"role": "assistant", "content": "A cat."},
        {"role": "assistant", "content": None, "refusal": "I cannot say more."},
    ]
    corpus = read_dialogues(save({"messages": messages}))
    read = only(corpus)
    assert [(turn.text, turn.is_bot) for turn in read.turns] == [
        ("what is this", False),
        ("A cat.", True),
        ("I cannot say more.", True),
    ]
    assert read.id == "1"
    told = "\n".join(corpus.notes)
    assert "no id" in told
    assert "'system' are skipped" in told
    assert "'tool' are skipped" in told
    assert "only call tools" in told


def test_a_system_that_answers_is_a_bot_not_an_instruction(save: Save) -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "system", "content": "hello"}]
    assert [turn.is_bot for turn in only(read_dialogues(save(talk(turns=messages)))).turns] == [False, True]


def test_empty_turns_and_dialogues_without_turns_are_kept(save: Save) -> None:
    silent = [{"speaker": "Ann", "text": ""}, {"speaker": "Bob", "text": ""}]
    corpus = read_dialogues(save(talk(turns=silent), talk(id="b", turns=[])))
    assert [len(each.turns) for each in corpus.dialogues] == [2, 0]
    assert corpus.excluded == 0


def test_keys_that_mean_nothing_are_told_once_with_the_nearest_name(save: Save) -> None:
    corpus = read_dialogues(save(talk(ratngs=[4]), talk(id="b", ratngs=[3])))
    (note,) = corpus.notes
    assert "'ratngs' is ignored. Did you mean 'ratings'?" in note
    assert "2 dialogues, first in line 1" in note


# Who is a bot


def test_bots_are_known_by_what_the_log_says_first(save: Save) -> None:
    turns = [{"speaker": "bot", "text": "a", "is_bot": False}, {"speaker": "Ann", "text": "b", "is_bot": True}]
    assert [turn.is_bot for turn in only(read_dialogues(save(talk(turns=turns)))).turns] == [False, True]


@pytest.mark.parametrize("name", ["Bot", "SYSTEM", "assistant", "Agent", "chatbot", "virtual-assistant"])
def test_usual_names_of_bots_are_known(save: Save, name: str) -> None:
    turns = [{"speaker": "Ann", "text": "a"}, {"speaker": name, "text": "b"}]
    read = only(read_dialogues(save(talk(turns=turns))))
    assert [turn.is_bot for turn in read.turns] == [None, True]
    assert read.kind is Kind.HUMAN_BOT


def test_the_user_can_name_the_bot_and_then_no_other_name_makes_one(save: Save) -> None:
    turns = [{"speaker": "agent", "text": "a"}, {"speaker": "Robo", "text": "b", "is_bot": None}]
    read = only(read_dialogues(save(talk(turns=turns)), bot="robo"))
    assert [turn.is_bot for turn in read.turns] == [None, True]


def test_a_bot_that_never_speaks_is_refused_with_the_nearest_speaker(save: Save) -> None:
    with pytest.raises(UsageError, match="Did you mean 'Ann'"):
        read_dialogues(save(talk()), bot="Anne")


def test_nobody_is_guessed_to_be_a_bot(save: Save) -> None:
    turns = [{"speaker": "Ann", "text": "a"}, {"speaker": "Bob", "text": "b"}]
    assert only(read_dialogues(save(talk(turns=turns)))).kind is Kind.UNKNOWN


def test_a_list_under_bot_names_the_speakers_that_are_bots(save: Save) -> None:
    turns = [{"speaker": "Ann", "text": "a"}, {"speaker": "Bob", "text": "b"}]
    read = only(read_dialogues(save(talk(turns=turns, bot=["Bob"]))))
    assert (read.bot, read.bots) == (None, {"Bob"})


# What is refused


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "not valid JSON"),
        ('{"id": "a", "id": "b", "turns": []}', "'id' appears twice"),
        ("[1]", "a list, not a dialogue"),
        ('"text"', "text, not a dialogue"),
        ({"id": "a"}, "'turns' is missing"),
        ({"id": "a", "turnz": []}, "Did you mean 'turns'"),
        ({"turns": TURNS}, "'id' is missing"),
        (talk(id=None), "id is null"),
        (talk(id=True), "id is true or false"),
        (talk(id=" "), "id is empty"),
        (talk(turns="hi"), "messages are text, not a list"),
        (talk(turns=["hi"]), "message 1 is text"),
        (talk(turns=[{"speaker": "Ann"}]), "'text' is missing"),
        (talk(turns=[{"speaker": "Ann", "txt": "a"}]), "Did you mean 'text'"),
        (talk(turns=[{"text": "a"}]), "'speaker' is missing"),
        (talk(turns=[{"speaker": "", "text": "a"}]), "speaker is empty"),
        (talk(turns=[{"speaker": "Ann", "text": True}]), "text is true or false"),
        (talk(turns=[{"speaker": "Ann", "text": 5}]), "text is a number"),
        (talk(turns=[{"speaker": "Ann", "text": None}]), "text is null"),
        (talk(turns=[{"speaker": "Ann", "text": "a", "is_bot": "perhaps"}]), "'is_bot' is 'perhaps'"),
        (talk(turns=[{"speaker": "Ann", "text": "a", "thumb": "so-so"}]), "thumb is 'so-so'"),
        (talk(ratings=[{"rater": "Ann", "quality": 6}]), "outside 1 to 5"),
        (talk(ratings=[{"rater": "Ann", "quality": 0}]), "outside 1 to 5"),
        (talk(ratings=[{"rater": "Ann", "quality": math.nan}]), "NaN"),
        (talk(ratings={"Ann": {"quality": "good"}}), "by 'Ann': the rating 'good' is not a number"),
        (talk(ratings=[{"rater": "Ann", "quality": True}]), "not a number"),
        (talk(ratings=[{"rater": "Ann"}]), "'quality' is missing"),
        (talk(ratings=[[4]]), "a list, not a number"),
        (talk(ratings=[{"quality": 4, "aspects": {"depth": "deep"}}]), "aspect 'depth'"),
        (talk(passed="perhaps"), "'passed' is 'perhaps'"),
        (talk(bot={"name": "x"}), "the bot is an object"),
        ({"event": "user", "sender_id": "x", "text": "hi"}, "single Rasa event"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line_and_left_out_on_request(
    save: Save, line: object, said: str
) -> None:
    path = save(talk(id="fine"), "", line)
    (fault,) = faults_of(path)
    assert f"{path}, line 3" in fault
    assert said in fault
    corpus = read_dialogues(path, skip_bad=True)
    assert (only(corpus).id, corpus.excluded) == ("fine", 1)
    assert any(said in note and "line 3: skipped" in note for note in corpus.notes)


def test_all_faults_are_told_at_once(save: Save) -> None:
    turns = [{"speaker": "Ann", "text": 1}, {"speaker": "Ann", "text": 2}]
    faults = faults_of(save("nonsense", talk(turns=turns, ratings=[9]), talk(id="b"), talk(id="b")))
    assert len(faults) == 5
    assert "the same id was already used in line 3" in faults[-1]


def test_a_log_that_breaks_off_in_the_middle_of_a_line_says_so(save: Save) -> None:
    path = save(talk(), json.dumps(talk(id="b"))[:30])
    assert "line 2" in faults_of(path)[0]
    assert only(read_dialogues(path, skip_bad=True)).id == "a"


@pytest.mark.parametrize("content", ["", "\n\n  \n", "\ufeff"])
@pytest.mark.parametrize("name", ["log.jsonl", "log.json", "log.csv", "log.txt", "log"])
def test_an_empty_file_is_refused(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"empty|no dialogues"):
        read_dialogues(path)


def test_an_empty_list_is_refused(save: Save) -> None:
    with pytest.raises(DataError, match="no dialogues"):
        read_dialogues(save("[]", name="log.json"))


def test_broken_json_is_refused_with_the_place(save: Save) -> None:
    with pytest.raises(FileError, match="line 2, character 1"):
        read_dialogues(save('[{"id": "a",', "]", name="log.json"))


def test_when_nothing_is_left_the_file_is_refused(save: Save) -> None:
    with pytest.raises(DataError, match="nothing left"):
        read_dialogues(save("nonsense"), skip_bad=True)


@pytest.mark.parametrize("role", [[], {}, None, 5])
def test_a_role_that_is_no_name_is_a_fault_of_its_turn(save: Save, role: object) -> None:
    path = save(json.dumps({"id": "a", "turns": [{"role": role, "text": "hi"}]}))
    if role == 5:
        assert read_dialogues(path).dialogues[0].turns[0].speaker == "5"
    else:
        with pytest.raises(DataError, match="message 1: the speaker is"):
            read_dialogues(path)


def test_a_file_that_is_no_log_at_all_is_not_read_to_its_end(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FAULTS", 5)
    with pytest.raises(DataError, match="the rest was not read") as caught:
        read_dialogues(save(*["nonsense"] * 50))
    assert len(caught.value.faults) == 6


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="the file does not exist"):
        read_dialogues(tmp_path / "none.jsonl")
    with pytest.raises(FileError, match="folder"):
        read_dialogues(tmp_path)


def test_a_file_beyond_the_limit_is_refused_whole_and_streamed_by_line(save: Save) -> None:
    path = save(*[talk(id=str(number)) for number in range(20)])
    with pytest.raises(FileError, match="limit"):
        read_dialogues(path, max_bytes=300)
    assert len(list(stream_dialogues(path, max_bytes=300))) == 20
    with pytest.raises(FileError, match="line 1"):
        list(stream_dialogues(path, max_bytes=50))


def test_a_mess_of_unknown_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.dat"
    path.write_text("some words without a speaker\n", encoding="utf-8")
    with pytest.raises(FileError, match="the format could not be detected"):
        read_dialogues(path)


# Encodings


def test_another_encoding_is_told_with_its_line_and_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lines = [json.dumps(talk(id=name, user="Zoë"), ensure_ascii=False) for name in "ab"]
    path.write_bytes(lines[0].encode() + b"\n" + lines[1].encode("cp1252") + b"\n")
    (fault,) = faults_of(path)
    assert "line 2" in fault
    assert "--encoding cp1252" in fault
    assert "Zoë" in fault
    assert only(read_dialogues(path, skip_bad=True)).user == "Zoë"
    path.write_bytes(lines[0].encode("cp1252"))
    assert only(read_dialogues(path, encoding="cp1252")).user == "Zoë"
    with pytest.raises(UsageError, match="unknown text encoding"):
        read_dialogues(path, encoding="klingon")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_marked_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(talk(id=name)) + "\n" for name in "ab"), encoding=encoding)
    assert [each.id for each in read_dialogues(path).dialogues] == ["a", "b"]


def test_utf_16_without_a_mark_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(talk()) + "\n", encoding="utf-16-le")
    with pytest.raises(FileError, match="utf-16-le"):
        read_dialogues(path)
    assert only(read_dialogues(path, encoding="utf-16-le")).id == "a"


def test_a_compressed_log_is_told_from_text(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(FileError, match="gzip"):
        read_dialogues(path)


# Streams


def test_a_stream_yields_before_it_has_read_everything(save: Save) -> None:
    path = save(talk(), "nonsense", talk(id="b"))
    stream = stream_dialogues(path)
    assert next(stream).id == "a"
    assert next(stream).id == "b"
    with pytest.raises(DataError, match="1 dialogue invalid"):
        next(stream)


def test_a_stream_tells_what_it_leaves_out(save: Save) -> None:
    told: list[str] = []
    path = save(talk(extra=1), "nonsense", talk(id="b"))
    assert [each.id for each in stream_dialogues(path, skip_bad=True, tell=told.append)] == ["a", "b"]
    assert len(told) == 2
    assert "line 2: skipped" in told[0]
    assert "'extra'" in told[1]


def test_ten_thousand_turns_and_emoji_are_nothing_special(save: Save) -> None:
    turns = [{"speaker": "Ann", "text": "🙃" * (number % 5)} for number in range(10_000)]
    assert len(only(read_dialogues(save(talk(turns=turns)))).turns) == 10_000


# There and back

names = st.text(min_size=1).filter(str.strip)
flags = st.sampled_from([None, True, False])
utterances = st.builds(Utterance, names | st.sampled_from(["bot", "user"]), st.text(), flags, flags)
numbers = st.floats(allow_nan=False, allow_infinity=False)
ratings_ = st.builds(
    Rating, st.text().filter(lambda rater: not rater or rater.strip()), st.none() | st.floats(1, 5),
    st.dictionaries(st.text(), numbers),
)  # fmt: skip
dialogues_ = st.builds(
    Dialogue, names, st.lists(utterances).map(tuple), st.lists(ratings_, max_size=3).map(tuple),
    source=st.just("") | names, bot=st.none() | names, user=st.none() | names, passed=flags,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(dialogues_, min_size=1, max_size=4, unique_by=lambda dialogue: dialogue.id))
def test_what_is_written_is_read_again_the_same(
    tmp_path_factory: pytest.TempPathFactory, dialogues: list[Dialogue]
) -> None:
    path = tmp_path_factory.mktemp("there") / "talks.jsonl"
    write_dialogues(path, dialogues)
    expected = [
        Dialogue(d.id, d.turns, d.ratings, d.source, d.bot, d.user, d.passed, row)
        for row, d in enumerate(dialogues, 1)
    ]
    corpus = read_dialogues(path)
    assert list(corpus.dialogues) == expected
    assert (corpus.notes, corpus.excluded) == ((), 0)


def test_half_a_character_survives_the_way_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    dialogue = Dialogue("a", (Utterance("Ann", "\\\ud83d \u2028 x"),))
    write_dialogues(path, [dialogue])
    assert only(read_dialogues(path)).turns == dialogue.turns


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["x.jsonl", "x.json", "x.csv", "x.txt", "x", "x.xlsx"]))
def test_no_file_makes_the_reader_stumble(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(content)
    assert read_or_refused(path)


def read_or_refused(path: Path) -> bool:
    """Say whether a file is read, or refused with its name: anything else is a crash."""
    try:
        return bool(read_dialogues(path).dialogues)
    except InputError as error:
        return str(path) in str(error)


KEYS = "id turns messages ratings speaker role text events event quality sender_id bot is_bot passed aspects metadata"
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(json_values)
def test_no_object_makes_the_reader_stumble(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.mktemp("any") / "log.jsonl"
    path.write_text(json.dumps(value) + "\n", encoding="utf-8")
    assert read_or_refused(path)
