"""Logged talks: brought in, scored, rated by people."""
