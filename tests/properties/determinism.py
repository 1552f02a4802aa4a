"""The same bytes in every process.

`python -m tests.properties.determinism` prints a digest of random games for each setting: of every
record, view, question and face. Run under other hash seeds it must print the same.
"""

from __future__ import annotations

from hashlib import sha256
from random import Random

import msgspec

from hutch.engine.records import encode_record
from tests.properties.play import resolved, some_answer
from tests.properties.profile import Setting, every_setting
from tests.properties.secrecy import encoded, seen


def digest_of(setting: Setting, seed: int) -> str:
    """A digest of all bytes that a random game gives anybody."""
    rng = Random(seed)
    digest = sha256()
    game = setting.deal(seed, clocks=True)
    while True:
        digest.update(encode_record(game.record))
        for audience in setting.audiences:
            digest.update(msgspec.msgpack.encode(seen(game.live, audience, numbers=True)))
            for event in game.events:
                if (face := event.face(audience)) is not None:
                    digest.update(encoded(setting.rules.tell(face)))
        if game.live.result is not None:
            return digest.hexdigest()
        game = resolved(setting, game.record, some_answer(game.live, rng))


def main() -> None:
    """Print setting and digest, one a line."""
    for setting in every_setting():
        print(setting, digest_of(setting, 1))


if __name__ == "__main__":
    main()
