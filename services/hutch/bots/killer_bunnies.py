"""Strategies for Killer Bunnies.

`greedy` wants Carrots, and a bunny alive at the end: it keeps its own bunnies fed and harms those
of whoever has most Carrots. It looks at the typed view alone, and at what the catalogue says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Final

from hutch.bots import random_play
from hutch.bots.bunny_eyes import Eyes
from hutch.bots.strategy import Move, Sight
from hutch.engine.prompts import Ask, Pick, Picks
from hutch.killer_bunnies.v1 import board_pb2 as pb

#: What things are worth in a trade, in Dolla.
CARROT_WORTH: Final = 10.0
BUNNY_WORTH: Final = 8.0
SAVED_WORTH: Final = 3.0
UNIT_WORTH: Final = 0.8
#: What a bid may reach with bunnies of one's own, and without.
SOME_DOLLA: Final = 2
HIGHEST: Final = 99

#: Cards that are better saved than used on the spot, as all Very Specials are.
MINILITH: Final = "0147"
COUNTERS: Final = ("0145", "0148")
SUNNY_DAY: Final = "0082"
SUIT: Final = "0151"
HALO: Final = "0058"
FLUORINE_AND_EBOLA: Final = ("0044", "0047")
OWN_GAMBLES: Final = ("0066", "0067", "0074", "0075")
DANISHES: Final = ("0072", "0073")
#: Supplies Surprise and free supplies: good at any time.
GIFTS: Final = ("0078", "0079", "0068", "0069", "0146")


#: How far weapons reach that touch more than their target.
REACH: Final = {"0048": 2, "0131": 1, "0132": 3, "0133": 3, "0046": 1}


def greedy(sight: Sight, rng: Random) -> Move:
    """The answer that looks best at once."""
    question = sight.questions[0]
    if question.offered:
        return random_play.play(sight, rng)
    ask = question.ask
    answer = _ANSWERS.get(ask.topic)
    if answer is None:
        return question.number, ask.default or random_play.play(sight, rng)[1]
    return question.number, answer(Eyes(sight), ask)


def _one(option: str) -> Picks:
    return (Pick(option),)


def _best(options: Iterable[str], worth: Callable[[str], float]) -> Picks:
    return _one(max(options, key=worth))


def _ids(ask: Ask) -> list[str]:
    return [option.id for option in ask.options]


def _ref(option: str) -> str:
    """The card at the end of an option's id, as the view names it."""
    tail = option.rpartition(":")[2]
    return f"{int(tail):04d}" if tail.isdecimal() else ""


def _about(ask: Ask) -> str:
    return str(ask.about[0].value) if ask.about else ""


# One's own turn


def _moment(eyes: Eyes, ask: Ask) -> Picks:
    """An open moment: feed, buy what is worth it, use saved cards, then get on with the turn."""
    ids = _ids(ask)
    for chosen in (_feeding(eyes, ids), _buying(eyes, ids), _saved(eyes, ids), _play(eyes, ids)):
        if chosen:
            return _one(chosen)
    return ask.default


def _feeding(eyes: Eyes, ids: list[str]) -> str:
    pending = {feed.card for bunny in eyes.mine for feed in bunny.feeds}
    for option in ids:
        if option.startswith("feed:") and _ref(option) in pending:
            return option
    hungry = {bunny.card for bunny in eyes.hungry()}
    for option in ids:
        if option.startswith("flo:") and _ref(option) in hungry:
            return option
        if option.startswith("saved:") and _ref(option) in DANISHES and hungry:
            return option
    return ""


def _buying(eyes: Eyes, ids: list[str]) -> str:
    """What a hungry bunny lacks; then Carrots, but never the last one without a bunny."""
    cabbage, water = sum(eyes.own.cabbage), sum(eyes.own.water)
    for bunny in eyes.hungry():
        if "buy:cabbage" in ids and cabbage < max(feed.cabbage for feed in bunny.feeds):
            return "buy:cabbage"
        if "buy:water" in ids and water < max(feed.water for feed in bunny.feeds):
            return "buy:water"
    carrots = [option for option in ids if option.startswith("buy:carrot:")]
    if carrots and (eyes.mine or len(eyes.view.market.carrots) > 1):
        return carrots[0]
    rich = eyes.own.dolla >= eyes.view.market.carrot_price + eyes.view.market.cabbage_price
    if eyes.mine and rich and "buy:cabbage" in ids and cabbage < 2:
        return "buy:cabbage"
    if eyes.mine and rich and "buy:water" in ids and water < 2:
        return "buy:water"
    return ""


