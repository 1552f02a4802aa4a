"""Callers: who calls the public API, the tokens that say so, and the keys that sign those."""
