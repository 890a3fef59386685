"""`viva demo`: every exam on shipped material."""
