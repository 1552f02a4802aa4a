"""Options as plain values: whoever asks for what there is not is told what there is."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest
from msgspec import Struct

from hutch.engine.options import options_from


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Options of every kind that games have."""

    open: bool = False
    pace: Literal["slow", "fast"] = "slow"
    decks: tuple[Literal["blue", "yellow"], ...] = ()
    without: tuple[str, ...] = ()


class NoOptions(Struct, forbid_unknown_fields=True):
    """A game with nothing to choose."""


def refusal(plain: Any, options_type: type[Any] = Options) -> str:
    """What is said of options that do not fit."""
    with pytest.raises(msgspec.ValidationError) as refused:
        options_from(plain, options_type)
    return str(refused.value)


def test_options_that_fit_are_taken() -> None:
    taken = options_from({"pace": "fast", "decks": ["blue"]}, Options)
    assert taken == Options(pace="fast", decks=("blue",))


@pytest.mark.parametrize("word", ["swift", "", 3, ["slow", "swift"]])
def test_another_word_is_refused_with_the_words_that_there_are(word: object) -> None:
    assert refusal({"pace": word}).endswith("; the words for `pace` are 'fast', 'slow'")


def test_so_is_another_word_in_a_list() -> None:
    said = refusal({"decks": ["blue", "red"]})
    assert "'red'" in said
    assert said.endswith("; the words for `decks` are 'blue', 'yellow'")


def test_an_unknown_option_is_refused_with_those_that_there_are() -> None:
    said = refusal({"pase": "slow"})
    assert "`pase`" in said
    assert said.endswith("; the options are open, pace, decks, without")
    assert refusal({"pace": "slow"}, NoOptions).endswith("; the options are none")


@pytest.mark.parametrize("plain", [{"open": "yes"}, {"without": [3]}, ["pace"]])
def test_what_is_no_choice_of_words_is_refused_as_it_is(plain: object) -> None:
    assert "; the " not in refusal(plain)
