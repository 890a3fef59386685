"""`viva intents`: the commands of the intents exam."""
