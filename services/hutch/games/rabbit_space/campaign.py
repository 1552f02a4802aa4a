"""The campaign: how a team's Evolution sheet shapes its next game (RS-032 to RS-034, RS-042)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from hutch.games.rabbit_space.board import Mission
from hutch.games.rabbit_space.sheet import MISSIONS, Unlocked

#: The vote to play without a mission. An empty vote is none.
WITHOUT: Final = "none"


def points(scores: Sequence[int]) -> int:
    """The points that earn boxes (O14): those of all players, whether or not they were rivals."""
    return sum(scores)


def why_not_vote(unlocked: Unlocked, vote: str) -> str:
    """Why nobody can vote for that now; "" where one can."""
    if vote in {"", WITHOUT, *unlocked.missions}:
        return ""
    if vote in MISSIONS:
        return f"The mission {vote} is not unlocked; check the box {vote.capitalize()} first."
    return f"There is no mission {vote[:40]!r}; vote for {', '.join(MISSIONS)} or {WITHOUT}."


def chosen_mission(votes: Sequence[str], host: str) -> Mission:
    """The next game's mission (O22): what most of all players vote for, else the host's vote.

    `votes` has one for each player, "" for those who gave none, and so counts all of them.
    """
    majority = next((vote for vote in votes if vote and 2 * votes.count(vote) > len(votes)), host)
    return cast("Mission", "" if majority == WITHOUT else majority)


def options(unlocked: Unlocked, mission: Mission) -> dict[str, Any]:
    """What the sheet decides of a game's options: all that is unlocked is always in (O29)."""
    return {"evolutions": list(unlocked.evolutions), "mission": mission}


def contradiction(decided: Mapping[str, Any], wished: Mapping[str, Any]) -> str:
    """The first option of which other than what the sheet decides is wished; "" for none."""
    for name, value in decided.items():
        wish = wished.get(name, value)
        if _unordered(wish) != _unordered(value):
            return name
    return ""


def _unordered(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, list) else value
