"""Suites and scenarios: written in plain words, kept in versions, merged when two write at once."""
