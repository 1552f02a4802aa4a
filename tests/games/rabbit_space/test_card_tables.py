"""Card tables: an owner of the game can put the true values in, and is told what does not fit."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from hutch import games
from hutch.games.rabbit_space import REVISION, RULES, rules, with_cards
from hutch.games.rabbit_space.cards import HOUSE, MISSION_REFS, Deck, load
from hutch.games.rabbit_space.tables import CardTableError

OURS = files("hutch.games.rabbit_space") / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with our tables, to be edited."""
    for name in ("rabbit_cards.csv", "starting_cards.csv"):
        (tmp_path / name).write_text(OURS.joinpath(name).read_text())
    return tmp_path


def edited(folder: Path, name: str, old: str, new: str) -> Path:
    """The same folder with one change to a table."""
    path = folder / name
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is in {name} {text.count(old)} times"
    path.write_text(text.replace(old, new))
    return folder


def test_a_table_with_other_values_makes_another_deck(folder: Path) -> None:
    row = "B07,rabbit,Hop Rootwell,4,orange,0,0,0,0,1,1,gold,2,4,,house"
    true_row = "B07,rabbit,Lapin Vrai,5,green,1,2,3,4,5,6,helmet,3,8,,owner"

    card = load(edited(folder, "rabbit_cards.csv", row, true_row)).cards[HOUSE.index["B07"]]

    assert (card.name, card.cost, card.colour, card.value) == ("Lapin Vrai", 5, "green", 8)
    assert (card.trainee.helmet, card.trainee.carrot, card.trainee.gold) == (1, 2, 3)
    assert (card.astronaut.helmet, card.astronaut.carrot, card.astronaut.gold) == (4, 5, 6)
    assert card.bonus is not None
    assert (card.bonus.resource, card.bonus.amount) == ("helmet", 3)


