"""Answers typed by a person."""

from __future__ import annotations

import pytest

from hutch.cli.answers import (
    AnswerError,
    default_numbers,
    how_many,
    labels,
    named,
    picks_from,
    texts,
)
from hutch.v1 import catalog_service_pb2, table_pb2


def prompt(least: int = 1, most: int = 4, default: tuple[str, ...] = ("b",)) -> table_pb2.Prompt:
    """A question with the options a (up to 3 times), b and c."""
    return table_pb2.Prompt(
        options=[
            table_pb2.Option(option_id="a", max_count=3),
            table_pb2.Option(option_id="b"),
            table_pb2.Option(option_id="c"),
        ],
        min_picks=least,
        max_picks=most,
        default_picks=[table_pb2.Pick(option_id=option) for option in default],
    )


@pytest.mark.parametrize(
    ("typed", "picks"),
    [
        ("1", [("a", 1)]),
        ("3 1", [("c", 1), ("a", 1)]),
        ("1x3,2", [("a", 3), ("b", 1)]),
        ("  ", [("b", 0)]),
    ],
)
def test_numbers_stand_for_options_and_nothing_for_the_default(
    typed: str, picks: list[tuple[str, int]]
) -> None:
    assert [(pick.option_id, pick.count) for pick in picks_from(typed, prompt())] == picks


def test_a_dash_picks_nothing_where_that_is_allowed() -> None:
    assert picks_from("-", prompt(least=0)) == []
    with pytest.raises(AnswerError, match="Pick 1 to 4, not 0"):
        picks_from("-", prompt())


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("x", "'x' is no number"),
        ("4", "There is no option 4; there are 1 to 3"),
        ("0", "There is no option 0"),
        ("1x4", "3 times at most, not 4"),
        ("2x2", "1 times at most, not 2"),
        ("1x0", "not 0"),
        ("1 1", "Name each option once"),
        ("1x3 2 3", "Pick 1 to 4, not 5"),
    ],
)
def test_what_is_no_answer_is_told_in_a_sentence(typed: str, sentence: str) -> None:
    with pytest.raises(AnswerError, match=sentence):
        picks_from(typed, prompt())


def test_how_many_and_the_default_are_said_as_they_are_typed() -> None:
    assert [how_many(prompt(2, 2)), how_many(prompt(0, 3)), how_many(prompt(1, 3))] == [
        "2",
        "up to 3",
        "1 to 3",
    ]
    assert default_numbers(prompt(default=("c", "a"))) == "3 1"
    assert default_numbers(prompt(default=())) == "-"
    several = table_pb2.Prompt(
        options=prompt().options, default_picks=[table_pb2.Pick(option_id="a", count=2)]
    )
    assert default_numbers(several) == "1x2"


def test_options_are_named_by_what_they_point_at() -> None:
    cards = {
        "B1": catalog_service_pb2.Card(name="Pip", facts={"colour": "blue", "cost": "3"}),
        "B2": catalog_service_pb2.Card(name="Bun"),
    }
    subject = table_pb2.Subject
    asked = table_pb2.Prompt(
        options=[
            table_pb2.Option(option_id="a", subjects=[subject(word="send"), subject(card="B1")]),
            table_pb2.Option(option_id="b", subjects=[subject(card="B2"), subject(card="B3")]),
            table_pb2.Option(option_id="c", subjects=[subject(seat=1), subject(number=4)]),
            table_pb2.Option(option_id="d", subjects=[subject(place="level-2")], max_count=2),
            table_pb2.Option(option_id="e"),
        ]
    )
    assert labels(asked, cards, ["ada", "greedy"]) == [
        "send, Pip (blue 3)",
        "Bun, B3",
        "greedy (seat 1), 4",
        "level 2 (up to 2 times)",
        "e",
    ]


def test_what_a_question_is_about_is_named_with_what_the_cards_say() -> None:
    cards = {
        "B1": catalog_service_pb2.Card(name="Pip", text="Hops."),
        "B2": catalog_service_pb2.Card(name="Bun"),
    }
    subject = table_pb2.Subject
    about = [subject(card="B1"), subject(card="B2"), subject(card="B3"), subject(seat=0)]
    assert named(about, cards, ["Ada"]) == "Pip, Bun, B3, Ada (seat 0)"
    assert texts(about, cards) == ["Hops."]
