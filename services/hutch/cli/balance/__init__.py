"""Balance: many simulated games, and what they say about who wins and how much is scored."""
