"""Killer Bunnies as the terminal shows it."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from hutch.cli.boards import ART
from hutch.cli.boards.art import Sitting
from hutch.killer_bunnies.v1 import board_pb2, events_pb2
from hutch.v1 import table_pb2
from tests.cli.drawing import catalogue, drawn


def killer_bunnies(**own: object) -> table_pb2.View:
    """A view of two players in turn 20 with a bunny each."""
    circle = [board_pb2.Bunny(card="0010", seat=0), board_pb2.Bunny(card="0112", seat=1)]
    board = board_pb2.Board(
        turn=20,
        stage="before",
        seats=[board_pb2.Seat(state="playing")] * 2,
        circle=circle,
        **own,  # type: ignore[arg-type]
    )
    return table_pb2.View(killer_bunnies=board)


def dice_line(view: table_pb2.View, *events: events_pb2.Event) -> str:
    """What Killer Bunnies shows of the dice after those events."""
    happened = [table_pb2.Event(killer_bunnies=event) for event in events]
    sitting = Sitting(
        view=view, cards=catalogue("killer-bunnies"), names=["ann", "ben"], events=happened
    )
    console = Console(width=100, file=StringIO(), color_system=None)
    with console.capture() as capture:
        console.print(ART["killer_bunnies"].board(sitting, 100))
    return " ".join(capture.get().splitlines()[1].split())


def turn_began(turn: int) -> events_pb2.Event:
    """The start of that turn."""
    return events_pb2.Event(turn_began=events_pb2.TurnBegan(turn=turn))


def rolled(value: int, bunny: str = "", beat: int = 0) -> events_pb2.Event:
    """The second player's black die."""
    fell = events_pb2.DieRolled(seat=1, die="black", value=value, bunny=bunny, beat=beat)
    return events_pb2.Event(die_rolled=fell)


@pytest.mark.parametrize(
    ("carrots", "said"),
    [([], "0 Carrots left"), ([7], "1 Carrot left"), ([3, 7], "2 Carrots left")],
)
def test_killer_bunnies_counts_the_carrots_that_are_left(carrots: list[int], said: str) -> None:
    view = killer_bunnies(market=board_pb2.Market(carrots=carrots))
    assert ART["killer_bunnies"].headline(view).plain.endswith(said)


def test_killer_bunnies_shows_the_dice_of_the_last_turn_that_had_any() -> None:
    rolls = (turn_began(17), rolled(12), turn_began(18), rolled(8, "0010", 7), rolled(7, "0112", 7))
    expected = "dice turn 18: 7 fails 7 gleeful 8 beats 7 timid"
    assert dice_line(killer_bunnies(), *rolls, turn_began(19), turn_began(20)) == expected
    five = events_pb2.DiceRolled(seat=1, values=[1, 2, 3, 4, 5])
    assert dice_line(
        killer_bunnies(), *rolls, turn_began(20), events_pb2.Event(dice_rolled=five)
    ) == ("dice 1 2 3 4 5 ben")


def test_killer_bunnies_shows_this_turns_dice_without_events() -> None:
    roll = board_pb2.Roll(seat=0, dice={"violet": 4}, bunny="0054", beat=9)
    view = killer_bunnies(roll=roll, resolving=["0054"])
    assert dice_line(view) == "dice Cyber Bunny is played 4 fails 9 cyber"
    assert dice_line(killer_bunnies()) == "dice"


@pytest.mark.parametrize("width", [71, 76, 96, 160])
def test_killer_bunnies_says_what_its_headings_mean(width: int) -> None:
    prices = board_pb2.Market(
        open=True, cabbage_price=3, water_price=2, carrot_price=10, carrots=[4, 7]
    )
    market, _, headings, *_ = drawn(killer_bunnies(market=prices), ["ann", "ben"], width)
    assert market.split(maxsplit=1)[1] == "C Cabbage 3 W Water 2 ▲ Carrot 10: 4 7"
    assert headings.split(maxsplit=5)[:5] == ["▲", "$", "C", "W", "S"]
    assert headings.endswith("the circle, clockwise ($ Dolla S saved)")


def test_a_market_that_is_closed_has_no_prices() -> None:
    market = drawn(killer_bunnies(market=board_pb2.Market(carrots=[4])), ["ann", "ben"], 76)[0]
    assert market.split(maxsplit=1)[1] == "C Cabbage - W Water - ▲ Carrot - closed: 4"


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (100, "the circle, clockwise ($ Dolla S saved ○ Halo ♣ Clover ! to feed)"),
        (76, "($ Dolla S saved ○ Halo ♣ Clover ! to feed)"),
        (60, "(○ Halo ♣ Clover ! to feed)"),
        (48, "the circle, clockwise"),
    ],
)
def test_killer_bunnies_says_what_the_signs_in_the_circle_mean(width: int, said: str) -> None:
    view = killer_bunnies()
    view.killer_bunnies.circle[0].modifiers.append("0058")
    view.killer_bunnies.circle[0].clovers = 2
    view.killer_bunnies.circle[1].feeds.append(board_pb2.Feed(cabbage=2, due_turn=22))
    headings = drawn(view, ["ann", "ben"], width)[2]
    assert headings.split(maxsplit=5)[5] == said


def test_every_sign_of_killer_bunnies_is_explained_while_it_is_to_be_seen() -> None:
    view = killer_bunnies(
        roamers=[
            board_pb2.Roamer(card="0047", bunny="0010"),
            board_pb2.Roamer(card="0054", bunny="0112"),
        ]
    )
    view.killer_bunnies.circle[0].modifiers.append("0151")
    view.killer_bunnies.circle[1].trojan = "0046"
    headings, first, second = drawn(view, ["ann", "ben"], 100)[2:]
    assert headings.endswith("($ Dolla S saved ◇ Suit T Trojan ☠ Cyber ☣ Ebola)")
    assert first.endswith("◇☣")
    assert second.endswith("T☠")


def test_the_circle_is_read_on_from_player_to_player_with_pending_feeds() -> None:
    view = killer_bunnies()
    feed = board_pb2.Feed(card="0025", cabbage=2, water=1, due_turn=22)
    view.killer_bunnies.circle[1].feeds.append(feed)
    roomy = drawn(view, ["ann", "ben"], 100)
    assert roomy[3].split()[-1] == "timid"
    assert roomy[4].endswith("gleeful !2C1W by 22")
    crowd = [board_pb2.Bunny(card="0112", seat=1, feeds=[feed])] * 6
    view.killer_bunnies.circle.extend(crowd)
    narrow = drawn(view, ["ann", "ben"], 71)
    assert narrow[4].endswith("…")
    assert narrow[4].count("!2C1W") >= 4
    view.killer_bunnies.ClearField("circle")
    assert drawn(view, ["ann", "ben"], 71)[3].endswith("no bunny")
