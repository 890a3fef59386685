"""What one turn came to: how an expected text is held against a reply, and the verdict."""
