"""`hutch play` against a real stack, with what a person types coming from a pipe."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.stacks import RunningStack


def play(stack: RunningStack, typed: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A game in which that is typed."""
    return subprocess.run(
        [sys.executable, "-m", "hutch.cli", "play", "--address", stack.gateway, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_whoever_only_presses_enter_plays_a_whole_game(stack: RunningStack) -> None:
    done = play(stack, "\n" * 100, "--seats", "2", "--name", "Ada", "--bots", "random")
    assert done.returncode == 0, done.stderr
    assert "Place cards in your Training Center" in done.stdout
    assert "round 7 of 7" in done.stdout
    assert re.search("^random +arranged: hand ", done.stdout, re.MULTILINE)
    (end,) = [line for line in done.stdout.splitlines() if line.startswith("The team has ")]
    assert "Ada " in end
    assert "random " in end


def test_the_command_that_is_told_at_the_end_checks_the_game(stack: RunningStack) -> None:
    done = play(stack, "\n" * 100, "--seats", "2")
    command = done.stdout.splitlines()[-1].split()
    assert command[:2] == ["hutch", "verify"]
    checked = subprocess.run(
        [sys.executable, "-m", "hutch.cli", *command[1:]],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert checked.returncode == 0, checked.stderr + checked.stdout
    assert "the commitment is the one that was noted" in checked.stdout
    assert "the salt given for seat 0 is in the mix" in checked.stdout
    assert "open:" not in checked.stdout


def test_mistakes_are_told_and_the_question_stays(stack: RunningStack) -> None:
    done = play(stack, "99\nu\n" + "\n" * 100, "--seats", "1")
    assert done.returncode == 0, done.stderr
    assert "There is no option 99" in done.stdout
    assert "There is no answer of yours to take back" in done.stdout
    assert "The team has" in done.stdout


def test_who_leaves_leaves_a_bot_behind(stack: RunningStack) -> None:
    for typed in ("q\n", ""):
        done = play(stack, typed, "--seats", "2")
        assert done.returncode == 0, done.stderr
        assert "You left; a bot plays on for you." in done.stdout


def test_what_does_not_fit_is_told_in_a_sentence(stack: RunningStack) -> None:
    for arguments, reason in ((("--game", "chess"), "RULESET_UNKNOWN"), (("--bots", "x"), "BOT_")):
        done = play(stack, "", *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("hutch play: ")
        assert reason in done.stderr


def test_whoever_plays_reads_what_cards_do_and_which_the_question_is_about(
    stack: RunningStack,
) -> None:
    heroes = play(stack, "q\n", "--game", "tale-of-carrot", "--seats", "3").stdout.splitlines()
    asked = heroes.index("Which Hero do you keep?  (pick 1)")
    assert re.match(r" +1 [A-Z][A-Za-z ]+: [A-Z]", heroes[asked + 1])

    said = play(stack, "\n" * 20, "--game", "killer-bunnies", "--seats", "2").stdout.splitlines()
    flipped = [number for number, line in enumerate(said) if line.startswith("You flipped this ")]
    assert flipped
    for number in flipped:
        assert re.match(r"about [^ ]+ .*", said[number + 1])
