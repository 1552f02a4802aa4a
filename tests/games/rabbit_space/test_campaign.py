"""The campaign: the Evolution sheet, what it unlocks, and how the next game follows from it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from hutch.games.rabbit_space.board import Options
from hutch.games.rabbit_space.campaign import (
    WITHOUT,
    chosen_mission,
    contradiction,
    options,
    points,
    why_not_vote,
)
from hutch.games.rabbit_space.sheet import EVOLUTIONS, MISSIONS, SHEET, boxes_for, load_sheet
from hutch.games.rabbit_space.tables import CardTableError

# Points and boxes


@pytest.mark.rule("RS-032")
@pytest.mark.parametrize(
    ("scored", "boxes"), [(0, 0), (9, 0), (10, 1), (64, 6), (70, 7), (131, 13)]
)
def test_every_full_ten_points_earn_a_box(scored: int, boxes: int) -> None:
    assert boxes_for(scored) == boxes


@pytest.mark.rule("RS-032", "RS-049")
def test_the_points_of_all_players_count_rivals_or_not() -> None:
    assert points([27, 0, 33]) == 60
    assert boxes_for(points([9, 9, 9])) == 2


@pytest.mark.rule("RS-033")
def test_boxes_form_a_connected_path_from_earth() -> None:
    assert SHEET.open_boxes([]) == ["N1", "E1", "S1", "W1"]
    assert SHEET.why_not([], "Moon") == "The box Moon is not connected to Earth by checked boxes."
    assert SHEET.why_not(["N1"], "Moon") == ""
    assert SHEET.why_not(["N1"], "N1") == "The box N1 is checked already."
    assert SHEET.why_not([], "Earth") == "The box Earth is checked already."
    assert "no box 'Sun'" in SHEET.why_not([], "Sun")


@pytest.mark.rule("RS-033")
def test_a_path_may_go_around_from_one_arm_to_the_next() -> None:
    arm = ["N1", "Moon", "N3", "N4"]
    assert SHEET.open_boxes(arm) == ["Mars", "E1", "S1", "W1", "NE4", "WN4"]
    assert "E4" in SHEET.open_boxes([*arm, "NE4"])


@pytest.mark.rule("RS-033")
def test_every_box_can_be_reached() -> None:
    checked: list[str] = []
    while reachable := SHEET.open_boxes(checked):
        checked += reachable
    assert len(checked) == len(SHEET.boxes) - 1 == 44


@pytest.mark.rule("RS-034")
def test_checked_planets_unlock_and_plain_boxes_do_nothing() -> None:
    unlocked = SHEET.unlocked(["N1", "Moon", "N3", "N4", "Mars", "E1", "Venus"])
    assert unlocked.evolutions == ("mars",)
    assert unlocked.missions == ("moon", "venus")
    everything = SHEET.unlocked(list(SHEET.boxes))
    assert sorted(everything.evolutions) == sorted(EVOLUTIONS)
    assert sorted(everything.missions) == sorted(MISSIONS)


# The next game


@pytest.mark.rule("RS-034", "RS-042")
def test_the_next_game_has_all_that_is_unlocked_and_one_mission() -> None:
    unlocked = SHEET.unlocked(["Mars", "Vesta", "Moon", "Pluto"])
    chosen = msgspec.convert(options(unlocked, "moon"), Options)
    assert chosen.evolutions == ("mars", "vesta")
    assert chosen.mission == "moon"


@pytest.mark.rule("RS-042")
@pytest.mark.parametrize(
    ("votes", "mission"),
    [
        (["", "", ""], ""),
        (["moon", "", ""], "moon"),  # no majority: the host's choice
        (["", "moon", ""], ""),  # one of three is none, and the host is silent
        (["", "moon", "moon"], "moon"),
        (["venus", "moon", "moon"], "moon"),
        (["venus", "moon", "moon", "pluto"], "venus"),  # half is no majority
        (["moon", WITHOUT, WITHOUT], ""),
        ([WITHOUT, "moon"], ""),
        (["moon"], "moon"),
    ],
)
def test_a_majority_of_all_players_chooses_the_mission_else_the_host(
    votes: list[str], mission: str
) -> None:
    assert chosen_mission(votes, host=votes[0]) == mission


@pytest.mark.rule("RS-042")
def test_votes_are_for_unlocked_missions() -> None:
    unlocked = SHEET.unlocked(["Moon", "Mars"])
    assert [why_not_vote(unlocked, vote) for vote in ("", WITHOUT, "moon")] == ["", "", ""]
    assert "check the box Venus first" in why_not_vote(unlocked, "venus")
    assert "no mission 'mars'" in why_not_vote(unlocked, "mars")


@pytest.mark.rule("RS-034")
def test_what_the_sheet_decides_cannot_be_wished_otherwise() -> None:
    decided = options(SHEET.unlocked(["Mars", "Vesta"]), "")
    assert contradiction(decided, {"competitive": True}) == ""
    assert contradiction(decided, {"evolutions": ["vesta", "mars"], "mission": ""}) == ""
    assert contradiction(decided, {"evolutions": ["mars"]}) == "evolutions"
    assert contradiction(decided, {"evolutions": ["mars", "titan", "vesta"]}) == "evolutions"
    assert contradiction(decided, {"mission": "moon"}) == "mission"


# The tables of the sheet


def edited(folder: Path, **texts: tuple[str, str]) -> Path:
    """A folder with our sheet, in which texts of its tables are replaced."""
    for name in ("evolution_boxes", "evolution_edges"):
        ours = (files("hutch.games.rabbit_space") / "data" / f"{name}.csv").read_text("utf-8")
        old, new = texts.get(name, ("", ""))
        assert old in ours
        (folder / f"{name}.csv").write_text(ours.replace(old, new, 1) if old else ours)
    return folder


def test_a_sheet_may_come_from_a_folder(tmp_path: Path) -> None:
    sheet = load_sheet(edited(tmp_path, evolution_edges=("W8,Uranus", "W8,Uranus\nW1,N1")))
    assert "N1" in sheet.open_boxes(["W1"])


@pytest.mark.parametrize(
    ("table", "old", "new", "told"),
    [
        ("evolution_boxes", "Moon", "Sun", "evolution_boxes.csv, row 4, column 'box': 'Sun'"),
        ("evolution_boxes", "N3,box", "N1,box", "evolution_boxes.csv, row 5, column 'box': 'N1'"),
        ("evolution_boxes", "N1,box", "N1,bix", "row 3, column 'kind': 'bix'"),
        ("evolution_boxes", "N1,box,0,-1", "N1,box,0,up", "row 3, column 'y': 'up'"),
        ("evolution_boxes", "N1,box,0,-1", "N1,box,0,0", "row 3, column 'x': '0'"),
        ("evolution_boxes", "box,kind", "box,sort", "row 1, column 'kind': it is there 0 times"),
        ("evolution_boxes", "kind,x", "kind,box,x", "row 1, column 'box': it is there 2 times"),
        ("evolution_boxes", "unlocks", "unlock", "row 1, column 'unlock': it is unknown"),
        ("evolution_boxes", "Earth,planet,0,0", "Earth,planet,3,3", "Earth must be there"),
        ("evolution_edges", "N1,Moon", "N1,Sun", "evolution_edges.csv, row 3, column 'b': 'Sun'"),
        ("evolution_boxes", "N7,box", "MARS,planet", "row 9, column 'box': 'MARS'"),
        ("evolution_edges", "N1,Moon", "N1,Moon,N3", "row 3: it has 3 cells; the header has 2"),
        ("evolution_edges", "N1,Moon", "N1", "row 3: it has 1 cells; the header has 2"),
        ("evolution_edges", "N1,Moon", "N1,N1", "row 3, column 'b': 'N1'"),
        ("evolution_edges", "W8,Uranus", "W8,W7", "no line leads from Earth to the box 'Uranus'"),
    ],
)
def test_a_fault_in_the_sheet_is_told_with_file_row_and_column(
    table: str, old: str, new: str, told: str, tmp_path: Path
) -> None:
    folder = edited(tmp_path, **{table: (old, new)})
    with pytest.raises(CardTableError) as raised:
        load_sheet(folder)
    assert told in str(raised.value)


def test_a_sheet_without_its_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(CardTableError, match=r"evolution_boxes\.csv: there is no such file"):
        load_sheet(tmp_path)
