"""The same bytes in every process.

`python -m tests.properties.determinism` prints a digest of random games for each setting: of every
record, view, question and face. Run under other hash seeds it must print the same.
"""

from __future__ import annotations

from hashlib import sha256

import msgspec

from hutch.engine.records import encode_record
from hutch.games import RULESETS
from tests.properties.play import steps
from tests.properties.profile import Setting, every_setting
from tests.properties.secrecy import encoded, seen

#: The views of every so many steps are part of a digest; records and faces of all.
VIEWS_EVERY = 16


def digest_of(setting: Setting, seed: int) -> str:
    """A digest of the bytes that a random game gives anybody."""
    digest = sha256()
    events = setting.deal(seed).events
    for index, live in enumerate(steps(setting, seed)):
        digest.update(encode_record(live.record()))
        events = live.forget_events() if index else events
        for audience in setting.audiences:
            if index % VIEWS_EVERY == 0:
                digest.update(msgspec.msgpack.encode(seen(live, audience, numbers=True)))
            for event in events:
                if (face := event.face(audience)) is not None:
                    digest.update(encoded(setting.rules.tell(face)))
    return digest.hexdigest()


def settings() -> list[Setting]:
    """Two tables of each game: the largest without options, and one with the last options."""
    chosen: list[Setting] = []
    for rules in RULESETS.values():
        of_game = [setting for setting in every_setting() if setting.rules is rules]
        plain = [setting for setting in of_game if setting.options == of_game[0].options]
        chosen += [plain[-1], *of_game[len(plain) :][-1:]]
    return chosen


def main() -> None:
    """Print setting and digest, one a line."""
    for setting in settings():
        print(setting, digest_of(setting, 1))


if __name__ == "__main__":
    main()
