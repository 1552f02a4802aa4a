"""The timekeeper: plays the default when time runs out."""
