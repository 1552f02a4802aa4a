"""The store: tables, logs, timers, hints and notes in a real Redis.

It knows nothing of games: whatever it keeps is opaque bytes. One script commits an action, all or
nothing; Redis `TIME` is the only clock; a doorbell wakes whoever waits, and carries no data.
"""
