"""Secrets of people and programs: passwords, random secrets, and how often one may be tried."""
