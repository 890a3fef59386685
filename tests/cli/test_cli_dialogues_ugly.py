"""Logs as they come: each gets a score, a refusal or a sentence, never a crash."""

from __future__ import annotations

import json

import pytest

RATERS = ["length", "learned"]
PERSON_AND_BOT = ("Kim", "Ada")


def turns(texts, speakers=PERSON_AND_BOT):
    return [
        {
            "speaker": speakers[number % len(speakers)],
            "text": text,
            "is_bot": speakers[number % len(speakers)] == "Ada",
        }
        for number, text in enumerate(texts)
    ]


GERMAN = ["Guten Tag, wann öffnen Sie morgen?", "Morgen öffnen wir um neun Uhr.", "Und am Sonntag?", "Da ist zu."]
UGLY = {
    "one speaker": turns(["hello?", "anybody there?", "I will wait"], ("Kim",)),
    "empty turns": turns(["", "  ", "", "\t"]),
    "some empty turns": turns(["hello there", "", "how are you", "fine, thank you", "", "good to hear"]),
    "no turns": [],
    "very long": turns(["so what do you think", "I think that is right"] * 5000),
    "emoji only": turns(["😀😀", "🎉", "👍🏽", "🤷‍♀️🤷‍♀️"] * 3),
    "another language": turns(GERMAN * 3),
    "another script": turns(["今天天气怎么样", "很好谢谢你", "明天呢", "明天下雨"] * 3),
    "right to left": turns(["שלום מה שלומך", "טוב תודה", "יפה", "להתראות"] * 3),
    "one endless word": turns(["a" * 100_000, "ok then", "b" * 100_000, "fine by me"]),
    "markup": turns(["[bold]<script>alert(1)</script>[/bold]", "{{x}} [/]", "[red]", "</body></html> %s {0}"] * 2),
    "control signs": turns(["\u0007\u001b[31mred", "a\u0000b", "\u202eevil", "ok\u200b"] * 2),
    "half a character": turns(["half \ud83d of it", "what do you mean", "that \udc00", "I see"] * 2),
    "three speakers": turns(["hello all of you", "hello Kim", "and me", "hello too"] * 3, ("Kim", "Ada", "Lou")),
    "not said who is a bot": [{"speaker": "AB"[n % 2], "text": f"message number {n}"} for n in range(8)],
    "the same again": turns(["hello"] * 40),
}


def write_log(path, talks, encoding="utf-8"):
    lines = [json.dumps({"id": name, "turns": said}) for name, said in talks.items()]
    path.write_text("\n".join(lines) + "\n", encoding=encoding)


@pytest.mark.parametrize("rater", RATERS)
def test_every_ugly_talk_gets_a_score_or_a_reason(viva, folder, rater):
    write_log(folder / "ugly.jsonl", UGLY)
    result = viva("dialogues", "score", "ugly.jsonl", "--rater", rater, "--json", "-")
    assert result.exit_code == 0, result.stderr
    found = {line["id"]: line for line in map(json.loads, result.stdout.splitlines())}
    assert set(found) == set(UGLY)
    for name, line in found.items():
        assert (line["score"] is None) == bool(line.get("refusal")), name
        assert line["score"] is None or 1 <= line["score"] <= 5
    assert {"one speaker", "empty turns", "no turns"} <= {n for n, line in found.items() if line["score"] is None}
    assert found["very long"]["score"] is not None


@pytest.mark.parametrize("rater", RATERS)
@pytest.mark.parametrize("name", UGLY)
def test_an_ugly_talk_can_be_shown_and_put_on_a_page(viva, folder, rater, name):
    write_log(folder / "ugly.jsonl", {name: UGLY[name]})
    words = ("--html", "page.html", "--json", "talk.json")
    result = viva("dialogues", "explain", "ugly.jsonl", name, "--rater", rater, *words)
    refused = json.loads((folder / "talk.json").read_text(encoding="utf-8"))["dialogue"]["score"] is None
    assert result.exit_code == (2 if refused else 0), result.stderr
    assert "<script>alert(1)" not in (folder / "page.html").read_text(encoding="utf-8")
    assert "\u001b[31mred" not in result.stdout


def test_ten_thousand_messages_are_shown_in_a_bearable_length(viva, folder):
    write_log(folder / "ugly.jsonl", {"very long": UGLY["very long"]})
    result = viva("dialogues", "explain", "ugly.jsonl", "very long", "--rater", "length")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) < 500


