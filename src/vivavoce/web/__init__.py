"""The web application: pages that work without a script, and the same as an API."""
