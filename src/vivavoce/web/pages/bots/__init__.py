"""Pages of the bots of a project."""