def _saved(eyes: Eyes, ids: list[str]) -> str:
    for option in ids:
        if option.startswith("saved:") and _is_worth_playing(eyes, _ref(option)):
            return option
    return ""


def _is_worth_playing(eyes: Eyes, ref: str) -> bool:
    """Whether a Special does good now."""
    return ref in (*OWN_GAMBLES, *GIFTS) or eyes.kind(ref) in ("player_attack", "revive")


def _play(eyes: Eyes, ids: list[str]) -> str:
    """Flip what is worth it, else a Special from the hand, else whatever must be."""
    hand = [o for o in ids if o.startswith("hand:") and _is_worth_playing(eyes, _ref(o))]
    top = eyes.own.top_run
    if "flip" in ids and (not hand or eyes.run_worth(top) >= 3.0):
        return "flip"
    if hand:
        return hand[0]
    return "end" if "end" in ids else ""


def _use(eyes: Eyes, ask: Ask) -> Picks:
    """A flipped card: played, unless it is one to be kept for later."""
    ids, ref = _ids(ask), _about(ask)
    keeps = eyes.cards[ref].facts["type"] == "very_special" or ref in (MINILITH, *COUNTERS)
    if "save" in ids and (keeps or "play" not in ids):
        return _one("save")
    if "play" in ids and not _hurts_only_me(eyes, ref):
        return _one("play")
    return _one("save" if "save" in ids else "discard" if "discard" in ids else ids[0])


def _hurts_only_me(eyes: Eyes, ref: str) -> bool:
    """Whether a card has nobody to harm but oneself."""
    others = len(eyes.view.circle) > len(eyes.mine)
    if eyes.kind(ref) in ("weapon", "roamer", "abduction", "feed"):
        return not others
    if ref in ("0060", "0140"):  # closing the market helps who has no money
        return eyes.own.dolla >= 5
    return ref == "0143" and len(eyes.mine) == 1


def _lay(eyes: Eyes, ask: Ask) -> Picks:
    """The cards one most wants to run, the best first."""
    ids = sorted(_ids(ask), key=lambda option: -eyes.run_worth(_ref(option)))
    return tuple([Pick(option) for option in ids[: ask.most]])


# Targets


def _harm(eyes: Eyes, ask: Ask) -> Picks:
    reach = REACH.get(_about(ask), 0)

    def worth(option: str) -> float:
        if option.startswith("cyber:"):
            return 1.0
        ref = _ref(option)
        return eyes.harm_around(ref, reach) if reach else eyes.harm(ref)

    return _best(_ids(ask), worth)


def _spare(eyes: Eyes, ask: Ask) -> Picks:
    """The bunny one would miss least, be it to be lost or to be risked."""
    return _best(_ids(ask), lambda option: eyes.harm(_ref(option)) - _burden(eyes, _ref(option)))


def _burden(eyes: Eyes, ref: str) -> float:
    for bunny in eyes.view.circle:
        if bunny.card == ref:
            return bunny.clovers + 5.0 * (HALO in bunny.modifiers) - len(bunny.feeds)
    return 0.0


def _protect(eyes: Eyes, ask: Ask) -> Picks:
    """Modifiers go under one's own bunnies; Clovers to be taken off are a rival's."""
    return _best(_ids(ask), lambda option: -eyes.harm(_ref(option)) if ":" in option else 0.0)


def _gamble(eyes: Eyes, ask: Ask) -> Picks:
    """One's own Halo bunny, a hungry one, or the one of several that can be missed."""

    def worth(option: str) -> float:
        ref = _ref(option)
        if eyes.owner.get(ref) != eyes.seat:
            return -1.0
        bunny = next(bunny for bunny in eyes.mine if bunny.card == ref)
        return 5.0 * (HALO in bunny.modifiers) + 2.0 * bool(bunny.feeds) + 1.0

    return _best(_ids(ask), worth)


def _rival(eyes: Eyes, ask: Ask) -> Picks:
    def worth(option: str) -> float:
        seat = int(option.rpartition(":")[2]) if ":" in option else eyes.seat
        return -9.0 if seat == eyes.seat else eyes.threat(seat)

    return _best(_ids(ask), worth)


# Answers to others


