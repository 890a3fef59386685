"""Runs of any exam, the intents exam, the comparison of engines and what changed over time."""
