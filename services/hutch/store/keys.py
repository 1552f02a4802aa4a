"""Keys: what lies where in Redis.

`P` is `<namespace>:{sNN}:`, where NN is the table's shard in hexadecimal. The braces make Redis
Cluster keep all keys of a shard in one slot, so one script may change them together. `T` is the
table's id.

| key          | type   | holds                                                                    |
|--------------|--------|--------------------------------------------------------------------------|
| `P table:T`  | hash   | `revision`, `meta`, `record`; `at`: time of the last commit in ms;       |
|              |        | `resolved`: that at which its last command was resolved; `token`: of the |
|              |        | last commit; `listing`: its member of `P index`;                         |
|              |        | `expires`: set once it is finished; `q:<request id>`: revision, digest;  |
|              |        | `tallied`: set once it is in `P tally`; `failure`: what went wrong last; |
|              |        | `trace`: a revision, and the id of the caller that it came of            |
| `P log:T`    | stream | what was told, an entry `<revision>-1` a commit that told anything; `ms` |
|              |        | and its faces                                                            |
| `P inputs:T` | list   | all inputs ever accepted, each behind its commit time                    |
| `P due`      | zset   | tables with a clock running, by due time in ms; claimed: by lease's end  |
| `P hints`    | zset   | tables whose bots are awaited, by the time of the next hint in ms        |
| `P claims`   | hash   | `d:T`: the true due time of a claimed timer; of this revision, `h:T`:    |
|              |        | hints given, `a:T`: attempts to answer, `r:T`: ms that the last may take |
| `P dead`     | stream | tables whose bots were given up, the last hundred or so of the shard     |
| `P outbox`   | stream | notes for other services, read by consumer groups                        |
| `P index`    | zset   | `<state> <ruleset> <ms> T`, all scored 0, read in lexical order          |
| `P counts`   | hash   | `<state> <ruleset>`: how many tables the index holds of it               |
| `P tally`    | hash   | `<measure>:<part>`: finished games, added up; see `tallies`              |
| `P pulse`    | hash   | in shard 0 alone: `at`: the last beat in ms, `grace` in ms; `outages`:   |
|              |        | the last of them, as `<from>-<until> ` in ms; `count` and `lost` ms: of  |
|              |        | all                                                                      |
| `P budget:…` | string | `budget:<what>:<who>`: when all of it is free again; see `budgets`       |
| `P held:…`   | hash   | `held:<what>:<who>`: by gateway `<how many> <until ms>`; see `holdings`  |
| `P engaged:…`| zset   | `engaged:<what>:<who>`: what somebody has under way, by the time until   |
|              |        | when it counts in ms; see `engagements`                                  |
| `P looked:…` | string | until when nobody else need look which of those are over, in ms          |

Campaigns and the shelves of their players are stored as tables are, without record, log, inputs,
timer or listing, under ids with a hyphen: `campaign-…`, `shelf-…`.
`<namespace>:revoked` (zset): players, sessions and tokens that are refused, by the time until when.

Channels (never data, see `doorbell`): `<namespace>:bell:T`, `:timers`, `:hints`, `:outbox`.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

SHARDS = 256
NAMESPACE = "hutch"

#: Every shard, for those who serve all of them.
ALL_SHARDS = range(SHARDS)


def shard_of(table_id: str) -> int:
    """The shard of a table, fixed for good: 0 to 255."""
    return crc32(table_id.encode()) % SHARDS


class Keys:
    """The names of all keys and channels in one namespace."""

    __slots__ = ("_prefixes", "namespace", "revoked")

    def __init__(self, namespace: str = NAMESPACE) -> None:
        if not namespace or set(namespace) & set("{} \n"):
            raise ValueError(f"{namespace!r} cannot start keys; use letters, digits, `-` and `_`")
        self.namespace = namespace
        self.revoked = f"{namespace}:revoked"
        self._prefixes = [f"{namespace}:{{s{shard:02x}}}:" for shard in ALL_SHARDS]

    def of_shard(self, shard: int, *names: str) -> list[str]:
        """The keys of those names in a shard."""
        prefix = self._prefixes[shard]
        return [prefix + name for name in names]

    def table(self, table_id: str) -> str:
        """The table's hash."""
        return f"{self._prefixes[shard_of(table_id)]}table:{table_id}"

    def log(self, table_id: str) -> str:
        """The table's log."""
        return f"{self._prefixes[shard_of(table_id)]}log:{table_id}"

    def inputs(self, table_id: str) -> str:
        """The table's inputs."""
        return f"{self._prefixes[shard_of(table_id)]}inputs:{table_id}"

    def of_commit(self, table_id: str, shard: int) -> list[str]:
        """The keys that a commit touches, in the order of `commit.lua`."""
        prefix = self._prefixes[shard]
        return [
            f"{prefix}table:{table_id}",
            f"{prefix}log:{table_id}",
            f"{prefix}inputs:{table_id}",
            f"{prefix}due",
            f"{prefix}hints",
            f"{prefix}claims",
            f"{prefix}outbox",
            f"{prefix}index",
            f"{prefix}counts",
        ]

    def bell(self, table_id: str) -> str:
        """The channel that is rung when the table has a new revision."""
        return f"{self.namespace}:bell:{table_id}"

    def channel(self, purpose: str) -> str:
        """The channel of `timers`, `hints` or `outbox`."""
        return f"{self.namespace}:{purpose}"


def checked_shards(shards: Iterable[int]) -> list[int]:
    """The shards as a list. Raises `ValueError` for one that does not exist."""
    listed = list(shards)
    for shard in listed:
        if not 0 <= shard < SHARDS:
            raise ValueError(f"there is no shard {shard}; they run from 0 to {SHARDS - 1}")
    return listed
