"""`python -m tests.cli.newer_hutch`: `hutch` with the next revision of every game, and no other."""

from __future__ import annotations

from hutch.cli.commands import run
from tests.chaos.newer_rules import revise

if __name__ == "__main__":
    revise()
    run()
