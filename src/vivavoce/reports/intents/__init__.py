"""Results of the intents exam: wording, tables, charts, report files."""
