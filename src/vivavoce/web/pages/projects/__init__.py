"""Pages of a project as a whole, of its settings, and the help."""