def test_columns_may_stand_in_any_order_and_notes_may_be_missing(folder: Path) -> None:
    for path in folder.iterdir():
        rows = [line.split(",")[:-2][::-1] for line in path.read_text().splitlines()]
        path.write_text("\n".join([",".join(row) for row in rows]))

    assert load(folder).cards == HOUSE.cards


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        (
            "rabbit_cards.csv",
            "Rootwell,9,orange",
            "Rootwell,99,orange",
            "rabbit_cards.csv, row 20, column 'cost': '99' does not fit; "
            "allowed: a whole number from 1 to 20.",
        ),
        (
            "rabbit_cards.csv",
            "Rootwell,9,orange",
            "Rootwell,nine,orange",
            "rabbit_cards.csv, row 20, column 'cost': 'nine' does not fit; "
            "allowed: a whole number from 1 to 20.",
        ),
        (
            "rabbit_cards.csv",
            "Rootwell,9,orange",
            "Rootwell,1_1,orange",
            "rabbit_cards.csv, row 20, column 'cost': '1_1' does not fit; "
            "allowed: a whole number from 1 to 20.",
        ),
        (
            "rabbit_cards.csv",
            "Rootwell,9,orange",
            "Rootwell,9,ornage",
            "rabbit_cards.csv, row 20, column 'color': 'ornage' does not fit; "
            "allowed: 'orange' or 'yellow' or 'blue' or 'green'.",
        ),
        (
            "rabbit_cards.csv",
            "B19,rabbit",
            "B19,hare",
            "rabbit_cards.csv, row 20, column 'kind': 'hare' does not fit; allowed: 'rabbit'.",
        ),
        (
            "rabbit_cards.csv",
            "B19,rabbit",
            "B19,start",
            "rabbit_cards.csv, row 20, column 'kind': 'start' does not fit; allowed: 'rabbit'.",
        ),
        (
            "rabbit_cards.csv",
            "B19,rabbit",
            "B18,rabbit",
            "rabbit_cards.csv, row 20, column 'id': 'B18' is taken by rabbit_cards.csv, row 19.",
        ),
        (
            "rabbit_cards.csv",
            "B19,rabbit",
            "ready,rabbit",
            "rabbit_cards.csv, row 20, column 'id': 'ready' does not fit; "
            "allowed: 1 to 3 capitals and 1 to 3 digits, such as B07.",
        ),
        (
            "rabbit_cards.csv",
            "Sol Rootwell",
            "",
            "rabbit_cards.csv, row 20, column 'name': '' does not fit; "
            "allowed: 2 to 40 characters.",
        ),
        (
            "rabbit_cards.csv",
            "Nova Rootwell,10,orange,0,2,0,0,3,1,gold,2",
            "Nova Rootwell,10,orange,0,2,0,0,3,1,gold,0",
            "rabbit_cards.csv, row 21, column 'bonus_amount': '0' does not fit; "
            "allowed: 1 to 9 where 'bonus_resource' is set.",
        ),
        (
            "rabbit_cards.csv",
            "Nova Rootwell,10,orange,0,2,0,0,3,1,gold,2",
            "Nova Rootwell,10,orange,0,2,0,0,3,1,,2",
            "rabbit_cards.csv, row 21, column 'bonus_amount': '2' does not fit; "
            "allowed: 0 where 'bonus_resource' is empty.",
        ),
        (
            "rabbit_cards.csv",
            "Nova Rootwell,10,orange,0,2,0,0,3,1,gold,2",
            "Nova Rootwell,10,orange,0,2,0,0,3,1,luck,2",
            "rabbit_cards.csv, row 21, column 'bonus_resource': 'luck' does not fit; "
            "allowed: '' or 'carrot' or 'gold' or 'helmet'.",
        ),
        (
            "rabbit_cards.csv",
            "Nova Rootwell,10,orange,0,2,0",
            "Nova Rootwell,10,orange,0,2",
            "rabbit_cards.csv, row 21: it has 15 cells; the header has 16.",
        ),
        (
            "rabbit_cards.csv",
            "value,special",
            "points,special",
            "rabbit_cards.csv, row 1, column 'value': it is there 0 times; each of these is "
            "needed once: id, kind, name, cost, color, t_helmet, t_carrot, t_gold, a_helmet, "
            "a_carrot, a_gold, bonus_resource, bonus_amount, value.",
        ),
        (
            "rabbit_cards.csv",
            "value,special",
            "value,strength",
            "rabbit_cards.csv, row 1, column 'strength': it is unknown; the columns are id, kind, "
            "name, cost, color, t_helmet, t_carrot, t_gold, a_helmet, a_carrot, a_gold, "
            "bonus_resource, bonus_amount, value, and for notes special and confidence.",
        ),
        (
            "starting_cards.csv",
            "Captain Goldear,7,",
            "Captain Goldear,8,",
            "starting_cards.csv, row 7, column 'cost': '8' does not fit; allowed: 3 or 7.",
        ),
        (
            "starting_cards.csv",
            "Captain Goldear,7,",
            "Captain Goldear,3,",
            "starting_cards.csv, column 'cost': 5 cards cost 3; 4 are needed (the others cost 7).",
        ),
        (
            "starting_cards.csv",
            "S8,start,Captain Meadowleap,7,green,0,1,2,1,2,2,,0,7,,cost certain; rest house",
            "",
            "starting_cards.csv: it lists 7 cards; 8 are needed.",
        ),
        (
            "rabbit_cards.csv",
            "Sol Rootwell",
            '"Sol Rootwell" x',
            "rabbit_cards.csv, row 20: ',' expected after '\"'.",
        ),
    ],
)
def test_a_fault_names_the_file_the_row_the_column_and_what_is_allowed(
    folder: Path, name: str, old: str, new: str, sentence: str
) -> None:
    edited(folder, name, old, new)

    with pytest.raises(CardTableError) as fault:
        load(folder)

    assert str(fault.value) == sentence


def test_a_missing_table_is_named(folder: Path) -> None:
    (folder / "starting_cards.csv").unlink()

    with pytest.raises(CardTableError, match=r"starting_cards\.csv: there is no such file"):
        load(folder)


def test_a_table_that_is_no_text_is_named(folder: Path) -> None:
    (folder / "rabbit_cards.csv").write_bytes(b"id,kind\n\xff\xfe")

    with pytest.raises(CardTableError, match=r"rabbit_cards\.csv: it is not UTF-8 text"):
        load(folder)


@pytest.fixture
def whole_folder(tmp_path: Path) -> Path:
    """A folder with all our tables, to be edited."""
    for table in Path(str(OURS)).glob("*.csv"):
        (tmp_path / table.name).write_bytes(table.read_bytes())
    return tmp_path


