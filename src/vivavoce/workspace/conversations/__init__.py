"""The conversations exam: chosen, read, compared."""
