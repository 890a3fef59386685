"""Long work that survives a restart: runs, their units, and the workers that do them."""
