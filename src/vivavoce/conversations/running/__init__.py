"""Running conversations: one conversation, a whole run, and its record."""
