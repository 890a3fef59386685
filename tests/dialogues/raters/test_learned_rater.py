"""The learned model as a rater: refusals, warnings, and ugly logs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue, Utterance
from vivavoce.dialogues.raters import learned
from vivavoce.dialogues.raters.learned import MAX_MESSAGES, LearnedRater, from_option, load_shipped
from vivavoce.dialogues.raters.protocol import Rater
from vivavoce.dialogues.result import Score
from vivavoce.errors import FileError, MissingPartError

pytestmark = pytest.mark.slow

ENGLISH = (
    "hello, how are you?",
    "i am fine, thank you. what do you do?",
    "i read a book about trains",
    "i like trains",
)
ENGLISH += ("which ones do you like?", "the old ones that run on coal")
# The memory that one process may take, in kilobytes as Linux counts.
MAX_MEMORY = 300_000


def talk(*texts: str, bot: bool | None = True, name: str = "t") -> Dialogue:
    sides = (("Ann", None if bot is None else False), ("Bob", bot))
    return Dialogue(name, tuple(Utterance(*_said(sides[place % 2], text)) for place, text in enumerate(texts)))


def _said(side: tuple[str, bool | None], text: str) -> tuple[str, str, bool | None]:
    return side[0], text, side[1]


def rate(dialogue: Dialogue) -> Score:
    (score,) = load_shipped().rate([dialogue])
    return score


def warned(dialogue: Dialogue, sentence: str) -> bool:
    score = rate(dialogue)
    assert score.score is not None, score.refusal
    return any(sentence in warning for warning in score.warnings)


def test_a_plain_talk_gets_a_score_with_its_grounds_and_no_warning() -> None:
    score = rate(talk(*ENGLISH))
    assert score.score is not None
    assert LOWEST <= score.low <= score.score <= score.high <= HIGHEST
    assert [turn.number for turn in score.turns] == list(range(1, len(ENGLISH) + 1))
    assert score.warnings == ()
    assert score.refusal == ""
    assert isinstance(load_shipped(), Rater)


def test_a_bot_that_insults_and_repeats_itself_gets_less() -> None:
    poor = talk("hello, how are you?", "what?", "i asked how you are", "what?", "stupid bot", "what?")
    assert rate(poor).score < rate(talk(*ENGLISH)).score


@pytest.mark.parametrize(
    ("dialogue", "sentence"),
    [
        (Dialogue("t", ()), "nothing was said"),
        (talk("", "  ", "\n", "\t"), "nothing was said"),
        (Dialogue("t", tuple(Utterance("Ann", text) for text in ENGLISH)), "only one side spoke"),
        (talk("hello", "", "are you there?", " ", "bye", ""), "only one side spoke"),
        (talk("hello", "hello"), "fewer than 2 messages"),
        (talk("hello", "hello", "how are you?"), "fewer than 2 messages"),
        (talk("hello", "", "how are you?", "fine", "good", " "), "fewer than 2 messages"),
        (talk("😀", "😀😀", "👍", "🎉"), "no words"),
        (talk("123", "456", "!!!", "?"), "no words"),
        (talk("привет", "здравствуйте", "как дела?", "хорошо, спасибо"), "not in Latin script"),
        (talk("你好", "你好,你怎么样", "我很好", "再见"), "not in Latin script"),
        (talk("שלום", "مرحبا", "γειά σου", "नमस्ते"), "not in Latin script"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(dialogue: Dialogue, sentence: str) -> None:
    score = rate(dialogue)
    assert sentence in score.refusal
    assert (score.score, score.low, score.high, score.turns, score.reasons) == (None, None, None, (), ())


def test_german_is_scored_with_a_warning() -> None:
    german = talk(
        "guten tag, wie geht es ihnen?",
        "danke, mir geht es gut und ihnen?",
        "ich habe eine frage",
        "was ist die frage?",
    )
    assert warned(german, "German")


@pytest.mark.parametrize(
    "texts",
    [
        (
            "hallo hoe gaat het",
            "het gaat goed met mij dank je wel",
            "ik lees een boek",
            "wat leuk ik hou ook van lezen",
        ),
        (
            "ciao come stai oggi",
            "molto bene grazie e tu cosa fai",
            "sto leggendo un libro",
            "che bello mi piace leggere",
        ),
        ("privet kak dela", "horosho a u tebya", "tozhe normalno chto delaesh", "chitayu knigu pro istoriyu"),
    ],
)
def test_a_language_that_nobody_named_is_noticed_by_its_words(texts: tuple[str, ...]) -> None:
    assert warned(talk(*texts), "words are unknown to the model")


def test_a_log_that_does_not_say_who_is_a_bot_is_scored_from_the_side_that_began() -> None:
    assert warned(talk(*ENGLISH, bot=None), "does not say who is a bot: scored from the side of Ann")
    assert not warned(talk(*ENGLISH, bot=False), "does not say")


def test_a_third_speaker_is_told_of() -> None:
    three = Dialogue(
        "t",
        tuple(
            Utterance(("Ann", "Bob", "Cid")[place % 3], text, place % 3 == 1) for place, text in enumerate(ENGLISH)
        ),
    )
    assert warned(three, "3 speakers: all except Ann were treated as one side")


def test_messages_without_text_are_counted() -> None:
    assert warned(talk(*ENGLISH, "", "  "), "2 messages without text")
    assert warned(talk(*ENGLISH, ""), "1 message without text")


def test_talks_of_another_length_than_those_learned_from_are_told_of() -> None:
    lengths = load_shipped().origin.lengths
    assert lengths is not None
    assert warned(
        talk(*ENGLISH[:4]),
        f"shorter than the dialogues the model was trained on ({lengths[0]} to {lengths[1]} messages)",
    )
    assert warned(talk(*ENGLISH * 20), "longer than the dialogues the model was trained on")


def test_a_talk_of_bots_alone_is_told_of() -> None:
    both = Dialogue("t", tuple(replace(turn, is_bot=True) for turn in talk(*ENGLISH).turns))
    assert warned(both, "all speakers are bots: scored from the side of Ann")


def test_a_message_that_is_cut_is_told_of() -> None:
    assert warned(talk(*ENGLISH, "word " * 500), "1 message with more than 400 words: only the beginning was read")


def test_ten_thousand_messages_are_read_at_both_ends_and_keep_their_numbers() -> None:
    middle = ["stupid bot", "what?"] * 4_900
    texts = [*[f"{ENGLISH[place % 6]} {place}" for place in range(200)], *middle]
    long = talk(*texts[: 10_000 - 200], *[f"{ENGLISH[place % 6]} {place}" for place in range(200)])
    assert len(long.turns) == 10_000
    score = rate(long)
    assert any("first and last 200 of 10,000 messages" in warning for warning in score.warnings)
    numbers = [turn.number for turn in score.turns]
    assert numbers == sorted(numbers)
    assert all(1 <= number <= 200 or 9_801 <= number <= 10_000 for number in numbers)
    assert max(numbers) > 200
    assert all(long.turns[turn.number - 1].speaker == turn.speaker for turn in score.turns)


def test_what_was_left_out_of_a_long_talk_does_not_matter() -> None:
    def long(middle: str) -> Dialogue:
        return talk(*[*ENGLISH * 40, *[middle] * 1_000, *ENGLISH * 40])

    one, other = rate(long("a good talk")), rate(long("stupid bot"))
    assert replace(one, warnings=()) == replace(other, warnings=())


def test_a_long_talk_whose_ends_have_one_side_only_is_refused() -> None:
    monologue = [Utterance("Bob", "please hold the line", is_bot=True)] * MAX_MESSAGES
    person = [Utterance("Ann", text, is_bot=False) for text in ENGLISH]
    score = rate(Dialogue("t", (*monologue, *person, *monologue)))
    assert score.refusal == "very long; in its first and last 200 messages: only one side spoke: a dialogue needs two"


def test_ten_thousand_speakers_are_no_trouble() -> None:
    crowd = Dialogue(
        "t", tuple(Utterance(f"guest {place}", ENGLISH[place % 6], is_bot=False) for place in range(10_000))
    )
    assert "fewer than 2 messages" in rate(crowd).refusal


def test_scores_come_in_the_order_of_the_dialogues() -> None:
    mixed = [talk(*ENGLISH[: 1 + place % 6], name=f"t{place}") for place in range(80)]
    scores = load_shipped().rate(mixed)
    assert [score.id for score in scores] == [dialogue.id for dialogue in mixed]
    assert [score.score is None for score in scores] == [place % 6 < 3 for place in range(80)]


def test_a_talk_gets_the_same_score_alone_and_among_others() -> None:
    many = [
        talk(*[f"{text} {'and so on ' * (place % 7)}" for text in ENGLISH * (1 + place % 5)], name=f"t{place}")
        for place in range(70)
    ]
    together = load_shipped().rate(many)
    assert together == [rate(dialogue) for dialogue in many]
    assert load_shipped().rate(many[::-1])[::-1] == together


def test_no_dialogues_get_no_scores() -> None:
    assert load_shipped().rate([]) == []


UGLY = st.one_of(
    st.text(st.characters(), max_size=30),
    st.sampled_from(
        ["", " ", "hi", "why?", "\ud800", "\x00", "İ", "n't", "'", "?" * 50, "a" * 5000, "Ünïcödé wörds", "5"]
    ),
)
UTTERANCES = st.builds(
    Utterance, st.sampled_from(["", "Ann", "Bob", "\udfff"]), UGLY, st.sampled_from([None, True, False])
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(UTTERANCES, max_size=12), max_size=4))
def test_no_log_is_too_ugly(talks: list[list[Utterance]]) -> None:
    dialogues = [Dialogue(f"t{place}", tuple(turns)) for place, turns in enumerate(talks)]
    scores = load_shipped().rate(dialogues)
    assert [score.id for score in scores] == [dialogue.id for dialogue in dialogues]
    for score in scores:
        if score.score is None:
            assert score.refusal
        else:
            assert LOWEST <= score.low <= score.score <= score.high <= HIGHEST


def test_no_option_is_the_shipped_model_and_a_path_is_ones_own(tmp_path: Path) -> None:
    from vivavoce.dialogues.model.weights import save_weights

    assert from_option("") is load_shipped()
    path = tmp_path / "own.npz"
    save_weights(load_shipped().model, path)
    own = from_option(str(path))
    assert own.name == f"learned:{path}"
    assert own.rate([talk(*ENGLISH)]) == load_shipped().rate([talk(*ENGLISH)])
    with pytest.raises(FileError, match=r"none\.npz"):
        from_option(str(tmp_path / "none.npz"))


def test_a_package_without_its_model_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("vivavoce.dialogues.model.weights.SHIPPED", tmp_path / "gone.npz")
    with pytest.raises(MissingPartError, match=r"gone\.npz"):
        learned.load_shipped.__wrapped__()


def test_the_origin_is_the_models() -> None:
    assert isinstance(load_shipped(), LearnedRater)
    assert load_shipped().origin is load_shipped().model.origin
    assert load_shipped().name == "learned"


SCORING = f"""
import sys
from pathlib import Path
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.dialogues.raters.learned import load_shipped

def talk(name, texts):
    turns = (Utterance("AB"[place % 2], text, bool(place % 2)) for place, text in enumerate(texts))
    return Dialogue(name, tuple(turns))

talks = [talk(f"t{{number}}", [f"{{text}} {{number}}" for text in {ENGLISH!r} * 5]) for number in range(200)]
talks.append(talk("long", ["so many words here " * 30] * 10_000))
assert all(score.score is not None for score in load_shipped().rate(talks))
heavy = [name for name in ("torch", "sklearn", "onnxruntime", "scipy", "pandas") if name in sys.modules]
# The peak since this program began; `getrusage` would also count what the parent held when it was forked.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(",".join(heavy), peak.split()[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_a_fresh_process_scores_without_heavy_packages_and_with_little_memory() -> None:
    done = subprocess.run([sys.executable, "-c", SCORING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    heavy, memory = done.stdout.rstrip("\n").split(" ")
    assert heavy == ""
    assert int(memory) < MAX_MEMORY
