"""Collusion: who spares whom more than the others at their tables do."""
