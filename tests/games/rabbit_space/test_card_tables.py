"""Card tables: an owner of the game can put the true values in, and is told what does not fit."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from hutch import games
from hutch.games.rabbit_space import REVISION, RULES, rules
from hutch.games.rabbit_space.cards import HOUSE, CardTableError, Deck, load

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
            "Rootwell,9,ornage",
            "rabbit_cards.csv, row 20, column 'color': 'ornage' does not fit; "
            "allowed: 'orange' or 'yellow' or 'blue' or 'green'.",
        ),
        (
            "rabbit_cards.csv",
            "B19,rabbit",
            "B19,hare",
            "rabbit_cards.csv, row 20, column 'kind': 'hare' does not fit; "
            "allowed: 'rabbit' or 'start'.",
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
            "starting_cards.csv, column 'cost': 3 cards cost 7; 4 are needed (the others cost 3).",
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
