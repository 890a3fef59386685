"""The forms in which scenarios are written: YAML, sheets, and those of other tools."""
