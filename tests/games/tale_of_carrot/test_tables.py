"""The printed tables, and files that stand in for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hutch.games.tale_of_carrot import RULES
from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.tables import TableError, load, read
from tests.games.tale_of_carrot.arranging import TABLES, TEXTS, Game, rules_with


@pytest.mark.rule("TC-040")
def test_every_rabbit_has_a_level_and_three_numbers() -> None:
    levels = [rabbit.danger for rabbit in TABLES.rabbits.values()]
    assert {level: levels.count(level) for level in ("I", "II", "III")} == {
        "I": 14,
        "II": 16,
        "III": 10,
    }


@pytest.mark.rule("TC-042")
def test_seven_rabbits_heal_somewhere() -> None:
    healing = [
        rabbit.ref
        for rabbit in TABLES.rabbits.values()
        if min(rabbit.left, rabbit.own, rabbit.right) < 0
    ]
    assert len(healing) == 7


def test_other_numbers_play_as_rules_of_their_own() -> None:
    fierce = rules_with("rabbits.csv", "R05,Lop Lookout,I,1,0,0", "R05,Lop Lookout,I,9,0,0")
    assert Game(step=Step.ATTACK, zones={0: ["R05"]}, rules=fierce).hp == [10, 1, 10, 10]
    assert fierce.revision != RULES.revision
    assert 0 < fierce.revision < 2**31


def test_more_columns_do_no_harm() -> None:
    first, *rest = TEXTS["rabbits.csv"].splitlines()
    text = "\n".join([f"{first},note", *[f"{row},x" for row in rest]])
    assert read({**TEXTS, "rabbits.csv": text}).rabbits == TABLES.rabbits


def test_tables_may_be_saved_by_a_spreadsheet(tmp_path: Path) -> None:
    for name, text in TEXTS.items():  # with a mark before the heading, and empty rows
        heading, *rows = text.splitlines()
        empty = "," * heading.count(",")
        saved = "\r\n".join([heading, *rows, empty, empty])
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + saved.encode())

    tables = load(tmp_path)

    assert (tables.rabbits, tables.heroes, tables.supply) == (
        TABLES.rabbits,
        TABLES.heroes,
        TABLES.supply,
    )


def test_a_row_is_counted_as_the_file_counts_it() -> None:
    heading, row, *rest = TEXTS["rabbits.csv"].splitlines()
    bad = row.replace(",I,", ",IV,")
    with pytest.raises(TableError, match=r"rabbits\.csv, row 4, column 'danger'"):
        read({**TEXTS, "rabbits.csv": "\n".join([heading, "", "", bad, *rest])})


@pytest.mark.parametrize(
    ("file", "cell", "instead", "said"),
    [
        (
            "rabbits.csv",
            "R02,Hopscout,I,",
            "R02,Hopscout,IV,",
            "rabbits.csv, row 3, column 'danger': 'IV' is none of I, II, III",
        ),
        (
            "rabbits.csv",
            "R03,Tuft Pilferer,I,1",
            "R03,Tuft Pilferer,I,one",
            "rabbits.csv, row 4, column 'left': 'one' is no whole number",
        ),
        ("rabbits.csv", "R02,", "R01,", "rabbits.csv, row 3, column 'id': 'R01' stands here twice"),
        ("rabbits.csv", "Dewpaw", "", "rabbits.csv, row 2, column 'name': the cell is empty"),
        ("rabbits.csv", "danger", "peril", "rabbits.csv, row 2, column 'danger': the column is"),
        (
            "heroes.csv",
            "thief,Thief,8",
            "thief,Thief,11",
            "heroes.csv, row 20, column 'hp_to_declare': 11 is not within 1 to 10",
        ),
        ("heroes.csv", "thief,Thief", "robber,Thief", "column 'id': 'robber' is none of assassin"),
        (
            "adventures.csv",
            "HEAL_SELF:1\n",
            "HEAL_SELF:3\n",
            "adventures.csv, row 2, column 'effects_top_to_bottom': 'HEAL_SELF:3'",
        ),
        ("rabbits.csv", "R01,", "golemiglio,", "'golemiglio' is the name of another card"),
        ("adventures.csv", "A01,", "pizza,", "'pizza' is the name of another card"),
        ("rabbits.csv", "R01,", "mage,", "'mage' is the name of another card"),
        ("rabbits.csv", "R01,", "shield,", "'shield' is the name of another card"),
        ("adventures.csv", "A01,", "R01,", "adventures.csv, row 2, column 'id': 'R01' is the name"),
        ("adventures.csv", "DISCARD_OWN:2\n", "DANCE:2\n", "'DANCE' is none of HEAL_SELF"),
        (
            "ability_tokens.csv",
            "shield,red",
            "shield,blue",
            "ability_tokens.csv, row 7, column 'border': 'blue' is none of white, red",
        ),
        (
            "support_cards.csv",
            "golemiglio,Dimensional",
            "golem,Dimensional",
            "support_cards.csv, row 2, column 'id': 'golem' is none of golemiglio",
        ),
        (
            "heroes.csv",
            "paladin,Paladin,0",
            "paladin,Paladin,1",
            "heroes.csv, row 4, column 'hp_to_declare': 1 is not within 0 to 0",
        ),
        (
            "heroes.csv",
            "archer,Archer,4",
            "archer,Archer,0",
            "heroes.csv, row 6, column 'hp_to_declare': 0 is not within 1 to 10",
        ),
    ],
)
def test_a_fault_names_its_file_row_and_column(
    file: str, cell: str, instead: str, said: str
) -> None:
    assert cell in TEXTS[file]
    with pytest.raises(TableError, match="row") as caught:
        read({**TEXTS, file: TEXTS[file].replace(cell, instead, 1)})
    assert said in str(caught.value)


def test_a_missing_row_or_file_is_named() -> None:
    heroes = TEXTS["heroes.csv"].replace("jester", "#jester", 1)
    with pytest.raises(TableError, match="'#jester' is none of"):
        read({**TEXTS, "heroes.csv": heroes})
    short = "\n".join(TEXTS["heroes.csv"].splitlines()[:-1])
    with pytest.raises(TableError, match="the row of 'thief' is missing"):
        read({**TEXTS, "heroes.csv": short})
    support = TEXTS["support_cards.csv"].replace("pizza,Pizza,6,,,,\n", "")
    with pytest.raises(TableError, match="the row of 'pizza' is missing"):
        read({**TEXTS, "support_cards.csv": support})
    with pytest.raises(TableError, match=r"heroes\.csv: there is no such file"):
        read({name: text for name, text in TEXTS.items() if name != "heroes.csv"})


@pytest.mark.parametrize(
    ("cell", "instead", "said"),
    [
        ("R02,Hopscout,I,1,0,1", "R02,Hopscout,I,1,0,1,2", "row 3: it has 7 cells; the heading"),
        ("R02,Hopscout,I,1,0,1", "R02,Hopscout,I,1,0", "row 3: it has 5 cells; the heading has 6"),
        ("R02,Hopscout", 'R02,"Hop"scout', "row 3: "),
        ("id,name", "id,id", "row 1, column 'id': it stands here twice"),
    ],
    ids=["a cell more", "a cell less", "quotes within a cell", "a column twice"],
)
def test_a_row_that_does_not_fit_its_heading_is_named(cell: str, instead: str, said: str) -> None:
    rabbits = TEXTS["rabbits.csv"].replace(cell, instead, 1)
    with pytest.raises(TableError) as caught:
        read({**TEXTS, "rabbits.csv": rabbits})
    assert f"rabbits.csv, {said}" in str(caught.value)


def test_a_table_that_is_no_text_is_named(tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "heroes.csv").write_bytes(b"id,name\n\xff\xfe")
    with pytest.raises(TableError, match=r"heroes\.csv: it is not UTF-8 text"):
        load(tmp_path)
