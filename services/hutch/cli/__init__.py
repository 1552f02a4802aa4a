"""The command `hutch`: a whole stack on one machine, and what is shown on it."""
