"""Pages of runs, of the intents exam, of engines and of the timeline."""
