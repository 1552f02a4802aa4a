"""Wrongdoing: for each reason of the catalogue somebody who does what is refused for it."""

from tests.services.wrongdoing import actions, callers, campaigns, streams, tables
from tests.services.wrongdoing.trouble import PROVOKED, Trouble

__all__ = ["PROVOKED", "Trouble", "actions", "callers", "campaigns", "streams", "tables"]
