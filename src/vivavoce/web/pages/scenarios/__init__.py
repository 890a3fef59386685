"""Pages to write scenarios and to chat with a bot."""
