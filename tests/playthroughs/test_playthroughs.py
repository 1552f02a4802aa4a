"""Games go as their playthroughs tell."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from hutch.games import RULESETS
from tests.playthroughs.declared import all_declared, declared, orphans
from tests.playthroughs.playthrough import Playthrough, tell

#: A game tells at least so many stories.
FEWEST = 3


@pytest.mark.parametrize("playthrough", all_declared(), ids=lambda one: f"{one.ruleset}-{one.name}")
def test_a_game_goes_as_its_playthrough_tells(playthrough: Playthrough) -> None:
    assert playthrough.path.exists(), "not written yet: run `make playthroughs`"
    stored, now = playthrough.path.read_text().splitlines(), tell(playthrough).splitlines()
    for number, (before, after) in enumerate(zip_longest(stored, now), start=1):
        assert before == after, (
            f"{playthrough.path.name}, line {number}, after:\n"
            + "\n".join(now[max(0, number - 6) : number - 1])
            + f"\nwas:    {before}\nis now: {after}\n"
            "If that is meant, run `make playthroughs` and review the difference."
        )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_game_tells_several_stories_one_of_them_by_the_clock_alone(ruleset: str) -> None:
    playthroughs = declared(ruleset)
    assert len(playthroughs) >= FEWEST
    assert len({one.name for one in playthroughs}) == len(playthroughs)
    assert any(one.by == "clock" for one in playthroughs)


def test_no_text_is_stored_that_no_game_declares() -> None:
    assert orphans() == []
