"""What the reports of all exams share."""
