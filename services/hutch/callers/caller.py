"""Callers: who calls, and which calls their token is good for."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from hutch.wire.errors import Fault, Wrong

#: The longest name that others see a player by, in characters.
NAME_LENGTH = 40


class Scope(StrEnum):
    """A word of a token's `scope` claim."""

    PLAYER = "player"
    BOT = "bot"
    SPECTATOR = "spectator"
    OPERATOR = "operator"


Scopes = frozenset[Scope]
#: May look at what is public.
LOOKS: Scopes = frozenset(Scope)
#: May sit at tables: a person, or a program that says that it is one.
PLAYS: Scopes = frozenset({Scope.PLAYER, Scope.BOT})
#: May stand up: for oneself, or an operator for anybody.
LEAVES: Scopes = PLAYS | {Scope.OPERATOR}


class Caller(Struct, frozen=True):
    """Who calls. `expires_at` is in seconds since 1970.

    `token_id` names the token, `session` the token that it was renewed from, first of all.
    `is_foreign`: another issuer signed.
    """

    player: str
    display_name: str
    expires_at: int
    scopes: Scopes = frozenset()
    token_id: str = ""
    session: str = ""
    is_foreign: bool = False

    @property
    def is_bot(self) -> bool:
        """Whether the token says that a program plays."""
        return Scope.BOT in self.scopes

    @property
    def is_operator(self) -> bool:
        """Whether the token is an operator's."""
        return Scope.OPERATOR in self.scopes

    def require(self, scopes: Scopes) -> None:
        """Go on only with one of those scopes. Raises `Fault` SCOPE_MISSING."""
        if self.scopes.isdisjoint(scopes):
            wanted = " or ".join(sorted(scopes))
            raise Fault(
                Wrong.SCOPE_MISSING,
                f"The token's scope must be {wanted} for this call.",
                {"scopes": " ".join(sorted(scopes))},
            )
