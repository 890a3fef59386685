"""The recruiting assistant of a project: talks with visitors, the inbox, learning, numbers, openings, mail."""
