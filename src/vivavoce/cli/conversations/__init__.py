"""`viva conversations` and `viva convert`: the commands of the conversations exam."""
