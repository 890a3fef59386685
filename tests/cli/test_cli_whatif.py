"""`viva intents whatif`: the sentence, the JSON, and every edit."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

WHATIF = ("intents", "whatif", "faq.csv", "--classifier", "tfidf", "--retries", "2")


@pytest.mark.parametrize(
    ("edit", "kind"),
    [
        (("--merge", "salary", "holiday"), "merge"),
        (("--move", "2,3-4", "holiday"), "move"),
        (("--drop-intent", "salary"), "retire"),
        (("--out-of-scope-rows", "5"), "out_of_scope"),
        (("--rename", "salary", "wages"), "rename"),
        (("--add", "salary", "more.txt"), "add"),
    ],
)
def test_every_edit_is_forecast_and_leaves_the_file_alone(viva, folder, edit, kind):
    (folder / "more.txt").write_text("how much money is it\n\nwhat do you pay\n", encoding="utf-8")
    before = (folder / "faq.csv").read_bytes()
    result = viva(*WHATIF, *edit, "--json", "-")
    content = json.loads(result.stdout)
    assert (result.exit_code, content["kind"], content["edits"][0]["kind"]) == (0, "intents-whatif", kind)
    assert content["effects"].keys() == {"accuracy", "automation_rate", "precision_answered"}
    assert content["rounds"] == 2
    assert (folder / "faq.csv").read_bytes() == before


def test_the_verdict_comes_first_and_several_edits_are_one_forecast(viva, plain):
    shown = viva(*WHATIF, "--merge", "salary", "holiday", "--rename", "holiday", "money")
    assert shown.exit_code == 0, shown.stderr
    assert plain(shown.stdout).strip().startswith("Merging 'salary' into 'holiday', renaming 'holiday' to 'money': ")
    assert "90%" in shown.stdout
    assert viva(*WHATIF, "--merge", "salary", "holiday", "--quiet").output == ""


def test_the_part_of_a_file_is_chosen_by_another_name_than_split(viva):
    whole, part = (
        json.loads(viva(*WHATIF, "--merge", "salary", "holiday", *more, "--json", "-").stdout)["data"]["rows"]
        for more in ((), ("--only-split", "train"))
    )
    assert part < whole
