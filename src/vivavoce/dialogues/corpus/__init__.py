"""Logged dialogues: the readers of people's own logs and of public data sets, and what is done before learning."""
