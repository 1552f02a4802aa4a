"""Turns: the one way in which a table changes, for players, bots and the clock alike.

Load the record, resolve the command, commit with one script, answer. The lobby (opening tables,
seats, starting) goes the same way.
"""
