"""`viva serve` and `viva worker`."""
