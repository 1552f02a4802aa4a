"""`hutch campaign`: a team's Evolution sheet in the terminal."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hutch.cli.boards.evolution_sheet import legend, sheet
from hutch.cli.reaching import ADDRESS, PATIENCE, AuthorityFile, GatewayAddress, reach
from hutch.cli.sentences import in_a_sentence
from hutch.client.sync import connect
from hutch.v1 import campaign_pb2 as pb

_FAINT: Final = "grey42"
_GAMES_SHOWN: Final = 5
_BECAME: Final = {
    pb.CAMPAIGN_GAME_STATE_ON: "is on",
    pb.CAMPAIGN_GAME_STATE_GIVEN_UP: "was given up",
    pb.CAMPAIGN_GAME_STATE_EXPIRED: "was gone before it could be credited",
}


def campaign(
    name: Annotated[
        str,
        typer.Argument(
            help="The campaign's name, as campaigns/7c1f… or 7c1f….", metavar="CAMPAIGN"
        ),
    ],
    address: GatewayAddress = ADDRESS,
    ca: AuthorityFile = None,
) -> None:
    """Show a campaign of Rabbit Space: Evolution sheet, team, games."""
    with in_a_sentence("campaign"):
        credentials = reach(address, ca)
        with connect(address, retries=PATIENCE, credentials=credentials) as hutch:
            hutch.guest("Onlooker")
            found = hutch.campaign(name).get()
    console = Console(highlight=False)
    console.print(Text(found.display_name, style="bold"))
    console.print(sheet(found.boxes), soft_wrap=True)
    console.print(legend())
    console.print(facts(found))


def facts(found: pb.Campaign) -> Table:
    """What is to be said beside the sheet: a line for each thing."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style=_FAINT, no_wrap=True)
    grid.add_column()
    grid.add_row("team", "; ".join([_player(found, one) for one in found.players]))
    grid.add_row("unlocked", ", ".join([*found.evolutions, *found.missions]) or "nothing yet")
    grid.add_row("next mission", found.next_mission or "none")
    if found.boxes_left:
        can = " ".join([box.box for box in found.boxes if box.state == pb.BOX_STATE_OPEN])
        grid.add_row("to check", f"{found.boxes_left} boxes; open are {can}")
    for number, game in list(enumerate(found.games, 1))[-_GAMES_SHOWN:]:
        grid.add_row(f"game {number}", _game(game))
    return grid


def _player(found: pb.Campaign, one: pb.CampaignPlayer) -> str:
    words = [one.display_name]
    if one.player == found.host:
        words.append("(host)")
    if one.vote:
        words.append(f"votes {one.vote}")
    return " ".join(words)


def _game(game: pb.CampaignGame) -> str:
    extras = ", ".join([*game.evolutions, *([game.mission] if game.mission else [])])
    words = _BECAME.get(game.state)
    if words is None:
        words = f"{game.points} points, {game.boxes_earned} boxes"
        if game.boxes_checked:
            words += f": {' '.join(game.boxes_checked)}"
    return f"{words} ({extras})" if extras else words
