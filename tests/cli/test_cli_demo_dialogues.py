"""The scored talks of `viva demo`, and what the doctor says about them."""

from __future__ import annotations

import json

import pytest

INVENTED = "These dialogues and their ratings are invented for demonstration."


@pytest.fixture
def only_dialogues(monkeypatch):
    """Leave the other two exams out, which have tests of their own."""
    from vivavoce.cli.demo import score_dialogues

    monkeypatch.setattr("vivavoce.text.get_weights", lambda *_: None)
    monkeypatch.setattr("vivavoce.cli.demo.list_exams", lambda _: [score_dialogues])


@pytest.mark.usefixtures("only_dialogues")
def test_the_demo_scores_the_shipped_talks_and_presents_no_agreement(viva, plain, folder):
    result = viva("demo")
    assert result.exit_code == 0, result.stderr
    shown = plain(result.stdout)
    assert INVENTED in shown
    assert "Mean score" in shown
    assert "demo-output/dialogues.html" in shown
    # What the model's own passport says is a finding; what these invented marks say is not.
    assert "On unseen dialogues" in shown
    assert "the correlation of scores and people's ratings" not in shown
    assert "in this log" not in shown
    lines = (folder / "demo-output" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    scores = [json.loads(line) for line in lines]
    assert len(scores) == 40
    assert all(1 <= one["score"] <= 5 for one in scores if one["score"] is not None)
    assert sum(one["score"] is not None for one in scores) >= 35


@pytest.mark.usefixtures("only_dialogues")
def test_the_demo_in_json_names_the_files_of_the_talks_and_its_page_says_first_that_it_is_no_finding(viva, folder):
    result = viva("demo", "--quiet", "--json", "-")
    assert result.exit_code == 0, result.stderr
    (report,) = json.loads(result.stdout)["reports"]
    assert report["name"] == "dialogues"
    assert INVENTED in report["headline"]
    page = (folder / report["html"]).read_text(encoding="utf-8")
    assert "invented" in page[page.index("<h1") : page.index("<main")]
    assert "You can compare bots" not in page
    assert (folder / report["json"]).is_file()


def test_the_doctor_tells_of_the_dialogue_model_and_of_training(viva):
    result = viva("doctor", "--json", "-")
    findings = {finding["name"]: finding for finding in json.loads(result.stdout)["findings"]}
    assert findings["dialogue model"]["state"] == "fine"
    assert "dialogues" in findings["dialogue model"]["detail"]
    assert "viva dialogues reproduce" in findings["extra train"]["detail"]
