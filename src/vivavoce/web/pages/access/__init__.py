"""Pages to come in, and about people, keys and the log."""
