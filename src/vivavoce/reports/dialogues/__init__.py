"""Results of the dialogues exam: wording, tables, charts, report files."""
