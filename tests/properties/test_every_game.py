"""Each property of this folder, for each registered game at tables of every kind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hutch.engine.rules import Rules
from hutch.games import REVISIONS, RULESETS
from tests.properties import defaults, ending, folding, legality, secrecy, storing, timing, undoing
from tests.properties.profile import Setting, every_setting, profile_of

Property = Callable[[Setting, int], None]

PROPERTIES: tuple[Property, ...] = (
    ending.a_random_game_ends_well,
    ending.nothing_is_lost_or_made,
    ending.little_is_replayed,
    ending.questions_are_well_formed,
    defaults.the_clock_finishes_the_game,
    defaults.defaults_alone_finish_the_game,
    folding.events_make_the_board,
    legality.every_listed_option_is_accepted,
    legality.nothing_else_is_accepted,
    storing.storing_changes_nothing,
    secrecy.views_hide_what_is_hidden,
    secrecy.imagined_worlds_replace_what_is_hidden,
    secrecy.faces_hide_what_is_hidden,
    secrecy.refusals_hide_what_is_hidden,
    secrecy.views_follow_from_what_was_told,
    secrecy.faces_tell_no_more_than_views_show,
    undoing.undone_and_played_again_a_game_is_the_same,
    undoing.what_may_be_taken_back_taught_nothing,
    timing.no_time_is_won_or_lost,
)

SETTINGS = list(every_setting())


@pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))
def test_a_registered_game_has_a_profile_and_a_manifest_in_order(rules: Rules) -> None:
    profile_of(rules)
    options = rules.options_type.__struct_config__
    assert options.frozen, "options are shared by games"
    assert options.forbid_unknown_fields, "a misspelt option would be passed over in silence"
    assert rules.topics, "questions need texts"
    assert "decision" in rules.clocks, "every question can be timed by itself"
    assert len({card.ref for card in rules.catalogue()}) == len(rules.catalogue())
    assert rules in REVISIONS


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_it_holds(holds: Property, setting: Setting, seed: int) -> None:
    holds(setting, seed)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_any_story_is_the_same_everywhere(setting: Setting) -> None:
    """Hypothesis looks for a story that is not, and makes it short."""

    @hypothesis_settings(max_examples=12)
    @given(seed=st.integers(0, 2**32 - 1), answers=st.integers(0, 120), commands=st.integers(0, 30))
    def is_the_same(seed: int, answers: int, commands: int) -> None:
        storing.any_story_is_the_same_everywhere(setting, seed, answers=answers, commands=commands)

    is_the_same()


def test_games_give_the_same_bytes_in_every_process() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.properties.determinism"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for hash_seed in ("1", "2")
    ]
    here, there = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert here == there
    assert len(here.splitlines()) >= len(RULESETS)
