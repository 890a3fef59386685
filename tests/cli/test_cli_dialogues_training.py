"""`viva dialogues train` and `reproduce`: what is learnt, what is refused, what the tables say."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys

import pytest

pytestmark = pytest.mark.slow

# Read now: the tests of commands take away all settings of the machine.
TORCH_REQUIRED = os.environ.get("VIVA_REQUIRE_TRAIN") == "1"
GOOD = ("that is a lovely idea", "tell me more about it", "I agree with you", "thank you, that helps a lot")
BAD = ("what", "no", "you do not listen", "that is not what I asked")


def marked_talk(number, draw):
    """Return a talk without a word about who is a bot; good talks tend to be friendly."""
    mark = 1 + number % 5
    lines = [draw.choice(GOOD if draw.random() < 0.25 + mark / 10 else BAD) for _ in range(8)]
    turns = [{"speaker": "AB"[place % 2], "text": f"{line} {place}"} for place, line in enumerate(lines)]
    return {"id": f"t{number}", "turns": turns, "ratings": [{"rater": "A", "quality": mark}]}


@pytest.fixture(autouse=True)
def marked(folder):
    """Give 110 marked talks, and two that nobody can learn from."""
    draw = random.Random(0)  # noqa: S311 - talks, not secrets
    talks = [marked_talk(number, draw) for number in range(110)]
    talks += [
        {**talks[0], "id": "unmarked", "ratings": []},
        {**talks[0], "id": "hardly", "turns": talks[0]["turns"][:2]},
    ]
    (folder / "marked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in talks), encoding="utf-8")


def test_a_model_of_ones_own_has_a_passport_and_gives_scores(viva, folder, plain):
    result = viva("dialogues", "train", "marked.jsonl", "own.npz", "--json", "passport.json", "--licence", "ours")
    assert result.exit_code == 0, result.stderr
    assert "Trained on marked.jsonl (110 dialogues), licence ours." in plain(result.stdout)
    assert "1 dialogue without a rating: not used for training" in plain(result.stderr)
    assert "1 dialogue not used for training: one side sent fewer than 2 messages" in plain(result.stderr)
    assert "110 ratings on 110 dialogues to train on" in plain(result.stderr)
    assert "On 110 ratings of dialogues" in plain(result.stdout)
    content = json.loads((folder / "passport.json").read_text(encoding="utf-8"))
    assert content["origin"]["agreements"]["overall"]["pearson"]["value"] > 0.1
    assert content["bytes"] == (folder / "own.npz").stat().st_size
    scored = viva("dialogues", "score", "marked.jsonl", "--model", "own.npz", "--json", "-")
    assert scored.exit_code == 0, scored.stderr
    lines = [json.loads(line) for line in scored.stdout.splitlines()]
    assert sum(line["score"] is not None for line in lines) == 111
    named = viva("dialogues", "score", "marked.jsonl", "--rater", "learned:own.npz", "--json", "-")
    assert named.stdout == scored.stdout
    assert viva("dialogues", "train", "marked.jsonl", "own.npz").exit_code == 2
    measured = plain(viva("dialogues", "evaluate", "marked.jsonl", "--model", "own.npz").stdout)
    assert "The rater was trained on 111 of these 112 dialogues" in measured
    assert "You can compare bots" not in measured


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("marked.jsonl", "own.json"), "models are saved as .npz"),
        (("marked.jsonl", "no/where.npz"), "the folder no does not exist"),
        (("marked.jsonl", "old.npz"), "--force"),
        (("few.jsonl", "own.npz"), "collect 100 ratings on 20 dialogues or more"),
        (("demo", "own.npz"), "invented"),
        (("missing.jsonl", "own.npz"), "the file does not exist"),
        (("marked.jsonl", "own.npz", "--part", "july"), "--published"),
        (("there", "own.npz", "--published", "convay2017"), "Did you mean 'convai2017'?"),
        (("there", "own.npz", "--published", "convai2017"), "dialogues.jsonl"),
        (("there", "own.npz", "--published", "fed"), "fed_data.json"),
    ],
)
def test_what_cannot_be_trained_ends_with_2_and_leaves_no_file(viva, plain, folder, words, said):
    (folder / "there").mkdir()
    (folder / "old.npz").write_bytes(b"somebody's work")
    (folder / "few.jsonl").write_text((folder / "marked.jsonl").read_text(encoding="utf-8").splitlines()[0], "utf-8")
    result = viva("dialogues", "train", *words)
    assert result.exit_code == 2
    assert said in plain(result.stderr)
    assert not (folder / "own.npz").exists()
    assert (folder / "old.npz").read_bytes() == b"somebody's work"


def test_a_file_that_is_no_model_is_refused(viva, plain, folder):
    (folder / "old.npz").write_bytes(b"somebody's work")
    result = viva("dialogues", "score", "marked.jsonl", "--model", "old.npz")
    assert result.exit_code == 2
    assert "not a dialogue model" in plain(result.stderr)


# --- the published data set --------------------------------------------------------------------------------------


def published_talk(number, messages=8):
    turns = [
        {"speaker": "AB"[place % 2], "text": f"{GOOD[(number + place) % 4]} {place}", "is_bot": bool(place % 2)}
        for place in range(messages)
    ]
    source = "july2017" if number % 2 else "autumn2017"
    return {"id": f"p{number}", "source": source, "turns": turns, "ratings": {"A": {"quality": 1 + number % 5}}}


@pytest.fixture
def public(folder):
    """Give a folder like that of the public data set: 60 dialogues to keep, a short one and a double one."""
    talks = [published_talk(number) for number in range(60)]
    talks += [published_talk(99, 3), talks[0]]
    (folder / "convai2017").mkdir()
    text = "".join(json.dumps(one) + "\n" for one in talks)
    (folder / "convai2017" / "dialogues.jsonl").write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("public")
def test_a_part_of_the_public_data_set_is_taken_and_cleaned_as_published(viva, monkeypatch, folder, plain):
    seen = {}

    def learn(dialogues, **told):
        seen.update(told, ids=[dialogue.id for dialogue in dialogues])
        raise KeyboardInterrupt

    monkeypatch.setattr("vivavoce.dialogues.model.training.train_model", learn)
    words = ("--published", "convai2017", "--part")
    assert viva("dialogues", "train", "convai2017", "m.npz", *words, "july").exit_code == 130
    assert seen["ids"] == [f"p{number}" for number in range(1, 60, 2)]
    assert (seen["learnt_from"], seen["licence"]) == ("ConvAI 2017, july", "Apache-2.0")
    viva("dialogues", "train", ".", "m.npz", *words, "autumn")
    assert (seen["learnt_from"], seen["licence"]) == ("ConvAI 2017, autumn", "")
    refused = viva("dialogues", "train", ".", "m.npz", *words, "june")
    assert refused.exit_code == 2
    assert "july2017" in plain(refused.stderr)


def test_a_model_is_trained_from_the_file_as_it_was_published(viva, monkeypatch, folder, plain):
    seen = {}

    def learn(dialogues, **told):
        seen.update(told, marks=[dialogue.quality for dialogue in dialogues])
        raise KeyboardInterrupt

    monkeypatch.setattr("vivavoce.dialogues.model.training.train_model", learn)
    talk = published_talk(1)
    thread = [{"userId": turn["speaker"], "text": turn["text"], "evaluation": 0} for turn in talk["turns"]]
    users = [{"id": "A", "userType": "Human"}, {"id": "B", "userType": "Bot"}]
    marks = [{"userId": "B", "quality": 4}, {"userId": "A", "quality": 0}]
    item = {"dialogId": 7, "context": "", "users": users, "thread": thread, "evaluation": marks}
    (folder / "train_full.json").write_text(json.dumps([item]), encoding="utf-8")
    viva("dialogues", "train", "train_full.json", "m.npz", "--published", "convai2017")
    assert (seen["marks"], seen["learnt_from"], seen["licence"]) == ([4.0], "ConvAI 2017", "Apache-2.0")


@pytest.fixture
def torch_is_installed():
    """Skip what needs torch where there is none; fail it where torch must be."""
    if importlib.util.find_spec("torch") is None:
        absent = 'torch is not installed: pip install "vivavoce[train]"'
        (pytest.fail if TORCH_REQUIRED else pytest.skip)(absent)


@pytest.mark.usefixtures("public", "torch_is_installed")
def test_the_tables_show_published_best_and_honest_values_side_by_side(viva, plain):
    words = ("--data", "convai2017", "--quick", "--splits", "1", "--model", "gru", "--model", "hre")
    result = viva("dialogues", "reproduce", *words, "--json", "tables.json")
    assert result.exit_code == 0, result.stderr
    shown = plain(result.stdout)
    for said in ("Table 1", "GRU, published (best epoch seen) 1.64 0.39 0.39", "Table 2", "HRE, here, honest"):
        assert said in shown
    assert "60 kept; skipped: 1 duplicates, 1 short" in shown
    with open("tables.json", encoding="utf-8") as file:
        content = json.load(file)
    assert [row["architecture"] for row in content["rows"]] == ["gru", "hre"]
    assert all(row["best"]["mse"]["mean"] <= row["honest"]["mse"]["mean"] for row in content["rows"])
    assert content["removed"] == {"duplicates": 1, "short": 1, "long": 0, "unrated": 0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--data", "nowhere"), "train_full.json"),
        (("--data", ".", "--model", "gruu"), "Did you mean 'gru'?"),
        (("--data", ".", "--preset", "fats"), "Did you mean 'fast'?"),
        (("--data", ".", "--preset", "fast", "--quick"), "contradict"),
        ((), "--data"),
    ],
)
@pytest.mark.usefixtures("torch_is_installed")
def test_a_wrong_call_of_reproduce_ends_with_2(viva, plain, words, said):
    result = viva("dialogues", "reproduce", *words)
    assert result.exit_code == 2
    assert said in plain(result.stderr)


def test_without_torch_it_is_said_how_to_get_it(viva, plain, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    result = viva("dialogues", "reproduce", "--data", ".")
    assert result.exit_code == 2
    assert "vivavoce[train]" in plain(result.stderr)
