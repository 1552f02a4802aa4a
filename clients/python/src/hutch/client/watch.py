"""Watching: a stream of updates that goes on where it was cut."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from hutch.client.calls import Calls, receive
from hutch.client.errors import HutchError, unanswered
from hutch.client.retries import Backoff
from hutch.client.updates import Ended, Follower, OutOfStep, Update


async def watch(calls: Calls, name: str, resume_token: bytes = b"") -> AsyncGenerator[Update, None]:
    """Everything that happens at a table, each once and in order, up to its end.

    Raises `HutchError` for what another try cannot mend, or where no gateway answered for as long
    as the client is patient.
    """
    follower = Follower(name, resume_token)
    backoff = Backoff(calls.retries)
    while True:
        calls.require_open()
        token = calls.token
        call = calls.tables.WatchTable(follower.request(), metadata=calls.traced_metadata())
        try:
            while (response := await receive(call, calls.retries.silence)) is not None:
                if response.HasField("going_away"):
                    follower.take(response)
                    break
                backoff.reset()
                for update in follower.take(response):
                    yield update
                    if isinstance(update, Ended):
                        return
            cut: HutchError = unanswered("The stream ended before the game did.")
        except HutchError as error:
            cut = error
            if follower.must_restart(error) or calls.has_replaced(token, error):
                continue
        except OutOfStep:
            follower.restart()
            continue
        finally:
            call.cancel()
        await backoff.wait_after(cut)
