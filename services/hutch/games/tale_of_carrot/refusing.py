"""Why a pick is no option: a sentence, from the same guards that left it out."""

from __future__ import annotations

from hutch.engine.asking import PASS
from hutch.engine.prompts import Ask
from hutch.games.tale_of_carrot.board import NOBODY, Board, owner_of
from hutch.games.tale_of_carrot.cards.tokens import TOKENS
from hutch.games.tale_of_carrot.moments import TaleTable
from hutch.games.tale_of_carrot.tables import CHAMPION, GOLEMIGLIO, RED
from hutch.games.tale_of_carrot.turn import DECLARE, why_not_declare
from hutch.games.tale_of_carrot.windows import RESERVE
from hutch.games.tale_of_carrot.words import SEAT_OF, ZONE_OF, tables_of


def why_not(t: TaleTable, seat: int, ask: Ask, option: str) -> str:
    """A sentence for a pick that `ask` does not list; "" where there is nothing to say."""
    board = t.board
    if option == PASS.id:
        return "This question cannot be passed; pick one of its options."
    if option == DECLARE.id and ask.topic == "supreme.declare":
        return why_not_declare(t, seat)
    if ask.topic in ("tokens", "tokens.red"):
        return _why_not_token(t, seat, option, red_only=ask.topic == "tokens.red")
    if option in ZONE_OF and ask.options[0].id in ZONE_OF:
        zone = ZONE_OF[option]
        if zone >= len(board.zones):
            return f"{option} is not on this table: it has {t.seats} Villages, from 0."
        return _why_not_zone(board, seat, ask.topic, zone)
    if option in SEAT_OF and ask.options[0].id in SEAT_OF:
        target = SEAT_OF[option]
        if target >= t.seats:
            return f"There is no seat {target}; the seats are 0 to {t.seats - 1}."
        if board.villages[target].fallen:
            return f"Seat {target} is defeated, and can be neither hurt nor helped."
        return "Somebody else must be chosen."
    return ""


def _why_not_token(t: TaleTable, seat: int, option: str, *, red_only: bool) -> str:
    board = t.board
    village = board.villages[seat]
    tables = tables_of(t)
    token = option.removeprefix(RESERVE)
    if token not in TOKENS:
        return ""
    name = TOKENS[token].name
    if option.startswith(RESERVE):
        if token not in village.reserve:
            return f"You have no {name} token in a reserve."
    else:
        icons = tables.heroes[village.hero].icons.count(token)
        if not icons:
            return f"Your Hero has no {name} icon."
        if village.slots.count(token) >= icons:
            return f"Your Hero's {name} icon is used up; each serves once a game."
        if not board.supply[token]:
            return f"No {name} token is left in the supply."
    if tables.borders[token] != RED:
        if red_only:
            return f"{name} has a white border, and this window is for red tokens."
        if seat != board.active:
            return f"{name} has a white border: it is used in your own turn only."
    return f"There is nothing on the table for {name} to act on."


def _why_not_zone(board: Board, seat: int, topic: str, zone: int) -> str:
    here = board.zones[zone]
    match topic:
        case "rabbit.place" if here == CHAMPION:
            return "The Champion lies there; nothing replaces the Champion."
        case "rabbit.place":
            return "That Village has fallen; a defeated player invades living Villages only."
        case "gift.zone" if owner_of(zone) == seat:
            return "The Rabbit moves to another Village."
        case "gift.zone":
            return "That Zone is taken; the Rabbit moves to a free one."
        case "mage.swap" | "gift.rabbit" if board.active not in (NOBODY, owner_of(zone)):
            return "Only a Rabbit in the active player's Village can be taken."
    if not here:
        return "No Rabbit lies there."
    if here == CHAMPION:
        return "The Champion is no Rabbit."
    if here == GOLEMIGLIO and topic == "mage.swap":
        return "The Mage cannot swap a Golemiglio."
    return ""