def test_all_broken_lines_are_named_at_once(viva, plain, folder):
    write_log(folder / "log.jsonl", {f"t{number}": turns(["hi"] * 6) for number in range(8)})
    lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    lines[2], lines[6] = lines[2][:-3], '{"id": "t6", "turns": 7}'
    (folder / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for words in ((), ("--json", "-"), ("--stream", "--out", "out.jsonl")):
        result = viva("dialogues", "score", "log.jsonl", "--rater", "length", *words)
        assert result.exit_code == 2
        assert "log.jsonl, line 3" in plain(result.stderr)
        assert "log.jsonl, line 7" in plain(result.stderr)
    assert not (folder / "out.jsonl").exists()
    assert not list(folder.glob(".*.part"))


@pytest.mark.parametrize("words", [(), ("--stream", "--out", "out.jsonl")])
def test_broken_lines_can_be_left_out_and_are_listed(viva, plain, folder, words):
    write_log(folder / "log.jsonl", {f"t{number}": turns(["hi there"] * 6) for number in range(3)})
    with (folder / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write("{oops\n")
    result = viva("dialogues", "score", "log.jsonl", "--rater", "length", "--skip-bad", *words)
    assert result.exit_code == 0, result.stderr
    assert "line 4" in plain(result.stdout + result.stderr)


def test_a_wrong_encoding_is_told_with_the_right_one(viva, plain, folder):
    text = "Kunde: Grüße aus Köln\nBot: Guten Tag\nKunde: Wann öffnen Sie?\nBot: Um neun.\n"
    (folder / "log.txt").write_text(text, encoding="cp1252")
    result = viva("dialogues", "score", "log.txt", "--rater", "length")
    assert result.exit_code == 2
    assert "--encoding cp1252" in plain(result.stderr)
    assert viva("dialogues", "score", "log.txt", "--rater", "length", "--encoding", "cp1252").exit_code == 0


NO_LOGS = {
    "empty.jsonl": (b"", "empty"),
    "blank.csv": (b" \n\n", "empty"),
    "list.json": (b"[]", "no dialogues"),
    "number.json": (b"42", "item 1"),
    "binary.jsonl": (b"PK\x03\x04" + bytes(200), "Excel workbook"),
    "prose.dat": (b"This is a letter\nand it has no speakers at all\n", "--format"),
    "headless.csv": (b"1,2,3\n4,5,6\n", "column"),
    "there": (None, "this is a folder"),
    "missing.jsonl": (None, "the file does not exist"),
}


@pytest.mark.parametrize("name", NO_LOGS)
@pytest.mark.parametrize("command", ["score", "evaluate"])
def test_what_is_no_log_ends_with_2_and_a_sentence(viva, plain, folder, name, command):
    content, said = NO_LOGS[name]
    (folder / "there").mkdir()
    if content is not None:
        (folder / name).write_bytes(content)
    result = viva("dialogues", command, name, "--rater", "length")
    assert result.exit_code == 2, result.stderr
    assert said in plain(result.stderr)
    assert "What to do" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["empty.jsonl", "empty.json", "empty.csv", "empty.txt"])
def test_who_gives_an_empty_log_is_asked_for_a_dialogue(viva, plain, folder, name):
    (folder / name).write_bytes(b" \n")
    told = plain(viva("dialogues", "score", name, "--rater", "length").stderr)
    assert "at least one dialogue" in told
    assert "example" not in told


def test_a_key_that_is_passed_over_is_told_in_one_sentence(viva, plain, folder):
    log = {"id": "a", "turns": turns(["hi there"] * 6), "wholly_strange": 1}
    (folder / "log.jsonl").write_text(json.dumps(log), encoding="utf-8")
    told = plain(viva("dialogues", "score", "log.jsonl", "--rater", "length", "--json", "-").stderr)
    assert "'wholly_strange' is ignored (1 dialogue, first in line 1)" in told


def test_nothing_on_standard_input_is_said_to_be_nothing(viva, plain):
    result = viva("dialogues", "score", "-", "--rater", "length", input="")
    assert result.exit_code == 2
    assert "standard input: the file is empty" in plain(result.stderr)


def test_a_log_beyond_the_limit_is_refused_unless_it_is_streamed(viva, folder, plain):
    talk = {"id": "", "turns": turns(["words " * 2000] * 6)}
    with (folder / "large.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({**talk, "id": f"t{number}"}) + "\n" for number in range(20))
    words = ("dialogues", "score", "large.jsonl", "--rater", "length", "--max-file-mb", "1")
    refused = viva(*words)
    assert refused.exit_code == 2
    assert "--max-file-mb" in plain(refused.stderr)
    assert viva(*words, "--stream", "--out", "out.jsonl").exit_code == 0
