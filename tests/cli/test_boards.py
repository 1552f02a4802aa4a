"""Boards in a terminal: drawn from the typed view alone, within the room there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from random import Random

import pytest
from rich.console import Console

from hutch.bots import STRATEGIES
from hutch.bots.strategy import Sight
from hutch.cli.boards import ART, art_of
from hutch.cli.boards.art import Sitting
from hutch.cli.exhibition import eager_picks
from hutch.engine.kernel import deal
from hutch.engine.live import Live
from hutch.games import RULESETS
from hutch.killer_bunnies.v1 import board_pb2, events_pb2
from hutch.rabbit_space.v1 import rabbit_space_pb2
from hutch.v1 import catalog_service_pb2, table_pb2
from hutch.wire.prompts import picks_of, prompt_set
from hutch.wire.views import view_of

NAMES = ("greedy", "random", "greedy", "random")


def begun(game: str, seats: int, seed: int = 1) -> Live:
    """A game just dealt."""
    outcome = deal(RULESETS[game], seats=seats, options={}, seed=bytes([seed]) * 32, at_ms=0)
    assert not hasattr(outcome, "reason"), outcome
    return outcome.live


def moments(game: str, seats: int) -> Iterator[table_pb2.View]:
    """The public's view, move after move, of a game that bots play."""
    live, rng = begun(game, seats), Random(5)
    strategies = [STRATEGIES[game][name] for name in NAMES]
    yield view_of(live, None, 0)
    while live.result is None:
        seat = live.awaited()[0]
        number, picks = strategies[seat](Sight(live, seat), rng)
        assert live.answer(seat, number, picks) is None
        yield view_of(live, None, 0)


def catalogue(game: str) -> dict[str, catalog_service_pb2.Card]:
    """The cards of a game, as the service tells them."""
    return {
        card.ref: catalog_service_pb2.Card(card=card.ref, name=card.name, facts=card.facts)
        for card in RULESETS[game].catalogue()
    }


