"""Results for people: one wording of every number, for the terminal, the page, the report and gates."""
