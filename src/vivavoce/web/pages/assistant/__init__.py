"""The assistant: its settings, inbox, numbers, openings and mail, and the chat of visitors."""