def drawn(view: table_pb2.View, names: Sequence[str], width: int) -> list[str]:
    """The lines of a board."""
    art = art_of(view)
    assert art is not None
    game = str(view.WhichOneof("board")).replace("_", "-")
    console = Console(width=width, file=StringIO(), color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(art.board(Sitting(view=view, cards=catalogue(game), names=names), width))
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_whoever_is_absent_is_shown_so(game: str) -> None:
    view = view_of(begun(game, 3), None, 0)
    for absence in (
        table_pb2.ABSENCE_UNSPECIFIED,
        table_pb2.ABSENCE_AWAY,
        table_pb2.ABSENCE_FORFEITED,
    ):
        view.table.seats.add(absence=absence)
    text = "\n".join(drawn(view, ("Ada", "Ben", "Cleo"), 100))
    assert "away Ben" in text
    assert "gone Cle" in text


def test_every_game_has_a_board() -> None:
    assert {game.replace("-", "_") for game in RULESETS} == set(ART)


@pytest.mark.parametrize("width", [60, 76, 120, 160])
@pytest.mark.parametrize("game", sorted(RULESETS))
def test_a_board_keeps_within_its_lines_and_its_width_at_every_move(game: str, width: int) -> None:
    for number, view in enumerate(moments(game, 4)):
        if number % 7 == 0 or not view.awaited_seats:
            art = art_of(view)
            assert art is not None
            lines = drawn(view, NAMES, width)
            assert len(lines) == art.lines(4)
            assert max(len(line) for line in lines) <= width
            assert "\n" not in art.headline(view).plain


def rabbit_space(**own: object) -> table_pb2.View:
    """A view of one player's board."""
    seat = rabbit_space_pb2.SeatBoard(**own)  # type: ignore[arg-type]
    board = rabbit_space_pb2.Board(
        round=3, step=rabbit_space_pb2.STEP_SPEND_GOLD, seats=[seat], team_score=12
    )
    return table_pb2.View(rabbit_space=board, awaited_seats=[0])


def test_rabbit_space_says_where_the_game_is() -> None:
    view = rabbit_space()
    art = art_of(view)
    assert art is not None
    assert art.headline(view).plain == "round 3 of 7 · spending Gold · team 12"


def test_rabbit_space_tells_no_round_before_the_first() -> None:
    view = rabbit_space()
    view.rabbit_space.round = 0
    view.rabbit_space.step = rabbit_space_pb2.STEP_TURN_STATIONS
    view.rabbit_space.mission = "venus"
    art = art_of(view)
    assert art is not None
    assert art.headline(view).plain == "turning Space Stations · Venus · team 12"


def test_rabbit_space_shows_tracks_cards_by_cost_and_points() -> None:
    placed = [rabbit_space_pb2.PlacedCard(card=card) for card in ("S1", "B20")]
    view = rabbit_space(carrots=7, gold=14, helmets=3, level_1=placed, score=9)
    line = drawn(view, ["ada"], 76)[1]
    assert line.split() == ["▸", "ada", "7", "14", "3", "3", "10", "9"]
    roomy = drawn(view, ["ada"], 120)[1]
    assert "◆◆◆◇◇◇◇" in roomy
    assert roomy.index("█") < roomy.index("14")


@pytest.mark.parametrize(
    ("width", "helmets"), [(71, "Helm"), (76, "Helm"), (96, "Helmets"), (160, "Helmets")]
)
def test_rabbit_space_heads_its_columns_in_words(width: int, helmets: str) -> None:
    headings = drawn(rabbit_space(), ["ada"], width)[0]
    places = ["Training", "Level", "1", "Level", "2", "Space", "pts"]
    assert headings.split() == ["Carrots", "Gold", helmets, *places]


def test_rabbit_space_sets_numbers_below_the_end_of_their_headings() -> None:
    headings, line = drawn(rabbit_space(carrots=12, gold=20, helmets=7), ["ada"], 76)
    for heading, number in (("Carrots", "12"), ("Gold", "20"), ("Helm", "7")):
        end = headings.index(heading) + len(heading)
        assert line[:end].endswith(f" {number}")


@pytest.mark.parametrize("many", [1, 2, 3, 4, 5, 30])
def test_costs_and_what_is_left_out_are_told_apart_without_colours(many: int) -> None:
    placed = [rabbit_space_pb2.PlacedCard(card="B20")] * many
    words = drawn(rabbit_space(training_center=placed), ["ada"], 76)[1].split()[5:-1]
    more = int(words.pop()) if words[-1].startswith("+") else 0
    assert words == ["10"] * (many - more)


def test_cards_that_there_is_no_room_for_are_counted() -> None:
    placed = [rabbit_space_pb2.PlacedCard(card="S1")] * 30
    line = drawn(rabbit_space(level_1=placed), ["ada"], 76)[1]
    shown, _, more = line.partition("+")
    assert shown.count(" 3") + int(more.split()[0]) == 30


def test_a_card_that_the_catalogue_does_not_know_is_shown_as_such() -> None:
    placed = [rabbit_space_pb2.PlacedCard(card="Z9")]
    assert " ?" in drawn(rabbit_space(space=placed), ["ada"], 76)[1]


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_the_eager_player_finishes_games_with_legal_answers(game: str) -> None:
    live, rng = begun(game, 3), Random(7)
    passed = 0
    while live.result is None:
        seat = live.awaited()[0]
        prompts = table_pb2.PromptSet.FromString(prompt_set(live.questions(seat))).prompts
        prompt = prompts[0]
        picks = eager_picks(prompt, rng)
        action = table_pb2.Action(prompt_id=prompt.prompt_id, picks=picks)
        assert live.answer(seat, prompt.prompt_id, picks_of(action)) is None
        passed += picks == list(prompt.default_picks)
    assert max(live.result.scores) > 0
    assert passed > 0


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ({"mission": "pluto", "event_colour": "blue"}, "Pluto: blue costs less"),
        ({"mission": "ceres"}, "Ceres: 0 of 3 slots"),
        ({"mission": "moon"}, "Moon"),
    ],
)
def test_rabbit_space_says_which_mission_is_played(board: dict[str, str], said: str) -> None:
    view = table_pb2.View(
        rabbit_space=rabbit_space_pb2.Board(
            round=2,
            step=rabbit_space_pb2.STEP_KEEP,
            **board,  # type: ignore[arg-type]
        )
    )
    art = art_of(view)
    assert art is not None
    assert art.headline(view).plain == f"round 2 of 7 · keeping resources · {said}"


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
