"""The nineteen Heroes: each one's Supreme in our own words, and what it does at which moment.

The HP to declare with and the icons stand in `data/heroes.csv`.
"""

from __future__ import annotations

from typing import Final

SUPREMES: Final[dict[str, str]] = {}
