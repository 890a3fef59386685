"""`viva dialogues`: the commands of the dialogues exam."""
