"""The game as a script: the deal, and the round as one sequence of steps.

Every step ends with a barrier and then a checkpoint; from there `play` goes on by the board alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from hutch.engine.asking import each, joint, sealed
from hutch.engine.events import Event
from hutch.engine.prompts import Picks, Reply
from hutch.engine.records import Result
from hutch.engine.rules import CHECKPOINT, Script
from hutch.engine.table import Table
from hutch.games.rabbit_space.board import (
    CARDS_DRAWN,
    HELMETS_AT_START,
    HELMETS_END,
    ROUNDS,
    TRACK_END,
    Board,
    Step,
)
from hutch.games.rabbit_space.cards import STARTING_COSTS, Deck, Resource
from hutch.games.rabbit_space.counting import (
    kept,
    prices,
    produced_elsewhere,
    production,
    score,
    winners,
)
from hutch.games.rabbit_space.events import (
    Arranged,
    CardsDealt,
    CardsDiscarded,
    CardsDrawn,
    CardSetAside,
    Certified,
    Counted,
    DrawPileRenewed,
    GameEnded,
    GiftLaidOut,
    Given,
    PlayerLeft,
    PlayerReturned,
    Promoted,
    Readied,
    ReadyTakenBack,
    RoundBegan,
    SentIntoSpace,
    StepBegan,
    TracksReset,
)
from hutch.games.rabbit_space.evolutions import (
    DECKS,
    STARTING_SETS,
    keepable,
)
from hutch.games.rabbit_space.missions import EVENTS, STATIONS, STORE, stored
from hutch.games.rabbit_space.module_events import (
    EventsShuffled,
    EventTurnedUp,
    Landed,
    MissionBegan,
    RobotPromoted,
    Stationed,
    StationsDealt,
    Stored,
)
from hutch.games.rabbit_space.modules import (
    keep,
    promote_by_default,
    robot_sent,
    turn_stations,
)
from hutch.games.rabbit_space.questions import (
    READY,
    gift_of,
    placed,
    question,
    untouched,
)

if TYPE_CHECKING:
    from random import Random

#: Most inputs between two checkpoints. Planning a step takes the most: each of 4 seats may show 12
#: drafts, take its ready back 3 times and be ready 4 times; some may leave and return meanwhile.
REPLAY_BOUND: Final = 4 * (12 + 3 + 4) + 24

#: What a pick of a spending step does.
Act = Callable[[Deck, Board, int, str], Event]


def setup(deck: Deck, table: Table[Board]) -> None:
    """Deal the starting cards, make the draw pile and begin round 1."""
    options, chance = table.options, table.chance
    # O03: of each starting cost, one card to each player.
    sets = [chance.shuffled("starting-cards", deck.starting_at(cost)) for cost in STARTING_COSTS]
    # O16: and of each set that is unlocked.
    sets += [
        chance.shuffled(kind, deck.of_kind(kind))
        for planet, kind in STARTING_SETS.items()
        if planet in options.evolutions
    ]
    starting = tuple([tuple([cards[seat] for cards in sets]) for seat in range(table.seats)])
    missions: tuple[int, ...] = ()
    if "saturn" in options.evolutions:
        missions = tuple(chance.shuffled("mission", deck.of_kind("mission"))[: table.seats])
    # O04: starting cards that nobody got are shuffled in, and so are the decks that are unlocked.
    joining = deck.of_kind("rabbit") + [card for cards in sets for card in cards[table.seats :]]
    for planet, kind in DECKS.items():
        if planet in options.evolutions:
            joining += deck.of_kind(kind)
    pile = chance.shuffled("draw-pile", joining)
    table.emit(CardsDealt(starting, tuple(pile), missions))
    if options.mission:
        table.emit(MissionBegan(options.mission))
    match options.mission:
        case "pluto":
            table.emit(EventsShuffled(tuple(chance.shuffled("events", EVENTS))))
        case "venus":
            stations = chance.shuffled("stations", range(1, STATIONS + 1))
            table.emit(StationsDealt(tuple(stations[: table.seats])))
            table.emit(StepBegan(Step.TURN_STATIONS))
            return
    begin_round(table, 1)


def play(deck: Deck, table: Table[Board]) -> Script[Result]:
    """The game, from the beginning of any step to the result."""
    board = table.board
    while board.step is not Step.OVER:
        match board.step:
            case Step.ARRANGE:
                yield from arrange(deck, table)
                begin_counted(deck, table, "carrot", Step.GIVE_CARROTS, Step.SPEND_CARROTS)
            case Step.GIVE_CARROTS:
                yield from give(deck, table, "carrot")
                table.emit(StepBegan(Step.SPEND_CARROTS))
            case Step.SPEND_CARROTS:
                yield from spend(deck, table, spend_carrots)
                begin_counted(deck, table, "gold", Step.GIVE_GOLD, Step.SPEND_GOLD)
            case Step.GIVE_GOLD:
                yield from give(deck, table, "gold")
                table.emit(StepBegan(Step.SPEND_GOLD))
            case Step.SPEND_GOLD:
                yield from spend(deck, table, certify_or_send)
                promote_by_default(deck, table)
                begin_keeping(deck, table)
            case Step.KEEP:
                yield from keep(deck, table)
                end_round(deck, table)
            case Step.TURN_STATIONS:
                yield from turn_stations(deck, table)
                begin_round(table, 1)
        yield CHECKPOINT
    return result(deck, table)


# Phase 1: draw


def begin_round(table: Table[Board], number: int) -> None:
    """A new round: everybody draws, then all arrange their cards."""
    table.emit(RoundBegan(number))
    if table.board.events:  # RS-047
        table.emit(EventTurnedUp(table.board.events[-1]))
    draw(table)
    table.emit(StepBegan(Step.ARRANGE))


def draw(table: Table[Board]) -> None:
    """RS-011: 4 cards each, one at a time in seat order; as far as both piles go (O06)."""
    seats = table.seats
    first, wanted = 0, seats * CARDS_DRAWN
    while wanted and (table.board.pile or renew_pile(table)):
        drawn = table.board.pile[: -wanted - 1 : -1]
        cards = tuple([tuple(drawn[(seat - first) % seats :: seats]) for seat in range(seats)])
        table.emit(CardsDrawn(cards, table.options.competitive))
        wanted -= len(drawn)
        first = (first + len(drawn)) % seats


def renew_pile(table: Table[Board]) -> bool:
    """RS-012: shuffle the discard pile into a new draw pile: whether there was anything in it."""
    discard = table.board.discard
    if not discard:
        return False
    table.emit(DrawPileRenewed(tuple(table.chance.shuffled("draw-pile", discard))))
    return True


def arrange(deck: Deck, table: Table[Board]) -> Script[None]:
    """RS-013, RS-014: place cards, then discard what is not placed. Rivals place in secret."""
    board = table.board
    in_order_drawn: dict[int, list[int]] = {}  # of those who laid out, so nothing hidden

    def place(index: int, cards: list[int], *, ready: bool) -> None:
        own = board.seats[index]
        drawn = in_order_drawn.setdefault(index, own.training_center + own.hand)
        hand = [card for card in drawn if card not in cards]
        table.emit(Arranged(index, tuple(cards), tuple(hand), ready))

    def lay(index: int, picks: Picks, ready: bool) -> None:
        own = board.seats[index]
        if own.ready:
            table.emit(ReadyTakenBack(index))
        else:
            place(index, placed(deck, own, picks), ready=ready)

    yield from plan(deck, table, lay)
    for index, own in enumerate(board.seats):
        if not own.ready and (cards := untouched(own)):  # nobody was there to decide
            place(index, cards, ready=True)
    table.emit(CardsDiscarded(tuple([tuple(own.hand) for own in board.seats])))


# Phases 2 and 3: count, give, spend


def begin_counted(
    deck: Deck, table: Table[Board], resource: Resource, giving: Step, spending: Step
) -> None:
    """RS-015, RS-020: count, then the first of the steps in which it is used."""
    count(deck, table, resource, most=TRACK_END)
    table.emit(StepBegan(giving if table.seats > 1 else spending))


def count(
    deck: Deck, table: Table[Board], resource: Resource, *, most: int, at_start: int = 0
) -> None:
    """Set every player's track of the resource to what is kept and produced; the surplus is lost
    (O08)."""
    board, options = table.board, table.options
    with_modules = bool(options.evolutions or options.mission)
    amounts, lost = [], []
    for own in board.seats:
        total = at_start + production(deck, own, resource)
        if with_modules:
            total += kept(own, resource) + produced_elsewhere(deck, board, own, resource)
        amounts.append(total if total < most else most)
        lost.append(0 if total < most else total - most)
    table.emit(Counted(resource, tuple(amounts), tuple(lost)))


def give(deck: Deck, table: Table[Board], resource: Resource) -> Script[None]:
    """RS-018, RS-022: lay out gifts, then hand them over. Rivals lay out in secret."""
    board = table.board

    def lay(index: int, picks: Picks, ready: bool) -> None:
        if board.seats[index].ready:
            table.emit(ReadyTakenBack(index))
        else:
            table.emit(GiftLaidOut(index, gift_of(picks), ready))

    yield from plan(deck, table, lay)
    # O10: giver after giver in seat order; what the receiver has no room for stays.
    for index, own in enumerate(board.seats):
        if (gift := own.gift) is not None:
            receiver = board.seats[gift.receiver]
            held = receiver.carrots if resource == "carrot" else receiver.gold
            moved = min(gift.amount, TRACK_END - held)
            table.emit(Given(index, gift.receiver, resource, moved, gift.amount - moved))


def plan(deck: Deck, table: Table[Board], lay: Callable[[int, Picks, bool], None]) -> Script[None]:
    """O05: all plan at once: openly in a team, and changeable until all are ready; among rivals
    sealed and final."""
    seats, ask = range(table.seats), partial(question, deck, table)
    if not table.options.competitive:
        yield from joint(table, seats, ask, lay)
        return
    for index, picks in (yield from sealed(table, seats, ask)).items():
        lay(index, picks, True)


def spend(deck: Deck, table: Table[Board], act: Act) -> Script[None]:
    """RS-019, RS-023: all spend at once, in any order and as often as they can pay."""
    board = table.board

    def do(reply: Reply) -> bool:
        if reply.option == READY.id:
            table.emit(Readied(reply.seat))
            return False
        if board.seats[reply.seat].robot:
            table.emit(RobotPromoted(reply.seat, deck.index[reply.option]))
            return False
        done = act(deck, board, reply.seat, reply.option)
        table.emit(done)
        if type(done) is SentIntoSpace:
            robot_sent(deck, table, reply.seat, done.card)
        # What others can do is the same as before, but for a slot that was filled.
        return type(done) is Stationed

    yield from each(table, range(table.seats), partial(question, deck, table), do, last=READY.id)


def spend_carrots(deck: Deck, board: Board, seat: int, option: str) -> Event:
    """RS-019: a card of the Training Center goes to Level 1. Or what the mission allows: Carrots
    into the Warehouse, a card of Level 1 to the Command Center, one in Space to the Moon."""
    if option in STORE:
        return Stored(seat, stored(option))
    own, card = board.seats[seat], deck.index[option]
    cost = prices(deck, board)[card]
    if card in own.training_center:
        return Promoted(seat, card, cost)
    return Stationed(seat, card, cost) if card in own.level_1 else Landed(seat, card, cost)


def certify_or_send(deck: Deck, board: Board, seat: int, option: str) -> Event:
    """RS-024, RS-025: a card of Level 1 becomes an Astronaut; one of Level 2 goes into Space.

    RS-041: a Satellite goes into Space from Level 1.
    """
    card = deck.index[option]
    flies = card in board.seats[seat].level_2 or deck.kinds[card] == "satellite"
    return (SentIntoSpace if flies else Certified)(seat, card, prices(deck, board)[card])


# Phase 4: Helmets and the end of the round


def begin_keeping(deck: Deck, table: Table[Board]) -> None:
    """RS-039: Scientists keep resources; asked is who cannot keep everything. Not after round 7."""
    board = table.board
    able = [own for own in board.seats if keepable(deck, own)]
    if not able or board.round == ROUNDS:
        end_round(deck, table)
        return
    table.emit(StepBegan(Step.KEEP))


def end_round(deck: Deck, table: Table[Board]) -> None:
    """RS-027 to RS-031: reset, count Helmets, set a card aside, then the end or a new round."""
    board = table.board
    table.emit(TracksReset())
    count(deck, table, "helmet", at_start=HELMETS_AT_START, most=HELMETS_END)
    if board.pile or renew_pile(table):
        table.emit(CardSetAside(board.pile[-1]))
    if board.round < ROUNDS:
        begin_round(table, board.round + 1)
    else:
        final = result(deck, table)
        table.emit(GameEnded(final.scores, final.winners, final.team))


def result(deck: Deck, table: Table[Board]) -> Result:
    """RS-030, RS-049: everybody's score, who wins, and the team's sum."""
    competitive = table.options.competitive
    scores = tuple([score(deck, own) for own in table.board.seats])
    return Result(
        scores,
        winners(table.board, scores, competitive=competitive),
        None if competitive else sum(scores),
    )


# Coming and going (O31)


def leave(table: Table[Board], seat: int) -> None:
    """A player leaves: the seat stays with its cards."""
    table.emit(PlayerLeft(seat))


def rejoin(table: Table[Board], seat: int) -> None:
    """Somebody takes the seat over."""
    table.emit(PlayerReturned(seat))


# Worlds that a seat may imagine


def resample(table: Table[Board], seat: int | None, rng: Random) -> None:
    """Shuffle what that seat cannot see: the draw pile, the cards aside and rivals' hands.

    Which cards a renewal put into the draw pile is known, so those change places among themselves
    only.
    """
    board = table.board
    rng.shuffle(board.events)
    hidden = [board.pile, board.aside]
    if table.options.competitive:
        hidden += [own.hand for other, own in enumerate(board.seats) if other != seat]
    batch = board.batch
    for number in {0, *batch.values()}:
        places = [
            (zone, at)
            for zone in hidden
            for at, card in enumerate(zone)
            if batch.get(card, 0) == number
        ]
        cards = [zone[at] for zone, at in places]
        rng.shuffle(cards)
        for (zone, at), card in zip(places, cards, strict=True):
            zone[at] = card
