"""The rules machine: pure, and knows no game.

Rules are scripts (generators) that ask; a waiting game is data (a checkpoint and the inputs since).
"""
