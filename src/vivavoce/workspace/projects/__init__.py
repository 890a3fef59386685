"""Projects as a whole: made, seen today, examined every day."""