def test_tables_may_be_saved_by_a_spreadsheet(whole_folder: Path) -> None:
    tables = list(whole_folder.glob("*.csv"))
    assert len(tables) == 6
    for path in tables:  # with a mark before the header, and empty rows below the table
        rows = path.read_bytes().splitlines()
        empty = b"," * rows[0].count(b",")
        path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join([*rows, empty, empty]))

    played = with_cards(whole_folder)

    assert load(whole_folder).cards == HOUSE.cards
    assert played.tables.boxes == RULES.tables.boxes
    assert played.tables.lines == RULES.tables.lines


@pytest.mark.rule("RS-042")
def test_no_card_bears_the_name_of_a_missions_card(whole_folder: Path) -> None:
    of_missions = [one for one in RULES.catalogue() if one.kind == "collaborative-mission"]
    assert sorted([one.ref for one in of_missions]) == sorted(MISSION_REFS)

    edited(whole_folder, "evolution_decks.csv", "RK4,", "SS4,")

    with pytest.raises(CardTableError) as fault:
        with_cards(whole_folder)
    assert str(fault.value) == (
        "evolution_decks.csv, row 13, column 'id': 'SS4' is taken by a card of the missions."
    )


@pytest.mark.rule("RS-035", "RS-038", "RS-040", "RS-041")
@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("four_card_sets.csv", "Patron Rootwell,5,", "Patron Rootwell,0,", "row 2, column 'cost'"),
        ("four_card_sets.csv", "Mission Harvest,0,", "Mission Harvest,3,", "row 6, column 'cost'"),
        (
            "four_card_sets.csv",
            "Mission Harvest,0,orange,0,2,0,0,0,0,,0,0",
            "Mission Harvest,0,orange,0,2,0,0,0,0,,0,4",
            "row 6, column 'value': '4' does not fit; allowed: 0.",
        ),
        (
            "four_card_sets.csv",
            "Mission Harvest,0,orange,0,2,0,0,0,0,,0,0",
            "Mission Harvest,0,orange,0,2,0,0,0,0,gold,2,0",
            "row 6, column 'bonus_resource'",
        ),
        (
            "four_card_sets.csv",
            "Mission Harvest,0,orange,0,2,0,0,",
            "Mission Harvest,0,orange,0,2,0,1,",
            "row 6, column 'a_helmet': '1' does not fit; allowed: 0.",
        ),
        (
            "evolution_decks.csv",
            "Beacon Satellite 1,5,orange,0,0,1,0,0,0",
            "Beacon Satellite 1,5,orange,0,0,1,0,0,2",
            "row 26, column 'a_gold': '2' does not fit; allowed: 0.",
        ),
    ],
)
def test_a_card_shows_nothing_that_its_kind_never_uses(
    whole_folder: Path, name: str, old: str, new: str, told: str
) -> None:
    edited(whole_folder, name, old, new)

    with pytest.raises(CardTableError) as fault:
        with_cards(whole_folder)

    assert f"{name}, {told}" in str(fault.value)


def test_a_table_whose_name_is_misspelt_is_named(whole_folder: Path) -> None:
    (whole_folder / "notes.txt").write_text("what the owner wants to remember")
    with_cards(whole_folder)
    (whole_folder / "evolution_decks.csv").rename(whole_folder / "evolution_deck.csv")

    with pytest.raises(CardTableError, match=r"evolution_deck\.csv: no table is called so"):
        with_cards(whole_folder)


@pytest.fixture
def dearer(folder: Path) -> Deck:
    """Our cards, but one of them is worth more."""
    row = "B20,rabbit,Nova Rootwell,10,orange,0,2,0,0,3,1,gold,2,10"
    return load(edited(folder, "rabbit_cards.csv", row, row[:-2] + "12"))


def test_games_under_other_values_have_a_revision_of_their_own(dearer: Deck) -> None:
    assert RULES.revision == REVISION
    assert REVISION < rules(dearer).revision < 2**31
    assert rules(dearer).revision == rules(Deck(dearer.cards)).revision  # in any process


def test_an_unknown_revision_is_not_found() -> None:
    assert games.find("rabbit-space", 999) is None
    assert games.find("hare-space", 1) is None
