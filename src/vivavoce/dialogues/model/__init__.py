"""The quality model learned from people: what it reads, how it learns, how it explains itself."""
