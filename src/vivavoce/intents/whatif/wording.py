"""A forecast in words."""

from __future__ import annotations

from vivavoce.errors import plural
from vivavoce.intents.whatif.effects import Effect
from vivavoce.intents.whatif.forecasting import Forecast


def describe_forecast(forecast: Forecast) -> str:
    """Say in one sentence what the edits would bring, beginning with the edits."""
    edits = ", ".join(map(str, forecast.edits))
    effect = forecast.effects["accuracy"]
    head = f"{edits[:1].upper()}{edits[1:]}: "
    if not forecast.improved and not forecast.broken and not effect.difference:
        return f"{head}no question changes."
    verb = "becomes" if len(forecast.improved) == 1 else "become"
    breaks = "breaks" if len(forecast.broken) == 1 else "break"
    gains = f"{plural(len(forecast.improved), 'question')} {verb} right, {len(forecast.broken):,} {breaks}"
    return f"{head}{points_with_interval(effect)}; {gains}."


def points(value: float | None) -> str:
    """Write a difference in points."""
    return "n/a" if value is None else f"{_round(value):+.1f} points"


def points_with_interval(effect: Effect) -> str:
    """Write an effect in points with its interval."""
    if effect.low is None or effect.high is None:
        return points(effect.difference)
    return f"{points(effect.difference)} ({_round(effect.low):.1f} to {_round(effect.high):.1f})"


def is_clear(effect: Effect) -> bool:
    """Tell whether the interval does not hold 0."""
    return effect.low is not None and effect.high is not None and not effect.low <= 0 <= effect.high


def _round(value: float) -> float:
    # Adding 0 turns a rounded -0 into 0.
    return round(100 * value, 1) + 0
