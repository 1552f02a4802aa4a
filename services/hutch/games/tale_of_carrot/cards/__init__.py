"""The cards: each one's text in our own words, its numbers, and what it does, side by side."""
