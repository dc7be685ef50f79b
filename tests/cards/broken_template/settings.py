"""Settings of the template; nothing to find here."""

MODEL = "gpt-4o"
