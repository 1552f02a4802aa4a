"""What can happen in Killer Bunnies, what it does to the board, and who may see it."""
