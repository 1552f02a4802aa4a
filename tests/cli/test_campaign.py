"""`hutch campaign`: the Evolution sheet as it is drawn, and the command against a real stack."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection

import pytest

from hutch.cli.boards.evolution_sheet import legend, sheet
from hutch.client.sync import connect
from hutch.games.rabbit_space.sheet import SHEET
from hutch.turns.campaign_meta import CampaignMeta, PlayerMeta, campaign_message
from hutch.v1 import campaign_pb2 as pb
from tests.stacks import RunningStack


def boxes_of(*checked: str) -> Collection[pb.EvolutionBox]:
    """The sheet of a campaign with those boxes checked, as the service tells it."""
    meta = CampaignMeta("Carrots", "", 0, [PlayerMeta("ada", "Ada")], checked=list(checked))
    return campaign_message(SHEET, "c0000001", meta, 1, "ada").boxes


def show(stack: RunningStack, name: str) -> subprocess.CompletedProcess[str]:
    """What the command prints."""
    return subprocess.run(
        [sys.executable, "-m", "hutch.cli", "campaign", name, "--address", stack.gateway],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.rule("RS-033")
def test_the_sheet_shows_every_box_and_names_every_planet_within_a_terminal() -> None:
    drawn = sheet(boxes_of()).plain
    lines = drawn.splitlines()
    assert len(lines) <= 20
    assert max(len(line) for line in lines) < 80
    for box in SHEET.boxes.values():
        if box.planet:
            assert box.name in drawn
    assert sum(drawn.count(sign) for sign in "■◧□●◐○") == len(SHEET.boxes)
    assert drawn.count("●") == 1  # Earth


@pytest.mark.rule("RS-033")
def test_checked_boxes_are_filled_and_so_is_the_way_to_them() -> None:
    drawn = sheet(boxes_of("N1", "Moon", "E1"))
    assert (drawn.plain.count("■"), drawn.plain.count("●")) == (2, 2)
    filled = [drawn.plain[span.start : span.end] for span in drawn.spans if "green" in span.style]
    assert filled.count("─") == 3  # from Earth to E1


@pytest.mark.rule("RS-033")
def test_what_can_be_checked_is_told_from_what_is_closed_without_colours() -> None:
    drawn = sheet(boxes_of("N1", "E1", "E2")).plain
    assert (drawn.count("◧"), drawn.count("◐")) == _open("N1", "E1", "E2")
    signs = [sign for sign in legend().plain if sign in "■◧□●◐○"]
    assert signs == ["■", "●", "◧", "◐", "□", "○"]


def _open(*checked: str) -> tuple[int, int]:
    """How many plain boxes and planets can be checked then."""
    boxes = [box for box in boxes_of(*checked) if box.state == pb.BOX_STATE_OPEN]
    planets = sum(bool(SHEET.boxes[box.box].planet) for box in boxes)
    return len(boxes) - planets, planets


def test_the_command_draws_the_sheet_and_tells_the_team(stack: RunningStack) -> None:
    with connect(stack.gateway) as ada:
        ada.guest("Ada")
        campaign = ada.create_campaign("Carrots to Mars")
        campaign.vote("none")
        table = campaign.start_game(seats=2)
        for name in (campaign.name, campaign.name.removeprefix("campaigns/")):
            shown = show(stack, name)
            assert shown.returncode == 0, shown.stderr
            for words in ("Carrots to Mars", "Ada (host)", "Saturn", "game 1", "is on"):
                assert words in shown.stdout
        assert campaign.abandon_game(table.name).table == ""
        assert [one.name for one in ada.campaigns()] == [campaign.name]
        assert not campaign.leave().players
        with connect(stack.gateway, token=ada.token) as again:
            assert again.campaigns() == []


def test_the_command_tells_what_to_check_and_what_was_earned(stack: RunningStack) -> None:
    with connect(stack.gateway) as ada:
        ada.guest("Ada")
        campaign = ada.create_campaign()
        table = campaign.start_game(seats=4, options={"absent": "bot"})
        for seat in (1, 2, 3):
            table.assign_bot(seat, "greedy")
        table.start()
        table.seat(0).leave()
        for _ in table.watch():
            pass
        left = campaign.get().boxes_left
        assert f"{left} boxes; open are N1 E1 S1 W1" in show(stack, campaign.name).stdout
        campaign.check("N1", "Moon")
        shown = show(stack, campaign.name).stdout
        assert f"{left} boxes: N1 Moon" in shown
        assert f"{left - 2} boxes; open are N3 E1 S1 W1" in shown


@pytest.mark.parametrize("name", ["campaigns/0123456789abcdef", "tables/7c1f"])
def test_a_campaign_that_is_not_there_is_told_in_a_sentence(name: str, stack: RunningStack) -> None:
    shown = show(stack, name)
    assert shown.returncode == 2
    assert shown.stderr.startswith("hutch campaign: ")


def test_a_name_cut_short_is_told_what_a_name_is(stack: RunningStack) -> None:
    shown = show(stack, "7c1f")
    assert shown.returncode == 2
    assert "'campaigns/7c1f' is no name of a campaign" in shown.stderr
    assert "with an id of 8 to 32 small letters and digits" in shown.stderr
