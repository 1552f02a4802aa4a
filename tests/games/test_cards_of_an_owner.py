"""An owner of the real cards puts their values in: other tables, the same rules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

TELL = """
import sys
from pathlib import Path
from hutch.games import RULESETS, find, install_cards
ours = RULESETS["rabbit-space"].revision
install_cards(Path(sys.argv[1]))
rules = RULESETS["rabbit-space"]
card = next(card for card in rules.catalogue() if card.ref == "B01")
print(card.facts["cost"], rules.revision != ours, find("rabbit-space", ours) is not None)
"""
TELL_SHEET = """
import sys
from pathlib import Path
from hutch.games import RULESETS, install_cards
install_cards(Path(sys.argv[1]))
rules = RULESETS["rabbit-space"]
print(rules.revision, *rules.tables.open_boxes([]))
"""
BAD_SETTINGS_STATUS = 78


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    """A folder with a copy of Rabbit Space's card tables."""
    shutil.copytree(str(files("hutch.games.rabbit_space") / "data"), tmp_path / "rabbit-space")
    return tmp_path


def change(folder: Path, before: str, after: str) -> None:
    """Change a row of the rabbit cards."""
    table = folder / "rabbit-space" / "rabbit_cards.csv"
    text = table.read_text()
    assert before in text
    table.write_text(text.replace(before, after))


def test_new_tables_play_with_the_cards_of_the_owner_and_old_ones_with_their_own(
    cards: Path,
) -> None:
    change(cards, "B01,rabbit,Pip Rootwell,2,", "B01,rabbit,Pip Rootwell,9,")
    told = subprocess.run(
        [sys.executable, "-c", TELL, str(cards)], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["9", "True", "True"]


def test_a_process_will_not_start_with_a_bad_table_and_says_where_it_is_bad(cards: Path) -> None:
    change(cards, "B01,rabbit,Pip Rootwell,2,", "B01,rabbit,Pip Rootwell,two,")
    ended = start_rules(cards)
    assert ended.returncode == BAD_SETTINGS_STATUS
    for word in ("rabbit_cards.csv", "row 2", "'cost'", "two"):
        assert word in ended.stderr


def test_a_game_that_takes_no_other_cards_is_named(tmp_path: Path) -> None:
    (tmp_path / "chess").mkdir()
    ended = start_rules(tmp_path)
    assert ended.returncode == BAD_SETTINGS_STATUS
    assert "'chess'" in ended.stderr


def start_rules(cards: Path) -> subprocess.CompletedProcess[str]:
    """Start a rules process that will not start."""
    return subprocess.run(
        [sys.executable, "-m", "hutch.rules"],
        env={**os.environ, "HUTCH_CARDS_DIR": str(cards), "HUTCH_RULES_BIND": "127.0.0.1:0"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def open_boxes(folder: Path) -> list[str]:
    """The rules' revision and the boxes that can be checked first, with that owner's tables."""
    told = subprocess.run(
        [sys.executable, "-c", TELL_SHEET, str(folder)], capture_output=True, text=True, check=True
    )
    return told.stdout.split()


def test_campaigns_are_played_with_the_evolution_sheet_of_the_owner(cards: Path) -> None:
    lines = cards / "rabbit-space" / "evolution_edges.csv"
    lines.write_text(lines.read_text() + "Earth,Mars\n")
    with_theirs = open_boxes(cards)
    assert with_theirs[1:] == ["N1", "Mars", "E1", "S1", "W1"]
    for name in ("evolution_boxes.csv", "evolution_edges.csv"):
        (cards / "rabbit-space" / name).unlink()
    # The sheet is no rule of a single game: games go on under their revision.
    assert open_boxes(cards) == [with_theirs[0], "N1", "E1", "S1", "W1"]
