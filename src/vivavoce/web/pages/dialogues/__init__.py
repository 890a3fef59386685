"""Pages of logged talks."""
