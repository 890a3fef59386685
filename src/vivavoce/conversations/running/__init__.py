"""Holding conversations: one message, one talk, a whole run, and the record of it."""
