"""A thinker: a process in which bots think, one question at a time, and that does nothing else.

`python -m hutch.workers.thinker BOUNDS` is the nursery of one worker: it knows the games and the
strategies, and forks a thinker for every socket that comes through its standard input. It has no
thread, channel or connection that a fork could harm. When its worker is gone it ends with all its
thinkers, whatever they are about; by no other signal than the one that nothing withstands, for a
worker that is told to stop still plays its tables to the end of their slice.

A thinker whose bot failed ends: what the bot did to it goes with it. All of them make way for who
is at work on tables: nothing is known in favour of a bot that thinks here.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from pathlib import Path
from random import Random, SystemRandom
from typing import Final, NoReturn

import msgspec

from hutch.engine.live import Live
from hutch.engine.records import decode_record
from hutch.games import find, install_cards
from hutch.workers.answering import BotFailed, answer
from hutch.workers.bounds import MemoryBound, fail_in_time
from hutch.workers.thoughts import (
    Answered,
    Asked,
    Bounds,
    Failed,
    Thought,
    Unframing,
    decode_asked,
    encode,
    framed,
)

#: As `nice` counts: a third of what a worker gets where both want all of a core.
_NICENESS: Final = 5
_READ_BYTES: Final = 65_536


def main() -> None:
    """Fork thinkers until nobody is there to want them, then end them all."""
    bounds = msgspec.json.decode(sys.argv[1], type=Bounds)
    if bounds.cards:
        install_cards(Path(bounds.cards))
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # their sockets tell that they are gone
    os.nice(_NICENESS)
    # So that collections leave what all share where it is.
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=sys.stdin.fileno()) as orders:
        while lines := socket.recv_fds(orders, 1, 1)[1]:
            line = socket.socket(fileno=lines[0])
            if os.fork() == 0:
                orders.close()
                _live(line, bounds)
            line.close()
    os.killpg(0, signal.SIGKILL)


def _live(line: socket.socket, bounds: Bounds) -> NoReturn:
    """Be a thinker, to the end of the process."""
    status = 1
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    fail_in_time()
    try:
        _serve(line, bounds)
        status = 0
    except OSError:
        pass  # the worker is gone
    finally:
        os._exit(status)


def _serve(line: socket.socket, bounds: Bounds) -> None:
    """Answer what is asked, until nobody asks any more or a bot has failed."""
    memory = MemoryBound(bounds.memory_megabytes)
    rng = Random(SystemRandom().getrandbits(64))
    line.sendall(framed(encode(os.getpid())))
    unframing = Unframing()
    while received := line.recv(_READ_BYTES):
        if (message := unframing.add(received)) is None:
            continue
        thought = _think(decode_asked(message), rng, bounds.answer_seconds, memory)
        line.sendall(framed(encode(thought)))
        if isinstance(thought, Failed) or thought.last:
            return


def _think(asked: Asked, rng: Random, seconds: float, memory: MemoryBound) -> Thought:
    """What a bot answers."""
    record = decode_record(asked.record)
    rules = find(record.ruleset, record.rules_revision)
    if rules is None:
        return Failed("the worker has rules that its thinkers have not", "")
    try:
        action = answer(Live(rules, record), asked.seat, asked.strategy, rng, seconds=seconds)
    except BotFailed as failure:
        return Failed(failure.why, failure.trace)
    return Answered(action.SerializeToString(), last=memory.is_near)


if __name__ == "__main__":
    main()
