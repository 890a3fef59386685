"""The exam of conversations: scripted scenarios, held with one or several bots and judged turn by turn."""
