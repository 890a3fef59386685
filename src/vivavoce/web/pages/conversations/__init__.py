"""Pages of the conversations exam."""
