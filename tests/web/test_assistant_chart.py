"""Fig. 4 with what really happened: predicted and real automation on one picture."""

from __future__ import annotations

from datetime import UTC, datetime

from vivavoce.records import Rate
from vivavoce.statistics import wilson
from vivavoce.web.language import Words
from vivavoce.web.pages.assistant.automation_chart import draw_automation
from vivavoce.workspace.assistant.numbers import Numbers, Prediction

NOTHING = Rate(None, None, None, 0)


def week(day: str, answered: int, counted: int) -> Numbers:
    return Numbers(day, counted, {}, wilson(answered, counted), NOTHING, NOTHING, None, counted - answered)


def test_predicted_and_real_automation_are_drawn_together() -> None:
    weeks = [week("2026-10-05", 50, 100), week("2026-10-12", 60, 100), week("2026-10-19", 1, 2)]
    predicted = [Prediction(datetime(2026, 10, 7, tzinfo=UTC), wilson(70, 100))]
    pictures = draw_automation(Words("en"), weeks, predicted, weekly=True)
    assert pictures is not None
    for picture in pictures:
        # The last week has too few messages for a rate.
        assert "Real 60 %" in picture
        assert "Predicted by exams 70 %" in picture


def test_without_enough_messages_nothing_is_drawn() -> None:
    assert draw_automation(Words("en"), [week("2026-10-05", 1, 2)], [], weekly=True) is None
