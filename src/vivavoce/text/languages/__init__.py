"""Sentence vectors for other languages, in the space of the English model, learnt from pairs of sentences."""