def _window(eyes: Eyes, ask: Ask) -> Picks:
    """Answer what threatens one's own bunny or supplies."""
    plays = [option for option in _ids(ask) if option != "pass"]
    about = [str(point.value) for point in ask.about]
    mine = len(about) > 1 and eyes.owner.get(about[1]) == eyes.seat
    if ask.topic == "window.loss" and plays:
        return _one(plays[0])
    if ask.topic == "window.end" and eyes.view.active_seat == eyes.seat:
        helps = [option for option in plays if _ref(option) == SUNNY_DAY]
        return _one(helps[0]) if helps else _one("pass")
    for option in plays:
        ref = _ref(option)
        if not mine:
            break
        if ref == SUIT and about[0] not in FLUORINE_AND_EBOLA:
            continue
        if ref == SUNNY_DAY and about[0] != "0047":
            continue
        return _one(option)
    return _one("pass")


def _again(eyes: Eyes, ask: Ask) -> Picks:
    return _one(_ids(ask)[0])


def _bid(eyes: Eyes, ask: Ask) -> Picks:
    limit = HIGHEST if not eyes.mine else SOME_DOLLA
    if eyes.owner.get(_about(ask)) == eyes.seat and len(eyes.mine) == 1:
        limit = HIGHEST
    bids = [option for option in _ids(ask) if option.startswith("bid:")]
    if bids and int(bids[0][4:]) <= limit:
        return _one(bids[0])
    return _one("pass")


def _yes(eyes: Eyes, ask: Ask) -> Picks:
    return _one("yes")


def _keep(eyes: Eyes, ask: Ask) -> Picks:
    return tuple([Pick(option) for option in _ids(ask)[: ask.most]])


def _answer(eyes: Eyes, ask: Ask) -> Picks:
    """Accept a trade that gives more than it takes."""
    offer = eyes.view.offer
    gain = _worth(offer.give) - _worth(offer.want)
    return _one("accept" if gain > 0 and "accept" in _ids(ask) else "decline")


def _worth(goods: pb.Goods) -> float:
    return (
        goods.dolla
        + UNIT_WORTH * (goods.cabbage + goods.water)
        + CARROT_WORTH * len(goods.carrots)
        + BUNNY_WORTH * len(goods.bunnies)
        + SAVED_WORTH * len(goods.saved)
    )


def _give_away(eyes: Eyes, ask: Ask) -> Picks:
    """Hand cards for others: those one wants least to run."""
    ids = sorted(_ids(ask), key=lambda option: eyes.run_worth(_ref(option)))
    return tuple([Pick(option) for option in ids[: ask.most]])


def _take_weapon(eyes: Eyes, ask: Ask) -> Picks:
    return _best(_ids(ask), lambda option: _level(eyes, option))


def _give_weapon(eyes: Eyes, ask: Ask) -> Picks:
    return _best(_ids(ask), lambda option: -_level(eyes, option))


def _level(eyes: Eyes, option: str) -> float:
    ref = _ref(option)
    return float(eyes.cards[ref].facts.get("level", "0")) if ref in eyes.cards else 0.0


_ANSWERS: Final[dict[str, Callable[[Eyes, Ask], Picks]]] = {
    "turn.before": _moment,
    "turn.after": _moment,
    "turn.between": _moment,
    "run.use": _use,
    "run.lay": _lay,
    "run.bottom": _lay,
    "weapon.target": _harm,
    "roamer.target": _harm,
    "feed.target": _harm,
    "abduction.target": _harm,
    "reversal.target": _harm,
    "defector.target": _harm,
    "auction.bunny": _harm,
    "misfortune.victim": _spare,
    "roulette.stake": _spare,
    "modifier.target": _protect,
    "clovers.lay": _protect,
    "clovers.target": _harm,
    "danish.target": _protect,
    "gamble.target": _gamble,
    "player.choose": _rival,
    "poker.rival": _rival,
    "rock-bottom.cabbage": _rival,
    "rock-bottom.water": _rival,
    "window.launch": _window,
    "window.attack": _window,
    "window.explosion": _window,
    "window.end": _window,
    "window.loss": _window,
    "weapon.again": _again,
    "auction.bid": _bid,
    "carrot.steal": _yes,
    "carrot.keep": _keep,
    "trade.answer": _answer,
    "trade.hand": _give_away,
    "exchange.take": _take_weapon,
    "exchange.give": _give_weapon,
}
