"""The balance report: figures, simulation, and the command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hutch.bots import STRATEGIES
from hutch.cli.balance.figures import figure, figures
from hutch.cli.balance.simulation import BATCH, simulate
from hutch.cli.balance.studies import share, study_of
from hutch.games import RULESETS
from hutch.games.tale_of_carrot.tables import HEROES


def observed(
    game: str, games: int, *, processes: int = 1, seed: int = 1
) -> list[tuple[str, float]]:
    """What random play gives."""
    return simulate(
        game,
        games=games,
        bots=("random",),
        seed=seed,
        processes=processes,
        progress=lambda more: None,
    )


def test_a_figure_has_a_mean_its_interval_and_the_spread() -> None:
    one = figure("x", [0.0, 1.0] * 50)
    assert (one.count, one.mean) == (100, 0.5)
    # 1.96 times the standard deviation (0.5025) over 10.
    assert one.low == pytest.approx(0.5 - 0.0985, abs=1e-3)
    assert one.high == pytest.approx(0.5 + 0.0985, abs=1e-3)
    assert figure("y", [float(n) for n in range(101)]).hundredths == (5.0, 50.0, 95.0)
    assert figure("z", [3.0]).high == 3.0


def test_figures_come_highest_first() -> None:
    assert [one.label for one in figures([("a", 1.0), ("b", 3.0), ("a", 2.0)])] == ["b", "a"]


def test_a_win_together_is_divided() -> None:
    assert [share((0, 2), seat) for seat in range(3)] == [0.5, 0.0, 0.5]


def test_shares_are_fair_on_average_and_all_heroes_are_played() -> None:
    found = observed("tale-of-carrot", 200)
    assert {name for name, _ in found} == {
        RULESETS["tale-of-carrot"].tables.heroes[hero].name for hero in HEROES
    }
    assert sum([value for _, value in found]) / len(found) == pytest.approx(1.0)


def test_every_module_of_rabbit_space_is_played() -> None:
    study = study_of(RULESETS["rabbit-space"])
    found = observed("rabbit-space", len(study.settings))
    assert {label for label, _ in found} == {setting.label for setting in study.settings}
    assert len({label for label, _ in found}) == 1 + 7 + 5 + 1


def test_the_number_of_processes_changes_nothing_but_the_seed_does() -> None:
    games = 2 * BATCH + 3
    alone = observed("tale-of-carrot", games)
    assert observed("tale-of-carrot", games, processes=2) == alone
    assert observed("tale-of-carrot", games, seed=2) != alone


@pytest.mark.parametrize("game", RULESETS)
def test_the_command_prints_a_table_and_writes_a_picture(game: str, tmp_path: Path) -> None:
    picture = tmp_path / "balance.png"
    command = [sys.executable, "-m", "hutch.cli", "report", "balance", game, "--games", "12"]
    done = subprocess.run(
        [*command, "--bots", "random", "--processes", "1", "--out", str(picture)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120"},
    )
    assert done.returncode == 0, done.stderr
    assert "12 games of random bots, seed 1" in done.stdout
    assert re.search(r"12/12", done.stderr)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["chess"], "There is no game 'chess'; the games are"),
        (["tale-of-carrot", "--bots", "genius"], "has no bot 'genius'; it has"),
    ],
)
def test_what_does_not_exist_is_refused_in_a_sentence(arguments: list[str], sentence: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hutch.cli", "report", "balance", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("hutch report balance: ")
    assert sentence in done.stderr


def test_without_matplotlib_the_command_tells_how_this_python_gets_it(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "hutch.cli", "report", "balance", "tale-of-carrot"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 2
    assert f"run `{sys.executable} -m pip install matplotlib`" in done.stderr


def test_a_game_without_a_study_of_its_own_is_asked_about_its_seats() -> None:
    for rules in RULESETS.values():
        study = study_of(rules)
        assert study.settings
        assert all(setting.seats in rules.seats for setting in study.settings)
        assert "random" in STRATEGIES[rules.name]
